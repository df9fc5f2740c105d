//! What the operator leaves a module: `[module.NAME.grant]` in `larkspur.toml`.

use super::Permission;
use std::collections::BTreeMap;

/// A key that is not there says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant(BTreeMap<Permission, Vec<String>>);

impl Grant {
    pub fn get(&self, permission: Permission) -> Option<&[String]> {
        self.0.get(&permission).map(Vec::as_slice)
    }
}

impl From<BTreeMap<Permission, Vec<String>>> for Grant {
    fn from(names: BTreeMap<Permission, Vec<String>>) -> Self {
        Self(names)
    }
}

impl<const N: usize> From<[(Permission, &[&str]); N]> for Grant {
    fn from(entries: [(Permission, &[&str]); N]) -> Self {
        let owned = |names: &[&str]| names.iter().copied().map(str::to_owned).collect();
        Self(entries.map(|(key, names)| (key, owned(names))).into())
    }
}
