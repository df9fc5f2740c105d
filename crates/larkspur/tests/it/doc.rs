//! `larkspur doc`: libraries and functions, for people and programs.

use crate::room::Room;
use expect_test::expect;

#[test]
fn libraries_are_listed_with_a_line_each() {
    let listed = Room::new().run(&["doc"]);
    listed
        .exits(0)
        .says("Libraries\n  base64        Text in an alphabet that passes everywhere.\n")
        .says("\n  http          Requests to other servers")
        .says("\nFunctions without a library\n")
        .says("\nTypes\n");
    assert!(!listed.stdout.contains('\u{1b}'), "colour without a terminal");
    assert_eq!(listed.stderr, "");
}

#[test]
fn files_of_settings_have_a_schema() {
    for (file, key) in [("larkspur.toml", "server"), ("module.toml", "permissions")] {
        let schema = Room::new().run(&["doc", "--schema", file]).exits(0).json();
        assert_eq!(schema["title"], file);
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["properties"][key]["type"], "object");
    }
    Room::new().run(&["doc", "--schema", "other.toml"]).exits(2).notes("module.toml");
}

#[test]
fn a_library_lists_its_functions() {
    let listed = Room::new().run(&["doc", "uuid"]);
    expect![[r"
        uuid  Names that nobody else has given.

        uuid.v4() -> str
            A random UUID.

        uuid.v7() -> str
            A UUID that begins with the time: those of a later millisecond sort after earlier ones.
    "]]
    .assert_eq(&listed.exits(0).stdout);
}

#[test]
fn a_function_tells_all_of_itself() {
    let told = Room::new().run(&["doc", "time.now_ms"]);
    expect![[r"
        time.now_ms() -> int

        Milliseconds since 1970.

        Examples
            >>> time.now_ms()
            1785240000999
    "]]
    .assert_eq(&told.exits(0).stdout);
}

#[test]
fn programs_get_json() {
    let room = Room::new();
    let all = room.run(&["doc", "--format", "json"]).exits(0).json();
    let names = all.as_array().unwrap().iter().map(|library| &library["name"]);
    assert!(names.into_iter().any(|name| name == "http"));
    let library = room.run(&["doc", "math", "--format", "json"]).exits(0).json();
    assert_eq!(library["kind"], "library");
    let function = room.run(&["doc", "math.sqrt", "--format", "json"]);
    let function = function.exits(0).json();
    assert_eq!(function["signature"], "math.sqrt(x) -> float");
    assert_eq!(function["summary"], "The square root, as a float.");
}

#[test]
fn what_is_not_there_is_told_with_what_may_be_meant() {
    let room = Room::new();
    for (name, why) in [
        ("htpp", "error: there is no `htpp`; did you mean `http`?\n"),
        ("http.gte", "error: there is no `http.gte`; did you mean `http.get`?\n"),
        (
            "get",
            "error: there is no `get`; did you mean `ctx.state.get`, `env.get`, `http.get` or `dict.get`?\n",
        ),
        ("qwertyuiop", "error: there is no `qwertyuiop`; `larkspur doc` lists what there is\n"),
    ] {
        let ran = room.run(&["doc", name]);
        ran.exits(2);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", why));
    }
}
