//! What every module stands on: the folders, the limits, the threads, the store.

use crate::abandoned::AbandonedThreads;
use crate::answers::Answers;
use crate::disk::Folder;
use crate::own::Own;
use crate::pool::Pool;
use crate::request::Lines;
use crate::runtime::Settings;
use crate::stops::Stops;
use crate::updates::Updates;
use model::{Limits, World};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;
use store::Store;

pub(crate) struct Ground {
    pub(crate) folders: Vec<Folder>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) pool: Pool,
    pub(crate) abandoned: Arc<AbandonedThreads>,
    pub(crate) store: Store,
    /// Where word of changed resources goes.
    pub(crate) updates: Updates,
    pub(crate) world: Arc<dyn World>,
    /// What is the server's own from the start.
    pub(crate) own: Arc<Own>,
    pub(crate) lives: Lives,
    pub(crate) stops: Stops,
    /// Answers that may be given again.
    pub(crate) answers: Answers,
    /// Hooks are not run: somebody only looks.
    pub(crate) asleep: bool,
    /// Files in starlark-mcp's form are not loaded.
    pub(crate) refuses_extensions: bool,
    /// Hears what scripts print and log, in the log's stead.
    pub(crate) hearer: Option<Lines>,
}

impl Ground {
    pub(crate) fn new(settings: &Settings) -> Self {
        let store = if settings.forgets {
            Store::in_memory()
        } else {
            Store::at(settings.project.data_dir())
        };
        // In a test each call is to run.
        let room = if settings.forgets { 0 } else { settings.project.project().bounds.cache };
        Self {
            folders: folders(settings),
            limits: Arc::new(settings.project.project().bounds.limits()),
            pool: Pool::default(),
            abandoned: Arc::clone(&settings.abandoned),
            store,
            updates: Updates::default(),
            world: Arc::clone(&settings.world),
            own: Arc::clone(settings.project.own()),
            lives: Lives::default(),
            stops: Stops::default(),
            answers: Answers::new(room),
            asleep: settings.asleep,
            refuses_extensions: settings.refuses_extensions,
            hearer: settings.hearer.clone(),
        }
    }
}

fn folders(settings: &Settings) -> Vec<Folder> {
    let folders = settings.folders.iter().map(Folder::new);
    folders.map(|folder| folder.with_unsaved(Arc::clone(&settings.unsaved))).collect()
}

/// How many lives there are that must be stopped, and have not been.
#[derive(Default)]
pub(crate) struct Lives {
    count: Mutex<usize>,
    fewer: Condvar,
}

impl Lives {
    pub(crate) fn begin(&self) {
        *self.count.lock() += 1;
    }

    pub(crate) fn end(&self) {
        *self.count.lock() -= 1;
        self.fewer.notify_all();
    }

    /// Waits until all have ended; answers how many have not in time.
    pub(crate) fn wait(&self, patience: Duration) -> usize {
        let mut count = self.count.lock();
        self.fewer.wait_while_for(&mut count, |count| *count > 0, patience);
        *count
    }
}
