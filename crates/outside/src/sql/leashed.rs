//! Holds work to the call that wants it.

use model::{HostError, Leash};
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// How often somebody looks whether the call is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// Why work must end, if it must.
pub(crate) fn over(leash: &Leash) -> Option<HostError> {
    if leash.cancel.is_cancelled() {
        return Some(HostError("the call was cancelled".into()));
    }
    let is_up = leash.left().is_zero();
    is_up.then(|| HostError("the time is up".into()))
}

/// Waits for something as long as the call does.
pub(crate) async fn held<T>(leash: &Leash, work: impl Future<Output = T>) -> Result<T, HostError> {
    let mut work = pin!(work);
    loop {
        if let Some(over) = over(leash) {
            return Err(over);
        }
        if let Ok(done) = timeout(LOOK.min(leash.left()), work.as_mut()).await {
            return Ok(done);
        }
    }
}
