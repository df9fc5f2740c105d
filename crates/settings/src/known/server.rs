//! `larkspur.toml`: what is served, and how it is reached.

use super::Kind::{Number, OneOf, Other, Size, Table, Text, Texts};
use super::Said::{Below, Default, May};
use super::{Section, key};

pub(crate) const PROJECT_TOP: Section = Section {
    name: "",
    example: "",
    about: "What is served.",
    keys: &[
        key(
            "enable",
            Texts,
            May(r#"["hello", "crypto-tools"]"#),
            "The modules to serve. Without this line, all that lie in the folders of modules.",
        ),
        key("server", Table, Below, "The server itself."),
        key("limits", Table, Below, "What calls may use."),
        key("vault", Table, Below, "Where secrets are kept."),
        key("module", Table, Below, "What is said about one module."),
        key("postgres", Table, Below, "Databases, by name."),
        key("role", Table, Below, "Who may use what."),
        key("scope", Table, Below, "Which tools need which token."),
        key("auth", Table, Below, "Whose tokens are taken."),
        key("audit", Table, Below, "What is written down of calls."),
    ],
};

pub(crate) const SERVER: Section = Section {
    name: "server",
    example: "server",
    about: "The server itself. Flags of `larkspur serve` win over this.",
    keys: &[
        key(
            "name",
            Text,
            May("shop"),
            "Name of the project: part of the server's title in clients, and the name of the entry that \
             `larkspur install` writes. Without it, the name of the folder with this file.",
        ),
        key(
            "instructions",
            Text,
            May("Ask before you close an issue."),
            "Told to models before the generated text, which names the modules and says how their tools \
             are found and called. At most 1,000 characters.",
        ),
        key(
            "data_dir",
            Text,
            Default(".larkspur"),
            "Where it keeps what must outlive it, relative to this file.",
        ),
        key(
            "transport",
            OneOf(&["stdio", "http", "stdio,http"]),
            Default("stdio"),
            "How clients reach it.",
        ),
        key(
            "host",
            Text,
            Default("127.0.0.1"),
            "Where it listens for HTTP. Any other host than this machine's own needs `auth`.",
        ),
        key("port", Number, Default("3000"), "The port it listens on for HTTP."),
        key(
            "hosts",
            Texts,
            May(r#"["mcp.example.org"]"#),
            "Names by which clients may call it, besides localhost.",
        ),
        key(
            "cors",
            Other("true, false or a list of origins"),
            Default("false"),
            "Which web pages may talk to it: true for those of this machine, or a list of origins.",
        ),
        key(
            "auth",
            OneOf(&["none", "token", "jwt"]),
            Default("none"),
            "Who may call over HTTP: `none` for everybody on this machine, `token` for whoever knows \
             `LARKSPUR_TOKEN` (one is made and shown at the start if it is not set), `jwt` for whom \
             an issuer of `[auth]` names.",
        ),
        key(
            "public_url",
            Text,
            May("https://mcp.example.org/mcp"),
            "Its address as clients know it; tokens of issuers are for this.",
        ),
        key(
            "errors",
            OneOf(&["mcp", "mapped"]),
            Default("mcp"),
            "`mapped` gives tools error codes from -32000 to -32002, and an HTTP status for each.",
        ),
        key(
            "connections_per_address",
            Number,
            Default("256"),
            "Maximum number of open HTTP connections per IP address (IPv6: per /64 network), of 4,096 in \
             all. Further ones get 503 with `Retry-After` and are closed.",
        ),
        key(
            "trusted_proxies",
            Texts,
            May(r#"["10.0.0.0/8", "127.0.0.1"]"#),
            "Addresses and networks without that limit: all clients behind a proxy share its address.",
        ),
        key(
            "sessions_per_caller",
            Number,
            Default("256"),
            "Maximum number of HTTP sessions of one caller; callers without a login are one. The longest \
             unused one ends where another is begun.",
        ),
        key("sessions", Number, Default("4_096"), "The same for all callers together."),
        key(
            "message_bytes",
            Size,
            Default("4MiB"),
            "Maximum size of one message from a client, over stdio and HTTP.",
        ),
        key(
            "surface",
            OneOf(&["flat", "modules", "auto"]),
            Default("auto"),
            "What `tools/list` shows: `flat` (every tool by its listed name), `modules` (the meta tools \
             get_module_schema, call, call_readonly and batch) or `auto`: flat if the list costs fewer \
             tokens than `surface_tokens` when the server starts. Both ways work in every mode.",
        ),
        key(
            "surface_tokens",
            Number,
            Default("2_000"),
            "A list with as many tokens is not shown flat by `auto`, and no text response of \
             get_module_schema has more tokens (460 are always allowed).",
        ),
        key(
            "result_tokens",
            Number,
            Default("10_000"),
            "Maximum number of tokens (estimated) of one result. A longer one is cut at whole items, and its \
             first line says what is missing; a result with structured content is an error instead.",
        ),
        key(
            "structured",
            OneOf(&["auto", "always"]),
            Default("auto"),
            "Which results have `structuredContent` and a listed `outputSchema`: `auto` (only those of tools \
             that declare an object and neither `select` nor `compact`, because some clients show a model \
             nothing else) or `always`, for programs that read data.",
        ),
    ],
};
