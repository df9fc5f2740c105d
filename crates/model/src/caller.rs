//! Who is calling.

use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

/// Name of the caller on stdio and on the command line.
pub const LOCAL: &str = "local";

/// The one a call is made for.
#[derive(Debug, Clone, PartialEq)]
pub struct Caller {
    pub name: Cow<'static, str>,
    /// What his token is for; nobody asks that of one without.
    pub scopes: Option<Arc<[String]>>,
    /// What his token says of him.
    pub claims: Option<Arc<Map<String, Value>>>,
    /// When his token ends.
    pub until: Option<SystemTime>,
    is_local: bool,
}

impl Caller {
    /// Somebody who has logged in. One whose name is that of whoever runs the server is not him.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.into(), is_local: false, ..Self::default() }
    }

    /// The same, by a token that is for this and says that.
    #[must_use]
    pub fn with_token(self, scopes: Vec<String>, claims: Map<String, Value>) -> Self {
        Self { scopes: Some(scopes.into()), claims: Some(Arc::new(claims)), ..self }
    }

    /// The same, as long as his token holds.
    #[must_use]
    pub fn holding_until(self, until: SystemTime) -> Self {
        Self { until: Some(until), ..self }
    }

    /// On stdio and on the command line nobody else can call.
    pub fn is_local(&self) -> bool {
        self.is_local
    }
}

impl Default for Caller {
    /// Whoever started the process.
    fn default() -> Self {
        Self { name: Cow::Borrowed(LOCAL), scopes: None, claims: None, until: None, is_local: true }
    }
}
