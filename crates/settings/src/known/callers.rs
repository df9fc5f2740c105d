//! `larkspur.toml`: who calls, and what they may use.

use super::Kind::{Table, Text, Texts, Time};
use super::Said::{Below, Default, May};
use super::{Section, key};

pub(crate) const AUTH: Section = Section {
    name: "auth",
    example: "auth",
    about: "Whose tokens are taken, with `auth = \"jwt\"` under `[server]`.",
    keys: &[
        key(
            "audience",
            Texts,
            May(r#"["https://mcp.example.org/mcp"]"#),
            "Whom tokens are for; `public_url` without this line.",
        ),
        key("algorithms", Texts, Default(r#"["RS256"]"#), "What they may be signed with."),
        key("leeway", Time, Default("30s"), "How much clocks may differ, 30s at the most."),
        key(
            "claims",
            Table,
            May(r#"{ tenant = ["acme"] }"#),
            "What every token must say: of each claim one of these.",
        ),
        key("user", Text, Default("sub"), "The claim that names the caller."),
        key("issuer", Table, Below, "Who makes tokens."),
    ],
};

pub(crate) const ISSUER: Section = Section {
    name: "auth.issuer.NAME",
    example: "auth.issuer.\"https://login.example.org\"",
    about: "An issuer, by the name it has for itself, with one place for its keys.",
    keys: &[
        key(
            "jwks_url",
            Text,
            May("https://login.example.org/.well-known/jwks.json"),
            "The address its keys are at.",
        ),
        key("jwks_file", Text, May("jwks.json"), "A file with its keys, relative to this file."),
        key("key_file", Text, May("issuer.pem"), "A file with its public key as PEM."),
        key(
            "secret_env",
            Text,
            May("JWT_SECRET"),
            "The variable with a secret that is shared with it.",
        ),
    ],
};

pub(crate) const ROLE: Section = Section {
    name: "role.NAME",
    example: "role.reader",
    about: "What callers may use. Without any role they may use all. Deny wins; what no role allows \
            is denied. A role is had by name, by a scope or by claims of the token.",
    keys: &[
        key(
            "allow",
            Texts,
            May(r#"["github.*", "notion.search"]"#),
            "What may be used: `MODULE.NAME`, with `*` for any part.",
        ),
        key("deny", Texts, May(r#"["*.delete_*"]"#), "What may not, whoever allows it."),
        key(
            "users",
            Texts,
            May(r#"["*"]"#),
            "Callers who have it, by name; `*` is everybody who has logged in.",
        ),
        key("scopes", Texts, May(r#"["mcp:read"]"#), "Whoever's token has one of these has it."),
        key(
            "claims",
            Table,
            May(r#"{ groups = ["dev"] }"#),
            "Whoever's token says one of these, of each claim, has it.",
        ),
    ],
};

pub(crate) const SCOPE: Section = Section {
    name: "scope.NAME",
    example: "scope.\"notion:write\"",
    about: "Tools that need a token with this scope, or with one that implies it.",
    keys: &[
        key("tools", Texts, May(r#"["notion.create_*"]"#), "The tools, as in a role."),
        key("implies", Texts, Default("[]"), "Scopes that need not be had besides."),
    ],
};
