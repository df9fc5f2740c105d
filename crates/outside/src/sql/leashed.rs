//! Holds work to its term.

use crate::term::Term;
use model::HostError;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// How often somebody looks whether the call is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// Waits for something as long as it may take.
pub(crate) async fn held<T>(term: &Term, work: impl Future<Output = T>) -> Result<T, HostError> {
    let mut work = pin!(work);
    loop {
        if let Some(over) = term.over() {
            return Err(over);
        }
        if let Ok(done) = timeout(LOOK.min(term.left()), work.as_mut()).await {
            return Ok(done);
        }
    }
}
