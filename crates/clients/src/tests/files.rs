//! Files on a disk: written whole, with their modes and links, and put back.

use super::{home, launch};
use crate::{Client, ConfigFile, Scope, Table, Trouble, snippet};
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
        self.client
            .path(Scope::User, &home(self.dir.path()))
            .unwrap()
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
    assert!(
        desk.open()
            .unwrap()
            .install("larkspur", &launch())
            .unwrap()
            .is_none()
    );
    desk.uninstall();
    assert_eq!(fs::read_to_string(&file).unwrap(), OTHER);
    assert_eq!(desk.names(), ["mcp.json"]);
    assert!(
        desk.open()
            .unwrap()
            .uninstall("larkspur")
            .unwrap()
            .is_none()
    );
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
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        OTHER.replace("\"x\"", "\"y\"")
    );
}

#[test]
fn a_file_of_our_own_comes_and_goes() {
    for client in ["claude-code", "claude-desktop", "cursor", "vscode", "codex"] {
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
    assert_eq!(
        said(&read_only),
        "cannot write ~/.claude.json: it is read-only"
    );
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
    assert_eq!(
        said(&binary),
        "cannot read ~/.claude.json: it is not UTF-8 text"
    );
    let address = Desk::new("cursor");
    address.keep("{\"mcpServers\": {\"larkspur\": {\"url\": \"http://x\"}}}");
    assert!(said(&address).contains("`larkspur` there is another kind of server"));
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
    assert_eq!(
        zed.path(Scope::User, &home).unwrap(),
        dir.path().join(".config/zed/settings.json")
    );
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
        (
            &ZED.replace("project =", "projekt ="),
            "unknown field `projekt`",
        ),
        (
            &ZED.replace("{args}", "args"),
            "`entry` of `zed` needs \"{command}\" and",
        ),
        (
            &ZED.replace("[\"mcp\"]", "[]"),
            "`servers` of `opencode` names no key",
        ),
    ] {
        let said = write(text).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
}
