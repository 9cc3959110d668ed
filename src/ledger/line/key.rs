//! Where a claim stands in order.

/// A place in an order of claims: the smaller key comes first.
///
/// `rank` is the priority turned round (a higher priority is a smaller rank). `seq` is the arrival
/// number, or its complement where the newest come first. No two waiting claims have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) rank: u32,
    pub(crate) seq: u64,
}

impl Key {
    /// After every claim: arrival numbers end below their maximum.
    pub(crate) const LAST: Key = Key { rank: u32::MAX, seq: u64::MAX };

    pub(crate) const fn rank_of(priority: i32) -> u32 {
        !(priority.cast_unsigned() ^ 0x8000_0000)
    }
}
