//! Names similar to one that does not exist.

/// Names that an error suggests at most.
const MOST: usize = 3;

/// Returns the most similar name, if it differs by a typing error only.
pub fn did_you_mean<'a>(given: &str, there: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    there
        .into_iter()
        .filter_map(|name| Some((slips(&given, name)?, name)))
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, name)| name)
}

/// Returns up to three similar names, the most similar first: those that differ by a typing error, then
/// those that contain all words of the given name, or only words of it.
pub fn near_names<'a>(given: &str, there: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let rank = |name: &str| match slips(&given, name) {
        Some(slips) => Some((0, slips)),
        None => shares_words(&given, &name.to_lowercase()).then(|| (1, distance(&given, name))),
    };
    let there = there.into_iter();
    let mut near: Vec<_> = there.filter_map(|name| Some((rank(name)?, name))).collect();
    near.sort_by_key(|(rank, _)| *rank);
    // Beside a name with one typing error, one with three is no candidate.
    let fewest = near.first().map_or(0, |((_, slips), _)| *slips);
    near.retain(|((kind, slips), _)| *kind == 1 || *slips <= fewest + 1);
    near.into_iter().take(MOST).map(|(_, name)| name).collect()
}

/// Returns all names, the most similar first; equally similar ones keep their order.
pub fn nearest<'a>(given: &str, there: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let mut names: Vec<&str> = there.into_iter().collect();
    names.sort_by_cached_key(|name| distance(&given, name));
    names
}

/// Counts the typing errors between two names, if they are few: one in three characters.
fn slips(given: &str, name: &str) -> Option<usize> {
    let longer = given.chars().count().max(name.chars().count());
    Some(distance(given, name)).filter(|slips| *slips <= longer / 3)
}

fn shares_words(given: &str, name: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.len() > 2).map(str::to_owned).collect()
    };
    let (given, name) = (words(given), words(name));
    let has_all = |all: &[String], some: &[String]| {
        !some.is_empty() && some.iter().all(|word| all.contains(word))
    };
    has_all(&name, &given) || has_all(&given, &name)
}

fn distance(given: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(given, &name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_found_and_other_names_are_not() {
        let there = ["open", "closed", "all", "id", "a"];
        assert_eq!(did_you_mean("opne", there), Some("open"));
        assert_eq!(did_you_mean("CLOSED", there), Some("closed"));
        for given in ["zebra", "if", "c", "x", "nope", "ad"] {
            assert_eq!(did_you_mean(given, there), None, "{given}");
        }
        assert_eq!(did_you_mean("x", []), None);
    }

    #[test]
    fn three_similar_names_at_most() {
        let there = [
            "add",
            "list_issues",
            "list_issue_events",
            "search",
            "search_code",
            "search_issues",
            "search_repos",
            "search_users",
            "lib://today",
            "lib://gone",
        ];
        for (given, expected) in [
            ("nope", &[][..]),
            ("list_isues", &["list_issues"]),
            ("searhc", &["search"]),
            ("lib://tody", &["lib://today"]),
            ("search", &["search", "search_code", "search_repos"]),
            ("issues", &["list_issues", "search_issues"]),
            ("search_all_code_now", &["search_code", "search"]),
        ] {
            assert_eq!(near_names(given, there), expected, "{given}");
        }
    }

    #[test]
    fn nearest_come_first() {
        assert_eq!(nearest("helo", ["shout", "hello", "help"]), ["hello", "help", "shout"]);
    }
}
