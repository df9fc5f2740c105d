//! Resources in MCP's words.

use super::icons;
use model::{Body, Contents, Resource};
use rmcp::model::{
    Annotations, MetaObject, Resource as WireResource, ResourceContents, ResourceTemplate,
};

pub(crate) fn resource(resource: &Resource) -> WireResource {
    let mut wire = WireResource::new(resource.uri.as_str(), &resource.name);
    wire.title.clone_from(&resource.title);
    wire.description = described(resource);
    wire.mime_type.clone_from(&resource.mime);
    wire.icons = icons(resource.icons.as_ref());
    wire.annotations = annotations(resource);
    wire
}

pub(crate) fn template(resource: &Resource) -> ResourceTemplate {
    let mut wire = ResourceTemplate::new(resource.uri.as_str(), &resource.name);
    wire.title.clone_from(&resource.title);
    wire.description = described(resource);
    wire.mime_type.clone_from(&resource.mime);
    wire.icons = icons(resource.icons.as_ref());
    wire.annotations = annotations(resource);
    wire
}

fn described(resource: &Resource) -> Option<String> {
    (!resource.description.is_empty()).then(|| resource.description.clone())
}

fn annotations(resource: &Resource) -> Option<Annotations> {
    let json = resource.annotations.clone()?;
    serde_json::from_value(json).ok()
}

pub(crate) fn contents(contents: Contents) -> ResourceContents {
    let wire = match contents.body {
        Body::Text(text) => ResourceContents::text(text, contents.uri),
        Body::Blob(blob) => ResourceContents::blob(blob, contents.uri),
    };
    let wire = wire.with_mime_type(contents.mime_type);
    match contents.meta {
        Some(meta) => wire.with_meta(MetaObject(meta)),
        None => wire,
    }
}
