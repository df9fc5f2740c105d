//! Which lines have run. The guard puts a call before every statement that counts, since the engine
//! itself cannot tell: it inlines short functions and drops what it can decide while compiling.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use crate::engine::Engine;
use crate::guard::Guarded;
use crate::stdlib::prelude::*;
use parking_lot::Mutex;
use starlark::eval::Arguments;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The native that is called before a statement, and around what an `if` or a `for` looks at.
pub(crate) const RAN: &str = "__ran";

/// The lines of a file that count, each with how often it ran.
pub type Lines = BTreeMap<usize, u64>;

/// What has run so far, in all files and on all threads that share it.
#[derive(Debug, Default)]
pub struct Coverage(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// How often each point ran.
    ran: Vec<u64>,
    /// By the file's whole path, its lines with their points.
    files: BTreeMap<String, BTreeMap<usize, usize>>,
}

impl Coverage {
    /// A test's own lines are not counted: it is there to run others.
    pub(crate) fn counts(file: &str) -> bool {
        !file.ends_with("_test.star")
    }

    /// Counts the lines of a file that nobody has loaded.
    pub fn add_unloaded(&self, path: &str, source: &str) {
        if self.0.lock().files.contains_key(path) {
            return;
        }
        let marks = || Marks::new(self, path.to_owned(), source);
        let guarded = Engine::parse(path, source)
            .and_then(|ast| Guarded::new(path, source, &ast, Some(marks())));
        // What cannot be read has no statements; its lines count as they stand there.
        if guarded.is_err() {
            let mut marks = marks();
            for (line, text) in source.lines().enumerate() {
                if !text.trim().is_empty() && !text.trim().starts_with('#') {
                    marks.point(line + 1);
                }
            }
        }
    }

    /// All files that were loaded or added, by their whole paths.
    pub fn files(&self) -> BTreeMap<String, Lines> {
        let counts = self.0.lock();
        let lines = |points: &BTreeMap<usize, usize>| {
            let lines = points.iter();
            lines.map(|(line, point)| (*line, counts.ran[*point])).collect()
        };
        let files = counts.files.iter();
        files.map(|(path, points)| (path.clone(), lines(points))).collect()
    }

    fn ran(&self, point: usize) {
        if let Some(count) = self.0.lock().ran.get_mut(point) {
            *count += 1;
        }
    }
}

/// Finds the lines of one file that count: those on which a statement begins.
pub(crate) struct Marks<'a> {
    coverage: &'a Coverage,
    path: String,
    /// Where lines begin.
    starts: Vec<usize>,
    /// The line that was marked last: of several statements on one the first counts.
    last: usize,
}

impl<'a> Marks<'a> {
    pub(crate) fn new(coverage: &'a Coverage, path: String, source: &str) -> Self {
        let breaks = source.match_indices('\n').map(|(at, _)| at + 1);
        coverage.0.lock().files.entry(path.clone()).or_default();
        Self { coverage, path, starts: std::iter::once(0).chain(breaks).collect(), last: 0 }
    }

    /// The point for the line of a position, if nothing on it has one yet. Positions come in order.
    pub(crate) fn at(&mut self, position: usize) -> Option<usize> {
        let line = self.starts.partition_point(|start| *start <= position);
        if line <= self.last {
            return None;
        }
        self.last = line;
        Some(self.point(line))
    }

    /// A file may be loaded several times in one run; its lines stay the same points.
    fn point(&mut self, line: usize) -> usize {
        let mut counts = self.coverage.0.lock();
        let next = counts.ran.len();
        let lines = counts.files.entry(self.path.clone()).or_default();
        let point = *lines.entry(line).or_insert(next);
        if point == next {
            counts.ran.push(0);
        }
        point
    }
}

/// Gives scripts the native that counts.
pub(crate) fn add(coverage: &Arc<Coverage>, builder: &mut GlobalsBuilder) {
    builder.set(RAN, Ran(Arc::clone(coverage)));
}

native_value! {
    struct Ran(Arc<Coverage>);
    Ran: "ran", |_, f| f.write_str(RAN);

    /// Counts the point, and gives back what came with it.
    fn invoke(
        &self,
        _me: Value<'v>,
        args: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let [point, value] = args.positional(eval.heap())?;
        if let Some(point) = point.unpack_i32().and_then(|at| usize::try_from(at).ok()) {
            self.0.ran(point);
        }
        Ok(value)
    }
}
