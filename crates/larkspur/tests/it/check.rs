//! `larkspur check`: every lesson's own examples, and what is found where. Reports and what is mended are in
//! `cmd/check.md`.

use crate::room::Room;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

const LESSONS: &str = include_str!("../../../check/src/lessons.md");

/// The files that an example stands for; one without names is a module of its own.
fn files(example: &str) -> Vec<(String, String)> {
    let mut files = vec![("m.star".to_owned(), String::new())];
    for line in example.lines() {
        if let Some(name) = line.strip_prefix("# file: ") {
            files.push((name.to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files.retain(|(name, text)| name != "m.star" || !text.is_empty());
    files
}

fn room(example: &str) -> Room {
    let room = Room::new();
    for (name, text) in files(example) {
        room.write(&name, &text);
    }
    room
}

fn codes(room: &Room) -> BTreeSet<String> {
    let said = room.run(&["check", "--format", "json"]);
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let faults = said["faults"].as_array().unwrap().iter();
    faults.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_examples_of_every_lesson_are_what_they_say() {
    let mut tried = 0;
    for part in LESSONS.split("\n## ").skip(1) {
        let code = part.split(' ').next().unwrap();
        let mut blocks = part.split("```");
        while let (Some(_), Some(block)) = (blocks.next(), blocks.next()) {
            let (kind, example) = block.split_once('\n').unwrap();
            let wrong = kind.ends_with(" wrong");
            if !wrong && !kind.ends_with(" right") {
                continue;
            }
            let found = codes(&room(example));
            assert_eq!(found.contains(code), wrong, "{code}: {found:?} in {example}");
            tried += 1;
        }
    }
    assert!(tried >= 45, "{tried} examples were tried");
}

#[test]
fn each_code_in_the_source_has_a_lesson() {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut seen = BTreeSet::new();
    for folder in ["../check/src", "../script/src", "../runtime/src"] {
        for file in fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "rs") {
                seen.extend(quoted_codes(&fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(seen.len() > 25, "{seen:?}");
    let known = LESSONS.split("\n## ").skip(1).map(|part| part[..5].to_owned());
    assert_eq!(seen, known.collect::<BTreeSet<_>>());
}

/// `"E0301"` and the like.
fn quoted_codes(source: &str) -> Vec<String> {
    let parts = source.split('"').filter(|part| part.len() == 5);
    let parts = parts.filter(|part| part.starts_with(['E', 'W']));
    let parts = parts.filter(|part| part[1..].bytes().all(|byte| byte.is_ascii_digit()));
    parts.map(str::to_owned).collect()
}

#[test]
fn each_kind_of_permission_is_looked_for() {
    let manifest = "name = 'm'\nversion = '1.0.0'\ndescription = 'Does'\n";
    for (line, permissions, expected) in [
        ("exec.run('git')", "", "`git` is not among the commands module `m` may run\n"),
        ("exec.run('git')", "exec = ['git']", ""),
        ("exec.run('hg')", "exec = ['git']", "hg"),
        ("env.get('HOME')", "env = ['GITHUB_*']", "HOME"),
        ("http.get(url)", "", "its manifest grants no `http`"),
        (
            "files.write('a', 'b')",
            "files = ['**']",
            "`a` is not among the files module `m` may write\n",
        ),
        ("files.write(url, 'b')", "files = ['**']", "no `files_write`"),
        ("files.read('./out/a')", "files_write = ['out/**']", ""),
        ("files.read('a')", "files_write = ['out/**']", "may read\n"),
        ("files.read('../a')", "files = ['out/**']", ""),
        ("sqlite.query('a.db', 'x')", "", "may read\n"),
        ("sqlite.query(url, 'x')", "", "no `sqlite`"),
        ("attempt(http.get, url)", "", "its manifest grants no `http`"),
        ("http.get('https://a.org/' + url)", "http = ['b.org']", "`a.org` is not among the hosts"),
        ("postgres.query('main', 'x')", "postgres = ['main']", ""),
        ("ctx.secret('token')", "", "asks for the secret `token`"),
    ] {
        let room = Room::new();
        let main = format!("def f(ctx, url: str):\n    return {line}\n\ntool(f)\n");
        room.write("m/module.toml", &format!("{manifest}[permissions]\n{permissions}\n"))
            .write("m/main.star", &main);
        let said = room.run(&["check"]).stdout;
        let told = said.contains("error[E0301]");
        assert_eq!(told, !expected.is_empty(), "{line} {permissions}: {said}");
        assert!(said.contains(expected), "{line} {permissions}: {said}");
    }
}

/// Elsewhere, file systems do not take such names.
#[test]
#[cfg(target_os = "linux")]
fn names_that_are_not_utf8_are_noted() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let room = Room::new();
    room.write("hello.star", "x = 1\n");
    fs::write(room.modules().join(OsStr::from_bytes(b"b\xff.star")), "").unwrap();
    fs::write(room.modules().join(OsStr::from_bytes(b"b\xff.txt")), "").unwrap();
    for command in ["check", "list"] {
        let ran = room.run(&[command]);
        let notes = ran.stderr.matches("b\u{fffd}.star is not served: its name is not UTF-8");
        assert_eq!(notes.count(), 1, "{command}: {ran:#?}");
        assert!(!ran.stderr.contains(".txt"), "{command}: {ran:#?}");
    }
}
