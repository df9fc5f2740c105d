//! Scripts that are written without spaces: Chinese, Japanese and Korean.

/// Whether a character belongs to one of them; their punctuation does not.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' // Hangul, letter by letter
        | '\u{3005}'..='\u{3007}' // 々〆〇
        | '\u{3041}'..='\u{30ff}' // kana
        | '\u{3105}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' // Hangul, by syllable
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}' // kana and Hangul of half width
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_told_from_marks() {
        for c in "設計々かカ한中㐂𠮷ｶ".chars() {
            assert!(is_cjk(c), "{c}");
        }
        for c in "、。「！Ａaé1 -ñд".chars() {
            assert!(!is_cjk(c), "{c}");
        }
    }
}
