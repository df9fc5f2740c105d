//! What one call costs a model: what others sent for it, the tool's answer as JSON, and the text of it
//! that is read.

use compact::count_tokens;
use script::Reply;
use serde_json::Value;

/// Of a test that makes one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// `module.tool`.
    pub tool: String,
    /// What fakes answered; nothing, if they were not asked.
    pub sent: Size,
    /// The tool's own answer, as data without a blank.
    pub json: Size,
    /// What the model reads.
    pub text: Size,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    pub characters: usize,
    pub tokens: usize,
}

impl Cost {
    pub(crate) fn of(reply: &Reply, sent: &[String]) -> Self {
        let mut all = Size::default();
        for body in sent {
            let size = Size::of(&minified(body));
            all.characters += size.characters;
            all.tokens += size.tokens;
        }
        Self {
            tool: reply.tool.clone(),
            sent: all,
            json: Size::of(&reply.value.to_string()),
            text: Size::of(&reply.text),
        }
    }
}

impl Size {
    fn of(text: &str) -> Self {
        Self { characters: text.chars().count(), tokens: count_tokens(text) }
    }
}

/// JSON without a blank that means nothing; other texts as they are.
fn minified(body: &str) -> String {
    serde_json::from_str::<Value>(body).map_or_else(|_| body.to_owned(), |json| json.to_string())
}
