//! What a test plays with: the other side of `t`. Whatever is given here is plain data, so that it can
//! be kept in a file and read back.

use compact::TOKENS_ARE_COUNTED;
use model::{Args, Fault, Leash, Place};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Where a test runs.
pub trait Stage: Send + Sync {
    /// Calls a tool down the road that every call takes.
    fn call(&self, tool: &str, args: Args, leash: &Leash) -> Reply;

    /// Reads a resource down that road.
    fn read(&self, uri: &str, leash: &Leash) -> Reply;

    /// Gets a prompt down that road.
    fn prompt(&self, name: &str, args: Args, leash: &Leash) -> Reply;

    /// The test has looked at why something failed: that nothing of that name is there is no
    /// failure of its own any more.
    fn seen(&self, reply: &Reply);

    /// Adds something to the world; the place is the line that did.
    fn play(&self, prop: Prop, place: Option<Place>) -> Result<(), String>;

    /// What was asked of a kind so far, in order.
    fn asked(&self, kind: Kind) -> Vec<Json>;

    /// Holds a value against what is kept under a name.
    fn snapshot(&self, name: Option<&str>, text: String) -> Result<(), Unlike>;
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// `module.tool`.
    pub tool: String,
    /// As data.
    pub value: Json,
    /// As the model reads it.
    pub text: String,
    /// What that costs.
    pub tokens: usize,
    /// `contents` of a resource, `messages` of a prompt, as clients get them.
    pub parts: Json,
    /// It failed: why, and where if that is known.
    pub fault: Option<Fault>,
}

impl Reply {
    /// As a snapshot keeps it: what the model reads, and what that costs, or about so.
    pub fn kept(&self) -> String {
        let kind = if self.fault.is_some() { "error, " } else { "" };
        let about = if TOKENS_ARE_COUNTED { "" } else { "~" };
        format!("{kind}{about}{} tokens\n{}", self.tokens, self.text)
    }
}

/// Something that a test adds to the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Prop {
    Exchange(Exchange, Need),
    File {
        path: String,
        text: String,
    },
    Env {
        name: String,
        value: String,
    },
    Secret {
        name: String,
        value: String,
    },
    Config {
        key: String,
        value: Json,
    },
    /// The time stands still, so many milliseconds after 1970.
    Clock(i64),
    /// So many milliseconds go by.
    Advance(i64),
    /// What whoever is behind the client answers next.
    Answer(Json),
}

/// Must it be used?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Used,
    Optional,
}

/// A request, and what is answered to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exchange {
    Http {
        method: String,
        /// `*` stands for anything.
        url: String,
        status: u16,
        headers: Vec<(String, String)>,
        body: String,
        /// Instead of the text, bytes as base64.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body_base64: Option<String>,
    },
    Exec {
        command: String,
        /// Any, if none are named.
        args: Option<Vec<String>>,
        stdout: String,
        stderr: String,
        exit_code: i32,
        /// It cannot be run: why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    Sqlite(SqlExchange),
    Postgres(SqlExchange),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SqlExchange {
    /// `*` stands for anything, spaces and line ends for each other.
    pub sql: String,
    /// Each an object.
    pub rows: Vec<Json>,
    /// How many rows it changed.
    pub changed: u64,
    /// The database refuses it: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Http,
    Exec,
    Sqlite,
    Postgres,
    /// Files that were written.
    Files,
}

impl Exchange {
    pub fn kind(&self) -> Kind {
        match self {
            Self::Http { .. } => Kind::Http,
            Self::Exec { .. } => Kind::Exec,
            Self::Sqlite(_) => Kind::Sqlite,
            Self::Postgres(_) => Kind::Postgres,
        }
    }
}

/// Why a value does not pass for what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlike {
    /// It is another one.
    Differs { name: String, kept: String },
    /// There is none, and none may be written.
    Missing { name: String },
    /// The file that holds them cannot be used.
    Unread(String),
}
