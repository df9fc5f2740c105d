//! Whatever the policy: what is listed can be called, described, found, run in a batch and read, and
//! nothing else can. And nobody gets somebody else's answer.

#![expect(clippy::disallowed_methods, reason = "tests own their folders")]

use crate::project::ProjectFile;
use crate::registry::Batch;
use crate::request::{Asking, Call};
use crate::runtime::{Runtime, Settings};
use model::{Args, Caller};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const MODULES: [&str; 3] = ["shop", "office", "yard"];
const TOOLS: [&str; 4] = ["get_one", "get_all", "delete_one", "search"];
/// Parts that patterns are made of.
const HEADS: [&str; 5] = ["*", "shop", "office", "ya*", "s*"];
const TAILS: [&str; 6] = ["*", "get_*", "*_one", "search", "delete_*", "note"];

/// Numbers that look random, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn patterns(&mut self) -> Vec<String> {
        let count = self.roll(4);
        let one = |dice: &mut Self| {
            let (head, tail) = (HEADS[dice.roll(HEADS.len())], TAILS[dice.roll(TAILS.len())]);
            format!("{head}.{tail}")
        };
        (0..count).map(|_| one(self)).collect()
    }
}

fn runtime(policy: &str) -> (tempfile::TempDir, Runtime) {
    let dir = tempfile::tempdir().unwrap();
    let modules = dir.path().join("modules");
    std::fs::create_dir(&modules).unwrap();
    for module in MODULES {
        let tools = TOOLS.map(|tool| {
            format!(
                "def {tool}(ctx, nonce: str = ''):\n    \"\"\"Do {tool} in the {module}.\"\"\"\n    \
                 return '{module}.{tool} ' + ctx.caller['name'] + ' ' + nonce\ntool({tool})\n"
            )
        });
        let note = format!("def note():\n    return 'x'\nresource('{module}://note', note)\n");
        let source = tools.concat() + &note;
        let home = modules.join(module);
        std::fs::create_dir(&home).unwrap();
        let manifest = format!("name = '{module}'\nversion = '1.0.0'\ndescription = 'd'\n");
        std::fs::write(home.join("module.toml"), manifest).unwrap();
        std::fs::write(home.join("main.star"), source).unwrap();
    }
    let file = dir.path().join("larkspur.toml");
    std::fs::write(&file, policy).unwrap();
    let project = ProjectFile::open(file).unwrap();
    let settings = Settings { folders: vec![modules], project, ..Settings::default() };
    (dir, Runtime::open(settings))
}

async fn call(
    runtime: &Runtime,
    caller: &Caller,
    name: &str,
    args: Value,
) -> Result<Value, String> {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    let call = Call { caller: caller.clone(), ..Call::new(name, args) };
    match runtime.call(call).await {
        Ok(output) if output.is_error => Err(output.plain_text()),
        Ok(output) => Ok(output.into_json()),
        Err(error) => Err(error.to_string()),
    }
}

/// All names for which it is so.
async fn those(is_so: impl AsyncFn(&str, &str) -> bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for module in MODULES {
        for tool in TOOLS {
            if is_so(module, tool).await {
                found.insert(format!("{module}.{tool}"));
            }
        }
    }
    found
}

async fn check_policy(policy: &str, expected: impl Fn(&str, &str) -> bool) {
    let (_dir, runtime) = runtime(policy);
    let caller = Caller::named("ada");
    let view = runtime.view(&caller);
    let listed: BTreeSet<String> = view.tools().map(|(_, handle)| handle.to_string()).collect();
    let meant = those(async |module, tool| expected(module, tool)).await;
    assert_eq!(listed, meant, "{policy}");
    let callable = those(async |module, tool| {
        let called = call(&runtime, &caller, &format!("{module}.{tool}"), json!({})).await;
        called.is_ok()
    });
    assert_eq!(callable.await, listed, "{policy}");
    let by_call = those(async |module, tool| {
        let args = json!({"module": module, "tool": tool, "params": {}});
        call(&runtime, &caller, "call", args).await.is_ok()
    });
    assert_eq!(by_call.await, listed, "{policy}");
    let by_batch = those(async |module, tool| {
        let tasks =
            json!([{"id": "a", "module": module, "tool": tool, "params": {}, "output": true}]);
        let batch = Batch {
            meta: crate::Meta::Batch,
            tasks,
            watch: None,
            lines: None,
            caller: caller.clone(),
            trail: crate::audit::Trail::default(),
            cancel: CancellationToken::new(),
        };
        runtime.batch(batch).await.is_ok()
    });
    assert_eq!(by_batch.await, listed, "{policy}");
    let args = json!({"modules": MODULES, "detail": "names"});
    let schema = call(&runtime, &caller, "get_module_schema", args).await;
    let schema = schema.map_or_else(|why| why, |value| value.to_string());
    for module in MODULES {
        let has_tools = listed.iter().any(|path| path.starts_with(&format!("{module}.")));
        let has_note = expected(module, "note");
        let is_there = view.module(module).is_some();
        assert_eq!(is_there, has_tools || has_note, "{policy} {module}");
        let uri = format!("{module}://note");
        let asking = Asking { caller: caller.clone(), ..Asking::default() };
        let read = runtime.read(&uri, asking).await;
        assert_eq!(read.is_ok(), has_note, "{policy} {uri}");
    }
    for tool in TOOLS {
        let query = json!({"query": tool.replace('_', " ")});
        let found = call(&runtime, &caller, "get_module_schema", query).await;
        let found = found.map_or_else(|why| why, |value| value.to_string());
        let is_listed = listed.iter().any(|path| path.ends_with(tool));
        assert_eq!(found.contains(tool), is_listed, "{policy} {tool}: {found}");
        assert_eq!(schema.contains(tool), is_listed, "{policy} {tool}: {schema}");
    }
}

/// As simple as it can be said, beside the one that is served.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((begin, end)) => {
            text.len() >= begin.len() + end.len() && text.starts_with(begin) && text.ends_with(end)
        }
    }
}

fn named(patterns: &[String], module: &str, name: &str) -> bool {
    patterns.iter().any(|pattern| {
        let (head, tail) = pattern.split_once('.').unwrap();
        fits(head, module) && fits(tail, name)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn listed_is_callable_is_found_whatever_the_policy() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..60 {
        let roles: Vec<(bool, Vec<String>, Vec<String>)> = (0..=dice.roll(3))
            .map(|_| (dice.roll(4) > 0, dice.patterns(), dice.patterns()))
            .collect();
        let policy = roles.iter().enumerate().map(|(at, (is_hers, allow, deny))| {
            let user = if *is_hers { "ada" } else { "bob" };
            format!("[role.r{at}]\nusers = ['{user}']\nallow = {allow:?}\ndeny = {deny:?}\n")
        });
        let policy = policy.collect::<Vec<_>>().concat();
        let own: Vec<_> = roles.iter().filter(|(is_hers, ..)| *is_hers).collect();
        check_policy(&policy, |module, name| {
            own.iter().any(|(_, allow, _)| named(allow, module, name))
                && !own.iter().any(|(.., deny)| named(deny, module, name))
        })
        .await;
    }
}

/// I8: many callers at once, each with a word of his own in each call.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_gets_an_answer_of_somebody_else() {
    const CALLERS: usize = 200;
    const EACH: usize = 500;
    let policy = "[role.even]\nclaims = { side = 'even' }\nallow = ['shop.*']\n\
                  [role.odd]\nclaims = { side = 'odd' }\nallow = ['office.*']\n";
    let (_dir, runtime) = runtime(policy);
    let runtime = Arc::new(runtime);
    let mut all = tokio::task::JoinSet::new();
    for number in 0..CALLERS {
        let runtime = Arc::clone(&runtime);
        all.spawn(async move {
            let side = if number % 2 == 0 { "even" } else { "odd" };
            let module = if number % 2 == 0 { "shop" } else { "office" };
            let other = if number % 2 == 0 { "office" } else { "shop" };
            let claims = Args::from_iter([("side".to_owned(), json!(side))]);
            let name = format!("caller{number}");
            let caller = Caller::named(name.clone()).with_token(Vec::new(), claims);
            for turn in 0..EACH {
                let nonce = format!("{number}-{turn}");
                let args = json!({"nonce": nonce});
                let answer = call(&runtime, &caller, &format!("{module}_search"), args).await;
                assert_eq!(answer, Ok(json!(format!("{module}.search {name} {nonce}"))));
                if turn % 50 == 0 {
                    for masked in [format!("{other}.search"), format!("{other}_search")] {
                        let answer = call(&runtime, &caller, &masked, json!({})).await;
                        assert!(answer.unwrap_err().contains("there is no tool"));
                    }
                }
            }
        });
    }
    while let Some(ended) = all.join_next().await {
        ended.unwrap();
    }
}
