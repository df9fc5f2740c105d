//! Calls that become tasks: asked for, answered, taken back, and still there after a restart.

use crate::client::{Client, Door, Era};
use crate::room::Room;
use crate::wire::PATIENCE;
use serde_json::{Value, json};
use std::time::Instant;

const JOBS: &str = r#"
def wait(ctx):
    for _ in range(100000):
        if ctx.state.get("go"):
            return
        time.sleep("10ms")

def brew(ctx, what: str = "tea") -> str:
    ctx.progress(1, 2, "boiling")
    wait(ctx)
    return what + " is ready"

def spill(ctx) -> str:
    wait(ctx)
    error("spilled", "the pot is empty")

def order(ctx) -> str:
    time.sleep("300ms")
    got = ctx.ask({
        "who": ctx.question.elicit("Who is it for?", {"name": {"type": "string", "minLength": 2}}),
        "size": ctx.question.elicit("Which size?", {"size": "string"}),
    })
    return "%s for %s" % (got["size"]["content"]["size"], got["who"]["content"]["name"])

def reserve(ctx) -> str:
    name = ctx.elicit("For whom?", {"name": "string"})["content"]["name"]
    wait(ctx)
    return "a table for " + name

def lost(ctx) -> str:
    wait(ctx)
    return str(ctx.roots())

def go(ctx) -> str:
    ctx.state.set("go", True)
    return "going"

tool(brew, task = True); tool(spill, task = True); tool(order, task = True)
tool(reserve, task = "required"); tool(lost, task = True); tool(go)
"#;

const MODERN: [Door; 2] = [Door::Stdio(Era::Modern), Door::Http(Era::Modern)];

fn abilities() -> Value {
    json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}})
}

fn room() -> Room {
    let room = Room::new();
    room.write("jobs.star", JOBS);
    room
}

fn client(door: Door) -> Client {
    Client::start(room(), door, abilities())
}

fn call(tool: &str) -> Value {
    json!({"name": tool, "arguments": {}})
}

fn result(message: Value) -> Value {
    assert!(message["error"].is_null(), "{message:#}");
    message["result"].clone()
}

impl Client {
    /// Begins a task, and answers what it goes by.
    #[track_caller]
    fn begin(&mut self, tool: &str) -> String {
        let created = result(self.once("tools/call", call(tool)));
        assert_eq!(created["resultType"], "task", "{created:#}");
        assert_eq!(created["status"], "working");
        created["taskId"].as_str().unwrap().to_owned()
    }

    fn look(&mut self, id: &str) -> Value {
        result(self.once("tasks/get", json!({"taskId": id})))
    }

    /// Asks until this is so.
    #[track_caller]
    fn until(&mut self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let task = self.look(id);
            if wanted(&task) {
                return task;
            }
            assert!(Instant::now() < deadline, "{task:#}");
        }
    }

    #[track_caller]
    fn until_is(&mut self, id: &str, status: &str) -> Value {
        self.until(id, |task| task["status"] == status)
    }

    fn go(&mut self) {
        let said = result(self.once("tools/call", call("go")));
        assert_eq!(said["content"][0]["text"], "going");
    }

    /// What comes of a request that is only acknowledged.
    fn acknowledged(&mut self, method: &str, params: Value) {
        let ack = result(self.once(method, params));
        assert_eq!(ack["resultType"], "complete", "{ack:#}");
        assert!(ack["taskId"].is_null() && ack["status"].is_null(), "{ack:#}");
    }
}

#[test]
fn a_call_that_takes_long_becomes_a_task() {
    for door in MODERN {
        let mut client = client(door);
        let created = result(client.once("tools/call", call("brew")));
        let id = created["taskId"].as_str().unwrap();
        assert_eq!(id.len(), 32, "{id}");
        assert_eq!(created["ttlMs"], 25 * 3_600_000);
        let task = client.until(id, |task| task["statusMessage"] == "1 of 2: boiling");
        assert_eq!(task["status"], "working");
        assert_eq!(task["createdAt"], created["createdAt"]);
        client.go();
        let task = client.until_is(id, "completed");
        assert_eq!(task["result"]["content"][0]["text"], "tea is ready");
        assert_eq!(task["resultType"], "complete");
        // What is over stays as it is.
        client.acknowledged("tasks/cancel", json!({"taskId": id}));
        client.acknowledged("tasks/update", json!({"taskId": id, "inputResponses": {}}));
        assert_eq!(client.look(id), task);
        // Now it is quick, and there is nothing to come back for.
        let quick = result(client.once("tools/call", call("brew")));
        assert_eq!(quick["content"][0]["text"], "tea is ready");
        assert_eq!(quick["resultType"], "complete");
    }
}

#[test]
fn a_task_can_be_taken_back() {
    for door in MODERN {
        let mut client = client(door);
        let id = client.begin("brew");
        client.acknowledged("tasks/cancel", json!({"taskId": id}));
        let task = client.look(&id);
        assert_eq!(task["status"], "cancelled");
        assert!(task["result"].is_null() && task["error"].is_null());
        client.go();
        assert_eq!(client.look(&id)["status"], "cancelled");
        if let Client::Stdio(server, _) = &mut client {
            server.status_until("its thread is free", |status| status["in_flight"] == 0);
        }
        let waits = client.begin("order");
        client.until_is(&waits, "input_required");
        client.acknowledged("tasks/cancel", json!({"taskId": waits}));
        assert_eq!(client.look(&waits)["status"], "cancelled");
    }
}

/// A tool that says it failed has come to its end; what breaks the protocol has not.
#[test]
fn failures_are_of_two_kinds() {
    let mut client = client(MODERN[1]);
    let (spilled, lost) = (client.begin("spill"), client.begin("lost"));
    client.go();
    let task = client.until_is(&spilled, "completed");
    assert_eq!(task["result"]["isError"], true);
    assert_eq!(task["result"]["content"][0]["text"], "the pot is empty");
    let task = client.until_is(&lost, "failed");
    assert_eq!(task["error"]["code"], -32021);
    let message = task["error"]["message"].as_str().unwrap();
    assert!(message.contains("capability `roots`"), "{message}");
    assert!(task["result"].is_null());
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn names(task: &Value) -> Vec<&String> {
    task["inputRequests"].as_object().unwrap().keys().collect()
}

#[test]
fn a_task_asks_and_goes_on() {
    for door in MODERN {
        let mut client = client(door);
        let id = client.begin("order");
        let task = client.until_is(&id, "input_required");
        assert_eq!(names(&task), ["size", "who"]);
        assert_eq!(task["inputRequests"]["who"]["params"]["message"], "Who is it for?");
        let answer = |client: &mut Client, responses: Value| {
            let params = json!({"taskId": id, "inputResponses": responses});
            client.acknowledged("tasks/update", params);
        };
        answer(&mut client, json!({"nobody": 3}));
        answer(&mut client, json!({"size": accept(json!({"size": "large"}))}));
        let task = client.look(&id);
        assert_eq!(
            (&task["status"], names(&task).as_slice()),
            (&json!("input_required"), [&"who".to_owned()].as_slice())
        );
        // What does not fit is asked for again, by another name.
        answer(&mut client, json!({"who": accept(json!({"name": "a"}))}));
        let again = |task: &Value| task["inputRequests"]["who.2"].is_object();
        let task = client.until(&id, again);
        let message = task["inputRequests"]["who.2"]["params"]["message"].as_str();
        assert!(message.unwrap().contains("shorter than 2"), "{message:?}");
        answer(&mut client, json!({"who.2": 12345}));
        client.until(&id, |task| task["inputRequests"]["who.3"].is_object());
        answer(&mut client, json!({"who.3": accept(json!({"name": "ada"}))}));
        let task = client.until_is(&id, "completed");
        assert_eq!(task["result"]["content"][0]["text"], "large for ada");
    }
}

/// What is asked before the call is a task is asked by its result.
#[test]
fn a_call_may_ask_before_it_becomes_a_task() {
    for door in MODERN {
        let mut client = client(door);
        let (created, asked) =
            client.talk("tools/call", call("reserve"), |_| accept(json!({"name": "ada"})));
        assert_eq!(asked.len(), 1);
        let created = result(created);
        assert_eq!(created["resultType"], "task", "{created:#}");
        assert!(created["requestState"].is_null());
        client.go();
        let task = client.until_is(created["taskId"].as_str().unwrap(), "completed");
        assert_eq!(task["result"]["content"][0]["text"], "a table for ada");
    }
}

#[test]
fn clients_that_know_no_tasks_wait_or_are_turned_away() {
    for door in MODERN {
        let mut client = Client::start(room(), door, json!({"elicitation": {}}));
        client.go();
        let plain = result(client.once("tools/call", call("brew")));
        assert_eq!(plain["content"][0]["text"], "tea is ready");
        let refused = client.once("tools/call", call("reserve"));
        assert_eq!(refused["error"]["code"], -32021, "{refused:#}");
        let needs = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
        assert!(needs["io.modelcontextprotocol/tasks"].is_object(), "{refused:#}");
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({"taskId": "x", "inputResponses": {}});
            assert_eq!(client.once(method, params)["error"]["code"], -32021);
        }
    }
    let mut legacy = client(Door::Stdio(Era::Legacy));
    legacy.go();
    let plain = result(legacy.once("tools/call", call("brew")));
    assert_eq!(plain["content"][0]["text"], "tea is ready");
    let refused = legacy.once("tools/call", call("reserve"));
    assert_eq!(refused["error"]["code"], -32021, "{refused:#}");
}

#[test]
fn what_is_no_task_is_unknown() {
    let mut client = client(MODERN[0]);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let refused = client.once(method, json!({"taskId": "0123", "inputResponses": {}}));
        assert_eq!(refused["error"]["code"], -32602, "{method}");
        assert_eq!(refused["error"]["message"], "there is no task `0123`");
    }
    for method in ["tasks/list", "tasks/result"] {
        let refused = client.once(method, json!({"taskId": "0123"}));
        assert_eq!(refused["error"]["code"], -32601, "{method}");
    }
    let wrong = json!({"name": "brew", "arguments": {"what": [3]}});
    let refused = result(client.once("tools/call", wrong));
    assert_eq!(refused["isError"], true, "{refused:#}");
    let unknown = client.once("tools/call", call("brwe"));
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn tasks_outlive_their_server() {
    for door in MODERN {
        let mut first = client(door);
        let (open, under_way) = (first.begin("order"), first.begin("lost"));
        first.until_is(&open, "input_required");
        let done = first.begin("brew");
        first.go();
        let kept = first.until_is(&done, "completed");
        first.until_is(&under_way, "failed");
        let mut second = Client::start(first.leave(), door, abilities());
        assert_eq!(second.look(&done), kept);
        let answers =
            json!({"who": accept(json!({"name": "ada"})), "size": accept(json!({"size": "s"}))});
        second.acknowledged("tasks/update", json!({"taskId": open, "inputResponses": answers}));
        let task = second.until_is(&open, "completed");
        assert_eq!(task["result"]["content"][0]["text"], "s for ada");
    }
}

#[test]
fn a_server_that_ends_fails_what_it_worked_on() {
    for door in MODERN {
        let mut first = client(door);
        let id = first.begin("brew");
        let mut second = Client::start(first.leave(), door, abilities());
        let task = second.look(&id);
        assert_eq!(task["status"], "failed", "{task:#}");
        assert_eq!(task["error"]["message"], "the server ended before it did; call the tool again");
    }
}

/// Whoever was told of a task finds it again, even if the server went without a word.
#[test]
fn a_task_is_kept_before_it_is_told() {
    let mut first = client(MODERN[1]);
    let id = first.begin("brew");
    let Client::Modern(mut web, _) = first else { panic!("it came by HTTP") };
    web.signal("KILL");
    web.wire.ended();
    let mut second = Client::start(web.room, MODERN[1], abilities());
    let task = second.look(&id);
    assert_eq!(task["status"], "working", "{task:#}");
}

#[test]
fn tasks_have_limits_of_their_own() {
    let room = room();
    room.project("[limits]\ntimeout = \"250ms\"\ntask_time = \"30s\"\ntasks = 1\n");
    let mut client = Client::start(room, MODERN[0], abilities());
    let id = client.begin("brew");
    let refused = result(client.once("tools/call", call("brew")));
    assert_eq!(
        refused["content"][0]["text"],
        "as many tasks are under way as may be (1); try again in a moment (limit `tasks`)"
    );
    // A question holds no place, and what has been answered waits for one.
    client.acknowledged("tasks/cancel", json!({"taskId": id}));
    client.until_is(&id, "cancelled");
    let deadline = Instant::now() + PATIENCE;
    let open = loop {
        let created = result(client.once("tools/call", call("order")));
        if let Some(id) = created["taskId"].as_str() {
            break id.to_owned();
        }
        assert!(Instant::now() < deadline, "{created:#}");
    };
    client.until_is(&open, "input_required");
    let id = client.begin("brew");
    let answers =
        json!({"who": accept(json!({"name": "ada"})), "size": accept(json!({"size": "s"}))});
    client.acknowledged("tasks/update", json!({"taskId": open, "inputResponses": answers}));
    assert_eq!(client.look(&open)["status"], "working");
    client.go();
    client.until_is(&id, "completed");
    let task = client.until_is(&open, "completed");
    assert_eq!(task["result"]["content"][0]["text"], "s for ada");
}

#[test]
fn a_task_that_takes_too_long_is_ended() {
    let room = room();
    room.project("[limits]\ntask_time = \"400ms\"\n");
    let mut client = Client::start(room, MODERN[0], abilities());
    let id = client.begin("brew");
    let task = client.until_is(&id, "completed");
    assert_eq!(task["result"]["isError"], true);
    let text = task["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("400 ms"), "{text}");
}

#[test]
fn the_command_line_gives_a_task_its_time() {
    let room = Room::new();
    room.write(
        "slow.star",
        "def slow() -> str:\n    time.sleep(\"200ms\")\n    return \"done\"\ndef plain() -> str:\n    return slow()\ntool(slow, task = True); tool(plain)",
    );
    room.project("[limits]\ntimeout = \"100ms\"\n");
    room.run(&["call", "slow.slow"]).exits(0).says("done");
    room.run(&["call", "slow.plain"]).exits(5);
    room.write("bad.star", "def f() -> str:\n    return \"\"\ntool(f, task = \"maybe\")");
    room.run(&["check"]).exits(1).says("`task` is True, False or \"required\", not \"maybe\"");
}
