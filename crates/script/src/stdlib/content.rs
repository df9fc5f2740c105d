//! `image()`, `audio()`, `embedded()`, `link()`: blocks of an answer.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]
#![allow(
    clippy::unnecessary_wraps,
    clippy::elidable_lifetime_names,
    reason = "starlark's macros ask for it"
)]

use allocative::Allocative;
use serde_json::{Value as Json, json};
use starlark::any::ProvidesStaticType;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::starlark_simple_value;
use starlark::values::{NoSerialize, StarlarkPagablePanic, StarlarkValue, starlark_value};
use std::fmt;

/// One finished block; it can stand alone as a result, in a list, or under `content`.
#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct Block(#[allocative(skip)] pub(crate) Json);

starlark_simple_value!(Block);

#[starlark_value(type = "content")]
impl<'v> StarlarkValue<'v> for Block {}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "content({})", self.0)
    }
}

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    natives(builder);
}

#[starlark_module]
fn natives(builder: &mut GlobalsBuilder) {
    /// A picture: base64 data and its type.
    ///
    /// Examples:
    /// ```python
    /// >>> image("iVBORw0KGgo=")
    /// content({"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"})
    /// ```
    fn image(
        #[starlark(require = pos)] data: &str,
        #[starlark(default = "image/png")] mime: &str,
    ) -> anyhow::Result<Block> {
        Ok(Block(json!({"type": "image", "data": data, "mimeType": mime})))
    }

    /// Sound: base64 data and its type.
    ///
    /// Examples:
    /// ```python
    /// >>> audio("T2dnUw==", mime = "audio/ogg")
    /// content({"type":"audio","data":"T2dnUw==","mimeType":"audio/ogg"})
    /// ```
    fn audio(
        #[starlark(require = pos)] data: &str,
        #[starlark(default = "audio/wav")] mime: &str,
    ) -> anyhow::Result<Block> {
        Ok(Block(json!({"type": "audio", "data": data, "mimeType": mime})))
    }

    /// A document inside the answer: text, or base64 as `blob`.
    ///
    /// Examples:
    /// ```python
    /// >>> embedded("notes://today", text = "- write tests", mime = "text/markdown")
    /// content({"type":"resource","resource":{"uri":"notes://today","text":"- write tests","mimeType":"text/markdown"}})
    /// >>> embedded("notes://today")
    /// error: embedded() takes either text = … or blob = …
    /// ```
    fn embedded(
        #[starlark(require = pos)] uri: &str,
        text: Option<&str>,
        blob: Option<&str>,
        mime: Option<&str>,
    ) -> anyhow::Result<Block> {
        let mut resource = json!({"uri": uri});
        match (text, blob) {
            (Some(text), None) => resource["text"] = json!(text),
            (None, Some(blob)) => resource["blob"] = json!(blob),
            _ => anyhow::bail!("embedded() takes either text = … or blob = …"),
        }
        if let Some(mime) = mime {
            resource["mimeType"] = json!(mime);
        }
        Ok(Block(json!({"type": "resource", "resource": resource})))
    }

    /// A link to a document that the client may read.
    ///
    /// Examples:
    /// ```python
    /// >>> link("notes://today", "notes", description = "what to do")
    /// content({"type":"resource_link","uri":"notes://today","name":"notes","description":"what to do"})
    /// ```
    fn link(
        #[starlark(require = pos)] uri: &str,
        #[starlark(require = pos)] name: &str,
        description: Option<&str>,
        mime: Option<&str>,
    ) -> anyhow::Result<Block> {
        let mut block = json!({"type": "resource_link", "uri": uri, "name": name});
        if let Some(description) = description {
            block["description"] = json!(description);
        }
        if let Some(mime) = mime {
            block["mimeType"] = json!(mime);
        }
        Ok(Block(block))
    }
}
