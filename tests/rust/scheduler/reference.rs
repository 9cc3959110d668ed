//! A scheduler that can be seen to be right: a list of tasks, scanned in order after whatever happens, on
//! a clock of whole milliseconds. One shard; nobody is passed often enough to be protected.

use std::cmp::Reverse;
use std::time::Duration;

use bursar::ledger::Limit;
use bursar::scheduler::core::{Counters, How, Outcome, Shutdown};

use super::subject::{Ask, Definition, Happened, Subject, Whose, word};

/// Units are counted in tenths, which a bucket of 100 units a second gains one of each millisecond.
const TENTHS: i64 = 10;

fn tenths(units: u64) -> i64 {
    units.cast_signed() * TENTHS
}

struct Supply {
    name: String,
    capacity: i64,
    free: i64,
    bucket: bool,
    counters: Counters,
}

struct Pool {
    name: String,
    paused: bool,
    counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Paused,
    Parked,
    Granted,
    Running,
    BackingOff,
    Over(How),
}

struct Task {
    name: String,
    ask: Ask,
    /// Places of supplies, and tenths.
    demand: Vec<(usize, i64)>,
    stage: Stage,
    arrival: u64,
    /// When its claim was made: those of one moment are made more urgent first.
    claimed: u64,
    attempt: u32,
    timed_out: bool,
    /// When its backoff ends or its timeout passes, and when that was set.
    alarm: Option<(u64, u64)>,
}

pub(crate) struct Reference {
    supplies: Vec<Supply>,
    pools: Vec<Pool>,
    tasks: Vec<Task>,
    counters: Counters,
    happened: Vec<Happened>,
    now: u64,
    clicks: u64,
    mode: Option<Shutdown>,
}

impl Reference {
    pub(crate) fn new(resources: &[Definition], pools: &[Definition]) -> Self {
        let supply = |name: String, limit: Limit| Supply {
            name,
            capacity: tenths(limit.capacity()),
            free: tenths(limit.capacity()),
            bucket: matches!(limit, Limit::TokenBucket { .. }),
            counters: Counters::default(),
        };
        let pool = |name: &str| Pool {
            name: name.to_owned(),
            paused: false,
            counters: Counters::default(),
        };
        let semaphores =
            pools.iter().filter_map(|it| Some((format!("pool:{}", it.name), it.limit?)));
        let all = resources.iter().map(|it| (it.name.clone(), it.limit.unwrap())).chain(semaphores);
        Reference {
            supplies: all.map(|(name, limit)| supply(name, limit)).collect(),
            pools: pools.iter().map(|it| pool(&it.name)).chain([pool("default")]).collect(),
            tasks: Vec::new(),
            counters: Counters::default(),
            happened: Vec::new(),
            now: 0,
            clicks: 0,
            mode: None,
        }
    }

    pub(crate) fn running(&self) -> Vec<String> {
        let running = self.tasks.iter().filter(|task| task.stage == Stage::Running);
        running.map(|task| task.name.clone()).collect()
    }

    pub(crate) fn has_timed_out(&self, name: &str) -> bool {
        self.tasks[self.place(name)].timed_out
    }

    /// Units of a semaphore that running tasks hold.
    pub(crate) fn held(&self, name: &str) -> u64 {
        let place = self.supply(name).unwrap();
        let running = self.tasks.iter().filter(|task| task.stage == Stage::Running);
        let units = running.flat_map(|task| &task.demand).filter(|(id, _)| *id == place);
        (units.map(|(_, tenths)| tenths).sum::<i64>() / TENTHS) as u64
    }

    fn supply(&self, name: &str) -> Option<usize> {
        self.supplies.iter().position(|supply| supply.name == name)
    }

    fn pool(&mut self, name: &str) -> &mut Pool {
        self.pools.iter_mut().find(|pool| pool.name == name).unwrap()
    }

    fn place(&self, name: &str) -> usize {
        self.tasks.iter().position(|task| task.name == name).unwrap()
    }

    fn click(&mut self) -> u64 {
        self.clicks += 1;
        self.clicks
    }

    /// Tasks at this stage, more urgent first, then by arrival.
    fn in_order(&self, stage: Stage) -> Vec<usize> {
        let mut those: Vec<_> =
            (0..self.tasks.len()).filter(|&place| self.tasks[place].stage == stage).collect();
        those.sort_by_key(|&place| {
            let task = &self.tasks[place];
            (Reverse(task.ask.priority), task.arrival)
        });
        those
    }

    fn fits(&self, place: usize) -> bool {
        let mut demand = self.tasks[place].demand.iter();
        demand.all(|&(id, tenths)| tenths <= self.supplies[id].free)
    }

    fn grant(&mut self, place: usize) {
        for &(id, tenths) in &self.tasks[place].demand {
            self.supplies[id].free -= tenths;
        }
        self.tasks[place].stage = Stage::Granted;
    }

    fn give_back(&mut self, place: usize) {
        for &(id, tenths) in &self.tasks[place].demand {
            if !self.supplies[id].bucket {
                self.supplies[id].free += tenths;
            }
        }
    }

    /// Serves parked tasks until nobody fits.
    fn scan(&mut self) {
        while let Some(place) =
            self.in_order(Stage::Parked).into_iter().find(|&place| self.fits(place))
        {
            self.grant(place);
        }
    }

    /// Claims for tasks, more urgent first, then in this order.
    fn claim(&mut self, mut places: Vec<usize>) {
        for &place in &places {
            self.tasks[place].arrival = self.click();
        }
        places.sort_by_key(|&place| Reverse(self.tasks[place].ask.priority));
        for place in places {
            self.tasks[place].claimed = self.click();
            let pool = self.tasks[place].ask.pool.clone();
            if self.pool(&pool).paused {
                self.tasks[place].stage = Stage::Paused;
                continue;
            }
            let demand = &self.tasks[place].demand;
            if demand.iter().any(|&(id, tenths)| tenths > self.supplies[id].capacity) {
                self.refuse(place);
            } else if self.fits(place) {
                self.grant(place);
            } else {
                self.park(place);
            }
        }
    }

    fn park(&mut self, place: usize) {
        let task = &mut self.tasks[place];
        task.stage = Stage::Parked;
        for &(id, tenths) in &task.demand {
            if tenths > self.supplies[id].free {
                self.supplies[id].counters.parked += 1;
            }
        }
        self.counters.parked += 1;
        let pool = task.ask.pool.clone();
        self.pool(&pool).counters.parked += 1;
    }

    fn refuse(&mut self, place: usize) {
        self.count(place, |counters| counters.failed += 1);
        self.finish(place, How::Refused);
    }

    fn finish(&mut self, place: usize, how: How) {
        let task = &mut self.tasks[place];
        (task.stage, task.alarm) = (Stage::Over(how), None);
        self.happened.push(Happened::Finished(task.name.clone(), how));
    }

    fn count(&mut self, place: usize, count: impl Fn(&mut Counters)) {
        count(&mut self.counters);
        for &(id, _) in &self.tasks[place].demand {
            count(&mut self.supplies[id].counters);
        }
        let pool = self.tasks[place].ask.pool.clone();
        count(&mut self.pool(&pool).counters);
    }

    /// Starts what was granted, and tells idleness.
    fn settle(&mut self, seen: usize) {
        for place in self.in_order(Stage::Granted) {
            self.count(place, |counters| counters.dispatched += 1);
            let click = self.click();
            let task = &mut self.tasks[place];
            task.stage = Stage::Running;
            task.attempt += 1;
            task.timed_out = false;
            task.alarm =
                task.ask.timeout.map(|timeout| (self.now + timeout.as_millis() as u64, click));
            self.happened.push(Happened::Started(task.name.clone(), task.attempt));
        }
        let finished = |what: &Happened| matches!(what, Happened::Finished(..));
        if self.is_idle() && self.happened[seen..].iter().any(finished) {
            self.happened.push(Happened::Idle);
        }
    }

    fn ring(&mut self) {
        let seen = self.happened.len();
        for supply in self.supplies.iter_mut().filter(|supply| supply.bucket) {
            supply.free = supply.capacity.min(supply.free + 1);
        }
        self.scan();
        let mut due: Vec<_> = (0..self.tasks.len())
            .filter(|&place| self.tasks[place].alarm.is_some_and(|(at, _)| at <= self.now))
            .collect();
        due.sort_by_key(|&place| self.tasks[place].alarm);
        for &place in &due {
            let task = &mut self.tasks[place];
            task.alarm = None;
            if task.stage == Stage::Running {
                task.timed_out = true;
                self.happened.push(Happened::Aborted(task.name.clone()));
            }
        }
        due.retain(|&place| self.tasks[place].stage == Stage::BackingOff);
        self.claim(due);
        self.settle(seen);
    }
}

impl Subject for Reference {
    /// The model asks for nothing that is refused, but by a shutdown.
    fn submit(&mut self, name: &str, ask: &Ask) -> Result<(), String> {
        if self.mode.is_some() {
            return Err("Closed".to_owned());
        }
        let seen = self.happened.len();
        let slot = self.supply(&format!("pool:{}", ask.pool)).map(|id| (id, 1));
        let resources = ask.resources.iter();
        let named = resources.map(|(name, units)| (self.supply(name).unwrap(), *units));
        let demand: Vec<_> = slot.into_iter().chain(named).collect();
        self.tasks.push(Task {
            name: name.to_owned(),
            ask: ask.clone(),
            demand: demand.into_iter().map(|(id, units)| (id, tenths(units))).collect(),
            stage: Stage::Paused,
            arrival: 0,
            claimed: 0,
            attempt: 0,
            timed_out: false,
            alarm: None,
        });
        self.claim(vec![self.tasks.len() - 1]);
        self.settle(seen);
        Ok(())
    }

    fn ended(&mut self, name: &str, outcome: Outcome, random: u64) {
        let (place, seen) = (self.place(name), self.happened.len());
        self.give_back(place);
        self.scan();
        let task = &mut self.tasks[place];
        task.alarm = None;
        let worth_it = outcome != Outcome::Failed { retry: false };
        let (timed_out, left) = (task.timed_out, task.attempt < task.ask.attempts);
        if outcome == Outcome::Done && !timed_out {
            self.finish(place, How::Done);
        } else if worth_it && left && self.mode != Some(Shutdown::Drop) {
            task.stage = Stage::BackingOff;
            let backoff = task.ask.backoff;
            let longest = backoff.base.as_millis() << (task.attempt - 1);
            let longest = longest.min(backoff.max.as_millis());
            let delay = (longest as f64 * (random as f64 / u64::MAX as f64)).round() as u64;
            let click = self.click();
            if delay > 0 {
                self.tasks[place].alarm = Some((self.now + delay, click));
            }
            self.count(place, |counters| counters.retried += 1);
            if delay == 0 {
                self.claim(vec![place]);
            }
        } else {
            self.count(place, |counters| counters.failed += 1);
            self.finish(place, How::Failed { timed_out });
        }
        self.settle(seen);
    }

    fn cancel(&mut self, name: &str) -> bool {
        let (place, seen) = (self.place(name), self.happened.len());
        if matches!(self.tasks[place].stage, Stage::Running | Stage::Over(_)) {
            return false;
        }
        self.finish(place, How::Cancelled);
        self.settle(seen);
        true
    }

    fn advance(&mut self, span: Duration) {
        for _ in 0..span.as_millis() {
            self.now += 1;
            self.ring();
        }
    }

    fn pause(&mut self, pool: &str, paused: bool) {
        let seen = self.happened.len();
        self.pool(pool).paused = paused;
        let of_pool = |task: &Task, stage| task.ask.pool == pool && task.stage == stage;
        if paused {
            for task in self.tasks.iter_mut().filter(|task| of_pool(task, Stage::Parked)) {
                task.stage = Stage::Paused;
            }
        } else {
            let mut held_back: Vec<_> = (0..self.tasks.len())
                .filter(|&place| of_pool(&self.tasks[place], Stage::Paused))
                .collect();
            held_back.sort_by_key(|&place| self.tasks[place].arrival);
            self.claim(held_back);
        }
        self.settle(seen);
    }

    fn resize(&mut self, name: &str, permits: u64) {
        let (id, seen) = (self.supply(name).unwrap(), self.happened.len());
        let supply = &mut self.supplies[id];
        let capacity = tenths(permits);
        supply.free += capacity - supply.capacity;
        supply.capacity = capacity;
        let mut never = self.in_order(Stage::Parked);
        never.retain(|&place| {
            self.tasks[place].demand.iter().any(|&(other, tenths)| other == id && tenths > capacity)
        });
        never.sort_by_key(|&place| self.tasks[place].claimed);
        for place in never {
            self.refuse(place);
        }
        self.scan();
        self.settle(seen);
    }

    fn shutdown(&mut self, how: Shutdown) {
        let seen = self.happened.len();
        if how == Shutdown::Drop || self.mode.is_none() {
            self.mode = Some(how);
        }
        if how == Shutdown::Drop {
            let mut waiting: Vec<_> = (0..self.tasks.len()).collect();
            waiting.retain(|&place| {
                !matches!(self.tasks[place].stage, Stage::Running | Stage::Over(_))
            });
            waiting.sort_by_key(|&place| self.tasks[place].arrival);
            for place in waiting {
                self.finish(place, How::Dropped);
            }
        }
        self.settle(seen);
    }

    fn happened(&mut self) -> Vec<Happened> {
        std::mem::take(&mut self.happened)
    }

    fn state(&self, name: &str) -> String {
        let task = &self.tasks[self.place(name)];
        match task.stage {
            Stage::Paused => "paused".to_owned(),
            Stage::BackingOff => "backing off".to_owned(),
            Stage::Running | Stage::Granted => "running".to_owned(),
            Stage::Over(how) => word(how),
            Stage::Parked => {
                let short = task.demand.iter().filter(|(id, need)| *need > self.supplies[*id].free);
                let mut names: Vec<_> =
                    short.map(|&(id, _)| self.supplies[id].name.as_str()).collect();
                names.sort_unstable();
                format!("parked on {}", names.join(" and "))
            }
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let own = self.place(name);
        self.in_order(Stage::Parked).into_iter().position(|place| place == own)
    }

    fn is_idle(&self) -> bool {
        self.tasks.iter().all(|task| matches!(task.stage, Stage::Over(_)))
    }

    fn counters(&self, whose: Whose<'_>) -> Counters {
        match whose {
            Whose::All => self.counters,
            Whose::Pool(name) => self.pools.iter().find(|pool| pool.name == name).unwrap().counters,
            Whose::Resource(name) => self.supplies[self.supply(name).unwrap()].counters,
        }
    }
}
