//! The tasks that there are, in slots.

use alloc::vec::Vec;

use super::task::{LAST_GENERATION, MAX_SLOTS, Spec, Stage, Task, TaskId};

#[derive(Clone, Debug, Default)]
pub(super) struct Tasks {
    slots: Vec<Slot>,
    free: Vec<u32>,
    count: usize,
}

#[derive(Clone, Debug)]
struct Slot {
    generation: u32,
    task: Option<Task>,
}

impl Tasks {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// `None` if there are as many as can be.
    pub(super) fn insert(&mut self, spec: Spec) -> Option<TaskId> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if self.slots.len() == MAX_SLOTS => return None,
            None => {
                self.slots.push(Slot { generation: 0, task: None });
                self.slots.len() as u32 - 1
            }
        };
        self.count += 1;
        let place = &mut self.slots[slot as usize];
        place.task = Some(Task::new(spec));
        Some(TaskId::new(slot, place.generation))
    }

    pub(super) fn remove(&mut self, task: TaskId) {
        if self.get(task).is_none() {
            return;
        }
        self.count -= 1;
        let place = &mut self.slots[task.slot() as usize];
        place.task = None;
        // A slot that was used so often is not used again: no two tasks are ever the same.
        if place.generation < LAST_GENERATION {
            place.generation += 1;
            self.free.push(task.slot());
        }
    }

    pub(super) fn get(&self, task: TaskId) -> Option<&Task> {
        let place = self.slots.get(task.slot() as usize)?;
        place.task.as_ref().filter(|_| place.generation == task.generation())
    }

    pub(super) fn get_mut(&mut self, task: TaskId) -> Option<&mut Task> {
        let place = self.slots.get_mut(task.slot() as usize)?;
        place.task.as_mut().filter(|_| place.generation == task.generation())
    }

    /// The task, if it is at this stage.
    pub(super) fn at(&mut self, task: TaskId, stage: Stage) -> Option<&mut Task> {
        self.get_mut(task).filter(|entry| entry.stage == stage)
    }

    /// All of them, by slot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (TaskId, &Task)> {
        self.slots.iter().enumerate().filter_map(|(slot, place)| {
            place.task.as_ref().map(|task| (TaskId::new(slot as u32, place.generation), task))
        })
    }
}
