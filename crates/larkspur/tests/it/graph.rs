//! `larkspur graph`: who depends on whom, drawn in three ways, also when half of it is broken.

use crate::room::Room;
use expect_test::expect;

fn manifest(name: &str, rest: &str) -> String {
    format!("name = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"x\"\n{rest}\n")
}

fn room(modules: &[(&str, &str)]) -> Room {
    let room = Room::new();
    for (name, rest) in modules {
        room.write(&format!("{name}/module.toml"), &manifest(name, rest))
            .write(&format!("{name}/main.star"), "");
    }
    room
}

fn sound() -> Room {
    room(&[
        ("auth", "depends_on = [\"http-utils\"]"),
        ("dash", "depends_on = [\"auth\"]\noptional_deps = [\"analytics\", \"log\"]"),
        ("http-utils", ""),
        ("log", ""),
    ])
}

/// One of everything that can go wrong.
fn troubled() -> Room {
    let room = room(&[
        ("a", "depends_on = [\"b\"]"),
        ("b", "optional_deps = [\"a\"]"),
        ("bad", ""),
        ("behind", "depends_on = [\"a\"]"),
        ("late", "depends_on = [\"bad\"]\noptional_deps = [\"log\"]"),
        ("log", ""),
        ("lost", "depends_on = [\"gone\"]"),
        ("twin", ""),
        ("unused", ""),
    ]);
    room.write("bad/main.star", "def f(:\n")
        .write("mute/module.toml", "name = 3\n")
        .write("other/module.toml", &manifest("log", ""))
        .write("other/main.star", "")
        .write("q\"#.star", "def f(:\n");
    let enable = r#"enable = ["a", "b", "bad", "behind", "late", "log", "lost", "twin"]"#;
    room.project(enable);
    room
}

#[test]
fn people_see_the_order() {
    let ran = sound().run(&["graph"]);
    expect![[r"
        1 http-utils
        2 auth
            needs http-utils
        3 log
        4 dash
            needs auth
            can use analytics (not installed)
            can use log
    "]]
    .assert_eq(&ran.exits(0).stdout);
    assert_eq!(ran.stderr, "");
}

#[test]
fn programs_can_draw_it() {
    let room = sound();
    let mermaid = room.run(&["graph", "--format", "mermaid"]);
    expect![[r#"
        graph TD
            m1["http-utils"]
            m2["auth"]
            m3["log"]
            m4["dash"]
            m5["analytics<br/>not installed"]:::absent
            m2 --> m1
            m4 --> m2
            m4 -.->|optional| m5
            m4 -.->|optional| m3
            classDef absent stroke-dasharray:4 4
    "#]]
    .assert_eq(&mermaid.exits(0).stdout);
}

#[test]
fn what_is_broken_is_in_the_picture() {
    let room = troubled();
    let text = room.run(&["graph"]);
    expect![[r##"
        1 log
        2 twin
        ✗ a  circular
            needs b (circular)
        ✗ b  circular
            can use a (circular)
        ✗ bad  failed
        ◐ behind  waiting
            needs a (circular)
        ◐ late  waiting
            needs bad (failed)
            can use log
        ✗ lost  failed
            needs gone (not installed)
        ○ unused  not enabled
        ✗ modules/mute/module.toml  failed
        ✗ modules/other/module.toml  failed
        ✗ modules/q"#.star  failed
    "##]]
    .assert_eq(&text.exits(1).stdout);
    expect![[r##"
        error: modules/a/module.toml cannot be loaded
        circular dependency detected: a -> b -> a
          ┌ a/module.toml:4:15
        4 │ depends_on = ["b"]
          │               ^^^
          = help: move what they share into a third module
        error: modules/b/module.toml cannot be loaded
        circular dependency detected: a -> b -> a
          ┌ b/module.toml:4:18
        4 │ optional_deps = ["a"]
          │                  ^^^
          = help: move what they share into a third module
        error: modules/bad/module.toml cannot be loaded
        unexpected symbol ':', expected identifier
          ┌ bad/main.star:1:7
        1 │ def f(:
          │       ^
        error: modules/behind/module.toml is waiting
        module `behind` waits for `a`, which is part of a circular dependency
        error: modules/late/module.toml is waiting
        module `late` waits for `bad`, which does not run
          ┌ late/module.toml:4:15
        4 │ depends_on = ["bad"]
          │               ^^^^^
        error: modules/lost/module.toml cannot be loaded
        module `lost` needs `gone`, which is not installed
          ┌ lost/module.toml:4:15
        4 │ depends_on = ["gone"]
          │               ^^^^^^
          = help: installed are a, b, bad, behind, late, log, twin
        error: modules/mute/module.toml cannot be loaded
        `name` must be a string, got integer `3`
          ┌ mute/module.toml:1:8
        1 │ name = 3
          │        ^
        error: modules/other/module.toml cannot be loaded
        module `log` is already declared by modules/log/module.toml
          = help: give one of the two another name
        error: modules/q"#.star cannot be loaded
        unexpected symbol ':', expected identifier
          ┌ q"#.star:1:7
        1 │ def f(:
          │       ^
    "##]]
    .assert_eq(&text.stderr);
    assert_eq!(room.run(&["graph"]).stdout, text.stdout);
}

#[test]
fn what_is_broken_can_be_drawn() {
    let room = troubled();
    let mermaid = room.run(&["graph", "--format", "mermaid"]);
    expect![[r#"
        graph TD
            m1["log"]
            m2["twin"]
            m3["a<br/>circular"]:::failed
            m4["b<br/>circular"]:::failed
            m5["bad<br/>failed"]:::failed
            m6["behind<br/>waiting"]:::waiting
            m7["late<br/>waiting"]:::waiting
            m8["lost<br/>failed"]:::failed
            m9["unused<br/>not enabled"]:::absent
            m10["gone<br/>not installed"]:::absent
            m11["modules/mute/module.toml<br/>failed"]:::failed
            m12["modules/other/module.toml<br/>failed"]:::failed
            m13["modules/q#quot;#35;.star<br/>failed"]:::failed
            m3 -->|circular| m4
            m4 -.->|circular| m3
            m6 --> m3
            m7 --> m5
            m7 -.->|optional| m1
            m8 --> m10
            classDef absent stroke-dasharray:4 4
            classDef failed stroke:#c00,stroke-width:2px
            classDef waiting stroke:#c80
    "#]]
    .assert_eq(&mermaid.exits(1).stdout);
}

#[test]
fn numbers_stand_in_a_column() {
    let names: Vec<String> = (0..11).map(|i| format!("m{i:02}")).collect();
    let mut modules: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    modules.push(("x", "depends_on = [\"m00\", \"gone\"]"));
    let ran = room(&modules).run(&["graph"]);
    let lines: Vec<&str> = ran.exits(1).stdout.lines().skip(8).collect();
    expect![[r"
         9 m08
        10 m09
        11 m10
         ✗ x  failed
             needs m00
             needs gone (not installed)"]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn an_empty_folder_has_an_empty_picture() {
    for (format, drawn) in [("text", ""), ("mermaid", "graph TD\n")] {
        let ran = Room::without("modules").run(&["graph", "--format", format]);
        assert_eq!(ran.exits(0).stdout, drawn);
        ran.notes("no modules in modules or extensions; `larkspur new hello` writes one");
    }
    Room::new().run(&["graph", "--format", "round"]).exits(2);
    Room::new().run(&["graph", "--format", "dot"]).exits(2).notes("--format mermaid");
    Room::new().run(&["test", "--format", "tap"]).exits(2).notes("--format junit");
}

/// A picture needs nobody to run.
#[test]
fn nothing_is_started() {
    let room = sound();
    room.write("log/main.star", "def start(deps, config):\n    fail(\"no\")\n");
    room.run(&["graph"]).exits(0).says("1 http-utils\n");
}
