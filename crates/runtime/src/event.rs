//! What happened to a file, for whoever watches.

use crate::library::{Kind, Trouble};
use crate::registry::Choice;
use model::{Fault, ModuleName};
use std::time::Duration;

/// Something worth telling whoever watches.
#[derive(Debug, Clone)]
pub struct Event {
    /// The file as people know it.
    pub file: String,
    pub module: Option<ModuleName>,
    pub change: Change,
    pub took: Duration,
}

/// How much of each a module offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    pub tools: usize,
    pub resources: usize,
    pub prompts: usize,
}

#[derive(Debug, Clone)]
pub enum Change {
    Loaded(Offers),
    Reloaded(Offers),
    Removed,
    /// Clients see another surface from now on, or would after a restart.
    Surface(Choice),
    /// One of its tools is not listed, though the module is served.
    Unlisted {
        fault: Fault,
    },
    /// It is served without the tools that are invalid.
    Partial {
        fault: Fault,
    },
    /// A test was saved: nothing is served differently, but whoever runs tests wants to know.
    Tests,
    /// Something it depends on does not run.
    Waiting {
        fault: Fault,
    },
    /// It was stopped since it left too many threads behind.
    Halted {
        fault: Fault,
    },
    /// It cannot be loaded; `still_served` says whether an earlier version goes on.
    Broken {
        fault: Fault,
        still_served: bool,
    },
}

impl Change {
    /// What there is to tell of a module that is in trouble.
    pub(crate) fn of(trouble: &Trouble, still_served: bool) -> Option<Self> {
        match trouble.kind {
            Kind::Stopped | Kind::Disabled => None,
            Kind::Halted => Some(Self::Halted { fault: trouble.fault.clone() }),
            Kind::Waiting if !still_served => Some(Self::Waiting { fault: trouble.fault.clone() }),
            Kind::Broken | Kind::Misplaced | Kind::Waiting => {
                Some(Self::Broken { fault: trouble.fault.clone(), still_served })
            }
        }
    }
}
