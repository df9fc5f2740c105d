//! Paths that leave the repository, and those that only look like it.

use super::escapes::problems;
use crate::workspace::Source;
use crate::workspace::tests::source;

/// Written in parts, so that this file passes too.
fn up(steps: usize) -> String {
    "../".repeat(steps)
}

/// What is reported for one file among some others.
fn reported(path: &str, text: &str) -> Vec<String> {
    let others = [
        "Cargo.toml",
        "README.md",
        "crates/lark/Cargo.toml",
        "crates/lark/src/main.rs",
        "crates/lark/tests/it/main.rs",
        "tests/corpus/queries.json",
    ];
    let mut sources: Vec<Source> = others.iter().map(|path| source(path, "")).collect();
    sources.push(source(path, text));
    problems(&sources)
}

const TEST: &str = "crates/lark/tests/it/costs.rs";

#[test]
fn paths_to_a_neighbour_are_reported() {
    let (one, three) = (up(1), up(3));
    for (path, text) in [
        (TEST, format!("Path::new(env!(\"CARGO_MANIFEST_DIR\")).join(\"{three}data/tools\")")),
        (TEST, format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{three}data\")")),
        (TEST, format!("fs::read(\"{three}data/a.json\")")),
        (TEST, format!("include_str!(\"{}data/a.json\")", up(5))),
        (TEST, format!("self.root.join(\"{one}data\").join(file)")),
        (TEST, format!("let usage = \"reads the files in {one}data).\";")),
        (TEST, format!("format!(\"{{root}}/{one}data\")")),
        ("README.md", format!("The tests read `{one}data/tools`.")),
        ("README.md", format!("[data]({one}data/tools)")),
        ("book/src/start.md", format!("$ cd {one}data")),
        ("book/src/start.md", format!("[data]({three}data/tools)")),
        ("crates/lark/Cargo.toml", format!("data = {{ path = \"{three}data\" }}")),
        (".github/workflows/ci.yml", format!("run: \"ls '{one}data'\"")),
        ("bench/run", format!("cat $GITHUB_WORKSPACE/{one}data")),
        ("modules/wiki/main.star", format!("load(\"{three}data\")")),
    ] {
        let reported = reported(path, &text);
        assert_eq!(reported.len(), 1, "{path}: {text}: {reported:?}");
    }
}

#[test]
fn paths_inside_and_fixtures_pass() {
    let (one, two, four) = (up(1), up(2), up(4));
    for (path, text) in [
        (TEST, format!("include_str!(\"{four}modules/wiki/page.json\")")),
        (TEST, format!("include_str!(\n    \"{four}modules/wiki/page.json\"\n)")),
        (TEST, format!("Path::new(env!(\"CARGO_MANIFEST_DIR\")).join(\"{two}tests/corpus\")")),
        (TEST, "Path::new(env!(\"CARGO_MANIFEST_DIR\")).join(\"../..\")".to_owned()),
        (TEST, format!("call(\"read\", path(\"{one}secret.txt\"))")),
        (TEST, format!("call(\"read\", path(\"{}etc/passwd\"))", up(9))),
        (TEST, format!("// See {two}src/main.rs.")),
        (TEST, format!("folder.path().join(\"{one}secret\")")),
        (TEST, format!("\"https://example.org/a/{four}b\"")),
        (TEST, format!("\"/srv/shop/{four}etc\" ~/{one}x $HOME/{one}x {{}}/{one}x")),
        (TEST, "0..1 .../x a..b/c `..` \"../\"".to_owned()),
        ("README.md", format!("A path with `{one}` in it is refused.")),
        ("book/src/start.md", format!("error: `{one}data.json` leads out of the folder")),
        ("book/src/start.md", format!("[code]({two}crates/lark/src/main.rs)")),
        ("crates/lark/Cargo.toml", format!("model = {{ path = \"{one}model\" }}")),
        ("modules/wiki/main_test.star", format!("call(\"docs/{}user\")", up(3))),
    ] {
        assert_eq!(reported(path, &text), [""; 0], "{path}: {text}");
    }
}

#[test]
fn joined_parts_count_as_one_path_and_the_line_is_named() {
    let part = "\n        .join(\"..\")";
    let text = format!(
        "\n    Path::new(env!(\"CARGO_MANIFEST_DIR\")){}\n        .join(\"data\");\nread(\"{}b\");\n",
        part.repeat(3),
        up(3)
    );
    let expected = [
        format!("{TEST}:3: `{}data` leads out of the repository", up(3)),
        format!("{TEST}:7: `{}b` leads out of the repository", up(3)),
    ];
    assert_eq!(reported(TEST, &text), expected);
}
