//! Prompts and completions in MCP's words.

use super::{block, icons};
use model::{Completion, Conversation, Field, Prompt, Role};
use rmcp::ErrorData;
use rmcp::model::{
    CompletionInfo, GetPromptResult, Prompt as WirePrompt, PromptArgument, PromptMessage,
    Reference as WireReference, Role as WireRole,
};
use runtime::Reference;

pub(crate) fn prompt(listed: &str, prompt: &Prompt) -> WirePrompt {
    let description = (!prompt.description.is_empty()).then(|| prompt.description.clone());
    let arguments = prompt.input.fields().iter().map(argument).collect();
    let mut wire = WirePrompt::new(listed, description, Some(arguments));
    wire.title.clone_from(&prompt.title);
    wire.icons = icons(prompt.icons.as_ref());
    wire
}

fn argument(field: &Field) -> PromptArgument {
    let mut wire = PromptArgument::new(&field.name).with_required(field.required);
    wire.description.clone_from(&field.description);
    wire
}

pub(crate) fn conversation(conversation: Conversation) -> GetPromptResult {
    let messages = conversation.messages.into_iter().map(|message| {
        let role = match message.role {
            Role::User => WireRole::User,
            Role::Assistant => WireRole::Assistant,
        };
        PromptMessage::new(role, block(message.content))
    });
    let mut wire = GetPromptResult::new(messages.collect());
    wire.description = conversation.description;
    wire
}

/// Whose argument a client is completing.
pub(crate) fn reference(reference: WireReference) -> Result<Reference, ErrorData> {
    match reference {
        WireReference::Prompt(prompt) => Ok(Reference::Prompt(prompt.name)),
        WireReference::Resource(resource) => Ok(Reference::Resource(resource.uri)),
        other => Err(ErrorData::invalid_params(
            format!("{} cannot be completed", other.reference_type()),
            None,
        )),
    }
}

pub(crate) fn completion(completion: Completion) -> CompletionInfo {
    let has_more = completion.has_more();
    let mut wire = CompletionInfo::default();
    wire.total = u32::try_from(completion.total).ok();
    wire.has_more = Some(has_more);
    wire.values = completion.values;
    wire
}
