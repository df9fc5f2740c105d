//! `permissions(…)`: where it may stand, what it takes, and which files are in starlark-mcp's form.

use super::*;
use crate::is_extension;
use model::Permission;

const TOOL: &str = "def f():\n    return 1\ntool(f)\n";

/// The message of a file that cannot be loaded, and the line that it names.
fn fault_of(source: &str) -> (String, usize) {
    let fault = load(source).err().unwrap();
    let text = match &fault.help {
        Some(help) => format!("{}; {help}", fault.message),
        None => fault.message.clone(),
    };
    (text, fault.place.unwrap().line)
}

#[test]
fn file_declares_what_it_reaches() {
    let source = format!(
        "HOSTS = ['api.example.org']\n\
         permissions(http = HOSTS + ['*.example.net'], env = ['X_*'], files = [])\n\
         HOSTS.append('late.example.org')\n{TOOL}"
    );
    let script = load(&source).unwrap();
    let declared = script.declared.permissions.unwrap();
    assert_eq!(declared.get(Permission::Http), ["api.example.org", "*.example.net"]);
    assert_eq!(declared.get(Permission::Env), ["X_*"]);
    assert!(declared.get(Permission::Files).is_empty());
    assert!(load(TOOL).unwrap().declared.permissions.is_none());
}

#[test]
fn every_key_of_a_manifest_is_taken() {
    for permission in Permission::ALL {
        let source = format!("permissions({} = ['a.b'])\n{TOOL}", permission.key());
        let declared = load(&source).unwrap().declared.permissions.unwrap();
        assert_eq!(declared.get(permission), ["a.b"], "{permission:?}");
    }
}

#[test]
fn wrong_declarations_are_rejected() {
    for (call, expected) in [
        ("permissions(htpp = ['a.org'])", "permissions() has no `htpp`; did you mean `http`?"),
        (
            "permissions(http = 'a.org')",
            "`http` of permissions() takes a list of strings, not a string; write http = [\"a.org\"]",
        ),
        (
            "permissions(env = None)",
            "`env` of permissions() takes a list of strings, not a NoneType",
        ),
        (
            "permissions(env = ['A', 1])",
            "`env` of permissions() takes a list of strings, and 1 is a int",
        ),
        (
            "permissions(http = ['https://a.org/x'])",
            "`http` of permissions(): `https://a.org/x` is not a host; write `a.org`",
        ),
        (
            "permissions(files = ['../a'])",
            "`files` of permissions(): `../a` has `.` or `..` in it; write a path below the module's \
             folder, or a whole one that begins with `/`",
        ),
        (
            "permissions(postgres = ['postgres://u:p@h/d'])",
            "`postgres` of permissions(): a connection is granted by its name; put the connection \
             string into larkspur.toml as [postgres.NAME], and NAME here",
        ),
        (
            "permissions(http = ['{config.site}'])",
            "`http` of permissions(): `{config.site}` cannot be used: a single file has no [config]; \
             write the value itself, or make the file a folder with a module.toml",
        ),
        (
            "permissions()\npermissions(env = ['A'])",
            "permissions() is called once in a file; add these to the first call",
        ),
        (
            "def g():\n    permissions(env = ['A'])\ng()",
            "permissions() is called at the top of a file, not inside a function",
        ),
        (
            "g = lambda: permissions(env = ['A'])\ng()",
            "permissions() is called at the top of a file, not inside a function",
        ),
        (
            "def describe_extension():\n    permissions(env = ['A'])\n    return Extension(name = 'x')",
            "permissions() is called at the top of a file, not inside a function",
        ),
    ] {
        let (text, line) = fault_of(&format!("{call}\n{TOOL}"));
        assert_eq!(text, expected, "{call}");
        let lines = call.lines().position(|line| line.contains("permissions(e"));
        assert_eq!(line, lines.map_or(1, |at| at + 1), "{call}");
    }
    for source in ["permissions(['a.org'])", "permissions(env = ['A'], env = ['B'])"] {
        assert!(load(&format!("{source}\n{TOOL}")).is_err(), "{source}");
    }
}

#[test]
fn declaration_without_tools_is_rejected() {
    let (text, line) = fault_of("X = 1\npermissions(env = ['A'])\n");
    assert!(
        text.starts_with("permissions() has no effect here: this file offers no tools; "),
        "{text}"
    );
    assert_eq!(line, 2);
}

#[test]
fn declaration_in_a_call_is_rejected() {
    let source = "def f():\n    permissions(env = ['A'])\ntool(f)\n";
    let failed = call(source, "f", json!({})).unwrap_err();
    assert!(
        failed.contains("permissions() is called at the top of a file, not in a call"),
        "{failed}"
    );
}

#[test]
fn starlark_mcps_form_has_neither_tool_nor_permissions() {
    let described = "def describe_extension():\n    return Extension(name = 'x')\n";
    for (source, expected) in [
        (described.to_owned(), true),
        ("describe_extension = lambda: Extension(name = 'x')\n".to_owned(), true),
        ("load('lib.star', 'describe_extension')\n".to_owned(), true),
        (format!("{described}{TOOL}"), false),
        (format!("{described}t = tool\n"), false),
        (
            format!("{described}def names(tools):\n    return [tool['name'] for tool in tools]\n"),
            true,
        ),
        (format!("{described}names = lambda tools: map(lambda tool: tool, tools)\n"), true),
        (format!("permissions = {{'a': 1}}\n{described}X = permissions['a']\n"), true),
        (format!("permissions(env = ['A'])\n{described}"), false),
        (format!("# describe_extension\n{TOOL}"), false),
        ("def f():\n    describe_extension = 1\n".to_owned(), false),
        (format!("X = 'describe_extension'\n{TOOL}"), false),
        ("def describe_extension(:".to_owned(), false),
    ] {
        assert_eq!(is_extension("x.star", &source), expected, "{source}");
    }
    for source in
        [format!("{described}{TOOL}"), format!("{described}def g(tool):\n    return tool\n{TOOL}")]
    {
        assert!(!load(&source).unwrap().declared.is_extension, "{source}");
    }
    assert!(load(described).unwrap().declared.is_extension);
}

#[test]
fn only_starlark_mcps_form_reads_variables_while_it_loads() {
    let described = "def describe_extension():\n    return Extension(name = 'x')\n";
    assert!(load(&format!("HOME = env.get('HOME')\n{described}")).is_ok());
    for source in [
        format!("HOME = env.get('HOME')\n{TOOL}"),
        format!("permissions(env = ['HOME'])\nHOME = env.get('HOME')\n{TOOL}"),
        format!("HOME = env.get('HOME')\n{described}{TOOL}"),
        "HOME = env.get('HOME')\n".to_owned(),
    ] {
        let (text, _) = fault_of(&source);
        assert_eq!(text, "`env` works in calls, not while a file loads", "{source}");
    }
}
