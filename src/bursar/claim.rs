//! Asking for a lease: what a claim may add to its demand, and the future that waits.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use super::block::block_on;
use super::error::Error;
use super::few::with_names;
use super::lease::Lease;
use super::shared::{Shared, Terms};
use super::sync::Arc;
use crate::ledger::{Claimed, Ticket};

/// A claim that has not been made yet: see [`Bursar::claim`](super::Bursar::claim).
///
/// Await it, wait for it with [`blocking`](Self::blocking), or ask once with
/// [`try_now`](Self::try_now). It can be sent to another task or thread before.
///
/// ```
/// # use bursar::{Bursar, Error, Resource};
/// # use std::time::Duration;
/// # futures_lite::future::block_on(async {
/// # let bursar = Bursar::builder().resource(Resource::semaphore("gpu", 4)).build()?;
/// let lease = bursar
///     .claim([("gpu", 2)])
///     .timeout(Duration::from_secs(5)) // wait no longer than this
///     .ttl(Duration::from_secs(600)) // hold no longer than this
///     .priority(10) // before those with less
///     .await?;
/// # Ok::<(), Error>(())
/// # }).unwrap();
/// ```
#[must_use = "it claims nothing unless awaited, or waited for with `blocking`"]
pub struct Claim<D> {
    shared: Arc<Shared>,
    demand: D,
    terms: Terms,
}

impl<D> Claim<D> {
    pub(super) fn new(shared: &Arc<Shared>, demand: D) -> Self {
        Claim { shared: shared.clone(), demand, terms: Terms::DEFAULT }
    }

    pub(super) fn under(mut self, owner: Ticket) -> Self {
        self.terms.owner = Some(owner);
        self
    }

    /// Bounds the wait, counted from the moment the claim joins the line. Default: none.
    ///
    /// A claim that is not granted within it ends with [`Error::Timeout`], is out of the line at once,
    /// and has taken nothing. With a timeout of zero, what is granted is granted at once.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.terms.timeout = timeout;
        self
    }

    /// Bounds the hold, counted from the grant: the *time to live* of the lease. Default: none.
    ///
    /// When it has passed, the units are taken back, whatever the holder is doing: it is for holders
    /// that may hang or be forgotten. [`Lease::is_lost`] and [`Lease::lost`] tell the holder. A grant
    /// that a future was given and never polled for ends in the same way.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.terms.ttl = ttl;
        self
    }

    /// Higher goes first. Default: 0.
    ///
    /// Priority is strict: a claim is served before all of a lower one that want the same, however
    /// long they have waited.
    pub fn priority(mut self, priority: i32) -> Self {
        self.terms.priority = priority;
        self
    }
}

impl<D, K> Claim<D>
where
    D: IntoIterator<Item = (K, u64)>,
    K: AsRef<str>,
{
    /// Waits on this thread, which sleeps until the claim is granted or has failed.
    ///
    /// For plain threads: in an async task, `.await` the claim instead. Threads and tasks wait in one
    /// line.
    ///
    /// # Errors
    ///
    /// Those of [`Bursar::claim`](super::Bursar::claim).
    pub fn blocking(self) -> Result<Lease, Error> {
        block_on(self.into_future())
    }

    /// Does not wait: `None` if the claim is not granted at once, like
    /// [`Bursar::try_claim`](super::Bursar::try_claim), with this claim's priority and ttl.
    ///
    /// # Errors
    ///
    /// If the demand could never be granted, or the bursar is closed.
    pub fn try_now(self) -> Result<Option<Lease>, Error> {
        let ticket = with_names(self.demand, |named| self.shared.try_join(named, &self.terms))
            .map_err(|error| *error)?;
        Ok(ticket.map(|ticket| Lease::new(self.shared, ticket)))
    }
}

impl<D, K> IntoFuture for Claim<D>
where
    D: IntoIterator<Item = (K, u64)>,
    K: AsRef<str>,
{
    type Output = Result<Lease, Error>;
    type IntoFuture = Claiming<D>;

    fn into_future(self) -> Claiming<D> {
        Claiming {
            shared: Some(self.shared),
            demand: Some(self.demand),
            ticket: None,
            terms: self.terms,
        }
    }
}

impl<D> fmt::Debug for Claim<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("terms", &self.terms).finish_non_exhaustive()
    }
}

/// The future of a claim: see [`Bursar::claim`](super::Bursar::claim).
///
/// It joins the line when it is first polled. It can be dropped at any time: a claim that waits leaves
/// the line, one that was granted just then is given back. Nothing is lost, and those behind it are
/// served at once.
///
/// A future that is kept and never polled again still has its place, and then its units: they show in
/// [`Bursar::snapshot`](super::Bursar::snapshot) as [`Granted`](super::ClaimStage::Granted), and a
/// [`ttl`](Claim::ttl) ends it.
#[must_use = "it claims nothing unless polled"]
pub struct Claiming<D> {
    /// Goes into the lease.
    shared: Option<Arc<Shared>>,
    /// Until the claim is made.
    demand: Option<D>,
    /// While the claim waits.
    ticket: Option<Ticket>,
    terms: Terms,
}

/// The demand is taken out whole, never pinned.
impl<D> Unpin for Claiming<D> {}

impl<D, K> Future for Claiming<D>
where
    D: IntoIterator<Item = (K, u64)>,
    K: AsRef<str>,
{
    type Output = Result<Lease, Error>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(demand) = self.demand.take()
            && let Some(shared) = &self.shared
        {
            match with_names(demand, |named| shared.join(named, &self.terms)) {
                Ok(Claimed::Granted(ticket)) => return Poll::Ready(Ok(self.lease(ticket))),
                Ok(Claimed::Waiting(ticket)) => self.ticket = Some(ticket),
                Err(error) => return Poll::Ready(Err(*error)),
            }
        }
        self.wait(cx.waker())
    }
}

impl<D> Claiming<D> {
    /// While it waits.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        self.ticket
    }

    fn wait(&mut self, waker: &Waker) -> Poll<Result<Lease, Error>> {
        let (Some(shared), Some(ticket)) = (&self.shared, self.ticket) else {
            panic!("a claim was polled after it had ended");
        };
        let outcome = ready!(shared.look(ticket, waker, self.terms.timeout));
        self.ticket = None;
        Poll::Ready(outcome.map(|()| self.lease(ticket)))
    }

    fn lease(&mut self, ticket: Ticket) -> Lease {
        Lease::new(self.shared.take().expect("a claim is granted once"), ticket)
    }
}

impl<D> Drop for Claiming<D> {
    fn drop(&mut self) {
        if let (Some(shared), Some(ticket)) = (&self.shared, self.ticket) {
            shared.forget(ticket);
        }
    }
}

impl<D> fmt::Debug for Claiming<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = self.demand.is_none();
        f.debug_struct("Claiming")
            .field("made", &made)
            .field("waits_as", &self.ticket)
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}
