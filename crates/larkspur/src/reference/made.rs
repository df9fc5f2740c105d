//! Pages of the book whose words stand in `pages/`, and whose tables follow from the code.

use super::{command_line, keys, metrics};
use crate::exit::CODES;
use crate::variables::VARIABLES;

/// Stands on every page that is made.
const MADE: &str = "<!-- Made from the code by `larkspur doc --book book`. -->\n\n";

/// Each page's file name and text.
pub(crate) fn made() -> [(&'static str, String); 5] {
    let codes = CODES.map(|(code, about)| vec![code.to_string(), about.to_owned()]);
    let variables = VARIABLES.map(|(name, about)| vec![format!("`{name}`"), about.to_owned()]);
    [
        (
            "command-line.md",
            page(
                include_str!("pages/command-line.md"),
                &[
                    ("commands", &command_line::commands()),
                    ("codes", &table(&["code", "says"], &codes)),
                ],
            ),
        ),
        ("manifest.md", page(include_str!("pages/manifest.md"), &[("keys", &keys::manifest())])),
        (
            "configuration.md",
            page(
                include_str!("pages/configuration.md"),
                &[
                    ("keys", &keys::project()),
                    ("variables", &table(&["variable", "what it says"], &variables)),
                ],
            ),
        ),
        (
            "metrics.md",
            page(
                include_str!("pages/metrics.md"),
                &[
                    ("metrics", &metrics::table()),
                    ("limits", &metrics::limits()),
                    ("buckets", &metrics::buckets()),
                ],
            ),
        ),
        ("errors.md", check::PAGE.to_owned()),
    ]
}

/// The words of a page, with what is made in the place of `<!-- NAME -->`.
fn page(words: &str, made: &[(&str, &str)]) -> String {
    let fill = |page: String, (name, text): &(&str, &str)| {
        page.replace(&format!("<!-- {name} -->"), text.trim_end())
    };
    made.iter().fold(format!("{MADE}{words}"), fill)
}

/// In Markdown.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().copied().map(str::to_owned).collect();
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    let escaped = |row: &Vec<String>| -> Vec<String> {
        row.iter().map(|cell| cell.replace('|', "\\|")).collect()
    };
    let rows: Vec<String> = rows.iter().map(|row| line(&escaped(row))).collect();
    line(&head) + &rule + &rows.concat()
}
