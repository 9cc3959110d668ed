//! Deadlock detection against exhaustive search.
//!
//! Thousands of small random ledgers. Before each claim under a lease, every sequence is tried in which
//! leases end that can (nothing under them is left, or their time ends them) and waiting claims that fit
//! are granted, in any order. A claim is to be refused if, and only if, none of these serves it. At
//! the end leases are released as long as any can be: nobody may be left waiting, so neither what the
//! judgement let pass nor the order of the line holds anybody for ever.

#[path = "model/circle.rs"]
mod circle;
#[path = "model/dice.rs"]
mod dice;

use std::collections::HashSet;
use std::time::Duration;

use bursar::ledger::{
    ClaimError, ClaimOptions, ClaimStatus, Claimed, Event, Ledger, Limit, Order, Policy, Rate,
    Rejection, ResourceId, Ticket, TicketStatus, Time,
};

use self::dice::Dice;

const SYSTEMS: u64 = 12_000;
/// Live claims of one system.
const MOST: usize = 10;
/// Far beyond every deadline and every end of a lease.
const LATE: Time = Time::from_nanos(u64::MAX / 2);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    Waiting,
    Held,
    Ended,
}

/// What the search knows of a claim.
struct Claim {
    demand: Vec<(ResourceId, u64)>,
    /// Its place in the list.
    owner: Option<usize>,
    /// Time ends it: its wait, or its hold.
    timed: bool,
}

struct Search<'a> {
    ledger: &'a Ledger,
    claims: Vec<Claim>,
    seen: HashSet<Vec<State>>,
}

impl<'a> Search<'a> {
    /// Whether a claim that is about to be made could ever be granted.
    fn can_be_served(ledger: &'a Ledger, demand: &[(ResourceId, u64)], owner: Ticket) -> bool {
        let live = ledger.claims();
        let place = |owner| live.iter().position(|claim| claim.ticket == owner);
        let known = |claim: &ClaimStatus| Claim {
            demand: claim.demand.clone(),
            owner: claim.owner.and_then(place),
            timed: claim.deadline.is_some(),
        };
        let mut claims: Vec<Claim> = live.iter().map(known).collect();
        claims.push(Claim { demand: demand.to_vec(), owner: place(owner), timed: false });
        let state = |claim: &ClaimStatus| match claim.status {
            TicketStatus::Waiting => State::Waiting,
            TicketStatus::Granted => State::Held,
        };
        let mut start: Vec<State> = live.iter().map(state).collect();
        start.push(State::Waiting);
        Search { ledger, claims, seen: HashSet::new() }.reaches_the_last(start)
    }

    fn reaches_the_last(&mut self, start: Vec<State>) -> bool {
        let mut open = vec![start];
        while let Some(states) = open.pop() {
            if states.last() == Some(&State::Held) {
                return true;
            }
            if !self.seen.insert(states.clone()) {
                continue;
            }
            for place in 0..states.len() {
                let mut then = |state| {
                    let mut states = states.clone();
                    states[place] = state;
                    open.push(states);
                };
                if self.may_end(place, &states) {
                    then(State::Ended);
                }
                if states[place] == State::Waiting && self.fits(place, &states) {
                    then(State::Held);
                }
            }
        }
        false
    }

    fn may_end(&self, place: usize, states: &[State]) -> bool {
        let claim = &self.claims[place];
        let under = |other: usize| self.claims[other].owner == Some(place);
        match states[place] {
            State::Ended => false,
            State::Waiting => claim.timed,
            State::Held => {
                let mut children = (0..states.len()).filter(|&other| under(other));
                claim.timed || children.all(|child| states[child] == State::Ended)
            }
        }
    }

    fn fits(&self, place: usize, states: &[State]) -> bool {
        self.claims[place].demand.iter().all(|&(id, units)| {
            let Some(Limit::Semaphore { permits }) = self.ledger.limit(id) else { return true };
            let held = (0..states.len()).filter(|&other| states[other] == State::Held);
            let units_of = |other: usize| {
                let mut pairs = self.claims[other].demand.iter();
                pairs.find(|pair| pair.0 == id).map_or(0, |pair| pair.1)
            };
            held.map(units_of).sum::<u64>() + units <= permits
        })
    }
}

#[derive(Default, Debug)]
struct Seen {
    refused: u64,
    waited: u64,
    /// Of the refused: with more than two leases in the circle, and with one.
    long: u64,
    own: u64,
    rejected: u64,
}

struct System {
    ledger: Ledger,
    ids: Vec<ResourceId>,
    dice: Dice,
}

impl System {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let order = dice.pick(&[Order::Fair, Order::Fair, Order::Newest, Order::Greedy]);
        let max_bypass = dice.pick(&[None, Some(0), Some(1), Some(1_000)]);
        let mut ledger = Ledger::new(Policy { order, max_bypass, max_waiting: None });
        let semaphores = dice.within(2, 6);
        let most = dice.pick(&[1, 1, 2, 3]);
        let permits = |dice: &mut Dice| Limit::semaphore(dice.within(1, most)).unwrap();
        let mut ids: Vec<ResourceId> = (0..semaphores)
            .map(|number| ledger.define(&format!("s{number}"), permits(&mut dice)).unwrap())
            .collect();
        if dice.one_in(4) {
            let rate = Rate::per_second(1.0).unwrap();
            ids.push(ledger.define("bucket", Limit::token_bucket(rate, 2).unwrap()).unwrap());
        }
        System { ledger, ids, dice }
    }

    /// Mostly of what no lease above holds itself: that is an easy case.
    fn demand(&mut self, mut owner: Option<Ticket>) -> Vec<(ResourceId, u64)> {
        let live = self.ledger.claims();
        let mut held = Vec::new();
        while let Some(lease) = live.iter().find(|claim| Some(claim.ticket) == owner) {
            held.extend_from_slice(&lease.demand);
            owner = lease.owner;
        }
        let mut demand = Vec::new();
        for _ in 0..self.dice.pick(&[1, 1, 1, 2]) {
            let mut id = self.dice.pick(&self.ids);
            while held.iter().any(|&(other, _)| other == id) && !self.dice.one_in(9) {
                id = self.dice.pick(&self.ids);
            }
            let most = self.ledger.capacity(id).expect("it is defined");
            if demand.iter().all(|&(other, _)| other != id) {
                demand.push((id, self.dice.within(1, most)));
            }
        }
        demand
    }

    fn leases(&self) -> Vec<Ticket> {
        let held = |claim: &ClaimStatus| claim.status == TicketStatus::Granted;
        self.ledger.claims().iter().filter(|claim| held(claim)).map(|claim| claim.ticket).collect()
    }

    fn options(&mut self, owner: Option<Ticket>) -> ClaimOptions {
        let now = self.ledger.now();
        let second = Duration::from_secs(1);
        ClaimOptions {
            priority: self.dice.below(2) as i32,
            deadline: if self.dice.one_in(16) { now + second } else { Time::NEVER },
            ttl: if self.dice.one_in(16) { second } else { Duration::MAX },
            owner,
        }
    }

    fn step(&mut self, seen: &mut Seen) {
        let leases = self.leases();
        let live = self.ledger.claims().len();
        match self.dice.below(16) {
            0 if !leases.is_empty() => {
                let lease = self.dice.pick(&leases);
                self.ledger.release(lease).unwrap();
            }
            1 => {
                let id = self.dice.pick(&self.ids);
                let permits = self.dice.within(1, 3);
                self.ledger.resize(id, Limit::semaphore(permits).unwrap()).ok();
            }
            2 if !leases.is_empty() => {
                let lease = self.dice.pick(&leases);
                let part = self.dice.pick(&self.ids);
                // Refused where the lease has none.
                self.ledger.release_part(lease, &[(part, 1)]).ok();
            }
            3..11 if !leases.is_empty() && live < MOST => {
                let owner = self.dice.pick(&leases);
                self.claim_under(owner, seen);
            }
            _ if live < MOST => {
                let (demand, options) = (self.demand(None), self.options(None));
                self.ledger.claim(&demand, &options).unwrap();
            }
            _ => {}
        }
        self.listen(seen);
    }

    fn claim_under(&mut self, owner: Ticket, seen: &mut Seen) {
        let (demand, options) = (self.demand(Some(owner)), self.options(Some(owner)));
        let servable = Search::can_be_served(&self.ledger, &demand, owner);
        let before = self.ledger.claims();
        match self.ledger.claim(&demand, &options) {
            Ok(Claimed::Granted(_)) => assert!(servable),
            Ok(Claimed::Waiting(_)) => {
                assert!(servable, "a deadlock was missed: {:#?}", self.ledger.claims());
                seen.waited += 1;
            }
            Err(ClaimError::Deadlock(deadlock)) => {
                assert!(!servable, "a false alarm: {deadlock:?} {:#?}", self.ledger.claims());
                circle::check(&self.ledger, owner, &demand, &deadlock);
                assert_eq!(self.ledger.claims(), before, "a refused claim changes nothing");
                seen.refused += 1;
                seen.own += u64::from(deadlock.cycle.len() == 1);
                seen.long += u64::from(deadlock.cycle.len() > 2);
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// What was woken asks again.
    fn listen(&mut self, seen: &mut Seen) {
        while let Some(event) = self.ledger.poll_event() {
            match event {
                Event::Woken(ticket) => {
                    self.ledger.retry(ticket).ok();
                }
                Event::Rejected(_, Rejection::Deadlock) => seen.rejected += 1,
                _ => {}
            }
        }
    }

    /// Releases what can be released, until nothing is left.
    fn run_down(&mut self, seen: &mut Seen) {
        self.ledger.advance(LATE);
        self.listen(seen);
        while !self.ledger.is_idle() {
            let claims = self.ledger.claims();
            let childless = |&lease: &Ticket| claims.iter().all(|claim| claim.owner != Some(lease));
            let free: Vec<Ticket> = self.leases().into_iter().filter(childless).collect();
            assert!(!free.is_empty(), "they wait for ever: {claims:#?}");
            let lease = self.dice.pick(&free);
            self.ledger.release(lease).unwrap();
            self.listen(seen);
            let now = self.ledger.now();
            self.ledger.advance(now + Duration::from_secs(10));
            self.listen(seen);
        }
    }
}

#[test]
fn a_claim_is_refused_if_and_only_if_no_sequence_of_releases_serves_it() {
    let mut seen = Seen::default();
    for seed in 0..SYSTEMS {
        let mut system = System::new(seed);
        for _ in 0..24 {
            system.step(&mut seen);
        }
        system.run_down(&mut seen);
    }
    let &Seen { refused, waited, long, own, rejected } = &seen;
    assert!(refused > SYSTEMS / 2 && waited > SYSTEMS / 2, "{seen:?}");
    assert!(long > 20 && own > 20 && rejected > 20, "{seen:?}");
}
