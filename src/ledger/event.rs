//! What happens to a claim that had to wait.

use alloc::vec::Vec;

use super::ticket::Ticket;

/// What became of a claim after it had to wait, or of a lease whose time is up. Each waiting claim
/// gets exactly one of `Granted`, `Expired` and `Rejected`, unless it is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// The claim holds its units now.
    Granted(Ticket),
    /// The claim's deadline passed while it was waiting. The ticket has ended.
    Expired(Ticket),
    /// The claim cannot be served any more. The ticket has ended.
    Rejected(Ticket, Rejection),
    /// Under [`Order::Greedy`](super::Order::Greedy): units are free for this claim; its caller should
    /// ask again with [`Ledger::retry`](super::Ledger::retry) before somebody else takes them.
    Woken(Ticket),
    /// The lease's time to live passed: its units are back and the ticket has ended.
    Lapsed(Ticket),
}

/// Why a waiting claim was turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rejection {
    /// The ledger was closed.
    Closed,
    /// A resource was resized below what the claim wants of it.
    ExceedsCapacity,
    /// A resource that the claim wants was removed.
    ResourceRemoved,
    /// A resource shrank, and now leases and the claims made under them wait for each other: this is
    /// the newest of these claims.
    Deadlock,
}

/// Events that have not been polled, oldest first: a list, and how far it has been read.
#[derive(Clone, Debug)]
pub(super) struct Events {
    list: Vec<Event>,
    polled: usize,
}

impl Events {
    pub(super) const fn new() -> Self {
        Events { list: Vec::new(), polled: 0 }
    }

    #[inline(never)]
    pub(super) fn push(&mut self, event: Event) {
        if self.polled > self.list.len() / 2 {
            self.list.drain(..self.polled);
            self.polled = 0;
        }
        self.list.push(event);
    }

    pub(super) fn poll(&mut self) -> Option<Event> {
        let event = *self.list.get(self.polled)?;
        self.polled += 1;
        Some(event)
    }

    pub(super) fn unpolled(&self) -> &[Event] {
        &self.list[self.polled..]
    }
}
