//! What a test does with a recording: nothing, make one, or play one.

use super::hidden::Hidden;
use super::recorder::Recorder;
use super::replayer::Replayer;
use super::{Recording, Recordings};
use model::{Fault, World};
use std::path::Path;
use std::sync::Arc;

pub(crate) enum Tape {
    Blank,
    Records(Arc<Recorder>),
    Plays(Arc<Replayer>),
    /// There is one that cannot be read.
    Broken(String),
}

impl Tape {
    pub(crate) fn record<'r>(real: &Arc<dyn World>, roots: impl Iterator<Item = &'r Path>) -> Self {
        Self::Records(Arc::new(Recorder::new(Arc::clone(real), roots)))
    }

    /// The recording of a test, if there is one.
    pub(crate) fn of<'r>(
        recordings: &Recordings,
        test: &str,
        real: &Arc<dyn World>,
        roots: impl Iterator<Item = &'r Path>,
    ) -> Self {
        match recordings.get(test) {
            Ok(None) => Self::Blank,
            Ok(Some(recording)) => {
                let replayer = Replayer::new(Arc::clone(real), roots, recording, test);
                Self::Plays(Arc::new(replayer))
            }
            Err(why) => Self::Broken(why),
        }
    }

    /// The world behind the scenes, if it is another one.
    pub(crate) fn world(&self) -> Option<Arc<dyn World>> {
        match self {
            Self::Blank | Self::Broken(_) => None,
            Self::Records(recorder) => Some(Arc::clone(recorder) as Arc<dyn World>),
            Self::Plays(replayer) => Some(Arc::clone(replayer) as Arc<dyn World>),
        }
    }

    fn hidden(&self) -> Option<&Hidden> {
        match self {
            Self::Records(recorder) => Some(&recorder.hidden),
            Self::Plays(replayer) => Some(&replayer.hidden),
            Self::Blank | Self::Broken(_) => None,
        }
    }

    /// A secret that the test gives.
    pub(crate) fn secret(&self, name: &str, value: &str) {
        self.hidden().map(|hidden| hidden.secret(name, value));
    }

    /// A text for a file, without what no file may hold.
    pub(crate) fn cover(&self, text: String) -> String {
        match self.hidden() {
            Some(hidden) => hidden.cover_text(text),
            None => text,
        }
    }

    /// A request that was made and could not be answered.
    pub(crate) fn unanswered(&self) -> Option<String> {
        match self {
            Self::Plays(replayer) => replayer.unanswered(),
            Self::Broken(why) => Some(why.clone()),
            Self::Blank | Self::Records(_) => None,
        }
    }

    pub(crate) fn unused(&self) -> Option<Fault> {
        match self {
            Self::Plays(replayer) => replayer.unused(),
            _ => None,
        }
    }

    /// What was recorded, if that was wanted.
    pub(crate) fn recording(&self) -> Result<Option<Recording>, String> {
        match self {
            Self::Records(recorder) => recorder.recording().map(Some),
            _ => Ok(None),
        }
    }
}
