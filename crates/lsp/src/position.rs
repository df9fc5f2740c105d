//! Places as editors count them: lines from zero, and columns in units of UTF-16.

use lsp_types::{Position, Range};
use model::Place;

/// The range of a place.
pub(crate) fn range(place: &Place) -> Range {
    let (row, start) = (place.line.saturating_sub(1), place.column.saturating_sub(1));
    // A long excerpt is cut; what follows counts one unit each.
    let mut units = place.excerpt.chars().map(char::len_utf16).chain(std::iter::repeat(1));
    let begin: usize = units.by_ref().take(start).sum();
    let length: usize = units.take(place.width).sum();
    Range { start: position(row, begin), end: position(row, begin + length) }
}

fn position(line: usize, character: usize) -> Position {
    let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
    Position::new(number(line), number(character))
}

/// The line of a position, and the byte in it.
pub(crate) fn locate(text: &str, position: Position) -> Option<(&str, usize)> {
    let line = text.split('\n').nth(position.line as usize)?;
    let mut units = 0;
    let found = line.char_indices().find(|(_, c)| {
        let is_there = units >= position.character as usize;
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
        let excerpt = "𝄞é = x".to_owned();
        let place = Place { file: String::new(), line: 2, column: 6, width: 1, excerpt };
        let found = range(&place);
        assert_eq!(found, Range::new(Position::new(1, 6), Position::new(1, 7)));
        let (line, byte) = locate(text, found.start).unwrap();
        assert_eq!(&line[byte..], "x");
        assert_eq!(locate(text, Position::new(1, 99)).unwrap().1, line.len());
        assert_eq!(locate(text, Position::new(9, 0)), None);
    }
}
