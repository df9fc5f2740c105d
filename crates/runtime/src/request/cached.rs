//! Requests that need not run: their result is cached.

use super::RequestReply;
use super::prepare::PreparedRequest;
use super::target::{FoundTarget, TargetType};
use crate::answers::{Key, PendingResult, Who};

impl<T: TargetType> PreparedRequest<T> {
    /// The cached result, if there is one; else how this one may be cached, if it may be.
    pub(super) fn look_up_cache(&mut self) -> Result<T::Reply, Option<PendingResult>> {
        let answers = self.runtime.answers();
        let Some(cache) = T::cache(&self.found).filter(|_| answers.has_room()) else {
            return Err(None);
        };
        let who = Who::of(&self.asking.caller, &self.catalog);
        let (name, shape) = self.target.cache_key(&self.found, &self.catalog);
        let args = self.target.cache_args();
        let key = Key::new(self.found.module(), name, args, shape, &who, cache);
        if let Some(found) = answers.get(&key, &who, &*self.runtime.ground().world)
            && let Some(reply) = T::Reply::from_cache(&found.kept)
        {
            if let Some(outer) = &self.tracker {
                outer.record_result(&found);
            }
            return Ok(reply);
        }
        let outer = self.tracker.take();
        let pending = PendingResult::begin(key, who, cache, outer, &mut self.asking.asker);
        self.tracker = Some(pending.tracker.clone());
        Err(Some(pending))
    }
}
