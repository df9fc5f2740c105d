//! Places as editors count them: lines from zero, and columns in units of UTF-16.

use model::Place;
use serde_json::{Value, json};

/// Where a place of ours is, in this text.
pub(crate) fn range(text: &str, place: &Place) -> Value {
    let line = text.lines().nth(place.line.saturating_sub(1));
    let line = line.unwrap_or(&place.excerpt);
    let start = place.column.saturating_sub(1);
    let units = |chars: usize| -> usize { line.chars().take(chars).map(char::len_utf16).sum() };
    let row = place.line.saturating_sub(1);
    json!({
        "start": {"line": row, "character": units(start)},
        "end": {"line": row, "character": units(start + place.width)},
    })
}

/// The very beginning, for what has no place.
pub(crate) fn beginning() -> Value {
    let zero = json!({"line": 0, "character": 0});
    json!({"start": zero, "end": zero})
}

/// The line of a position, and the byte in it.
pub(crate) fn locate<'t>(text: &'t str, position: &Value) -> Option<(&'t str, usize)> {
    let number = |key: &str| usize::try_from(position[key].as_u64()?).ok();
    let line = text.split('\n').nth(number("line")?)?;
    let wanted = number("character")?;
    let mut units = 0;
    let found = line.char_indices().find(|(_, c)| {
        let is_there = units >= wanted;
        units += c.len_utf16();
        is_there
    });
    Some((line, found.map_or(line.len(), |(byte, _)| byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_as_editors_do() {
        let text = "a\n𝄞é = x\n";
        let place =
            Place { file: String::new(), line: 2, column: 6, width: 1, excerpt: String::new() };
        let found = range(text, &place);
        assert_eq!(found["start"], json!({"line": 1, "character": 6}));
        assert_eq!(found["end"], json!({"line": 1, "character": 7}));
        let (line, byte) = locate(text, &found["start"]).unwrap();
        assert_eq!(&line[byte..], "x");
        assert_eq!(locate(text, &json!({"line": 1, "character": 99})).unwrap().1, line.len());
        assert_eq!(locate(text, &json!({"line": 9, "character": 0})), None);
    }
}
