//! Numbers and texts as bytes: every number in as few groups of seven bits as it needs (LEB128), so
//! that a value has one encoding only.

use alloc::vec::Vec;

use super::SnapshotError;

pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, value: impl Into<u128>) {
        self.wide(value.into());
    }

    #[inline(never)]
    fn wide(&mut self, mut value: u128) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Small numbers of either sign stay short.
    pub(super) fn signed(&mut self, value: i64) {
        self.number(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    pub(super) fn option(&mut self, value: Option<u32>) {
        self.number(value.map_or(0, |value| u64::from(value) + 1));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn number<T: TryFrom<u128>>(&mut self) -> Result<T, SnapshotError> {
        T::try_from(self.wide()?).map_err(|_| SnapshotError::Damaged)
    }

    #[inline(never)]
    fn wide(&mut self) -> Result<u128, SnapshotError> {
        let mut value = 0u128;
        for shift in (0..128).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(SnapshotError::Damaged)?;
            self.0 = rest;
            let group = u128::from(byte & 0x7f);
            let superfluous = byte == 0 && shift > 0;
            if superfluous || (group << shift) >> shift != group {
                return Err(SnapshotError::Damaged);
            }
            value |= group << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(SnapshotError::Damaged)
    }

    pub(super) fn signed(&mut self) -> Result<i64, SnapshotError> {
        let value: u64 = self.number()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    pub(super) fn option(&mut self) -> Result<Option<u32>, SnapshotError> {
        let value: u64 = self.number()?;
        let value = value.checked_sub(1).map(u32::try_from).transpose();
        value.map_err(|_| SnapshotError::Damaged)
    }

    /// A count of things that take a byte each at least: never more than there are bytes.
    pub(super) fn count(&mut self) -> Result<usize, SnapshotError> {
        let count: u64 = self.number()?;
        let count = usize::try_from(count).map_err(|_| SnapshotError::Damaged)?;
        if count <= self.0.len() { Ok(count) } else { Err(SnapshotError::Damaged) }
    }

    pub(super) fn text(&mut self) -> Result<&'a str, SnapshotError> {
        let len = self.count()?;
        let (text, rest) = self.0.split_at(len);
        self.0 = rest;
        core::str::from_utf8(text).map_err(|_| SnapshotError::Damaged)
    }
}
