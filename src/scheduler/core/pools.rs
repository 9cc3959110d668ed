//! Pausing and resuming a pool, and shutting down.

use alloc::vec::Vec;

use super::action::How;
use super::catalog::PoolId;
use super::task::{Stage, Task, TaskId};
use super::{Core, Mode};

/// What becomes of the tasks that wait at a shutdown. Those that run end as ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shutdown {
    /// They are served, with all their attempts. Those of a paused pool wait until it resumes.
    Drain,
    /// They end at once, and what fails is not tried again.
    Drop,
}

impl Core {
    /// Starts nothing of this pool until it [resumes](Self::resume). What runs, runs on. Twice is as
    /// good as once.
    pub fn pause(&mut self, pool: PoolId) {
        if !self.paused.insert(pool) {
            return;
        }
        let waits = [Stage::ToClaim, Stage::Claiming, Stage::Ready];
        for task in self.select(|task| task.spec.pool == pool && waits.contains(&task.stage)) {
            self.withdraw(task);
            if let Some(entry) = self.tasks.get_mut(task) {
                entry.stage = Stage::HeldBack;
            }
        }
    }

    /// Lets the pool's tasks go on, in their old order, and after those of other pools that wait already.
    pub fn resume(&mut self, pool: PoolId) {
        if !self.paused.remove(&pool) {
            return;
        }
        let held_back = |task: &Task| task.spec.pool == pool && task.stage == Stage::HeldBack;
        for task in self.select(held_back) {
            self.want_claim(task);
        }
    }

    /// Whether the pool is paused.
    pub fn is_paused(&self, pool: PoolId) -> bool {
        self.paused.contains(&pool)
    }

    /// Takes no more tasks. Twice is as good as once; `Drop` may follow `Drain`.
    pub fn shutdown(&mut self, how: Shutdown) {
        match how {
            Shutdown::Drain if self.mode == Mode::Open => self.mode = Mode::Draining,
            Shutdown::Drain => {}
            Shutdown::Drop => {
                self.mode = Mode::Dropping;
                let waits = |task: &Task| !matches!(task.stage, Stage::Running | Stage::Finished);
                for task in self.select(waits) {
                    self.withdraw(task);
                    self.finish(task, How::Dropped);
                }
            }
        }
    }

    /// Such tasks, in the order of arrival; those that hold units last, so that what they give back is
    /// not granted to another that is about to be withdrawn as well. (The tokens of a bucket would be
    /// lost with it.)
    fn select(&self, such: impl Fn(&Task) -> bool) -> Vec<TaskId> {
        let mut selected: Vec<_> = self
            .tasks
            .iter()
            .filter(|(_, task)| such(task))
            .map(|(id, task)| (task.stage == Stage::Ready, task.arrival, id))
            .collect();
        selected.sort_unstable();
        selected.into_iter().map(|(.., id)| id).collect()
    }
}
