//! Who may do what, as tables.

use crate::Manifest;
use Permission::{Env, Exec, Files, FilesWrite, Postgres, Sqlite, SqliteWrite};
use expect_test::expect;
use model::{Access, Grant, Permission, Permissions, Rights, Site, Spot, ToolPath};
use std::sync::LazyLock;

fn permissions(text: &str) -> Permissions {
    let manifest =
        format!("name = 'x'\nversion = '1.0.0'\ndescription = 'd'\n[permissions]\n{text}");
    Manifest::parse("module.toml", &manifest, "0.1.0").unwrap().permissions
}

fn below(path: &str) -> Spot<'_> {
    Spot { asked: path, whole: path, below: Some(path) }
}

static OTHER_TOOL: LazyLock<ToolPath> = LazyLock::new(|| tool("files.read"));

fn tool(path: &str) -> ToolPath {
    path.parse().unwrap()
}

static X_ORG: LazyLock<Site> = LazyLock::new(|| Site::read("https://x.org").unwrap());

fn elsewhere(path: &str) -> Spot<'_> {
    Spot { below: None, ..below(path) }
}

#[track_caller]
fn check(rights: &Rights, yes: &[Access<'_>], no: &[Access<'_>]) {
    for access in yes {
        assert_eq!(rights.check(access), Ok(()), "{access:?}");
    }
    for access in no {
        assert!(rights.check(access).is_err(), "{access:?} should be denied");
    }
}

#[test]
fn a_folder_may_do_what_its_manifest_names() {
    let named = permissions(
        "exec = ['git', '/opt/tool']\nenv = ['X_*']\nsqlite = ['data/*.db']\n\
         sqlite_write = ['own.db']\npostgres = ['main']\nfiles = ['data/**', '/srv/x/*']\n\
         files_write = ['out/**', '*']",
    );
    check(
        &Rights::of_folder("x", &named, None),
        &[
            Access::Exec("git"),
            Access::Exec("/opt/tool"),
            Access::Env("X_TOKEN"),
            Access::Sqlite(below("data/a.db")),
            Access::Sqlite(below("own.db")),
            Access::SqliteWrite(below("own.db")),
            Access::Postgres("main"),
            Access::Files(below("data")),
            Access::Files(below("data/deep/a")),
            Access::Files(below("out/a")),
            Access::Files(elsewhere("/srv/x/a")),
            Access::FilesWrite(below("out/a")),
            Access::FilesWrite(below("notes.txt")),
        ],
        &[
            Access::Exec("sh"),
            Access::Exec("/usr/bin/git"),
            Access::Exec("tool"),
            Access::Exec("gi"),
            Access::Env("HOME"),
            Access::Env("LARKSPUR_VAULT_KEY"),
            Access::Sqlite(below("a.db")),
            Access::Sqlite(elsewhere("data/a.db")),
            Access::SqliteWrite(below("data/a.db")),
            Access::Postgres("other"),
            Access::Postgres("postgres://main"),
            Access::Files(below("secret/a")),
            Access::Files(below("data/.git/config")),
            Access::Files(elsewhere("/srv/x/y/z")),
            Access::Files(elsewhere("/etc/passwd")),
            Access::FilesWrite(below("data/a")),
            Access::FilesWrite(below("module.toml")),
            Access::FilesWrite(below("out/main.star")),
            Access::FilesWrite(below("Module.TOML")),
            Access::Files(below("larkspur.toml")),
        ],
    );
}

#[test]
fn a_folder_that_names_nothing_may_do_nothing() {
    let rights = Rights::of_folder("x", &Permissions::default(), None);
    check(&rights, &[], &one_of_each());
    let generous = Permission::ALL.map(|permission| (permission, &["git", "**", "*"][..]));
    let rights = Rights::of_folder("x", &Permissions::default(), Some(&generous.into()));
    check(&rights, &[], &one_of_each());
}

fn one_of_each() -> [Access<'static>; 9] {
    [
        Access::Http(&X_ORG),
        Access::Exec("git"),
        Access::Env("HOME"),
        Access::Sqlite(below("a.db")),
        Access::SqliteWrite(below("a.db")),
        Access::Postgres("main"),
        Access::Files(below("a")),
        Access::FilesWrite(below("a")),
        Access::Calls(&OTHER_TOOL),
    ]
}

#[test]
fn a_grant_narrows_a_folder() {
    let named = permissions(
        "exec = ['git', 'ls']\nenv = ['X_*']\nsqlite = ['*.db']\nsqlite_write = ['own.db']\n\
         files = ['data/**']",
    );
    let grant = Grant::from([
        (Exec, &["git", "rm"][..]),
        (Env, &["X_A", "HOME"]),
        (Sqlite, &["a.db"]),
        (Files, &["data/public/**", "etc/**"]),
    ]);
    let rights = Rights::of_folder("x", &named, Some(&grant));
    check(
        &rights,
        &[
            Access::Exec("git"),
            Access::Env("X_A"),
            Access::Sqlite(below("a.db")),
            // Nothing was said about writing, and who may write may read.
            Access::SqliteWrite(below("own.db")),
            Access::Sqlite(below("own.db")),
            Access::Files(below("data/public/a")),
        ],
        &[
            Access::Exec("ls"),
            Access::Exec("rm"),
            Access::Env("X_B"),
            Access::Env("HOME"),
            Access::Sqlite(below("b.db")),
            Access::Files(below("data/private")),
            Access::Files(below("etc/a")),
        ],
    );
    let nothing = Grant::from([(Exec, &[][..])]);
    let rights = Rights::of_folder("x", &named, Some(&nothing));
    check(&rights, &[], &[Access::Exec("git")]);
}

#[test]
fn extension_has_the_default_permissions_of_starlark_mcp() {
    let rights = Rights::of_extension("x", &["ls".to_owned()], None);
    check(
        &rights,
        &[
            Access::Http(&X_ORG),
            Access::Exec("ls"),
            Access::Env("ANY"),
            Access::Sqlite(elsewhere("/tmp/a.db")),
            Access::SqliteWrite(elsewhere("/tmp/a.db")),
            Access::Postgres("postgres://u:p@h/d"),
            Access::Files(below("data/a")),
            Access::Files(below("")),
        ],
        &[
            Access::Exec("rm"),
            Access::Exec("/bin/ls"),
            Access::Env("LARKSPUR_LOG"),
            Access::Sqlite(elsewhere("/srv/larkspur.toml")),
            Access::Sqlite(elsewhere("/srv/.larkspur/state.db")),
            Access::Sqlite(elsewhere("/etc/larkspur/vault.key")),
            Access::Sqlite(elsewhere("/proc/12/environ")),
            Access::Sqlite(elsewhere("/proc/12/task/13/mem")),
            Access::SqliteWrite(below(".larkspur/state.db")),
            Access::Files(below(".env")),
            Access::Files(elsewhere("/etc/passwd")),
            Access::FilesWrite(below("a")),
        ],
    );
}

#[test]
fn file_may_do_what_it_declares() {
    check(&Rights::of_file("x", None, &[], None), &[], &one_of_each());
    let generous = Permission::ALL.map(|permission| (permission, &["git", "**", "*"][..]));
    let undeclared = Rights::of_file("x", None, &[], Some(&generous.into()));
    check(&undeclared, &[], &one_of_each());
    let declared = permissions("env = ['X_*']\nfiles_write = ['out/**']");
    let allowed = ["ls".to_owned()];
    check(
        &Rights::of_file("x", Some(&declared), &allowed, None),
        &[
            Access::Env("X_A"),
            Access::Exec("ls"),
            Access::Files(below("out/a")),
            Access::FilesWrite(below("out/a")),
        ],
        &[
            Access::Env("HOME"),
            Access::Exec("git"),
            Access::Files(below("a")),
            Access::FilesWrite(below("out/x.star")),
            Access::Sqlite(below("a.db")),
        ],
    );
    let grant = Grant::from([(Env, &["X_A", "HOME"][..])]);
    check(
        &Rights::of_file("x", Some(&declared), &[], Some(&grant)),
        &[Access::Env("X_A"), Access::Files(below("out/a"))],
        &[Access::Env("X_B"), Access::Env("HOME")],
    );
}

#[test]
fn grant_replaces_the_default_permissions_of_an_extension() {
    let grant = Grant::from([
        (Exec, &["git"][..]),
        (Env, &[]),
        (FilesWrite, &["/srv/out/**"]),
        (SqliteWrite, &["own.db"]),
        (Postgres, &["main"]),
    ]);
    let rights = Rights::of_extension("x", &["ls".to_owned()], Some(&grant));
    check(
        &rights,
        &[
            Access::Exec("git"),
            Access::FilesWrite(elsewhere("/srv/out/a")),
            Access::Sqlite(elsewhere("/tmp/a.db")),
            Access::SqliteWrite(below("own.db")),
            Access::Postgres("main"),
        ],
        &[
            Access::Exec("ls"),
            Access::Env("HOME"),
            Access::Env("LARKSPUR_LOG"),
            Access::FilesWrite(below("a")),
            Access::SqliteWrite(elsewhere("/tmp/a.db")),
            Access::Postgres("postgres://u:p@h/d"),
        ],
    );
}

#[test]
fn a_file_that_loads_may_read_variables_at_most() {
    let free = [Access::Env("HOME")];
    let others = one_of_each().into_iter().filter(|access| *access != free[0]);
    let others: Vec<Access> = others.collect();
    check(&Rights::of_loading(true, []), &free, &others);
    check(&Rights::of_loading(false, []), &[], &one_of_each());
    let grants = [
        Grant::from([(Env, &["X_*", "HOME"][..])]),
        Grant::from([(Env, &["HOME", "Y"][..])]),
        Grant::from([(Exec, &["git"][..])]),
    ];
    let bound = Rights::of_loading(true, &grants);
    check(&bound, &free, &[Access::Env("X_A"), Access::Env("Y")]);
}

#[test]
fn a_denial_names_the_line_to_add() {
    let mut said = Vec::new();
    let mut tell = |rights: &Rights, access: Access<'_>| {
        said.push(rights.check(&access).unwrap_err().to_string());
    };
    let folder = Rights::of_folder("x", &Permissions::default(), None);
    for access in one_of_each() {
        tell(&folder, access);
    }
    tell(&folder, Access::Env("LARKSPUR_LOG"));
    tell(&folder, Access::FilesWrite(below("module.toml")));
    tell(&folder, Access::Postgres("postgres://u:password@h/d"));
    let led_out = Spot { asked: "data/link", whole: "/etc/passwd", below: None };
    tell(&folder, Access::Files(led_out));
    for (asked, whole, below) in [
        ("/etc/../etc/hosts", "/etc/hosts", None),
        ("../other/a.txt", "/srv/modules/other/a.txt", None),
        ("", "/srv/modules/x", Some("")),
    ] {
        let spot = Spot { asked, whole, below };
        tell(&folder, Access::Files(spot));
    }
    let outside = elsewhere("../a.txt");
    tell(&Rights::of_extension("x", &[], None), Access::FilesWrite(outside));
    let some = permissions("exec = ['ls']");
    tell(&Rights::of_folder("x", &some, None), Access::Exec("git"));
    let grant = Grant::from([(Exec, &["git"][..])]);
    tell(&Rights::of_folder("x", &some, Some(&grant)), Access::Exec("ls"));
    let undeclared = Rights::of_file("x", None, &[], None);
    tell(&undeclared, Access::Env("HOME"));
    tell(&undeclared, Access::Files(below("data/a.txt")));
    tell(&undeclared, Access::Postgres("postgres://u:p@h/d"));
    let file = Rights::of_file("x", Some(&some), &[], None);
    tell(&file, Access::Env("HOME"));
    tell(&file, Access::Exec("git"));
    let narrowed = Rights::of_file("x", Some(&some), &[], Some(&grant));
    tell(&narrowed, Access::Exec("ls"));
    let single = |allowed: &[&str]| {
        let allowed: Vec<String> = allowed.iter().copied().map(str::to_owned).collect();
        Rights::of_extension("x", &allowed, None)
    };
    tell(&single(&[]), Access::Exec("git"));
    tell(&single(&["ls", "cat"]), Access::Exec("git"));
    tell(&single(&[]), Access::FilesWrite(below("a.txt")));
    tell(&Rights::of_loading(true, []), Access::Exec("git"));
    expect![[r#"
        `x.org` is not among the hosts module `x` may reach; add http = ["x.org"] to [permissions] in module.toml
        `git` is not among the commands module `x` may run; add exec = ["git"] to [permissions] in module.toml
        `HOME` is not among the variables module `x` may read; add env = ["HOME"] to [permissions] in module.toml
        `a.db` is not among the databases module `x` may read; add sqlite = ["a.db"] to [permissions] in module.toml
        `a.db` is not among the databases module `x` may write; add sqlite_write = ["a.db"] to [permissions] in module.toml
        `main` is not among the connections module `x` may use; add postgres = ["main"] to [permissions] in module.toml
        `a` is not among the files module `x` may read; add files = ["a"] to [permissions] in module.toml
        `a` is not among the files module `x` may write; add files_write = ["a"] to [permissions] in module.toml
        `files.read` is not among the tools module `x` may call; add calls = ["files.read"] to [permissions] in module.toml
        `LARKSPUR_LOG` is the server's own, and kept from every module
        `module.toml` is part of module `x`, and a module does not rewrite itself
        module `x` uses connections by name: put the connection string into larkspur.toml as [postgres.NAME], and the name into `postgres` under [permissions] in module.toml
        `data/link` is not among the files module `x` may read; add its absolute path to `files` under [permissions] in module.toml
        `/etc/../etc/hosts` is not among the files module `x` may read; add files = ["/etc/hosts"] to [permissions] in module.toml
        `../other/a.txt` is not among the files module `x` may read; add its absolute path to `files` under [permissions] in module.toml
        `` is not among the files module `x` may read; add files = ["**"] to [permissions] in module.toml
        `../a.txt` is not among the files module `x` may write; the operator can add its absolute path to `files_write` under [module.x.grant] in larkspur.toml
        `git` is not among the commands module `x` may run; add "git" to `exec` under [permissions] in module.toml
        `ls` is not among the commands module `x` may run; the operator can add "ls" to `exec` under [module.x.grant] in larkspur.toml
        `HOME` is not among the variables module `x` may read; add permissions(env = ["HOME"]) at the top of its file
        `data/a.txt` is not among the files module `x` may read; add permissions(files = ["data/a.txt"]) at the top of its file
        module `x` uses connections by name: put the connection string into larkspur.toml as [postgres.NAME], and the name into `postgres` of permissions(…) at the top of its file
        `HOME` is not among the variables module `x` may read; add env = ["HOME"] to permissions(…) in its file
        `git` is not among the commands module `x` may run; add "git" to `exec` of permissions(…) in its file
        `ls` is not among the commands module `x` may run; the operator can add "ls" to `exec` under [module.x.grant] in larkspur.toml
        Command 'git' cannot be executed: no exec whitelist configured for this extension. Add allowed_exec=['git'] to the Extension definition.
        Command 'git' is not in the allowed exec whitelist. Allowed commands: ["ls", "cat"]; add it to `allowed_exec` in the Extension definition
        `a.txt` is not among the files module `x` may write; the operator can add files_write = ["a.txt"] to [module.x.grant] in larkspur.toml
        `exec` works in calls, not while a file loads"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn where_the_configuration_decides_a_denial_names_its_key() {
    let text = "\
name = 'x'
version = '1.0.0'
description = 'd'
[config]
commands = { type = 'array', default = [] }
more = { type = 'array', default = [] }
site = { type = 'string', default = 'https://a.org' }
[permissions]
exec = ['ls', '{config.commands}', '{config.more}', '{config.commands}']
http = ['{config.site}']
env = ['HOME']
";
    let manifest = Manifest::parse("module.toml", text, "0.1.0").unwrap();
    let config = manifest.config.defaults();
    let rights = |grant| {
        let permissions = manifest.permissions.under(&config).unwrap();
        Rights::of_folder("x", &permissions, grant)
    };
    let said = |rights: &Rights, access: Access<'_>| rights.check(&access).unwrap_err().to_string();
    let site = Site::read("https://b.org").unwrap();
    let free = rights(None);
    let narrow = rights(Some(&Grant::from([(Exec, &["git"][..])])));
    let all = [
        said(&free, Access::Exec("git")),
        said(&free, Access::Http(&site)),
        free.egress().reach(&site).unwrap_err().to_string(),
        said(&free, Access::Env("USER")),
        said(&narrow, Access::Exec("ls")),
    ];
    expect![[r#"
        `git` is not among the commands module `x` may run; the operator can set `commands` or `more` under [module.x.config] in larkspur.toml, or by --set x.commands=VALUE, or the author can add "git" to `exec` under [permissions] in module.toml
        `b.org` is not among the hosts module `x` may reach; the operator can set `site` under [module.x.config] in larkspur.toml, or by --set x.site=VALUE, or the author can add "b.org" to `http` under [permissions] in module.toml
        `b.org` is not among the hosts module `x` may reach; the operator can set `site` under [module.x.config] in larkspur.toml, or by --set x.site=VALUE, or the author can add "b.org" to `http` under [permissions] in module.toml
        `USER` is not among the variables module `x` may read; add "USER" to `env` under [permissions] in module.toml
        `ls` is not among the commands module `x` may run; the operator can add "ls" to `exec` under [module.x.grant] in larkspur.toml"#]].assert_eq(&all.join("\n"));
}

#[test]
fn calls_reach_own_tools_dependencies_and_named_tools() {
    let text = "name = 'x'\nversion = '1.0.0'\ndescription = 'd'\ndepends_on = ['base']\n\
                optional_deps = ['extra']\n[permissions]\ncalls = ['files.read', 'web.*']";
    let manifest = Manifest::parse("module.toml", text, "0.1.0").unwrap();
    let permissions = manifest.permissions.under(&serde_json::Map::new()).unwrap();
    let [own, base, extra, read, web] =
        ["x.a", "base.a", "extra.a", "files.read", "web.get"].map(tool);
    let [write, near, database] = ["files.write", "webs.get", "database.a"].map(tool);
    let rights = Rights::of_folder("x", &permissions, None);
    check(
        &rights,
        &[&own, &base, &extra, &read, &web].map(Access::Calls),
        &[&write, &near, &database].map(Access::Calls),
    );
    let grant = Grant::from([(Permission::Calls, &["files.*", "base.*"][..])]);
    check(
        &Rights::of_folder("x", &permissions, Some(&grant)),
        &[&own, &base, &read].map(Access::Calls),
        &[&extra, &web, &write].map(Access::Calls),
    );
    check(&Rights::of_extension("x", &[], None), &[Access::Calls(&own)], &[Access::Calls(&base)]);
}

#[test]
fn calls_are_named_by_module_and_tool() {
    for wrong in ["files", "files.", ".read", "*", "*.*", "*.read", "files.r*", "a.b.c"] {
        let text = format!(
            "name = 'x'\nversion = '1.0.0'\ndescription = 'd'\n[permissions]\ncalls = ['{wrong}']"
        );
        let fault = Manifest::parse("module.toml", &text, "0.1.0").unwrap_err();
        assert_eq!(fault.message, format!("`{wrong}` is not a tool"));
    }
}
