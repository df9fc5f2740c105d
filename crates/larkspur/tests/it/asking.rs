//! A module asks the person and the model behind the client: both eras, both doors, every refusal.

use crate::client::{Client, DOORS, Door, Era, all_abilities};
use crate::fixture::{Opening, Server, body_of, list_of};
use crate::room::Room;
use crate::web::{Web, modern};
use serde_json::{Value, json};
use std::time::Duration;

const SHOP: &str = r#"
def count(ctx):
    ctx.state.update("runs", lambda n: n + 1, default = 0)

def runs(ctx) -> int:
    return ctx.state.get("runs", 0)

def order(ctx, item: str = "tea") -> str:
    count(ctx)
    who = ctx.elicit("Who is it for?", {"name": {"type": "string", "minLength": 2}}, key = "who")
    if who["action"] != "accept":
        return who["action"]
    size = ctx.elicit("Which size?", {"size": {"type": "string", "enum": ["s", "l"]}, "n": {"type": "integer", "default": 1}})
    return "%d %s %s for %s" % (size["content"]["n"], size["content"]["size"], item, who["content"]["name"])

def survey(ctx) -> str:
    got = ctx.ask({
        "name": ctx.question.elicit("Your name?", {"name": "string"}),
        "haiku": ctx.question.sample("Write a haiku", max_tokens = 50, system = "be brief", temperature = 0.5, stop = ["."], model = "small"),
        "folders": ctx.question.roots(),
    })
    return "%s, %s, %s" % (got["name"]["content"]["name"], got["haiku"]["text"], got["folders"][0]["uri"])

def visit(ctx) -> str:
    return ctx.elicit("Log in there", url = "https://example.org/login")["action"]

def folders(ctx) -> list:
    return ctx.roots()

def twice(ctx) -> str:
    name = ctx.elicit("Which first?", {"name": "string"}, key = "who")["content"]["name"]
    return name + "; " + ctx.call("shop.order", {"item": "cake"})

def fickle(ctx) -> str:
    count(ctx)
    return ctx.elicit("Run %d?" % ctx.state.get("runs"))["action"]

def able(ctx) -> list:
    return [what for what in ["elicit", "elicit_url", "sample", "roots"] if ctx.can(what)]

def careful(ctx) -> str:
    return attempt(ctx.sample, "hi").error.message

def brief(ctx) -> str:
    return ctx.elicit("Quick?")["action"]

tool(runs); tool(order); tool(survey); tool(visit); tool(folders); tool(twice); tool(fickle)
tool(able); tool(careful); tool(brief, timeout = "300ms")

def letter(ctx, to: str):
    return ctx.sample("Write to " + to)["text"]

prompt(letter)

def menu(ctx):
    return ctx.elicit("Vegetarian?", {"yes": "boolean"})["content"]

resource("shop://menu", menu)
"#;

fn answer(question: &Value) -> Value {
    let accept = |content: Value| json!({"action": "accept", "content": content});
    match (question["method"].as_str().unwrap(), question["params"]["message"].as_str()) {
        ("elicitation/create", Some("Who is it for?" | "Your name?" | "Which first?")) => {
            accept(json!({"name": "ada"}))
        }
        ("elicitation/create", Some("Which size?")) => accept(json!({"size": "l"})),
        ("elicitation/create", Some("Vegetarian?")) => accept(json!({"yes": true})),
        ("elicitation/create", _) => json!({"action": "accept"}),
        ("sampling/createMessage", _) => json!({
            "role": "assistant", "model": "m", "stopReason": "endTurn",
            "content": {"type": "text", "text": "words"},
        }),
        ("roots/list", _) => json!({"roots": [{"uri": "file:///srv", "name": "Srv"}]}),
        other => panic!("nobody asks {other:?}"),
    }
}

fn shop() -> Room {
    let room = Room::new();
    room.write("shop.star", SHOP);
    room
}

fn call(tool: &str) -> Value {
    json!({"name": tool, "arguments": {}})
}

fn text(result: &Value) -> &str {
    result["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result:#}"))
}

#[test]
fn a_conversation_goes_the_same_way_by_every_door() {
    for door in DOORS {
        let mut client = Client::start(shop(), door, all_abilities());
        let (result, asked) = client.talk("tools/call", call("order"), answer);
        assert_eq!(text(&result), "1 l tea for ada", "{door:?}");
        let messages: Vec<&Value> = asked.iter().map(|asked| &asked["params"]["message"]).collect();
        assert_eq!(messages, ["Who is it for?", "Which size?"], "{door:?}");
        assert_eq!(
            asked[0]["params"]["requestedSchema"],
            json!({"type": "object", "properties": {"name": {"type": "string", "minLength": 2}}, "required": ["name"]}),
        );
        // What stands before a question happens again for each round of the modern era.
        let runs = if door.is_modern() { "3" } else { "1" };
        assert_eq!(
            body_of(&client.talk("tools/call", call("runs"), answer).0["result"]),
            runs,
            "{door:?}"
        );
        let (result, _) =
            client.talk("tools/call", call("order"), |_| json!({"action": "decline"}));
        assert_eq!(text(&result), "decline");
        let (result, asked) = client.talk("tools/call", call("visit"), answer);
        assert_eq!(text(&result), "accept");
        assert_eq!(asked[0]["params"]["url"], "https://example.org/login");
        assert_eq!(asked[0]["params"]["mode"], "url");
    }
}

#[test]
fn several_questions_are_asked_at_once() {
    for door in DOORS {
        let mut client = Client::start(shop(), door, all_abilities());
        let (result, asked) = client.talk("tools/call", call("survey"), answer);
        assert_eq!(text(&result), "ada, words, file:///srv", "{door:?}");
        assert_eq!(asked.len(), 3);
        let sampling = asked.iter().find(|asked| asked["method"] == "sampling/createMessage");
        let params = &sampling.unwrap()["params"];
        assert_eq!(
            params["messages"],
            json!([{"role": "user", "content": {"type": "text", "text": "Write a haiku"}}])
        );
        assert_eq!(
            (&params["maxTokens"], &params["systemPrompt"]),
            (&json!(50), &json!("be brief"))
        );
        assert_eq!(
            (&params["temperature"], &params["stopSequences"]),
            (&json!(0.5), &json!(["."]))
        );
        assert_eq!(params["modelPreferences"], json!({"hints": [{"name": "small"}]}));
        let (result, _) = client.talk("tools/call", call("folders"), answer);
        let folders = list_of(body_of(&result["result"]));
        assert_eq!(folders, [json!({"uri": "file:///srv", "name": "Srv"})]);
    }
}

#[test]
fn prompts_and_resources_ask_as_well() {
    for door in DOORS {
        let mut client = Client::start(shop(), door, all_abilities());
        let letter = json!({"name": "letter", "arguments": {"to": "bob"}});
        let (result, _) = client.talk("prompts/get", letter, answer);
        assert_eq!(result["result"]["messages"][0]["content"]["text"], "words", "{door:?}");
        let (result, _) = client.talk("resources/read", json!({"uri": "shop://menu"}), answer);
        assert_eq!(result["result"]["contents"][0]["text"], r#"{"yes":true}"#, "{door:?}");
    }
}

/// A key that is used again, here by a tool that another one calls, gets a number.
#[test]
fn a_tool_that_is_called_by_another_asks_the_same_client() {
    for door in DOORS {
        let mut client = Client::start(shop(), door, all_abilities());
        let (result, asked) = client.talk("tools/call", call("twice"), answer);
        assert_eq!(text(&result), "ada; 1 l cake for ada", "{door:?}");
        assert_eq!(asked.len(), 3);
    }
    let mut server = server(Opening::Modern, all_abilities());
    let first = server.request("tools/call", call("twice")).result();
    let again =
        retried(call("twice"), &first, json!({"who": answer(&first["inputRequests"]["who"])}));
    let second = server.request("tools/call", again).result();
    assert_eq!(second["inputRequests"]["who-2"]["params"]["message"], "Who is it for?");
}

#[test]
fn a_client_is_asked_what_it_can_answer_only() {
    for door in DOORS {
        let mut client = Client::start(shop(), door, json!({"elicitation": {}}));
        let (result, _) = client.talk("tools/call", call("able"), answer);
        assert_eq!(list_of(body_of(&result["result"])), ["elicit"], "{door:?}");
        let why = "the client has not declared the capability `sampling`, so it cannot be asked";
        for (method, params) in [
            ("tools/call", call("careful")),
            ("prompts/get", json!({"name": "letter", "arguments": {"to": "bob"}})),
        ] {
            let (result, asked) = client.talk(method, params, answer);
            assert!(asked.is_empty(), "{asked:?}");
            let said = result.to_string();
            assert!(said.contains(why), "{door:?}: {said}");
            if door.is_modern() {
                // Not even `attempt` keeps it from the client.
                assert_eq!(result["error"]["code"], -32021, "{said}");
                assert_eq!(
                    result["error"]["data"],
                    json!({"requiredCapabilities": {"sampling": {}}})
                );
            }
        }
        let (result, _) = client.talk("tools/call", call("visit"), answer);
        let said = result.to_string();
        assert!(said.contains("`elicitation.url`"), "{said}");
    }
}

#[test]
fn a_missing_capability_is_a_bad_request() {
    let web = Web::start(shop(), &[]);
    let reply = web.modern("tools/call", call("order"));
    assert_eq!(reply.is(400).code(), -32021);
}

/// Without a session there is no way to a legacy client.
#[test]
fn who_has_no_session_is_not_asked() {
    let web = Web::start(shop(), &[]);
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call("order")});
    let result = web.plain(&message).is(200).json();
    assert_eq!(result["result"]["isError"], true);
    assert!(text(&result).contains("has not declared the capability `elicitation`"), "{result}");
    let mut server = Server::start_in(shop(), Opening::Bare);
    server.call("order", json!({})).fails("ctx.elicit got no answer: the client has not declared");
}

/// Nor to one that has a session, but reads no events.
#[test]
fn who_takes_no_events_is_not_asked() {
    let client = Client::start(shop(), Door::Http(Era::Legacy), all_abilities());
    let Client::Session(web, session) = &client else { panic!("it has no session") };
    let message =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call("order")});
    let result = web.post(&[("Mcp-Session-Id", session)], &message).json();
    assert!(text(&result).contains("takes no text/event-stream"), "{result}");
}

#[test]
fn the_command_line_says_that_a_client_is_needed() {
    let room = shop();
    room.run(&["call", "order"]).exits(5).notes("nobody is there to be asked");
}

fn server(opening: Opening, capabilities: Value) -> Server {
    let mut server = Server::start_in(shop(), opening);
    server.capabilities = capabilities;
    server
}

/// The same request, with answers and what the server wants to have back.
fn retried(mut params: Value, result: &Value, responses: Value) -> Value {
    params["inputResponses"] = responses;
    params["requestState"] = result["requestState"].clone();
    params
}

#[test]
fn what_the_client_keeps_for_us_cannot_be_changed() {
    let mut server = server(Opening::Modern, all_abilities());
    let first = server.request("tools/call", call("order")).result();
    assert_eq!(first["resultType"], "input_required");
    let state = first["requestState"].as_str().unwrap().to_owned();
    let foreign = {
        let mut other = self::server(Opening::Modern, all_abilities());
        let result = other.request("tools/call", call("order")).result();
        result["requestState"].as_str().unwrap().to_owned()
    };
    let mut flipped = state.clone().into_bytes();
    let middle = flipped.len() / 2;
    flipped[middle] = if flipped[middle] == b'A' { b'B' } else { b'A' };
    let flipped = String::from_utf8(flipped).unwrap();
    let responses = json!({"who": {"action": "accept", "content": {"name": "ada"}}});
    let with = |params: Value, state: &str| {
        let mut params = params;
        params["inputResponses"] = responses.clone();
        params["requestState"] = json!(state);
        params
    };
    let other_arguments = json!({"name": "order", "arguments": {"item": "poison"}});
    let letter = json!({"name": "order", "arguments": {}});
    for (what, method, params) in [
        ("more at its end", "tools/call", with(call("order"), &format!("{state}-TAMPERED"))),
        ("less at its end", "tools/call", with(call("order"), &state[..state.len() - 2])),
        ("another letter", "tools/call", with(call("order"), &flipped)),
        ("nothing", "tools/call", with(call("order"), "")),
        ("nonsense", "tools/call", with(call("order"), "rs1.x.y")),
        ("without its tag", "tools/call", with(call("order"), state.rsplit_once('.').unwrap().0)),
        ("of another server", "tools/call", with(call("order"), &foreign)),
        ("for another tool", "tools/call", with(call("twice"), &state)),
        ("for a tool that does not ask", "tools/call", with(call("runs"), &state)),
        ("for other arguments", "tools/call", with(other_arguments, &state)),
        ("for a prompt", "prompts/get", with(letter, &state)),
        ("for a resource", "resources/read", with(json!({"uri": "order"}), &state)),
    ] {
        let answer = server.request(method, params).message;
        assert_eq!(answer["error"]["code"], -32602, "{what}: {answer:#}");
        let why = answer["error"]["message"].as_str().unwrap();
        assert!(why.starts_with("requestState") && why.ends_with("without it"), "{what}: {why}");
    }
    // Nothing of that has spoilt the real one.
    let second = server.request("tools/call", with(call("order"), &state)).result();
    assert_eq!(second["inputRequests"]["elicit"]["params"]["message"], "Which size?");
    // Sent again in the second round, what was answered in the first stays what it was.
    let other = json!({"who": {"action": "accept", "content": {"name": "eve"}}, "elicit": {"action": "accept", "content": {"size": "s"}}});
    let third = server.request("tools/call", retried(call("order"), &second, other)).result();
    assert_eq!(third["content"][0]["text"], "1 s tea for ada");
    // An open question is no failure.
    assert_eq!(server.status()["failed"], 0);
}

#[test]
fn answers_are_looked_at() {
    let ada = json!({"action": "accept", "content": {"name": "ada"}});
    let asks_again = |responses: Value, note: Option<&str>| {
        let mut server = server(Opening::Modern, all_abilities());
        let first = server.request("tools/call", call("order")).result();
        let again = server
            .request("tools/call", retried(call("order"), &first, responses.clone()))
            .result();
        let message = again["inputRequests"]["who"]["params"]["message"]
            .as_str()
            .unwrap_or_else(|| panic!("{responses}: {again:#}"));
        let expected =
            note.map_or("Who is it for?".into(), |note| format!("Who is it for?\n\n({note})"));
        assert_eq!(message, expected);
        // It can still be answered.
        let next = server
            .request(
                "tools/call",
                retried(
                    call("order"),
                    &again,
                    json!({"who": answer(&first["inputRequests"]["who"])}),
                ),
            )
            .result();
        assert_eq!(next["inputRequests"]["elicit"]["params"]["message"], "Which size?");
    };
    asks_again(json!({}), None);
    asks_again(json!(null), None);
    asks_again(json!({"other": ada}), None);
    asks_again(
        json!({"who": {"action": "accept", "content": {"name": "a"}}}),
        Some("`name` \"a\" is shorter than 2 characters"),
    );
    asks_again(
        json!({"who": {"action": "accept", "content": {"name": 3}}}),
        Some("`name` \"3\" is shorter than 2 characters"),
    );
    asks_again(json!({"who": {"action": "accept"}}), Some("\"name\" is a required property"));
    let mut server = server(Opening::Modern, all_abilities());
    for odd in [
        json!(12345),
        json!(null),
        json!({"action": "yes"}),
        json!({"action": "accept", "content": []}),
    ] {
        let asked = server.request("tools/call", call("order")).message;
        let mut params = call("order");
        params["requestState"] = asked["result"]["requestState"].clone();
        params["inputResponses"] = json!({"who": odd});
        server.request("tools/call", params).refused(-32602, "the answer to `who` cannot be read");
    }
    // The conformance suite sends answers that were not asked for, and some that no question fits.
    let mut params = call("order");
    params["inputResponses"] =
        json!({"who": ada, "elicit": {"action": "accept", "content": {"size": "s"}}, "more": 3});
    server.request("tools/call", params).text("1 s tea for ada");
}

/// An answer belongs to the question it was given to, not to the next one of the same key.
#[test]
fn a_script_that_asks_something_else_gets_no_old_answer() {
    let mut server = server(Opening::Modern, all_abilities());
    let first = server.request("tools/call", call("fickle")).result();
    assert_eq!(first["inputRequests"]["elicit"]["params"]["message"], "Run 1?");
    let again = retried(call("fickle"), &first, json!({"elicit": {"action": "accept"}}));
    let second = server.request("tools/call", again).result();
    assert_eq!(second["inputRequests"]["elicit"]["params"]["message"], "Run 2?");
}

#[test]
fn a_legacy_client_may_refuse_or_answer_amiss() {
    let mut server = server(Opening::Legacy, all_abilities());
    let reply = |server: &mut Server, reply: Value| {
        let id = server.send_call("order", json!({}));
        let asked = server.wire().notification("elicitation/create");
        let mut message = json!({"jsonrpc": "2.0", "id": asked["id"]});
        message.as_object_mut().unwrap().extend(reply.as_object().unwrap().clone());
        server.line(message.to_string().as_bytes());
        server.answer(id).message
    };
    for (said, part) in [
        (json!({"error": {"code": -1, "message": "not now"}}), "the client said: not now"),
        (json!({"result": {"action": "maybe"}}), "the client's answer to `who` does not fit"),
        (
            json!({"result": {"action": "accept", "content": {"name": "a"}}}),
            "is shorter than 2 characters",
        ),
        (json!({"result": {}}), "does not fit"),
    ] {
        let answer = reply(&mut server, said);
        assert_eq!(answer["result"]["isError"], true, "{answer:#}");
        assert!(text(&answer).contains(part), "{answer:#}");
    }
}

#[test]
fn a_legacy_client_hears_all_questions_before_it_answers_one() {
    let mut server = server(Opening::Legacy, all_abilities());
    let id = server.send_call("survey", json!({}));
    let methods = ["roots/list", "sampling/createMessage", "elicitation/create"];
    let asked: Vec<Value> =
        methods.into_iter().map(|method| server.wire().notification(method)).collect();
    for asked in asked {
        let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer(&asked)});
        server.line(reply.to_string().as_bytes());
    }
    server.answer(id).text("ada, words, file:///srv");
}

#[test]
fn a_call_that_waits_for_a_person_can_be_cancelled() {
    let mut server = server(Opening::Legacy, all_abilities());
    let id = server.send_call("order", json!({}));
    let asked = server.wire().notification("elicitation/create");
    server.notify("notifications/cancelled", json!({"requestId": id}));
    // The client need not show the form any longer.
    let word = server.wire().notification("notifications/cancelled");
    assert_eq!(word["params"]["requestId"], asked["id"]);
    server.status_until("free", |status| status["in_flight"] == 0);
    assert_eq!(server.status()["stuck"], 0);
    // Who answers all the same is not heard, and does no harm.
    let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer(&asked)});
    server.line(reply.to_string().as_bytes()).up();
    let answers = server.wire().unasked();
    assert!(answers.is_empty(), "{answers:#?}");
}

#[test]
fn a_person_has_as_long_as_the_call() {
    let mut server = server(Opening::Legacy, all_abilities());
    let id = server.send_call("brief", json!({}));
    let asked = server.wire().notification("elicitation/create");
    server.answer(id).fails("stopped after 300 ms, the time one call may take (limit `timeout`)");
    let word = server.wire().notification("notifications/cancelled");
    assert_eq!(word["params"]["requestId"], asked["id"]);
}

#[test]
fn a_client_that_leaves_is_not_waited_for() {
    let mut server = server(Opening::Legacy, all_abilities());
    let id = server.send_call("order", json!({}));
    server.wire().notification("elicitation/create");
    server.leave_within(Duration::from_secs(4));
    server.answer(id).fails("the client has gone");
}

/// Both eras in one process: neither learns of the other's questions.
#[test]
fn a_modern_request_between_legacy_ones_is_never_sent_a_question() {
    let mut server = server(Opening::Legacy, all_abilities());
    server.up();
    let mut message = modern("tools/call", call("order"));
    message["id"] = json!("modern");
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}});
    server.line(message.to_string().as_bytes());
    let result = server.answer("modern").result();
    assert_eq!(result["resultType"], "input_required");
    assert_eq!(server.wire().notified("elicitation/create"), None);
}
