//! The module's own version, and the server's it asks for.

use crate::document::Item;
use model::{Fault, ModuleName};
use semver::{Version, VersionReq};

pub(super) fn read(item: &Item<'_>) -> Option<Version> {
    let text = item.text()?;
    let version = Version::parse(text).ok();
    if version.is_none() {
        let help = match mended(text) {
            Some(version) => format!("write `{version}`"),
            None => "write three numbers, such as `1.2.0`, or `1.2.0-beta.1`".to_owned(),
        };
        item.report(Fault::new(format!("version `{text}` is not SemVer")).help(help));
    }
    version
}

/// `v1.2` means `1.2.0`.
fn mended(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches(['v', 'V']);
    let given = text.split('.').count();
    let padded = format!("{text}{}", ".0".repeat(3_usize.saturating_sub(given)));
    Version::parse(&padded).ok()
}

/// Complains ahead of everything else if the server is another: a newer manifest may well hold
/// keys that this server does not know.
pub(super) fn check_server(needs: Option<&Item<'_>>, name: Option<&ModuleName>, server: &str) {
    let Some((item, text)) = needs.and_then(|item| Some((item, item.text()?))) else {
        return;
    };
    let Ok(needs) = VersionReq::parse(text) else {
        let fault = Fault::new(format!("`{text}` is not a version of larkspur to ask for"));
        return item.report(fault.help("write `>=0.1`, or `>=0.1, <2`"));
    };
    if !meets(server, &needs) {
        let module = name.map_or_else(|| "this module".to_owned(), |n| format!("module `{n}`"));
        let message = format!("{module} needs larkspur {text}, this is {server}");
        item.report_first(Fault::new(message));
    }
}

/// A build on the way to a version counts as that version.
fn meets(server: &str, needs: &VersionReq) -> bool {
    Version::parse(server).is_ok_and(|v| needs.matches(&Version::new(v.major, v.minor, v.patch)))
}
