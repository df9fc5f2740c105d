//! The test suites of all that people copy: every example and every shipped module has one, it
//! passes, and it runs nearly all of it.

use crate::documents::workspace;
use crate::room::Room;
use serde_json::Value;
use std::fs;
use std::path::Path;

const FOLDERS: [&str; 3] = ["modules", "examples/modules", "examples/files"];
/// Percent of a module's lines.
const LEAST: f64 = 90.0;

/// What lies in a folder, as its files begin: `notion/` for a module in a folder, `hello` for a file.
fn modules(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let module = |path: &Path| {
        let name = name(path);
        if path.is_dir() {
            return Some(format!("{name}/"));
        }
        let stem = name.strip_suffix(".star")?;
        (!stem.ends_with("_test")).then(|| stem.to_owned())
    };
    entries.filter_map(|entry| module(&entry.path())).collect()
}

/// The items of a list whose file is the module's own.
fn of<'a>(module: &'a str, list: &'a Value) -> impl Iterator<Item = &'a Value> {
    let own = move |file: &str| match module.strip_suffix('/') {
        Some(_) => file.starts_with(module),
        None => file == format!("{module}.star") || file == format!("{module}_test.star"),
    };
    let list = list.as_array().unwrap().iter();
    list.filter(move |item| own(item["file"].as_str().unwrap()))
}

#[test]
fn every_example_and_shipped_module_has_a_suite_that_passes_and_covers_it() {
    for folder in FOLDERS.map(|folder| workspace().join(folder)) {
        let typed = ["test", "--coverage", "--format", "json", "-j", "2", "-e"];
        let typed = [&typed[..], &[folder.to_str().unwrap()]].concat();
        let ran = Room::new().run_told(&[("CI", "true")], &typed);
        ran.exits(0);
        let report = ran.json();
        let modules = modules(&folder);
        assert!(!modules.is_empty(), "{}", folder.display());
        for module in &modules {
            let tests = of(module, &report["tests"]).count();
            assert!(tests > 0, "{module} in {} has no tests", folder.display());
            let sum = |figure: &str| -> f64 {
                let files = of(module, &report["coverage"]["files"]);
                files.map(|file| file[figure].as_f64().unwrap()).sum()
            };
            let percent = sum("covered") * 100.0 / sum("total");
            assert!(percent >= LEAST, "tests run {percent:.1} % of {module}");
        }
    }
}

/// The folders above are all there are.
#[test]
fn no_folder_of_examples_is_left_out() {
    let entries = fs::read_dir(workspace().join("examples")).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    // What has no module of its own is run by a test of its own.
    let folders = folders.filter(|path| !path.ends_with("registry-demo"));
    for folder in folders {
        let known = FOLDERS.map(|folder| workspace().join(folder));
        assert!(known.contains(&folder), "{} has no suites", folder.display());
    }
}

#[test]
fn every_shipped_tool_has_questions_in_english_and_japanese() {
    let folder = workspace().join("modules");
    let folder = folder.to_str().unwrap();
    let room = Room::new();
    room.run(&["check", "--strict", "-e", folder]).exits(0);
    for module in modules(Path::new(folder)) {
        let name = module.trim_end_matches('/');
        let readme = room.run(&["readme", name, "-e", &format!("{folder}/{name}")]);
        let readme = readme.exits(0).stdout.clone();
        let (_, tools) = readme.split_once("## Tools").unwrap();
        for tool in tools.split("\n### ").skip(1) {
            let questions = tool.split_once("Questions:\n\n").map(|(_, list)| list);
            let questions = questions.unwrap_or_default().lines();
            let questions: Vec<&str> =
                questions.map_while(|line| line.strip_prefix("- ")).collect();
            let english = questions.iter().filter(|text| text.is_ascii()).count();
            assert!(english >= 1 && questions.len() > english, "{name}: {tool}");
        }
    }
}
