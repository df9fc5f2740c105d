//! Threads for scripts: made when needed, kept a while, of lower priority, with room for deep recursion.

use crate::priority::lower_priority_for_calls;
use model::{Cancel, ComputeSlot, ComputeSlots};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// Only what is touched is used.
const STACK: usize = 64 << 20;
const IDLE: Duration = Duration::from_secs(10);

/// A clone shares the threads.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    slots: ComputeSlots,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
}

impl Pool {
    /// The slot in which a call computes on a thread of ours.
    pub(crate) fn slot(&self, cancel: Cancel) -> ComputeSlot {
        self.0.slots.enter(cancel)
    }

    /// Runs the job on a thread of ours; how many there are is the admission's business.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let mut state = self.0.state.lock();
        state.jobs.push_back(Box::new(job));
        if state.jobs.len() <= state.idle {
            self.0.wake.notify_one();
            return Ok(());
        }
        drop(state);
        let shared = Arc::clone(&self.0);
        std::thread::Builder::new()
            .name("script".into())
            .stack_size(STACK)
            .spawn(move || {
                lower_priority_for_calls();
                shared.work();
            })
            .map(|_| ())
    }
}

impl Shared {
    fn work(&self) {
        while let Some(job) = self.next() {
            job();
        }
    }

    /// The next job, or nothing when there has been none for a while.
    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state.idle += 1;
            let waited = self.wake.wait_for(&mut state, IDLE);
            state.idle -= 1;
            if waited.timed_out() && state.jobs.is_empty() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[cfg(target_os = "linux")]
    #[test]
    fn only_pool_threads_are_lowered() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let (before, (sender, receiver)) = (nice(), mpsc::channel());
        Pool::default().run(move || sender.send(nice()).unwrap()).unwrap();
        let lowered = receiver.recv().unwrap();
        assert_eq!([lowered, nice()], [(before + 10).min(19), before]);
    }

    #[test]
    fn jobs_run_at_once_even_when_others_wait() {
        let pool = Pool::default();
        let (release, wait) = mpsc::channel::<()>();
        let (done, ended) = mpsc::channel();
        pool.run(move || wait.recv().unwrap()).unwrap();
        for i in 0..50 {
            let done = done.clone();
            pool.run(move || done.send(i).unwrap()).unwrap();
        }
        let mut got: Vec<i32> =
            (0..50).map(|_| ended.recv_timeout(Duration::from_secs(10)).unwrap()).collect();
        got.sort_unstable();
        assert_eq!(got, (0..50).collect::<Vec<_>>());
        release.send(()).unwrap();
    }
}
