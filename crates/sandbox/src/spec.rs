//! A command to run, as bytes on their way to its supervisor.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    pub program: PathBuf,
    /// The name by which the program is told that it was started.
    pub name: OsString,
    pub args: Vec<OsString>,
    /// All variables that it gets.
    pub env: Vec<(OsString, OsString)>,
    pub limits: CommandLimits,
}

/// What a command and everything it has started may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// Bytes of memory of all its processes together.
    pub memory: u64,
    /// Processes at one time, itself included.
    pub processes: u64,
    /// Bytes of any file that one of them writes.
    pub file_size: u64,
}

impl CommandSpec {
    /// Numbers of eight bytes, and texts after their lengths; first the length of it all.
    pub(crate) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let CommandLimits { memory, processes, file_size } = self.limits;
        let mut bytes = Vec::new();
        for number in [memory, processes, file_size] {
            bytes.extend(number.to_le_bytes());
        }
        let count = self.args.len() as u64;
        bytes.extend(count.to_le_bytes());
        let env = self.env.iter().flat_map(|(name, value)| [name, value]);
        let fixed = [self.program.as_os_str(), &self.name];
        let given = self.args.iter().chain(env).map(OsString::as_os_str);
        for text in fixed.into_iter().chain(given) {
            put(text, &mut bytes)?;
        }
        let mut message = (bytes.len() as u64).to_le_bytes().to_vec();
        message.append(&mut bytes);
        Ok(message)
    }

    pub(crate) fn read(from: &mut impl Read) -> io::Result<Self> {
        let length = number(from)?;
        let mut from = from.take(length);
        let limits = CommandLimits {
            memory: number(&mut from)?,
            processes: number(&mut from)?,
            file_size: number(&mut from)?,
        };
        let count = number(&mut from)?;
        let (program, name) = (text(&mut from)?.into(), text(&mut from)?);
        let args = (0..count).map(|_| text(&mut from)).collect::<io::Result<_>>()?;
        let mut env = Vec::new();
        while from.limit() > 0 {
            env.push((text(&mut from)?, text(&mut from)?));
        }
        Ok(Self { program, name, args, env, limits })
    }
}

fn put(text: &OsStr, bytes: &mut Vec<u8>) -> io::Result<()> {
    if text.as_bytes().contains(&0) {
        let why = "nul byte found in an argument or a variable";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
    Ok(())
}

fn text(from: &mut impl Read) -> io::Result<OsString> {
    let length = number(from)?;
    let mut bytes = Vec::new();
    let read = from.take(length).read_to_end(&mut bytes)?;
    if read as u64 == length {
        Ok(OsString::from_vec(bytes))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

fn number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> CommandSpec {
        CommandSpec {
            program: "/bin/sh".into(),
            name: "sh".into(),
            args: vec!["-c".into(), "".into(), OsString::from_vec(vec![0xff, b'\n'])],
            env: vec![("A".into(), "1=2".into()), ("B".into(), "".into())],
            limits: CommandLimits { memory: 1, processes: u64::MAX, file_size: 3 },
        }
    }

    #[test]
    fn a_spec_is_read_as_it_was_written() {
        let bytes = spec().to_bytes().unwrap();
        assert_eq!(CommandSpec::read(&mut &bytes[..]).unwrap(), spec());
    }

    #[test]
    fn a_spec_that_is_cut_short_is_an_error() {
        let bytes = spec().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(CommandSpec::read(&mut &bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn nul_bytes_are_refused() {
        let mut spec = spec();
        spec.args.push("a\0b".into());
        let error = spec.to_bytes().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
