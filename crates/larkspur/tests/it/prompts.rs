//! Prompts, got and completed in both eras, and from the shell.

use crate::fixture::{Opening, Server};
use crate::resources::{dressed, refused};
use crate::room::Room;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
const ERAS: [Opening; 2] = [Opening::Legacy, Opening::Modern];

const DESK: &str = r#"
Tone = one_of("kind", "keen")

def review(code: str, tone: Tone = "kind", times: int = 1):
    """Ask for a review.

    Args:
        code: What to look at.
    """
    return [
        "Be %s, %d times" % (tone, times),
        {"role": "assistant", "content": "Show me."},
        {"role": "user", "content": embedded("code://it", text = code)},
    ]

def broken():
    fail("no ink")

def odd():
    return 3

def names(ctx, value):
    return [value + str(i) for i in range(150)]

prompt(review, title = "Review", complete = {"code": names})
prompt(broken)
prompt(odd)
"#;

fn desk(opening: Opening) -> Server {
    let mut server = Server::start_as(opening);
    server.module("desk", DESK);
    server
}

fn get(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

#[test]
fn prompts_are_listed_with_their_arguments() {
    for opening in ERAS {
        let listed = desk(opening).request("prompts/list", json!({})).result();
        dressed(opening, &listed, true);
        expect![[
            r#"[{"name":"broken","arguments":[]},{"name":"odd","arguments":[]},{"name":"review","title":"Review","description":"Ask for a review.","arguments":[{"name":"code","description":"What to look at.","required":true},{"name":"tone","required":false},{"name":"times","required":false}]}]"#
        ]]
        .assert_eq(&listed["prompts"].to_string());
    }
}

#[test]
fn messages_are_got_with_arguments_read_by_type() {
    for opening in ERAS {
        let mut server = desk(opening);
        for name in ["review", "desk.review"] {
            let arguments = json!({"code": "5", "tone": "keen", "times": "2"});
            let result = server.request("prompts/get", get(name, arguments)).result();
            dressed(opening, &result, false);
            expect![[
                r#"[{"role":"user","content":{"type":"text","text":"Be keen, 2 times"}},{"role":"assistant","content":{"type":"text","text":"Show me."}},{"role":"user","content":{"type":"resource","resource":{"uri":"code://it","text":"5"}}}]"#
            ]]
            .assert_eq(&result["messages"].to_string());
            assert_eq!(result["description"], "Ask for a review.");
        }
    }
}

#[test]
fn what_cannot_be_got_is_an_error() {
    for opening in ERAS {
        let mut server = desk(opening);
        let mut check = |params: Value, expected: &Expect| {
            refused(&mut server, "prompts/get", params, expected);
        };
        check(
            get("reviw", json!({})),
            &expect![[
                r#"-32602 there is no prompt `reviw`; did you mean `review`? {"available":["review"]}"#
            ]],
        );
        check(
            get("review", json!({"cod": "x", "times": "often"})),
            &expect![[
                r#"-32602 desk.review: `code` is required; `times` expected an integer, got the string "often"; `cod` is not a parameter; did you mean `code`?"#
            ]],
        );
        check(get("broken", json!({})), &expect!["-32603 no ink"]);
        check(
            get("odd", json!({})),
            &expect![[
                r#"-32603 odd(): 3 is no message; return a string, a list of messages or {"messages": [...]}"#
            ]],
        );
        server
            .request("prompts/get", json!({"name": 3}))
            .refused(-32602, "`name` of prompts/get must be a string, not a number");
        server.request("prompts/list", json!({"cursor": "x"})).refused(-32602, "no cursor of");
    }
}

#[test]
fn a_name_of_two_prompts_is_answered_with_both() {
    let one = |word: &str| format!("def same():\n    return '{word}'\nprompt(same)\n");
    let mut server = Server::start();
    server.module("one", &one("from one")).module("two", &one("from two"));
    let listed = server.request("prompts/list", json!({})).result();
    let names: Vec<&Value> =
        listed["prompts"].as_array().unwrap().iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["one_same", "two_same"]);
    refused(
        &mut server,
        "prompts/get",
        get("same", json!({})),
        &expect![[
            r#"-32602 several modules have a prompt `same`: get `one.same` or `two.same` {"available":["one.same","two.same"]}"#
        ]],
    );
    for (name, text) in [("one_same", "from one"), ("two.same", "from two")] {
        let got = server.request("prompts/get", get(name, json!({}))).result();
        assert_eq!(got["messages"][0]["content"]["text"], text);
    }
    assert_eq!(
        server.status()["notes"],
        json!(["prompts one.same and two.same have one name; listed as one_same and two_same"])
    );
}

#[test]
fn arguments_are_completed() {
    for opening in ERAS {
        let mut server = desk(opening);
        let mut complete = |argument: &str, value: &str| {
            let params = json!({
                "ref": {"type": "ref/prompt", "name": "review"},
                "argument": {"name": argument, "value": value},
            });
            let result = server.request("completion/complete", params).result();
            dressed(opening, &result, false);
            result["completion"].clone()
        };
        assert_eq!(
            complete("tone", "KE"),
            json!({"values": ["keen"], "total": 1, "hasMore": false})
        );
        assert_eq!(complete("times", ""), json!({"values": [], "total": 0, "hasMore": false}));
        let many = complete("code", "x");
        assert_eq!(many["values"].as_array().unwrap().len(), 100);
        assert_eq!(many["values"][99], "x99");
        assert_eq!((&many["total"], &many["hasMore"]), (&json!(150), &json!(true)));
        refused(
            &mut server,
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "revie"}, "argument": {"name": "x", "value": ""}}),
            &expect![[
                r#"-32602 there is no prompt `revie`; did you mean `review`? {"available":["review"]}"#
            ]],
        );
        server
            .request("completion/complete", json!({"ref": {"type": "ref/odd"}}))
            .refused(-32602, "`ref` of completion/complete must be");
    }
}

#[test]
fn another_list_of_prompts_is_told_of() {
    let mut server = desk(Opening::Legacy);
    server.up();
    server.edit("desk", &DESK.replace("Ask for", "Beg for"));
    server.wire().notification(PROMPTS_CHANGED);
    server.not_told();
    assert_eq!(server.wire().notified("notifications/resources/list_changed"), None);
}

#[test]
fn the_shell_gets_them_too() {
    let room = Room::new();
    room.write("desk.star", DESK);
    room.run(&["prompt", "desk.review", "code=5", "times=2"])
        .exits(0)
        .says_only("user: Be kind, 2 times\nassistant: Show me.\nuser: 5");
    let whole = room.run(&["prompt", "review", "code=x", "times:=3", "--format", "json"]);
    let whole = whole.exits(0).json();
    assert_eq!(whole["messages"][0]["content"]["text"], "Be kind, 3 times");
    room.run_with(&["prompt", "desk.review", "-"], r#"{"code": "y"}"#).exits(0).says("user: y");
    room.run(&["prompt", "desk.reviw"])
        .exits(2)
        .notes("error: there is no prompt `desk.reviw`; did you mean `desk.review`?");
    room.run(&["prompt", "desk.review", "cod=x"]).exits(2).notes(
        "error: `code` is required; `cod` is not a parameter; did you mean `code`?\n  = help: review(code: str, tone: \"kind\"|\"keen\" = \"kind\", times: int = 1)",
    );
    room.run(&["prompt", "desk.review", "code"])
        .exits(2)
        .notes("error: `code` is not an argument; write name=value, name:=json or -");
    room.run(&["prompt", "desk.broken"]).exits(5).notes("error: no ink\n   ┌ desk.star:17:5");
    room.run(&["list"])
        .exits(0)
        .says("  prompt review(code: str, tone: \"kind\"|\"keen\" = \"kind\", times: int = 1)  Ask for a review.")
        .notes("3 prompts in 1 module");
    let listed = room.run(&["list", "--format", "json"]).exits(0).json();
    assert_eq!(listed["modules"][0]["prompts"][2]["listed"], "review");
    room.run(&["completions", "bash"]).exits(0).says("prompt");
}
