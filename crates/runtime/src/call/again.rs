//! Calls that need not be made: their result is cached.

use super::Job;
use crate::answers::{Kept, Key, PendingResult, Who};
use crate::request::RequestError;
use model::Output;

impl Job {
    /// The cached result, if there is one; else how this call's may be cached, if it may be.
    pub(super) fn kept(&mut self) -> Result<Output, Option<PendingResult>> {
        let tool = &self.handle.tool().tool;
        let Some(cache) = tool.cache.filter(|_| self.runtime.answers().has_room()) else {
            return Err(None);
        };
        let who = Who::of(&self.caller, &self.catalog);
        let shape = format!("{:?} {:?}", self.shape, self.structured());
        let name = tool.name.to_string();
        let key = Key::new(&self.handle.module, name, &self.args, shape, &who, cache);
        let ground = self.runtime.ground();
        let found = ground.answers.get(&key, &who, &*ground.world);
        if let Some(found) = found
            && let Kept::Output(output) = &found.kept
        {
            if let Some(outer) = &self.tracker {
                outer.record_result(&found);
            }
            let mut output = output.clone();
            output.cached = true;
            return Ok(output);
        }
        let outer = self.tracker.take();
        let pending = PendingResult::begin(key, who, cache, outer, &mut self.asker);
        self.tracker = Some(pending.tracker.clone());
        Err(Some(pending))
    }
}

impl PendingResult {
    /// Errors are not cached.
    pub(super) fn keep(self, runtime: &crate::Runtime, result: &Result<Output, RequestError>) {
        if let Ok(output) = result
            && !output.is_error
        {
            self.put(runtime.answers(), Kept::Output(output.clone()));
        }
    }
}
