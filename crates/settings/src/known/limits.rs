//! `larkspur.toml`: what calls may use, where secrets are kept, and what is written down.

use super::Kind::{Bool, Number, OneOf, Rate, Size, Text, Time};
use super::Said::{Default, May};
use super::{Section, key};

pub(crate) const LIMITS: Section = Section {
    name: "limits",
    example: "limits",
    about: "What one call may use, and how much of the world it may bring. A module's own \
            `[limits]` can only be tighter. What is said here holds from the next start of the \
            server.",
    keys: &[
        key("timeout", Time, Default("30s"), "How long one call may take."),
        key(
            "ticks",
            Number,
            Default("50_000_000"),
            "How many loop turns and calls a script may make.",
        ),
        key("heap", Size, Default("256MiB"), "How much memory."),
        key("call_depth", Number, Default("200"), "How deep functions may call each other."),
        key(
            "result",
            Size,
            Default("16MiB"),
            "Maximum size of a result, and of the values that the references of a batch copy into one call.",
        ),
        key("calls", Number, Default("512"), "How many calls at one time."),
        key("queue", Number, Default("1024"), "How many more calls may wait."),
        key(
            "memory",
            Size,
            May("4GiB"),
            "Resident memory of the server above which new calls wait, and are then rejected; running \
             calls pause, the oldest excepted. Unset: half of the machine's or the container's memory. \
             Linux only.",
        ),
        key(
            "caller_rate",
            Rate,
            May("10/s"),
            "How often one caller may call. Nothing is counted unless it is said here.",
        ),
        key("module_rate", Rate, May("100/s"), "How often one module may be called, by whomever."),
        key(
            "caller_calls",
            Number,
            May("4"),
            "How many calls of one caller at one time; further ones wait, each behind its own.",
        ),
        key("module_calls", Number, May("16"), "How many calls of one module at one time."),
        key(
            "cache",
            Size,
            Default("64MiB"),
            "How much room answers may take that are kept to be given again: those of tools and \
             resources with `cache = \"60s\"`.",
        ),
        key(
            "tasks",
            Number,
            Default("64"),
            "How many calls of tools marked `task = True` are under way at one time.",
        ),
        key("task_time", Time, Default("1h"), "How long one of them may take."),
        key(
            "task_keep",
            Time,
            Default("24h"),
            "How long what it led to can be asked for afterwards.",
        ),
        key(
            "http_time",
            Time,
            Default("30s"),
            "A request of `http` with its redirects and further tries.",
        ),
        key("http_body", Size, Default("10MiB"), "The size of an answer to it, unpacked."),
        key("exec_time", Time, Default("30s"), "A command of `exec`."),
        key(
            "exec_output",
            Size,
            Default("1MiB"),
            "What it may write to each of stdout and stderr.",
        ),
        key("exec_processes", Number, Default("32"), "How many commands run at one time."),
        key(
            "exec_memory",
            Size,
            Default("2GiB"),
            "Memory of a command and of everything it has started, together: resident and swapped \
             pages, without files that they map. Looked at every 20 ms; Linux only.",
        ),
        key(
            "exec_children",
            Number,
            Default("256"),
            "Processes of one command at one time, itself included. Counted every 20 ms; Linux only.",
        ),
        key("exec_file_size", Size, Default("1GiB"), "Size of any file that a command writes."),
        key(
            "sql_time",
            Time,
            Default("30s"),
            "A statement or transaction of `sqlite` and `postgres`.",
        ),
        key("sql_rows", Number, Default("10_000"), "The rows of its answer."),
        key("sql_bytes", Size, Default("8MiB"), "The bytes of its answer."),
        key("file_bytes", Size, Default("16MiB"), "How large a file may be that is read."),
    ],
};

pub(crate) const VAULT: Section = Section {
    name: "vault",
    example: "vault",
    about: "Where secrets are kept sealed.",
    keys: &[key(
        "key_file",
        Text,
        May("/etc/larkspur/vault.key"),
        "The file with its master key, relative to this file; nobody but its owner may read it, and \
         it does not lie in `data_dir`. Without it, `LARKSPUR_VAULT_KEY`, the system's keyring or \
         `~/.config/larkspur/vault.key`.",
    )],
};

pub(crate) const AUDIT: Section = Section {
    name: "audit",
    example: "audit",
    about: "A line of JSON for every call and every denial, which `larkspur audit` shows. Without \
            this table nothing is written. What is said here holds from the next start of the \
            server.",
    keys: &[
        key("file", Text, Default(".larkspur/audit.jsonl"), "Where, relative to this file."),
        key(
            "max_size",
            Size,
            Default("16MiB"),
            "How large a file may grow before another is begun.",
        ),
        key("keep", Number, Default("5"), "How many of the old ones are kept."),
        key(
            "arguments",
            Bool,
            Default("false"),
            "Also record the arguments of calls, with credentials masked.",
        ),
        key(
            "on_error",
            OneOf(&["continue", "refuse"]),
            Default("continue"),
            "When nothing can be written: `continue`, or `refuse` calls until it can. With `refuse`, \
             each call is recorded before it runs and before its result is sent.",
        ),
    ],
};
