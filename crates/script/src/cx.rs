//! What a native function can reach: the host and the gauge, riding on the evaluator.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use crate::gauge::Gauge;
use crate::loader::FileId;
use crate::stdlib::Patterns;
use anyhow::Context;
use model::Host;
use starlark::any::ProvidesStaticType;
use starlark::eval::Evaluator;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

#[derive(ProvidesStaticType)]
pub(crate) struct Cx<'a> {
    pub(crate) host: &'a dyn Host,
    pub(crate) gauge: Rc<Gauge>,
    /// The folder that paths are relative to: the module's whose file is loaded or tool is called.
    pub(crate) base: &'a str,
    /// Declarations are taken while a file loads, not in calls; what it reads is remembered.
    pub(crate) loading: Option<RefCell<BTreeSet<FileId>>>,
    /// Patterns that were used: the next use need not compile them.
    pub(crate) patterns: Patterns,
    /// Is this one of the items of a `parallel`?
    pub(crate) parallel: bool,
}

impl<'a> Cx<'a> {
    pub(crate) fn of<'r>(eval: &Evaluator<'_, 'r, 'a>) -> anyhow::Result<&'r Cx<'a>> {
        eval.extra
            .and_then(|extra| extra.downcast_ref::<Cx<'a>>())
            .context("this function works only inside larkspur")
    }

    /// The world. On a trial this ends the trial: nothing has happened yet, so the call is made again.
    pub(crate) fn host(eval: &Evaluator<'_, '_, 'a>) -> anyhow::Result<&'a dyn Host> {
        let cx = Cx::of(eval)?;
        cx.gauge.leave_trial()?;
        Ok(cx.host)
    }
}
