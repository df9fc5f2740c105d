//! Three services played by stand-ins, and a batch across the modules that ask them: the plan as it runs,
//! what came of it, and what it would have cost to read what the services sent.

mod costs;
mod plan;
mod stage;

use std::io::IsTerminal;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use standins::Standins;

use crate::demo;
use crate::workspace::Workspace;
use costs::Costs;
use stage::Stage;

pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let stay = match args {
        [] => false,
        [word] if word == "stay" => true,
        _ => bail!("`cargo xtask registry-demo`, or `cargo xtask registry-demo stay`"),
    };
    let program = demo::program(workspace)?;
    let folder = workspace.root.join("target/registry-demo");
    let standins = Standins::start().context("no port for the stand-ins")?;
    let stage = Stage::set(&workspace.root, program, &folder, &standins)?;
    // On a terminal the command draws the tasks itself, while they run.
    let is_drawn = std::io::stderr().is_terminal();
    play(&stage, &standins, is_drawn, &mut |line| println!("{line}"))?;
    if stay {
        println!("{}", stage.invitation(&workspace.root));
        std::io::stdin().read_line(&mut String::new())?;
    }
    Ok(())
}

/// Everything the user is shown, piece by piece.
fn play(
    stage: &Stage,
    standins: &Standins,
    is_drawn: bool,
    tell: &mut dyn FnMut(&str),
) -> Result<()> {
    for (module, standin) in standins.by_module() {
        tell(&format!("$ larkspur secret set {module}.token < token"));
        tell(stage.keep(module, standin.token)?.trim_end());
    }
    tell("\nplan.jsonl, a task a line; each starts when those it names have ended:");
    let tasks = plan::read(&stage.plan()?)?;
    tell(&plan::picture(&tasks));

    tell("\nGitHub will turn the first request away, with 429 and `Retry-After: 1`");
    standins.github.turn_away(1);
    tell("\n$ larkspur batch plan.jsonl");
    let answer = stage.batch()?;
    if !is_drawn {
        tell(&plan::ended(&answer));
    }
    for (id, text) in results(&answer)? {
        tell(&format!("\n# {id}\n{text}"));
    }
    tell(&format!("\n{}", Costs::of(standins, &tasks, &answer)));
    Ok(())
}

/// What the model reads, task by task.
fn results(answer: &Value) -> Result<impl Iterator<Item = (&String, &str)>> {
    let failed = answer["errors"].as_object();
    if failed.is_none_or(|failed| !failed.is_empty()) {
        bail!("not all of it went well: {answer:#}");
    }
    let results = answer["results"].as_object().context("no results")?;
    let texts = results.iter();
    Ok(texts.map(|(id, text)| (id, text.as_str().unwrap_or_default())))
}

/// A path as somebody types it who stands at the root.
fn from_root<'p>(root: &Path, path: &'p Path) -> std::path::Display<'p> {
    path.strip_prefix(root).unwrap_or(path).display()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The block of the README that shows the demo.
    fn shown(workspace: &Workspace) -> String {
        let readme = workspace.root.join("examples/registry-demo/README.md");
        let readme = fs::read_to_string(readme).unwrap();
        // What is shown has fences of its own, so the block's are longer.
        let begin = "````console\n$ cargo xtask registry-demo\n";
        let (_, block) = readme.split_once(begin).unwrap();
        block.split_once("\n````\n").unwrap().0.to_owned()
    }

    #[test]
    fn it_shows_what_the_readme_shows() {
        let workspace = Workspace::read().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let standins = Standins::start().unwrap();
        let program = demo::tests::program(&workspace);
        let folder = folder.path().join("demo");
        let stage = Stage::set(&workspace.root, program, &folder, &standins).unwrap();
        let mut told = Vec::new();
        play(&stage, &standins, false, &mut |line| {
            told.push(line.to_owned());
        })
        .unwrap();
        assert_eq!(told.join("\n").trim(), shown(&workspace).trim());
        let given = standins.github.given();
        assert_eq!((given[0].status, given[1].status), (429, 200));
    }
}
