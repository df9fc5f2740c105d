//! Runs tests one after the other, each on a fresh heap and with its own deadline.

use crate::fake::Fake;
use crate::find::{TestFile, find};
use crate::report::{Event, Summary};
use model::{Fault, Limits};
use runtime::{Folder, Homes, Reader};
use script::{Engine, Script, Turn};
use std::time::{Duration, Instant};

/// How long a test may take, unless the caller says otherwise.
const TIME: Duration = Duration::from_secs(10);
/// Stack for a test: calls nest in the interpreter, and the interpreter recurses.
const STACK: usize = 16 << 20;
/// The test that a file is which cannot be loaded.
const LOAD: &str = "(load)";

#[derive(Debug, Clone)]
pub struct Options {
    pub folders: Vec<Folder>,
    /// A part of `file::test`; other tests are not run.
    pub filter: Option<String>,
    pub limits: Limits,
}

impl Options {
    pub fn new(folders: Vec<Folder>) -> Self {
        Self {
            folders,
            filter: None,
            limits: Limits {
                time: TIME,
                ..Limits::default()
            },
        }
    }

    fn wants(&self, file: &str, test: &str) -> bool {
        self.filter
            .as_ref()
            .is_none_or(|part| format!("{file}::{test}").contains(part))
    }
}

/// Runs the tests of all folders and tells of each as it ends.
pub fn run(options: &Options, report: &mut dyn FnMut(Event)) -> Summary {
    let homes = Homes::scan(&options.folders);
    let mut run = Run {
        options,
        homes: &homes,
        engine: Engine::for_tests(options.limits.clone()),
        report,
        summary: Summary::default(),
    };
    for file in find(&options.folders) {
        run.file(&file);
    }
    run.summary
}

struct Run<'a> {
    options: &'a Options,
    homes: &'a Homes,
    engine: Engine,
    report: &'a mut dyn FnMut(Event),
    summary: Summary,
}

impl Run<'_> {
    fn file(&mut self, file: &TestFile<'_>) {
        let files = self.files(file);
        let host = Fake::new(&files);
        let start = Instant::now();
        match self.load(file, &files, &host) {
            Ok(script) => self.tests(file, &script),
            Err(fault) => self.broken(file, fault, host.into_lines(), start.elapsed()),
        }
    }

    /// What a test file can load: its folder, and what its module depends on.
    fn files(&self, file: &TestFile<'_>) -> Reader<'_> {
        Reader::new(&self.options.folders, self.homes, file.index)
    }

    fn load(
        &self,
        file: &TestFile<'_>,
        files: &Reader<'_>,
        host: &Fake<'_>,
    ) -> Result<Script, Fault> {
        let mut loaded = None;
        self.engine.load_all(
            std::slice::from_ref(&file.file),
            files,
            host,
            |_, script, _| loaded = Some(script),
        );
        loaded.unwrap_or_else(|| Err(Fault::new("there is no thread left to load it on")))
    }

    /// It counts when a test that is wanted may be in it.
    fn broken(&mut self, file: &TestFile<'_>, fault: Fault, output: Vec<String>, time: Duration) {
        let name = file.name();
        let mut tests = file.guess_tests();
        tests.push(LOAD.to_owned());
        if !tests.iter().any(|test| self.options.wants(&name, test)) {
            return;
        }
        self.tell(Event::File {
            name: name.clone(),
            tests: 1,
        });
        self.tell(Event::Failed {
            file: name,
            test: LOAD.to_owned(),
            fault: named(fault, file),
            output,
            time,
        });
    }

    fn tests(&mut self, file: &TestFile<'_>, script: &Script) {
        let name = file.name();
        let mut tests = script.tests();
        tests.retain(|test| self.options.wants(&name, test));
        if tests.is_empty() && self.options.filter.is_some() {
            return;
        }
        self.tell(Event::File {
            name,
            tests: tests.len(),
        });
        for test in tests {
            let event = self.test(file, script, test);
            self.tell(event);
        }
    }

    fn test(&self, file: &TestFile<'_>, script: &Script, test: String) -> Event {
        let files = self.files(file);
        let host = Fake::new(&files);
        let turn = Turn::new(&host, &self.options.limits);
        let start = Instant::now();
        let outcome = with_stack(|| script.run_test(&test, &turn));
        let time = start.elapsed();
        let name = file.name();
        match outcome {
            Ok(()) => Event::Passed {
                file: name,
                test,
                time,
            },
            Err(fault) => Event::Failed {
                file: name,
                test,
                fault: named(fault, file),
                output: host.into_lines(),
                time,
            },
        }
    }

    fn tell(&mut self, event: Event) {
        self.summary.count(&event);
        (self.report)(event);
    }
}

/// The fault with its file under the name that reports use.
fn named(mut fault: Fault, file: &TestFile<'_>) -> Fault {
    if let Some(place) = &mut fault.place {
        place.file = file.name_of(&place.file);
    }
    fault
}

fn with_stack(work: impl FnOnce() -> Result<(), Fault> + Send) -> Result<(), Fault> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("test".into())
            .stack_size(STACK);
        let handle = thread.spawn_scoped(scope, work).map_err(|error| {
            Fault::new(format!("there is no thread left to run it on: {error}"))
        })?;
        handle
            .join()
            .unwrap_or_else(|_| Err(Fault::new("the engine gave up on this test")))
    })
}
