//! Lines that are only ever added: one file, and those put aside when it had grown. Several processes may
//! add to one.
#![expect(clippy::disallowed_methods, reason = "this is a room that owns files")]

mod read;

pub use read::AuditReader;

use crate::database::prepare;
use crate::relocate::absent_is_fine;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Whoever else adds is done in microseconds; who holds the file longer than this has stopped.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(2);

/// The file that is added to. Nothing is made before the first line.
pub struct AuditFile {
    path: PathBuf,
    max_size: u64,
    keep: usize,
    open: Option<File>,
}

impl AuditFile {
    pub fn new(path: PathBuf, max_size: usize, keep: usize) -> Self {
        Self { path, max_size: max_size as u64, keep, open: None }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it before the first line, to know whether it can be written at all.
    pub fn prepare(&mut self) -> io::Result<()> {
        self.open = Some(self.begin()?);
        Ok(())
    }

    /// Adds whole lines. Answers how many bytes of them are there now, and why not all, if so; where that
    /// is within a line, its first part stays behind as a line of its own that nobody can read.
    pub fn add(&mut self, lines: &[u8]) -> (usize, io::Result<()>) {
        let result = self.locked(lines.len() as u64).map(|file| {
            let (written, result) = write(&file, lines);
            // Closing would free it as well; but this one stays open.
            let _ = file.unlock();
            (file, written, result)
        });
        match result {
            Ok((file, written, result)) => {
                self.open = result.is_ok().then_some(file);
                (whole_lines(&lines[..written]), result)
            }
            Err(error) => (0, Err(error)),
        }
    }

    /// Waits until what was added is on the disk itself, as far as that can be told.
    pub fn sync(&self) {
        if let Some(file) = &self.open {
            let _ = file.sync_data();
        }
    }

    /// The file that is at the path now, for us alone, and with room for so many bytes.
    fn locked(&mut self, bytes: u64) -> io::Result<File> {
        loop {
            let file = match self.open.take() {
                Some(file) => file,
                None => self.begin()?,
            };
            lock(&file)?;
            let size = file.metadata()?.len();
            if !is_at(&file, &self.path)? {
                continue;
            }
            if size > 0 && size + bytes > self.max_size {
                self.put_aside()?;
                continue;
            }
            return Ok(file);
        }
    }

    fn begin(&self) -> io::Result<File> {
        // The folder of a plain name is the current one.
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        if let Some(folder) = self.path.parent().filter(is_missing) {
            prepare(folder)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        options.open(&self.path)
    }

    /// `audit.jsonl.1` is the youngest of those put aside. Whoever does this holds the lock of the file
    /// that moves.
    fn put_aside(&self) -> io::Result<()> {
        remove(&aside(&self.path, self.keep))?;
        for number in (1..self.keep).rev() {
            rename(&aside(&self.path, number), &aside(&self.path, number + 1))?;
        }
        rename(&self.path, &aside(&self.path, 1))
    }
}

pub(super) fn aside(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

fn lock(file: &File) -> io::Result<()> {
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(io::Error::other("another process holds it"));
            }
            Err(TryLockError::WouldBlock) => std::thread::park_timeout(LOOK),
        }
    }
}

/// Somebody else may have put it aside.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// In one piece where the disk has room. A line that was torn before is ended first.
fn write(mut file: &File, lines: &[u8]) -> (usize, io::Result<()>) {
    if let Err(error) = end_torn(file) {
        return (0, Err(error));
    }
    let mut written = 0;
    while written < lines.len() {
        match file.write(&lines[written..]) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(some) => written += some,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

fn end_torn(mut file: &File) -> io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}

fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

fn remove(path: &Path) -> io::Result<()> {
    absent_is_fine(fs::remove_file(path))
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    absent_is_fine(fs::rename(from, to))
}
