//! The stage of one test: a world that is partly played, and, from the first tool that is called or
//! the first right that is asked for, a runtime of its own.

mod answered;
mod call;
mod command;
mod database;
mod disk;
mod fits;
mod host;
mod props;
mod reading;
mod web;
mod world;

pub use call::reply;
pub(crate) use fits::same_url;
pub(crate) use world::Played;

use crate::cost::Cost;
use crate::hall::Hall;
use crate::recording::{Recordings, Tape};
use crate::snapshots::Snapshots;
use model::{Args, Fault, Leash, Place};
use parking_lot::Mutex;
use props::Given;
use runtime::Runtime;
use script::{Kind, Prop, Reply, Stage, Unlike};
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Which test it is for.
#[derive(Clone)]
pub(crate) struct Part {
    /// The folder's place among the folders, and the file below it.
    pub(crate) folder: usize,
    pub(crate) file: String,
    /// Files that it loads.
    pub(crate) loads: Vec<String>,
    pub(crate) test: String,
    pub(crate) snapshots: Arc<Snapshots>,
    pub(crate) recordings: Arc<Recordings>,
}

pub(crate) struct Scene {
    hall: Arc<Hall>,
    part: Part,
    /// A file that loads is no test yet: nothing outside is reached.
    loading: bool,
    world: Arc<Played>,
    tape: Tape,
    runtime: OnceLock<Runtime>,
    /// What tools answered.
    replies: Mutex<Vec<Reply>>,
    /// How many snapshots without a name were held against.
    snapshots: AtomicUsize,
}

impl Scene {
    pub(crate) fn new(hall: &Arc<Hall>, part: Part, loading: bool) -> Self {
        let tape = if loading { Tape::Blank } else { hall.tape(&part) };
        Self {
            world: Arc::new(hall.world(&tape)),
            tape,
            hall: Arc::clone(hall),
            part,
            loading,
            runtime: OnceLock::new(),
            replies: Mutex::default(),
            snapshots: AtomicUsize::new(0),
        }
    }

    /// What was printed and logged, in order.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.world.lines()
    }

    /// What the one call that was made costs, if it went well.
    pub(crate) fn cost(&self) -> Option<Cost> {
        let replies = self.replies.lock();
        match replies.as_slice() {
            [reply] if reply.fault.is_none() => Some(Cost::of(reply, &self.world.props().sent)),
            _ => None,
        }
    }

    /// Ends what was started; then what the test has not said of itself.
    pub(crate) fn close(&self, outcome: Result<(), Fault>) -> Result<(), Fault> {
        let runtime = self.runtime.get();
        if let Some(runtime) = runtime {
            runtime.close();
        }
        let props = self.world.props();
        let unanswered = props.unanswered.first().cloned();
        match (outcome, unanswered.or_else(|| self.tape.unanswered())) {
            (Err(fault), Some(why)) if !fault.message.contains(&why) => {
                let also = format!("also, {why}");
                let help = match &fault.help {
                    Some(help) => format!("{help}\n  = {also}"),
                    None => also,
                };
                Err(fault.help(help))
            }
            (Err(fault), _) => Err(fault),
            (Ok(()), Some(why)) => Err(Fault::new(why)),
            (Ok(()), None) => {
                let unused = props.unused(runtime.is_some());
                let unused = unused.or_else(|| self.tape.unused());
                unused.map_or_else(|| self.keep(), Err)
            }
        }
    }

    /// Keeps what was recorded, since all went well.
    fn keep(&self) -> Result<(), Fault> {
        let recording = self.tape.recording();
        let recording =
            recording.map_err(|why| Fault::new(format!("cannot be recorded: {why}")))?;
        if let Some(recording) = recording {
            self.part.recordings.put(&self.part.test, recording);
        }
        Ok(())
    }

    fn put_file(&self, path: &str, text: String, place: Option<Place>) -> Result<(), String> {
        let home = self.hall.home(&self.part);
        let real = model::World::real_path(&*self.world, &home.join(path));
        let real = real.map_err(|why| why.to_string())?;
        let shown = format!("t.files(\"{path}\", …)");
        let given = Given::new(shown, text, place);
        self.world.props().files.insert(real, given);
        Ok(())
    }

    /// A test of what is not there tests nothing, unless it looks at the error.
    fn missing(&self, reply: &Reply) {
        self.world.props().unanswered.extend(unanswerable(reply));
    }

    /// What a snapshot goes by in its file.
    fn snapshot_name(&self, name: Option<&str>) -> String {
        let test = &self.part.test;
        match name {
            Some(name) => format!("{test}: {name}"),
            None => match self.snapshots.fetch_add(1, Ordering::Relaxed) {
                0 => test.clone(),
                n => format!("{test} {}", n + 1),
            },
        }
    }
}

impl Stage for Scene {
    fn call(&self, tool: &str, args: Args, leash: &Leash) -> Reply {
        let reply = call::call(self, tool, args, leash);
        if self.hall.options.tokens {
            let mut replies = self.replies.lock();
            replies.push(reply.clone());
        }
        reply
    }

    fn read(&self, uri: &str, leash: &Leash) -> Reply {
        reading::read(self, uri, leash)
    }

    fn prompt(&self, name: &str, args: Args, leash: &Leash) -> Reply {
        reading::prompt(self, name, args, leash)
    }

    fn seen(&self, reply: &Reply) {
        if let Some(why) = unanswerable(reply) {
            self.world.props().unanswered.retain(|known| *known != why);
        }
    }

    fn play(&self, prop: Prop, place: Option<Place>) -> Result<(), String> {
        match prop {
            Prop::File { path, text } => return self.put_file(&path, text, place),
            Prop::Config { .. } if self.runtime.get().is_some() => {
                return Err(
                    "t.config comes before the first t.call, with which modules start".into()
                );
            }
            other => {
                if let Prop::Secret { name, value } = &other {
                    self.tape.secret(name, value);
                }
                self.world.props().put(other, place);
            }
        }
        Ok(())
    }

    fn asked(&self, kind: Kind) -> Vec<Value> {
        let mut asked = self.world.props().asked(kind);
        if matches!(kind, Kind::Files | Kind::Sqlite) {
            let home = self.hall.home(&self.part);
            let home = model::World::real_path(&*self.world, &home).unwrap_or(home);
            for one in &mut asked {
                shorten(one, &home);
            }
        }
        asked
    }

    fn snapshot(&self, name: Option<&str>, text: String) -> Result<(), Unlike> {
        let name = self.snapshot_name(name);
        self.part.snapshots.hold(&name, self.tape.cover(text))
    }
}

/// Why there is no answer, as a failure of the test.
fn unanswerable(reply: &Reply) -> Option<String> {
    let fault = reply.fault.as_ref()?;
    Some(format!("`{}` failed: {}", reply.tool, fault.message))
}

/// The path as the module wrote it: where the folder lies is another matter on every machine.
fn shorten(written: &mut Value, home: &Path) {
    let below = written["path"].as_str().map(Path::new);
    let below = below.and_then(|path| path.strip_prefix(home).ok());
    if let Some(below) = below.map(|path| path.to_string_lossy().into_owned()) {
        written["path"] = below.into();
    }
}
