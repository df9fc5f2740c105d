//! What tools are called in lists, and that no name changes its meaning while a server runs.

use super::*;
use crate::catalog::tests::{lookup, module, names};
use crate::name_record::NameRecord;
use std::collections::HashMap;

/// A module that is a folder, with these lines in its manifest.
pub(crate) fn folder(name: &str, tools: &[&str], lines: &str) -> Arc<Module> {
    let text = format!("name = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"d\"\n{lines}");
    let manifest = Manifest::parse("module.toml", &text, "1.0.0").unwrap();
    Arc::new(Module {
        manifest: Some(Arc::new(manifest)),
        ..Arc::into_inner(module(name, tools)).unwrap()
    })
}

fn with_prefix(module: &str, prefix: &str) -> Rules {
    Rules {
        prefixes: BTreeMap::from([(module.parse().unwrap(), prefix.to_owned())]),
        ..Rules::default()
    }
}

#[test]
fn a_name_follows_from_its_own_module() {
    let check = |module: &Arc<Module>, rules: Rules, expected: &str| {
        let alone = Catalog::by(rules.clone(), [Arc::clone(module)]);
        assert_eq!(names(&alone), [expected]);
        let others = [folder("other", &["x", "hub"], ""), folder("z", &["x"], "")];
        let among = Catalog::by(rules, others.into_iter().chain([Arc::clone(module)]));
        assert!(names(&among).contains(&expected), "{expected}");
        assert_eq!(among.unlisted, []);
    };
    let plain = folder("hub", &["x"], "");
    check(&plain, Rules::default(), "hub_x");
    check(&plain, with_prefix("hub", ""), "x");
    check(&plain, with_prefix("hub", "gh-"), "gh-x");
    check(&plain, with_prefix("other", "o_"), "hub_x");
    check(&folder("hub", &["hub"], ""), Rules::default(), "hub");
    let own = folder("hub", &["x"], "prefix = 'own_'");
    check(&own, Rules::default(), "own_x");
    check(&own, with_prefix("hub", ""), "x");
    let bare = folder("hub", &["x"], "prefix = ''");
    check(&bare, Rules::default(), "x");
    let file = module("hub", &["x"]);
    check(&file, Rules::default(), "x");
    check(&file, with_prefix("hub", "h_"), "h_x");
}

#[test]
fn names_of_meta_tools_stay_theirs() {
    for reserved in RESERVED {
        let long = format!("m_{reserved}");
        for of in [module("m", &[reserved]), folder("m", &[reserved], "prefix = ''")] {
            let catalog = Catalog::of([of]);
            assert_eq!(names(&catalog), [long.as_str()]);
            assert_eq!(lookup(&catalog, &long), format!("m.{reserved}"));
        }
    }
    let catalog = Catalog::of([folder("get", &["module_schema", "x"], "")]);
    assert_eq!(names(&catalog), ["get_x"]);
    let fault = catalog.unlisted[0].fault().to_string();
    let expected =
        "`get.module_schema` is not listed: the name `get_module_schema` is the name of a";
    assert!(fault.contains(expected), "{fault}");
}

#[test]
fn a_listed_name_is_one_that_clients_accept() {
    let (long, tool) = ("m".repeat(64), "t".repeat(64));
    let catalog = Catalog::of([folder(&long, &[&tool, "other"], "")]);
    assert_eq!(catalog.tool_count(), 1);
    for name in catalog.tool_names() {
        assert!(name.parse::<model::ToolName>().is_ok(), "{name}");
    }
    // Two names that are cut to the same are reported like any others.
    assert_eq!(catalog.unlisted.len(), 1);
}

#[test]
fn of_two_tools_of_one_name_the_first_modules_is_listed() {
    let catalog = Catalog::of([module("two", &["same", "b"]), module("one", &["same", "a"])]);
    assert_eq!(names(&catalog), ["a", "b", "same"]);
    assert_eq!(lookup(&catalog, "same"), "one.same");
    assert_eq!(lookup(&catalog, "two.same"), "two.same");
    let [unlisted] = catalog.unlisted.as_slice() else { panic!("{:?}", catalog.unlisted) };
    let fault = unlisted.fault();
    assert_eq!(fault.message, "`two.same` is not listed: the name `same` belongs to `one.same`");
    let help = fault.help.unwrap_or_default();
    assert!(help.contains("[module.two]"), "{help}");
    assert_eq!(unlisted.file, "modules/two.star");
}

#[test]
fn old_bare_names_of_folders_answer_where_they_are_plain() {
    let catalog = Catalog::by(
        with_prefix("prefixed", "p_"),
        [
            folder("hub", &["issues", "same"], ""),
            folder("lab", &["same"], ""),
            folder("prefixed", &["never"], ""),
            module("file", &["same_file"]),
        ],
    );
    assert_eq!(lookup(&catalog, "issues"), "hub.issues");
    assert_eq!(lookup(&catalog, "same"), "either hub.same or lab.same");
    assert!(lookup(&catalog, "never").starts_with("nothing"));
    assert_eq!(lookup(&catalog, "same_file"), "file.same_file");
}

#[test]
fn an_old_name_never_stands_in_for_a_listed_one() {
    let mut record = NameRecord::default();
    serve(&mut record, [module("file", &["issues"])]);
    let catalog = serve(&mut record, [folder("hub", &["issues"], "")]);
    assert!(lookup(&catalog, "issues").starts_with("nothing"));
}

/// The next catalog of a server.
pub(crate) fn serve(
    record: &mut NameRecord,
    modules: impl IntoIterator<Item = Arc<Module>>,
) -> Catalog {
    let rules = Rules { owners: Arc::clone(&record.owners), ..Rules::default() };
    let modules: Vec<Arc<Module>> = modules.into_iter().collect();
    let mut catalog = Catalog::by(rules.clone(), modules.iter().cloned());
    if !record.claim(&mut catalog) {
        let owners = Arc::clone(&record.owners);
        catalog = Catalog::by(Rules { owners, ..rules }, modules);
        record.claim(&mut catalog);
    }
    catalog
}

#[test]
fn a_newcomer_gets_no_name_that_was_listed_before() {
    let mut record = NameRecord::default();
    serve(&mut record, [module("two", &["same"])]);
    let both = [module("one", &["same"]), module("two", &["same"])];
    let catalog = serve(&mut record, both);
    assert_eq!(lookup(&catalog, "same"), "two.same");
    let catalog = serve(&mut record, [module("one", &["same"])]);
    assert_eq!(names(&catalog), [""; 0]);
    assert_eq!(
        catalog.unlisted[0].fault().message,
        "`one.same` is not listed: the name `same` belongs to `two.same`, which no longer uses it"
    );
    let catalog = serve(&mut record, [module("two", &["same"])]);
    assert_eq!(lookup(&catalog, "same"), "two.same");
}

/// Numbers that look random, and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }

    fn module(&mut self, name: &str) -> Arc<Module> {
        const TOOLS: [&str; 8] = ["x", "y", "a", "b", "a_x", "b_x", "c_x", "call"];
        let tools: Vec<&str> = TOOLS.into_iter().filter(|_| self.roll(3) == 0).collect();
        match self.pick(&["file", "", "prefix = ''", "prefix = 'a_'", "prefix = 'b'"]) {
            "file" => module(name, &tools),
            lines => folder(name, &tools, lines),
        }
    }
}

/// What each tool is listed as.
fn listing(catalog: &Catalog) -> BTreeMap<ToolPath, String> {
    let tools = catalog.tools();
    tools.map(|(name, handle)| (handle.path(), name.to_owned())).collect()
}

/// Modules come, go, change and get other names: what others are called stays, and so does what
/// each name stands for.
#[test]
fn names_stay_while_modules_come_and_go() {
    const MODULES: [&str; 6] = ["a", "b", "b-c", "c", "call", "x"];
    for seed in 1..=25 {
        let mut dice = Dice(seed * 0x9E37_79B9);
        let mut record = NameRecord::default();
        let mut modules: BTreeMap<&str, Arc<Module>> = BTreeMap::new();
        let mut meanings: HashMap<String, ToolPath> = HashMap::new();
        let mut before = BTreeMap::new();
        for step in 0..40 {
            let name = dice.pick(&MODULES);
            let mut touched = vec![name];
            match dice.roll(4) {
                0 => drop(modules.remove(name)),
                1 => {
                    // Another name for the same tools.
                    let to = dice.pick(&MODULES);
                    touched.push(to);
                    if let Some(module) = modules.remove(name) {
                        let tools = module.tools.iter().map(|tool| tool.tool.name.as_str());
                        modules.insert(to, self::module(to, &tools.collect::<Vec<_>>()));
                    }
                }
                _ => drop(modules.insert(name, dice.module(name))),
            }
            let catalog = serve(&mut record, modules.values().cloned());
            let after = listing(&catalog);
            let at = format!("seed {seed}, step {step}, {touched:?}");
            let others = |all: &BTreeMap<ToolPath, String>| {
                let mut all = all.clone();
                all.retain(|path, _| !touched.contains(&path.module.as_str()));
                all
            };
            assert_eq!(others(&after), others(&before), "{at}");
            for (path, name) in &after {
                let meaning = meanings.entry(name.clone()).or_insert_with(|| path.clone());
                assert_eq!(meaning, path, "{at}: {name}");
                assert!(!RESERVED.contains(&name.as_str()), "{at}: {name}");
            }
            check_reachable(&catalog, &meanings, &at);
            check_view(&catalog, &after, &mut dice, &at);
            before = after;
        }
    }
}

/// Every tool answers as `module.tool`, and a name answers for nothing but the tool it belongs to.
fn check_reachable(catalog: &Catalog, meanings: &HashMap<String, ToolPath>, at: &str) {
    let tools: usize = catalog.modules().map(|module| module.tools.len()).sum();
    assert_eq!(catalog.tool_count() + catalog.unlisted.len(), tools, "{at}");
    for path in catalog.unlisted.iter().map(|tool| &tool.tool) {
        assert_eq!(lookup(catalog, &path.to_string()), path.to_string(), "{at}");
    }
    for (name, path) in meanings {
        let found = lookup(catalog, name);
        let is_right = found == path.to_string() || found.starts_with("nothing");
        assert!(is_right, "{at}: {name} is {found}");
    }
}

/// Who sees less sees it under the same names.
fn check_view(catalog: &Catalog, all: &BTreeMap<ToolPath, String>, dice: &mut Dice, at: &str) {
    let seen = catalog.modules().filter(|_| dice.roll(2) == 0).cloned();
    let view = Catalog::by(catalog.rules.clone(), seen);
    for (path, name) in listing(&view) {
        assert_eq!(all.get(&path), Some(&name), "{at}: {path}");
    }
}
