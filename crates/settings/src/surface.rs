//! How tools are shown to clients: all of them, or a few through which the others are found and called.

use crate::document::Table;
use model::Tool;
use serde_json::Value;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Surface {
    /// Every tool, by its own name.
    Flat,
    /// The meta tools alone.
    Modules,
    /// Flat while that list is short.
    #[default]
    Auto,
}

impl FromStr for Surface {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "flat" => Ok(Self::Flat),
            "modules" => Ok(Self::Modules),
            "auto" => Ok(Self::Auto),
            other => Err(format!("`{other}` is no surface; write flat, modules or auto")),
        }
    }
}

/// Which results have structured content beside their text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StructuredResults {
    /// Those of tools that declare an object and no shorter form: there both are the same JSON.
    #[default]
    Auto,
    /// All that are data.
    Always,
}

impl StructuredResults {
    /// The schema of a tool's results in `tools/list`. A client that reads a schema there must get structured
    /// content with every result, and some show a model nothing else.
    pub fn listed_schema(self, tool: &Tool) -> Option<&Value> {
        let is_object = |schema: &&Value| schema["type"] == "object";
        match self {
            Self::Always => tool.output.as_ref(),
            Self::Auto if tool.is_compact() => None,
            Self::Auto => tool.output.as_ref().filter(is_object),
        }
    }
}

impl FromStr for StructuredResults {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            other => Err(format!("`{other}` is unknown; write auto or always")),
        }
    }
}

/// `[server]` of `larkspur.toml`, as far as it is about what models read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Showing {
    pub surface: Surface,
    /// A list that costs this much, or more, is not shown flat unless that was asked for.
    pub surface_tokens: usize,
    /// Maximum number of tokens of a result.
    pub result_tokens: usize,
    pub structured: StructuredResults,
}

impl Default for Showing {
    fn default() -> Self {
        Self {
            surface: Surface::default(),
            surface_tokens: 2_000,
            result_tokens: 10_000,
            structured: StructuredResults::default(),
        }
    }
}

impl Showing {
    pub(crate) fn read(table: &mut Table<'_>) -> Self {
        let usual = Self::default();
        let mut tokens = |key| table.get(key).and_then(|item| item.count());
        let (surface_tokens, result_tokens) = (tokens("surface_tokens"), tokens("result_tokens"));
        let surface = table.get("surface").and_then(|item| item.parse());
        let structured = table.get("structured").and_then(|item| item.parse());
        Self {
            structured: structured.unwrap_or(usual.structured),
            surface: surface.unwrap_or(usual.surface),
            surface_tokens: surface_tokens.unwrap_or(usual.surface_tokens),
            result_tokens: result_tokens.unwrap_or(usual.result_tokens),
        }
    }
}
