//! Folders and regular files, opened by absolute paths in which no part is a link.
//!
//! A path is judged first and opened afterwards. Whoever can write in one of its folders could put a
//! link there in between: it is not followed, and opening fails.

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

/// Files aside that others may have left behind before there is no name.
const ATTEMPTS: u32 = 100;

/// An open folder. What is opened, listed and written through it is in that folder, wherever its
/// path leads by now.
#[derive(Debug)]
pub struct FolderHandle(OwnedFd);

/// The regular file at this path, for reading. Others are refused, without waiting: pipes, devices,
/// sockets, folders.
pub fn open_file(path: &Path) -> io::Result<File> {
    let (folder, name) = FolderHandle::with_name(path)?;
    folder.open_file(name)
}

impl FolderHandle {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(open_without_links(path)?))
    }

    /// Creates what is missing of it.
    pub fn create(path: &Path) -> io::Result<Self> {
        match Self::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::NOENT.into());
        };
        let parent = Self::create(parent)?;
        match rustix::fs::mkdirat(&parent.0, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => Ok(Self(open_part(&parent.0, name)?)),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder that a path is in, and the name there.
    pub fn with_name(path: &Path) -> io::Result<(Self, &OsStr)> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(not_a_file(FileType::Directory));
        };
        Ok((Self::open(parent)?, name))
    }

    /// Is there anything of this name?
    pub fn has(&self, name: &OsStr) -> io::Result<bool> {
        Ok(self.look_at(name)?.is_some())
    }

    pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
        // To open a device can have effects, so that it is looked at first.
        let found = self.look_at(name)?.ok_or(Errno::NOENT)?;
        check_regular(&found)?;
        let how =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, name, how, Mode::empty())?;
        // Another one may be there by now.
        check_regular(&rustix::fs::fstat(&file)?)?;
        Ok(file.into())
    }

    /// Puts a regular file in the place of what is there: readers see the old bytes or the new ones.
    pub fn replace_file(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let old = self.look_at(name)?;
        if let Some(old) = &old {
            check_regular(old)?;
        }
        let mode = old.map(|old| Mode::from_raw_mode(old.st_mode & 0o777));
        let (mut file, aside) = self.create_aside(mode.unwrap_or(Mode::from_raw_mode(0o666)))?;
        // It stays as private as it was.
        let written = mode.map_or(Ok(()), |mode| Ok(rustix::fs::fchmod(&file, mode)?));
        let written = written
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| Ok(rustix::fs::renameat(&self.0, &aside, &self.0, name)?));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&self.0, &aside, AtFlags::empty());
        }
        written
    }

    /// The names in it, and whether each is that of a folder; a link counts as what it leads to.
    pub fn names(&self) -> io::Result<Vec<(OsString, bool)>> {
        let mut names = Vec::new();
        let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let readable = rustix::fs::openat(&self.0, ".", how, Mode::empty())?;
        for entry in Dir::new(readable)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let is_folder = match entry.file_type() {
                FileType::Directory => true,
                FileType::Symlink | FileType::Unknown => {
                    let followed = rustix::fs::statat(&self.0, name, AtFlags::empty());
                    followed.is_ok_and(|found| kind(&found) == FileType::Directory)
                }
                _ => false,
            };
            names.push((OsString::from_vec(name.to_bytes().to_vec()), is_folder));
        }
        Ok(names)
    }

    fn look_at(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A new file under a name that nobody else uses.
    fn create_aside(&self, mode: Mode) -> io::Result<(File, OsString)> {
        static CREATED: AtomicU64 = AtomicU64::new(0);
        let how = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut attempts = 0;
        loop {
            let number = CREATED.fetch_add(1, Ordering::Relaxed);
            let name = format!(".larkspur-{}-{number}.new", std::process::id());
            match rustix::fs::openat(&self.0, &name, how, mode) {
                Ok(file) => return Ok((file.into(), name.into())),
                Err(Errno::EXIST) if attempts < ATTEMPTS => attempts += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsFd for FolderHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn kind(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

fn check_regular(found: &Stat) -> io::Result<()> {
    match kind(found) {
        FileType::RegularFile => Ok(()),
        // It was put there after the path was judged.
        FileType::Symlink => Err(Errno::LOOP.into()),
        other => Err(not_a_file(other)),
    }
}

fn not_a_file(kind: FileType) -> io::Error {
    match kind {
        FileType::Directory => io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"),
        _ => io::Error::other("it is not a regular file"),
    }
}

/// In one step where the system can, else part by part.
fn open_without_links(path: &Path) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(CWD, path, FOLDER, Mode::empty(), resolve) {
            // Linux before 5.6, or a container that does not let it through.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return Ok(opened?),
        }
    }
    open_parts(path)
}

fn open_parts(path: &Path) -> io::Result<OwnedFd> {
    let mut folder = rustix::fs::openat(CWD, "/", FOLDER, Mode::empty())?;
    for part in path.components() {
        match part {
            Component::RootDir | Component::CurDir => {}
            Component::Normal(name) => folder = open_part(&folder, name)?,
            // Only a path that was judged as it is written is opened.
            Component::ParentDir | Component::Prefix(_) => return Err(Errno::INVAL.into()),
        }
    }
    Ok(folder)
}

/// With this, and as a folder, a link is an error.
fn open_part(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    let opened = rustix::fs::openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    Ok(opened?)
}

/// To look names up in; on Linux it need not be readable for that.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
