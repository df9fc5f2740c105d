//! Files on a disk: written whole, with their modes and links, and put back.

use super::{home, launch};
use crate::{Client, ConfigFile, Launch, ProjectPaths, Scope, Table, Trouble, snippet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const OTHER: &str = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n";

struct Desk {
    dir: TempDir,
    client: Client,
}

impl Desk {
    fn new(client: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let table = Table::load(&home(dir.path())).unwrap();
        let client = table.get(client).unwrap().clone();
        Self { dir, client }
    }

    fn file(&self) -> PathBuf {
        self.client.path(Scope::User, &home(self.dir.path())).unwrap()
    }

    fn keep(&self, text: &str) -> PathBuf {
        let file = self.file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    fn open(&self) -> Result<ConfigFile<'_>, Trouble> {
        ConfigFile::open(&self.client, Scope::User, &home(self.dir.path()))
    }

    /// Installs, and answers where the copy is.
    fn install(&self) -> Result<Option<PathBuf>, Trouble> {
        let change = self.open()?.install("larkspur", &launch())?;
        change.unwrap().write()
    }

    fn uninstall(&self) {
        let change = self.open().unwrap().uninstall("larkspur").unwrap();
        change.unwrap().write().unwrap();
    }

    fn names(&self) -> Vec<String> {
        let folder = fs::read_dir(self.file().parent().unwrap()).unwrap();
        let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_copy_is_kept_and_used_up() {
    let desk = Desk::new("cursor");
    let file = desk.keep(OTHER);
    let copy = desk.install().unwrap().unwrap();
    assert_eq!(fs::read_to_string(&copy).unwrap(), OTHER);
    assert!(desk.open().unwrap().install("larkspur", &launch()).unwrap().is_none());
    desk.uninstall();
    assert_eq!(fs::read_to_string(&file).unwrap(), OTHER);
    assert_eq!(desk.names(), ["mcp.json"]);
    assert!(desk.open().unwrap().uninstall("larkspur").unwrap().is_none());
}

/// Others went on writing: their lines stay, ours go.
#[test]
fn what_others_wrote_meanwhile_stays() {
    let desk = Desk::new("cursor");
    let file = desk.keep(OTHER);
    desk.install().unwrap();
    let theirs = fs::read_to_string(&file).unwrap().replace("\"x\"", "\"y\"");
    fs::write(&file, theirs).unwrap();
    desk.uninstall();
    assert_eq!(fs::read_to_string(&file).unwrap(), OTHER.replace("\"x\"", "\"y\""));
}

#[test]
fn a_file_of_our_own_comes_and_goes() {
    let dir = tempfile::tempdir().unwrap();
    for client in Table::load(&home(dir.path())).unwrap().all() {
        let client = client.name.as_str();
        let desk = Desk::new(client);
        assert!(!desk.client.is_there(&home(desk.dir.path())), "{client}");
        assert_eq!(desk.install().unwrap(), None, "{client}");
        assert_eq!(mode(&desk.file()), 0o600, "{client}");
        assert!(desk.client.is_there(&home(desk.dir.path())), "{client}");
        desk.uninstall();
        assert!(!desk.file().exists(), "{client}");
    }
}

#[test]
fn modes_and_links_stay() {
    let desk = Desk::new("claude-code");
    let real = desk.dir.path().join("dotfiles.json");
    fs::write(&real, OTHER).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, desk.file()).unwrap();
    let copy = desk.install().unwrap().unwrap();
    assert_eq!((mode(&real), mode(&copy)), (0o640, 0o640));
    assert!(desk.file().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("larkspur"));
    desk.uninstall();
    assert!(desk.file().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), OTHER);
}

#[test]
fn what_cannot_be_written_is_left_and_told() {
    let said = |desk: &Desk| {
        let said = desk.install().unwrap_err().to_string();
        said.replace(&desk.dir.path().display().to_string(), "~")
    };
    let read_only = Desk::new("claude-code");
    let file = read_only.keep("{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(said(&read_only), "cannot write ~/.claude.json: it is read-only");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    let no_folder = Desk::new("cursor");
    fs::write(no_folder.dir.path().join(".cursor"), "").unwrap();
    assert!(said(&no_folder).starts_with("cannot read ~/.cursor/mcp.json: Not a directory"));
    let dangling = Desk::new("claude-code");
    symlink("gone", dangling.file()).unwrap();
    assert_eq!(
        said(&dangling),
        "cannot read ~/.claude.json: it is a link to a file that is not there"
    );
    let binary = Desk::new("claude-code");
    fs::write(binary.file(), [0xff, 0xfe]).unwrap();
    assert_eq!(said(&binary), "cannot read ~/.claude.json: it is not UTF-8 text");
    let address = Desk::new("cursor");
    address.keep("{\"mcpServers\": {\"larkspur\": {\"url\": \"http://x\"}}}");
    assert!(said(&address).contains("`larkspur` there is another kind of server"));
}

fn serving(folder: &Path) -> Launch {
    let folder = folder.display().to_string();
    Launch { args: vec!["serve".into(), "--modules".into(), folder], ..launch() }
}

/// Two projects stand side by side; each finds its own entry again, under whatever name.
#[test]
fn no_project_replaces_another() {
    let desk = Desk::new("claude-code");
    let folder = |name: &str| {
        let folder = desk.dir.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        serving(&folder)
    };
    let paths = |launch: &Launch| ProjectPaths::of(launch).unwrap();
    let (shop, blog) = (folder("a/shop"), folder("b/shop"));
    let install = |wanted: &str, launch: &Launch| {
        let file = desk.open().unwrap();
        let name = file.free_name(wanted, &paths(launch)).unwrap();
        let change = file.install(&name, launch).unwrap();
        let is_new = change.is_some_and(|change| change.write().is_ok());
        (name, is_new)
    };
    assert_eq!(install("shop", &shop), ("shop".to_owned(), true));
    assert_eq!(install("shop", &shop), ("shop".to_owned(), false));
    assert_eq!(install("shop", &blog), ("shop-2".to_owned(), true));
    let moved = Launch { command: "/opt/larkspur".into(), ..blog.clone() };
    assert_eq!(install("another", &moved), ("shop-2".to_owned(), true));
    let file = desk.open().unwrap();
    assert_eq!(file.name_of(&paths(&shop)).unwrap().as_deref(), Some("shop"));
    let refused = file.install("shop", &blog).unwrap_err().to_string();
    assert!(refused.contains("`shop` there is another project, with "), "{refused}");
    assert!(refused.contains("choose another name with --name"), "{refused}");
    // An entry whose files are gone belongs to no project.
    fs::remove_dir(desk.dir.path().join("a/shop")).unwrap();
    assert_eq!(install("shop", &folder("c")), ("shop".to_owned(), true));
}

/// Entries of other programs are not ours to replace, and those of 0.1 are found by their folder.
#[test]
fn other_programs_stay_and_old_entries_are_known() {
    let desk = Desk::new("claude-code");
    desk.keep(
        "{\"mcpServers\": {\"shop\": {\"command\": \"npx\", \"args\": []}, \"larkspur\": \
         {\"type\": \"stdio\", \"command\": \"/old/larkspur\", \"args\": [\"serve\", \"--modules\", \
         \"/m\"]}}}",
    );
    let file = desk.open().unwrap();
    let refused = file.install("shop", &launch()).unwrap_err().to_string();
    assert!(refused.contains("`shop` there is another program, npx"), "{refused}");
    let paths = ProjectPaths::of(&launch()).unwrap();
    assert_eq!(file.free_name("shop", &paths).unwrap(), "larkspur");
}

#[test]
fn clients_that_defer_tools_are_asked_to_load_them_at_once() {
    let always = Launch { always_load: true, ..launch() };
    for (client, key) in
        [("claude-code", Some("alwaysLoad")), ("qwen", Some("alwaysLoadTools")), ("cursor", None)]
    {
        let desk = Desk::new(client);
        let text = |launch| snippet(Some(&desk.client), "shop", launch);
        let line = key.map(|key| format!("\"{key}\": true"));
        let text_always = text(&always);
        assert!(line.is_none_or(|line| text_always.contains(&line)), "{text_always}");
        assert!(!text(&launch()).contains("alwaysLoad"));
        assert_eq!(text_always.contains("alwaysLoad"), key.is_some());
    }
    let desk = Desk::new("claude-code");
    let change = desk.open().unwrap().install("larkspur", &always).unwrap();
    change.unwrap().write().unwrap();
    desk.uninstall();
    assert!(!desk.file().exists());
}

#[test]
fn a_file_that_changed_meanwhile_is_not_overwritten() {
    let desk = Desk::new("cursor");
    let file = desk.keep(OTHER);
    let config = desk.open().unwrap();
    let change = config.install("larkspur", &launch()).unwrap().unwrap();
    fs::write(&file, "{}").unwrap();
    assert_eq!(change.write(), Err(Trouble::Overtaken(file.clone())));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    assert_eq!(desk.names(), ["mcp.json"]);
}

const ZED: &str = r#"
[zed]
title = "Zed"
format = "jsonc"
servers = ["context_servers"]
entry = { source = "custom", command = "{command}", args = "{args}" }
user = "~/.config/zed/settings.json"

[opencode]
title = "OpenCode"
format = "jsonc"
servers = ["mcp"]
entry = { type = "local", command = "{command_line}", enabled = true }
project = "opencode.jsonc"
"#;

#[test]
fn people_add_clients_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    let write = |text: &str| {
        fs::create_dir_all(home.clients().unwrap().parent().unwrap()).unwrap();
        fs::write(home.clients().unwrap(), text).unwrap();
        Table::load(&home)
    };
    let table = write(ZED).unwrap();
    let zed = table.get("zed").unwrap();
    assert_eq!(zed.path(Scope::User, &home).unwrap(), dir.path().join(".config/zed/settings.json"));
    assert_eq!(
        zed.path(Scope::Project, &home).unwrap_err().to_string(),
        "Zed has no file for --scope project on this system; try --scope user"
    );
    let opencode = table.get("opencode").unwrap();
    assert_eq!(
        snippet(Some(opencode), "larkspur", &launch()).replace(['\n', ' '], ""),
        r#"{"mcp":{"larkspur":{"type":"local","command":["/bin/larkspur","serve","--modules","/m"],"enabled":true}}}"#
    );
    assert!(table.get("codex").is_some());
    for (text, expected) in [
        ("[x]\ntitle = 1\n", ":2:9: invalid type"),
        (&ZED.replace("project =", "projekt ="), "unknown field `projekt`"),
        (&ZED.replace("{args}", "args"), "`entry` of `zed` needs \"{command}\" and"),
        (&ZED.replace("[\"mcp\"]", "[]"), "`servers` of `opencode` names no key"),
    ] {
        let said = write(text).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
}
