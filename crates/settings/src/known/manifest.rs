//! `module.toml`.

use super::Kind::{Rate, Table, Text, Texts, Time};
use super::Said::{Below, Default, May, Must};
use super::{Key, Section, key};

/// All of `module.toml`, in the order in which it is shown.
pub const MANIFEST: [Section; 6] =
    [MANIFEST_TOP, CONFIG, PERMISSIONS, SECRET, MODULE_LIMITS, HTTP_RATE];

pub(crate) const MANIFEST_TOP: Section = Section {
    name: "",
    example: "",
    about: "What the module is.",
    keys: &[
        key(
            "name",
            Text,
            Must("notes"),
            "The module's name, in small letters, digits and dashes. Its tools are `notes.TOOL`.",
        ),
        key("version", Text, Must("0.1.0"), "The module's version, as SemVer: three numbers."),
        key(
            "description",
            Text,
            Must("Notes in files"),
            "What it is for, in a sentence. Models read it.",
        ),
        key(
            "entry",
            Text,
            Default("main.star"),
            "The file it begins with, below the module's folder.",
        ),
        key(
            "prefix",
            Text,
            May("n_"),
            "What the names of its tools begin with in a flat list, instead of the module's name and \
             `_`. With an empty one they are listed under their bare names.",
        ),
        key(
            "larkspur",
            Text,
            May(">=0.1"),
            "The versions of Larkspur it works with. Another one refuses it and says why.",
        ),
        key(
            "api_version",
            Text,
            May("2022-11-28"),
            "The version of the service behind it. Clients are told.",
        ),
        key("author", Text, May("Ada Lovelace"), "Who wrote it."),
        key("license", Text, May("MIT"), "Under which license."),
        key("homepage", Text, May("https://example.org/notes"), "Where there is more about it."),
        key(
            "depends_on",
            Texts,
            May(r#"["auth"]"#),
            "Modules it cannot do without. They start first.",
        ),
        key("optional_deps", Texts, May(r#"["search"]"#), "Modules it uses if they are there."),
        key(
            "tools",
            Texts,
            May(r#"["read", "keep"]"#),
            "The tools it declares: all of them, and no others. A module that declares others does \
             not start.",
        ),
        key(
            "keywords",
            Texts,
            May(r#"["notebook", "diary"]"#),
            "Further words by which its tools are found.",
        ),
        key("config", Table, Below, "What the module can be told."),
        key("permissions", Table, Below, "What it may do to the world."),
        key("secrets", Table, Below, "What it sends and never sees."),
        key("limits", Table, Below, "Bounds of its own."),
    ],
};

/// Its keys are the author's, and what is under each is JSON Schema: see `config::KEYWORDS`.
const CONFIG: Section = Section {
    name: "config.KEY",
    example: "config.folders",
    about: "What the module can be told, a table for each key of yours. What is under it is JSON \
            Schema, and `required`. A key begins with a letter and has letters, digits, `-` and \
            single `_`. Scripts read it as `ctx.config`.",
    keys: &[
        key(
            "type",
            super::Kind::OneOf(&crate::config::TYPES),
            May("array"),
            "What a value has to be.",
        ),
        key(
            "default",
            super::Kind::Other("a value"),
            May(r#"["data"]"#),
            "What holds if nobody says anything.",
        ),
        key("description", Text, May("folders with notes"), "For whoever sets it."),
        key(
            "required",
            super::Kind::Bool,
            Default("false"),
            "The module does not start until the key is set.",
        ),
    ],
};

/// One description of what can be granted: by a manifest here, by the operator in `larkspur.toml`.
pub(super) const GRANTS: &[Key] = &[
    key(
        "http",
        Texts,
        May(r#"["api.example.org"]"#),
        "Hosts: `example.org`, `*.example.org`, `example.org:8080`, or `*` for every public one.",
    ),
    key("exec", Texts, May(r#"["git"]"#), "Commands, by their exact names."),
    key(
        "env",
        Texts,
        May(r#"["GITHUB_*"]"#),
        "Variables of the environment. `LARKSPUR_*`, the server's own, are kept from everyone.",
    ),
    key("sqlite", Texts, May(r#"["data/*.db"]"#), "SQLite databases, to read."),
    key(
        "sqlite_write",
        Texts,
        May(r#"["data/cache.db"]"#),
        "SQLite databases, to read and to write.",
    ),
    key(
        "postgres",
        Texts,
        May(r#"["main"]"#),
        "PostgreSQL connections, by their names: `[postgres.NAME]` in `larkspur.toml`.",
    ),
    key("files", Texts, May(r#"["data/**"]"#), "Files, to read."),
    key("files_write", Texts, May(r#"["out/**"]"#), "Files, to read and to write."),
    key(
        "calls",
        Texts,
        May(r#"["files.read"]"#),
        "Tools of other modules, for `ctx.call`: `module.tool`, or `module.*` for all of a module. Those of \
         modules in `depends_on` and `optional_deps`, and its own, may always be called.",
    ),
];

pub(crate) const PERMISSIONS: Section = Section {
    name: "permissions",
    example: "permissions",
    about: "What the module may do to the world; what is not named is refused. Paths are relative \
            to the module's folder, or begin with `/`; `*` stands for anything but `/`, `**` for \
            anything. `{config.KEY}` stands for what the key is set to.",
    keys: GRANTS,
};

pub(crate) const SECRET: Section = Section {
    name: "secrets.NAME",
    example: "secrets.token",
    about: "A secret the module asks for. `larkspur secret set MODULE.NAME` sets it, \
            `ctx.secret(NAME)` uses it.",
    keys: &[
        key("description", Text, May("a personal access token"), "For whoever sets it."),
        key("hosts", Texts, May(r#"["api.example.org"]"#), "Where it may be sent."),
        key("exec", Texts, May(r#"["git"]"#), "Commands that may have it in their environment."),
    ],
};

pub(crate) const MODULE_LIMITS: Section = Section {
    name: "limits",
    example: "limits",
    about: "Bounds of the module's own. They can only be tighter than the server's.",
    keys: &[
        key("timeout", Time, May("10s"), "How long one call may take."),
        key("http_rate", Table, Below, "How often a host is asked."),
    ],
};

/// Its keys are hosts.
const HTTP_RATE: Section = Section {
    name: "limits.http_rate",
    example: "limits.http_rate",
    about: "How often a host is asked, by all calls of the module together. A request beyond it \
            waits. The keys are hosts.",
    keys: &[key("\"api.example.org\"", Rate, May("10/s"), "Requests to this host.")],
};
