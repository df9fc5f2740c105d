//! Read-only tools whose functions write: every such call is denied.

use crate::Finding;
use crate::inspection::{Inspection, SourceFile};
use crate::permissions::{called, refusal};
use model::{DeclaredRead, Fault, ModuleName, PossibleWrite, ReadOnlyCall, Tool, ToolPath};
use runtime::{Catalog, Lookup, Surveyed};
use script::Use;
use std::ops::RangeInclusive;
use std::path::Path;

const WRITES: &str = "E0305";

/// Methods of `http` that are not reads by themselves.
const WRITING: [&str; 5] = ["post", "put", "patch", "delete", "options"];

/// Stand for what the source does not tell.
const SOME_URL: &str = "HOST/PATH";
const SOME_COMMAND: &str = "COMMAND";

pub(super) fn check(
    inspection: &Inspection<'_>,
    name: &ModuleName,
    module: &Surveyed,
    findings: &mut Vec<Finding>,
) {
    let Some(script) = &module.script else {
        return;
    };
    let tools = script.tools.iter().map(|tool| &tool.tool);
    let read_only: Vec<&Tool> = tools.filter(|tool| tool.is_read_only()).collect();
    if read_only.is_empty() {
        return;
    }
    let files = inspection.sources(|path| match &module.home {
        Some(home) => path.starts_with(home),
        None => path == Path::new(&module.file),
    });
    for tool in read_only {
        let path = ToolPath { module: name.clone(), tool: tool.name.clone() };
        let uses = uses_of(&files, tool.name.as_str());
        let found = uses.into_iter().find_map(|(file, used)| {
            let fault = denied(&inspection.catalog, &path, tool, used)?;
            Some(Finding::new(file, fault.code(WRITES).at(used.place.clone())))
        });
        findings.extend(found);
    }
}

/// What the function behind a tool uses, and the functions of its module that it mentions.
fn uses_of<'s>(files: &[&'s SourceFile], tool: &str) -> Vec<(&'s str, &'s Use)> {
    let mut waiting: Vec<(usize, &str)> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let tools = file.facts.tools.iter().filter(|declared| declared.name == tool);
        waiting.extend(tools.filter_map(|tool| Some((at, tool.function.as_deref()?))));
    }
    let mut followed: Vec<(usize, &str)> = Vec::new();
    let mut uses = Vec::new();
    while let Some((at, function)) = waiting.pop() {
        let Some((at, lines)) = function_lines(files, at, function) else {
            continue;
        };
        if followed.contains(&(at, function)) {
            continue;
        }
        followed.push((at, function));
        let SourceFile { shown, facts, .. } = files[at];
        let inside = facts.uses.iter().filter(|used| lines.contains(&used.place.line));
        uses.extend(inside.map(|used| (shown.as_str(), used)));
        let mentions = facts.mentions.iter();
        let mentions = mentions.filter(|(_, line)| lines.contains(line));
        waiting.extend(mentions.map(|(name, _)| (at, name.as_str())));
    }
    uses.sort_by_key(|(file, used)| (*file, used.place.line));
    uses
}

/// A function of this file, or of the only other file of the module that has one of this name.
fn function_lines<'s>(
    files: &[&'s SourceFile],
    at: usize,
    function: &str,
) -> Option<(usize, &'s RangeInclusive<usize>)> {
    let in_file = |at: usize| Some((at, &files[at].facts.function(function)?.lines));
    in_file(at).or_else(|| {
        let mut others = (0..files.len()).filter_map(in_file);
        others.next().filter(|_| others.next().is_none())
    })
}

/// Why a call would be denied this, as far as the source tells what it is.
fn denied(catalog: &Catalog, path: &ToolPath, tool: &Tool, used: &Use) -> Option<Fault> {
    let call = ReadOnlyCall { tool: path, reads: &tool.reads };
    let known = used.first.as_deref();
    let called = called(catalog, used);
    let method = match used.function.as_str() {
        "request" => used.method.clone(),
        function if WRITING.contains(&function) => Some(function.to_ascii_uppercase()),
        _ => None,
    };
    let write = match (used.library.as_str(), used.function.as_str()) {
        ("http", _) => {
            let method = method.as_deref()?;
            // The rest of a URL may only be known when it runs.
            let is_declared = |read: &DeclaredRead| matches!(read, DeclaredRead::Request { method: declared, .. } if declared == method);
            if tool.reads.iter().any(is_declared) {
                return None;
            }
            let url = known.unwrap_or(SOME_URL);
            return refused(&call, &PossibleWrite::Request { method, url });
        }
        ("exec", "run") => {
            let is_command = |read: &DeclaredRead| matches!(read, DeclaredRead::Command(_));
            if known.is_none() && tool.reads.iter().any(is_command) {
                return None;
            }
            PossibleWrite::Command(known.unwrap_or(SOME_COMMAND))
        }
        ("files", "write") => PossibleWrite::File(known.unwrap_or("a file")),
        ("sqlite" | "postgres", "execute" | "transaction") => {
            PossibleWrite::Database(known.unwrap_or("a database"))
        }
        ("ctx", "call") => {
            let called = called.as_ref()?;
            let Lookup::Found(handle) = catalog.lookup(&called.to_string()) else {
                return None;
            };
            if handle.tool().tool.is_read_only() {
                return None;
            }
            PossibleWrite::Tool(called)
        }
        _ => return None,
    };
    refused(&call, &write)
}

fn refused(call: &ReadOnlyCall<'_>, write: &PossibleWrite<'_>) -> Option<Fault> {
    let denied = call.check(write).err()?;
    Some(refusal(&denied.to_string()))
}
