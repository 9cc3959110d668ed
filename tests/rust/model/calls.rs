//! A call to a ledger with everything it needs, and its answer. Claims go by number, 1 for the first.

use std::fmt;

use bursar::ledger::{
    Cancelled, ClaimError, Close, Rejection, ResourceError, ResourceId, TicketError,
};

use super::plan::Plan;

pub(crate) const NEVER: u64 = u64::MAX;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) demand: Vec<(ResourceId, u64)>,
    pub(crate) priority: i32,
    /// [`NEVER`] for none.
    pub(crate) deadline: u64,
    /// [`NEVER`] for ever.
    pub(crate) ttl: u64,
    /// The lease that it is made under.
    pub(crate) owner: Option<u64>,
}

impl fmt::Debug for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.demand)?;
        if self.priority != 0 {
            write!(f, " priority {}", self.priority)?;
        }
        if self.deadline != NEVER {
            write!(f, " deadline {}", self.deadline)?;
        }
        if self.ttl != NEVER {
            write!(f, " ttl {}", self.ttl)?;
        }
        if let Some(owner) = self.owner {
            write!(f, " under {owner}")?;
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Claim(Wish),
    TryClaim(Wish),
    Retry(u64),
    Release(u64),
    ReleasePart(u64, Vec<(ResourceId, u64)>),
    SettleUse(u64, Vec<(ResourceId, u64)>),
    Cancel(u64),
    /// Several as one; those that have ended are passed over.
    CancelAll(Vec<u64>),
    SetPriority(u64, i32),
    Advance(u64),
    Define(String, Plan),
    DefineFamily(String, Plan, u32),
    /// Beside what was found for the same demand.
    Member(String, Vec<(ResourceId, u64)>),
    ResizeFamily(String, Plan),
    RemoveFamily(String),
    Resize(ResourceId, Plan),
    Remove(ResourceId),
    Pause(ResourceId, u64),
    SetLevel(ResourceId, u64),
    Close(Close),
    /// Asks for the next wake-up, which may refresh what the ledger remembers.
    NextWakeup,
    /// Goes on with a copy made from a snapshot.
    Restore,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    Granted(u64),
    Waiting(u64),
    NotNow,
    Done,
    Cancelled(Cancelled),
    Defined(ResourceId),
    /// And who was forgotten.
    Member(ResourceId, Vec<ResourceId>),
    ClaimRefused(ClaimError),
    /// The owner is no lease.
    OwnerRefused,
    /// The claim would wait for ever.
    Deadlock,
    TicketRefused(TicketError),
    ResourceRefused(ResourceError),
}

impl Answer {
    pub(crate) fn is_refusal(&self) -> bool {
        use Answer::{ClaimRefused, Deadlock, OwnerRefused, ResourceRefused, TicketRefused};
        matches!(
            self,
            ClaimRefused(_) | OwnerRefused | Deadlock | TicketRefused(_) | ResourceRefused(_)
        )
    }
}

impl From<Result<(), TicketError>> for Answer {
    fn from(result: Result<(), TicketError>) -> Self {
        result.map_or_else(Answer::TicketRefused, |()| Answer::Done)
    }
}

impl From<Result<(), ResourceError>> for Answer {
    fn from(result: Result<(), ResourceError>) -> Self {
        result.map_or_else(Answer::ResourceRefused, |()| Answer::Done)
    }
}

/// An event, with the claim's number in place of its ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Granted(u64),
    Expired(u64),
    Rejected(u64, Rejection),
    Woken(u64),
    Lapsed(u64),
}
