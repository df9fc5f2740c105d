//! The system's keyring. It may be missing, locked or waiting for somebody to click, so that nobody
//! here waits for it without end.

use crate::VaultError;
use keyring::v1::{Entry, Error};
use std::sync::mpsc::channel;
use std::time::Duration;
use zeroize::Zeroizing;

const SERVICE: &str = "larkspur";
const NAME: &str = "vault";

/// Where there is none, that is known within this.
const TO_ANSWER: Duration = Duration::from_millis(900);
/// Somebody may have to unlock it.
const TO_UNLOCK: Duration = Duration::from_mins(1);

pub(super) fn is_there() -> bool {
    within(TO_ANSWER, || Entry::store_status().is_ok()).unwrap_or(false)
}

pub(super) fn read() -> Result<Option<Zeroizing<String>>, VaultError> {
    let read = || match Entry::new(SERVICE, NAME).and_then(|entry| entry.get_password()) {
        Ok(text) => Ok(Some(Zeroizing::new(text))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(error.to_string()),
    };
    within(TO_UNLOCK, read)
        .unwrap_or_else(|| Err("it does not answer".into()))
        .map_err(VaultError::Keyring)
}

pub(super) fn write(text: &str) -> Result<(), VaultError> {
    let text = Zeroizing::new(text.to_owned());
    let write = move || {
        let entry = Entry::new(SERVICE, NAME);
        let written = entry.and_then(|entry| entry.set_password(&text));
        written.map_err(|error| error.to_string())
    };
    within(TO_UNLOCK, write)
        .unwrap_or_else(|| Err("it does not answer".into()))
        .map_err(VaultError::Keyring)
}

/// On a thread of its own, which is left behind if it takes longer.
fn within<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (tell, told) = channel();
    let thread = std::thread::Builder::new().name("keyring".into());
    let spawned = thread.spawn(move || drop(tell.send(work())));
    spawned.ok()?;
    told.recv_timeout(time).ok()
}
