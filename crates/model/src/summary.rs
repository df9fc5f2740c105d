//! First statement of a description, without headings, emoji and boilerplate.

/// Sections about how to use a tool; their lines are taken only if there are no others.
const BOILERPLATE: [&str; 22] = [
    "args",
    "arguments",
    "best practices",
    "caution",
    "example",
    "examples",
    "guardrails",
    "important",
    "input",
    "instructions",
    "note",
    "notes",
    "output",
    "parameters",
    "prerequisites",
    "requirements",
    "returns",
    "security",
    "tips",
    "usage",
    "usage guidance",
    "warning",
];

/// Labels before the statement itself.
const LABELS: [&str; 6] =
    ["description", "overview", "purpose", "summary", "what it does", "about"];

/// Words whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 5] = ["e.g", "i.e", "etc", "vs", "incl"];

/// Returns the first sentence without its full stop, cut at a word if it is longer than `longest` characters.
pub fn summarize(text: &str, longest: usize) -> String {
    let sentence = first_sentence(text);
    let sentence = sentence.trim_end_matches(['.', '。']);
    if sentence.chars().count() <= longest {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(longest.saturating_sub(1)).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", cut.trim_end_matches([',', ';', ':']))
}

/// Returns the first sentence that says something.
pub fn first_sentence(text: &str) -> &str {
    let line = first_statement(text);
    let ends = line.match_indices(['.', '!', '?', '。']);
    let end = ends.map(|(at, mark)| (at, at + mark.len())).find(|(at, end)| {
        let before = &line[..*at];
        let is_abbreviation = ABBREVIATIONS.iter().any(|word| before.ends_with(word));
        line[*at..].starts_with('。')
            || (!is_abbreviation && (line[*end..].is_empty() || line[*end..].starts_with(' ')))
    });
    &line[..end.map_or(line.len(), |(_, end)| end)]
}

/// Returns the first line of content: one under a label such as `Purpose:`, or one under no label.
fn first_statement(text: &str) -> &str {
    let (mut is_boilerplate, mut other) = (false, None);
    for line in text.lines() {
        let content = without_marks(line);
        if content.is_empty() {
            continue;
        }
        let statement = match label(content) {
            Some((label, rest)) => {
                is_boilerplate = is_among(&BOILERPLATE, label);
                rest
            }
            None if line.trim_start().starts_with('#') => {
                is_boilerplate = is_among(&BOILERPLATE, content);
                ""
            }
            None => content,
        };
        if !statement.is_empty() && !is_boilerplate {
            return statement;
        }
        other.get_or_insert(if statement.is_empty() { content } else { statement });
    }
    other.unwrap_or_default()
}

/// Splits `Purpose: text`, and a line that ends in a colon.
fn label(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.split_once(':')?;
    let rest = without_marks(rest);
    let is_known = is_among(&BOILERPLATE, label) || is_among(&LABELS, label);
    let is_heading = rest.is_empty() && !label.contains('.') && label.split(' ').count() <= 4;
    (is_known || is_heading).then_some((label, rest))
}

fn is_among(labels: &[&str], label: &str) -> bool {
    let label = label.trim_matches(|c: char| !c.is_alphanumeric());
    labels.iter().any(|one| one.eq_ignore_ascii_case(label))
}

/// Strips emoji, marks of Markdown and the numbers of a list from the beginning of a line.
fn without_marks(line: &str) -> &str {
    let is_mark = |c: char| {
        c.is_whitespace()
            || "#*->•_".contains(c)
            || !(c.is_ascii() || c.is_alphanumeric() || is_bracket(c))
    };
    let line = line.trim_start_matches(is_mark);
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = after.strip_prefix(". ").or_else(|| after.strip_prefix(") "));
    after.unwrap_or(line).trim().trim_end_matches('*')
}

/// Brackets and quotation marks of East Asian texts, which begin content.
fn is_bracket(c: char) -> bool {
    "「『【（《“‘".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_a_sentence_or_the_beginning_of_one() {
        for (text, expected) in [
            ("", ""),
            ("List issues, newest first.", "List issues, newest first"),
            ("Search. Then more.", "Search"),
            ("Since v1.2 it is fast\nmore", "Since v1.2 it is fast"),
            ("\n  Indented.\n", "Indented"),
            ("一覧を返す。詳しくは", "一覧を返す"),
            ("one two three four five six seven", "one two three four five…"),
            ("onetwothreefourfivesixseveneight", "onetwothreefourfivesixsev…"),
            ("Files (e.g. text). More", "Files (e.g. text)"),
        ] {
            assert_eq!(summarize(text, 26), expected, "{text}");
        }
    }

    #[test]
    fn headings_labels_and_boilerplate_are_skipped() {
        for (text, expected) in [
            ("🎯 Purpose:\n  1. Creates a deal.", "Creates a deal."),
            (
                "🛡️ Guardrails:\n  1. Ask first.\n\n🎯 Purpose:\n  - Reads a deal. And more.",
                "Reads a deal.",
            ),
            ("**Purpose:** Sends mail.", "Sends mail."),
            ("Purpose: sends mail", "sends mail"),
            ("# Search\n\nFinds pages.", "Finds pages."),
            ("## Prerequisites\nA token.\n## What it does\nFinds pages.", "Finds pages."),
            ("Guardrails:\n  Ask first.", "Guardrails:"),
            ("# Search", "Search"),
            ("Fetch a page. Args:\n  url: where", "Fetch a page."),
            ("See https://example.org: it lists pages", "See https://example.org: it lists pages"),
            ("【検索】ページを探す。", "【検索】ページを探す。"),
            ("🎯", ""),
        ] {
            assert_eq!(first_sentence(text), expected, "{text}");
        }
    }
}
