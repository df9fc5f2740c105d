//! Holds the tools a manifest promises against those the code declares.

use super::Manifest;
use model::{Fault, did_you_mean};

impl Manifest {
    /// A manifest that names its tools names all of them, and no others.
    pub fn check_tools(&self, declared: &[&str]) -> Result<(), Fault> {
        let Some(tools) = &self.tools else {
            return Ok(());
        };
        let promised: Vec<&str> = tools.iter().map(model::ToolName::as_str).collect();
        if let Some(tool) = promised.iter().find(|tool| !declared.contains(tool)) {
            let others = declared.iter().filter(|tool| !promised.contains(tool));
            return Err(self.missing(tool, others.copied()));
        }
        match declared.iter().find(|tool| !promised.contains(tool)) {
            Some(tool) => Err(self.unnamed(tool)),
            None => Ok(()),
        }
    }

    fn missing<'a>(&self, tool: &str, others: impl Iterator<Item = &'a str>) -> Fault {
        let message = format!(
            "module.toml promises the tool `{tool}`, which {} does not declare",
            self.entry
        );
        let help = match did_you_mean(tool, others) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it, or take it out of `tools`".to_owned(),
        };
        Fault { place: self.place_of_item("tools", tool), ..Fault::new(message).help(help) }
    }

    fn unnamed(&self, tool: &str) -> Fault {
        let message =
            format!("{} declares `{tool}`, which `tools` in module.toml does not name", self.entry);
        let fault = Fault::new(message).help("add it, or leave `tools` out");
        Fault { place: self.place("tools"), ..fault }
    }
}
