//! Runs the blocks of a page as its reader would, and compares what is printed with what is shown.
//!
//! A fenced block says by its first line how it is read:
//! - `console`: lines after `$ ` are run by a shell, together with lines after `> ` that follow, in one folder
//!   for the whole page, with the binary on the path; the lines below each are what it prints, compared as
//!   `transcript.rs` says;
//! - any language and `FILE`: is that file, from here on;
//! - `json`: parses;
//! - any language and `not-run`: is left alone.
//!
//! `SITE` is a server that answers with what it was asked.
//!
//! The pages in `tests/cmd` are tests, and exact. Lines of standard error come last and begin with `2> `, and a
//! command ends with `# exit N` if its exit code is not 0. Each section (`## `) has a folder of its own, in
//! which the blocks above the first section have run; JSON is folded. `PAGE=name` runs one page.
//!
//! `UPDATE_EXPECT=1` writes what is printed into the pages.

use crate::room::Room;
use crate::transcript::{agrees, relocate};
use crate::upstream::{Asked, Web, answer};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

/// Commands of the workshop: `demo` is compared with the README by its own test, `test` runs this one.
const WORKSHOP: [&str; 2] = ["$ cargo xtask demo", "$ cargo xtask test"];

/// Time after which a command counts as hanging.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);

/// Before the exit code of an exact page's command.
const EXIT: &str = "  # exit ";

pub(crate) struct Block {
    /// What stands behind the opening fence.
    pub(crate) kind: String,
    pub(crate) text: String,
    line: usize,
    /// How many sections have begun above it.
    section: usize,
}

pub(crate) fn blocks(page: &str, text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Block)> = None;
    let mut section = 0;
    for (text, line) in text.lines().zip(1..) {
        let kind = text.trim_start_matches('`');
        let fence = &text[..text.len() - kind.len()];
        match &mut open {
            Some((opening, _)) if kind.is_empty() && fence == *opening => {
                blocks.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => block.text.extend([text, "\n"]),
            None if fence.len() >= 3 => {
                let kind = kind.to_owned();
                open = Some((fence, Block { kind, text: String::new(), line, section }));
            }
            None if text.starts_with("## ") => section += 1,
            None => {}
        }
    }
    assert!(open.is_none(), "{page}: a block is never closed");
    blocks
}

#[track_caller]
pub(crate) fn parsed(text: &str, at: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{at}: {error}"))
}

/// A command with what a page shows of it, and what was printed instead.
pub(crate) struct Difference {
    line: usize,
    shown: Vec<String>,
    printed: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, shown, printed } = self;
        let (shown, printed) = (shown.join("\n"), printed.join("\n"));
        write!(f, "{line}: the page shows\n{shown}\n--- but it is\n{printed}\n")
    }
}

/// Runs blocks one after another.
#[track_caller]
pub(crate) fn run<'a>(
    room: &Room,
    page: &str,
    blocks: impl Iterator<Item = &'a Block> + Clone,
    is_exact: bool,
) -> Vec<Difference> {
    let places = places(blocks.clone());
    let mut console =
        Console { room, places, is_exact, background: Vec::new(), differences: Vec::new() };
    for block in blocks {
        let at = format!("{page}:{}", block.line);
        match block.kind.split_once(' ').unwrap_or((&block.kind, "")) {
            (_, "not-run") => {}
            ("console", "") => console.type_in(block, &at),
            ("json", "") => drop(parsed(&block.text, &at)),
            (_, file) if !file.is_empty() => {
                let path = room.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, console.meant(&block.text)).unwrap();
            }
            _ => panic!("{at}: `{}` says neither how to run it nor `not-run`", block.kind),
        }
    }
    std::mem::take(&mut console.differences)
}

/// Rewrites a page where it differs, or says where it does.
pub(crate) fn settle(path: &Path, mut differences: Vec<Difference>) -> Result<(), String> {
    if differences.is_empty() {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_none() {
        let page = path.file_name().unwrap().display();
        let listed = differences.iter().map(|difference| format!("{page}:{difference}"));
        return Err(listed.collect());
    }
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // From the last to the first: the lines above keep their numbers.
    differences.sort_by_key(|difference| std::cmp::Reverse(difference.line));
    differences.dedup_by_key(|difference| difference.line);
    for Difference { line, shown, printed } in differences {
        lines.splice(line - 1..line - 1 + shown.len(), printed);
    }
    fs::write(path, lines.join("\n") + "\n").unwrap();
    Ok(())
}

/// What stands in the blocks, and what is meant by it: pages run side by side, so every port that a settings
/// file names becomes a free one.
fn places<'a>(blocks: impl Iterator<Item = &'a Block> + Clone) -> Vec<(String, String)> {
    let settings = blocks.clone().filter(|block| block.kind.starts_with("toml "));
    let ports = settings.flat_map(|block| block.text.lines());
    let ports = ports.filter_map(|line| line.strip_prefix("port = "));
    let free = |port: &str| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        (port.to_owned(), listener.local_addr().unwrap().port().to_string())
    };
    let mut places: Vec<_> = ports.map(free).collect();
    if blocks.clone().any(|block| block.text.contains("SITE")) {
        places.push(("SITE".to_owned(), Web::answering(|asked| Some(echo(asked))).site()));
    }
    places
}

/// What was asked, with headers of all kinds.
fn echo(asked: &Asked) -> String {
    let head = "content-type: application/json\r\ndate: now\r\nset-cookie: s=canary-of-a-cookie\r\n\
                etag: e1\r\nserver: s\r\nx-request-id: r1\r\ncf-ray: c1\r\nx-ratelimit-remaining: 9\r\n\
                x-total-count: 3\r\n";
    let who = asked.header("authorization");
    let (status, body) = match asked.path.as_str() {
        "/keys" => (200, json!({"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "a"}]})),
        path if path.starts_with("/missing") => (404, json!("nothing")),
        path => (
            200,
            json!({"at": path, "who": who, "sent": asked.body, "access_token": "canary-given-out"}),
        ),
    };
    answer(status, head, &body.to_string())
}

fn binaries() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_larkspur")).parent().unwrap()
}

/// The folder in which a page runs.
struct Console<'a> {
    room: &'a Room,
    /// What stands in the page, and what is meant by it.
    places: Vec<(String, String)>,
    is_exact: bool,
    /// Process groups of commands that leave something running.
    background: Vec<Pid>,
    differences: Vec<Difference>,
}

impl Drop for Console<'_> {
    fn drop(&mut self) {
        for group in &self.background {
            // Most pages end what they start.
            let _ = kill_process_group(*group, Signal::KILL);
        }
    }
}

impl Console<'_> {
    fn meant(&self, text: &str) -> String {
        let places = self.places.iter();
        places.fold(text.to_owned(), |text, (shown, meant)| text.replace(shown, meant))
    }

    /// What was printed, with the places that pages show.
    fn shown(&self, printed: Vec<u8>) -> String {
        let printed = relocate(&String::from_utf8(printed).unwrap(), self.room.path(), binaries());
        let places = self.places.iter();
        places.fold(printed, |text, (shown, meant)| text.replace(meant, shown))
    }

    #[track_caller]
    fn type_in(&mut self, block: &Block, at: &str) {
        assert!(block.text.starts_with("$ "), "{at}: begin with `$ `");
        if WORKSHOP.iter().any(|command| block.text.starts_with(command)) {
            return;
        }
        let lines: Vec<&str> = block.text.lines().collect();
        let mut line = block.line + 1;
        for part in lines.chunk_by(|_, next| !next.starts_with("$ ")) {
            let more = part[1..].iter().take_while(|line| format!("{line} ").starts_with("> "));
            let (typed, shown) = part.split_at(1 + more.count());
            self.compare(line, typed, shown);
            line += part.len();
        }
    }

    #[track_caller]
    fn compare(&mut self, line: usize, typed: &[&str], shown: &[&str]) {
        let command: Vec<&str> = typed.iter().map(|line| line.get(2..).unwrap_or("")).collect();
        let (code, printed) = self.shell(&self.meant(&command.join("\n")));
        let mut right: Vec<String> = typed.iter().map(|&line| line.to_owned()).collect();
        if self.is_exact {
            let last = right.last_mut().unwrap();
            last.truncate(last.find(EXIT).unwrap_or(last.len()));
            last.extend((code != 0).then(|| format!("{EXIT}{code}")));
        }
        let agrees = agrees(shown.join("\n").trim_end(), printed.trim_end());
        if agrees && right == typed {
            return;
        }
        let printed = printed.trim_end().lines().map(str::trim_end);
        let printed: Vec<&str> = if agrees { shown.to_vec() } else { printed.collect() };
        right.extend(printed.into_iter().map(str::to_owned));
        let shown = typed.iter().chain(shown).map(|&line| line.to_owned());
        self.differences.push(Difference { line, shown: shown.collect(), printed: right });
    }

    /// How a command ends, and what it prints: on both streams as a terminal shows it, or one after the other.
    #[track_caller]
    fn shell(&mut self, command: &str) -> (i32, String) {
        let path = format!("{}:{}", binaries().display(), std::env::var("PATH").unwrap());
        let streams = if self.is_exact { "" } else { "exec 2>&1; " };
        let mut shell = Command::new("sh");
        for name in ["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "LARKSPUR_LOG"] {
            shell.env_remove(name);
        }
        let child = shell
            .args(["-c", &format!("{streams}{command}")])
            .current_dir(self.room.path())
            .env("PATH", path)
            .env("XDG_RUNTIME_DIR", self.room.path().join("run"))
            .env("HOME", self.room.path())
            .env("LARKSPUR_VAULT_KEYRING", "off")
            // The order of names, for `sort` and `ls`.
            .env("LC_ALL", "C")
            .env_remove("RUST_LOG")
            .env_remove("CI")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let group = Pid::from_child(&child);
        if command.contains(" & ") {
            self.background.push(group);
        }
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(COMMAND_TIMEOUT) else {
            let _ = kill_process_group(group, Signal::KILL);
            panic!("`{command}` does not end");
        };
        let output = output.unwrap();
        let mut printed = self.shown(output.stdout);
        if self.is_exact
            && let Ok(json @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&printed)
        {
            printed = folded(&json, 0);
        }
        for line in self.shown(output.stderr).lines() {
            let begun = !printed.is_empty() && !printed.ends_with('\n');
            printed.extend([if begun { "\n" } else { "" }, "2> ", line, "\n"]);
        }
        (output.status.code().unwrap_or(-1), printed)
    }
}

/// JSON in lines that are not longer than need be.
fn folded(value: &Value, indent: usize) -> String {
    let line = value.to_string();
    let inner = indent + 2;
    let (open, items, close): (_, Vec<String>, _) = match value {
        _ if indent + line.chars().count() <= 100 => return line,
        Value::Object(members) => {
            let members = members.iter();
            let member = |(key, value)| format!("{:?}: {}", key, folded(value, inner));
            ("{", members.map(member).collect(), "}")
        }
        Value::Array(items) => ("[", items.iter().map(|item| folded(item, inner)).collect(), "]"),
        _ => return line,
    };
    let items: Vec<String> = items.iter().map(|item| format!("{:inner$}{item}", "")).collect();
    format!("{open}\n{}\n{:indent$}{close}", items.join(",\n"), "")
}

/// A page of `tests/cmd`.
struct Page {
    path: PathBuf,
    blocks: Vec<Block>,
}

fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let only = std::env::var_os("PAGE");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| only.is_none() || path.file_stem() == only.as_deref());
    let page = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let blocks = blocks(&path.display().to_string(), &text);
        Page { path, blocks }
    };
    paths.map(page).collect()
}

#[test]
fn every_page_of_the_command_line_shows_what_is_printed() {
    let pages = pages();
    assert!(!pages.is_empty(), "no page is called so");
    let sections = pages.iter().flat_map(|page| {
        let last = page.blocks.last().map_or(0, |block| block.section);
        (1..=last).map(move |section| (page, section))
    });
    let sections: Vec<_> = sections.collect();
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::<&Path, Vec<Difference>>::new());
    let work = || {
        while let Some((page, section)) = sections.get(next.fetch_add(1, Ordering::Relaxed)) {
            let own = page.blocks.iter().filter(|block| [0, *section].contains(&block.section));
            let name = page.path.display().to_string();
            let differences = run(&Room::without("modules"), &name, own, true);
            found.lock().unwrap().entry(&page.path).or_default().extend(differences);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().unwrap().get() {
            scope.spawn(work);
        }
    });
    let settled = found.into_inner().unwrap().into_iter();
    let wrong: Vec<String> = settled.filter_map(|(path, all)| settle(path, all).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.concat());
}
