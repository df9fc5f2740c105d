//! The `instructions` for models: which modules there are, and how their tools are found and called.

use compact::count_tokens;

/// Clients cut longer instructions, at different places.
const MOST_CHARACTERS: usize = 2_000;
/// What the generated part may cost.
const MOST_TOKENS: usize = 500;

const META_TOOLS: &str = "Find tools with get_module_schema, all that you need in one query. Run one with \
                          call, several in one request with batch, read-only ones with call_readonly.";
const LISTED_TOOLS: &str = "All tools of these modules are listed. If your client hides them, search \
                            its tools for a module's name.";

/// A module as the instructions show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModuleLine<'m> {
    pub(super) name: &'m str,
    /// A few words, or nothing.
    pub(super) about: &'m str,
}

/// What a model is told: the operator's own text, the modules it can use, and how their tools are
/// found and called. Descriptions are left out before names are.
pub(super) fn instructions(
    own: Option<&str>,
    modules: &[ModuleLine<'_>],
    shows_meta_tools: bool,
) -> String {
    let own = own.unwrap_or_default().trim();
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

#[cfg(test)]
#[path = "instructions_tests.rs"]
mod tests;
