//! Scripts that ignore their deadline, in a world whose clock blocks until the test opens it.

#![expect(clippy::disallowed_methods, reason = "tests own their folders")]

use super::{AbandonedThread, AbandonedThreads, MOST};
use crate::orders::Order;
use crate::overload::Overload;
use crate::project::ProjectFile;
use crate::request::{Call, RequestError, RequestErrorKind};
use crate::runtime::{Runtime, Settings};
use crate::stats::Stats;
use crate::status::Status;
use model::{Args, Stop, World};
use parking_lot::{Condvar, Mutex};
use settings::Bounds;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// `now_ms` blocks until it is opened, and ignores deadlines; nothing else is there.
#[derive(Default)]
struct BlockingWorld {
    is_open: Mutex<bool>,
    opened: Condvar,
    blocked: AtomicUsize,
}

impl BlockingWorld {
    fn open(&self) {
        *self.is_open.lock() = true;
        self.opened.notify_all();
    }
}

impl World for BlockingWorld {
    fn now_ms(&self) -> i64 {
        self.blocked.fetch_add(1, Ordering::Relaxed);
        let mut is_open = self.is_open.lock();
        while !*is_open {
            self.opened.wait(&mut is_open);
        }
        0
    }
}

/// A folder of modules that is served in a blocking world.
struct Bench {
    dir: tempfile::TempDir,
    world: Arc<BlockingWorld>,
    abandoned: Arc<AbandonedThreads>,
    executor: tokio::runtime::Runtime,
}

impl Bench {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let bench = Self {
            dir,
            world: Arc::default(),
            abandoned: Arc::default(),
            executor: tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap(),
        };
        for (file, text) in files {
            bench.write(file, text);
        }
        bench
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.dir.path().join("modules").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn serve(&self) -> Runtime {
        let project = self.dir.path().join("larkspur.toml");
        std::fs::write(&project, "[limits]\ntimeout = '100ms'\n").unwrap();
        Runtime::open(Settings {
            folders: vec![self.dir.path().join("modules")],
            project: ProjectFile::open(project).unwrap(),
            world: Arc::clone(&self.world) as Arc<dyn World>,
            abandoned: Arc::clone(&self.abandoned),
            bounds: Bounds { calls: 1, ..Bounds::default() },
            ..Settings::default()
        })
    }

    fn call(&self, runtime: &Runtime, tool: &str) -> Result<String, RequestError> {
        let call = runtime.call(Call::new(tool, Args::new()));
        let output = self.executor.block_on(call);
        output.map(|output| output.plain_text())
    }

    fn status(&self, runtime: &Runtime) -> Status {
        self.executor.block_on(runtime.status())
    }

    /// The threads come back.
    #[track_caller]
    fn open(&self) {
        self.world.open();
        until("the threads come back", || self.abandoned.count() == 0);
    }
}

#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::yield_now();
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.world.open();
    }
}

const WAIT: &str = "def wait():\n    return time.now()\ntool(wait)\n";
const QUICK: &str = "def quick():\n    return 'quick'\ntool(quick)\n";

#[track_caller]
fn is_deadline(result: Result<String, RequestError>) {
    let stop = result.unwrap_err().stop();
    assert_eq!(stop, Some(Stop::Deadline));
}

#[test]
fn abandoned_thread_gives_its_permit_back() {
    let bench = Bench::new(&[("wait.star", WAIT), ("quick.star", QUICK)]);
    let runtime = bench.serve();
    is_deadline(bench.call(&runtime, "wait"));
    assert_eq!(bench.abandoned.count(), 1);
    assert_eq!(Stats::get(&runtime.stats().in_flight), 0);
    assert_eq!(bench.call(&runtime, "quick").unwrap(), "quick");
    let status = bench.status(&runtime);
    let of: Vec<_> = status.modules.iter().map(|m| m.stuck).collect();
    assert_eq!((status.stuck, of), (1, vec![0, 1]));
    bench.open();
    assert_eq!(bench.status(&runtime).stuck, 0);
}

#[test]
fn thread_of_a_caller_that_left_is_abandoned_too() {
    let bench = Bench::new(&[("wait.star", WAIT), ("quick.star", QUICK)]);
    let runtime = bench.serve();
    let called = runtime.clone();
    let task = async move { called.call(Call::new("wait", Args::new())).await };
    let task = bench.executor.spawn(task);
    until("it blocks", || bench.world.blocked.load(Ordering::Relaxed) == 1);
    task.abort();
    until("it is abandoned", || bench.abandoned.count() == 1);
    assert_eq!(bench.call(&runtime, "quick").unwrap(), "quick");
    bench.open();
}

#[test]
fn module_that_leaves_three_threads_is_stopped() {
    let bench = Bench::new(&[("wait.star", WAIT), ("quick.star", QUICK)]);
    let runtime = bench.serve();
    for _ in 0..3 {
        is_deadline(bench.call(&runtime, "wait"));
    }
    until("it is stopped", || runtime.catalog().module("wait").is_none());
    let why = "module `wait` was stopped: it left 3 calls running that ignore their deadline";
    for tool in ["wait", "wait.wait"] {
        let error = bench.call(&runtime, tool).unwrap_err();
        assert_eq!(error.to_string(), why);
    }
    let status = bench.status(&runtime);
    let module = status.modules.iter().find(|m| m.name.as_deref() == Some("wait"));
    let module = module.unwrap();
    assert_eq!((module.state.as_str(), module.error.as_deref()), ("failed", Some(why)));
    assert_eq!((status.stuck, status.tools), (3, 1));
    assert_eq!(bench.call(&runtime, "quick").unwrap(), "quick");
    // Its threads belong to the instance that was stopped.
    let order = runtime.order(Order::Start(vec!["wait".into()]));
    bench.executor.block_on(order).unwrap();
    is_deadline(bench.call(&runtime, "wait"));
    assert!(runtime.catalog().module("wait").is_some());
    bench.open();
    bench.call(&runtime, "wait").unwrap();
}

#[test]
fn stopped_module_is_served_again_after_an_edit() {
    let bench = Bench::new(&[("wait.star", WAIT)]);
    let runtime = bench.serve();
    for _ in 0..3 {
        is_deadline(bench.call(&runtime, "wait"));
    }
    until("it is stopped", || runtime.catalog().module("wait").is_none());
    bench.write("wait.star", "def wait():\n    return 'fixed'\ntool(wait)\n");
    let order = runtime.order(Order::Reload(Vec::new()));
    bench.executor.block_on(order).unwrap();
    assert_eq!(bench.call(&runtime, "wait").unwrap(), "fixed");
    bench.open();
}

/// The module whose code does not return is meant, not the one that calls it.
#[test]
fn nested_call_counts_for_the_module_that_is_stuck() {
    let outer = "def outer(ctx):\n    return ctx.call('wait.wait', {})\ntool(outer)\n";
    let manifest = "name = 'outer'\nversion = '1.0.0'\ndescription = 'd'\n\
                    [permissions]\ncalls = ['wait.wait']\n";
    let bench = Bench::new(&[
        ("outer/module.toml", manifest),
        ("outer/main.star", outer),
        ("wait.star", WAIT),
    ]);
    let runtime = bench.serve();
    is_deadline(bench.call(&runtime, "outer"));
    let status = bench.status(&runtime);
    let of: Vec<_> = status.modules.iter().map(|m| m.stuck).collect();
    assert_eq!((status.stuck, of), (1, vec![0, 1]));
    bench.open();
}

#[test]
fn too_many_abandoned_threads_refuse_calls_and_files() {
    let bench = Bench::new(&[("quick.star", QUICK)]);
    let runtime = bench.serve();
    let add = || bench.abandoned.add(None);
    let threads: Vec<AbandonedThread> = (0..MOST).map(|_| add()).collect();
    let why = "64 threads ignore their deadline, 64 at most may; restart the server";
    let error = bench.call(&runtime, "quick").unwrap_err();
    assert_eq!(error.kind, RequestErrorKind::Busy(Overload::AbandonedThreads(why.into())));
    let again = bench.serve();
    let broken = again.catalog().broken.values().next().unwrap().fault.clone();
    assert_eq!(broken.message, format!("cannot load quick.star: {why}"));
    drop(threads);
    assert_eq!(bench.call(&runtime, "quick").unwrap(), "quick");
}

const STUCK: &str = "X = time.now()\n";

#[test]
fn stuck_file_leaves_the_others_alone() {
    let bench = Bench::new(&[("quick.star", QUICK), ("stuck.star", STUCK)]);
    let runtime = bench.serve();
    assert_eq!(bench.call(&runtime, "quick").unwrap(), "quick");
    let status = bench.status(&runtime);
    let error = status.modules[1].error.clone().unwrap();
    assert!(error.starts_with("stuck.star does not finish loading"), "{error}");
    assert_eq!((status.stuck, status.modules[1].state.as_str()), (1, "failed"));
    // As it is, it is not evaluated again.
    let again = bench.serve();
    assert_eq!((again.catalog().broken.len(), bench.abandoned.count()), (1, 1));
    bench.write("stuck.star", WAIT);
    let order = runtime.order(Order::Reload(vec!["quick".into()]));
    bench.executor.block_on(order).unwrap();
    let fixed = bench.serve();
    assert!(fixed.catalog().broken.is_empty());
    bench.open();
}

/// A library that does not return is evaluated once, however many files load it.
#[test]
fn stuck_library_costs_few_threads() {
    let user = "load('lib/stuck.star', 'X')\ndef f():\n    return X\ntool(f)\n";
    let names: Vec<String> = (0..40).map(|i| format!("user{i}.star")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), user)).collect();
    files.push(("lib/stuck.star", STUCK));
    let bench = Bench::new(&files);
    let runtime = bench.serve();
    assert_eq!(runtime.catalog().broken.len(), 41);
    let cores = std::thread::available_parallelism().unwrap().get();
    assert!(bench.abandoned.count() <= cores, "{}", bench.abandoned.count());
    bench.open();
}

fn manifest(name: &str) -> String {
    format!("name = '{name}'\nversion = '1.0.0'\ndescription = 'd'\n")
}

#[test]
fn stuck_start_hook_fails_its_module_alone() {
    let (a, b) = (manifest("a"), manifest("b"));
    let start = |body: &str| format!("def start(deps, config):\n    {body}\n{QUICK}");
    let (stuck, fine) = (start("return time.now()"), start("return 1"));
    let bench = Bench::new(&[
        ("a/module.toml", &a),
        ("a/main.star", &stuck),
        ("b/module.toml", &b),
        ("b/main.star", &fine),
    ]);
    let runtime = bench.serve();
    assert_eq!(bench.call(&runtime, "b.quick").unwrap(), "quick");
    let status = bench.status(&runtime);
    let error = status.modules.iter().find_map(|m| m.error.clone());
    let expected = "`start` of module `a` failed: it ignores its time limit of 100 ms (limit \
                    `timeout`), and its thread was abandoned";
    assert_eq!((status.stuck, error.as_deref()), (1, Some(expected)));
    bench.open();
}

/// Each look at the status would leave another thread behind.
#[test]
fn stuck_status_hook_stops_its_module() {
    let source = format!("def status(instance):\n    return time.now()\n{QUICK}");
    let bench = Bench::new(&[("a/module.toml", &manifest("a")), ("a/main.star", &source)]);
    let runtime = bench.serve();
    for _ in 0..3 {
        let status = bench.status(&runtime);
        let says = status.modules[0].status.as_ref().unwrap()["message"].to_string();
        assert!(says.contains("ignores its time limit"), "{says}");
    }
    until("it is stopped", || runtime.catalog().module("a").is_none());
    assert_eq!(bench.status(&runtime).modules[0].state, "failed");
    bench.open();
}
