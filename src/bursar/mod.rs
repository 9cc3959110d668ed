//! The handle: one ledger for the threads and tasks of a program.

mod appointments;
mod block;
mod builder;
mod claim;
mod clock;
mod deadlock;
mod error;
mod few;
mod lease;
mod manage;
mod manual;
mod moments;
mod names;
mod outbox;
mod resource;
mod shared;
mod snapshot;
mod sync;
mod timer;
mod waiters;

use std::fmt;

use self::few::with_names;
use self::names::Names;
use self::shared::{Shared, Terms};
use self::sync::Arc;

pub(crate) use self::block::block_on;
pub(crate) use self::error::list;
pub(crate) use self::sync::lock;

pub use self::builder::Builder;
pub use self::claim::{Claim, Claiming};
pub use self::deadlock::DeadlockLink;
pub use self::error::Error;
pub use self::lease::Lease;
pub use self::manual::ManualClock;
pub use self::moments::{Idle, Lost};
pub use self::resource::Resource;
pub use self::snapshot::{ClaimStage, ClaimState, FamilyState, ResourceState, Snapshot};

/// Keeps what a program must not overspend, and leases it to threads and tasks, which wait in one line.
///
/// A clone is the same bursar. Futures work on any executor. A resource is named by a `&str`, or by
/// anything that is [`AsRef<str>`], such as an enum of the program's own.
///
/// ```
/// use bursar::{Bursar, Error, Resource};
/// use std::time::Duration;
///
/// # futures_lite::future::block_on(async {
/// let bursar = Bursar::builder()
///     .resource(Resource::semaphore("gpu", 4))
///     .resource(Resource::token_bucket("api", 50.0, 100))
///     .build()?;
///
/// // All or nothing, in one call; given back when it is dropped.
/// let lease = bursar.claim([("gpu", 1), ("api", 2)]).timeout(Duration::from_secs(5)).await?;
/// drop(lease);
///
/// // The same line, from a plain thread.
/// let lease = bursar.claim([("gpu", 1)]).blocking()?;
///
/// // Without waiting.
/// if let Some(lease) = bursar.try_claim([("gpu", 3)])? {
///     lease.release()?;
/// }
/// # Ok::<(), Error>(())
/// # }).unwrap();
/// ```
///
/// # Who goes first
///
/// Claims wait in the order of priority, higher first, then of arrival. The first in that order for
/// which all units are free is granted: one that lacks something lets later ones pass, so work that does
/// not need the short resource is never held up by work that does.
///
/// So that a large claim is not passed for ever, it is counted how often a later claim took what the
/// longest-waiting one wants. After [`max_bypass`](Builder::max_bypass) times (1,000, unless set), units
/// gather for it until it is served. Within a priority, therefore, nobody starves while leases end;
/// between priorities the order is strict, and a stream of urgent claims can starve others.
///
/// [`Order::Newest`](crate::ledger::Order::Newest) serves the newest first, with the same bound for the
/// oldest. [`Order::Greedy`](crate::ledger::Order::Greedy) has no order and no bound: whoever asks while
/// units are free has them, which is fastest and may starve a waiter.
///
/// # Time
///
/// Time is the system's monotonic clock, counted from the making of the bursar; setting the wall clock
/// changes nothing. On Linux, macOS and Windows this clock ([`std::time::Instant`]) may stand still while
/// the machine is suspended: timeouts, leases and refills then last that much longer. Tests can bring a
/// [`ManualClock`].
///
/// Nothing runs in the background, except that while something is due (a timeout of a claim that waits,
/// a lease's time to live, a refill or the end of a pause that somebody waits for) one thread named
/// `bursar timer` sleeps until then. It ends 0.1 seconds after the last such thing, or with the last
/// handle.
#[derive(Clone)]
pub struct Bursar {
    shared: Arc<Shared>,
}

impl Bursar {
    /// Describes a new bursar, resource by resource.
    ///
    /// ```
    /// use bursar::ledger::Order;
    /// use bursar::{Bursar, Resource};
    /// use std::time::Duration;
    ///
    /// let bursar = Bursar::builder()
    ///     .resource(Resource::semaphore("db", 20))
    ///     .resource(Resource::at_most("mail", 750, Duration::from_secs(3600), 10))
    ///     .order(Order::Newest)
    ///     .max_bypass(100)
    ///     .max_waiting(10_000)
    ///     .build()?;
    /// # Ok::<(), bursar::Error>(())
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A bursar without limits, for tests of code that takes one: it knows every name, and grants
    /// everything at once. A demand must still be one (not empty, no zero), leases are counted, and it
    /// can be shut down; settings are accepted and change nothing.
    ///
    /// ```
    /// # use bursar::{Bursar, Error};
    /// let bursar = Bursar::unlimited();
    /// let lease = bursar.claim([("gpu", 1_000_000), ("whatever", 1)]).blocking()?;
    /// assert_eq!((bursar.held("gpu")?, bursar.leases()), (0, 1));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn unlimited() -> Self {
        let (names, ledger) = Names::unlimited();
        builder::attach(ledger, names, None)
    }

    /// Claims units of one or more resources, all or nothing: `(name, units)` pairs, each name once,
    /// each at least one unit. Await the answer, or wait for it with [`blocking`](Claim::blocking).
    ///
    /// # Errors
    ///
    /// At once, if the demand could never be granted ([`Error::UnknownResource`],
    /// [`Error::ExceedsCapacity`] ...), as many claims wait as may ([`Error::QueueFull`]), or the bursar
    /// is closed. After a wait, [`Error::Timeout`], [`Error::Closed`], or one that tells what became of
    /// a resource.
    pub fn claim<D, K>(&self, demand: D) -> Claim<D>
    where
        D: IntoIterator<Item = (K, u64)>,
        K: AsRef<str>,
    {
        Claim::new(&self.shared, demand)
    }

    /// Claims without waiting: `None` if it is not granted at once. Obeys the order like any claim, so
    /// the answer can be `None` although the units are free, when they are kept for others. With a
    /// priority or a time to live: [`Claim::try_now`].
    ///
    /// # Errors
    ///
    /// If the demand could never be granted, or the bursar is closed.
    pub fn try_claim<D, K>(&self, demand: D) -> Result<Option<Lease>, Error>
    where
        D: IntoIterator<Item = (K, u64)>,
        K: AsRef<str>,
    {
        let ticket = with_names(demand, |named| self.shared.try_join(named, &Terms::DEFAULT))
            .map_err(|error| *error)?;
        Ok(ticket.map(|ticket| Lease::new(self.shared.clone(), ticket)))
    }
}

impl fmt::Debug for Bursar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (waiting, leases) = (self.waiting(), self.leases());
        f.debug_struct("Bursar")
            .field("waiting", &waiting)
            .field("leases", &leases)
            .finish_non_exhaustive()
    }
}
