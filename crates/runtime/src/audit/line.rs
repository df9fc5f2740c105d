//! One line: JSON that no name in it can break or end.

use super::mask::masked_name;
use jiff::Timestamp;
use model::{Caller, Door, escape_json};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// Names are a client's, and can be long.
const LONGEST_NAME: usize = 256;

/// The way by which something was asked, for those who read of it later.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    pub door: Door,
    /// The client's number of the request.
    pub request: Option<Arc<str>>,
    /// The trace that it belongs to.
    pub trace: Option<Arc<str>>,
    /// What stands between the request and the call: `call`, `batch`, or the tool that makes it.
    pub via: Option<Cow<'static, str>>,
}

impl Trail {
    pub fn by(door: Door) -> Self {
        Self { door, ..Self::default() }
    }

    #[must_use]
    pub(crate) fn via(&self, via: impl Into<Cow<'static, str>>) -> Self {
        Self { via: Some(via.into()), ..self.clone() }
    }
}

/// Verdict of a line that is written before its call runs, where no call may run unrecorded.
pub(super) const BEGUN: &str = "begun";

#[derive(Clone, Serialize)]
pub(super) struct Line {
    #[serde(serialize_with = "to_millis")]
    pub(super) time: Timestamp,
    /// Counted by the queue.
    pub(super) seq: u64,
    pid: u32,
    /// The number of the line that this one ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) begin: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    door: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    method: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) module: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    pub(super) verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) cached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<Box<RawValue>>,
    /// Like this, and not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) more: Option<u64>,
}

/// What a line takes while it waits, without its arguments.
const USUAL_WEIGHT: usize = 400;

impl Line {
    pub(super) fn new(
        method: impl Into<Cow<'static, str>>,
        caller: Option<&Caller>,
        trail: &Trail,
    ) -> Self {
        let claim = |name: &str| {
            let claims = caller.and_then(|caller| caller.claims.as_ref());
            let text = claims.and_then(|claims| claims.get(name)?.as_str());
            text.map(|text| cut(text).to_owned())
        };
        Self {
            time: Timestamp::UNIX_EPOCH,
            seq: 0,
            pid: std::process::id(),
            begin: None,
            caller: caller.map(|caller| cut(&caller.name).to_owned()),
            issuer: claim("iss"),
            client: claim("azp").or_else(|| claim("client_id")),
            door: trail.door.name(),
            method: method.into(),
            module: None,
            version: None,
            tool: None,
            via: trail.via.as_deref().map(|via| cut(via).to_owned()),
            verdict: "ok",
            kind: None,
            rule: None,
            duration_ms: None,
            bytes: None,
            cached: false,
            request: trail.request.as_deref().map(|id| cut(id).into()),
            trace: trail.trace.clone(),
            arguments: None,
            more: None,
        }
    }

    /// About so many bytes: names are cut, and most of them are short.
    pub(super) fn weight(&self) -> usize {
        let arguments = self.arguments.as_ref().map(|raw| raw.get().len());
        USUAL_WEIGHT + arguments.unwrap_or_default()
    }

    pub(super) fn write_to(&mut self, out: &mut Vec<u8>) {
        self.mask_names();
        let json = serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned());
        out.extend_from_slice(escape_json(&json).as_bytes());
        out.push(b'\n');
    }

    /// Masks credentials in strings that clients and authors choose. The writer does this, so that no call
    /// takes longer.
    fn mask_names(&mut self) {
        if self.module.is_none() {
            mask(&mut self.tool);
        }
        mask(&mut self.kind);
        mask(&mut self.rule);
        if let Some(Cow::Owned(id)) = self.request.as_deref().map(masked_name) {
            self.request = Some(id.into());
        }
        if let Cow::Owned(method) = masked_name(&self.method) {
            self.method = method.into();
        }
    }
}

fn mask(name: &mut Option<String>) {
    if let Some(Cow::Owned(masked)) = name.as_deref().map(masked_name) {
        *name = Some(masked);
    }
}

fn to_millis<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{time:.3}"))
}

pub(super) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_NAME)]
}
