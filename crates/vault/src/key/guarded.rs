//! Other processes of the same user cannot look into this one: commands that scripts run are such
//! processes, and `/proc` would show them our memory and our environment, with keys and tokens in them.

use std::sync::Once;

static GUARDED: Once = Once::new();

/// From now on, and for as long as it runs. Debuggers and core dumps are processes like others: they need
/// a superuser then.
pub fn guard() {
    GUARDED.call_once(|| {
        #[cfg(target_os = "linux")]
        if let Err(error) =
            rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        {
            tracing::warn!("other processes may look into this one: {error}");
        }
    });
}
