//! "Did you mean": the nearest of the names there are.

/// The closest candidate, if it is close enough to be a slip of the keys.
pub fn did_you_mean<'a>(given: &str, there: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    there
        .into_iter()
        .map(|name| (distance(&given, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count().max(given.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// All candidates, nearest first; equally near ones keep their order.
pub fn nearest<'a>(given: &str, there: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let given = given.to_lowercase();
    let mut names: Vec<&str> = there.into_iter().collect();
    names.sort_by_cached_key(|name| distance(&given, name));
    names
}

fn distance(given: &str, name: &str) -> usize {
    strsim::damerau_levenshtein(given, &name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let there = ["open", "closed", "all"];
        assert_eq!(did_you_mean("opne", there), Some("open"));
        assert_eq!(did_you_mean("CLOSED", there), Some("closed"));
        assert_eq!(did_you_mean("zebra", there), None);
        assert_eq!(did_you_mean("x", []), None);
    }

    #[test]
    fn nearest_come_first() {
        assert_eq!(
            nearest("helo", ["shout", "hello", "help"]),
            ["hello", "help", "shout"]
        );
    }
}
