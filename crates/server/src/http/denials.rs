//! Those who were turned away at the door, for whoever reads of it later.

use model::{Caller, Door};
use runtime::{Denial, Runtime, Trail};

/// A login that does not hold, a scope that is missing, a session of somebody else.
pub(super) fn note(runtime: &Runtime, caller: Option<&Caller>, kind: &str, wanted: &str) {
    runtime.audit().denied(&Denial {
        caller,
        trail: &Trail::by(Door::Http),
        method: "",
        wanted,
        kind,
        rule: None,
    });
}
