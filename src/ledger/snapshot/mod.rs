//! The whole ledger as bytes, and back.
//!
//! The bytes hold what the future depends on and nothing else: no index, no heap, no cache. Buckets are
//! brought to the present first. So two ledgers that will answer alike for ever have equal bytes, on
//! every platform, and a restored ledger goes on as if nothing had happened, tickets included.
//!
//! Bytes may come from anywhere: everything is checked, and what contradicts itself is refused.

mod codec;
mod families;
mod read;
mod write;

use core::fmt;

/// What every snapshot begins with.
const MAGIC: &[u8; 4] = b"BURS";
const FORMAT: u32 = 1;

/// Why bytes are not a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin as a snapshot does.
    NotASnapshot,
    /// A format that this version does not know.
    UnknownFormat(u32),
    /// The bytes end too early, go on too long, or contradict themselves.
    Damaged,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::NotASnapshot => write!(f, "the bytes are not a ledger's snapshot"),
            SnapshotError::UnknownFormat(format) => {
                write!(f, "the snapshot has format {format}; this version reads {FORMAT}")
            }
            SnapshotError::Damaged => write!(f, "the snapshot is damaged"),
        }
    }
}

impl core::error::Error for SnapshotError {}
