//! What the operator leaves a module: `[module.NAME.grant]` in `larkspur.toml`.

use super::Permission;
use crate::document::Table;
use crate::known;
use crate::manifest::{check_name, names};
use std::collections::BTreeMap;

/// A key that is not there says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant(BTreeMap<Permission, Vec<String>>);

impl Grant {
    pub fn get(&self, permission: Permission) -> Option<&[String]> {
        self.0.get(&permission).map(Vec::as_slice)
    }

    /// The keys of `[permissions]`.
    pub(crate) fn read(mut table: Table<'_>) -> Self {
        let mut grant = BTreeMap::new();
        for permission in Permission::ALL {
            let items = table.get(permission.key()).and_then(|item| item.list());
            let listed = items.map(|items| names(&items, |text| check_name(permission, text)));
            grant.extend(listed.map(|listed| (permission, listed)));
        }
        table.finish(&known::GRANT);
        Self(grant)
    }
}

#[cfg(test)]
impl<const N: usize> From<[(Permission, &[&str]); N]> for Grant {
    fn from(entries: [(Permission, &[&str]); N]) -> Self {
        let owned = |names: &[&str]| names.iter().copied().map(str::to_owned).collect();
        Self(entries.map(|(key, names)| (key, owned(names))).into())
    }
}
