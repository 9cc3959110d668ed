//! The ledger: a pure state machine that decides who gets what.
//!
//! It reads no clock, starts no thread and does no I/O. A *driver* tells it what happens and what time
//! it is, and does what it says. The same calls give the same answers, and the same
//! [snapshot](Ledger::snapshot) to the byte, on every platform.

#![forbid(unsafe_code)]

mod alarms;
mod barriers;
mod bucket;
mod claim;
mod claims;
mod clock;
mod deadlock;
mod demand;
mod division;
mod error;
mod event;
mod families;
mod give;
mod heap;
mod inspect;
mod limit;
mod line;
mod lookup;
mod manage;
mod nested;
mod policy;
mod resource;
mod resources;
mod settle;
mod snapshot;
mod ticket;
mod time;

use alloc::vec::Vec;

use self::alarms::Alarms;
use self::barriers::Barriers;
use self::claims::{Claims, State};
use self::event::Events;
use self::families::Templates;
use self::line::WaitingLine;
use self::nested::Kin;
use self::resources::Resources;

pub use self::claim::{ClaimOptions, Claimed};
pub use self::deadlock::{Deadlock, Link};
pub use self::error::{ClaimError, LimitError, ResourceError, TicketError};
pub use self::event::{Event, Rejection};
pub use self::families::FamilyStatus;
pub use self::give::Cancelled;
pub use self::inspect::{ClaimStatus, ResourceStatus, TicketStatus};
pub use self::limit::{Limit, MAX_UNITS, Rate};
pub use self::manage::Close;
pub use self::policy::{Order, Policy};
pub use self::snapshot::SnapshotError;
pub use self::ticket::{ResourceId, Ticket};
pub use self::time::Time;

/// Everything that must not be overspent, who holds how much of it, and who waits.
///
/// The calls come in four kinds.
///
/// * **Getters** change nothing: [`available`](Self::available), [`capacity`](Self::capacity),
///   [`waiting`](Self::waiting), [`position`](Self::position), [`claims`](Self::claims) ...
/// * **Inputs** are what callers want: [`claim`](Self::claim), [`try_claim`](Self::try_claim),
///   [`retry`](Self::retry), [`release`](Self::release), [`release_part`](Self::release_part),
///   [`settle_use`](Self::settle_use), [`cancel`](Self::cancel), [`cancel_all`](Self::cancel_all),
///   [`set_priority`](Self::set_priority).
/// * **Settings** are what operators want: [`define`](Self::define), [`resize`](Self::resize),
///   [`remove`](Self::remove), [`pause`](Self::pause), [`set_level`](Self::set_level),
///   [`close`](Self::close). A limit for every key is a family: [`define_family`](Self::define_family),
///   [`member`](Self::member), [`resize_family`](Self::resize_family) ...
/// * **Time and outcome** are between ledger and driver: [`advance`](Self::advance),
///   [`next_wakeup`](Self::next_wakeup), [`poll_event`](Self::poll_event).
///
/// A driver does, for each input: tell the time with `advance` (it can leave that out while
/// [`needs_time`](Self::needs_time) says no and no deadline is set), make the call, drain
/// `poll_event` and pass the outcomes to those who wait for them, then set its one timer to
/// `next_wakeup`. An input that is refused with an error has changed nothing.
///
/// # Order
///
/// Waiting claims are ordered by priority, higher first, then by arrival. The first that *fits* (all
/// its units are free) is granted; one that does not fit lets later ones pass. So that a large claim
/// is not passed for ever, the first of those that want the same set of resources counts the grants
/// that take a resource it wants and come after it in order. At [`Policy::max_bypass`] it becomes a
/// *barrier* until it is served: nobody after it may leave less free than it demands. Its units gather,
/// and whatever it does not need, or has plenty of, flows on. Nobody starves while leases end, except
/// behind a higher priority that never stops asking: priority is strict.
///
/// A claim can be made under a lease, its [owner](ClaimOptions::owner): work that has begun needs more to
/// get on. Such claims come before all others, by arrival, and no barrier restricts them. One that would
/// wait for ever, because leases and the claims under them wait for each other, is refused with the
/// cycle that it would close: [`ClaimError::Deadlock`].
///
/// # Example
///
/// ```
/// use bursar::ledger::*;
///
/// let mut ledger = Ledger::new(Policy::default());
/// let gpu = ledger.define("gpu", Limit::semaphore(2)?)?;
/// let ram = ledger.define("ram", Limit::semaphore(1024)?)?;
///
/// let first = ledger.claim(&[(gpu, 2), (ram, 512)], &ClaimOptions::default())?;
/// let second = ledger.claim(&[(gpu, 1)], &ClaimOptions::default())?;
/// assert!(matches!(first, Claimed::Granted(_)));
/// assert!(matches!(second, Claimed::Waiting(_)));
///
/// ledger.release(first.ticket())?;
/// assert_eq!(ledger.poll_event(), Some(Event::Granted(second.ticket())));
/// assert_eq!(ledger.available(gpu), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ledger {
    policy: Policy,
    mode: Mode,
    now: Time,
    resources: Resources,
    templates: Templates,
    claims: Claims,
    kin: Kin,
    line: WaitingLine,
    barriers: Barriers,
    alarms: Alarms,
    events: Events,
    /// When a bucket or a pause next serves somebody: never later than the truth; `None`: not known.
    refill_due: Option<Time>,
    /// Resources for which the next settling step must look at those who wait.
    touched: Vec<ResourceId>,
    /// Scratch of the counting of passes.
    passed: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Open,
    Draining,
    Closed,
}

impl Ledger {
    /// A ledger without resources, at [`Time::ZERO`].
    pub const fn new(policy: Policy) -> Self {
        Ledger {
            policy,
            mode: Mode::Open,
            now: Time::ZERO,
            resources: Resources::new(),
            templates: Templates::new(),
            claims: Claims::new(),
            kin: Kin::new(),
            line: WaitingLine::new(policy.order),
            barriers: Barriers::new(),
            alarms: Alarms::new(),
            events: Events::new(),
            refill_due: None,
            touched: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// What has become of waiting claims and of leases, oldest first. Drivers drain it after each call.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.poll()
    }
}
