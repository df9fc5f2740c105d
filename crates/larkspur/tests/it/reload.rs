//! The folder changes, and what is served with it.

use crate::fixture::{Opening, Server, ada, described, greeting, saying};
use crate::room::Room;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

fn greeter() -> Server {
    let mut server = Server::start();
    server.module("greet", &greeting("hello")).call("hello", ada()).text("hello ada");
    server
}

#[test]
fn a_file_is_created_changed_and_deleted() {
    let mut server = Server::start();
    server
        .lists(&[])
        .module("greet", &greeting("hello"))
        .changed()
        .call("hello", ada())
        .text("hello ada")
        .edit("greet", &described("HELLO", "Shouts."))
        .changed()
        .call("hello", ada())
        .text("HELLO ada")
        .module("more", &saying("bye", "good bye"))
        .changed()
        .lists(&["bye", "hello"])
        .remove("greet.star")
        .changed()
        .lists(&["bye"])
        .call("hello", ada())
        .refused(-32602, "there is no tool `hello`");
}

#[test]
fn a_renamed_file_is_another_module() {
    let mut server = greeter();
    server
        .rename("greet.star", "welcome.star")
        .changed()
        .until("welcome.hello", ada(), "hello ada")
        .call("greet.hello", ada())
        .refused(-32602, "greet.hello");
    // Clients were allowed to call a tool of another module by this name.
    server
        .lists(&[])
        .warned("the name `hello` belongs to `greet.hello`, which no longer uses it")
        .rename("welcome.star", "greet.star")
        .changed()
        .lists(&["hello"]);
}

#[test]
fn a_file_saved_by_renaming_over_it_is_read() {
    let mut server = greeter();
    for (i, beside) in
        ["greet.star.tmp", ".greet.star.swp", "4913", "greet.star~"].iter().enumerate()
    {
        let word = format!("hello{i}");
        server.file(beside, &greeting(&word)).rename(beside, "greet.star").until(
            "hello",
            ada(),
            &format!("{word} ada"),
        );
    }
    // Vim's other way: the old file steps aside, a new one takes its name.
    server.rename("greet.star", "greet.star~").module("greet", &greeting("once more")).until(
        "hello",
        ada(),
        "once more ada",
    );
    server.not_told().module("more", &saying("bye", "good bye")).changed().not_told();
}

/// Between truncating and writing the file is empty, for longer than the watcher's quiet.
#[test]
fn a_file_saved_by_truncating_it_never_vanishes() {
    let mut server = greeter();
    for round in 0..5 {
        let word = format!("hello{round}");
        let mut file = File::create(server.room.at("greet.star")).unwrap();
        let pause = Instant::now() + Duration::from_millis(60);
        while Instant::now() < pause {
            server.call("hello", ada()).result();
        }
        file.write_all(greeting(&word).as_bytes()).unwrap();
        drop(file);
        server.until("hello", ada(), &format!("{word} ada"));
    }
    server.not_told().module("more", &saying("bye", "good bye")).changed().not_told();
}

/// However the saves fall between the server's looks at the file, a call finds the tool.
#[test]
fn a_file_saved_again_and_again_never_vanishes() {
    let mut server = greeter();
    let path = server.room.at("greet.star");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let begin = Instant::now();
            let mut round = 0;
            while begin.elapsed() < Duration::from_secs(3) {
                let mut file = File::create(&path).unwrap();
                // As long as a page takes to reach the disk of a busy machine.
                spin(Duration::from_micros(500));
                file.write_all(greeting(&format!("hello{round}")).as_bytes()).unwrap();
                drop(file);
                round += 1;
                spin(Duration::from_millis(20 + round % 20));
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            server.call("hello", ada()).result();
        }
    });
    server.edit("greet", &greeting("at last")).until("hello", ada(), "at last ada").not_told();
}

/// Lets time pass for the one who saves. It does not yield: who yields again and again on a busy
/// machine does not get its turn for long.
fn spin(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

#[test]
fn a_file_emptied_for_good_is_no_module_any_more() {
    let mut server = greeter();
    server.edit("greet", "").changed().lists(&[]);
}

#[test]
fn a_folder_may_appear_later() {
    for modules in ["modules", "not/yet/there/modules"] {
        let mut server = Server::start_in(Room::without(modules), Opening::Legacy);
        server
            .lists(&[])
            .module("greet", &greeting("hello"))
            .changed()
            .call("hello", ada())
            .text("hello ada")
            .edit("greet", &greeting("good day"))
            .until("hello", ada(), "good day ada");
    }
}

#[test]
fn the_usual_folders_may_appear_later() {
    let mut server = Server::start_in(Room::without("extensions"), Opening::Legacy);
    server.usual = true;
    server
        .lists(&[])
        .module("greet", &greeting("hello"))
        .changed()
        .call("hello", ada())
        .text("hello ada")
        .edit("greet", &greeting("good day"))
        .until("hello", ada(), "good day ada");
}

/// A switch of branches takes a folder away and brings it back.
#[test]
fn a_folder_may_go_and_come_back() {
    let mut server = greeter();
    for round in 0..3 {
        fs::remove_dir_all(server.room.modules()).unwrap();
        server.changed().lists(&[]);
        let word = format!("hello{round}");
        server
            .module("greet", &greeting(&word))
            .changed()
            .call("hello", ada())
            .text(&format!("{word} ada"));
    }
    // And this time nobody can see that it was gone.
    for round in 0..3 {
        fs::remove_dir_all(server.room.modules()).unwrap();
        let word = format!("quick{round}");
        server
            .module("greet", &greeting(&word))
            .until("hello", ada(), &format!("{word} ada"))
            .edit("greet", &greeting("still"))
            .until("hello", ada(), "still ada");
    }
}

#[test]
fn a_folder_may_be_replaced_whole() {
    let mut server = greeter();
    for round in 0..3 {
        let next = server.room.path().join("next");
        let past = server.room.path().join(format!("past{round}"));
        let word = format!("hello{round}");
        fs::create_dir(&next).unwrap();
        fs::write(next.join("greet.star"), greeting(&word)).unwrap();
        fs::rename(server.room.modules(), past).unwrap();
        fs::rename(next, server.room.modules()).unwrap();
        server
            .until("hello", ada(), &format!("{word} ada"))
            .edit("greet", &greeting("edited"))
            .until("hello", ada(), "edited ada");
    }
}

#[test]
fn folders_below_are_served_and_watched() {
    let mut server = greeter();
    server
        .file("sub/deep/more.star", &saying("bye", "good bye"))
        .changed()
        .call("bye", json!({}))
        .text("good bye")
        .file("sub/deep/more.star", &saying("bye", "farewell"))
        .until("bye", json!({}), "farewell");
    let away = server.room.path().join("away");
    fs::rename(server.room.at("sub"), &away).unwrap();
    server.changed().lists(&["hello"]);
    fs::rename(&away, server.room.at("back")).unwrap();
    server
        .changed()
        .call("bye", json!({}))
        .text("farewell")
        .file("back/deep/more.star", &saying("bye", "see you"))
        .until("bye", json!({}), "see you");
    fs::remove_dir_all(server.room.at("back")).unwrap();
    server.changed().lists(&["hello"]);
}

#[test]
fn a_file_moved_out_is_gone_and_moved_in_is_back() {
    let mut server = greeter();
    let away = server.room.path().join("greet.star");
    fs::rename(server.room.at("greet.star"), &away).unwrap();
    server.changed().lists(&[]);
    fs::rename(&away, server.room.at("greet.star")).unwrap();
    server.changed().call("hello", ada()).text("hello ada");
}

#[test]
fn data_read_while_loading_is_watched() {
    let source = "DATA = data.load_json(\"data/words.json\")\n\
                  def word() -> str:\n    return DATA[\"word\"]\n\
                  tool(word)\n";
    let words = |word: &str| json!({ "word": word }).to_string();
    let mut server = Server::start();
    server
        .file("data/words.json", &words("one"))
        .module("words", source)
        .call("word", json!({}))
        .text("one")
        .file("data/words.json", &words("two"))
        .until("word", json!({}), "two")
        .file("data/words.json.tmp", &words("three"))
        .rename("data/words.json.tmp", "data/words.json")
        .until("word", json!({}), "three")
        .file("data/words.json", "{")
        .warned("words.json is not JSON")
        .call("word", json!({}))
        .text("three");
    assert_eq!(server.status()["modules"][0]["state"], "stale");
    server.file("data/words.json", &words("four")).until("word", json!({}), "four");
    // The folder it lies in goes, and another one comes in its place.
    server
        .file("next/words.json", &words("five"))
        .rename("data", "past")
        .rename("next", "data")
        .until("word", json!({}), "five");
}

#[test]
fn data_that_was_missing_may_appear_with_its_folder() {
    let source = "DATA = data.load_json(\"data/words.json\")\n\
                  def word() -> str:\n    return DATA[\"word\"]\n\
                  tool(word)\n";
    for _ in 0..3 {
        let mut server = Server::start();
        server.module("words", source).lists(&[]);
        server
            .file("data/words.json", r#"{"word": "one"}"#)
            .changed()
            .call("word", json!({}))
            .text("one");
    }
}

#[test]
fn a_broken_edit_keeps_the_old_answer_and_says_so() {
    let mut server = greeter();
    server
        .module("more", &saying("bye", "good bye"))
        .changed()
        .edit("greet", "def hello(name: str) -> str:\n    return oops + name\ntool(hello)\n")
        .warned("greet.star cannot be loaded; its last good version is still served")
        .warned("2 │     return oops + name")
        .call("hello", ada())
        .text("hello ada")
        .edit("more", &saying("bye", "farewell"))
        .until("bye", json!({}), "farewell");
    let status = server.status();
    let greet = module(&status, "greet");
    assert_eq!(greet["state"], "stale");
    let error = greet["error"].as_str().unwrap();
    assert!(error.contains("greet.star:2 "), "{error}");
    assert!(error.contains("oops"), "{error}");
    assert_eq!(module(&status, "more")["state"], "running");
    server.edit("greet", &greeting("good day")).until("hello", ada(), "good day ada");
    assert_eq!(module(&server.status(), "greet")["state"], "running");
    server.not_told().module("third", &saying("third", "3")).changed().not_told();
}

fn module<'a>(status: &'a Value, name: &str) -> &'a Value {
    let modules = status["modules"].as_array().unwrap();
    modules
        .iter()
        .find(|module| module["name"] == name)
        .unwrap_or_else(|| panic!("no module {name}: {status:#}"))
}

#[test]
fn a_broken_new_file_stops_nobody() {
    let mut server = greeter();
    server
        .module("broken", "def f(:\n")
        .warned("broken.star cannot be loaded")
        .call("hello", ada())
        .text("hello ada")
        .module("more", &saying("bye", "good bye"))
        .changed()
        .lists(&["bye", "hello"]);
    let status = server.status();
    let modules = status["modules"].as_array().unwrap();
    let broken = modules.iter().find(|module| module["state"] == "failed");
    let broken = broken.unwrap_or_else(|| panic!("{status:#}"));
    assert_eq!(broken["name"], Value::Null);
    assert!(broken["error"].as_str().unwrap().contains("broken.star:1 "), "{broken:#}");
    server
        .edit("broken", &saying("mended", "well"))
        .changed()
        .call("mended", json!({}))
        .text("well");
}

#[test]
fn a_broken_file_is_there_from_the_beginning() {
    let mut server = Server::start();
    server
        .module("broken", "def f(:\n")
        .module("greet", &greeting("hello"))
        .call("hello", ada())
        .text("hello ada")
        .warned("broken.star cannot be loaded")
        .edit("broken", &saying("mended", "well"))
        .changed()
        .lists(&["hello", "mended"]);
}

#[test]
fn another_list_is_told_once_and_an_equal_one_never() {
    let mut server = greeter();
    // Three bodies, and nobody needs to know.
    for word in ["one", "two", "three"] {
        server.edit("greet", &greeting(word)).until("hello", ada(), &format!("{word} ada"));
    }
    server.not_told();
    // One list, and everybody does.
    server.edit("greet", &described("four", "Greets.")).changed();
    server
        .edit("greet", &described("five", "Greets."))
        .until("hello", ada(), "five ada")
        .not_told();
}

#[test]
fn other_files_and_touched_ones_reload_nothing() {
    let mut server = greeter();
    let before = server.reloads();
    for other in [
        "server.log",
        "data.db",
        "data.db-wal",
        "LOG",
        "notes.md",
        ".hidden.star",
        "greet.star.bak",
        "logs/today.log",
    ] {
        server.file(other, "something");
        let mut file = OpenOptions::new().append(true).open(server.room.at(other)).unwrap();
        for _ in 0..100 {
            file.write_all(b"more and more\n").unwrap();
        }
    }
    server.remove("data.db-wal").rename("LOG", "LOG.1");
    let touched = File::options().write(true).open(server.room.at("greet.star")).unwrap();
    touched.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    server.edit("greet", &greeting("hello"));
    // Whatever the above might start comes before this.
    server.module("more", &saying("bye", "good bye")).changed();
    assert_eq!(server.reloads(), before + 1);
    server.not_told();
}

/// A log that is written all the time does not keep an edit from being seen.
#[test]
fn a_busy_log_does_not_hold_up_a_reload() {
    let mut server = greeter();
    let done = AtomicBool::new(false);
    let log = server.room.at("server.log");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::create(log).unwrap();
            let begin = Instant::now();
            while !done.load(Ordering::Relaxed) && begin.elapsed() < Duration::from_secs(10) {
                file.write_all(b"tick\n").unwrap();
                spin(Duration::from_millis(3));
            }
        });
        let begin = Instant::now();
        server.edit("greet", &greeting("good day")).until("hello", ada(), "good day ada");
        done.store(true, Ordering::Relaxed);
        assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    });
}

#[test]
fn rapid_saves_are_taken_together() {
    let mut server = greeter();
    let before = server.reloads();
    for i in 0..10 {
        server.edit("greet", &greeting(&format!("hello{i}")));
    }
    server.until("hello", ada(), "hello9 ada");
    let reloads = server.reloads() - before;
    assert!((1..=3).contains(&reloads), "{reloads} reloads");
}
