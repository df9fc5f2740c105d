//! The names in a manifest: its own in kebab-case, those in its lists once each.

use crate::document::Item;
use model::kebab_name;
use model::{Fault, ModuleName};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

pub(super) fn own(item: &Item<'_>) -> Option<ModuleName> {
    let name = kebab_name(item.text()?);
    name.map_err(|fault| item.report(fault)).ok()
}

/// It leaves room for the name of a tool.
const LONGEST_PREFIX: usize = 32;

/// What the listed names of a module's tools begin with.
pub(crate) fn read_prefix(item: &Item<'_>) -> Option<String> {
    let text = item.string()?;
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if text.len() > LONGEST_PREFIX || !text.bytes().all(is_plain) {
        let fault = Fault::new(format!("`{text}` cannot begin the name of a tool"));
        item.report(fault.help(format!(
            "write up to {LONGEST_PREFIX} letters, digits, `_` and `-`: `prefix = \"gh_\"`"
        )));
        return None;
    }
    Some(text.to_owned())
}

/// A name, and where it stands.
pub(super) type Named<'d, T> = (T, Item<'d>);

/// The names of a list; one that comes twice is a slip, most likely of the clipboard.
pub(super) fn distinct<'d, T>(items: &[Item<'d>]) -> Vec<Named<'d, T>>
where
    T: FromStr<Err: Display> + Ord + Clone + Display,
{
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for item in items {
        let Some(name) = item.parse::<T>() else {
            continue;
        };
        if seen.insert(name.clone()) {
            names.push((name, item.clone()));
        } else {
            let list = item.name().split('[').next().unwrap_or_default();
            item.complain(format!("`{list}` names `{name}` twice"));
        }
    }
    names
}

/// A dependency cannot be both needed and done without.
pub(super) fn check_apart(required: &[Named<'_, ModuleName>], optional: &[Named<'_, ModuleName>]) {
    for (name, item) in optional {
        if required.iter().any(|(other, _)| other == name) {
            let message = format!("`{name}` is in both `depends_on` and `optional_deps`");
            item.report(Fault::new(message).help("keep it in one of them"));
        }
    }
}

pub(super) fn all<T>(names: Vec<Named<'_, T>>) -> Vec<T> {
    names.into_iter().map(|(name, _)| name).collect()
}
