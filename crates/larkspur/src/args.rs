//! What can be typed.

mod audit;
mod clients;
mod coverage;
mod perm;
mod secret;
mod testing;

pub(crate) use audit::Audit;
pub(crate) use clients::{Doctor, Entry, Install, Uninstall};
pub(crate) use coverage::Coverage;
pub(crate) use perm::{Explained, Perm};
pub(crate) use secret::{
    Secret, SecretExport, SecretImport, SecretList, SecretRemove, SecretRotateKey, SecretSet,
};
pub(crate) use testing::{Test, TestFormat};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use model::Selection;
use settings::{Auth, Surface, Transport};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  larkspur new hello                     a first module, with a test
  larkspur call hello.hello name=Ada     call its tool
  larkspur dev                           watch the folder while you write
  larkspur                               serve ./modules over stdio, as an MCP client starts it
  larkspur -e ./extensions               the same for another folder";

/// Turns a folder of small Starlark modules into an MCP server.
#[derive(Debug, Parser)]
#[command(name = "larkspur", version, disable_version_flag = true, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = false, subcommand_negates_reqs = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,

    #[command(flatten)]
    pub(crate) serve: Serve,

    /// Run the tests, as starlark-mcp spells it
    #[arg(short = 't', long)]
    pub(crate) test: bool,

    /// Print the version
    #[arg(short = 'v', long, action = clap::ArgAction::Version)]
    version: Option<bool>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// A folder of modules; may be given several times [default: ./modules and ./extensions]
    #[arg(
        long = "modules",
        short = 'e',
        visible_alias = "extensions-dir",
        value_name = "DIR",
        global = true
    )]
    pub(crate) modules: Vec<PathBuf>,

    /// Folder that holds the data folder without a project's file, if it is not the first of these.
    #[arg(skip)]
    pub(crate) data_home: Option<PathBuf>,

    /// The project's file [default: ./larkspur.toml, if there is one]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,

    /// Configure a module, over the file and the environment; may be given several times
    #[arg(long, value_name = "MODULE.KEY=VALUE", value_parser = settings::parse_set, global = true)]
    pub(crate) set: Vec<(String, String)>,

    /// How the log on stderr is written; `LARKSPUR_LOG` says what is in it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text, global = true)]
    pub(crate) log_format: Format,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the modules over stdio (what bare `larkspur` does)
    Serve(Serve),
    /// Watch the folder while you write, and serve it over HTTP on this machine
    Dev(Dev),
    /// Show tools, resources and prompts with their signatures
    List(List),
    /// Call a tool: `larkspur call MODULE.TOOL name=value other:=json`
    Call(Call),
    /// Call several tools, which may use each other's results: `larkspur batch FILE`
    Batch(Batch),
    /// Read a resource by its URI
    Read(Read),
    /// Get the messages of a prompt: `larkspur prompt MODULE.PROMPT name=value`
    Prompt(Prompt),
    /// Look for mistakes without running anything, also in what a model sees
    Check(Check),
    /// Tell more about a code that `check` shows: `larkspur explain E0301`
    Explain(Explain),
    /// Run the tests in `*_test.star`
    Test(Test),
    /// Write a module that works, with a test that passes and a README
    New(New),
    /// Print a module's README, as `larkspur doc --readme` does
    #[command(hide = true)]
    Readme(Readme),
    /// Show the libraries that scripts can use: `larkspur doc http.get`; or make a module's README
    Doc(Doc),
    /// Show what modules are told, and by whom
    #[command(subcommand)]
    Config(Config),
    /// Say who may use what, and because of which line
    #[command(subcommand)]
    Perm(Perm),
    /// Draw which modules depend on which
    Graph(Graph),
    /// Ask running servers how they are
    Status(Status),
    /// Show who called what, and how it ended: `larkspur audit --since 1h`
    Audit(Audit),
    /// Load modules of a running server from disk again, with what depends on them
    Reload(Named),
    /// Start modules of a running server, with what they depend on
    Start(Named),
    /// Stop modules of a running server, with what depends on them
    Stop(Named),
    /// Put this server into a client: Claude Code, Cursor, VS Code, Codex, Gemini CLI and others
    Install(Install),
    /// Take this server out of a client again
    Uninstall(Uninstall),
    /// Keep what modules send and never see: tokens, passwords, keys
    #[command(subcommand)]
    Secret(Secret),
    /// Say what is missing: folder, configuration, commands, port, clients
    Doctor(Doctor),
    /// Speak with an editor over stdin and stdout (Language Server Protocol)
    Lsp,
    /// Print completions for a shell
    Completions {
        /// The shell to complete for
        shell: Shell,
    },
}

#[derive(Debug, Default, Args)]
pub(crate) struct Serve {
    /// How clients reach it: stdio, http or stdio,http [default: stdio]
    #[arg(long, value_name = "DOORS", value_parser = str::parse::<Transport>)]
    pub(crate) transport: Option<Transport>,

    /// The same as --transport http
    #[arg(long, conflicts_with = "transport")]
    pub(crate) http: bool,

    /// Where to listen for HTTP [default: 127.0.0.1]
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,

    /// The port to listen on for HTTP; 0 takes a free one [default: 3000]
    #[arg(long, short = 'p', value_name = "PORT")]
    pub(crate) port: Option<u16>,

    /// Who may call over HTTP: none (this machine only), token (`LARKSPUR_TOKEN`, or one that is
    /// made and shown) or jwt (whom an issuer of `[auth]` names) [default: none]
    #[arg(long, value_name = "WAY", value_parser = settings::parse_word::<Auth>)]
    pub(crate) auth: Option<Auth>,

    /// Listen on other addresses than this machine's without a token, and mean it
    #[arg(long)]
    pub(crate) insecure_open: bool,

    /// Load files in starlark-mcp's form (`describe_extension`) also on other addresses than loopback: they may
    /// reach every public host, variable and database
    #[arg(long)]
    pub(crate) trust_folder: bool,

    /// What `tools/list` shows: flat (every tool), modules (the meta tools, through which all others
    /// are called) or auto (flat while that list is short) [default: auto]
    #[arg(long, value_name = "SURFACE", value_parser = settings::parse_word::<Surface>)]
    pub(crate) surface: Option<Surface>,
}

#[derive(Debug, Args)]
pub(crate) struct Dev {
    /// Where to listen: a name of this machine [default: 127.0.0.1]
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,

    /// The port to listen on; 0 takes a free one [default: 3000, or a free one if that is taken]
    #[arg(long, short = 'p', value_name = "PORT")]
    pub(crate) port: Option<u16>,

    /// What `tools/list` shows: flat, modules or auto [default: auto]
    #[arg(long, value_name = "SURFACE", value_parser = settings::parse_word::<Surface>)]
    pub(crate) surface: Option<Surface>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// What each surface costs a model, and each module's share of it
    #[arg(long)]
    pub(crate) tokens: bool,

    /// Free a listed name that belongs to a tool, so that another tool may have it
    #[arg(long, value_name = "NAME", conflicts_with = "tokens")]
    pub(crate) release_name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur call hello.hello name=Ada          a value, read by the parameter's type
  larkspur call hello.hello 'tags:=[\"a\"]'     a value written as JSON
  echo '{\"name\": \"Ada\"}' | larkspur call hello.hello -
  larkspur call hub.issues --format compact   the answer in few tokens, and how many
  larkspur call get_module_schema query=issue the meta tools can be called as well
  larkspur call hub.issues --save-test        and write the call as a test that needs no network

Exit code: 0 answered, 1 no test was saved, 2 no such tool or wrong arguments, 5 the tool said error")]
pub(crate) struct Call {
    /// The tool, as MODULE.TOOL
    pub(crate) tool: String,

    /// name=value, name:=json, or - for a JSON object on standard input
    #[arg(value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,

    /// For people, the whole result for programs, or as models get it, with what it costs on stderr
    #[arg(long, value_enum, default_value_t = CallFormat::Text)]
    pub(crate) format: CallFormat,

    /// Fields of the answer, instead of those that its author chose: number,author:user.login
    #[arg(long, value_name = "FIELDS", value_parser = select)]
    pub(crate) select: Option<Selection>,

    /// Write the call, with what it fetched, as a test beside the module
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) save_test: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallFormat {
    Text,
    Json,
    /// The smallest there is
    Compact,
    Toon,
    Markdown,
}

fn select(fields: &str) -> Result<Selection, String> {
    Selection::parse(&fields.into()).map_err(|why| why.to_string())
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur read notes://today                 the text, as it is
  larkspur read notes://today --format json   with its type, and bytes as base64

Exit code: 0 read, 2 no such resource, 5 the function behind it said error")]
pub(crate) struct Read {
    /// The resource's URI; `larkspur list` shows them, and the templates
    pub(crate) uri: String,

    /// For people, or the whole result for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur batch plan.jsonl
  echo '[{\"id\": \"a\", \"module\": \"hello\", \"tool\": \"hello\", \"params\": {\"name\": \"Ada\"}, \"output\": true}]' | larkspur batch -

Exit code: 0 all went well, 1 some of it failed, 2 the plan was refused, 5 nothing came of it")]
pub(crate) struct Batch {
    /// A JSON array of tasks, or a task a line; - for standard input
    pub(crate) file: String,

    /// For people, or the whole answer for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur prompt hello.welcome name=Ada      a value, read by the parameter's type
  larkspur prompt hello.welcome 'times:=2'    a value written as JSON
  echo '{\"name\": \"Ada\"}' | larkspur prompt hello.welcome -

Exit code: 0 answered, 2 no such prompt or wrong arguments, 5 the function behind it said error")]
pub(crate) struct Prompt {
    /// The prompt, as MODULE.PROMPT
    pub(crate) name: String,

    /// name=value, name:=json, or - for a JSON object on standard input
    #[arg(value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,

    /// For people, or the whole result for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Such as E0301; without it, all there are
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur check                    every module in the folders
  larkspur check modules/github     what lies in this folder; a file works as well
  larkspur check --upgrade          what breaks in a project made for version 0.1

Exit code: 0 nothing wrong, 1 errors, or warnings with --strict")]
pub(crate) struct Check {
    /// Folders and files to look at [default: all]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Mend what can be mended without asking
    #[arg(long)]
    pub(crate) fix: bool,

    /// List what breaks in a project made for version 0.1, and nothing else; with --fix, change what can be
    #[arg(long, conflicts_with_all = ["paths", "strict"])]
    pub(crate) upgrade: bool,

    /// Let warnings fail as well
    #[arg(long)]
    pub(crate) strict: bool,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur new hello                modules/hello/ with manifest, code, test and README
  larkspur new hello --single       modules/hello.star and its test, nothing else
  larkspur new --project            a larkspur.toml with every setting, commented out
  larkspur new hello --project      both
  larkspur new --from modules/hello.star   the single file as a folder with the same tool names

What is there already is never overwritten.
Exit code: 0 written, 1 something is there already, 2 not a name for a module")]
pub(crate) struct New {
    /// The module's name, in kebab-case: small letters, digits and dashes
    #[arg(required_unless_present_any = ["project", "from"])]
    pub(crate) name: Option<String>,

    /// One file and its test, without a manifest
    #[arg(long, requires = "name")]
    pub(crate) single: bool,

    /// Write larkspur.toml, or the file that --config names
    #[arg(long)]
    pub(crate) project: bool,

    /// Turn a single file into a folder; its tools keep their listed names
    #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "single", "project"])]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur readme hello             print it
  larkspur readme hello --write     put it into modules/hello/README.md

Of a README that is there, --write changes only what stands between the two marks of Larkspur.
Exit code: 0 done, 1 the module does not load or its README has no marks, 2 no such module")]
pub(crate) struct Readme {
    /// The module
    pub(crate) module: String,

    /// Put it into the module's folder instead of printing it
    #[arg(long)]
    pub(crate) write: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur doc                      the libraries, a line each
  larkspur doc http                 the functions of one
  larkspur doc http.get             all about one function, with examples
  larkspur doc tool                 functions without a library go by their own names
  larkspur doc http --format json   the same for programs
  larkspur doc --readme hello           a module's README, from its manifest and the schemas of its tools
  larkspur doc --readme hello --write   put it into modules/hello/README.md
  larkspur doc --schema module.toml     the JSON Schema of that file, for editors

Of a README that is there, --write changes only what stands between the two marks of Larkspur.
Exit code: 0 done, 1 the module does not load or its README has no marks, 2 no such name")]
pub(crate) struct Doc {
    /// A library or a function; all libraries without it
    #[arg(value_name = "LIBRARY[.FUNCTION]")]
    pub(crate) name: Option<String>,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// Print a module's README instead
    #[arg(long, value_name = "MODULE", conflicts_with_all = ["name", "format"])]
    pub(crate) readme: Option<String>,

    /// Put the README into the module's folder instead of printing it
    #[arg(long, requires = "readme")]
    pub(crate) write: bool,

    /// Print the JSON Schema of a file of settings instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "format", "readme"])]
    pub(crate) schema: Option<SettingsFile>,

    /// Renew the pages about libraries in a book's folder
    #[arg(long, value_name = "DIR", hide = true, conflicts_with = "name")]
    pub(crate) book: Option<PathBuf>,

    /// Write a page for `man` about every command into a folder
    #[arg(long, value_name = "DIR", hide = true, conflicts_with_all = ["name", "book"])]
    pub(crate) man: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SettingsFile {
    #[value(name = "larkspur.toml")]
    Project,
    #[value(name = "module.toml")]
    Manifest,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Show the configuration of modules, merged from all that is said about it; starts nothing
    Show(ConfigShow),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur config show                        of every module
  larkspur config show hello --origin         of one, and where each value was said
  HELLO__GREETING=Hi larkspur config show     with a variable
  larkspur config show --set hello.greeting=Hi

Later ones win: the default in module.toml, [module.NAME.config] in larkspur.toml, the
environment (MODULE__KEY), --set.
Exit code: 0 shown, 1 a configuration is wrong, 2 no such module")]
pub(crate) struct ConfigShow {
    /// The module; all of them without it
    pub(crate) module: Option<String>,

    /// Also where each value was said
    #[arg(long)]
    pub(crate) origin: bool,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  larkspur graph                              in the order in which modules start
  larkspur graph --format mermaid             for Markdown

Exit code: 0 drawn, 1 drawn, and a module cannot be started")]
pub(crate) struct Graph {
    /// For people or for Markdown
    #[arg(long, value_enum, default_value_t = Drawing::Text)]
    pub(crate) format: Drawing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Drawing {
    Text,
    Mermaid,
    /// Refused: version 0.1 had it
    #[value(hide = true)]
    Dot,
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// Servers of every folder, not only of this one
    #[arg(long)]
    pub(crate) all: bool,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Named {
    /// The modules; none means all
    pub(crate) names: Vec<String>,

    /// For people or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
