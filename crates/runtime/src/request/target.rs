//! Differences between tool calls, reads, prompts and completions.

use super::{GivenUp, RequestError, RequestReply};
use crate::catalog::{Catalog, Module};
use crate::lane::Lane;
use crate::meter::Meter;
use crate::runtime::Runtime;
use model::{Args, Cache, Limits, ReadOnlyCall, Rejected, Structured};
use script::{CallFailure, ToolChange, Turn};
use std::borrow::Cow;
use std::fmt::Display;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

static NO_ARGUMENTS: LazyLock<Args> = LazyLock::new(Args::new);

/// Result of a script, and tools that it has added or removed.
pub(crate) type ScriptOutcome<T> = Result<(T, Vec<ToolChange>), CallFailure>;

/// What is requested.
pub(crate) trait TargetType: Sized + Send + Sync + 'static {
    const METHOD: &'static str;
    type Reply: RequestReply + Clone;
    /// Shown as `module.name`.
    type Found: FoundTarget;

    /// The name in the request, as the audit log may show it.
    fn name(&self) -> Cow<'_, str>;

    /// Arguments, as far as the audit log may show them.
    fn arguments(&self) -> Option<&Args> {
        None
    }

    fn find(&self, catalog: &Catalog) -> Result<Self::Found, RequestError>;

    /// The name in errors.
    fn error_target(&self, found: &Self::Found) -> String;

    /// Checks the arguments and completes them.
    fn accept(&mut self, found: &mut Self::Found) -> Result<(), Rejected>;

    fn limits(&self, runtime: &Runtime, found: &Self::Found) -> Arc<Limits> {
        let manifest = found.module().manifest.as_ref();
        runtime.limits_for(manifest.and_then(|manifest| manifest.limits.timeout))
    }

    /// Time that covers the wait for a thread, too.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// A reply for which no script runs.
    fn ready_reply(&self, _found: &Self::Found) -> Option<Self::Reply> {
        None
    }

    fn meter(_runtime: &Runtime, _found: &Self::Found) -> Option<Arc<Meter>> {
        None
    }

    /// How long its result is cached, if it is.
    fn cache(_found: &Self::Found) -> Option<Cache> {
        None
    }

    /// The name and the form of a result that is cached.
    fn cache_key(&self, _found: &Self::Found, _catalog: &Catalog) -> (String, String) {
        (self.name().into_owned(), Self::METHOD.to_owned())
    }

    /// Arguments, once they are checked, that a cached result is for.
    fn cache_args(&self) -> &Args {
        &NO_ARGUMENTS
    }

    fn read_only(_found: &Self::Found) -> Option<ReadOnlyCall<'_>> {
        None
    }

    fn structured(&self, _found: &Self::Found, _catalog: &Catalog) -> Structured {
        Structured::Data
    }

    /// Whether calls may run inline, where the target can.
    fn lane(_found: &Self::Found) -> Option<&Lane> {
        None
    }

    /// Whether this request may run inline.
    fn is_quick(&self, _found: &Self::Found) -> bool {
        false
    }

    /// Takes the error of an inline run that is stuck.
    fn given_up(&self) -> Option<&GivenUp> {
        None
    }

    fn evaluate(
        &self,
        found: &Self::Found,
        catalog: &Catalog,
        turn: &Turn<'_>,
        until: Instant,
    ) -> ScriptOutcome<Self::Reply>;
}

/// A target in a catalog.
pub(crate) trait FoundTarget: Clone + Display + Send + Sync + 'static {
    fn module(&self) -> &Arc<Module>;

    /// The name that its author gave it.
    fn own_name(&self) -> &str;
}
