//! What a granted claim hands its caller.

use std::fmt;

use super::claim::Claim;
use super::error::Error;
use super::few::with_names;
use super::moments::Lost;
use super::names;
use super::shared::Shared;
use super::sync::Arc;
use crate::ledger::Ticket;

/// Units of one or more resources, which are the caller's until it gives them back.
///
/// Dropping it gives everything back, also when its holder panics. It borrows nothing, so it can move
/// into a task, a thread or a struct that needs the units for as long as it lives.
///
/// What was taken of a token bucket is spent, and does not come back: see [`settle`](Self::settle).
#[must_use = "a lease that is not kept is given back at once"]
pub struct Lease {
    /// Two words in all: a flag beside them would cost a claim more than its lock does.
    shared: Option<Arc<Shared>>,
    ticket: Ticket,
}

const LIVE: &str = "only `release` takes the handle away, and the lease with it";

impl Lease {
    pub(super) fn new(shared: Arc<Shared>, ticket: Ticket) -> Self {
        Lease { shared: Some(shared), ticket }
    }

    /// Gives everything back. Dropping does the same; this says whether the lease still had it.
    ///
    /// # Errors
    ///
    /// [`Error::Lapsed`] if its [time to live](super::Claim::ttl) had passed: what was done under it
    /// may have overlapped with others.
    pub fn release(mut self) -> Result<(), Error> {
        let (shared, ticket) = (self.shared.take(), self.ticket);
        let shared = shared.expect(LIVE);
        shared.enter(false, |state| {
            let released = state.ledger.release(ticket);
            released.map_err(|error| names::ticket_error(&state.ledger, error))
        })
    }

    /// Gives some permits back, and keeps the rest.
    ///
    /// # Errors
    ///
    /// If the lease does not have all of it, or has lapsed. Then nothing is given back.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// # let bursar = Bursar::builder()
    /// #     .resource(Resource::semaphore("db", 2))
    /// #     .resource(Resource::semaphore("ram-mb", 4096))
    /// #     .build()?;
    /// let lease = bursar.claim([("db", 1), ("ram-mb", 512)]).blocking()?;
    /// lease.release_part([("db", 1)])?; // the query is over, its rows are still in memory
    /// assert_eq!((bursar.held("db")?, bursar.held("ram-mb")?), (0, 512));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn release_part<K, D>(&self, part: D) -> Result<(), Error>
    where
        D: IntoIterator<Item = (K, u64)>,
        K: AsRef<str>,
    {
        with_names(part, |named| self.release_named(named))
    }

    /// Corrects what was taken of token buckets, once it is known how much was really used.
    ///
    /// `used` is the whole of it, 0 to 2^53 - 1 units of each bucket. What was claimed and not used goes
    /// back; what was used beyond the claim is a debt that the refill pays before anybody is granted.
    ///
    /// # Errors
    ///
    /// If the lease has nothing of one of them, one is a semaphore, or the lease has lapsed. Then
    /// nothing is changed.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// # let bursar =
    /// #     Bursar::builder().resource(Resource::token_bucket("tokens", 0.001, 1000)).build()?;
    /// let lease = bursar.claim([("tokens", 800)]).blocking()?; // the most that the answer can cost
    /// lease.settle([("tokens", 130)])?; // what it did cost
    /// assert_eq!(bursar.available("tokens")?, 870);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn settle<K, D>(&self, used: D) -> Result<(), Error>
    where
        D: IntoIterator<Item = (K, u64)>,
        K: AsRef<str>,
    {
        with_names(used, |named| self.settle_named(named))
    }

    /// Claims more under this lease, for work that needs it to get on. Awaited, or waited for, like any
    /// [claim](super::Bursar::claim).
    ///
    /// Such a claim goes before all that were not made under a lease, whatever their priority. If it would
    /// wait for ever, because each of several leases waits for what the next one holds, it is
    /// refused instead: that takes all of them to claim in this way. Nothing is refused that
    /// a lease still at work, a timeout or a [ttl](Claim::ttl) can free. If this lease ends first, the
    /// claim goes on without it.
    ///
    /// # Errors
    ///
    /// Those of [`Bursar::claim`](super::Bursar::claim); [`Error::Deadlock`]; [`Error::OwnerEnded`] if
    /// this lease has ended before the claim is made.
    ///
    /// ```
    /// # use bursar::{Bursar, Error, Resource};
    /// # let bursar = Bursar::builder()
    /// #     .resource(Resource::semaphore("db", 2))
    /// #     .resource(Resource::semaphore("cache", 1))
    /// #     .build()?;
    /// let job = bursar.claim([("db", 2)]).blocking()?;
    /// let more = job.claim([("cache", 1)]).blocking()?;
    ///
    /// // All of the database is the job's own, and lasts as long as the job does.
    /// let refused = job.claim([("db", 1)]).blocking().unwrap_err();
    /// assert!(matches!(refused, Error::Deadlock { .. }));
    /// # drop((job, more));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn claim<D, K>(&self, demand: D) -> Claim<D>
    where
        D: IntoIterator<Item = (K, u64)>,
        K: AsRef<str>,
    {
        Claim::new(self.shared(), demand).under(self.ticket)
    }

    /// Claims more under this lease without waiting: `None` if it is not granted at once.
    ///
    /// # Errors
    ///
    /// Those of [`Bursar::try_claim`](super::Bursar::try_claim); [`Error::OwnerEnded`] if this lease has
    /// lapsed.
    pub fn try_claim<D, K>(&self, demand: D) -> Result<Option<Lease>, Error>
    where
        D: IntoIterator<Item = (K, u64)>,
        K: AsRef<str>,
    {
        self.claim(demand).try_now()
    }

    /// Whether its [time to live](super::Claim::ttl) has passed, and its units have been taken back.
    pub fn is_lost(&self) -> bool {
        self.shared().enter(false, |state| state.ledger.ticket(self.ticket).is_none())
    }

    /// Ends when the lease is lost; never, if it has no [time to live](super::Claim::ttl). To be raced
    /// with the work that is done under it.
    pub fn lost(&self) -> Lost<'_> {
        Lost::new(self.shared(), self.ticket)
    }

    /// The lease's identity, as [`Bursar::snapshot`](super::Bursar::snapshot) shows it.
    pub fn ticket(&self) -> Ticket {
        self.ticket
    }

    #[inline]
    fn shared(&self) -> &Arc<Shared> {
        self.shared.as_ref().expect(LIVE)
    }

    fn release_named(&self, named: &[(&str, u64)]) -> Result<(), Error> {
        self.shared().enter(false, |state| {
            let Some(part) = state.names.part(&state.ledger, named)? else { return Ok(()) };
            let released = state.ledger.release_part(self.ticket, part.as_slice());
            released.map_err(|error| names::ticket_error(&state.ledger, error))
        })
    }

    fn settle_named(&self, named: &[(&str, u64)]) -> Result<(), Error> {
        self.shared().enter(false, |state| {
            let Some(used) = state.names.part(&state.ledger, named)? else { return Ok(()) };
            let settled = state.ledger.settle_use(self.ticket, used.as_slice());
            settled.map_err(|error| names::ticket_error(&state.ledger, error))
        })
    }
}

impl Drop for Lease {
    #[inline]
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.enter(false, |state| {
                // Refused if the lease has lapsed: then there is nothing to give back.
                let _ = state.ledger.release(self.ticket);
            });
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lease").field(&self.ticket).finish()
    }
}
