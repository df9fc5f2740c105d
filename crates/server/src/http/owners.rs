//! Whose each legacy session is: an id alone opens nothing.

use super::answer::{Answer, refused};
use super::message::SESSION;
use http::StatusCode;
use http::header::HeaderMap;
use model::Caller;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// From so many on, those that have ended are forgotten.
const MANY: usize = 64;

#[derive(Default)]
pub(crate) struct Owners(Mutex<HashMap<String, String>>);

impl Owners {
    /// Somebody else's session is as unknown as one that never was.
    pub(crate) fn check(&self, headers: &HeaderMap, caller: &Caller) -> Result<(), Answer> {
        let Some(id) = session(headers) else {
            return Ok(());
        };
        match self.lock().get(&id) {
            Some(owner) if *owner != *caller.name => {
                tracing::warn!(
                    caller = &*caller.name,
                    "somebody used another one's session"
                );
                Err(refused(
                    StatusCode::NOT_FOUND,
                    "Not Found: Session not found",
                ))
            }
            _ => Ok(()),
        }
    }

    /// A session that has just begun is its caller's.
    pub(crate) async fn note(
        &self,
        answer: &HeaderMap,
        caller: &Caller,
        sessions: &LocalSessionManager,
    ) {
        let Some(id) = session(answer) else {
            return;
        };
        let known: Vec<String> = {
            let mut owners = self.lock();
            let owner = caller.name.clone().into_owned();
            owners.entry(id).or_insert(owner);
            if owners.len() < MANY {
                return;
            }
            owners.keys().cloned().collect()
        };
        for id in known {
            let is_there = sessions.has_session(&Arc::from(id.as_str())).await;
            if !is_there.unwrap_or(true) {
                self.lock().remove(&id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(SESSION)?.to_str().ok()?;
    Some(id.to_owned())
}
