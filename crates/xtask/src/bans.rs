//! Holds the wrappers in `deny.toml` against the rooms in `layers.rs`: two lists, one truth.

use std::collections::{BTreeMap, BTreeSet};

use crate::layers::{ARROWS, ROOMS};

/// Where the text of `deny.toml` and the table of rooms disagree.
pub(crate) fn problems(deny: &str) -> Vec<String> {
    let bans: BTreeMap<_, _> = deny.lines().filter_map(ban).collect();
    let rooms: BTreeMap<_, _> = ROOMS.iter().map(room).collect();
    let crates: BTreeSet<_> = bans.keys().chain(rooms.keys()).collect();
    let disagree = crates.into_iter().filter(|name| bans.get(*name) != rooms.get(*name));
    disagree
        .map(|name| {
            let (ban, room) = (row(bans.get(name)), row(rooms.get(name)));
            format!("users of `{name}`: {ban} in deny.toml, {room} in crates/xtask/src/layers.rs")
        })
        .collect()
}

fn row(users: Option<&Vec<&str>>) -> String {
    users.map_or("no entry".to_owned(), |users| format!("{users:?}"))
}

fn room<'t>((name, users): &(&'t str, &[&'t str])) -> (&'t str, Vec<&'t str>) {
    (name, sorted(users))
}

/// Reads one line such as `{ crate = "clap", wrappers = ["larkspur", "clap_complete"] },` and
/// keeps our own crates among the wrappers: the foreign ones are cargo-deny's business.
fn ban(line: &str) -> Option<(&str, Vec<&str>)> {
    let quoted: Vec<&str> = line.trim().strip_prefix("{ crate = ")?.split('"').collect();
    let mut names = quoted.into_iter().skip(1).step_by(2);
    let banned = names.next()?;
    let ours: Vec<&str> =
        names.filter(|name| ARROWS.iter().any(|(package, _)| package == name)).collect();
    Some((banned, sorted(&ours)))
}

fn sorted<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A `deny.toml` that agrees with the table.
    fn agreeing() -> String {
        let lines = ROOMS
            .iter()
            .map(|(name, rooms)| format!("    {{ crate = \"{name}\", wrappers = {rooms:?} }},\n"));
        lines.collect()
    }

    #[test]
    fn agreement_is_silent_and_foreign_wrappers_are_ignored() {
        let deny = agreeing().replace(r#"["runtime"]"#, r#"["runtime", "some-foreign-crate"]"#);
        assert_eq!(problems(&deny), [""; 0]);
    }

    #[test]
    fn one_user_too_many_is_named() {
        let deny = agreeing().replace(r#"["runtime"]"#, r#"["server", "runtime"]"#);
        let expected = r#"users of `notify`: ["runtime", "server"] in deny.toml, ["runtime"] in crates/xtask/src/layers.rs"#;
        assert_eq!(problems(&deny), [expected]);
    }

    #[test]
    fn a_ban_that_is_missing_or_made_up_is_named() {
        let deny = agreeing().replace("\"notify\"", "\"polite\"");
        let expected = [
            r#"users of `notify`: no entry in deny.toml, ["runtime"] in crates/xtask/src/layers.rs"#,
            r#"users of `polite`: ["runtime"] in deny.toml, no entry in crates/xtask/src/layers.rs"#,
        ];
        assert_eq!(problems(&deny), expected);
    }
}
