//! One shard: a core, the bursar that it claims from, and whoever happens to drive them.
//!
//! Nobody waits for work here. Whoever makes a call that has consequences (submits a task, ends one, or
//! is a waker of the bursar's) *pumps*: does what the core says, one step after the other, until there is
//! nothing. Only one thread pumps a shard at a time, so that claims are made in the order that the core
//! has them in; another that comes meanwhile leaves its consequences to it, and goes on.
//!
//! The lock is held for a call of the core alone. Claims, releases and wakers run outside: a bursar's
//! call can wake others of this very shard, who note what they want and leave.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::task::{Context, Poll, Wake, Waker};

use super::attempt::Signal;
use super::core::{Action, Closed, Core, LimitId, Outcome, Spec, TaskId, TaskState};
use super::crew::{self, Crew};
use super::error::Error;
use super::idle::Bell;
use super::mailbox::{End, Mailbox};
use super::thread_task::Job;
use crate::bursar::{self, Bursar, Claiming, Lease, lock};
use crate::ledger::{ResourceId, Time};

pub(super) type Random = Arc<dyn Fn() -> u64 + Send + Sync>;

type Demand = Vec<(Arc<str>, u64)>;

pub(super) struct Shard {
    pub(super) state: Mutex<State>,
    /// Rings when there is a job for a thread that sleeps.
    pub(super) jobs: Condvar,
    bursar: Bursar,
    /// Of all limits, also those of other shards.
    names: Arc<[Arc<str>]>,
    /// By place in the bursar.
    limits: Vec<LimitId>,
    bell: Arc<Bell>,
    random: Random,
}

pub(super) struct State {
    pub(super) core: Core,
    pub(super) crew: Crew,
    /// By the slot of the task.
    entries: Vec<Option<Entry>>,
    /// Whose claims are to be looked at.
    woken: VecDeque<TaskId>,
    /// The timer has come.
    rung: bool,
    /// When the timer comes, at the latest.
    armed: Time,
    pumping: bool,
}

/// The driver's side of a task.
struct Entry {
    task: TaskId,
    hold: Hold,
    body: Body,
    signal: Option<Arc<Signal>>,
    refusal: Option<Error>,
}

/// What the task has of the bursar. Dropped, it is given back.
enum Hold {
    Nothing,
    Claim(Claiming<Demand>),
    #[expect(dead_code, reason = "held until it is dropped")]
    Lease(Lease),
}

/// Who runs it.
#[derive(Clone)]
pub(super) enum Body {
    /// Whoever polls the task.
    Future(Arc<Mailbox>),
    /// A thread of the crew.
    Thread(Arc<dyn Job>),
}

/// Something to be done without the lock.
enum Step {
    Claim { task: TaskId, demand: Demand, priority: i32 },
    Look { task: TaskId, claim: Claiming<Demand> },
    GiveBack(Hold),
    Start(Arc<Mailbox>, u32),
    Spawn,
    Abort(Arc<Signal>),
    Finish(Entry, End),
    Idle,
    Arm(Time),
}

impl Shard {
    pub(super) fn new(
        bursar: Bursar,
        names: Arc<[Arc<str>]>,
        limits: Vec<LimitId>,
        bell: Arc<Bell>,
        random: Random,
    ) -> Self {
        let state = State {
            core: Core::new(),
            crew: Crew::default(),
            entries: Vec::new(),
            woken: VecDeque::new(),
            rung: false,
            armed: Time::NEVER,
            pumping: false,
        };
        let (state, jobs) = (Mutex::new(state), Condvar::new());
        Shard { state, jobs, bursar, names, limits, bell, random }
    }

    pub(super) fn bursar(&self) -> &Bursar {
        &self.bursar
    }

    pub(super) fn now(&self) -> Time {
        self.bursar.now()
    }

    pub(super) fn submit(self: &Arc<Self>, spec: Spec, body: Body) -> Result<TaskId, Closed> {
        let mut state = lock(&self.state);
        let task = state.core.submit(spec)?;
        let slot = task.slot() as usize;
        if state.entries.len() <= slot {
            state.entries.resize_with(slot + 1, || None);
        }
        let entry = Entry { task, hold: Hold::Nothing, body, signal: None, refusal: None };
        state.entries[slot] = Some(entry);
        self.pump(state);
        Ok(task)
    }

    /// Makes a call of the core, and does what follows from it.
    pub(super) fn with<R>(self: &Arc<Self>, call: impl FnOnce(&mut Core) -> R) -> R {
        let mut state = lock(&self.state);
        let answer = call(&mut state.core);
        self.pump(state);
        answer
    }

    /// The body starts, if it still may.
    pub(super) fn started(self: &Arc<Self>, task: TaskId) -> Option<Arc<Signal>> {
        let mut state = lock(&self.state);
        let signal = state.start(task, self.now());
        self.pump(state);
        signal
    }

    /// The body has ended. The task may be tried again, then, or is over.
    pub(super) fn ended(self: &Arc<Self>, task: TaskId, outcome: Outcome) {
        let random = if outcome == Outcome::Done { 0 } else { (self.random)() };
        let mut state = lock(&self.state);
        state.core.ended(task, outcome, self.now(), random);
        self.pump(state);
    }

    /// The same for one of the crew, who will look for more to do.
    pub(super) fn ended_on_thread(self: &Arc<Self>, task: TaskId, outcome: Outcome) {
        lock(&self.state).crew.returns();
        self.ended(task, outcome);
    }

    /// What the task is doing, and, if it is parked, what it is short of.
    pub(super) fn state_of(&self, task: TaskId) -> (TaskState, Vec<String>) {
        let (task_state, ticket) = {
            let mut state = lock(&self.state);
            let ticket = match state.entry(task).map(|entry| &entry.hold) {
                Some(Hold::Claim(claim)) => claim.ticket(),
                _ => None,
            };
            (state.core.state(task), ticket)
        };
        let short = ticket.map_or_else(Vec::new, |ticket| self.bursar.shortage(ticket));
        let name = |id| self.names[self.limit(id).0 as usize].to_string();
        (task_state, short.into_iter().map(name).collect())
    }

    fn limit(&self, id: ResourceId) -> LimitId {
        self.limits[id.index() as usize]
    }

    /// Does what there is to do, unless another thread is at it, who will do this as well.
    pub(super) fn pump<'a>(self: &'a Arc<Self>, mut state: MutexGuard<'a, State>) {
        if state.pumping {
            return;
        }
        while let Some(step) = state.next_step(self) {
            state.pumping = true;
            drop(state);
            let pumping = Pumping(self);
            self.perform(step);
            std::mem::forget(pumping);
            state = lock(&self.state);
            state.pumping = false;
        }
    }

    fn perform(self: &Arc<Self>, step: Step) {
        match step {
            Step::Claim { task, demand, priority } => {
                let mut claim = self.bursar.claim(demand).priority(priority).into_future();
                // Most claims are granted at once, and need no waker.
                let polled = poll(&mut claim, Waker::noop());
                if polled.is_pending() {
                    let polled = poll(&mut claim, &self.waker(Some(task)));
                    let ticket = claim.ticket();
                    let short = ticket.map_or_else(Vec::new, |ticket| self.bursar.shortage(ticket));
                    let short: Vec<_> = short.into_iter().map(|id| self.limit(id)).collect();
                    lock(&self.state).core.parked(task, &short);
                    self.polled(task, claim, polled);
                } else {
                    self.polled(task, claim, polled);
                }
            }
            Step::Look { task, mut claim } => {
                let polled = poll(&mut claim, &self.waker(Some(task)));
                self.polled(task, claim, polled);
            }
            Step::GiveBack(hold) => drop(hold),
            Step::Start(mailbox, attempt) => mailbox.start(attempt),
            Step::Spawn => crew::spawn(self),
            Step::Abort(signal) => signal.raise(),
            Step::Finish(entry, end) => match entry.body {
                Body::Future(mailbox) => mailbox.end(end),
                Body::Thread(job) => job.end(end),
            },
            Step::Idle => self.bell.ring(),
            Step::Arm(due) => self.bursar.wake_at(due, self.waker(None)),
        }
    }

    /// What has become of a claim.
    fn polled(
        &self,
        task: TaskId,
        claim: Claiming<Demand>,
        polled: Poll<Result<Lease, bursar::Error>>,
    ) {
        let mut state = lock(&self.state);
        // The task is there: its end is a step of its own.
        let Some(entry) = state.entry(task) else { return };
        match polled {
            Poll::Pending => entry.hold = Hold::Claim(claim),
            Poll::Ready(Ok(lease)) => {
                entry.hold = Hold::Lease(lease);
                state.core.granted(task);
            }
            Poll::Ready(Err(error)) => {
                entry.refusal = Some(error.into());
                state.core.refused(task);
            }
        }
    }

    /// For the claim of a task; or for the timer.
    fn waker(self: &Arc<Self>, task: Option<TaskId>) -> Waker {
        Waker::from(Arc::new(Call { shard: Arc::downgrade(self), task }))
    }
}

impl State {
    fn entry(&mut self, task: TaskId) -> Option<&mut Entry> {
        let entry = self.entries.get_mut(task.slot() as usize)?.as_mut();
        entry.filter(|entry| entry.task == task)
    }

    pub(super) fn start(&mut self, task: TaskId, now: Time) -> Option<Arc<Signal>> {
        if !self.core.started(task, now) {
            return None;
        }
        let signal = Arc::new(Signal::default());
        self.entry(task)?.signal = Some(signal.clone());
        Some(signal)
    }

    pub(super) fn job(&mut self, task: TaskId) -> Option<Arc<dyn Job>> {
        match &self.entry(task)?.body {
            Body::Thread(job) => Some(job.clone()),
            Body::Future(_) => None,
        }
    }

    fn next_step(&mut self, shard: &Shard) -> Option<Step> {
        if std::mem::take(&mut self.rung) {
            self.armed = Time::NEVER;
            self.core.advance(shard.now());
        } else if !self.woken.is_empty() && self.core.next_wakeup().is_some() {
            // At the moment of a refill something may be due here as well. All of it is known before
            // anything starts, so that the most urgent comes first.
            self.core.advance(shard.now());
        }
        while let Some(task) = self.woken.pop_front() {
            if let Some(entry) = self.entry(task)
                && let hold @ Hold::Claim(_) = &mut entry.hold
                && let Hold::Claim(claim) = std::mem::replace(hold, Hold::Nothing)
            {
                return Some(Step::Look { task, claim });
            }
        }
        while let Some(action) = self.core.poll_action() {
            let step = self.step(action, shard);
            if step.is_some() {
                return step;
            }
        }
        let due = self.core.next_wakeup().filter(|&due| due < self.armed)?;
        self.armed = due;
        Some(Step::Arm(due))
    }

    fn step(&mut self, action: Action, shard: &Shard) -> Option<Step> {
        match action {
            Action::Claim { task } => {
                let demand = self.core.demand(task).iter();
                let name = |id: LimitId| shard.names[id.0 as usize].clone();
                let demand = demand.map(|&(id, units)| (name(id), units)).collect();
                Some(Step::Claim { task, demand, priority: self.core.priority(task) })
            }
            Action::GiveBack { task } => {
                let entry = self.entry(task)?;
                Some(Step::GiveBack(std::mem::replace(&mut entry.hold, Hold::Nothing)))
            }
            Action::Start { task, attempt } => match self.entry(task)?.body.clone() {
                Body::Future(mailbox) => Some(Step::Start(mailbox, attempt)),
                Body::Thread(_) => {
                    let priority = self.core.priority(task);
                    match self.crew.add(task, priority) {
                        crew::Need::Nobody => None,
                        crew::Need::Sleeper => {
                            shard.jobs.notify_one();
                            None
                        }
                        crew::Need::Newcomer => Some(Step::Spawn),
                    }
                }
            },
            Action::Abort { task } => self.entry(task)?.signal.clone().map(Step::Abort),
            Action::Finish { task, how } => {
                let mut entry = self.entries.get_mut(task.slot() as usize)?.take()?;
                let refusal = entry.refusal.take();
                Some(Step::Finish(entry, End { how, refusal }))
            }
            Action::Idle => Some(Step::Idle),
        }
    }
}

fn poll(claim: &mut Claiming<Demand>, waker: &Waker) -> Poll<Result<Lease, bursar::Error>> {
    std::pin::Pin::new(claim).poll(&mut Context::from_waker(waker))
}

/// Should a step panic (a caller's value can, when it is dropped), the next call pumps on.
struct Pumping<'a>(&'a Shard);

impl Drop for Pumping<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).pumping = false;
    }
}

/// The bursar's word that a claim may have been answered, or that the time has come.
struct Call {
    shard: Weak<Shard>,
    task: Option<TaskId>,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let Some(shard) = self.shard.upgrade() else { return };
        let mut state = lock(&shard.state);
        match self.task {
            Some(task) => state.woken.push_back(task),
            None => state.rung = true,
        }
        shard.pump(state);
    }
}
