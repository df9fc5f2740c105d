//! Those who were turned away at the door, for whoever reads of it later.

use model::{Caller, Door};
use rmcp::model::RequestId;
use runtime::{Denial, Lacking, Runtime, Trail};

/// What somebody asked for who was turned away, as far as it was read.
pub(super) struct Turned<'a> {
    pub(super) method: &'a str,
    pub(super) id: Option<&'a RequestId>,
    /// One word: `login`, `scope`, `session`.
    pub(super) kind: &'a str,
    pub(super) rule: Option<&'a str>,
    pub(super) of: Option<&'a Lacking>,
}

impl<'a> Turned<'a> {
    pub(super) fn from(method: &'a str, kind: &'a str) -> Self {
        Self { method, id: None, kind, rule: None, of: None }
    }
}

pub(super) fn note(runtime: &Runtime, caller: Option<&Caller>, turned: &Turned<'_>) {
    runtime.audit().denied(&Denial {
        caller,
        trail: &Trail {
            request: turned.id.map(|id| id.to_string().into()),
            ..Trail::by(Door::Http)
        },
        method: turned.method,
        wanted: "",
        of: turned.of,
        kind: turned.kind,
        rule: turned.rule,
    });
}
