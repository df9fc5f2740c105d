//! Calls that go on while their clients do something else: what is known of one, who may ask, and
//! what becomes of it when its server ends. What is known is in the store before anybody hears of it.

use model::{Task, TaskBody, TaskStatus, World, hex_digits};
use parking_lot::Mutex;
use settings::Bounds;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::{Store, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// A server that has not been heard of for so long has ended.
const LEASE: Duration = Duration::from_secs(30);
/// How often a server says that it is at work.
const BEAT: Duration = Duration::from_secs(10);

/// A clone shares.
#[derive(Clone)]
pub struct Tasks(Arc<Inner>);

struct Inner {
    store: Store,
    world: Arc<dyn World>,
    /// What this server goes by.
    runner: String,
    bounds: Bounds,
    places: Arc<Semaphore>,
    under_way: watch::Sender<HashMap<String, UnderWay>>,
    beating: AtomicBool,
}

struct UnderWay {
    cancel: CancellationToken,
    words: Words,
}

/// The last words of progress: they are only worth something while the call runs.
#[derive(Clone, Default)]
pub struct Words(Arc<Mutex<Option<String>>>);

impl Words {
    pub fn say(&self, words: String) {
        *self.0.lock() = Some(words);
    }

    fn last(&self) -> Option<String> {
        self.0.lock().clone()
    }
}

/// A place among those that may be under way at one time.
pub struct TaskPlace(#[expect(dead_code, reason = "held, not used")] OwnedSemaphorePermit);

/// A task that this server works on; dropped when it does not any more.
pub struct Work {
    tasks: Tasks,
    id: String,
    owner: String,
    place: Option<TaskPlace>,
}

impl Tasks {
    pub(crate) fn new(store: Store, world: Arc<dyn World>, bounds: &Bounds) -> Self {
        let runner = world.random(16).map(|bytes| hex_digits(&bytes));
        Self(Arc::new(Inner {
            store,
            world,
            // Without chance nothing is begun either: see `add`.
            runner: runner.unwrap_or_default(),
            places: Arc::new(Semaphore::new(bounds.tasks.min(Semaphore::MAX_PERMITS))),
            bounds: *bounds,
            under_way: watch::Sender::default(),
            beating: AtomicBool::new(false),
        }))
    }

    /// A place, or how many there are.
    pub fn place(&self) -> Result<TaskPlace, usize> {
        let place = Arc::clone(&self.0.places).try_acquire_owned();
        place.map(TaskPlace).map_err(|_| self.0.bounds.tasks)
    }

    /// Makes a task of a call that runs already.
    pub async fn add(
        &self,
        owner: &str,
        body: TaskBody,
        place: TaskPlace,
        cancel: CancellationToken,
        words: Words,
    ) -> Result<(Task, Work), (String, TaskPlace)> {
        let task = match self.new_task(owner, body) {
            Ok(task) => task,
            Err(why) => return Err((why, place)),
        };
        let kept = task.clone();
        match self.with_store(move |store| store.add_task(&kept)).await {
            Ok(true) => {
                let mut work = self.go_on(&task, cancel, words);
                work.place = Some(place);
                Ok((task, work))
            }
            Ok(false) => Err((format!("{} tasks are kept already", store::MOST_TASKS), place)),
            Err(error) => Err((error.to_string(), place)),
        }
    }

    fn new_task(&self, owner: &str, body: TaskBody) -> Result<Task, String> {
        let id = self.0.world.random(16).map_err(|error| error.0)?;
        let now = self.0.world.now_ms();
        let life = self.0.bounds.task_time.saturating_add(self.0.bounds.task_keep);
        Ok(Task {
            id: hex_digits(&id),
            owner: owner.to_owned(),
            status: TaskStatus::Working,
            created_ms: now,
            updated_ms: now,
            expires_ms: now.saturating_add(millis(life)),
            runner: self.0.runner.clone(),
            lease_ms: now.saturating_add(millis(LEASE)),
            body,
        })
    }

    /// Works on a task from now on; one that was answered has no place yet.
    pub fn go_on(&self, task: &Task, cancel: CancellationToken, words: Words) -> Work {
        let under_way = UnderWay { cancel, words };
        self.0.under_way.send_modify(|all| {
            all.insert(task.id.clone(), under_way);
        });
        if !self.0.beating.swap(true, Ordering::AcqRel) {
            tokio::spawn(self.clone().beat());
        }
        Work { tasks: self.clone(), id: task.id.clone(), owner: task.owner.clone(), place: None }
    }

    /// The task as it is now. One whose server has ended without a word has failed.
    pub async fn get(&self, id: &str, owner: &str) -> Result<Option<Task>, StoreError> {
        let (key, of) = (id.to_owned(), owner.to_owned());
        let found = self.with_store(move |store| store.task(&key, &of)).await?;
        let now = self.0.world.now_ms();
        let Some(mut task) = found.filter(|task| task.expires_ms > now) else {
            return Ok(None);
        };
        let running = self.0.under_way.borrow().get(id).map(|at| at.words.last());
        match running {
            Some(words) if task.status == TaskStatus::Working => task.body.message = words,
            None if self.has_lapsed(&task) => {
                let lapsed = |task: &mut Task| task.body.message = Some(LOST.into());
                let lost = self.finish(id, owner, TaskStatus::Failed, lapsed).await?;
                return Ok(lost);
            }
            _ => {}
        }
        Ok(Some(task))
    }

    fn has_lapsed(&self, task: &Task) -> bool {
        task.status == TaskStatus::Working && task.lease_ms < self.0.world.now_ms()
    }

    /// Changes a task whose status this is still, and answers with what it is then.
    pub async fn change(
        &self,
        id: &str,
        owner: &str,
        while_it: TaskStatus,
        change: impl FnOnce(&mut Task) + Send + 'static,
    ) -> Result<Option<Task>, StoreError> {
        let now = self.0.world.now_ms();
        let (runner, lease) = (self.0.runner.clone(), now.saturating_add(millis(LEASE)));
        let (id, owner) = (id.to_owned(), owner.to_owned());
        let change = move |task: &mut Task| {
            let right = task.status == while_it && task.expires_ms > now;
            if right {
                change(task);
                (task.updated_ms, task.runner, task.lease_ms) = (now, runner, lease);
            }
            right
        };
        self.with_store(move |store| store.change_task(&id, &owner, change)).await
    }

    /// The first end is the end.
    async fn finish(
        &self,
        id: &str,
        owner: &str,
        status: TaskStatus,
        change: impl FnOnce(&mut Task) + Send + 'static,
    ) -> Result<Option<Task>, StoreError> {
        let end = move |task: &mut Task| {
            task.status = status;
            change(task);
        };
        self.change(id, owner, TaskStatus::Working, end).await
    }

    /// Ends a task, if it has not ended; answers whether there is one.
    pub async fn cancel(&self, id: &str, owner: &str) -> Result<bool, StoreError> {
        let cancel = |task: &mut Task| task.status = TaskStatus::Cancelled;
        let mut found = None;
        for status in [TaskStatus::Working, TaskStatus::InputRequired] {
            found = self.change(id, owner, status, cancel).await?;
        }
        let now = self.0.world.now_ms();
        let Some(task) = found.filter(|task| task.expires_ms > now) else {
            return Ok(false);
        };
        if task.status == TaskStatus::Cancelled
            && let Some(under_way) = self.0.under_way.borrow().get(id)
        {
            under_way.cancel.cancel();
        }
        Ok(true)
    }

    /// Says that this server is at work, as long as it is, and hears what others have ended.
    async fn beat(self) {
        loop {
            tokio::time::sleep(BEAT).await;
            if self.0.under_way.borrow().is_empty() {
                self.0.beating.store(false, Ordering::Release);
                // Whoever began just now may have seen the old mark.
                let idle = self.0.under_way.borrow().is_empty();
                if idle || self.0.beating.swap(true, Ordering::AcqRel) {
                    return;
                }
            }
            if let Err(error) = self.renew().await {
                tracing::warn!("tasks could not be kept alive: {error}");
            }
        }
    }

    async fn renew(&self) -> Result<(), StoreError> {
        let until = self.0.world.now_ms().saturating_add(millis(LEASE));
        let runner = self.0.runner.clone();
        let renewed = self.with_store(move |store| store.renew_tasks(&runner, until));
        self.stop(&renewed.await?);
        Ok(())
    }

    fn stop(&self, ended: &[String]) {
        let under_way = self.0.under_way.borrow();
        for task in ended.iter().filter_map(|id| under_way.get(id)) {
            task.cancel.cancel();
        }
    }

    /// Nothing is under way.
    pub async fn all_done(&self) {
        // The sender is ours: it cannot go away meanwhile.
        let _ = self.0.under_way.subscribe().wait_for(HashMap::is_empty).await;
    }

    /// Ends what is under way; it has failed then.
    pub async fn close(&self) {
        for under_way in self.0.under_way.borrow().values() {
            under_way.cancel.cancel();
        }
        self.all_done().await;
    }

    async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.0.store.clone();
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(done) => done,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }
}

const LOST: &str = "the server that worked on it has ended; call the tool again";

impl Work {
    /// Waits for a place.
    pub async fn enter(&mut self) {
        let place = Arc::clone(&self.tasks.0.places).acquire_owned().await;
        // Nobody closes the places.
        self.place = place.ok().map(TaskPlace);
    }

    /// Keeps what the work has come to; what was cancelled meanwhile stays so.
    pub async fn end(
        mut self,
        status: TaskStatus,
        change: impl FnOnce(&mut TaskBody) + Send + 'static,
    ) {
        // Whoever sees the end may begin something else.
        self.place = None;
        let change = |task: &mut Task| change(&mut task.body);
        let ended = self.tasks.finish(&self.id, &self.owner, status, change).await;
        if let Err(error) = ended {
            tracing::error!(task = self.id, "what a task led to is lost: {error}");
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let under_way = &self.tasks.0.under_way;
        under_way.send_modify(|all| {
            all.remove(&self.id);
        });
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[path = "tasks_tests.rs"]
mod tests;
