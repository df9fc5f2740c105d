//! The names in a manifest: its own in kebab-case, those in its lists once each.

use crate::document::Item;
use crate::kebab::{is_kebab, to_kebab};
use crate::{Fault, ModuleName};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

pub(super) fn own(item: &Item<'_>) -> Option<ModuleName> {
    let name = item.text()?;
    if is_kebab(name) {
        return item.parse();
    }
    let help = match to_kebab(name) {
        Some(kebab) => format!("write `{kebab}`"),
        None => "small letters, digits and `-`, such as `http-utils`".to_owned(),
    };
    item.report(Fault::new(format!("name `{name}` is not kebab-case")).help(help));
    None
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
