//! What a run is asked to do.

use model::{Limits, World};
use runtime::{AbandonedThreads, Closed, Folder, ProjectFile};
use script::Coverage;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a test may take, unless the caller says otherwise.
const TIME: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct Options {
    pub folders: Vec<Folder>,
    /// A part of `file::test`; other tests are not run.
    pub filter: Option<String>,
    /// Test files by their paths; others are not run.
    pub only: Option<BTreeSet<PathBuf>>,
    pub limits: Limits,
    /// How many tests run at once.
    pub jobs: usize,
    /// Nothing more after the first failure.
    pub fail_fast: bool,
    /// What lies behind the scenes.
    pub world: Arc<dyn World>,
    /// The network is open, and modules are configured as when they are served.
    pub live: Option<Live>,
    pub snapshots: Keeping,
    /// Where lines that run are counted.
    pub coverage: Option<Arc<Coverage>>,
    /// What calls cost is told.
    pub tokens: bool,
    /// What the world answers is kept, for runs without it; the run is live.
    pub record: bool,
    /// Counts threads that ignore their deadline, over several runs.
    pub abandoned: Arc<AbandonedThreads>,
}

/// What configures modules when they are served.
#[derive(Debug, Clone, Default)]
pub struct Live {
    pub project: ProjectFile,
    /// Variables that may configure modules.
    pub environment: Vec<(String, String)>,
    /// `module.key` with the value typed for it.
    pub set: Vec<(String, String)>,
}

/// What becomes of snapshots that are not there, or others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keeping {
    /// New ones are written; one that differs is a failure.
    #[default]
    New,
    /// Those that differ are written as well, and those that nobody asks for are removed.
    All,
    /// Nothing is written, and one that is missing is a failure.
    Nothing,
}

impl Options {
    pub fn new(folders: Vec<Folder>) -> Self {
        Self {
            folders,
            filter: None,
            only: None,
            limits: Limits { time: TIME, ..Limits::default() },
            jobs: 1,
            fail_fast: false,
            world: Arc::new(Closed),
            live: None,
            snapshots: Keeping::default(),
            coverage: None,
            tokens: false,
            record: false,
            abandoned: Arc::default(),
        }
    }

    pub(crate) fn wants(&self, file: &str, test: &str) -> bool {
        self.filter.as_ref().is_none_or(|part| format!("{file}::{test}").contains(part))
    }
}
