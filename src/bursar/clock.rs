//! The time of a bursar: the system's monotonic clock with a timer, or a clock moved by hand.

use super::manual::ManualClock;
use super::shared::Shared;
use super::sync::Arc;
use super::timer::Timer;
use crate::ledger::Time;

pub(super) enum Clock {
    System(Timer),
    Manual(ManualClock),
}

impl Clock {
    pub(super) fn now(&self) -> Time {
        match self {
            Clock::System(timer) => timer.now(),
            Clock::Manual(clock) => clock.time(),
        }
    }

    /// Asks for [`Shared::tick`] at `due`, in place of what was asked before; never, if it is
    /// [`Time::NEVER`]. Says whether [`Self::start`] must follow, once the lock is open.
    pub(super) fn call_at(&self, due: Time, now: Time) -> bool {
        match self {
            Clock::System(timer) => timer.call_at(due, now),
            Clock::Manual(_) => false,
        }
    }

    /// Whether there is a thread that keeps the appointment.
    pub(super) fn start(&self, shared: &Arc<Shared>) -> bool {
        match self {
            Clock::System(timer) => timer.start(shared),
            Clock::Manual(_) => true,
        }
    }
}
