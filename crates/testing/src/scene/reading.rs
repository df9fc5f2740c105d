//! `t.read` and `t.prompt`: resources and prompts, down the road that clients' requests take.

use super::Scene;
use super::call::{failed, in_time};
use compact::count_tokens;
use model::{Args, Asker, Body, Contents, Conversation, Fault, Leash, Output};
use runtime::{Asking, RequestError, RequestErrorKind};
use script::Reply;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) fn read(scene: &Scene, uri: &str, leash: &Leash) -> Reply {
    let reading = async {
        let answered = scene.runtime().read(uri, asking(scene)).await;
        answered.map_or_else(|error| refused(scene, uri, &error), |all| documents(uri, &all))
    };
    in_time(uri, leash, reading)
}

pub(super) fn prompt(scene: &Scene, name: &str, args: Args, leash: &Leash) -> Reply {
    let getting = async {
        let answered = scene.runtime().prompt(name, args, asking(scene)).await;
        answered.map_or_else(|error| refused(scene, name, &error), |said| messages(name, said))
    };
    in_time(name, leash, getting)
}

fn asking(scene: &Scene) -> Asking {
    Asking { asker: Some(Arc::clone(&scene.world) as Arc<dyn Asker>), ..Asking::default() }
}

fn refused(scene: &Scene, of: &str, error: &RequestError) -> Reply {
    let fault = error.fault().cloned();
    let fault = fault.unwrap_or_else(|| Fault::new(error.to_string()));
    let is_missing = matches!(error.kind, RequestErrorKind::Unknown(..));
    let reply = failed(of, fault);
    if is_missing {
        scene.missing(&reply);
    }
    reply
}

fn documents(uri: &str, contents: &[Contents]) -> Reply {
    let texts = contents.iter().map(|one| match &one.body {
        Body::Text(text) => text.as_str(),
        Body::Blob(_) => "",
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let value = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
    said(uri, text, value, json!({"contents": contents}))
}

fn messages(name: &str, conversation: Conversation) -> Reply {
    let parts = json!(conversation);
    let words = conversation.messages.into_iter().map(|message| {
        let content = vec![message.content];
        Output { content, ..Output::default() }.plain_text()
    });
    let text = words.collect::<Vec<_>>().join("\n");
    said(name, text, parts.clone(), parts)
}

fn said(of: &str, text: String, value: Value, parts: Value) -> Reply {
    Reply { tool: of.to_owned(), tokens: count_tokens(&text), text, value, parts, fault: None }
}
