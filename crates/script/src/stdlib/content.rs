//! `image()`, `audio()`, `embedded()`, `link()`: blocks of an answer.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use serde_json::{Value as Json, json};
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;

native_value! {
    /// One finished block; it can stand alone as a result, in a list, or under `content`.
    pub(crate) struct Block(pub(crate) Json);
    Block: "content", |this, f| write!(f, "content({})", this.0)
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
