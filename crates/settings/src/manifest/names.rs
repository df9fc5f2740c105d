//! The texts of a manifest that are right only in one form: its name, its version, its entry, its prefix.

use crate::document::checked;
use crate::server::is_plain_name;
use model::{Fault, ModuleName, kebab_name};
use semver::{Version, VersionReq};
use serde::Deserializer;

pub(super) fn own_name<'de, D: Deserializer<'de>>(de: D) -> Result<ModuleName, D::Error> {
    checked(de, kebab_name)
}

/// What the listed names of a module's tools begin with. The name of a tool still fits behind it.
pub(crate) fn read_prefix<'de, D: Deserializer<'de>>(de: D) -> Result<Option<String>, D::Error> {
    checked(de, |text| {
        if is_plain_name(text) {
            return Ok(Some(text.to_owned()));
        }
        Err(Fault::new(format!("`{text}` cannot begin the name of a tool"))
            .help("write up to 32 letters, digits, `_` and `-`: `prefix = \"gh_\"`"))
    })
}

/// The file that a module begins with.
pub(super) fn entry<'de, D: Deserializer<'de>>(de: D) -> Result<String, D::Error> {
    checked(de, |entry| match wrong_entry(entry) {
        None => Ok(entry.trim_start_matches("./").to_owned()),
        Some(why) => Err(Fault::new(format!("entry `{entry}` {why}"))
            .help("name a file of the module, such as `main.star`")),
    })
}

fn wrong_entry(entry: &str) -> Option<&'static str> {
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

pub(super) fn version<'de, D: Deserializer<'de>>(de: D) -> Result<Version, D::Error> {
    checked(de, |text| {
        Version::parse(text).map_err(|_| {
            let help = match mended(text) {
                Some(version) => format!("write `{version}`"),
                None => "write three numbers, such as `1.2.0`, or `1.2.0-beta.1`".to_owned(),
            };
            Fault::new(format!("version `{text}` is not SemVer")).help(help)
        })
    })
}

/// `v1.2` means `1.2.0`.
fn mended(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches(['v', 'V']);
    let given = text.split('.').count();
    let padded = format!("{text}{}", ".0".repeat(3_usize.saturating_sub(given)));
    Version::parse(&padded).ok()
}

/// Does the server have a version that the module asks for? A build on the way to a version counts as that version.
pub(super) fn check_server(needs: &str, module: Option<&str>, server: &str) -> Result<(), Fault> {
    let Ok(versions) = VersionReq::parse(needs) else {
        let fault = Fault::new(format!("`{needs}` is not a version of larkspur to ask for"));
        return Err(fault.help("write `>=0.1`, or `>=0.1, <2`"));
    };
    let is_met = |v: Version| versions.matches(&Version::new(v.major, v.minor, v.patch));
    if Version::parse(server).is_ok_and(is_met) {
        return Ok(());
    }
    let module = module.map_or_else(|| "this module".to_owned(), |name| format!("module `{name}`"));
    Err(Fault::new(format!("{module} needs larkspur {needs}, this is {server}")))
}
