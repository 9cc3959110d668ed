//! The threads that run blocking bodies: as many as there are bodies at one time, each kept for a while
//! for the next.
//!
//! A thread that has ended a body looks for the next one before it sleeps, so a new job needs nobody if
//! enough of them are *coming* (about to look); else it wakes one that sleeps, or is given a new thread.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::attempt::Attempt;
use super::core::TaskId;
use super::shard::Shard;
use super::thread_task::Job;
use crate::bursar::lock;

/// How long a thread stays when there is no job.
const LINGER: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Crew {
    /// Bodies to be started: more urgent first, then first come, first served.
    jobs: BTreeMap<(Reverse<i32>, u64), TaskId>,
    arrivals: u64,
    /// Threads that will look for a job before they sleep.
    coming: usize,
    /// Threads that sleep and were not woken.
    sleeping: usize,
    /// Threads that were woken and have not noticed.
    woken: usize,
}

/// Who has to be called for a job.
pub(super) enum Need {
    Nobody,
    Sleeper,
    Newcomer,
}

impl Crew {
    pub(super) fn add(&mut self, task: TaskId, priority: i32) -> Need {
        self.arrivals += 1;
        self.jobs.insert((Reverse(priority), self.arrivals), task);
        if self.jobs.len() <= self.coming {
            return Need::Nobody;
        }
        self.coming += 1;
        if self.sleeping == 0 {
            return Need::Newcomer;
        }
        self.sleeping -= 1;
        self.woken += 1;
        Need::Sleeper
    }

    /// A thread has ended a body.
    pub(super) fn returns(&mut self) {
        self.coming += 1;
    }
}

/// Starts a thread. If the system has none to give, the job waits for one that ends another.
pub(super) fn spawn(shard: &Arc<Shard>) {
    let own = shard.clone();
    let thread = thread::Builder::new().name("bursar task".to_owned());
    if thread.spawn(move || work(&own)).is_err() {
        lock(&shard.state).crew.coming -= 1;
    }
}

/// One attempt at a task, for a thread.
struct Assignment {
    task: TaskId,
    job: Arc<dyn Job>,
    attempt: Attempt,
}

fn work(shard: &Arc<Shard>) {
    while let Some(Assignment { task, job, attempt }) = next_job(shard) {
        let outcome = job.run(shard, task, attempt);
        drop(job);
        shard.ended_on_thread(task, outcome);
    }
}

/// Waits for a job; `None` if there was none for a while.
fn next_job(shard: &Arc<Shard>) -> Option<Assignment> {
    let mut state = lock(&shard.state);
    loop {
        while let Some((_, task)) = state.crew.jobs.pop_first() {
            // It may have been cancelled since.
            if let Some(signal) = state.start(task, shard.now())
                && let Some(job) = state.job(task)
            {
                state.crew.coming -= 1;
                let attempt = Attempt::new(state.core.attempt(task), &signal);
                shard.pump(state);
                return Some(Assignment { task, job, attempt });
            }
        }
        state.crew.coming -= 1;
        state.crew.sleeping += 1;
        let nothing = |state: &mut super::shard::State| state.crew.woken == 0;
        let (woken, _) = shard
            .jobs
            .wait_timeout_while(state, LINGER, nothing)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        state = woken;
        if state.crew.woken == 0 {
            state.crew.sleeping -= 1;
            return None;
        }
        state.crew.woken -= 1;
    }
}
