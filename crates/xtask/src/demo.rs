//! From nothing to a changed answer: a module is written, served, called, edited and called again.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::command;
use crate::workspace::Workspace;

/// An answer takes milliseconds; nobody should wait long to hear that there is none.
const PATIENCE: Duration = Duration::from_secs(20);

/// Between two calls that wait for the same thing.
const BETWEEN: Duration = Duration::from_millis(20);

/// In which file what becomes what: the test first, so that it still passes.
const EDITS: [(&str, &str, &str); 3] = [
    ("main_test.star", "\"Hello, ", "\"Hello again, "),
    ("main_test.star", "\"HELLO, ", "\"HELLO AGAIN, "),
    ("main.star", "+ \", \"", "+ \" again, \""),
];

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let program = program(workspace)?;
    let folder = workspace.root.join("target/demo");
    play(&program, &folder, &mut |line| println!("{line}"))?;
    let modules = folder.join("modules");
    println!("{}", next_steps(&shell_path(&program), &shell_path(&modules)));
    Ok(())
}

/// The binary that `LARKSPUR_BIN` names, or one that is built.
pub fn program(workspace: &Workspace) -> Result<PathBuf> {
    let given = std::env::var_os("LARKSPUR_BIN").filter(|program| !program.is_empty());
    match given {
        Some(program) => Ok(std::path::absolute(program)?),
        None => build(workspace),
    }
}

fn build(workspace: &Workspace) -> Result<PathBuf> {
    println!("building larkspur: minutes the first time, seconds after that");
    command::build(&workspace.root, &["build", "--package=larkspur"], "larkspur")
}

/// Everything the user is shown, one line at a time.
fn play(program: &Path, folder: &Path, tell: &mut dyn FnMut(&str)) -> Result<()> {
    empty(folder).with_context(|| format!("cannot make {} anew", folder.display()))?;

    tell("\n$ larkspur new hello");
    let written = command::output(folder, program, &["new", "hello"])?;
    let written = String::from_utf8(written)?;
    for line in written.lines().take_while(|line| !line.is_empty()) {
        tell(line);
    }

    tell("\n$ larkspur serve");
    let mut server = Server::start(program, folder)?;
    let arguments = json!({"name": "Ada"});
    tell(&format!("→ call hello.hello {arguments}"));
    let first = server.call("hello.hello", &arguments)?;
    tell(&format!("← {first}"));

    tell("\nmodules/hello/main.star is edited while the server runs");
    for line in edit(folder)? {
        tell(&line);
    }
    tell(&format!("→ call hello.hello {arguments}"));
    let second = server.call_until_not("hello.hello", &arguments, &first)?;
    tell(&format!("← {second}"));
    server.stop()
}

/// Commands to paste where the demo was started.
fn next_steps(program: &str, modules: &str) -> String {
    let command = format!("{program} --modules {modules}");
    format!(
        "\nWatch the module while you edit it, or list its tools as a client sees them:\n  \
         {command} dev\n  \
         {command} list\n\
         README.md says how to add it to a client."
    )
}

/// A path as a shell takes it: from the current folder if it is below that, in quotes if need be.
fn shell_path(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(here).unwrap_or(path).to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if path.chars().all(is_plain) {
        return path.into_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(fs::create_dir_all(folder)?)
}

/// Changes what is said; the changed lines of the last file.
fn edit(folder: &Path) -> Result<Vec<String>> {
    let mut changed = Vec::new();
    for (file, old, new) in EDITS {
        let path = folder.join("modules/hello").join(file);
        let text = fs::read_to_string(&path)?;
        fs::write(&path, text.replace(old, new))?;
        let lines = text.lines().filter(|line| line.contains(old));
        changed = lines
            .flat_map(|line| [format!("-{line}"), format!("+{}", line.replace(old, new))])
            .collect();
    }
    Ok(changed)
}

/// A line from the server.
enum Heard {
    /// On stdout: the protocol.
    Message(Value),
    /// On stderr: for people.
    Said(String),
}

/// The real server on its pipes, as a client holds it.
struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    heard: Receiver<Heard>,
    /// What it said to people, for when it fails.
    said: Vec<String>,
    last_id: u64,
}

impl Server {
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .arg("serve")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let (tell, heard) = channel();
        listen(child.stdout.take(), tell.clone(), |line| {
            serde_json::from_str(&line).map_or(Heard::Said(line), Heard::Message)
        });
        listen(child.stderr.take(), tell, Heard::Said);
        let mut server =
            Self { stdin: child.stdin.take(), child, heard, said: Vec::new(), last_id: 0 };
        let who = json!({"name": "demo", "version": "1"});
        let opening =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who});
        server.request("initialize", &opening)?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.request("tools/call", &params)?;
        match result["content"][0]["text"].as_str() {
            Some(text) if result["isError"] != json!(true) => Ok(text.to_owned()),
            _ => bail!("{tool} answered {result}"),
        }
    }

    /// Calls until the edit has arrived, which takes a moment.
    fn call_until_not(&mut self, tool: &str, arguments: &Value, old: &str) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let answer = self.call(tool, arguments)?;
            if answer != old {
                return Ok(answer);
            }
            // Whatever it says next, most likely that it has reloaded, is a good moment.
            if let Ok(Heard::Said(line)) = self.heard.recv_timeout(BETWEEN) {
                self.said.push(line);
            }
        }
        bail!("{tool} still answers {old:?}; {}", self.last_words())
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = json!(self.last_id);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let mut answer = self.hear(&format!("an answer to {method}"), |heard| match heard {
            Heard::Message(message) if message["id"] == id => Some(message),
            _ => None,
        })?;
        match answer["result"].take() {
            Value::Null => bail!("{method} was refused: {}", answer["error"]),
            result => Ok(result),
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let stdin = self.stdin.as_mut().context("the server is stopped")?;
        writeln!(stdin, "{message}").context("the server does not listen")
    }

    /// Waits for one thing, and passes over the others.
    fn hear<T>(&mut self, what: &str, wanted: impl Fn(Heard) -> Option<T>) -> Result<T> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Both streams ended, or nothing came in time.
            let Ok(heard) = self.heard.recv_timeout(left) else {
                bail!("the server never gave {what}; {}", self.last_words());
            };
            if let Heard::Said(line) = &heard {
                self.said.push(line.clone());
            }
            if let Some(found) = wanted(heard) {
                return Ok(found);
            }
        }
    }

    fn last_words(&self) -> String {
        format!("on stderr it said:\n{}", self.said.join("\n"))
    }

    /// With its input at an end the server leaves by itself.
    fn stop(mut self) -> Result<()> {
        self.stdin = None;
        while self.heard.recv_timeout(PATIENCE).is_ok() {}
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing is left to lose, and there is nobody to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(
    stream: Option<impl Read + Send + 'static>,
    tell: Sender<Heard>,
    heard: impl Fn(String) -> Heard + Send + 'static,
) {
    std::thread::spawn(move || {
        let lines = stream.into_iter().flat_map(|s| BufReader::new(s).lines());
        for line in lines.map_while(Result::ok) {
            if tell.send(heard(line)).is_err() {
                return;
            }
        }
    });
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The binary that the tests of the whole workspace have built beside this one.
    pub(crate) fn program(workspace: &Workspace) -> PathBuf {
        let test = std::env::current_exe().unwrap();
        let program = test.ancestors().nth(2).unwrap().join("larkspur");
        if !program.exists() {
            command::run(&workspace.root, "cargo", &["build", "--package=larkspur"]).unwrap();
        }
        program
    }

    /// The block of the README that shows the demo.
    fn shown(workspace: &Workspace) -> String {
        let readme = fs::read_to_string(workspace.root.join("README.md")).unwrap();
        let (_, block) = readme.split_once("```console\n$ cargo xtask demo\n").unwrap();
        block.split_once("\n```").unwrap().0.to_owned()
    }

    #[test]
    fn it_ends_with_the_changed_answer_as_the_readme_shows() {
        let workspace = Workspace::read().unwrap();
        let program = program(&workspace);
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("a demo");
        let mut lines = Vec::new();
        let mut tell = |line: &str| lines.push(line.to_owned());
        // Twice, because what the first run leaves behind must not disturb the second.
        for _ in 0..2 {
            tell("");
            play(&program, &folder, &mut tell).unwrap();
        }
        let once = &lines[..lines.len() / 2];
        assert_eq!(once, &lines[lines.len() / 2..]);
        let steps = next_steps("target/debug/larkspur", "target/demo/modules");
        let told = once.join("\n") + "\n" + &steps;
        assert_eq!(told.trim(), shown(&workspace).trim());
        let steps = next_steps(&shell_path(&program), &shell_path(&folder.join("modules")));
        let pasted = steps.lines().find(|line| line.ends_with(" list")).unwrap();
        let listed = command::output(".", "sh", &["-c", pasted]).unwrap();
        assert!(String::from_utf8(listed).unwrap().contains("hello"));
    }

    #[test]
    fn paths_can_be_pasted() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(shell_path(&here.join("target/debug/x-1")), "target/debug/x-1");
        assert_eq!(shell_path(Path::new("/no/such/it's here")), r"'/no/such/it'\''s here'");
    }

    #[test]
    fn a_server_that_does_not_answer_is_an_error_with_its_last_words() {
        let folder = tempfile::tempdir().unwrap();
        // What `sh serve` runs.
        fs::write(folder.path().join("serve"), "read line; echo I cannot >&2").unwrap();
        let error = Server::start(Path::new("sh"), folder.path()).err().unwrap();
        assert_eq!(
            error.to_string(),
            "the server never gave an answer to initialize; on stderr it said:\nI cannot"
        );
    }
}
