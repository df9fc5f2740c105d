//! How the server introduces itself to clients: the project's name, and the `instructions` for models.

use crate::document::{Item, Table};
use crate::{Fault, count_tokens};

/// Clients cut longer instructions, at different places.
const MOST_CHARACTERS: usize = 2_000;
/// What the generated part may cost.
const MOST_TOKENS: usize = 500;
/// The operator's own text leaves the rest to the names of modules.
const MOST_OWN_CHARACTERS: usize = 1_000;
/// It becomes part of tool names in clients.
const LONGEST_NAME: usize = 32;

const META_TOOLS: &str = "Find tools with get_module_schema, all that you need in one query. Run one with \
                          call, several in one request with batch, read-only ones with call_readonly.";
const LISTED_TOOLS: &str = "All tools of these modules are listed. If your client hides them, search \
                            its tools for a module's name.";

/// `name` and `instructions` of `[server]` in `larkspur.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Introduction {
    pub name: Option<String>,
    /// The operator's own text, which the generated one follows.
    pub instructions: Option<String>,
}

/// A module as the instructions show it.
#[derive(Debug, Clone, Copy)]
pub struct ModuleLine<'m> {
    pub name: &'m str,
    /// A few words, or nothing.
    pub about: &'m str,
}

impl Introduction {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        Self {
            name: table.get("name").and_then(|item| read_name(&item)),
            instructions: table.get("instructions").and_then(|item| read_own(&item)),
        }
    }

    /// What a model is told: the operator's own text, the modules it can use, and how their tools are
    /// found and called. Descriptions are left out before names are.
    pub fn instructions(&self, modules: &[ModuleLine<'_>], shows_meta_tools: bool) -> String {
        let own = self.instructions.as_deref().unwrap_or_default().trim();
        let usage = if shows_meta_tools { META_TOOLS } else { LISTED_TOOLS };
        let own_characters = own.chars().count() + 2;
        let fits = |list: &str| {
            let characters = own_characters + list.chars().count() + 1 + usage.chars().count();
            characters <= MOST_CHARACTERS && count_tokens(list) + count_tokens(usage) < MOST_TOKENS
        };
        let all = modules.len();
        let named = greatest(all, |named| fits(&list(modules, 0, named)));
        let described = if named == all {
            greatest(all, |described| fits(&list(modules, described, all)))
        } else {
            0
        };
        let generated = match all {
            0 => "This server has no modules yet.".to_owned(),
            _ => format!("{}\n{usage}", list(modules, described, named)),
        };
        if own.is_empty() { generated } else { format!("{own}\n\n{generated}") }
    }
}

/// The first modules with a description each, those up to `named` by name, and how many more there are.
fn list(modules: &[ModuleLine<'_>], described: usize, named: usize) -> String {
    let line = |module: &ModuleLine<'_>| match module.about {
        "" => format!("\n- {}", module.name),
        about => format!("\n- {}: {about}", module.name),
    };
    let lines: String = modules[..described].iter().map(line).collect();
    let names = modules[described..named].iter().map(|module| module.name);
    let names = names.collect::<Vec<_>>().join(", ");
    let names = match (described, names.as_str()) {
        (_, "") => String::new(),
        (0, _) => format!(" {names}"),
        _ => format!("\n- also {names}"),
    };
    match modules.len() - named {
        0 => format!("Modules:{lines}{names}"),
        more => format!("Modules:{lines}{names} and {more} more"),
    }
}

/// The greatest number up to `most` that fits, if all smaller ones do.
fn greatest(most: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fitting, mut beyond) = (0, most + 1);
    while beyond - fitting > 1 {
        let middle = usize::midpoint(fitting, beyond);
        if fits(middle) {
            fitting = middle;
        } else {
            beyond = middle;
        }
    }
    fitting
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
#[path = "introduction_tests.rs"]
mod tests;
