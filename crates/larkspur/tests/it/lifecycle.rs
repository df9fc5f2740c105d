//! `start`, `stop` and `status`: when they run, what they get, and what becomes of those that fail.

use crate::calls::{SLOW, SPIN};
use crate::fixture::{Server, saying};
use crate::folder::{answering, living, manifest, module, needs};
use crate::wire::PATIENCE;
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// Spins until its time is up.
const FOREVER: &str = "    for i in range(1000000000):\n        pass\n";

#[test]
fn the_instance_reaches_handlers_and_hooks() {
    let main =
        "def start(deps, config):\n    return {\"n\": config[\"n\"], \"twice\": lambda x: 2 * x}\n\
         def stop(instance):\n    log.info(\"stop %d\" % instance[\"n\"])\n\
         def status(instance):\n    return {\"status\": \"degraded\", \"n\": instance[\"n\"]}\n"
            .to_owned()
            + &answering("get", "ctx.instance[\"twice\"](ctx.instance[\"n\"])");
    let mut server = Server::start();
    server
        .folder_module(
            "a",
            &manifest("a", "[config]\nn = { type = \"integer\", default = 3 }"),
            &main,
        )
        .call("get", json!({}))
        .text("6");
    let status = server.module_status("a");
    assert_eq!(status["status"], json!({"status": "degraded", "n": 3}));
    assert_eq!(status["tools"], json!(["get"]));
    assert_eq!(status["state"], "running");
    assert!(status["load_time_ms"].as_f64().unwrap() > 0.0, "{status:#}");
    assert_eq!(server.log_to_the_end(), ["a: stop 3"]);
}

#[test]
fn a_failing_start_leaves_no_tools_and_starts_no_dependents() {
    let main = living("bad").replace(
        "    log.info(\"start\")\n",
        "    error(\"config-error\", \"missing api-key\", missing = [\"api-key\"])\n",
    );
    let mut server = Server::start();
    server
        .folder_module("bad", &manifest("bad", ""), &main)
        .living("upon", "bad")
        .living("far", "upon")
        .living("fine", "")
        .module("file", &saying("file_tool", "1"))
        .lists(&["file_tool", "fine_fine_tool"])
        .call("fine_tool", json!({}))
        .text("fine")
        .stands("bad failed, far waiting, file running, fine running, upon waiting");
    let status = server.room.run(&["status", "--format", "json"]);
    let status = status.exits(0).json()[0].clone();
    let bad = module(&status, "bad");
    expect![[r#"bad/main.star:2 `start` of module `bad` failed: missing api-key [config-error {"missing":["api-key"]}]"#]]
        .assert_eq(bad["error"].as_str().unwrap());
    let report = bad["report"].as_str().unwrap();
    assert!(report.contains("2 │     error("), "{report}");
    server.warned(report);
    assert_eq!(
        module(&status, "far")["error"],
        "far/module.toml:4 module `far` waits for `upon`, which is waiting itself"
    );
    // It did not start, so it does not stop.
    assert_eq!(server.log_to_the_end(), ["fine: start", "fine: stop"]);
}

#[test]
fn a_mended_start_brings_its_dependents() {
    let mut server = Server::start();
    server
        .folder_module(
            "bad",
            &manifest("bad", ""),
            "def start(deps, config):\n    fail(\"no key\")\n",
        )
        .living("upon", "bad")
        .lists(&[])
        .main("bad", &living("bad"))
        .changed()
        .lists(&["bad_bad_tool", "upon_upon_tool"])
        .stands("bad running, upon running")
        .logged(&["bad: start", "upon: start"]);
}

/// A file that is a module by itself has functions, not hooks.
#[test]
fn a_single_file_has_no_hooks() {
    let mut server = Server::start();
    server
        .module("a", &format!("{}\ndef start():\n    fail(\"no\")\n", saying("x", "1")))
        .call("x", json!({}))
        .text("1");
    assert_eq!(server.log_to_the_end(), Vec::<String>::new());
}

#[track_caller]
fn refused(main: &str, expected: Expect) {
    let mut server = Server::start();
    server
        .folder_module("a", &manifest("a", ""), main)
        .module("other", &saying("x", "1"))
        .call("x", json!({}))
        .text("1");
    let status = server.module_status("a");
    assert_eq!(status["state"], "failed");
    expected.assert_eq(status["report"].as_str().unwrap());
}

#[test]
fn a_hook_with_wrong_parameters_is_refused_before_it_runs() {
    refused(
        "def start():\n    return 1\n",
        expect![[r"
            `start` takes 0 parameters; write `def start(deps, config):`
              ┌ a/main.star:1:1
            1 │ def start():
              │ ^^^^^^^^^
              = help: a last parameter may take ctx; a function that is no hook needs another name than `start`"]],
    );
    refused(
        "X = 1\n\ndef stop(a, b, c):\n    pass\n",
        expect![[r"
            `stop` takes 3 parameters; write `def stop(instance):`
              ┌ a/main.star:3:1
            3 │ def stop(a, b, c):
              │ ^^^^^^^^
              = help: a last parameter may take ctx; a function that is no hook needs another name than `stop`"]],
    );
    refused(
        "def status():\n    pass\n",
        expect![[r"
            `status` takes 0 parameters; write `def status(instance):`
              ┌ a/main.star:1:1
            1 │ def status():
              │ ^^^^^^^^^^
              = help: a last parameter may take ctx; a function that is no hook needs another name than `status`"]],
    );
}

#[test]
fn what_start_gets_and_gives_cannot_be_changed() {
    refused(
        "def start(deps, config):\n    config[\"x\"] = 1\n",
        expect![[r#"
            `start` of module `a` failed: this value cannot change: what a module keeps, and what it is given, is frozen
              ┌ a/main.star:2:5
            2 │     config["x"] = 1
              │     ^^^^^^^^^^^
              = help: make a new value and return it; what must last goes into ctx.state"#]],
    );
}

/// A long call in flight during an edit: the new version serves at once, the old stops after its call.
#[test]
fn a_replaced_version_stops_after_its_last_call() {
    let versioned = |version: &str| {
        format!(
            "def start(deps, config):\n    log.info(\"start {version}\")\n\
             def stop(instance):\n    log.info(\"stop {version}\")\n\
             {}{}",
            SLOW.replace(
                "    return count",
                &format!("    log.info(\"done {version}\")\n    return count")
            ),
            answering("which", &format!("\"{version}\""))
        )
    };
    let mut server = Server::start();
    server.folder_module("a", &manifest("a", ""), &versioned("one")).up();
    let call =
        json!({"name": "slow", "arguments": {"turns": 2_000_000}, "_meta": {"progressToken": 1}});
    let id = server.send("tools/call", call);
    server.wire().notification("notifications/progress");
    server.main("a", &versioned("two")).until("which", json!({}), "two");
    assert_eq!(server.log(), ["a: start one", "a: start two"]);
    server.answer(id).text("2000000");
    server.logged(&["a: start one", "a: start two", "a: done one", "a: stop one"]);
    assert_eq!(server.log_to_the_end().last().unwrap(), "a: stop two");
}

#[test]
fn dependents_stop_first_when_the_client_leaves_and_when_told_to_end() {
    let expected = [
        "a: start", "b: start", "c: start", "d: start", "d: stop", "c: stop", "b: stop", "a: stop",
    ];
    for signal in [None, Some("-TERM"), Some("-INT")] {
        let mut server = Server::start();
        server.living("d", "b c").living("c", "a").living("b", "a").living("a", "").up();
        match signal {
            None => drop(server.leave_within(PATIENCE)),
            Some(signal) => {
                let pid = server.wire().pid().to_string();
                let told = Command::new("kill").args([signal, &pid]).status().unwrap();
                assert!(told.success());
                assert_eq!(server.wire().ended().0.code(), Some(0));
            }
        }
        assert_eq!(server.log(), expected, "{signal:?}");
    }
}

/// Nobody is left to hear the answer, or nobody wants to wait for it: the call is ended, and its
/// module stops as it should.
#[test]
fn a_call_that_does_not_end_keeps_no_module_from_stopping() {
    let endless = SPIN.replace("def spin():", "def spin(ctx):\n    ctx.progress(0)");
    let mut server = Server::start();
    server.folder_module("a", &manifest("a", ""), &(living("a") + &endless)).up();
    let call = json!({"name": "spin", "arguments": {}, "_meta": {"progressToken": 1}});
    server.send("tools/call", call);
    server.wire().notification("notifications/progress");
    let pid = server.wire().pid().to_string();
    for signal in ["-TERM", "-INT"] {
        let told = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(told.success());
    }
    let ended = server.wire().ended();
    assert_eq!(ended.0.code(), Some(0));
    assert_eq!(server.log(), ["a: start", "a: stop"]);
    assert!(ended.1 < Duration::from_secs(10), "{:?}", ended.1);
}

#[test]
fn a_failing_stop_is_logged_and_harmless() {
    let mut server = Server::start();
    let failing = living("b").replace("    log.info(\"stop\")", "    fail(\"the door is stuck\")");
    server
        .living("a", "")
        .folder_module("b", &manifest("b", &needs("a")), &failing)
        .main("b", &living("b"))
        .up();
    server.main("b", &failing).logged(&["a: start", "b: start", "b: start", "b: stop"]);
    let log = server.log_to_the_end();
    assert_eq!(log.last().unwrap(), "a: stop");
    let stderr = server.wire().stderr();
    let lines: Vec<&str> = stderr.lines().map(str::trim_end).collect();
    let first = lines.iter().position(|line| {
        line.trim_start() == "ERROR `stop` of module `b` failed: the door is stuck"
    });
    let report = first.map_or(&[][..], |at| &lines[at + 1..]);
    assert!(report[0].trim_start().starts_with("┌ b/main.star:"), "{stderr}");
    assert!(report[1].ends_with("│     fail(\"the door is stuck\")"), "{stderr}");
}

/// A server whose hooks may take a second.
fn hasty() -> Server {
    let mut server = Server::start();
    server.project("[limits]\ntimeout = \"1s\"\n");
    server
}

#[test]
fn a_start_that_never_ends_is_ended() {
    let mut server = hasty();
    server
        .folder_module("a", &manifest("a", ""), &format!("def start(deps, config):\n{FOREVER}"))
        .living("b", "a")
        .living("c", "")
        .lists(&["c_c_tool"])
        .stands("a failed, b waiting, c running");
    let error = server.module_status("a")["error"].take();
    let error = error.as_str().unwrap();
    assert!(error.contains("`start` of module `a` failed: stopped after"), "{error}");
}

#[test]
fn a_status_that_never_ends_is_said_so() {
    let mut server = hasty();
    let loops = format!("def status(instance):\n{FOREVER}");
    let fails = "def status(instance):\n    fail(\"dizzy\")\n";
    let odd = "def status(instance):\n    return 1\n";
    for (name, source) in [("loops", loops.as_str()), ("fails", fails), ("odd", odd)] {
        server.folder_module(name, &manifest(name, ""), source);
    }
    server.module("x", &saying("x", "1")).up();
    let begin = Instant::now();
    let status = server.status();
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    let says = |name: &str| -> Value {
        let says = module(&status, name)["status"].clone();
        assert_eq!(says["status"], "error", "{says}");
        says["message"].clone()
    };
    let loops = says("loops");
    assert!(loops.as_str().unwrap().contains("stopped after"), "{loops}");
    assert_eq!(says("fails"), "fails/main.star:2 dizzy");
    let odd = says("odd");
    assert!(odd.as_str().unwrap().contains("status() must return a dict"), "{odd}");
    server.room.run(&["status"]).exits(0).says("dizzy");
    server.call("x", json!({})).text("1");
}

#[test]
fn a_stop_that_never_ends_keeps_nobody() {
    let mut server = hasty();
    let loops = format!("{}def stop(instance):\n{FOREVER}", saying("b_tool", "1"));
    server
        .living("a", "")
        .folder_module("b", &manifest("b", &needs("a")), &loops)
        .living("c", "a")
        .call("b_tool", json!({}))
        .text("1");
    let log = server.log_to_the_end();
    assert_eq!(log, ["a: start", "c: start", "c: stop", "a: stop"]);
    let stderr = server.wire().stderr();
    // By time or by steps, whichever limit the machine reaches first.
    assert!(stderr.contains("`stop` of module `b` failed: stopped after"), "{stderr}");
}
