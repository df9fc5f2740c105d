//! Folders with a manifest, and what their hooks say on stderr.

use crate::fixture::Server;
use crate::room::Ran;
use crate::wire::PATIENCE;
use serde_json::Value;
use std::time::{Duration, Instant};

/// A manifest of this name; `more` is added to it.
pub(crate) fn manifest(name: &str, more: &str) -> String {
    format!("name = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"a test's\"\n{more}\n")
}

/// `depends_on`, from names with blanks between them.
pub(crate) fn needs(names: &str) -> String {
    let names: Vec<&str> = names.split_whitespace().collect();
    format!("depends_on = {names:?}")
}

/// A module that says when it starts and stops, and has one tool, `NAME_tool`.
pub(crate) fn living(name: &str) -> String {
    format!(
        "def start(deps, config):\n    log.info(\"start\")\n    return \"{name}\"\n\
         def stop(instance):\n    log.info(\"stop\")\n\
         {}",
        answering(&format!("{}_tool", name.replace('-', "_")), "ctx.instance")
    )
}

/// A tool that answers with an expression, which may use `ctx`.
pub(crate) fn answering(tool: &str, expression: &str) -> String {
    format!("def {tool}(ctx):\n    return {expression}\ntool({tool})\n")
}

/// The state of every module that has a name: `a running`.
pub(crate) fn states(status: &Value) -> Vec<String> {
    let modules = status["modules"].as_array().unwrap();
    let named = modules.iter().filter(|module| module["name"].is_string());
    let state = |module: &Value| format!("{} {}", module["name"], module["state"]);
    let mut states: Vec<String> = named.map(|m| state(m).replace('"', "")).collect();
    states.sort();
    states
}

/// One module of a status.
#[track_caller]
pub(crate) fn module<'a>(status: &'a Value, name: &str) -> &'a Value {
    let mut modules = status["modules"].as_array().unwrap().iter();
    let found = modules.find(|module| module["name"] == name);
    found.unwrap_or_else(|| panic!("no module {name}: {status:#}"))
}

impl Server {
    /// A folder with this manifest, and this as `main.star`.
    pub(crate) fn folder_module(&mut self, name: &str, manifest: &str, main: &str) -> &mut Self {
        self.file(&format!("{name}/module.toml"), manifest).file(&format!("{name}/main.star"), main)
    }

    /// A living module that needs these others.
    pub(crate) fn living(&mut self, name: &str, dependencies: &str) -> &mut Self {
        let manifest = manifest(name, &needs(dependencies));
        self.folder_module(name, &manifest, &living(name))
    }

    pub(crate) fn main(&mut self, name: &str, source: &str) -> &mut Self {
        self.file(&format!("{name}/main.star"), source)
    }

    pub(crate) fn project(&mut self, text: &str) -> &mut Self {
        self.room.project(text);
        self
    }

    /// What modules have logged so far: `a: start`.
    pub(crate) fn log(&mut self) -> Vec<String> {
        let stderr = self.wire().stderr();
        let lines = stderr.lines().filter_map(|line| {
            let line = line.trim_start().strip_prefix("INFO ")?;
            Some(line.to_owned())
        });
        lines.collect()
    }

    /// Waits until exactly this has been logged.
    #[track_caller]
    pub(crate) fn logged(&mut self, expected: &[&str]) -> &mut Self {
        let log = self.log_of(expected.len());
        assert_eq!(log, expected, "{}", self.wire().stderr());
        self
    }

    /// What has been logged once there are so many lines, or none more come.
    pub(crate) fn log_of(&mut self, lines: usize) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        while self.log().len() < lines && Instant::now() < deadline {
            self.wire().pump(Instant::now() + Duration::from_millis(5));
        }
        self.log()
    }

    /// Waits until the states are these: `a running, b stale`.
    #[track_caller]
    pub(crate) fn stands(&mut self, expected: &str) -> &mut Self {
        let wanted: Vec<&str> = expected.split(", ").collect();
        self.status_until(expected, |status| states(status) == wanted);
        self
    }

    /// Runs an order against this server, from another terminal.
    pub(crate) fn order(&mut self, words: &str) -> Ran {
        self.up();
        let words: Vec<&str> = words.split_whitespace().collect();
        self.room.run(&words)
    }

    /// The client leaves; what modules logged until the end.
    #[track_caller]
    pub(crate) fn log_to_the_end(&mut self) -> Vec<String> {
        self.leave_within(PATIENCE);
        self.log()
    }

    #[track_caller]
    pub(crate) fn module_status(&mut self, name: &str) -> Value {
        module(&self.status(), name).clone()
    }
}
