//! What decides about tasks: pools, shards, attempts, backoff, counters. Pure, like the ledger: no clock,
//! no thread, no randomness, no I/O.
//!
//! A [`Catalog`] knows the pools and resources by name and says whether a task can be taken, and in which
//! shard. A [`Core`] is the tasks of one shard. Neither holds a ledger: who gets what is decided by the
//! bursar of the shard, whichever it is, and the core is told.
//!
//! # The protocol between a core and its driver
//!
//! The driver owns the bodies of the tasks, their claims, and the time. It tells the core what happens,
//! and after each such call does what [`Core::poll_action`] says until that says nothing, then sets its
//! timer to [`Core::next_wakeup`].
//!
//! | action | what the driver does | what it tells the core |
//! |---|---|---|
//! | [`Claim`](Action::Claim) | claims [`demand`](Core::demand) at [`priority`](Core::priority) | [`granted`](Core::granted); or [`parked`](Core::parked) and, later, `granted`; or [`refused`](Core::refused) |
//! | [`Start`](Action::Start) | starts the body, now or when it gets to it | [`started`](Core::started) when it does (`false`: it must not any more), [`ended`](Core::ended) when the body has really ended |
//! | [`Abort`](Action::Abort) | tells the running body that its time is up | nothing: the body ends when it ends |
//! | [`GiveBack`](Action::GiveBack) | cancels the task's claim, or releases its lease | nothing; and nothing more about this claim |
//! | [`Finish`](Action::Finish) | hands the task's result to its caller, and forgets the task | nothing |
//! | [`Idle`](Action::Idle) | tells those who wait for idleness | nothing |
//!
//! Beside these it passes on what callers want ([`submit`](Core::submit), [`cancel`](Core::cancel),
//! [`pause`](Core::pause), [`resume`](Core::resume), [`shutdown`](Core::shutdown)) and the time
//! ([`advance`](Core::advance)).
//!
//! Every call takes a task by its [`TaskId`]. One that has ended, or is not at the stage that the call
//! is about, is passed over: so a driver may be late with what it says. A task's slot
//! ([`TaskId::slot`]) is used again only after its `Finish` was polled, so a driver can keep its side of
//! the tasks in an array.
//!
//! # What it decides
//!
//! * Claims that are to be made at one time are made most urgent first, then in the order of arrival; so
//!   are starts. What gives units back comes before both.
//! * A task without any demand (no resource, and a pool without a concurrency) is granted by the core
//!   itself. A pool with a concurrency is a semaphore of its shard, which the demand then names.
//! * A claim stands for one attempt. The units go back at its end, before the result is handed over. A
//!   retry is a new claim at the task's priority, after those that came before it.
//! * The delay before attempt n + 1 is uniform in 0 to min(`max`, `base` * `factor`^(n - 1)): see
//!   [`Backoff`].
//! * An attempt that outlasts its timeout has failed, whatever its body makes of it in the end.
//! * A paused pool holds its claims back: those that wait leave the line, and join it again at the end of
//!   the pause, in their old order. (Pausing the pool's semaphore instead would keep their place, but a
//!   claim that is passed often enough has units kept for it, of other resources too, which nobody could
//!   use until the pool resumes.)

mod action;
mod backoff;
mod catalog;
mod counters;
mod inspect;
mod pools;
mod refusal;
mod task;
mod tasks;

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use core::cmp::Reverse;

use self::counters::Tally;
use self::task::Stage;
use self::tasks::Tasks;
use crate::ledger::Time;

pub use self::action::{Action, How, Outcome};
pub use self::backoff::Backoff;
pub use self::catalog::{Admitted, Catalog, LimitId, PoolId, Request};
pub use self::counters::Counters;
pub use self::inspect::TaskState;
pub use self::pools::Shutdown;
pub use self::refusal::{CatalogError, Refusal};
pub use self::task::{Closed, Spec, TaskId};

/// The order of tasks: more urgent first, then by arrival.
type Rank = (Reverse<i32>, u64);

/// The tasks of one shard. See the [module's page](self) for how it is driven.
///
/// ```
/// use bursar::ledger::Time;
/// use bursar::scheduler::core::*;
///
/// let mut catalog = Catalog::new();
/// let gpu = catalog.define_resource("gpu", 4, 0)?;
/// let request = Request { demand: &[(gpu, 1)], ..Request::default() };
/// let Admitted { shard: 0, spec } = catalog.admit(&request)? else { unreachable!() };
///
/// let mut core = Core::new();
/// let task = core.submit(spec)?;
/// assert_eq!(core.poll_action(), Some(Action::Claim { task }));
/// assert_eq!(core.demand(task), [(gpu, 1)]);
/// core.granted(task); // so says the shard's bursar
/// assert_eq!(core.poll_action(), Some(Action::Start { task, attempt: 1 }));
/// assert!(core.started(task, Time::ZERO));
/// core.ended(task, Outcome::Done, Time::ZERO, 0);
/// assert_eq!(core.poll_action(), Some(Action::GiveBack { task }));
/// assert_eq!(core.poll_action(), Some(Action::Finish { task, how: How::Done }));
/// assert_eq!(core.poll_action(), Some(Action::Idle));
/// assert_eq!(core.poll_action(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Core {
    now: Time,
    mode: Mode,
    tasks: Tasks,
    paused: BTreeSet<PoolId>,
    /// What is to be done before anything is claimed or started.
    actions: VecDeque<Action>,
    /// Whose claim is to be made.
    to_claim: BTreeMap<Rank, TaskId>,
    /// Granted and not started; of these, those whose start has not been announced.
    ready: BTreeMap<Rank, TaskId>,
    to_start: BTreeMap<Rank, TaskId>,
    /// Ends of timeouts and of backoffs, in the order of their setting where they fall together.
    alarms: BTreeMap<(Time, u64), TaskId>,
    /// Counts claims and alarms, for the order.
    arrivals: u64,
    tally: Tally,
    /// A task has finished since idleness was last told.
    was_busy: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Open,
    Draining,
    Dropping,
}

impl Core {
    /// A shard without tasks, at [`Time::ZERO`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a task. Its claim is among the actions that follow.
    ///
    /// # Errors
    ///
    /// [`Closed`] after a [`shutdown`](Self::shutdown).
    pub fn submit(&mut self, spec: Spec) -> Result<TaskId, Closed> {
        if self.mode != Mode::Open {
            return Err(Closed);
        }
        let task = self.tasks.insert(spec).ok_or(Closed)?;
        self.want_claim(task);
        Ok(task)
    }

    /// The task's claim waits, for lack of units of these. Once for each claim, and only to be counted.
    pub fn parked(&mut self, task: TaskId, short_of: &[LimitId]) {
        if let Some(entry) = self.tasks.at(task, Stage::Claiming) {
            self.tally.parked(&entry.spec, short_of);
        }
    }

    /// The task's claim was granted.
    pub fn granted(&mut self, task: TaskId) {
        if let Some(entry) = self.tasks.at(task, Stage::Claiming) {
            entry.stage = Stage::Ready;
            let rank = entry.rank();
            self.ready.insert(rank, task);
            self.to_start.insert(rank, task);
        }
    }

    /// The task's claim was refused, or turned away while it waited. Why, the driver knows.
    pub fn refused(&mut self, task: TaskId) {
        if let Some(entry) = self.tasks.at(task, Stage::Claiming) {
            self.tally.failed(&entry.spec);
            self.finish(task, How::Refused);
        }
    }

    /// The body starts now. `false` if it must not: the task was cancelled, dropped or held back since
    /// its start was announced. From here on its timeout counts.
    #[must_use]
    pub fn started(&mut self, task: TaskId, now: Time) -> bool {
        self.now = self.now.max(now);
        let Some(entry) = self.tasks.at(task, Stage::Ready) else { return false };
        let rank = entry.rank();
        if self.to_start.contains_key(&rank) {
            return false;
        }
        self.ready.remove(&rank);
        let passed_over = self.ready.first_key_value().is_some_and(|(first, _)| first.0 < rank.0);
        entry.stage = Stage::Running;
        entry.attempt += 1;
        entry.timed_out = false;
        self.tally.dispatched(&entry.spec, passed_over);
        if let Some(timeout) = entry.spec.timeout {
            self.set_alarm(task, self.now + timeout);
        }
        true
    }

    /// The body has ended: it has returned, thrown or gone. `random`: 64 random bits, for the delay of a
    /// retry.
    pub fn ended(&mut self, task: TaskId, outcome: Outcome, now: Time, random: u64) {
        self.now = self.now.max(now);
        let Some(entry) = self.tasks.at(task, Stage::Running) else { return };
        let (attempt, timed_out) = (entry.attempt, entry.timed_out);
        self.clear_alarm(task);
        self.give_back(task);
        let Some(entry) = self.tasks.get_mut(task) else { return };
        if outcome == Outcome::Gone {
            return self.finish(task, How::Cancelled);
        }
        if outcome == Outcome::Done && !timed_out {
            return self.finish(task, How::Done);
        }
        let may_retry = outcome != Outcome::Failed { retry: false };
        if may_retry && attempt < entry.spec.attempts && self.mode != Mode::Dropping {
            self.tally.retried(&entry.spec);
            let due = self.now + entry.spec.backoff.delay(attempt, random);
            entry.stage = Stage::BackingOff;
            if due == self.now {
                self.want_claim(task);
            } else {
                self.set_alarm(task, due);
            }
        } else {
            self.tally.failed(&entry.spec);
            self.finish(task, How::Failed { timed_out });
        }
    }

    /// Takes back a task that does not run: it never will. Whether it did not; one that runs, runs on.
    pub fn cancel(&mut self, task: TaskId) -> bool {
        let waits = self.withdraw(task);
        if waits {
            self.finish(task, How::Cancelled);
        }
        waits
    }

    /// Tells the time: backoffs end, and timeouts pass.
    pub fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
        while let Some((&key, &task)) = self.alarms.first_key_value()
            && key.0 <= self.now
        {
            self.alarms.remove(&key);
            let Some(entry) = self.tasks.get_mut(task) else { continue };
            entry.alarm = None;
            if entry.stage == Stage::Running {
                entry.timed_out = true;
                self.actions.push_back(Action::Abort { task });
            } else {
                self.want_claim(task);
            }
        }
    }

    /// When to call [`advance`](Self::advance) next, if at all.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.alarms.first_key_value().map(|(&(at, _), _)| at)
    }

    /// The next thing to do, if there is any.
    pub fn poll_action(&mut self) -> Option<Action> {
        loop {
            if let Some(action) = self.actions.pop_front() {
                if let Action::Finish { task, .. } = action {
                    self.tasks.remove(task);
                    self.was_busy = true;
                }
                return Some(action);
            }
            if let Some((_, task)) = self.to_claim.pop_first() {
                let Some(entry) = self.tasks.get_mut(task) else { continue };
                entry.stage = Stage::Claiming;
                if entry.spec.demand.is_empty() {
                    self.granted(task);
                    continue;
                }
                return Some(Action::Claim { task });
            }
            if let Some((_, task)) = self.to_start.pop_first() {
                let attempt = self.tasks.get(task).map_or(1, |entry| entry.attempt + 1);
                return Some(Action::Start { task, attempt });
            }
            let idle = self.was_busy && self.tasks.is_empty();
            self.was_busy &= !idle;
            return idle.then_some(Action::Idle);
        }
    }

    /// Has the task's claim made, or held back.
    fn want_claim(&mut self, task: TaskId) {
        self.arrivals += 1;
        let Some(entry) = self.tasks.get_mut(task) else { return };
        entry.arrival = self.arrivals;
        if self.paused.contains(&entry.spec.pool) {
            entry.stage = Stage::HeldBack;
        } else {
            entry.stage = Stage::ToClaim;
            self.to_claim.insert(entry.rank(), task);
        }
    }

    /// Takes a task that does not run out of everything that it waits for. Whether there is such a task.
    fn withdraw(&mut self, task: TaskId) -> bool {
        let Some(entry) = self.tasks.get(task) else { return false };
        let rank = entry.rank();
        match entry.stage {
            Stage::Running | Stage::Finished => return false,
            Stage::HeldBack => {}
            Stage::ToClaim => {
                self.to_claim.remove(&rank);
            }
            Stage::Claiming => self.give_back(task),
            Stage::Ready => {
                self.ready.remove(&rank);
                self.to_start.remove(&rank);
                self.give_back(task);
            }
            Stage::BackingOff => self.clear_alarm(task),
        }
        true
    }

    fn give_back(&mut self, task: TaskId) {
        if self.tasks.get(task).is_some_and(|entry| !entry.spec.demand.is_empty()) {
            self.actions.push_back(Action::GiveBack { task });
        }
    }

    fn finish(&mut self, task: TaskId, how: How) {
        if let Some(entry) = self.tasks.get_mut(task) {
            entry.stage = Stage::Finished;
            self.actions.push_back(Action::Finish { task, how });
        }
    }

    fn set_alarm(&mut self, task: TaskId, at: Time) {
        self.arrivals += 1;
        if let Some(entry) = self.tasks.get_mut(task)
            && at != Time::NEVER
        {
            entry.alarm = Some((at, self.arrivals));
            self.alarms.insert((at, self.arrivals), task);
        }
    }

    fn clear_alarm(&mut self, task: TaskId) {
        if let Some(key) = self.tasks.get_mut(task).and_then(|entry| entry.alarm.take()) {
            self.alarms.remove(&key);
        }
    }
}
