//! The scheduler itself, as a subject of scenarios: its tasks are futures on an executor of a few lines,
//! which polls them in the order in which they were woken.

use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use bursar::scheduler::core::{Counters, How, Outcome, Shutdown};
use bursar::scheduler::{Error, Handle, Idle, State, TaskError};
use bursar::{ManualClock, Resource, Scheduler};

use super::subject::{Ask, Definition, Happened, Subject, Whose, word};

type Running = Pin<Box<dyn Future<Output = Result<(), TaskError<bool>>>>>;
type Shared<T> = Arc<Mutex<T>>;

pub(crate) struct Booth {
    scheduler: Scheduler,
    clock: ManualClock,
    random: Arc<AtomicU64>,
    tasks: BTreeMap<String, Task>,
    hows: BTreeMap<String, How>,
    happened: Shared<Vec<Happened>>,
    woken: Shared<VecDeque<String>>,
    idle: Option<Idle>,
}

struct Task {
    handle: Handle,
    future: Option<Running>,
    /// What the body is to return.
    outcome: Shared<Option<Result<(), bool>>>,
    waker: Waker,
}

impl Booth {
    pub(crate) fn new(resources: &[Definition], pools: &[Definition]) -> Self {
        let (clock, random) = (ManualClock::new(), Arc::new(AtomicU64::new(0)));
        let own = random.clone();
        let mut builder =
            Scheduler::builder().clock(&clock).random(move || own.load(Ordering::SeqCst));
        for Definition { name, limit, shard } in resources {
            builder = builder.resource_of(*shard, Resource::new(name, limit.unwrap()));
        }
        for Definition { name, limit, shard } in pools {
            builder = builder.pool_of(*shard, name, limit.map(|limit| limit.capacity()));
        }
        Booth {
            scheduler: builder.build().unwrap(),
            clock,
            random,
            tasks: BTreeMap::new(),
            hows: BTreeMap::new(),
            happened: Shared::default(),
            woken: Shared::default(),
            idle: None,
        }
    }

    /// Polls whatever was woken, until nothing is.
    fn run(&mut self) {
        loop {
            let next = self.woken.lock().unwrap().pop_front();
            let Some(name) = next else { break };
            let task = self.tasks.get_mut(&name).unwrap();
            let Some(future) = &mut task.future else { continue };
            let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&task.waker))
            else {
                continue;
            };
            task.future = None;
            let how = match result {
                Ok(()) => How::Done,
                Err(TaskError::Failed(_)) => How::Failed { timed_out: false },
                Err(TaskError::TimedOut { .. }) => How::Failed { timed_out: true },
                Err(TaskError::Cancelled) => How::Cancelled,
                Err(TaskError::Dropped) => How::Dropped,
                Err(TaskError::Refused(_)) => How::Refused,
                Err(other) => panic!("{other:?}"),
            };
            self.hows.insert(name.clone(), how);
            self.happened.lock().unwrap().push(Happened::Finished(name, how));
        }
        if let Some(idle) = &mut self.idle
            && Pin::new(idle).poll(&mut Context::from_waker(Waker::noop())).is_ready()
        {
            self.idle = None;
            self.happened.lock().unwrap().push(Happened::Idle);
        }
    }
}

impl Subject for Booth {
    fn submit(&mut self, name: &str, ask: &Ask) -> Result<(), String> {
        let (happened, outcome) = (self.happened.clone(), Shared::default());
        let (own_name, own_outcome) = (name.to_owned(), Arc::clone(&outcome));
        let mut submission = self
            .scheduler
            .submit(move |attempt| {
                let started = Happened::Started(own_name.clone(), attempt.number());
                happened.lock().unwrap().push(started);
                let (happened, name) = (happened.clone(), own_name.clone());
                let outcome: Shared<Option<Result<(), bool>>> = own_outcome.clone();
                let (mut aborted, mut told) = (attempt.aborted(), false);
                poll_fn(move |cx| {
                    if !told && Pin::new(&mut aborted).poll(cx).is_ready() {
                        told = true;
                        happened.lock().unwrap().push(Happened::Aborted(name.clone()));
                    }
                    outcome.lock().unwrap().take().map_or(Poll::Pending, Poll::Ready)
                })
            })
            .pool(&ask.pool)
            .resources(ask.resources.iter().map(|(name, units)| (name, *units)))
            .priority(ask.priority)
            .attempts(ask.attempts)
            .backoff(ask.backoff)
            .retry_if(|&retry: &bool| retry);
        if let Some(shard) = ask.shard {
            submission = submission.shard(shard);
        }
        if let Some(timeout) = ask.timeout {
            submission = submission.timeout(timeout);
        }
        let task = submission.start().map_err(|error| shown(&error))?;
        let waker = Waker::from(Arc::new(Call(self.woken.clone(), name.to_owned())));
        let handle = task.handle();
        let task = Task { handle, future: Some(Box::pin(task)), outcome, waker: waker.clone() };
        self.tasks.insert(name.to_owned(), task);
        self.idle.get_or_insert_with(|| self.scheduler.idle());
        waker.wake();
        self.run();
        Ok(())
    }

    fn ended(&mut self, name: &str, outcome: Outcome, random: u64) {
        self.random.store(random, Ordering::SeqCst);
        let task = &self.tasks[name];
        assert_eq!(task.handle.state(), State::Running, "{name} does not run");
        *task.outcome.lock().unwrap() = Some(match outcome {
            Outcome::Failed { retry } => Err(retry),
            _ => Ok(()),
        });
        task.waker.wake_by_ref();
        self.run();
    }

    fn cancel(&mut self, name: &str) -> bool {
        let cancelled = self.tasks[name].handle.cancel();
        self.run();
        cancelled
    }

    fn advance(&mut self, span: Duration) {
        for _ in 0..span.as_millis() {
            self.clock.advance(Duration::from_millis(1));
            self.run();
        }
    }

    fn pause(&mut self, pool: &str, paused: bool) {
        if paused {
            self.scheduler.pause(pool).unwrap();
        } else {
            self.scheduler.resume(pool).unwrap();
        }
        self.run();
    }

    fn resize(&mut self, name: &str, permits: u64) {
        self.scheduler.resize(Resource::semaphore(name, permits)).unwrap();
        self.run();
    }

    fn shutdown(&mut self, how: Shutdown) {
        drop(self.scheduler.shutdown(how));
        self.run();
    }

    fn happened(&mut self) -> Vec<Happened> {
        std::mem::take(&mut self.happened.lock().unwrap())
    }

    fn state(&self, name: &str) -> String {
        if let Some(&how) = self.hows.get(name) {
            return word(how);
        }
        match self.tasks[name].handle.state() {
            State::Paused => "paused".to_owned(),
            State::BackingOff => "backing off".to_owned(),
            State::Parked { mut short_of } => {
                short_of.sort();
                format!("parked on {}", short_of.join(" and "))
            }
            state => format!("{state:?}").to_lowercase(),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.tasks[name].handle.position()
    }

    fn is_idle(&self) -> bool {
        self.scheduler.tasks() == 0
    }

    fn counters(&self, whose: Whose<'_>) -> Counters {
        match whose {
            Whose::All => self.scheduler.counters(),
            Whose::Pool(name) => self.scheduler.pool_counters(name).unwrap(),
            Whose::Resource(name) => self.scheduler.resource_counters(name).unwrap(),
        }
    }
}

struct Call(Shared<VecDeque<String>>, String);

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.0.lock().unwrap().push_back(self.1.clone());
    }
}

fn shown(error: &Error) -> String {
    match error {
        Error::UnknownPool { name, .. } => format!("UnknownPool {name}"),
        Error::UnknownResource { name, .. } => format!("UnknownResource {name}"),
        Error::ExceedsCapacity { name, wanted, capacity } => {
            format!("ExceedsCapacity {name} {wanted} of {capacity}")
        }
        Error::OtherShard { name, belongs_to, task } => {
            format!("OtherShard {name} of {belongs_to} not {task}")
        }
        Error::UnknownShard { shard, shards } => format!("UnknownShard {shard} of {shards}"),
        other => format!("{other:?}"),
    }
}
