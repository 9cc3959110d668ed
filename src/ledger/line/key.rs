//! Where a claim stands in order.

/// A place in an order of claims: the smaller key comes first.
///
/// `rank` is the priority turned round (a higher priority is a smaller rank). `seq` is the arrival
/// number, or its complement where the newest come first. No two waiting claims have the same key.
///
/// Claims made under a lease come before all others, by arrival: they have the highest priority, and their
/// arrival numbers begin at 1, the others' at [`Key::ORDINARY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) rank: u32,
    pub(crate) seq: u64,
}

impl Key {
    /// After every claim: arrival numbers end below their maximum.
    pub(crate) const LAST: Key = Key { rank: u32::MAX, seq: u64::MAX };
    /// Before every claim: nothing is kept from who stands here.
    pub(crate) const FIRST: Key = Key { rank: 0, seq: 0 };
    /// Arrival numbers of claims that were not made under a lease count from here.
    pub(crate) const ORDINARY: u64 = 1 << 62;

    pub(crate) const fn rank_of(priority: i32) -> u32 {
        !(priority.cast_unsigned() ^ 0x8000_0000)
    }

    /// Of a claim made under a lease.
    pub(crate) const fn is_nested(self) -> bool {
        self.seq < Key::ORDINARY
    }

    /// The place in seniority up to which barriers restrict a claim. Where the oldest come first: its
    /// own. Where the newest come first: the last of its priority, for older claims come after a barrier
    /// as well. None restricts a claim made under a lease, for it may need what the lease holds.
    pub(crate) const fn place(self, newest_first: bool) -> Key {
        if self.is_nested() {
            Key::FIRST
        } else if newest_first {
            Key { seq: u64::MAX, ..self }
        } else {
            self
        }
    }

    /// The place in the order of service.
    pub(crate) const fn service(self, newest_first: bool) -> Key {
        if newest_first && !self.is_nested() { Key { seq: !self.seq, ..self } } else { self }
    }
}
