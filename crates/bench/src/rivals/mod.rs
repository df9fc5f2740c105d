//! README's comparison table: the same tool in a server written with each SDK, measured in turns.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::call::{Call, Pace};
use super::client::Client;
use super::compare::median;
use super::contender::{Contender, Contenders};
use super::era::Era;
use super::figure::{Amount, Unit};
use super::machine;
use super::modules::Modules;
use super::subjects::start;
use xtask::module_tokens::filled;
use xtask::tools;
use xtask::workspace::Workspace;

const PYTHON: &str = include_str!("hello.py");
const TYPESCRIPT: &str = include_str!("hello.mjs");
/// Where the table stands in the README.
const MARK: &str = "<!-- measured: ";
/// Slower servers than ours take their time: this is enough to tell them apart.
const ROUNDS: u32 = 7;
const CALLS: u32 = 2_000;

struct Rival {
    name: String,
    contender: Contender,
    starts: Vec<f64>,
    cpu: Vec<f64>,
    rates: Vec<f64>,
    memory: f64,
}

pub(super) fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let modules = Modules::many(0)?;
    modules.write("hello", &super::modules::hello("hello"))?;
    let mut rivals = rivals(workspace)?;
    for round in 0..=ROUNDS {
        for rival in &mut rivals {
            eprintln!("{} …", rival.name);
            // The first turn finds files that nobody has read yet.
            rival.measure(modules.path(), round > 0)?;
        }
    }
    let table = format!("{}\nMeasured on {}.", markdown(&rivals), machine::describe());
    println!("{table}");
    if !write {
        return Ok(());
    }
    let readme = workspace.root.join("README.md");
    let text = fs::read_to_string(&readme)?;
    let fresh = filled(&text, MARK, |_| Ok(table.clone()))?;
    Ok(fs::write(readme, fresh)?)
}

fn rivals(workspace: &Workspace) -> Result<Vec<Rival>> {
    tools::install(workspace)?;
    let Contenders { larkspur, minimal } = Contenders::build(workspace)?;
    let (python, node) = (tools::python(workspace), tools::node(workspace));
    let folder = tools::folder(workspace);
    // Packages are looked for from where the file lies.
    let (py, js) = (folder.join("py/rival.py"), folder.join("js/rival.mjs"));
    fs::write(&py, PYTHON)?;
    fs::write(&js, TYPESCRIPT)?;
    let named = |name: &str, contender| Rival::new(name.to_owned(), contender);
    Ok(vec![
        named("Larkspur", larkspur),
        Rival::new(
            format!("Python ({})", tools::PYTHON_SDK.replace("==", " ")),
            Contender::with(python, vec![py.into()]),
        ),
        Rival::new(
            format!(
                "TypeScript ({})",
                tools::TYPESCRIPT_SDK.trim_start_matches('@').replace('@', " ")
            ),
            Contender::with(node, vec![js.into()]),
        ),
        named("Rust (rmcp)", minimal),
    ])
}

impl Rival {
    fn new(name: String, contender: Contender) -> Self {
        Self {
            name,
            contender,
            starts: Vec::new(),
            cpu: Vec::new(),
            rates: Vec::new(),
            memory: 0.0,
        }
    }

    fn measure(&mut self, modules: &Path, counts: bool) -> Result<()> {
        let started = start(&self.contender, modules)?.list;
        let mut client = Client::connect(&self.contender, modules, Era::Legacy)?;
        let listed = client.tools()?;
        ensure!(
            listed.iter().any(|tool| tool["name"] == "hello"),
            "{} does not list the tool",
            self.name
        );
        let call = Call::hello(Era::Legacy);
        call.repeat(&mut client, Pace::Sequential, CALLS / 4)?;
        let alone = call.weigh(&mut client, Pace::Sequential, CALLS)?;
        let many = call.weigh(&mut client, Pace::Pipelined, CALLS)?;
        if counts {
            self.starts.push(started);
            self.cpu.push(alone.cpu_micros());
            self.rates.push(many.per_second());
            self.memory = client.rss()?;
        }
        Ok(())
    }
}

fn markdown(rivals: &[Rival]) -> String {
    let row = |what: &str, cell: &dyn Fn(&Rival) -> String| {
        let cells: Vec<String> = rivals.iter().map(cell).collect();
        format!("| {what} | {} |\n", cells.join(" | "))
    };
    let rule = "---|".repeat(rivals.len() + 1);
    [
        row("", &|rival| rival.name.clone()),
        format!("|{rule}\n"),
        row("start to `tools/list`", &|rival| {
            Amount(median(rival.starts.clone()), Unit::Millis).to_string()
        }),
        row("memory after 4,500 calls", &|rival| Amount(rival.memory, Unit::Megabytes).to_string()),
        row("CPU per call, one at a time", &|rival| {
            Amount(median(rival.cpu.clone()), Unit::Micros).to_string()
        }),
        row("calls per second, 64 in flight", &|rival| {
            format!("{:.0}", median(rival.rates.clone()))
        }),
    ]
    .concat()
}
