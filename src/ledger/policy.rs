//! Who goes first.

/// How waiting claims are ordered, and who may pass whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Order {
    /// Higher priority first, then first come, first served; a claim that does not fit lets later
    /// ones pass, up to the bypass bound.
    #[default]
    Fair,
    /// Higher priority first, then the newest; the bypass bound protects the longest-waiting.
    Newest,
    /// Whoever asks while units are free gets them. A release wakes one waiter that fits, which
    /// races with newcomers. Starvation is possible.
    Greedy,
}

/// What a ledger is told once, at its making.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Who goes first. Default: [`Order::Fair`].
    pub order: Order,
    /// How often the first in line for a set of resources may be passed before units are kept for
    /// it. With 0 they are from the start: no later claim may leave less free than it demands. `None`
    /// sets no bound. Default: 1,000. Means nothing under [`Order::Greedy`].
    pub max_bypass: Option<u32>,
    /// How many claims may wait; one more is refused at once. Default: `None`, as many as memory
    /// holds, up to 2^24 tickets.
    pub max_waiting: Option<u32>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy { order: Order::Fair, max_bypass: Some(1_000), max_waiting: None }
    }
}
