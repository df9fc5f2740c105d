//! Several waits at once, on threads that live as long as the waiting.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const MOST_THREADS: usize = 16;

/// The answers for 0 up to `count`, in that order.
pub(crate) fn together<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(count));
    let in_turn = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return;
            }
            let answer = work(index);
            let mut answers = answers.lock();
            answers.push((index, answer));
        }
    };
    thread::scope(|scope| {
        for _ in 1..count.min(MOST_THREADS) {
            let thread = thread::Builder::new().name("together".into());
            // Without it, fewer go at once.
            if thread.spawn_scoped(scope, in_turn).is_err() {
                break;
            }
        }
        in_turn();
    });
    let mut answers = answers.into_inner();
    answers.sort_unstable_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn sixteen_wait_at_once() {
        // Nobody passes before sixteen are there.
        let barrier = Barrier::new(MOST_THREADS);
        let answers = together(32, |index| {
            barrier.wait();
            index * 2
        });
        assert_eq!(answers, (0..32).map(|i| i * 2).collect::<Vec<_>>());
    }

    #[test]
    fn never_more_than_sixteen() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        together(200, |_| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
        });
        assert!(most.into_inner() <= MOST_THREADS);
        assert_eq!(together(0, |_| 1), Vec::<i32>::new());
    }
}
