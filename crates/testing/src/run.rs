//! Runs tests, each on a fresh heap, in a world of its own and with its own deadline; some at once if
//! that is wanted, and told in the order of the files all the same.

use crate::find::find;
use crate::hall::Hall;
use crate::options::Options;
use crate::report::{Event, Summary};
use crate::test_data::{RECORDINGS, SNAPSHOTS};
use crate::unit::{Outcome, Unit};
use script::Engine;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Runs the tests of all folders and tells of each as it ends.
pub fn run(options: &Options, report: &mut dyn FnMut(Event)) -> Summary {
    let hall = Arc::new(Hall::new(options.clone()));
    let mut files = find(hall.folders());
    if let Some(only) = &options.only {
        files.retain(|file| only.contains(&file.folder.path(&file.file)));
    }
    let engine = Engine::for_counting_tests(options.limits.clone(), options.coverage.clone());
    let engine = Arc::new(engine);
    let units = files.iter().filter_map(|file| Unit::load(&hall, &engine, file));
    let units: Vec<Unit> = units.collect();
    let jobs: Vec<(&Unit, &str)> = units
        .iter()
        .flat_map(|unit| unit.tests().iter().map(move |test| (unit, test.as_str())))
        .collect();
    let stop = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let (done, outcomes) = channel();
    let mut telling = Telling {
        report,
        summary: Summary::default(),
        stop: options.fail_fast.then_some(&stop),
        outcomes,
        early: BTreeMap::new(),
        told: 0,
    };
    telling.tell(Event::Begin { tests: units.iter().map(Unit::counts).sum() });
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, jobs.len().max(1)) {
            let done = done.clone();
            let (jobs, next, stop) = (&jobs, &next, &stop);
            scope.spawn(move || work(jobs, next, stop, &done));
        }
        drop(done);
        for unit in &units {
            telling.unit(unit);
        }
        stop.store(true, Ordering::Relaxed);
    });
    if options.filter.is_none() && options.only.is_none() && !telling.is_over() {
        telling.without_test_file(files.iter().map(|file| file.folder.path(&file.file)));
    }
    telling.summary
}

type Done = (usize, Outcome);

/// Takes tests until there are none.
fn work(jobs: &[(&Unit, &str)], next: &AtomicUsize, stop: &AtomicBool, done: &Sender<Done>) {
    while !stop.load(Ordering::Relaxed) {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some((unit, test)) = jobs.get(at) else {
            return;
        };
        if done.send((at, unit.run(test))).is_err() {
            return;
        }
    }
}

struct Telling<'a> {
    report: &'a mut dyn FnMut(Event),
    summary: Summary,
    /// Set at the first failure, where that is to be the last.
    stop: Option<&'a AtomicBool>,
    outcomes: Receiver<Done>,
    /// What ended before its turn to be told.
    early: BTreeMap<usize, Outcome>,
    told: usize,
}

impl Telling<'_> {
    fn unit(&mut self, unit: &Unit) {
        if self.is_over() {
            return;
        }
        let name = unit.name.clone();
        if let Some((fault, output, time)) = unit.broken() {
            self.tell(Event::File { name, tests: 1 });
            self.tell(unit.failed(crate::unit::LOAD, fault.clone(), output.clone(), *time));
            return;
        }
        let tests = unit.tests().len();
        self.tell(Event::File { name, tests });
        let mut passed = Vec::new();
        for test in unit.tests() {
            if self.is_over() {
                break;
            }
            let Some(outcome) = self.next() else { break };
            if outcome.result.is_ok() {
                passed.push(test.clone());
            }
            self.tell(unit.event(test, outcome));
        }
        match unit.settle(&passed) {
            Ok(notes) => {
                for text in notes {
                    let file = unit.name.clone();
                    self.tell(Event::Note { file, text });
                }
            }
            Err(fault) => {
                self.tell(unit.failed(crate::unit::SNAPSHOTS, fault, Vec::new(), Duration::ZERO));
            }
        }
    }

    /// The outcome of the test whose turn it is.
    fn next(&mut self) -> Option<Outcome> {
        let wanted = self.told;
        self.told += 1;
        loop {
            if let Some(outcome) = self.early.remove(&wanted) {
                return Some(outcome);
            }
            let (at, outcome) = self.outcomes.recv().ok()?;
            self.early.insert(at, outcome);
        }
    }

    /// Snapshots and recordings whose test files are gone.
    fn without_test_file<P: AsRef<Path>>(&mut self, tests: impl Iterator<Item = P>) {
        let folders = tests.filter_map(|path| path.as_ref().parent().map(Path::to_path_buf));
        let folders: BTreeSet<_> = folders.collect();
        for (what, kind) in [("snapshots", SNAPSHOTS), ("recordings", RECORDINGS)] {
            for name in folders.iter().flat_map(|folder| kind.without_test_file(folder)) {
                let end = kind.extension;
                let text = format!("{what} of `{name}.star`, which is gone: remove `{name}.{end}`");
                self.tell(Event::Note { file: name, text });
            }
        }
    }

    fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn tell(&mut self, event: Event) {
        self.summary.count(&event);
        if let (Event::Failed { .. }, Some(stop)) = (&event, self.stop) {
            stop.store(true, Ordering::Relaxed);
        }
        (self.report)(event);
    }
}
