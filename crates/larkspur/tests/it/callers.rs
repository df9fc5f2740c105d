//! Calls of several people at once, in this process: whose secrets go with them.

use crate::folder::manifest;
use crate::room::Room;
use crate::upstream::{Web, ok};
use model::{Args, Caller, Content};
use outside::Outside;
use runtime::{Call, ProjectFile, Runtime, Settings};
use std::sync::Arc;
use store::{Place, Store};
use vault::{KeySources, Vault};

const GET: &str = r#"
def get(ctx) -> str:
    return http.get("URL", auth = ctx.secret("token"))["body"]
"#;

const GET_TOOL: &str = "tool(get)";

/// A module `m` that asks this server with its secret `token`, in a runtime with a vault.
pub(crate) struct Served {
    pub(crate) room: Room,
    pub(crate) runtime: Runtime,
    pub(crate) vault: Arc<Vault>,
    pub(crate) executor: tokio::runtime::Runtime,
}

pub(crate) fn served(web: &Web) -> Served {
    served_with(web, GET_TOOL)
}

/// The same, with these declarations behind the function `get`.
pub(crate) fn served_with(web: &Web, declarations: &str) -> Served {
    let room = Room::new();
    write_source(&room, web, declarations);
    let vault = Arc::new(vault(&room));
    let outside = Outside::default().with_secrets(Arc::clone(&vault) as _);
    let runtime = Runtime::open(Settings {
        folders: vec![room.modules().to_owned()],
        project: ProjectFile::open(room.path().join("larkspur.toml")).unwrap(),
        world: Arc::new(outside),
        ..Settings::default()
    });
    assert!(runtime.catalog().broken.is_empty());
    let executor = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .unwrap();
    Served { room, runtime, vault, executor }
}

pub(crate) fn write_module(room: &Room, web: &Web) {
    write_source(room, web, GET_TOOL);
}

fn write_source(room: &Room, web: &Web, declarations: &str) {
    let (site, url) = (web.site(), web.url("/echo"));
    let more =
        format!("[permissions]\nhttp = ['{site}']\n[secrets]\ntoken = {{ hosts = ['{site}'] }}");
    let source = GET.replace("URL", &url);
    room.project("")
        .write("m/module.toml", &manifest("m", &more))
        .write("m/main.star", &format!("{source}\n{declarations}\n"));
}

/// The vault that the binary uses in this room.
pub(crate) fn vault(room: &Room) -> Vault {
    let has_project = room.path().join("larkspur.toml").exists();
    let home = if has_project { room.path() } else { room.modules() };
    let data_dir = home.join(".larkspur");
    let sources = KeySources {
        usual: room.path().join("config/larkspur/vault.key"),
        data_dir: data_dir.clone(),
        ..KeySources::default()
    };
    Vault::new(Store::at(data_dir), sources)
}

pub(crate) fn token_of(owner: &str) -> Place<'_> {
    Place { module: "m", name: "token", owner }
}

impl Served {
    /// A call by this person; what the tool answered, or what it said.
    pub(crate) fn call(&self, name: &str) -> tokio::task::JoinHandle<String> {
        self.call_tool(name, "m.get")
    }

    pub(crate) fn call_tool(&self, name: &str, tool: &str) -> tokio::task::JoinHandle<String> {
        let runtime = self.runtime.clone();
        let call =
            Call { caller: Caller::named(name.to_owned()), ..Call::new(tool, Args::default()) };
        self.executor.spawn(async move {
            match runtime.call(call).await {
                Ok(output) => match &output.content[..] {
                    [Content::Text { text, .. }] => text.clone(),
                    other => panic!("{other:?}"),
                },
                Err(error) => error.to_string(),
            }
        })
    }
}

/// A server that says which credentials it was given.
pub(crate) fn echo() -> Web {
    Web::answering(|asked| Some(ok(asked.header("authorization").unwrap_or("nothing"))))
}

#[test]
fn ten_thousand_calls_of_three_people_carry_their_own_secrets() {
    let web = echo();
    let served = served(&web);
    served.vault.set(&token_of(""), "everybodys").unwrap();
    served.vault.set(&token_of("ada"), "adas").unwrap();
    served.vault.set(&token_of("bob"), "bobs").unwrap();
    let people = [("ada", "adas"), ("bob", "bobs"), ("eve", "everybodys")];
    served.executor.block_on(async {
        for _ in 0..100 {
            let calls = (0..100).map(|number| {
                let (name, token) = people[number % people.len()];
                (name, token, served.call(name))
            });
            for (name, token, call) in calls.collect::<Vec<_>>() {
                assert_eq!(call.await.unwrap(), format!("Bearer {token}"), "{name}");
            }
        }
    });
    assert_eq!(web.asked().len(), 10_000);
    // Whoever calls himself as the one who runs the server is not him.
    served.vault.set(&token_of("local"), "somebodys").unwrap();
    let local = served.executor.block_on(served.call("local")).unwrap();
    assert_eq!(local, "Bearer everybodys");
    served.vault.remove(&token_of("")).unwrap();
    let refused = served.executor.block_on(served.call("eve")).unwrap();
    assert!(
        refused.contains("`larkspur secret set m.token --user eve` for eve alone"),
        "{refused}"
    );
}

#[test]
fn what_is_set_while_a_server_runs_is_used_at_once() {
    let web = echo();
    let served = served(&web);
    let call = |name: &str| served.executor.block_on(served.call(name)).unwrap();
    assert!(call("local").contains("`larkspur secret set m.token` sets it"));
    for value in ["one", "two"] {
        let set = served.room.run_with(&["secret", "set", "m.token"], &format!("{value}\n"));
        set.exits(0).says_only("set m.token");
        assert_eq!(call("local"), format!("Bearer {value}"));
    }
    served.room.run(&["secret", "rotate-key"]).exits(0);
    assert_eq!(call("local"), "Bearer two");
    served.room.run(&["secret", "remove", "m.token"]).exits(0);
    assert!(call("local").contains("is not set"));
}
