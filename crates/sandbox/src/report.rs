//! What a supervisor reports of its command: five bytes.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

#[derive(Debug)]
pub enum Report {
    /// The command could not be started.
    Failed(io::Error),
    /// The command itself has ended; what it has started may go on until the supervisor is stopped.
    Ended(ExitStatus),
    /// A limit was exceeded, and all of its processes are being killed.
    Exceeded(ExceededLimit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExceededLimit {
    Memory,
    Processes,
    FileSize,
}

pub(crate) const LENGTH: usize = 5;

impl Report {
    pub(crate) fn to_bytes(&self) -> [u8; LENGTH] {
        let (kind, value) = match self {
            Self::Failed(error) => (b'f', error.raw_os_error().unwrap_or(0)),
            Self::Ended(status) => (b'e', status.into_raw()),
            Self::Exceeded(ExceededLimit::Memory) => (b'm', 0),
            Self::Exceeded(ExceededLimit::Processes) => (b'p', 0),
            Self::Exceeded(ExceededLimit::FileSize) => (b's', 0),
        };
        let [a, b, c, d] = value.to_le_bytes();
        [kind, a, b, c, d]
    }

    pub(crate) fn from_bytes([kind, a, b, c, d]: [u8; LENGTH]) -> io::Result<Self> {
        let value = i32::from_le_bytes([a, b, c, d]);
        Ok(match kind {
            b'f' => Self::Failed(io::Error::from_raw_os_error(value)),
            b'e' => Self::Ended(ExitStatus::from_raw(value)),
            b'm' => Self::Exceeded(ExceededLimit::Memory),
            b'p' => Self::Exceeded(ExceededLimit::Processes),
            b's' => Self::Exceeded(ExceededLimit::FileSize),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_they_were_written() {
        for report in [
            Report::Failed(io::Error::from_raw_os_error(2)),
            Report::Ended(ExitStatus::from_raw(0x300)),
            Report::Ended(ExitStatus::from_raw(9)),
            Report::Exceeded(ExceededLimit::Memory),
            Report::Exceeded(ExceededLimit::Processes),
            Report::Exceeded(ExceededLimit::FileSize),
        ] {
            let again = Report::from_bytes(report.to_bytes()).unwrap();
            assert_eq!(format!("{again:?}"), format!("{report:?}"));
        }
        assert!(Report::from_bytes(*b"?1234").is_err());
    }
}
