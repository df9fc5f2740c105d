//! One test file: loaded, and its tests run one by one.

use crate::cost::Cost;
use crate::find::TestFile;
use crate::hall::Hall;
use crate::recording::Recordings;
use crate::report::Event;
use crate::scene::{Part, Scene};
use crate::snapshots::Snapshots;
use model::{Fault, Host, Limits};
use runtime::{Digests, LoadThreads, Reader};
use script::{Engine, FileId, LoadSession, Script, Sources, Stage, Turn};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Stack for a test: calls nest in the interpreter, and the interpreter recurses.
const STACK: usize = 16 << 20;
/// A test gets this long to notice that its time is up; then nobody waits for it any more.
const GRACE: Duration = Duration::from_secs(1);
/// The test that a file is which cannot be loaded.
pub const LOAD: &str = "(load)";
/// The test that a file of snapshots is which cannot be written.
pub(crate) const SNAPSHOTS: &str = "(snapshots)";

pub(crate) struct Unit<'a> {
    pub(crate) name: String,
    file: &'a TestFile<'a>,
    hall: Arc<Hall>,
    part: Part,
    state: State,
}

enum State {
    Loaded {
        script: Arc<Script>,
        /// Those that are wanted.
        tests: Vec<String>,
    },
    Broken(Broken),
}

/// Why a file cannot be loaded, what it printed before, and how long that took.
type Broken = (Fault, Vec<String>, Duration);

pub(crate) struct Outcome {
    pub(crate) result: Result<(), Fault>,
    output: Vec<String>,
    time: Duration,
    cost: Option<Cost>,
}

impl<'a> Unit<'a> {
    /// Nothing, if no test of it is wanted.
    pub(crate) fn load(
        hall: &Arc<Hall>,
        engine: &Arc<Engine>,
        file: &'a TestFile<'a>,
    ) -> Option<Self> {
        let options = &hall.options;
        let name = file.name();
        let snapshots = Snapshots::of(&file.folder.path(&file.file), options.snapshots);
        let mut part = Part {
            folder: file.index,
            file: file.file.clone(),
            loads: Vec::new(),
            test: LOAD.to_owned(),
            snapshots: Arc::new(snapshots),
            recordings: Arc::new(Recordings::of(&file.folder.path(&file.file))),
        };
        let scene = Arc::new(Scene::new(hall, part.clone(), true));
        let start = Instant::now();
        let state = match load(hall, engine, file, &scene) {
            Ok(script) => {
                let mut tests = script.tests();
                tests.retain(|test| options.wants(&name, test));
                if tests.is_empty() && options.filter.is_some() {
                    return None;
                }
                part.loads = script.loads.iter().cloned().collect();
                let script = Arc::new(script);
                State::Loaded { script, tests }
            }
            Err(fault) => {
                // It counts when a test that is wanted may be in it.
                let mut tests = file.guess_tests();
                tests.push(LOAD.to_owned());
                if !tests.iter().any(|test| options.wants(&name, test)) {
                    return None;
                }
                State::Broken((named(fault, file), scene.lines(), start.elapsed()))
            }
        };
        Some(Self { name, file, hall: Arc::clone(hall), part, state })
    }

    pub(crate) fn tests(&self) -> &[String] {
        match &self.state {
            State::Loaded { tests, .. } => tests,
            State::Broken(_) => &[],
        }
    }

    /// How many tests it is in a report.
    pub(crate) fn counts(&self) -> usize {
        self.broken().map_or(self.tests().len(), |_| 1)
    }

    pub(crate) fn broken(&self) -> Option<&Broken> {
        match &self.state {
            State::Loaded { .. } => None,
            State::Broken(broken) => Some(broken),
        }
    }

    /// Runs one test on a thread of its own, and not much longer than it may take.
    pub(crate) fn run(&self, test: &str) -> Outcome {
        let start = Instant::now();
        let part = Part { test: test.to_owned(), ..self.part.clone() };
        let scene = Arc::new(Scene::new(&self.hall, part, false));
        let limits = self.hall.options.limits.clone();
        let result = match &self.state {
            State::Loaded { script, .. } => played(script, test, &scene, &limits),
            State::Broken((fault, ..)) => Err(fault.clone()),
        };
        let wanted = self.hall.options.tokens && result.is_ok();
        Outcome {
            cost: if wanted { scene.cost() } else { None },
            result: result.map_err(|fault| named(fault, self.file)),
            output: scene.lines(),
            time: start.elapsed(),
        }
    }

    pub(crate) fn event(&self, test: &str, outcome: Outcome) -> Event {
        match outcome.result {
            Ok(()) => Event::Passed {
                file: self.name.clone(),
                test: test.to_owned(),
                time: outcome.time,
                cost: outcome.cost,
            },
            Err(fault) => self.failed(test, fault, outcome.output, outcome.time),
        }
    }

    pub(crate) fn failed(
        &self,
        test: &str,
        fault: Fault,
        output: Vec<String>,
        time: Duration,
    ) -> Event {
        Event::Failed { file: self.name.clone(), test: test.to_owned(), fault, output, time }
    }

    /// What became of the file's snapshots and recordings, in sentences.
    pub(crate) fn settle(&self, passed: &[String]) -> Result<Vec<String>, Fault> {
        let there = match &self.state {
            State::Loaded { script, .. } => script.tests(),
            State::Broken(_) => return Ok(Vec::new()),
        };
        let snapshots = self.part.snapshots.settle(passed, &there).map_err(Fault::new)?;
        let records = self.hall.options.record;
        let recordings = self.part.recordings.settle(records, &there).map_err(Fault::new)?;
        let mut notes = snapshots.describe("snapshot", "--update");
        notes.extend(recordings.describe("recording", "--record"));
        let failed = self.tests().iter().filter(|test| records && !passed.contains(test));
        let unkept = |test| format!("`{test}` failed: nothing of it was recorded");
        notes.extend(failed.map(unkept));
        Ok(notes)
    }
}

/// Sources and host of a test file.
struct TestSession {
    hall: Arc<Hall>,
    folder: usize,
    scene: Arc<Scene>,
    digests: Arc<Digests>,
    threads: LoadThreads,
}

impl TestSession {
    fn reader(&self) -> Reader<'_> {
        self.hall.files(self.folder).noting(&self.digests)
    }
}

impl LoadSession for TestSession {
    fn enter(&self, work: &mut dyn FnMut(&dyn Sources, &dyn Host)) {
        work(&self.reader(), &*self.scene);
    }

    fn stuck(&self, file: &FileId) -> Option<(Fault, BTreeSet<FileId>)> {
        self.hall.options.abandoned.known(&self.reader(), file)
    }

    fn abandoned(&self, file: &FileId, touched: &BTreeSet<FileId>, fault: &Fault) {
        let abandoned = &self.hall.options.abandoned;
        self.threads.push(abandoned.add_load(&self.reader(), file, touched, fault));
    }

    fn ended(&self) {
        self.threads.pop();
    }
}

fn load(
    hall: &Arc<Hall>,
    engine: &Arc<Engine>,
    file: &TestFile<'_>,
    scene: &Arc<Scene>,
) -> Result<Script, Fault> {
    let names = file.guess_tests();
    let twice = |at: usize| names[..at].contains(&names[at]);
    if let Some(at) = (0..names.len()).find(|at| twice(*at)) {
        let why = format!("there are two `{}`: only the last would run", names[at]);
        return Err(Fault::new(why).help("give one of them another name"));
    }
    let session: Arc<dyn LoadSession> = Arc::new(TestSession {
        hall: Arc::clone(hall),
        folder: file.index,
        scene: Arc::clone(scene),
        digests: Arc::default(),
        threads: LoadThreads::default(),
    });
    let loaded = engine.load_all(std::slice::from_ref(&file.file), &session);
    let loaded = loaded.into_iter().next().map(|loaded| loaded.result);
    loaded.unwrap_or_else(|| Err(Fault::new("the test file was not loaded")))
}

fn played(
    script: &Arc<Script>,
    test: &str,
    scene: &Arc<Scene>,
    limits: &Limits,
) -> Result<(), Fault> {
    let (done, ended) = sync_channel(1);
    let (script, scene) = (Arc::clone(script), Arc::clone(scene));
    let (name, own) = (test.to_owned(), limits.clone());
    let thread = std::thread::Builder::new().name("test".into()).stack_size(STACK);
    let spawned = thread.spawn(move || {
        let stage = Arc::clone(&scene) as Arc<dyn Stage>;
        let turn = Turn { stage: Some(&stage), ..Turn::new(&*scene, &own) };
        let outcome = script.run_test(&name, &turn);
        let _ = done.send(scene.close(outcome));
    });
    if let Err(error) = spawned {
        let why = format!("there is no thread left to run it on: {error}");
        return Err(Fault::new(why));
    }
    match ended.recv_timeout(limits.time + GRACE) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => Err(Fault::new(format!(
            "did not end within {} ms, and does not react",
            limits.time.as_millis()
        ))),
        Err(RecvTimeoutError::Disconnected) => Err(Fault::new("the engine gave up on this test")),
    }
}

/// The fault with its file under the name that reports use.
fn named(mut fault: Fault, file: &TestFile<'_>) -> Fault {
    if let Some(place) = &mut fault.place {
        place.file = file.name_of(&place.file);
    }
    fault
}
