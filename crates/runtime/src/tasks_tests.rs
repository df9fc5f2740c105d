//! Tasks in a world without a clock and without chance: it is always the year 1970.

use super::*;
use crate::closed::Closed;
use model::Args;
use serde_json::Value;

fn body() -> TaskBody {
    TaskBody {
        tool: "brew".into(),
        args: Args::new(),
        message: None,
        outcome: None,
        memo: Value::Null,
    }
}

/// A task that somebody else works on.
fn task(id: &str) -> Task {
    Task {
        id: id.into(),
        owner: "ada".into(),
        status: TaskStatus::Working,
        created_ms: -10,
        updated_ms: -10,
        expires_ms: 10,
        runner: "elsewhere".into(),
        lease_ms: 1,
        body: body(),
    }
}

struct Desk {
    _dir: tempfile::TempDir,
    store: Store,
    tasks: Tasks,
}

fn desk() -> Desk {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let bounds = Bounds { tasks: 1, ..Bounds::default() };
    let tasks = Tasks::new(store.clone(), Arc::new(Closed), &bounds);
    Desk { _dir: dir, store, tasks }
}

impl Desk {
    async fn status(&self, id: &str) -> Option<TaskStatus> {
        let task = self.tasks.get(id, "ada").await.unwrap();
        task.map(|task| task.status)
    }

    fn begin(&self, id: &str) -> (Work, CancellationToken) {
        self.store.add_task(&task(id)).unwrap();
        let cancel = CancellationToken::new();
        let work = self.tasks.go_on(&task(id), cancel.clone(), Words::default());
        (work, cancel)
    }
}

#[tokio::test]
async fn who_has_gone_silent_has_ended() {
    let desk = desk();
    let silent = Task { lease_ms: -1, ..task("silent") };
    let over = Task { expires_ms: 0, ..task("over") };
    for task in [task("alive"), silent, over] {
        desk.store.add_task(&task).unwrap();
    }
    assert_eq!(desk.status("alive").await, Some(TaskStatus::Working));
    assert_eq!(desk.status("over").await, None);
    let lost = desk.tasks.get("silent", "ada").await.unwrap().unwrap();
    assert_eq!(lost.status, TaskStatus::Failed);
    assert_eq!(lost.body.message.as_deref(), Some(LOST));
    assert_eq!(desk.status("silent").await, Some(TaskStatus::Failed));
}

#[tokio::test]
async fn others_see_nothing() {
    let desk = desk();
    desk.store.add_task(&task("a")).unwrap();
    let tasks = &desk.tasks;
    assert_eq!(tasks.get("a", "bob").await.unwrap(), None);
    assert!(!tasks.cancel("a", "bob").await.unwrap());
    let working = TaskStatus::Working;
    let changed = tasks.change("a", "bob", working, |_| panic!("not his"));
    assert_eq!(changed.await.unwrap(), None);
    assert_eq!(desk.status("a").await, Some(working));
}

#[tokio::test]
async fn the_first_end_is_the_end() {
    let desk = desk();
    let (work, cancel) = desk.begin("a");
    assert!(desk.tasks.cancel("a", "ada").await.unwrap());
    assert!(cancel.is_cancelled());
    work.end(TaskStatus::Completed, |body| {
        body.message = Some("late".into());
    })
    .await;
    assert_eq!(desk.status("a").await, Some(TaskStatus::Cancelled));
    let (work, cancel) = desk.begin("b");
    work.end(TaskStatus::Completed, |_| {}).await;
    assert!(desk.tasks.cancel("b", "ada").await.unwrap());
    assert!(!cancel.is_cancelled());
    assert_eq!(desk.status("b").await, Some(TaskStatus::Completed));
}

/// A task that another server has cancelled is heard of with the next beat.
#[tokio::test]
async fn a_server_hears_what_others_have_ended() {
    let desk = desk();
    let (_work, cancel) = desk.begin("a");
    desk.store
        .change_task("a", "ada", |task| {
            task.runner = String::new();
            task.status = TaskStatus::Cancelled;
            true
        })
        .unwrap();
    desk.tasks.renew().await.unwrap();
    assert!(cancel.is_cancelled());
}

#[tokio::test]
async fn places_are_given_back() {
    let desk = desk();
    let first = desk.tasks.place();
    assert!(matches!(desk.tasks.place(), Err(1)));
    drop(first);
    let (mut work, _) = desk.begin("a");
    work.enter().await;
    assert!(matches!(desk.tasks.place(), Err(1)));
    drop(work);
    assert!(desk.tasks.place().is_ok());
}

#[tokio::test]
async fn what_is_under_way_can_be_waited_for_and_closed() {
    let desk = desk();
    desk.tasks.all_done().await;
    let (work, cancel) = desk.begin("a");
    let follow = tokio::spawn(async move {
        cancel.cancelled().await;
        work.end(TaskStatus::Failed, |_| {}).await;
    });
    desk.tasks.close().await;
    follow.await.unwrap();
    assert_eq!(desk.status("a").await, Some(TaskStatus::Failed));
}

#[tokio::test]
async fn what_cannot_be_kept_is_said() {
    let desk = desk();
    let place = desk.tasks.place().unwrap_or_else(|most| panic!("{most}"));
    let added = desk.tasks.add("ada", body(), place, CancellationToken::new(), Words::default());
    let (why, _place) = added.await.err().unwrap();
    assert_eq!(why, "there is no world outside here");
}
