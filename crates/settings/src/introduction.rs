//! `name` and `instructions` of `[server]`: what clients are told of the project.

use crate::document::{Item, Table};
use model::Fault;

/// The operator's own text leaves the rest to the names of modules.
const MOST_OWN_CHARACTERS: usize = 1_000;
/// It becomes part of tool names in clients.
const LONGEST_NAME: usize = 32;

/// `name` and `instructions` of `[server]` in `larkspur.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Introduction {
    pub name: Option<String>,
    /// The operator's own text, which the generated one follows.
    pub instructions: Option<String>,
}

impl Introduction {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        Self {
            name: table.get("name").and_then(|item| read_name(&item)),
            instructions: table.get("instructions").and_then(|item| read_own(&item)),
        }
    }
}

fn read_name(item: &Item<'_>) -> Option<String> {
    let name = item.text()?;
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if name.len() <= LONGEST_NAME && name.bytes().all(is_plain) {
        return Some(name.to_owned());
    }
    let fault = Fault::new(format!("`{name}` cannot be the name of a project"));
    item.report(fault.help(format!(
        "write up to {LONGEST_NAME} letters, digits, `_` and `-`: `name = \"shop\"`"
    )));
    None
}

fn read_own(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    let characters = text.chars().count();
    if characters <= MOST_OWN_CHARACTERS {
        return Some(text.to_owned());
    }
    let fault = Fault::new(format!("`instructions` has {characters} characters"));
    item.report(fault.help(format!(
        "write at most {MOST_OWN_CHARACTERS}: clients cut longer texts, and the names of the modules \
         follow"
    )));
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Project;

    #[test]
    fn the_settings_are_checked() {
        let read = |text: &str| {
            let project = Project::parse("larkspur.toml", &format!("[server]\n{text}\n"));
            project.map(|project| project.introduction).map_err(|fault| fault.to_string())
        };
        let introduction =
            Introduction { name: Some("shop-2".into()), instructions: Some("Be kind.".into()) };
        let whole = "name = 'shop-2'\ninstructions = 'Be kind.'";
        assert_eq!(read(whole), Ok(introduction));
        let wrong = read("name = 'my shop'").unwrap_err();
        assert!(wrong.contains("`my shop` cannot be the name of a project"), "{wrong}");
        let long = format!("instructions = '{}'", "x".repeat(1_001));
        let wrong = read(&long).unwrap_err();
        assert!(wrong.contains("`instructions` has 1001 characters"), "{wrong}");
    }
}
