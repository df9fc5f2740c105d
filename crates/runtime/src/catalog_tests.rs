//! Guarantees of a registry, shown for catalogs.

use super::*;
use crate::gate::Gate;
use crate::ground::Ground;
use crate::lane::Lane;
use crate::permit::Permit;
use crate::prompts::PromptLookup;
use crate::runtime::Settings;
use model::{Host, Limits};
use script::{Engine, LoadSession, Sources};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// One file in memory, in a world with nothing in it.
struct OneFile {
    source: String,
    ground: Arc<Ground>,
    permit: Arc<Permit>,
}

impl Sources for OneFile {
    fn read(&self, _file: &FileId) -> Result<String, String> {
        Ok(self.source.clone())
    }
}

impl LoadSession for OneFile {
    fn enter(&self, work: &mut dyn FnMut(&dyn Sources, &dyn Host)) {
        work(self, &Gate::new("loading", self, &self.permit, &self.ground));
    }
}

fn load(file: &str, source: &str) -> (Arc<OneFile>, Result<Script, Fault>) {
    let settings = Settings { asleep: true, forgets: true, ..Settings::default() };
    let rights = model::Rights::of_loading(true, []);
    let session = Arc::new(OneFile {
        source: source.to_owned(),
        ground: Arc::new(Ground::new(&settings)),
        permit: Arc::new(Permit::new("nowhere".into(), rights, &Arc::default())),
    });
    let shared = Arc::clone(&session) as Arc<dyn LoadSession>;
    let mut loaded = Arc::new(Engine::new(Limits::default())).load_all(&[file.into()], &shared);
    (session, loaded.remove(0).result)
}

/// A module of this name, from its source.
pub(crate) fn written(name: &str, source: &str) -> Arc<Module> {
    let file = format!("{name}.star");
    let (session, script) = load(&file, source);
    let script = Arc::new(script.unwrap());
    let name: ModuleName = name.parse().unwrap();
    let life = Life::new(
        name.clone(),
        0,
        Arc::clone(&script),
        false,
        script::Started::default(),
        Vec::new(),
        Arc::clone(&session.permit),
        Arc::clone(&session.ground),
    );
    Arc::new(Module {
        name,
        folder: 0,
        shown: format!("modules/{file}"),
        file,
        lanes: script.tools.iter().map(|_| Lane::default()).collect(),
        tools: script.tools.clone(),
        resources: script.resources.clone(),
        prompts: script.prompts.clone(),
        script,
        manifest: None,
        config: Config::default(),
        life,
        loaded_in: Duration::ZERO,
        generation: 1,
    })
}

/// A module with tools of these names, all described so.
fn module_saying(name: &str, tools: &[&str], description: &str) -> Arc<Module> {
    let tools = tools.iter().map(|tool| {
        format!("def {tool}(x: int):\n    \"\"\"{description}\"\"\"\n    return x\ntool({tool})\n")
    });
    written(name, &tools.collect::<String>())
}

pub(crate) fn module(name: &str, tools: &[&str]) -> Arc<Module> {
    module_saying(name, tools, "")
}

/// What a name stands for, in a line.
pub(crate) fn lookup(catalog: &Catalog, name: &str) -> String {
    match catalog.lookup(name) {
        Lookup::Found(handle) => handle.path().to_string(),
        Lookup::Ambiguous(paths) => {
            let paths: Vec<String> = paths.iter().map(ToString::to_string).collect();
            format!("either {}", paths.join(" or "))
        }
        Lookup::Unknown(near) => format!("nothing, but {}", near.join(", ")),
    }
}

pub(crate) fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.tool_names().collect()
}

#[test]
fn a_module_is_registered_with_definition_and_handler_at_once() {
    let catalog = Catalog::default().with(module_saying("greet", &["hello"], "Greets."));
    assert_eq!(lookup(&catalog, "hello"), "greet.hello");
    assert_eq!(lookup(&catalog, "greet.hello"), "greet.hello");
    let Lookup::Found(handle) = catalog.lookup("hello") else { panic!("hello is not found") };
    assert_eq!(handle.tool().tool.description, "Greets.");
    assert_eq!(handle.module.name.as_str(), "greet");
    let path = "greet.hello".parse().unwrap();
    assert_eq!(catalog.get(&path).unwrap().path(), path);
    assert_eq!(catalog.module("greet").unwrap().file, "greet.star");
}

#[test]
fn registering_again_replaces() {
    let first = Catalog::default().with(module("m", &["a", "b"]));
    let second = first.with(module_saying("m", &["b", "c"], "Anew."));
    assert_eq!(names(&second), ["b", "c"]);
    assert_eq!(lookup(&second, "m.a"), "nothing, but m.b, m.c");
    let (_, b) = second.tools().next().unwrap();
    assert_eq!(b.tool().tool.description, "Anew.");
    // Whoever holds the first one still sees all of it.
    assert_eq!(names(&first), ["a", "b"]);
}

#[test]
fn within_a_module_the_last_declaration_of_a_name_counts() {
    let source = "def a():\n    return 1\ndef b():\n    return 2\n\
                  tool(a, name = \"x\", description = \"first\")\n\
                  tool(b, name = \"x\", description = \"second\")\n";
    let catalog = Catalog::default().with(written("m", source));
    assert_eq!(names(&catalog), ["x"]);
    let (_, x) = catalog.tools().next().unwrap();
    assert_eq!(x.tool().tool.description, "second");
}

#[test]
fn unregistering_removes_completely() {
    let both = Catalog::default().with(module("one", &["a"])).with(module("two", &["b"]));
    let one = both.without(&"two".parse().unwrap());
    assert_eq!(names(&one), ["a"]);
    assert_eq!(lookup(&one, "b"), "nothing, but ");
    assert_eq!(lookup(&one, "two.b"), "nothing, but ");
    assert!(one.module("two").is_none());
    assert_eq!(one.fingerprint, Catalog::default().with(module("one", &["a"])).fingerprint);
    // Removing what is not there changes nothing.
    assert_eq!(names(&one.without(&"two".parse().unwrap())), ["a"]);
}

#[test]
fn a_lookup_names_what_is_similar() {
    let catalog = Catalog::default().with(module("m", &["list_issues", "zebra", "hello"]));
    assert_eq!(lookup(&catalog, "helo"), "nothing, but hello");
    assert_eq!(lookup(&Catalog::default(), "x"), "nothing, but ");
}

#[test]
fn the_list_is_sorted_and_holds_definitions_only() {
    let catalog = Catalog::default().with(module("z", &["b", "a"])).with(module("y", &["d", "c"]));
    assert_eq!(names(&catalog), ["a", "b", "c", "d"]);
    for (listed, handle) in catalog.tools() {
        let tool = &handle.tool().tool;
        assert_eq!(listed, tool.name.as_str());
        assert_eq!(tool.input.to_json()["required"], serde_json::json!(["x"]));
    }
}

#[test]
fn many_are_registered_in_one_step() {
    let modules = [module("a", &["x"]), module("b", &["y"]), module("c", &["z"])];
    let at_once = Catalog::of(modules.iter().cloned());
    let later = Catalog::default().with_all(modules.iter().cloned());
    let one_by_one = modules
        .iter()
        .rev()
        .fold(Catalog::default(), |catalog, module| catalog.with(Arc::clone(module)));
    for catalog in [&at_once, &later, &one_by_one] {
        assert_eq!(names(catalog), ["x", "y", "z"]);
        assert_eq!(catalog.tool_count(), 3);
        assert_eq!(catalog.fingerprint, at_once.fingerprint);
    }
}

#[test]
fn cleared_is_empty() {
    let empty = Catalog::default();
    assert_eq!(empty.tool_count(), 0);
    assert_eq!(empty.modules().count(), 0);
    assert_eq!(names(&empty), [""; 0]);
}

#[test]
fn count_and_names_agree() {
    let catalog =
        Catalog::default().with(module("one", &["same", "a"])).with(module("two", &["same", "b"]));
    let unique: HashSet<&str> = catalog.tool_names().collect();
    assert_eq!(catalog.tool_count(), 3);
    assert_eq!(unique.len(), 3);
}

#[test]
fn of_two_modules_of_one_name_the_first_is_served_and_the_second_named() {
    let second = Arc::new(Module {
        shown: "modules/sub/m.star".into(),
        ..Arc::into_inner(module("m", &["b"])).unwrap()
    });
    let catalog = Catalog::of([module("m", &["a"]), second]);
    assert_eq!(names(&catalog), ["a"]);
    let broken = &catalog.broken["modules/sub/m.star"];
    assert_eq!(broken.fault.message, "module `m` is already declared by modules/m.star");
    assert_eq!(broken.state, State::Failed);
}

#[test]
fn a_fingerprint_changes_with_what_clients_see_and_with_nothing_else() {
    let of = |module| Catalog::default().with(module).fingerprint;
    let plain = of(module("m", &["a"]));
    assert_eq!(plain, of(module("m", &["a"])));
    let body = "def a(x: int):\n    return x + 1\ntool(a)\n";
    assert_eq!(plain, of(written("m", body)));
    let variants = [
        of(module_saying("m", &["a"], "Says so.")),
        of(module("m", &["b"])),
        of(module("m", &["a", "b"])),
        of(written("m", "def a(x: str):\n    return x\ntool(a)\n")),
        of(written("m", "def a(x: int = 1):\n    return x\ntool(a)\n")),
        of(written("m", "def a(x: int) -> dict:\n    return {}\ntool(a)\n")),
        of(written("m", "def a(x: int):\n    return x\ntool(a, title = \"A\")\n")),
        of(written("m", "def a(x: int):\n    return x\ntool(a, read_only = True)\n")),
        Catalog::default().fingerprint,
    ];
    let different: HashSet<u64> = variants.into_iter().chain([plain]).collect();
    assert_eq!(different.len(), 10);
}

/// A record that is wrong cannot come to be: it is refused where it is declared.
#[test]
fn records_are_validated() {
    let check = |source: &str, part: &str| {
        let fault = load("m.star", source).1.map(|_| ()).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    };
    check("def a():\n    return 1\ntool(a, name = \"no spaces\")\n", "may hold only letters");
    check("def a():\n    return 1\ntool(a, name = \"\")\n", "is empty");
    check("tool(3)\n", "tool");
    check("def a(x: int):\n    return x\ntool(a, input_schema = {\"type\": 3})\n", "schema");
    for bad in ["", "a b", "a.b", "ä"] {
        assert!(bad.parse::<ModuleName>().is_err(), "{bad}");
    }
}

/// Readers see whole catalogs, old or new, while another thread replaces them.
#[test]
fn readers_on_other_threads_see_whole_catalogs() {
    const VERSIONS: u64 = 200;
    let even = Catalog::of([module("m", &["even", "shared"]), module("n", &["n"])]);
    let odd = Catalog::of([module("m", &["odd", "shared"])]);
    let (even, odd) = (Arc::new(even), Arc::new(odd));
    let sender = watch::Sender::new(Arc::clone(&even));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8)
            .map(|_| {
                let receiver = sender.subscribe();
                let done = &done;
                scope.spawn(move || {
                    let mut reads = 0_u64;
                    while !done.load(Ordering::Relaxed) || reads == 0 {
                        let catalog = Arc::clone(&receiver.borrow());
                        let seen: Vec<&str> = catalog.tool_names().collect();
                        let whole = seen == ["even", "n", "shared"] || seen == ["odd", "shared"];
                        assert!(whole, "{seen:?}");
                        assert_eq!(lookup(&catalog, "shared"), "m.shared");
                        reads += 1;
                    }
                    reads
                })
            })
            .collect();
        for version in 0..VERSIONS {
            let next = if version % 2 == 0 { &odd } else { &even };
            sender.send_replace(Arc::clone(next));
            std::thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
    assert_eq!(sender.borrow().fingerprint, even.fingerprint);
}

/// A module that declares this.
fn with(name: &str, declared: &str) -> Arc<Module> {
    let functions =
        "def f():\n    return ''\ndef g(x):\n    return ''\ndef h(x, y):\n    return ''\n";
    written(name, &format!("{functions}{declared}"))
}

#[test]
fn an_exact_uri_wins_then_the_template_that_says_most() {
    let catalog = Catalog::of([
        with("a", "resource('x://{+x}', g, name = 'rest')\nresource('x://{x}', g, name = 'one')"),
        with(
            "b",
            "resource('x://{x}/{y}', h, name = 'two')\nresource('x://b/{x}', g, name = 'most')",
        ),
        with("c", "resource('x://b/c', f, name = 'exact')"),
    ]);
    let found = |uri: &str| {
        let found = catalog.resources.find(uri);
        found.map(|(handle, args)| {
            let args = Value::Object(args).to_string();
            format!("{} {args}", handle.resource().resource.name)
        })
    };
    let check = |uri: &str, expected: &str| assert_eq!(found(uri).as_deref(), Some(expected));
    check("x://b/c", "exact {}");
    check("x://b/d", r#"most {"x":"d"}"#);
    check("x://d/e", r#"two {"x":"d","y":"e"}"#);
    check("x://d", r#"one {"x":"d"}"#);
    check("x://d/e/f", r#"rest {"x":"d/e/f"}"#);
    assert_eq!(found("y://d"), None);
    assert_eq!(catalog.resources.similar("x://b/d")[0], "x://b/c");
}

#[test]
fn resources_are_listed_by_uri_and_once() {
    let catalog = Catalog::of([
        with("two", "resource('x://b', f)\nresource('x://a', f)"),
        with("one", "resource('x://b', f, title = 'One')"),
    ]);
    let listed: Vec<String> = catalog
        .resources
        .exact()
        .map(|h| format!("{}:{}", h.module.name, h.resource().resource.uri))
        .collect();
    assert_eq!(listed, ["two:x://a", "one:x://b"]);
    assert_eq!(catalog.notes, ["modules `one` and `two` both declare x://b; `one` serves it"]);
}

#[test]
fn a_prompt_shared_by_name_gets_a_longer_one() {
    let catalog = Catalog::of([
        with("one", "prompt(f)\nprompt(g)"),
        with("two", "prompt(f)\nprompt(h, name = 'one_f')"),
    ]);
    let listed: Vec<&str> = catalog.prompts.listed().map(|(name, _)| name).collect();
    assert_eq!(listed, ["g", "one_f", "one_f_2", "two_f"]);
    assert_eq!(
        catalog.notes,
        ["prompts one.f and two.f have one name; listed as one_f_2 and two_f"]
    );
    let found = |name: &str| match catalog.prompts.lookup(name) {
        PromptLookup::Found(handle) => handle.path().to_string(),
        PromptLookup::Ambiguous(paths) => format!("{} of them", paths.len()),
        PromptLookup::Unknown(near) => format!("nearest {}", near[0]),
    };
    assert_eq!(found("one_f"), "two.one_f");
    assert_eq!(found("one.f"), "one.f");
    assert_eq!(found("two_f"), "two.f");
    assert_eq!(found("f"), "2 of them");
    assert_eq!(found("two_ff"), "nearest two_f");
}

#[test]
fn each_list_has_a_fingerprint_of_its_own() {
    let of = |declared: &str| {
        let catalog = Catalog::of([with("m", declared)]);
        let resources = catalog.resources.fingerprint;
        (catalog.fingerprint, resources, catalog.prompts.fingerprint)
    };
    let before = of("tool(f)\nresource('x://a', f)\nprompt(f)");
    let tools = of("tool(f, title = 'T')\nresource('x://a', f)\nprompt(f)");
    let resources = of("tool(f)\nresource('x://a', f, mime = 'a/b')\nprompt(f)");
    let prompts = of("tool(f)\nresource('x://a', f)\nprompt(f, title = 'T')");
    let differ =
        |after: (u64, u64, u64)| (before.0 != after.0, before.1 != after.1, before.2 != after.2);
    assert_eq!(differ(tools), (true, false, false));
    assert_eq!(differ(resources), (false, true, false));
    assert_eq!(differ(prompts), (false, false, true));
}
