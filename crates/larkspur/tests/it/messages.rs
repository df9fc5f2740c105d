//! JSON-RPC messages, generated method by method and mutation by mutation, each with the reply it must get.

use crate::web::MODERN;
use serde_json::{Value, json};

pub(crate) const REVISIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Result,
    Error(i64),
    Nothing,
}

use Expected::{Error, Nothing, Result};

const PARSE_ERROR: Expected = Error(-32700);
const INVALID_REQUEST: Expected = Error(-32600);
const UNKNOWN_METHOD: Expected = Error(-32601);
const INVALID_PARAMS: Expected = Error(-32602);

pub(crate) struct Message {
    pub(crate) label: String,
    pub(crate) bytes: Vec<u8>,
    /// Empty if there is none.
    pub(crate) method: String,
    /// Revision that the message itself names.
    pub(crate) revision: Option<String>,
    /// Tool, prompt, URI or task that the message is about.
    pub(crate) target: Option<String>,
    pub(crate) expected: Expected,
    /// Id of the reply.
    pub(crate) id: Value,
    /// Part of the error's message.
    pub(crate) mentions: String,
}

/// Revisions that have a method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Since {
    Always,
    /// Until 2025-11-25.
    Legacy,
    /// From 2026-07-28 on.
    Modern,
}

struct Method {
    name: &'static str,
    since: Since,
    required: Vec<&'static str>,
    expected: Expected,
    params: &'static str,
}

/// Name, revisions, required members, what valid params lead to, and those params.
const METHODS: &str = r#"
initialize               legacy protocolVersion,capabilities,clientInfo result {"protocolVersion":"REVISION","capabilities":{},"clientInfo":{"name":"t","version":"1"}}
ping                     legacy -                      result {}
server/discover          modern -                      result {}
tools/list               always -                      result {}
tools/call               always name                   result {"name":"hello","arguments":{"name":"ada"}}
prompts/list             always -                      result {}
prompts/get              always name                   result {"name":"letter","arguments":{"to":"ada"}}
resources/list           always -                      result {}
resources/templates/list always -                      result {}
resources/read           always uri                    result {"uri":"greet://today"}
resources/subscribe      legacy uri                    result {"uri":"greet://today"}
resources/unsubscribe    legacy uri                    result {"uri":"greet://today"}
completion/complete      always ref,argument           result {"ref":{"type":"ref/prompt","name":"letter"},"argument":{"name":"to","value":"a"}}
logging/setLevel         legacy level                  result {"level":"warning"}
tasks/get                modern taskId                 -32602 {"taskId":"none"}
tasks/update             modern taskId,inputResponses  -32602 {"taskId":"none","inputResponses":{}}
tasks/cancel             modern taskId                 -32602 {"taskId":"none"}
"#;

/// Params that can be read, and are wrong in what they name; and what they lead to.
const TARGETS: &str = r#"
tools/call          -32602 {"name":"none"}
tools/call          -32602 {"name":""}
tools/call          result {"name":"broken"}
tools/call          result {"name":"hello"}
tools/call          result {"name":"hello","arguments":{"name":3}}
tools/call          -32602 {"name":"hello","arguments":[]}
tools/call          -32602 {"name":"hello","arguments":"x"}
prompts/get         -32602 {"name":"none"}
prompts/get         -32602 {"name":"letter"}
prompts/get         -32602 {"name":"letter","arguments":[]}
resources/read      -32002 {"uri":"none://x"}
resources/read      -32603 {"uri":"greet://bad"}
completion/complete -32602 {"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"to","value":"a"}}
completion/complete -32602 {"ref":{"type":"ref/odd","name":"letter"},"argument":{"name":"to","value":"a"}}
completion/complete -32602 {"ref":{"type":"ref/prompt","name":"letter"},"argument":{"name":"to","value":3}}
logging/setLevel    -32602 {"level":"loud"}
initialize          result {"protocolVersion":"1999-12-31","capabilities":{},"clientInfo":{"name":"t","version":"1"}}
"#;

const LISTS: [&str; 4] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

const UNKNOWN: &str = "no/such,,tools/callx,Tools/Call,tools/call/,roots/list,sampling/createMessage,\
                       elicitation/create,notifications/initialized,tasks/list,rpc.discover";
const VALID_IDS: &str =
    "\"a\" \"\" \"\u{e9}\" 0 -5 9007199254740993 9223372036854775807 -9223372036854775808";
const INVALID_IDS: &str = "1.5 1.0 1e3 null true [] {} 9223372036854775808 1e400";

const NOTIFICATIONS: [(&str, &str); 9] = [
    ("notifications/initialized", "3"),
    ("notifications/initialized", "[]"),
    ("notifications/cancelled", "{}"),
    ("notifications/cancelled", r#"{"requestId":4711}"#),
    ("notifications/cancelled", r#"{"requestId":[]}"#),
    ("notifications/progress", r#""half""#),
    ("notifications/roots/list_changed", "null"),
    ("notifications/odd", "[]"),
    ("no/such", "{}"),
];

/// Id and kind of the reply, and the bytes, with `META` where a member of params can stand.
const BYTES: &str = r#"
null -32700 nonsense
null -32700 {
null -32600 3
null -32600 null
null -32600 "x"
null -32600 {}
null -32600 []
7    -32600 {"jsonrpc":"2.0","id":7}
7    -32600 {"id":7,"method":"tools/list"}
7    -32600 {"jsonrpc":"1.0","id":7,"method":"tools/list"}
7    -32600 {"jsonrpc":2.0,"id":7,"method":"tools/list"}
7    -32600 {"jsonrpc":null,"id":7,"method":"tools/list"}
7    -32600 {"JSONRPC":"2.0","id":7,"method":"tools/list"}
null -32600 {"jsonrpc":"2.0","ID":7,"method":"tools/list"}
7    -32600 {"jsonrpc":"2.0","id":7,"Method":"tools/list"}
7    -32600 {"jsonrpc":"2.0","id":7,"method":"tools/list","Params":{META}}
7    -32600 {"jsonrpc":"2.0","id":7,"method":"tools/list","method":"tools/list","params":{META}}
7    -32600 {"jsonrpc":"2.0","id":7,"method":"tools/list","params":{META},"params":{META}}
7    -32600 {"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"tools/list","params":{META}}
null -32600 {"jsonrpc":"2.0","id":7,"id":8,"method":"tools/list","params":{META}}
7    -32600 {"jsonrpc":"2.0","id":7,"method":"tools/list","x":1,"x":2,"params":{META}}
7    -32600 {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hello","name":"hello",META}}
7    -32600 {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"Name":"hello",META}}
7    -32602 {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hello","arguments":{"name":"a","name":"b"},META}}
7    -32700 {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hello","arguments":{"name":"\ud800"},META}}
7    -32700 {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hello","arguments":{"\ud800":1},META}}
7    -32700 {"jsonrpc":"2.0","id":7,"method":"\ud800","params":{META}}
7    -32700 {"jsonrpc":"2.0","id":7,"method":"tools/list","\udfff":1,"params":{META}}
null -32700 {"jsonrpc":"2.0","id":"\ud800","method":"tools/list","params":{META}}
7    -32600 {"jsonrpc":"2.0","id":7,"method":5,"params":{META}}
7    -32600 {"jsonrpc":"2.0","id":7,"method":null,"params":{META}}
7    -32700 {"jsonrpc":"2.0","id":7,"method":"tools/list","params":{
"#;

/// A byte order mark and white space are not part of a message.
const PADDED: [&str; 2] = [
    "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\",\"params\":{META}}",
    "\t {\"jsonrpc\":\"2.0\" ,\"id\" :7,\"method\":\"tools/list\",\"params\": {META} } ",
];

/// The table of one revision.
pub(crate) fn table(revision: &str) -> Vec<Message> {
    let table = Table { revision };
    let methods = methods();
    let mut all: Vec<Message> = methods.iter().flat_map(|method| table.of_method(method)).collect();
    all.extend(table.of_listen());
    all.extend(table.of_lists());
    all.extend(table.of_targets(&methods));
    all.extend(table.of_ids());
    all.extend(UNKNOWN.split(',').map(|name| {
        let params = Some(table.meta(json!({})));
        table.request(name, "unknown method", params, UNKNOWN_METHOD)
    }));
    all.extend(table.of_notifications(&methods));
    all.extend(table.of_bytes());
    all
}

fn methods() -> Vec<Method> {
    let method = |line: &'static str| {
        let [name, since, required, expected, params] = cells(line);
        Method {
            name,
            since: match since {
                "always" => Since::Always,
                "legacy" => Since::Legacy,
                _ => Since::Modern,
            },
            required: required.split(',').filter(|name| *name != "-").collect(),
            expected: expected_of(expected),
            params,
        }
    };
    METHODS.trim().lines().map(method).collect()
}

/// The cells of a line; the last one may have spaces.
fn cells<const COUNT: usize>(line: &'static str) -> [&'static str; COUNT] {
    let mut rest = line;
    std::array::from_fn(|at| match rest.split_once(' ') {
        Some((cell, after)) if at + 1 < COUNT => {
            rest = after.trim_start();
            cell
        }
        _ => rest,
    })
}

fn expected_of(cell: &str) -> Expected {
    match cell {
        "result" => Result,
        code => Error(code.parse().unwrap()),
    }
}

struct Table<'a> {
    revision: &'a str,
}

impl Table<'_> {
    fn is_modern(&self) -> bool {
        self.revision == MODERN
    }

    /// Params with the members that the revision demands.
    fn meta(&self, mut params: Value) -> Value {
        if self.is_modern() && params.is_object() {
            params["_meta"] = crate::web::modern("", json!({}))["params"]["_meta"].clone();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        }
        params
    }

    fn request(
        &self,
        method: &str,
        mutation: &str,
        params: Option<Value>,
        expected: Expected,
    ) -> Message {
        let mut message = json!({"jsonrpc": "2.0", "id": 7, "method": method});
        if let Some(params) = params {
            message["params"] = params;
        }
        self.message(&format!("{method}: {mutation}"), message, expected)
    }

    fn message(&self, label: &str, message: Value, expected: Expected) -> Message {
        let bytes = message.to_string().into_bytes();
        self.written(label, bytes, &message, expected)
    }

    /// Bytes with what they mean to a client that writes HTTP headers for them.
    fn written(&self, label: &str, bytes: Vec<u8>, meant: &Value, expected: Expected) -> Message {
        let params = &meant["params"];
        let revision = &params["_meta"]["io.modelcontextprotocol/protocolVersion"];
        let target = ["name", "uri", "taskId"].iter();
        let mut target = target.filter_map(|member| params[member].as_str());
        Message {
            label: format!("{} {label}", self.revision),
            bytes,
            method: meant["method"].as_str().unwrap_or_default().to_owned(),
            revision: revision.as_str().map(str::to_owned),
            target: target.next().map(str::to_owned),
            expected,
            id: meant["id"].clone(),
            mentions: String::new(),
        }
    }

    /// What a method must be answered with in a message that names a revision, or in one that does not.
    fn expected(&self, method: &Method, names_revision: bool, expected: Expected) -> Expected {
        match method.since {
            Since::Legacy if self.is_modern() && names_revision => UNKNOWN_METHOD,
            // Without a revision it is a modern request that lacks its `_meta`.
            Since::Modern if !names_revision => INVALID_PARAMS,
            _ => expected,
        }
    }

    fn of_method(&self, method: &Method) -> Vec<Message> {
        let text = method.params.replace("REVISION", self.revision);
        let valid: Value = serde_json::from_str(&text).unwrap();
        let is_modern = self.is_modern();
        // Params without `_meta` name no revision.
        let bare = |mutation: &str, params: Option<Value>, expected| {
            let expected = self.expected(method, false, expected);
            self.request(method.name, mutation, params, expected)
        };
        let whole = |mutation: &str, params: Value, expected| {
            let expected = self.expected(method, is_modern, expected);
            self.request(method.name, mutation, Some(self.meta(params)), expected)
        };
        let without = if method.required.is_empty() { method.expected } else { INVALID_PARAMS };
        let mut all = vec![
            whole("valid", valid.clone(), method.expected),
            bare("without params", None, without),
            bare("params null", Some(Value::Null), without),
        ];
        for wrong in [json!(3), json!("x"), json!(true), json!([]), json!([valid])] {
            let mutation = format!("params {wrong}");
            all.push(bare(&mutation, Some(wrong), INVALID_PARAMS));
        }
        let mut unknown = valid.clone();
        unknown["x-unknown"] = json!({"a": [1]});
        all.push(whole("unknown member", unknown, method.expected));
        for wrong in [json!(3), json!([])] {
            let mut params = valid.clone();
            let mutation = format!("_meta {wrong}");
            params["_meta"] = wrong;
            all.push(bare(&mutation, Some(params), INVALID_PARAMS));
        }
        for name in &method.required {
            let mut params = valid.clone();
            params.as_object_mut().unwrap().remove(*name);
            let mut message = whole(&format!("without {name}"), params, INVALID_PARAMS);
            if method.since != Since::Modern || is_modern {
                message.mentions = match message.expected {
                    UNKNOWN_METHOD => method.name.to_owned(),
                    _ => format!("`{name}`"),
                };
            }
            all.push(message);
            for wrong in [Value::Null, json!(3), json!([]), json!([[1]])] {
                let mut params = valid.clone();
                let mutation = format!("{name} {wrong}");
                params[*name] = wrong;
                all.push(whole(&mutation, params, INVALID_PARAMS));
            }
        }
        all
    }

    /// Only what is rejected: a listener's stream does not end.
    fn of_listen(&self) -> Vec<Message> {
        if !self.is_modern() {
            return Vec::new();
        }
        let name = "subscriptions/listen";
        let wrong = [
            json!({}),
            json!({"notifications": null}),
            json!({"notifications": 3}),
            json!({"notifications": []}),
            json!({"notifications": {"toolsListChanged": "yes"}}),
            json!({"notifications": {"resourceSubscriptions": "greet://today"}}),
        ];
        let wrong = wrong.into_iter();
        wrong
            .map(|params| {
                // An id of its own: one that is listened to by mistake stays in use.
                let (id, params) = (params.to_string(), self.meta(params));
                let message = json!({"jsonrpc": "2.0", "id": id, "method": name, "params": params});
                self.message(&format!("{name}: {id}"), message, INVALID_PARAMS)
            })
            .collect()
    }

    fn of_lists(&self) -> Vec<Message> {
        let cursors = [json!(3), json!([]), json!({}), json!("elsewhere")];
        let all = LISTS.iter().flat_map(|list| {
            cursors.iter().map(|cursor| {
                let params = Some(self.meta(json!({"cursor": cursor})));
                self.request(list, &format!("cursor {cursor}"), params, INVALID_PARAMS)
            })
        });
        all.collect()
    }

    fn of_targets(&self, methods: &[Method]) -> Vec<Message> {
        let all = TARGETS.trim().lines().map(|line| {
            let [name, expected, params] = cells(line);
            let known = methods.iter().find(|method| method.name == name).unwrap();
            let expected = match expected_of(expected) {
                // The code of an unknown resource changed with the revision.
                Error(-32002) if self.is_modern() => INVALID_PARAMS,
                expected => self.expected(known, self.is_modern(), expected),
            };
            let value = serde_json::from_str(params).unwrap();
            self.request(name, params, Some(self.meta(value)), expected)
        });
        all.collect()
    }

    fn of_ids(&self) -> Vec<Message> {
        let template = json!({"jsonrpc": "2.0", "id": "ID", "method": "tools/list", "params": self.meta(json!({}))});
        let write = |id: &str, answered: &str, expected| {
            let bytes = template.to_string().replace("\"ID\"", id).into_bytes();
            let mut meant = template.clone();
            meant["id"] = serde_json::from_str(answered).unwrap();
            self.written(&format!("id {id}"), bytes, &meant, expected)
        };
        let long = format!("\"{}\"", "x".repeat(5_000));
        let valid = VALID_IDS.split(' ').chain([long.as_str()]);
        let valid = valid.map(|id| write(id, id, Result));
        let invalid = INVALID_IDS.split(' ');
        let invalid = invalid.map(|id| write(id, "null", INVALID_REQUEST));
        valid.chain(invalid).collect()
    }

    fn of_notifications(&self, methods: &[Method]) -> Vec<Message> {
        let notify = |method: &str, params: Value| {
            let label = format!("notification {method} {params}");
            let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
            self.message(&label, message, Nothing)
        };
        let methods = methods.iter().filter(|method| method.name != "initialize");
        let methods = methods.map(|method| {
            let params = serde_json::from_str(method.params).unwrap();
            notify(method.name, self.meta(params))
        });
        let odd = NOTIFICATIONS
            .iter()
            .map(|(method, params)| notify(method, serde_json::from_str(params).unwrap()));
        methods.chain(odd).collect()
    }

    fn of_bytes(&self) -> Vec<Message> {
        let meta = self.meta(json!({}));
        // Without a revision to name, any member does.
        let member = match &meta["_meta"] {
            Value::Null => "\"x-unknown\":1".to_owned(),
            meta => format!("\"_meta\":{meta}"),
        };
        let tool = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hello","arguments":{"name":NESTED},META}}"#;
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let deep = [(100, Result), (200, PARSE_ERROR), (50_000, PARSE_ERROR)];
        let deep = deep.map(|(depth, expected)| {
            let text = tool.replace("NESTED", &nested(depth));
            (format!("nesting {depth}"), text, "7", expected)
        });
        let rows = BYTES.trim().lines().map(|line| {
            let [id, expected, text] = cells(line);
            (text.to_owned(), text.to_owned(), id, expected_of(expected))
        });
        let padded = PADDED.map(|text| (text.to_owned(), text.to_owned(), "7", Result));
        let batch = r#"[{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{META}}]"#;
        let batch = (batch.to_owned(), batch.to_owned(), "null", INVALID_REQUEST);
        // `batches.rs` has the tests of batches that are accepted.
        let batch = (self.revision != "2025-03-26").then_some(batch);
        let rows = rows.chain(padded).chain(deep).chain(batch);
        let mut all: Vec<Message> = rows
            .map(|(label, text, id, expected)| {
                let id: Value = serde_json::from_str(id).unwrap();
                let (method, params) = if text.contains("tools/call") {
                    ("tools/call", json!({"name": "hello"}))
                } else {
                    ("tools/list", json!({}))
                };
                let mut meant = json!({"id": id, "method": method, "params": params});
                if text.contains("META") {
                    meant["params"] = self.meta(meant["params"].take());
                }
                let bytes = text.replace("META", &member).into_bytes();
                let mut message = self.written(&label, bytes, &meant, expected);
                if text.starts_with("[{") {
                    // The only revision that has them.
                    message.mentions = "2025-03-26".to_owned();
                }
                message
            })
            .collect();
        let mut broken = br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","x":""#.to_vec();
        broken.extend_from_slice(b"\xff\"}");
        let meant = json!({"id": 7});
        all.push(self.written("bytes that are not UTF-8", broken, &meant, PARSE_ERROR));
        all
    }
}
