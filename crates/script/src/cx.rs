//! What a native function can reach: the host and the gauge, riding on the evaluator.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use crate::error::SourceMap;
use crate::gauge::Gauge;
use crate::load_thread::LoadProgress;
use crate::stage::Stage;
use crate::stdlib::Patterns;
use anyhow::Context;
use model::{Host, Place};
use starlark::any::ProvidesStaticType;
use starlark::eval::Evaluator;
use std::rc::Rc;
use std::sync::Arc;

#[derive(ProvidesStaticType)]
pub(crate) struct Cx<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) gauge: Rc<Gauge>,
    /// The folder that paths are relative to: the module's whose file is loaded or tool is called.
    pub(crate) base: &'a str,
    /// The file that is loading; nothing in calls, which declare nothing.
    pub(crate) loading: Option<FileLoad<'a>>,
    /// Patterns that were used: the next use need not compile them.
    pub(crate) patterns: Patterns,
    /// What a test plays with.
    pub(crate) stage: Option<&'a Arc<dyn Stage>>,
    /// The sources of what runs, where a native may want to name a line.
    pub(crate) sources: Option<&'a SourceMap>,
}

/// A file while it loads.
pub(crate) struct FileLoad<'a> {
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
    /// Is it part of a module with a manifest?
    pub(crate) is_in_folder: bool,
    /// What it reads is noted here.
    pub(crate) progress: &'a LoadProgress,
}

impl<'a> Cx<'a> {
    pub(crate) fn of<'r>(eval: &Evaluator<'_, 'r, 'a>) -> anyhow::Result<&'r Cx<'a>> {
        eval.extra
            .and_then(|extra| extra.downcast_ref::<Cx<'a>>())
            .context("this function works only inside larkspur")
    }

    /// What a test plays with.
    pub(crate) fn stage(&self) -> anyhow::Result<&'a Arc<dyn Stage>> {
        self.stage.context("this works in tests")
    }

    /// The line that called the native which asks.
    pub(crate) fn place(&self, eval: &Evaluator<'_, '_, '_>) -> Option<Place> {
        let span = eval.call_stack_top_location()?;
        self.sources?.place(&span)
    }

    /// The world. On a trial this ends the trial: nothing has happened yet, so the call is made again.
    pub(crate) fn host(eval: &Evaluator<'_, '_, 'a>) -> anyhow::Result<&'a dyn Host> {
        let cx = Cx::of(eval)?;
        cx.gauge.leave_trial()?;
        Ok(cx.host)
    }
}
