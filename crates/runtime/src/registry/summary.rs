//! What a description says first.

/// The first sentence without its full stop, cut at a word where it is longer than this.
pub(super) fn short(text: &str, longest: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    let end = line.find(". ").or_else(|| line.find('。'));
    let sentence = line[..end.unwrap_or(line.len())].trim_end_matches('.');
    if sentence.chars().count() <= longest {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(longest - 1).collect();
    let cut = cut
        .rsplit_once(' ')
        .map_or(cut.as_str(), |(whole, _)| whole);
    format!("{}…", cut.trim_end_matches([',', ';', ':']))
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
            (
                "one two three four five six seven",
                "one two three four five…",
            ),
            (
                "onetwothreefourfivesixseveneight",
                "onetwothreefourfivesixsev…",
            ),
        ] {
            assert_eq!(short(text, 26), expected, "{text}");
        }
    }
}
