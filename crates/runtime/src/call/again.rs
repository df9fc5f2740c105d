//! Calls that need not be made: their answer was given before, and holds.

use super::Job;
use super::error::CallError;
use crate::answers::{Keeping, Kept, Key, Who};
use model::{Output, Structured};

impl Job {
    /// The answer, if there is one; else how this call's may be kept, if it may be.
    pub(super) fn kept(&mut self) -> Result<Output, Option<Keeping>> {
        let tool = &self.handle.tool().tool;
        let Some(cache) = tool.cache.filter(|_| self.runtime.answers().has_room()) else {
            return Err(None);
        };
        let who = (!cache.public).then(|| Who::of(&self.caller, &self.catalog));
        let wants_all = self.structured == Structured::Any;
        let shape = format!("{:?} {wants_all}", self.shape);
        let name = tool.name.to_string();
        let key = Key::new(&self.handle.module, name, &self.args, shape, who);
        if let Some(kept) = self.runtime.answers().get(&key)
            && let Kept::Output(output) = &*kept
        {
            let mut output = output.clone();
            output.cached = true;
            return Ok(output);
        }
        let keeping = Keeping::begin(key, cache, &mut self.asker);
        self.spoilt = Some(keeping.spoilt.clone());
        Err(Some(keeping))
    }
}

impl Keeping {
    /// What went wrong is nobody else's, and what was asked on the way is not either.
    pub(super) fn keep(self, runtime: &crate::Runtime, result: &Result<Output, CallError>) {
        if let Ok(output) = result
            && !output.is_error
        {
            self.put(runtime.answers(), Kept::Output(output.clone()));
        }
    }
}
