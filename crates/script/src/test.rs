//! A file's tests: which functions they are, and running one.

use crate::nesting;
use crate::script::{CallFailure, MOST_KEPT, Script, Turn};
use crate::stdlib::tester::{Behind, Tester};
use model::{Fault, Place};
use starlark::docs::{DocItem, DocMember};
use starlark::values::Value;
use std::cell::RefCell;
use std::sync::Arc;

/// The parameter by which a test asks for the stage it runs on.
const STAGE: &str = "t";

impl Script {
    /// Names of the file's own test functions, in the order of their definition. What it loads is
    /// not its own.
    pub fn tests(&self) -> Vec<String> {
        let is_function = |name: &str| {
            let value = self.frozen.get(name);
            value.is_ok_and(|value| value.value().get_type() == "function")
        };
        self.frozen
            .names()
            .map(|name| name.as_str().to_owned())
            .filter(|name| name.starts_with("test_") && is_function(name))
            .collect()
    }

    /// Runs one test function.
    pub fn run_test(&self, name: &str, turn: &Turn<'_>) -> Result<(), Fault> {
        let function =
            self.frozen.get(name).map_err(|_| Fault::new(format!("there is no `{name}`")))?;
        let needs = needs(function.value());
        if let Some(wrong) = needs.iter().find(|parameter| *parameter != STAGE) {
            return Err(self.takes(name, wrong));
        }
        let called_at = RefCell::new(None);
        let outcome = self.on_fresh_heap(turn, MOST_KEPT, |eval| {
            let function = eval.heap().access_owned_frozen_value(&function);
            let stage = turn.stage.filter(|_| !needs.is_empty());
            let t = stage.map(|stage| eval.heap().alloc(Tester(Behind(Arc::clone(stage)))));
            let called = eval.eval_function(function, t.as_slice(), &[]);
            called.map(|_| ()).inspect_err(|error| {
                *called_at.borrow_mut() = self.own_line(error);
            })
        });
        let fault = match outcome {
            Ok(_) => return Ok(()),
            Err(CallFailure::Failed { fault, .. } | CallFailure::Stopped { fault, .. }) => fault,
            Err(CallFailure::NeedsThread) => Fault::new("a test cannot be a trial"),
            Err(CallFailure::Asks) => Fault::new("nobody answers questions in a test"),
        };
        Err(with_caller(fault, called_at.into_inner()))
    }

    /// The line of the test itself that led to an error.
    fn own_line(&self, error: &starlark::Error) -> Option<Place> {
        let frames = &error.call_stack().frames;
        let mut places = frames.iter().filter_map(|frame| frame.location.as_ref());
        let own = places.find(|span| span.filename() == self.file)?;
        self.sources.place(own)
    }

    /// A test that asks for what no test is given.
    fn takes(&self, test: &str, parameter: &str) -> Fault {
        let fault =
            Fault::new(format!("`{test}` takes `{parameter}`; a test is given `t`, or nothing"));
        let def = format!("def {test}");
        let place = self.sources.0.get(&self.file).and_then(|source| {
            let source = &source.text;
            let begin = source.find(&format!("{def}("))?;
            Some(nesting::place(&self.file, source, begin, begin + def.len()))
        });
        Fault { place, ..fault }
    }
}

/// Where it went wrong somewhere else than in the test, the test's own line is told as well.
fn with_caller(mut fault: Fault, own: Option<Place>) -> Fault {
    let known = fault.place.as_ref().map(|place| (&place.file, place.line));
    if let Some(own) = own
        && known != Some((&own.file, own.line))
    {
        let line = own.excerpt.trim();
        let called = format!("called at {}:{}: {line}", own.file, own.line);
        fault.help = Some(match fault.help.take() {
            Some(help) => format!("{help}\n  = {called}"),
            None => called,
        });
    }
    fault
}

/// The parameters of a function that it cannot do without.
fn needs(function: Value<'_>) -> Vec<String> {
    let DocItem::Member(DocMember::Function(doc)) = function.documentation() else {
        return Vec::new();
    };
    let params = doc.params;
    params
        .pos_only
        .into_iter()
        .chain(params.pos_or_named)
        .chain(params.named_only)
        .filter(|param| param.default_value.is_none())
        .map(|param| param.name)
        .collect()
}
