//! One secret sealed for its place: a key of its own, wrapped by the master key. Both are bound to
//! whose it is and to this write of it, so that no row can stand in for another.

use crate::cipher::{Key, Shut};
use crate::error::VaultError;
use store::{Place, Sealed, SecretRow};
use zeroize::Zeroizing;

const WRAPPED: &str = "larkspur row key";
const TEXT: &str = "larkspur secret";

pub(crate) fn seal(
    master: &Key,
    place: &Place<'_>,
    kind: &str,
    version: u64,
    text: &[u8],
) -> Result<Sealed, VaultError> {
    let own = Key::random()?;
    Ok(Sealed {
        kid: master.kid(),
        wrapped: master.seal(&bound(WRAPPED, place, kind, version), own.bytes())?,
        text: own.seal(&bound(TEXT, place, kind, version), text)?,
    })
}

pub(crate) fn open(master: &Key, row: &SecretRow) -> Result<Zeroizing<Vec<u8>>, VaultError> {
    let bound = bound(TEXT, &row.place(), &row.kind, row.version);
    let text = own_key(master, row)?.open(&bound, &row.sealed.text);
    text.map_err(|shut| told(row, &shut))
}

/// The row's own key, wrapped by another master key. What it opens stays as it is.
pub(crate) fn rewrap(from: &Key, to: &Key, row: &SecretRow) -> Result<Vec<u8>, VaultError> {
    let bound = bound(WRAPPED, &row.place(), &row.kind, row.version);
    to.seal(&bound, own_key(from, row)?.bytes())
}

fn own_key(master: &Key, row: &SecretRow) -> Result<Key, VaultError> {
    let bound = bound(WRAPPED, &row.place(), &row.kind, row.version);
    let own = master.open(&bound, &row.sealed.wrapped);
    let own = own.map_err(|shut| told(row, &shut))?;
    Key::of(&own).ok_or_else(|| told(row, &Shut::Broken))
}

/// Each part with its length: `a|b` of one place is not `a` and `b` of another.
fn bound(what: &str, place: &Place<'_>, kind: &str, version: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in [what, place.owner, place.module, place.name, kind] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part.as_bytes());
    }
    bytes.extend(version.to_le_bytes());
    bytes
}

fn told(row: &SecretRow, shut: &Shut) -> VaultError {
    let what = spoken(&row.place());
    match shut {
        Shut::Format(found) => VaultError::Format { what, found: *found },
        Shut::Broken => VaultError::Broken { what },
    }
}

/// `github.token`, `github.token of ada`.
pub(crate) fn spoken(place: &Place<'_>) -> String {
    let Place { module, name, owner } = place;
    if owner.is_empty() {
        format!("{module}.{name}")
    } else {
        format!("{module}.{name} of {owner}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> = Place { module: "m", name: "n", owner: "ada" };

    fn row(place: &Place<'_>, kind: &str, version: u64, sealed: &Sealed) -> SecretRow {
        SecretRow {
            module: place.module.into(),
            name: place.name.into(),
            owner: place.owner.into(),
            kind: kind.into(),
            version,
            changed_ms: 0,
            sealed: sealed.clone(),
        }
    }

    #[test]
    fn a_row_opens_in_its_own_place_only() {
        let master = Key::random().unwrap();
        let sealed = seal(&master, &PLACE, "text", 7, b"value").unwrap();
        let opens = |place: Place<'_>, kind: &str, version: u64| {
            open(&master, &row(&place, kind, version, &sealed)).is_ok()
        };
        assert!(opens(PLACE, "text", 7));
        assert!(!opens(PLACE, "text", 8));
        assert!(!opens(PLACE, "oauth2", 7));
        for (module, name, owner) in [
            ("m", "n", "bob"),
            ("m", "n", ""),
            ("o", "n", "ada"),
            ("m", "o", "ada"),
            ("mn", "", "ada"),
            ("", "mn", "ada"),
        ] {
            let place = Place { module, name, owner };
            assert!(!opens(place, "text", 7), "{place:?}");
        }
    }

    #[test]
    fn a_row_rewrapped_opens_with_the_new_key_alone() {
        let (old, new) = (Key::random().unwrap(), Key::random().unwrap());
        let sealed = seal(&old, &PLACE, "text", 7, b"value").unwrap();
        let before = row(&PLACE, "text", 7, &sealed);
        let wrapped = rewrap(&old, &new, &before).unwrap();
        let sealed = Sealed { wrapped, ..sealed };
        let after = row(&PLACE, "text", 7, &sealed);
        assert_eq!(**open(&new, &after).unwrap(), *b"value");
        assert!(open(&old, &after).is_err());
    }
}
