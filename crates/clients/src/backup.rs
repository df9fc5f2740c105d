//! What a file was before it was changed, kept beside it: `NAME.bak-20261103T101500.123Z`.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the room that keeps copies of clients' files"
)]

use crate::trouble::Trouble;
use std::fs;
use std::path::{Path, PathBuf};

/// The paths of a file's copies, the latest first.
pub(crate) fn all(file: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(start)) = (file.parent(), start(file)) else {
        return Vec::new();
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(&start)).collect();
    names.sort();
    let newest_first = names.into_iter().rev();
    newest_first.map(|name| folder.join(name)).collect()
}

/// Copies a file, with its mode: what stands in it may be for its owner's eyes alone.
pub(crate) fn keep(file: &Path) -> Result<PathBuf, Trouble> {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%.3fZ");
    let name = format!("{}{now}", start(file).unwrap_or_default());
    let kept = file.with_file_name(name);
    fs::copy(file, &kept).map_err(|error| Trouble::Disk {
        doing: "keep a copy in",
        file: kept.clone(),
        why: error.to_string(),
    })?;
    Ok(kept)
}

fn start(file: &Path) -> Option<String> {
    Some(format!("{}.bak-", file.file_name()?.to_str()?))
}
