//! `larkspur.toml`: what is said about one module, and the databases modules share.

use super::Kind::{Other, Rate, Table, Text};
use super::Said::{Below, May, Must};
use super::{Section, key, manifest};

pub(crate) const MODULE: Section = Section {
    name: "module.NAME",
    example: "module.crypto-tools",
    about: "What is said about one module.",
    keys: &[
        key("config", Table, Below, "What it is told."),
        key("grant", Table, Below, "What it may do."),
        key(
            "prefix",
            Text,
            May("crypto_"),
            "What the names of its tools begin with in a flat list. It wins over `prefix` in the \
             `module.toml`; with an empty one they are listed under their bare names.",
        ),
        key("rate", Rate, May("5/s"), "How often it may be called."),
    ],
};

/// Its keys are those that the module asks for.
pub(super) const MODULE_CONFIG: Section = Section {
    name: "module.NAME.config",
    example: "module.crypto-tools.config",
    about: "What a module's own `[config]` in its `module.toml` asks for. The environment wins over \
            what is said here (`CRYPTO_TOOLS__ALGORITHM=sha512`), and the command line over both \
            (`--set crypto-tools.algorithm=sha512`).",
    keys: &[key(
        "algorithm",
        Other("as the module says"),
        May("\"sha256\""),
        "A key of that module.",
    )],
};

pub(crate) const GRANT: Section = Section {
    name: "module.NAME.grant",
    example: "module.crypto-tools.grant",
    about: "What a module may do to the world, with the keys of `[permissions]` in a `module.toml`. A \
            module may do what it declares, in its manifest or by `permissions(…)` in a single file, and \
            what a key here also names; a key that is not here takes nothing away. For a file in \
            starlark-mcp's form, a key here replaces what such a file may do: requests to any public \
            host, the commands of its `allowed_exec`, every variable, every database, files that lie \
            beside it. Paths are relative to the \
            module's folder, or begin with `/`; `*` stands for anything but `/`, `**` for anything. A \
            host that is not public is reached only if it is named: `[\"*\", \"127.0.0.1:8080\"]`.",
    keys: manifest::GRANTS,
};

pub(crate) const POSTGRES: Section = Section {
    name: "postgres.NAME",
    example: "postgres.main",
    about: "A PostgreSQL database that modules use by this name. A module has to declare \
            the name: `postgres = [\"main\"]` under `[permissions]`, or in `permissions(…)` of a single \
            file.",
    keys: &[key(
        "url",
        Text,
        Must("postgres://user:password@db.example.org:5432/shop?sslmode=verify-full"),
        "Where it is. sslmode is `disable`, `prefer`, `require`, or `verify-full`, which also asks \
         who the server is.",
    )],
};
