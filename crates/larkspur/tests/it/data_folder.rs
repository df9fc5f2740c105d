//! The data folder and servers that run. Where it is, and how it gets there, is in `cmd/data.md`.

use crate::fixture::{Server, saying};
use crate::room::Room;
use serde_json::json;
use std::fs;
use store::Store;

const NOTES: &str = r#"
def count(ctx) -> int:
    return ctx.state.update("n", lambda n: (n or 0) + 1)
tool(count)
"#;

#[test]
fn data_in_use_is_moved_when_it_is_free() {
    let room = Room::new();
    room.write("notes.star", NOTES).run(&["call", "notes.count"]).exits(0);
    let old = room.path().join(".larkspur");
    fs::rename(room.at(".larkspur"), &old).unwrap();
    let store = Store::at(&old);
    store.check().unwrap();
    room.run(&["call", "notes.count"]).exits(1).notes("cannot move the data folder");
    assert!(old.join("state.db").exists() && !room.at(".larkspur").exists());
    drop(store);
    room.run(&["call", "notes.count"]).exits(0).says_only("2");
}

#[test]
fn what_is_kept_reloads_nothing() {
    let mut server = Server::start();
    server.module("notes", NOTES).module("plain", &saying("plain", "plain"));
    for n in 1..=50 {
        server.call("count", json!({})).text(&n.to_string());
    }
    assert!(server.room.at(".larkspur/state.db-wal").exists());
    server.status_until("quiet", |status| status["reloads"] == 0);
    server.module("plain", &saying("plain", "edited")).until("plain", json!({}), "edited");
    server.status_until("once", |status| status["reloads"] == 1);
    server.call("count", json!({})).text("51");
}
