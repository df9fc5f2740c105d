//! Texts and names as words that can be compared: `listIssues`, `list_issues` and "listing an issue".

use crate::cjk::is_cjk;

/// Words that say nothing about what is looked for. Those that ask for something are not among them.
const FILLERS: [&str; 53] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "did", "do", "does", "for", "from",
    "has", "have", "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or", "our", "out",
    "so", "that", "the", "their", "them", "then", "these", "this", "those", "to", "us", "was",
    "we", "were", "when", "where", "why", "will", "with", "you", "your", "please", "some", "any",
];

/// Words of a query that are searched for.
const MOST_WORDS: usize = 64;

/// The words of a text, in their order. Chinese, Japanese and Korean give each two neighbours of a run,
/// and each character, so that one alone can be found too.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in runs(text) {
        if run.starts_with(is_cjk) {
            let chars: Vec<char> = run.chars().collect();
            words.extend(chars.windows(2).map(|pair| pair.iter().collect()));
            words.extend(chars.iter().map(char::to_string));
        } else {
            let word = run.to_lowercase();
            if !FILLERS.contains(&word.as_str()) {
                words.push(stem(&word));
            }
        }
    }
    words
}

/// The words of a text, and compound words such as `HubSpot` also as one.
pub(super) fn indexed_words(text: &str) -> Vec<String> {
    let mut words = words(text);
    words.extend(compounds(text));
    words
}

/// Words written together whose parts begin with capital letters, each as one word.
fn compounds(text: &str) -> impl Iterator<Item = String> {
    let together = text.split(|c: char| !c.is_alphanumeric());
    let compounds = together.filter(|word| !word.contains(is_cjk) && runs(word).len() > 1);
    compounds.map(|word| stem(&word.to_lowercase()))
}

/// Words of a query: of a run without spaces its pairs alone, since single characters are everywhere. Long
/// queries are cut at [`MOST_WORDS`].
pub(super) fn query_words(text: &str) -> Vec<String> {
    let has_pairs = |run: &str| run.chars().nth(1).is_some();
    let mut found = Vec::new();
    for run in runs(text) {
        let single_too = !run.starts_with(is_cjk) || !has_pairs(run);
        for word in words(run) {
            if (single_too || has_pairs(&word)) && !found.contains(&word) {
                found.push(word);
            }
        }
        if found.len() >= MOST_WORDS {
            return found;
        }
    }
    for word in compounds(text) {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// Letters and digits that belong together: a run ends where `camelCase` begins anew, and where a script
/// without spaces meets another.
fn runs(text: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut cut = |end: usize, next: usize| {
        if end > start {
            runs.push(&text[start..end]);
        }
        start = next;
    };
    for (i, &(at, c)) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            cut(at, at + c.len_utf8());
            continue;
        }
        let Some(&(_, before)) = i.checked_sub(1).and_then(|i| chars.get(i)) else {
            continue;
        };
        let next_is_small = chars.get(i + 1).is_some_and(|(_, next)| next.is_lowercase());
        let hump = c.is_uppercase() && (!before.is_uppercase() || next_is_small);
        if before.is_alphanumeric() && (hump || is_cjk(c) != is_cjk(before)) {
            cut(at, at);
        }
    }
    cut(text.len(), text.len());
    runs
}

/// A word without its English endings: `issues`, `created` and `creating` meet `issue` and `create`.
/// What remains need not be a word, only the same for all of them.
pub(super) fn stem(word: &str) -> String {
    if !word.is_ascii() {
        return word.to_owned();
    }
    let mut stem = word.to_owned();
    let long = |stem: &str, letters: usize| stem.len() >= letters;
    if long(&stem, 5) && stem.ends_with("ies") {
        stem.replace_range(stem.len() - 3.., "y");
    } else if stem.ends_with("sses") {
        stem.truncate(stem.len() - 2);
    } else if long(&stem, 4)
        && stem.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| stem.ends_with(end))
    {
        stem.pop();
    }
    for (ending, letters) in [("ing", 6), ("ed", 5)] {
        if long(&stem, letters) && stem.ends_with(ending) {
            stem.truncate(stem.len() - ending.len());
            undouble(&mut stem);
            break;
        }
    }
    if long(&stem, 4) && stem.ends_with('e') {
        stem.pop();
    }
    if long(&stem, 7) && stem.ends_with("er") {
        stem.truncate(stem.len() - 2);
        undouble(&mut stem);
    }
    stem
}

/// `commit` made `committed`; but `call` and `pass` are doubled themselves.
fn undouble(stem: &mut String) {
    let mut ends = stem.bytes().rev();
    let (last, before) = (ends.next(), ends.next());
    if stem.len() > 3 && last == before && !matches!(last, Some(b'l' | b's' | b'z')) {
        stem.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_are_taken_apart() {
        for (text, expected) in [
            ("list_issues", "list issu"),
            ("API-post-search", "api post search"),
            ("listIssues", "list issu"),
            ("getHTTPServer", "get http server"),
            ("context7", "context7"),
            ("List the issues, newest first.", "list issu newest first"),
            ("étés über", "étés über"),
            ("", ""),
            ("the of a", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn texts_without_spaces_are_pairs() {
        for (text, indexed, asked) in [
            ("設計書", "設計 計書 設 計 書", "設計 計書"),
            ("書", "書", "書"),
            ("API仕様", "api 仕様 仕 様", "api 仕様"),
            ("ページ、検索", "ペー ージ ペ ー ジ 検索 検 索", "ペー ージ 検索"),
            ("검색 search", "검색 검 색 search", "검색 search"),
        ] {
            assert_eq!(words(text).join(" "), indexed, "{text}");
            assert_eq!(query_words(text).join(" "), asked, "{text}");
        }
    }

    #[test]
    fn endings_do_not_count() {
        for (one, other) in [
            ("issues", "issue"),
            ("queries", "query"),
            ("created", "create"),
            ("creating", "creates"),
            ("committed", "commit"),
            ("running", "runs"),
            ("addresses", "address"),
            ("reviewers", "review"),
            ("calling", "call"),
            ("pages", "page"),
        ] {
            assert_eq!(stem(one), stem(other));
        }
        for (one, other) in [("status", "stat"), ("user", "use")] {
            assert_ne!(stem(one), stem(other));
        }
    }

    #[test]
    fn compounds_are_also_one_word() {
        for (text, expected) in [
            ("HubSpot deals", "hub spot deal hubspot"),
            ("getHTTPServer", "get http server gethttpserv"),
            ("list_issues", "list issu"),
            ("NotionのAPI", "notion の api"),
        ] {
            assert_eq!(indexed_words(text).join(" "), expected, "{text}");
        }
        assert_eq!(query_words("HubSpot").join(" "), "hub spot hubspot");
    }

    #[test]
    fn long_queries_are_cut() {
        let many: Vec<String> = (0..100_000).map(|i| format!("w{i}")).collect();
        assert_eq!(query_words(&many.join(" ")).len(), MOST_WORDS);
    }

    #[test]
    fn a_word_is_asked_for_once() {
        assert_eq!(query_words("page of pages").join(" "), "pag");
    }
}
