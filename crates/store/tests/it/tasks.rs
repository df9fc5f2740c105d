//! Tasks: whose they are, how they change, and when they are forgotten.

use model::{Args, Task, TaskBody, TaskStatus};
use rusqlite::params;
use serde_json::json;
use store::{MOST_TASKS, Store};

use crate::{assert_sound, raw};

fn task(id: &str, owner: &str) -> Task {
    Task {
        id: id.into(),
        owner: owner.into(),
        status: TaskStatus::Working,
        created_ms: 1_000,
        updated_ms: 1_000,
        expires_ms: 5_000,
        runner: "here".into(),
        lease_ms: 2_000,
        body: TaskBody {
            tool: "brew".into(),
            args: Args::from_iter([("what".to_owned(), json!("tea"))]),
            message: None,
            outcome: Some(json!({"n": 12_345_678_901_234_567_890_u64})),
            memo: json!([1]),
        },
    }
}

#[test]
fn a_task_is_its_owners() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    assert_eq!(store.task("a", "ada").unwrap(), None);
    assert!(store.add_task(&task("a", "ada")).unwrap());
    let later = Store::at(dir.path());
    assert_eq!(later.task("a", "ada").unwrap(), Some(task("a", "ada")));
    assert_eq!(later.task("a", "bob").unwrap(), None);
    assert_eq!(later.task("b", "ada").unwrap(), None);
    let changed = later.change_task("a", "bob", |_| panic!("it is not his"));
    assert_eq!(changed.unwrap(), None);
    assert_sound(dir.path());
}

#[test]
fn a_change_is_kept_where_there_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.add_task(&task("a", "ada")).unwrap();
    let ended = store.change_task("a", "ada", |task| {
        task.status = TaskStatus::Completed;
        task.updated_ms = 1_500;
        task.body.outcome = Some(json!("tea"));
        true
    });
    let ended = ended.unwrap().unwrap();
    assert_eq!(store.task("a", "ada").unwrap(), Some(ended.clone()));
    let refused = store.change_task("a", "ada", |task| {
        task.status = TaskStatus::Cancelled;
        false
    });
    assert_eq!(refused.unwrap().unwrap().status, TaskStatus::Cancelled);
    assert_eq!(store.task("a", "ada").unwrap(), Some(ended));
}

#[test]
fn every_status_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.add_task(&task("a", "ada")).unwrap();
    for status in TaskStatus::ALL {
        let set = |task: &mut Task| {
            task.status = status;
            true
        };
        store.change_task("a", "ada", set).unwrap();
        assert_eq!(store.task("a", "ada").unwrap().unwrap().status, status);
    }
    raw(dir.path()).execute("UPDATE tasks SET status = 'odd'", []).unwrap();
    let error = store.task("a", "ada").unwrap_err().to_string();
    assert!(error.contains("`odd` is no status"), "{error}");
}

#[test]
fn a_server_keeps_its_own_alive_and_hears_what_was_ended() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    assert_eq!(store.renew_tasks("here", 9_000).unwrap(), [""; 0]);
    for id in ["a", "b"] {
        store.add_task(&task(id, "ada")).unwrap();
    }
    let there = Task { runner: "there".into(), ..task("c", "ada") };
    store.add_task(&there).unwrap();
    let cancel = |task: &mut Task| {
        task.status = TaskStatus::Cancelled;
        true
    };
    store.change_task("b", "ada", cancel).unwrap();
    assert_eq!(store.renew_tasks("here", 9_000).unwrap(), ["b"]);
    let lease = |id: &str| store.task(id, "ada").unwrap().unwrap().lease_ms;
    assert_eq!(["a", "b", "c"].map(lease), [9_000, 2_000, 2_000]);
}

#[test]
fn what_is_over_makes_room() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.add_task(&task("a", "ada")).unwrap();
    raw(dir.path())
        .execute(
            "WITH RECURSIVE more(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM more WHERE n < ?1)
             INSERT INTO tasks SELECT 'x' || n, owner, status, created, updated, expires, runner,
             lease, body FROM more, tasks WHERE tasks.id = 'a'",
            params![MOST_TASKS.cast_signed()],
        )
        .unwrap();
    assert!(!store.add_task(&task("b", "ada")).unwrap());
    assert_eq!(store.task("b", "ada").unwrap(), None);
    let later = Task { created_ms: 5_001, ..task("b", "ada") };
    assert!(store.add_task(&later).unwrap());
    assert_eq!(store.task("a", "ada").unwrap(), None);
    assert_eq!(store.task("b", "ada").unwrap(), Some(later));
}

#[test]
fn a_database_from_before_there_were_tasks_is_used_on() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    store.put("m", "k", &json!(1), None).unwrap();
    raw(dir.path())
        .execute_batch(
            "DROP TABLE tasks; DROP TABLE secrets; DROP TABLE vault_keys; DROP TABLE names; PRAGMA user_version = 1",
        )
        .unwrap();
    let store = Store::at(dir.path());
    assert!(store.add_task(&task("a", "ada")).unwrap());
    assert_eq!(store.task("a", "ada").unwrap(), Some(task("a", "ada")));
    assert_eq!(crate::value(&store, "k"), Some(json!(1)));
}
