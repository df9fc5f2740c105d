//! No file names a place that exists on one machine only.

use crate::workspace::Source;

/// Top folders under which machines differ; without slashes, so that this file passes too.
const PLACES: [&str; 3] = ["work", "root", "home"];

pub(super) fn problems(sources: &[Source]) -> Vec<String> {
    sources.iter().flat_map(problems_of).collect()
}

fn problems_of(source: &Source) -> Vec<String> {
    let lines = (1..).zip(source.text.lines());
    lines
        .filter_map(|(number, line)| Some((number, place(line)?)))
        .map(|(number, place)| format!("{}:{number}: a path of one machine, {place}", source.path))
        .collect()
}

fn place(line: &str) -> Option<String> {
    let places = PLACES.iter().map(|place| format!("/{place}/"));
    places.into_iter().find(|place| line.match_indices(place).any(|(at, _)| starts(line, at)))
}

/// Whether a path starts here, rather than going on: `a/b/` and `~/b/` are not absolute.
fn starts(line: &str, at: usize) -> bool {
    let before = line[..at].chars().next_back();
    before.is_none_or(|c| !c.is_alphanumeric() && !"_-./~*}])>".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::source;

    #[test]
    fn each_absolute_path_is_named_with_its_line() {
        for place in PLACES {
            let text = format!("fine\nlet path = \"/{place}/main\";\n");
            let expected = format!("a.rs:2: a path of one machine, /{place}/");
            assert_eq!(problems(&[source("a.rs", &text)]), [expected]);
        }
    }

    #[test]
    fn relative_paths_and_addresses_pass() {
        let text = "~/work/notes ./root/a crates/home/b example.com/home/ $HOME/work/";
        assert_eq!(problems(&[source("a.md", text)]), [""; 0]);
    }
}
