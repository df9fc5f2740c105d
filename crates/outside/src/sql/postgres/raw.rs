//! Bytes as the server sends them, read from front to back.

/// Ends before it should have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Short;

pub(super) struct Raw<'r>(pub(super) &'r [u8]);

impl<'r> Raw<'r> {
    pub(super) fn take(&mut self, length: usize) -> Result<&'r [u8], Short> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Short)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn i16(&mut self) -> Result<i16, Short> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    pub(super) fn u16(&mut self) -> Result<u16, Short> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    pub(super) fn i32(&mut self) -> Result<i32, Short> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, Short> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub(super) fn i64(&mut self) -> Result<i64, Short> {
        Ok(i64::from_be_bytes(self.array()?))
    }
}
