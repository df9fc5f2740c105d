//! What the operator leaves a module: `[module.NAME.grant]` in `larkspur.toml`.

use super::permissions::names;
use crate::document::Table;
use crate::known;
use model::{Grant, Permission, check_name};
use std::collections::BTreeMap;

/// The keys of `[permissions]`.
pub(crate) fn read(mut table: Table<'_>) -> Grant {
    let mut grant = BTreeMap::new();
    for permission in Permission::ALL {
        let items = table.get(permission.key()).and_then(|item| item.list());
        let listed = items.map(|items| names(&items, |text| check_name(permission, text)));
        grant.extend(listed.map(|listed| (permission, listed)));
    }
    table.finish(&known::GRANT);
    grant.into()
}
