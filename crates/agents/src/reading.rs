//! Compares the text that a model reads with the text that the server sends.

use anyhow::Result;
use regex::RegexBuilder;
use serde_json::Value;

use crate::case::{Expect, Facts};
use crate::client::Client;
use crate::reference::Sent;

/// Lines of a long result that must arrive: the note and the first rows.
const FIRST_LINES: usize = 4;

/// What the model reads of one result.
#[derive(Debug, PartialEq)]
pub(crate) struct Reading {
    /// Characters read.
    pub(crate) read: usize,
    /// Characters sent, if the client cut them.
    pub(crate) cut_from: Option<usize>,
    pub(crate) problem: Option<String>,
}

/// Judges a result: our whole text and the client's own wrapper, and nothing else.
pub(crate) fn judge(client: &Client, facts: &Facts, sent: &Sent, read: &str) -> Result<Reading> {
    let text = sent.blocks.join(&client.joiner);
    let patterns = &client.reads;
    let whole = match facts.expect {
        Expect::Text | Expect::Long => &patterns.text,
        Expect::Error => &patterns.error,
        Expect::Image => &patterns.image,
    };
    let mut reading =
        Reading { read: read.chars().count(), cut_from: None, problem: faults(facts, sent, &text) };
    if matches(whole, &text, sent.structured.as_ref(), read)? {
        return Ok(reading);
    }
    let cut = patterns.cut.as_ref().filter(|_| facts.expect == Expect::Long);
    if let Some(cut) = cut
        && matches(cut, &text, None, read)?
    {
        reading.cut_from = Some(text.chars().count());
        return Ok(reading);
    }
    let difference =
        || format!("the server sends {}; the model reads {}", quote(&text), quote(read));
    reading.problem.get_or_insert_with(difference);
    Ok(reading)
}

/// What is wrong with the result itself, whatever the client.
fn faults(facts: &Facts, sent: &Sent, text: &str) -> Option<String> {
    if sent.is_error != (facts.expect == Expect::Error) {
        let found = if sent.is_error { "an error" } else { "no error" };
        return Some(format!("the server sends {found}: {}", quote(text)));
    }
    let missing = facts.contains.iter().find(|part| !text.contains(*part));
    if let Some(missing) = missing {
        return Some(format!("{} is not in the server's text: {}", quote(missing), quote(text)));
    }
    let length = text.chars().count();
    let most = facts.most.filter(|most| length > *most)?;
    Some(format!("the server sends {length} characters; at most {most} are expected"))
}

fn matches(pattern: &str, text: &str, structured: Option<&Value>, read: &str) -> Result<bool> {
    let mut forms = vec![text.to_owned()];
    // Some clients show the structured content instead, which must hold the same.
    let same = structured
        .filter(|value| serde_json::from_str(text).is_ok_and(|text: Value| text == **value));
    forms.extend(same.map(Value::to_string));
    let either = |form: &dyn Fn(&str) -> String| {
        let forms: Vec<String> = forms.iter().map(|text| regex::escape(&form(text))).collect();
        format!("(?:{})", forms.join("|"))
    };
    let start: Vec<&str> = text.split_inclusive('\n').take(FIRST_LINES).collect();
    let pattern = pattern
        .replace("{text}", &either(&str::to_owned))
        .replace("{trimmed}", &either(&|text| text.trim_end().to_owned()))
        .replace("{escaped}", &either(&escape))
        .replace("{start}", &regex::escape(&start.concat()));
    let pattern = format!(r"\A(?s:{pattern})\z");
    let pattern = RegexBuilder::new(&pattern).size_limit(100 << 20).build()?;
    Ok(pattern.is_match(read))
}

/// A text as it is inside a JSON string.
fn escape(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A text for a message of one line; of a long one its beginning and its end.
pub(crate) fn quote(text: &str) -> String {
    const EACH: usize = 150;
    let length = text.chars().count();
    if length <= 2 * EACH {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(EACH).collect();
    let end: String = text.chars().skip(length - EACH).collect();
    format!("{start:?} … {end:?} ({length} characters)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use xtask::workspace::Workspace;

    fn client(name: &str) -> Client {
        let clients = Client::read_all(&Workspace::read().unwrap().root).unwrap();
        clients.into_iter().find(|client| client.name == name).unwrap()
    }

    fn sent(blocks: &[&str]) -> Sent {
        Sent {
            blocks: blocks.iter().map(|&block| block.to_owned()).collect(),
            structured: None,
            is_error: false,
        }
    }

    fn problem(name: &str, facts: &Facts, sent: &Sent, read: &str) -> Option<String> {
        judge(&client(name), facts, sent, read).unwrap().problem
    }

    #[test]
    fn our_text_and_the_wrapper_pass_and_nothing_else() {
        let facts = Facts::default();
        let problem = |read: &str| problem("codex", &facts, &sent(&["42 (all)"]), read);
        let wrapper = "Wall time: 0.0123 seconds\nOutput:\n";
        assert_eq!(problem(&format!("{wrapper}42 (all)")), None);
        let expected = r#"the server sends "42 (all)"; the model reads "42 (all)""#;
        assert_eq!(problem("42 (all)").as_deref(), Some(expected));
        assert!(problem(&format!("{wrapper}42 (all) and more")).is_some());
    }

    #[test]
    fn an_error_may_lose_its_last_line_break() {
        let facts = Facts { expect: Expect::Error, ..Facts::default() };
        let sent = Sent { is_error: true, ..sent(&["t: error\n"]) };
        let reminder = "\n\n<system-reminder>\n</system-reminder>";
        let problem = |read: &str| problem("claude", &facts, &sent, &format!("{read}{reminder}"));
        assert_eq!(problem("t: error"), None);
        assert!(problem("t: err").is_some());
    }

    #[test]
    fn structured_content_passes_only_if_it_is_the_text() {
        let facts = Facts::default();
        let mut sent = sent(&["{\n  \"n\": 1\n}"]);
        sent.structured = Some(json!({"n": 1}));
        assert_eq!(problem("opencode", &facts, &sent, r#"{"n":1}"#), None);
        sent.structured = Some(json!({"n": 1, "more": 2}));
        assert!(problem("opencode", &facts, &sent, r#"{"n":1,"more":2}"#).is_some());
    }

    #[test]
    fn a_cut_keeps_the_first_lines() {
        let facts = Facts { expect: Expect::Long, ..Facts::default() };
        let lines: Vec<String> = (1..100).map(|line| format!("{line}\n")).collect();
        let lines = lines.concat();
        let sent = sent(&[&lines]);
        let judge = |read: &str| {
            let read = format!("Wall time: 1 seconds\nOutput:\n{read}");
            judge(&client("codex"), &facts, &sent, &read).unwrap()
        };
        let reading = judge("1\n2\n3\n4\n…99\n");
        assert_eq!((reading.cut_from, reading.problem), (Some(288), None));
        assert!(judge("1\n2\n3\n…99\n").problem.is_some());
    }

    #[test]
    fn facts_of_the_server_are_checked_first() {
        let facts = |text: &str| -> Facts { serde_json::from_str(text).unwrap() };
        for (given, expected) in [
            (r#"{"contains": ["b"]}"#, r#""b" is not in the server's text: "aaa""#),
            (r#"{"most": 2}"#, "the server sends 3 characters; at most 2 are expected"),
            (r#"{"expect": "error"}"#, r#"the server sends no error: "aaa""#),
        ] {
            let found = problem("opencode", &facts(given), &sent(&["aaa"]), "aaa");
            assert_eq!(found.as_deref(), Some(expected));
        }
    }
}
