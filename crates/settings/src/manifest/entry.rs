//! The file a module begins with.

use crate::document::Item;
use model::Fault;

const DEFAULT: &str = "main.star";

pub(super) fn read(item: Option<&Item<'_>>) -> Option<String> {
    let Some(item) = item else {
        return Some(DEFAULT.to_owned());
    };
    let entry = item.text()?;
    match wrong(entry) {
        None => Some(entry.trim_start_matches("./").to_owned()),
        Some(why) => {
            let fault = Fault::new(format!("entry `{entry}` {why}"));
            item.report(fault.help("name a file of the module, such as `main.star`"));
            None
        }
    }
}

fn wrong(entry: &str) -> Option<&'static str> {
    let drive = entry.as_bytes().get(1) == Some(&b':');
    let stem = entry.strip_suffix(".star").unwrap_or_default();
    if entry.starts_with('/') || drive {
        Some("is not relative to the module's folder")
    } else if entry.contains('\\') {
        Some("has a `\\` in it; folders are divided by `/`")
    } else if entry.split('/').any(|part| part == "..") {
        Some("leaves the module's folder")
    } else if stem.is_empty() || stem.ends_with('/') {
        Some("is not a `.star` file")
    } else {
        None
    }
}
