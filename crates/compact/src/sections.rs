//! Results of a `foreach` one below the other, each after a line with its index.
//!
//! Texts keep their lines instead of having `\n` in quotes, and lists of rows are tables of their own, for
//! which TOON has no form inside a list.

use super::Format;
use super::markdown::is_markdown;
use super::toon::to_toon;
use serde_json::Value;

/// The results as sections, and the notation of what is in them: texts as they are, or all in TOON. None
/// where a reader could not tell the sections apart.
pub(super) fn sections(results: &[Value]) -> Option<(Format, String)> {
    let texts: Option<Vec<String>> =
        results.iter().map(|result| result.as_str().map(str::to_owned)).collect();
    let (format, bodies) = match texts {
        Some(texts) if texts.iter().any(|text| is_markdown(text)) => (Format::Markdown, texts),
        Some(texts) => (Format::Text, texts),
        None if results.iter().any(Value::is_string) => return None,
        None => {
            let bodies = results.iter().map(|result| to_toon(result).ok());
            (Format::Toon, bodies.collect::<Option<_>>()?)
        }
    };
    if bodies.is_empty() || bodies.iter().any(|body| body.split('\n').any(is_index)) {
        return None;
    }
    let sections = bodies.iter().enumerate();
    let sections: Vec<String> = sections.map(|(i, body)| format!("[{i}]\n{body}")).collect();
    Some((format, sections.join("\n")))
}

/// Whether a line could be taken for the index of a section.
fn is_index(line: &str) -> bool {
    let inner = line.trim().strip_prefix('[');
    let inner = inner.and_then(|inner| inner.strip_suffix(']'));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    inner.is_some_and(|inner| !inner.is_empty() && is_number(inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(results: &Value, expected: Option<(Format, &str)>) {
        let got = sections(results.as_array().unwrap());
        let expected = expected.map(|(format, text)| (format, text.to_owned()));
        assert_eq!(got, expected, "{results}");
    }

    #[test]
    fn texts_keep_their_lines() {
        check(
            &json!(["# One\n\n- a\n", "two"]),
            Some((Format::Markdown, "[0]\n# One\n\n- a\n\n[1]\ntwo")),
        );
        check(&json!(["a", ""]), Some((Format::Text, "[0]\na\n[1]\n")));
    }

    #[test]
    fn values_are_in_toon() {
        let rows = json!([{"id": 1}, {"id": 2}]);
        check(
            &json!([rows, [], null]),
            Some((Format::Toon, "[0]\n[2]{id}:\n  1\n  2\n[1]\n[]\n[2]\nnull")),
        );
    }

    #[test]
    fn what_could_be_misread_has_no_sections() {
        check(&json!([]), None);
        check(&json!(["a", 1]), None);
        check(&json!(["a", "see\n[1]\nb"]), None);
        check(&json!(["[12] \r\n"]), None);
        check(&json!(["[1] a"]), Some((Format::Text, "[0]\n[1] a")));
        let large: Value = serde_json::from_str("[[123456789012345678901234567890]]").unwrap();
        check(&large, None);
    }
}
