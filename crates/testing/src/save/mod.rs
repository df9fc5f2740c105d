//! `larkspur call … --save-test`: a call that was made, with what it fetched, written as a test. What
//! does not pass when it is run without the world is not kept.
#![expect(clippy::disallowed_methods, reason = "this is the room that writes tests")]

mod literal;
mod name;

use crate::options::{Keeping, Options};
use crate::recording::{Recorder, Recordings};
use crate::report::Event;
use crate::run::run;
use crate::snapshots::Snapshots;
use crate::test_data::{RECORDINGS, SNAPSHOTS};
use compact::count_tokens;
use literal::{call, literal};
use model::{Args, Fault};
use runtime::Folder;
use script::Reply;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// A longer answer is kept as a snapshot.
const LONG: usize = 500;

/// Where a test goes, decided before the call is made.
pub struct Draft {
    file: PathBuf,
    test: String,
}

/// A call, as it was made.
pub struct Made<'a> {
    pub recorder: &'a Recorder,
    pub args: &'a Args,
    /// What its module is told otherwise than by its manifest, as `module.key`.
    pub config: Vec<(String, Value)>,
    pub reply: Reply,
}

impl Draft {
    /// A test of a tool of the module in `module`, beside it.
    pub fn new(
        folder: &Folder,
        module: &str,
        tool: &str,
        wanted: Option<&str>,
    ) -> Result<Self, String> {
        let stem = module.strip_suffix(".star").unwrap_or(module);
        let file = folder.path(&format!("{stem}_test.star"));
        let source = read(&file)?.unwrap_or_default();
        let recordings = Recordings::of(&file);
        recordings.get("")?;
        let is_taken = |test: &str| {
            let def = format!("def {test}(");
            source.lines().any(|line| line.starts_with(&def))
                || recordings.get(test).is_ok_and(|there| there.is_some())
        };
        let test = name::choose(tool, wanted, is_taken)
            .map_err(|why| format!("{why} in {}", file.display()))?;
        Ok(Self { file, test })
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn test(&self) -> &str {
        &self.test
    }

    /// Writes the test and runs it; if it fails, all is as it was before.
    pub fn save(&self, made: &Made<'_>, options: Options) -> Result<(), String> {
        let before = Before::of([
            self.file.clone(),
            RECORDINGS.path(&self.file),
            SNAPSHOTS.path(&self.file),
        ])?;
        let kept =
            self.write(made).and_then(|()| self.run(options).map_err(|fault| self.unlike(&fault)));
        if kept.is_err() {
            before.restore()?;
        }
        kept
    }

    fn write(&self, made: &Made<'_>) -> Result<(), String> {
        let recording = made.recorder.recording()?;
        let cover = |value: Value| made.recorder.hidden.cover(value);
        let text = |text: &str| made.recorder.hidden.cover_text(text.to_owned());
        let mut lines: Vec<String> = made
            .config
            .iter()
            .map(|(key, value)| {
                let key = literal(&Value::from(key.as_str()), 4);
                format!("t.config({key}, {})", literal(&cover(value.clone()), 4))
            })
            .collect();
        let called = call(&made.reply.tool, &cover(made.args.clone().into()));
        let reply = Reply {
            value: cover(made.reply.value.clone()),
            text: text(&made.reply.text),
            fault: made.reply.fault.as_ref().map(|f| Fault::new(text(&f.message))),
            tool: made.reply.tool.clone(),
            tokens: count_tokens(&text(&made.reply.text)),
            ..Reply::default()
        };
        let (part, said) = match &reply.fault {
            Some(fault) => ("error", Value::from(fault.message.as_str())),
            None => ("value", reply.value.clone()),
        };
        lines.push(format!("answer = {called}"));
        if said.to_string().len() > LONG {
            lines.push("testing.snapshot(answer)".into());
            let snapshots = Snapshots::of(&self.file, Keeping::All);
            let held = snapshots.hold(&self.test, reply.kept());
            held.map_err(|_| "its snapshot cannot be kept".to_owned())?;
            snapshots.keep()?;
        } else {
            lines.push(format!("testing.eq(answer.{part}, {})", literal(&said, 4)));
        }
        let recordings = Recordings::of(&self.file);
        recordings.add(&self.test, recording)?;
        self.append(&lines)
    }

    /// After what is there; nothing of that changes.
    fn append(&self, lines: &[String]) -> Result<(), String> {
        let mut source = read(&self.file)?.unwrap_or_default();
        if !source.is_empty() {
            let end = if source.ends_with('\n') { "\n" } else { "\n\n" };
            source.push_str(end);
        }
        let body = lines.join("\n    ");
        let test = format!("def {}(t):\n    {body}\n", self.test);
        source.push_str(&test);
        let written = fs::write(&self.file, source);
        written.map_err(|error| format!("cannot write {}: {error}", self.file.display()))
    }

    fn run(&self, mut options: Options) -> Result<(), Fault> {
        options.filter = Some(format!("::{}", self.test));
        options.snapshots = Keeping::Nothing;
        let mut outcome = Err(Fault::new("it is not found among the tests"));
        run(&options, &mut |event| match event {
            Event::Passed { test, .. } if test == self.test => outcome = Ok(()),
            Event::Failed { test, fault, .. } if test == self.test || outcome.is_err() => {
                outcome = Err(fault);
            }
            _ => {}
        });
        outcome
    }

    fn unlike(&self, fault: &Fault) -> String {
        format!("no test was saved: without the world `{}` does not pass\n{fault}", self.test)
    }
}

/// Files as they were.
struct Before(Vec<(PathBuf, Option<Vec<u8>>)>);

impl Before {
    fn of(files: [PathBuf; 3]) -> Result<Self, String> {
        let one = |path: PathBuf| Ok((path.clone(), read(&path)?.map(String::into_bytes)));
        files.into_iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    fn restore(&self) -> Result<(), String> {
        for (path, bytes) in &self.0 {
            let restored = match bytes {
                Some(bytes) => fs::write(path, bytes),
                None if path.exists() => fs::remove_file(path),
                None => Ok(()),
            };
            restored.map_err(|error| format!("cannot restore {}: {error}", path.display()))?;
            // A folder that was made for it is empty again.
            if let Some(folder) = path.parent().filter(|_| bytes.is_none()) {
                let _ = fs::remove_dir(folder);
            }
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read {}: {error}", path.display())),
    }
}
