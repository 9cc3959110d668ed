//! Who is who: resources and tickets as numbers.

use core::fmt;

/// A resource of one ledger. Valid until the resource is removed; the number may be used again then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(pub(crate) u32);

impl ResourceId {
    /// The resource at this place in the order of definition.
    pub const fn from_index(index: u32) -> Self {
        ResourceId(index)
    }

    /// The place in the order of definition.
    pub const fn index(self) -> u32 {
        self.0
    }

    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resource {}", self.0)
    }
}

/// The single-use identity of a claim: it ends once, and no later claim ever has the same.
///
/// A slot that claims use one after the other (24 bits) and how often it was used before (29 bits):
/// together below 2^53, so that a JavaScript `number` holds it exactly. A slot that has been used
/// 2^29 times is retired.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

const SLOT_BITS: u32 = 24;
/// The most claims that can wait or hold at one time.
pub(crate) const MAX_SLOTS: usize = 1 << SLOT_BITS;
pub(crate) const LAST_GENERATION: u32 = (1 << 29) - 1;

impl Ticket {
    pub(crate) const fn new(slot: u32, generation: u32) -> Self {
        Ticket(((generation as u64) << SLOT_BITS) | slot as u64)
    }

    /// The ticket with this number, as [`Ticket::number`] gave it. One that no claim has is refused
    /// wherever it is used.
    pub const fn from_number(number: u64) -> Self {
        Ticket(number)
    }

    /// A number below 2^53 that stands for this ticket.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The slot: small, and unique among the claims that wait or hold at the same time. Drivers keep
    /// their side of a claim in an array by slot.
    pub const fn slot(self) -> u32 {
        (self.0 & (MAX_SLOTS as u64 - 1)) as u32
    }

    pub(crate) const fn generation(self) -> u64 {
        self.0 >> SLOT_BITS
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ticket {}.{}", self.slot(), self.generation())
    }
}
