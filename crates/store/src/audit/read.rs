//! The lines again, oldest first, those put aside included; and those that come while one looks.

use super::aside;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Beyond this, there is nothing put aside.
const MOST: usize = 10_000;

pub struct AuditReader {
    path: PathBuf,
    /// Oldest first; the last is the one that is added to.
    left: Vec<PathBuf>,
    open: Option<BufReader<File>>,
    /// Of the last line, which may still be on its way.
    begun: Vec<u8>,
}

impl AuditReader {
    /// Nothing where there has never been a line.
    pub fn open(path: &Path) -> Option<Self> {
        let put_aside = (1..MOST).map(|number| aside(path, number));
        let mut files: Vec<PathBuf> = put_aside.take_while(|path| path.exists()).collect();
        if path.exists() {
            files.insert(0, path.to_owned());
        }
        (!files.is_empty()).then(|| Self {
            path: path.to_owned(),
            left: files,
            open: None,
            begun: Vec::new(),
        })
    }

    /// The next whole line, or nothing when there is none yet. What cannot be read as text is passed over.
    pub fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            let Some(open) = &mut self.open else {
                if !self.go_on()? {
                    return Ok(None);
                }
                continue;
            };
            open.read_until(b'\n', &mut self.begun)?;
            if self.begun.ends_with(b"\n") {
                let line = std::mem::take(&mut self.begun);
                if let Ok(line) = String::from_utf8(line) {
                    return Ok(Some(line.trim_end().to_owned()));
                }
                continue;
            }
            if self.left.is_empty() && self.is_newest()? {
                return Ok(None);
            }
            // The file has ended for good, and with it a line that was torn.
            self.begun.clear();
            self.open = None;
        }
    }

    /// Opens the next file, if there is one.
    fn go_on(&mut self) -> io::Result<bool> {
        let next = self.left.pop().unwrap_or_else(|| self.path.clone());
        match File::open(next) {
            Ok(file) => self.open = Some(BufReader::new(file)),
            // It was put aside meanwhile, or has gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(!self.left.is_empty());
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Is the open file the one that is added to?
    fn is_newest(&self) -> io::Result<bool> {
        let Some(open) = &self.open else {
            return Ok(false);
        };
        let ours = open.get_ref().metadata()?;
        match std::fs::metadata(&self.path) {
            Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        }
    }
}
