//! The plainest driver of cores there is: over ledgers, without threads, on a clock that is passed in.
//! Bodies start when the core says so, and end when the test says so.

use std::collections::BTreeMap;
use std::time::Duration;

use super::subject::{Ask, Definition, Happened, Subject, Whose, word};
use bursar::ledger::{
    ClaimOptions, Claimed, Event, Ledger, Limit, Policy, ResourceId, Ticket, Time,
};
use bursar::scheduler::core::{
    Action, Admitted, Catalog, Core, Counters, How, LimitId, Outcome, Refusal, Request, Shutdown,
    TaskId, TaskState,
};

pub(crate) struct Desk {
    pub(crate) catalog: Catalog,
    pub(crate) shards: Vec<Shard>,
    ids: Vec<ResourceId>,
    tasks: BTreeMap<String, (usize, TaskId)>,
    hows: BTreeMap<String, How>,
    happened: Vec<Happened>,
    now: Time,
}

pub(crate) struct Shard {
    pub(crate) core: Core,
    pub(crate) ledger: Ledger,
    names: BTreeMap<TaskId, String>,
    tickets: BTreeMap<TaskId, Ticket>,
    /// Bodies to be started when the test says so; at once, unless it takes them in its own hands.
    pub(crate) starts: Vec<TaskId>,
}

impl Desk {
    pub(crate) fn new(resources: &[Definition], pools: &[Definition]) -> Self {
        let mut catalog = Catalog::new();
        let mut limits = Vec::new();
        for Definition { name, limit, shard } in resources {
            let limit = limit.unwrap();
            catalog.define_resource(name, limit.capacity(), *shard).unwrap();
            limits.push((name.clone(), limit, *shard));
        }
        for Definition { name, limit, shard } in pools {
            catalog.define_pool(name, limit.map(|limit| limit.capacity()), *shard).unwrap();
            if let Some(limit) = limit {
                limits.push((format!("pool:{name}"), *limit, *shard));
            }
        }
        let shard = |_| Shard {
            core: Core::new(),
            ledger: Ledger::new(Policy::default()),
            names: BTreeMap::new(),
            tickets: BTreeMap::new(),
            starts: Vec::new(),
        };
        let mut shards: Vec<_> = (0..catalog.shards()).map(shard).collect();
        let ids = limits
            .into_iter()
            .map(|(name, limit, shard)| shards[shard as usize].ledger.define(&name, limit).unwrap())
            .collect();
        Desk {
            catalog,
            shards,
            ids,
            tasks: BTreeMap::new(),
            hows: BTreeMap::new(),
            happened: Vec::new(),
            now: Time::ZERO,
        }
    }

    fn short_of(&self, shard: usize, task: TaskId) -> String {
        let shard = &self.shards[shard];
        let short = shard.ledger.shortage(shard.tickets[&task]).unwrap();
        let names = short.iter().map(|&(id, _)| shard.ledger.name(id).unwrap().to_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.join(" and ")
    }

    pub(crate) fn limit(&self, name: &str) -> LimitId {
        self.catalog.resource(name).unwrap_or_else(|| panic!("no resource {name}"))
    }

    /// The code of the error, and whom it is about.
    fn shown(&self, refusal: Refusal) -> String {
        let name = |id| self.catalog.name(id);
        match refusal {
            Refusal::ExceedsCapacity { limit, wanted, capacity } => {
                format!("ExceedsCapacity {} {wanted} of {capacity}", name(limit))
            }
            Refusal::OtherShard { limit, belongs_to, task } => {
                format!("OtherShard {} of {belongs_to} not {task}", name(limit))
            }
            Refusal::UnknownShard { shard, shards } => {
                format!("UnknownShard {shard} of {shards}")
            }
            other => format!("{other:?}"),
        }
    }

    /// Does what there is to do, until there is nothing.
    pub(crate) fn settle(&mut self) {
        loop {
            let mut done = true;
            for place in 0..self.shards.len() {
                done &= !self.step(place);
            }
            if done {
                return;
            }
        }
    }

    /// One thing: an outcome of the ledger's, or an action of the core's.
    fn step(&mut self, place: usize) -> bool {
        let shard = &mut self.shards[place];
        if let Some(event) = shard.ledger.poll_event() {
            shard.tell(event);
            return true;
        }
        let Some(action) = shard.core.poll_action() else { return false };
        match action {
            Action::Claim { task } => shard.claim(task, &self.catalog, &self.ids),
            Action::GiveBack { task } => {
                if let Some(ticket) = shard.tickets.remove(&task) {
                    shard.ledger.cancel(ticket).unwrap();
                }
            }
            Action::Start { task, attempt } => {
                let name = shard.names[&task].clone();
                assert!(shard.core.started(task, self.now));
                self.happened.push(Happened::Started(name, attempt));
            }
            Action::Abort { task } => {
                self.happened.push(Happened::Aborted(shard.names[&task].clone()));
            }
            Action::Finish { task, how } => {
                let name = shard.names.remove(&task).unwrap();
                self.hows.insert(name.clone(), how);
                self.happened.push(Happened::Finished(name, how));
            }
            Action::Idle => self.happened.push(Happened::Idle),
            _ => unreachable!("an action that nobody knows"),
        }
        true
    }
}

impl Subject for Desk {
    fn submit(&mut self, name: &str, ask: &Ask) -> Result<(), String> {
        let pool = self.catalog.pool(&ask.pool);
        let pool = pool.ok_or_else(|| format!("UnknownPool {}", ask.pool))?;
        let mut demand = Vec::new();
        for (name, units) in &ask.resources {
            let id = self.catalog.resource(name);
            demand.push((id.ok_or_else(|| format!("UnknownResource {name}"))?, *units));
        }
        let request = Request {
            pool,
            shard: ask.shard,
            demand: &demand,
            priority: ask.priority,
            attempts: ask.attempts,
            backoff: ask.backoff,
            timeout: ask.timeout,
        };
        let admitted = self.catalog.admit(&request).map_err(|refusal| self.shown(refusal))?;
        let Admitted { shard, spec } = admitted;
        let place = &mut self.shards[shard as usize];
        let task = place.core.submit(spec).map_err(|_| "Closed".to_owned())?;
        place.names.insert(task, name.to_owned());
        self.tasks.insert(name.to_owned(), (shard as usize, task));
        self.settle();
        Ok(())
    }

    fn ended(&mut self, name: &str, outcome: Outcome, random: u64) {
        let (shard, task) = self.tasks[name];
        assert_eq!(self.shards[shard].core.state(task), TaskState::Running, "{name} does not run");
        self.shards[shard].core.ended(task, outcome, self.now, random);
        self.settle();
    }

    fn cancel(&mut self, name: &str) -> bool {
        let (shard, task) = self.tasks[name];
        let cancelled = self.shards[shard].core.cancel(task);
        self.settle();
        cancelled
    }

    /// Moves the clock, and stops wherever something falls due.
    fn advance(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let due = self.shards.iter_mut().filter_map(Shard::next_wakeup).min();
            self.now = due.map_or(end, |due| due.min(end)).max(self.now);
            for shard in &mut self.shards {
                shard.ledger.advance(self.now);
                shard.core.advance(self.now);
            }
            self.settle();
            if self.now == end
                && self.shards.iter_mut().filter_map(Shard::next_wakeup).all(|due| due > end)
            {
                return;
            }
        }
    }

    fn pause(&mut self, pool: &str, paused: bool) {
        let pool = self.catalog.pool(pool).unwrap();
        for shard in &mut self.shards {
            if paused {
                shard.core.pause(pool);
            } else {
                shard.core.resume(pool);
            }
        }
        self.settle();
    }

    fn resize(&mut self, name: &str, permits: u64) {
        let id = self.limit(name);
        self.catalog.resize(id, permits);
        let shard = self.catalog.shard(id).unwrap() as usize;
        let limit = Limit::semaphore(permits).unwrap();
        self.shards[shard].ledger.resize(self.ids[id.0 as usize], limit).unwrap();
        self.settle();
    }

    fn shutdown(&mut self, how: Shutdown) {
        for shard in &mut self.shards {
            shard.core.shutdown(how);
        }
        self.settle();
    }

    /// What has happened since this was last asked.
    fn happened(&mut self) -> Vec<Happened> {
        std::mem::take(&mut self.happened)
    }

    fn state(&self, name: &str) -> String {
        if let Some(&how) = self.hows.get(name) {
            return word(how);
        }
        let (shard, task) = self.tasks[name];
        match self.shards[shard].core.state(task) {
            TaskState::Paused => "paused".to_owned(),
            TaskState::BackingOff => "backing off".to_owned(),
            TaskState::Parked => format!("parked on {}", self.short_of(shard, task)),
            state => format!("{state:?}").to_lowercase(),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let (shard, task) = self.tasks[name];
        self.shards[shard].core.position(task)
    }

    fn is_idle(&self) -> bool {
        self.shards.iter().all(|shard| shard.core.is_idle())
    }

    fn counters(&self, whose: Whose<'_>) -> Counters {
        let mut sum = Counters::default();
        for shard in &self.shards {
            sum.add(&match whose {
                Whose::All => shard.core.counters(),
                Whose::Pool(name) => shard.core.pool_counters(self.catalog.pool(name).unwrap()),
                Whose::Resource(name) => shard.core.limit_counters(self.limit(name)),
            });
        }
        sum
    }
}

impl Shard {
    fn next_wakeup(&mut self) -> Option<Time> {
        self.ledger.next_wakeup().into_iter().chain(self.core.next_wakeup()).min()
    }

    fn claim(&mut self, task: TaskId, catalog: &Catalog, ids: &[ResourceId]) {
        let demand = self.core.demand(task).iter();
        let demand: Vec<_> = demand.map(|&(limit, units)| (ids[limit.0 as usize], units)).collect();
        let options =
            ClaimOptions { priority: self.core.priority(task), ..ClaimOptions::default() };
        match self.ledger.claim(&demand, &options) {
            Ok(Claimed::Granted(ticket)) => {
                self.tickets.insert(task, ticket);
                self.core.granted(task);
            }
            Ok(Claimed::Waiting(ticket)) => {
                self.tickets.insert(task, ticket);
                let short = self.ledger.shortage(ticket).unwrap();
                let limits: Vec<_> = self
                    .core
                    .demand(task)
                    .iter()
                    .map(|&(limit, _)| limit)
                    .filter(|limit| {
                        let id = ids[limit.0 as usize];
                        short.iter().any(|&(other, _)| other == id)
                    })
                    .collect();
                assert!(limits.iter().all(|&limit| !catalog.name(limit).is_empty()));
                self.core.parked(task, &limits);
            }
            Err(_) => self.core.refused(task),
        }
    }

    fn tell(&mut self, event: Event) {
        let task_of = |ticket| {
            let found = self.tickets.iter().find(|(_, other)| **other == ticket);
            *found.expect("every ticket is of a task").0
        };
        match event {
            Event::Granted(ticket) => self.core.granted(task_of(ticket)),
            Event::Rejected(ticket, _) => {
                let task = task_of(ticket);
                self.tickets.remove(&task);
                self.core.refused(task);
            }
            other => panic!("{other:?}"),
        }
    }
}
