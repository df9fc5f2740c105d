//! Tools of different modules that a model takes for each other, where it reads them in one list.

use crate::inspection::Inspection;
use crate::{Finding, tools};
use model::{Fault, ModuleName};
use runtime::Surveyed;
use settings::{Server, Surface};

pub(super) fn check(inspection: &Inspection<'_>, findings: &mut Vec<Finding>) {
    let rules = &inspection.catalog.rules;
    let all: Vec<(&ModuleName, &Surveyed, &str, String)> = inspection
        .modules()
        .flat_map(|(name, module)| {
            let tools = module.script.iter().flat_map(|script| &script.tools);
            tools.map(move |tool| {
                let tool = tool.tool.name.as_str();
                let listed = rules.listed_name(name, module.manifest.as_deref(), tool);
                (name, module, tool, listed)
            })
        })
        .collect();
    let prices = inspection.modules().flat_map(|(_, module)| {
        let tools = module.script.iter().flat_map(|script| &script.tools);
        tools.map(|tool| tools::price(&tool.tool))
    });
    if !is_flat(&rules.server, prices.sum()) {
        return;
    }
    for (place, (name, module, tool, listed)) in all.iter().enumerate() {
        let before = all[..place].iter();
        let mut alike = before.filter(|(other, .., near)| other != name && is_alike(listed, near));
        let Some((other, _, near, _)) = alike.next() else {
            continue;
        };
        let (file, place) = tools::place(inspection, module, tool);
        let fault = Fault::new(format!("`{name}.{tool}` is easily taken for `{other}.{near}`"))
            .code("W0605")
            .help("rename one of them so that its name says what is different");
        findings.push(Finding::new(&file, Fault { place, ..fault }));
    }
}

/// Are the tools of all modules shown in one list? Else a model reads the module's name first.
fn is_flat(server: &Server, tokens: usize) -> bool {
    match server.surface {
        Surface::Flat => true,
        Surface::Modules => false,
        Surface::Auto => tokens < server.surface_tokens,
    }
}

/// Not the same, and nearly so: `list_issue` and `list_issues`, `listIssues`, `list_isues`.
fn is_alike(one: &str, other: &str) -> bool {
    let verb = |name: &str| name.split(['_', '-', '.']).next().map(str::len);
    let differs = |at: Option<usize>| at.is_none_or(|end| one.get(..end) != other.get(..end));
    // Another verb is another thing, however near its letters are.
    if one == other || (one.contains('_') && other.contains('_') && differs(verb(one))) {
        return false;
    }
    let plain = |name: &str| -> String {
        let name = name.to_ascii_lowercase().replace(['_', '-', '.'], "");
        name.trim_end_matches('s').to_owned()
    };
    let (one, other) = (plain(one), plain(other));
    let near = one.len().min(other.len()) >= 6 && one.len().abs_diff(other.len()) <= 1;
    one == other || (near && is_one_off(&one, &other))
}

/// One letter more, less or other.
fn is_one_off(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let begin = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let ends = one[begin..].iter().rev().zip(other[begin..].iter().rev());
    let end = ends.take_while(|(a, b)| a == b).count();
    one.len().max(other.len()) - begin - end <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_alike_when_a_letter_tells_them_apart() {
        for (one, other, expected) in [
            ("list_issues", "list_issues", false),
            ("list_issues", "list_issue", true),
            ("list_issues", "listIssues", true),
            ("list_issues", "list_isues", true),
            ("get", "set", false),
            ("get_user", "set_user", false),
            ("search", "fetch", false),
            ("create_page", "delete_page", false),
        ] {
            assert_eq!(is_alike(one, other), expected, "{one} {other}");
        }
    }
}
