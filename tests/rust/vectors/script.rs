//! Random sequences of calls, good and bad, the same for the same seed.

use std::fmt;

use bursar::ledger::{ClaimStatus, ResourceId, TicketStatus};

use super::machine::{Machine, Policy};
use super::shown;
use crate::dice::Dice;

const ROUNDS: u64 = 240;
const NEVER: f64 = f64::INFINITY;

/// A call and what came of it.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    args: Vec<f64>,
    result: Option<f64>,
    pub(crate) row: Vec<f64>,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        for &number in &self.args {
            write!(f, " {}", shown(number))?;
        }
        if let Some(result) = self.result {
            write!(f, " -> {}", shown(result))?;
        }
        for (place, &number) in self.row.iter().enumerate() {
            write!(f, "{} {}", if place == 0 { ":" } else { "" }, shown(number))?;
        }
        Ok(())
    }
}

struct Script {
    dice: Dice,
    machine: Machine,
    /// Milliseconds.
    now: f64,
    lines: Vec<Line>,
}

pub(crate) fn script(seed: u64, policy: Policy) -> Vec<Line> {
    let (dice, machine) = (Dice::new(seed), Machine::new(policy));
    let mut script = Script { dice, machine, now: 0.0, lines: Vec::new() };
    script.call("needs_time", &[]);
    for limit in [
        [0.0, 3.0, 0.0, 0.0],
        [1.0, 50.0, 5.0, 0.0],
        [0.0, 9_007_199_254_740_991.0, 0.0, 0.0],
        [2.0, 75.0, 60_000.0, 5.0],
        [0.0, 8.0, 0.0, 0.0],
    ] {
        script.call("define", &limit);
    }
    script.cross();
    for round in 0..ROUNDS {
        script.round();
        if round % 24 == 23 {
            script.report();
        }
        if round == ROUNDS - 20 {
            script.call("close", &[1.0]);
        }
    }
    script.call("close", &[0.0]);
    script.report();
    script.lines
}

impl Script {
    /// Makes the call, and asks why if it is refused.
    fn call(&mut self, name: &'static str, args: &[f64]) -> Option<f64> {
        let outcome = self.machine.call(name, args);
        let (args, result) = (args.to_vec(), outcome.result);
        self.lines.push(Line { name, args, result, row: outcome.row });
        let looks = ["capacity", "available", "held", "position"];
        if result == Some(super::machine::REFUSED) && !looks.contains(&name) {
            self.call("last_error", &[]);
        }
        result
    }

    /// Two leases whose claims wait for each other: the second is refused, and later one is rejected.
    fn cross(&mut self) {
        let (slots, size) = (0.0, 4.0);
        let first = self.call("claim1", &[slots, 2.0]).expect("it has a result");
        let second = self.call("claim1", &[size, 8.0]).expect("it has a result");
        let waiting = self.claim_under(first, size, 1.0);
        self.claim_under(second, slots, 2.0);
        let third = self.claim_under(second, slots, 1.0);
        self.claim_under(second, slots, 1.0);
        self.call("resize", &[slots, 0.0, 2.0, 0.0, 0.0]);
        for number in [third, -1.0 - waiting, second, first] {
            self.call("cancel", &[number]);
        }
        self.call("flush", &[]);
        self.call("resize", &[slots, 0.0, 3.0, 0.0, 0.0]);
    }

    fn claim_under(&mut self, owner: f64, id: f64, units: f64) -> f64 {
        self.put(&[(id, units)]);
        self.call("under", &[owner]);
        self.call("claim_put", &[1.0]).expect("it has a result")
    }

    fn round(&mut self) {
        match self.dice.below(40) {
            0..=11 => self.claim(),
            12..=18 => self.give(),
            19..=25 => self.steer(),
            26..=32 => self.tell_time(),
            33..=35 => self.manage(),
            36 => self.bad(),
            _ => self.look(),
        }
    }

    fn claim(&mut self) {
        let pairs = self.demand();
        let flat: Vec<f64> = pairs.iter().flat_map(|&(id, units)| [id, units]).collect();
        let only_try = self.dice.one_in(5);
        if pairs.len() <= 3 && !pairs.is_empty() && !self.dice.one_in(3) {
            let names =
                if only_try { ["try1", "try2", "try3"] } else { ["claim1", "claim2", "claim3"] };
            self.call(names[pairs.len() - 1], &flat);
        } else {
            self.put(&pairs);
            if !self.dice.one_in(4) {
                let priority = self.dice.pick(&[0.0, 0.0, 1.0, -1.0, 2_147_483_647.0]);
                let deadline = self.now + self.halves(400);
                let deadline = if self.dice.one_in(2) { deadline } else { NEVER };
                let ttl = if self.dice.one_in(3) { self.halves(400) } else { NEVER };
                self.call("options", &[priority, deadline, ttl]);
            }
            if self.dice.one_in(3) {
                let owner = self.ticket(TicketStatus::Granted);
                self.call("under", &[owner]);
            }
            self.call("claim_put", &[if only_try { 0.0 } else { 1.0 }]);
        }
        self.call("flush", &[]);
    }

    fn put(&mut self, pairs: &[(f64, f64)]) {
        for &(id, units) in pairs {
            self.call("put", &[id, units]);
        }
    }

    /// One to four resources, each once; rarely nonsense.
    fn demand(&mut self) -> Vec<(f64, f64)> {
        if self.dice.one_in(15) {
            let bad = [(0.0, 0.0), (1.0, 1.5), (0.0, -1.0), (2.0, 9_007_199_254_740_992.0)];
            let bad = self.dice.pick(&[&bad[..1], &bad[1..2], &bad[2..3], &bad[3..], &[], &bad]);
            let unknown = (77.0, 1.0);
            return if self.dice.one_in(4) { vec![unknown] } else { bad.to_vec() };
        }
        let ids: Vec<ResourceId> = self.machine.ledger.resources().collect();
        let wanted = self.dice.pick(&[1, 1, 1, 2, 2, 3, 4]);
        let mut pairs: Vec<(f64, f64)> = Vec::new();
        for _ in 0..wanted {
            let id = self.dice.pick(&ids);
            let capacity = self.machine.ledger.capacity(id).expect("it is listed");
            let units = match self.dice.below(6) {
                0 => capacity,
                1 => capacity.div_ceil(2),
                _ => self.dice.within(1, capacity.min(3)),
            };
            if pairs.iter().all(|pair| pair.0 as u32 != id.index()) {
                pairs.push((f64::from(id.index()), units as f64));
            }
        }
        pairs
    }

    /// A claim in this state, if there is one; rarely any, or a slot that nobody has.
    fn ticket(&mut self, status: TicketStatus) -> f64 {
        let mut claims: Vec<ClaimStatus> = self.machine.ledger.claims();
        if !self.dice.one_in(12) {
            claims.retain(|claim| claim.status == status);
        }
        if claims.is_empty() || self.dice.one_in(25) {
            return self.dice.pick(&[16_777_215.0, 999.0]);
        }
        claims[self.dice.below(claims.len() as u64) as usize].ticket.slot().into()
    }

    /// A lease, and some of what it has.
    fn lease(&mut self) -> (f64, Vec<(f64, f64)>) {
        let number = self.ticket(TicketStatus::Granted);
        let own = self
            .machine
            .ledger
            .claims()
            .into_iter()
            .find(|claim| claim.ticket.slot() == number as u32);
        let mut part: Vec<(f64, f64)> = Vec::new();
        for &(id, units) in own.iter().flat_map(|claim| &claim.demand) {
            if part.is_empty() || self.dice.one_in(2) {
                let units = self.dice.within(units.min(1), (units + 1).min(6));
                part.push((f64::from(id.index()), units as f64));
            }
        }
        (number, part)
    }

    fn give(&mut self) {
        match self.dice.below(4) {
            0 | 1 => {
                let number = self.ticket(TicketStatus::Granted);
                self.call("release", &[number]);
            }
            turn => {
                let (number, part) = self.lease();
                self.put(&part);
                let name = if turn == 2 { "release_part" } else { "settle_use" };
                self.call(name, &[number]);
            }
        }
    }

    fn steer(&mut self) {
        match self.dice.below(6) {
            0 => {
                let number = self.ticket(TicketStatus::Waiting);
                self.call("cancel", &[number]);
                self.call("flush", &[]);
            }
            5 => {
                for _ in 0..self.dice.below(4) {
                    let status = self.dice.pick(&[TicketStatus::Waiting, TicketStatus::Granted]);
                    let number = self.ticket(status);
                    self.call("cancel", &[number]);
                }
                self.call("flush", &[]);
            }
            1 => {
                let number = self.ticket(TicketStatus::Granted);
                self.call("cancel", &[number]);
                self.call("flush", &[]);
            }
            2 => {
                let number = self.ticket(TicketStatus::Waiting);
                let priority = self.dice.pick(&[0.0, 1.0, -1.0, -2_147_483_648.0]);
                self.call("set_priority", &[number, priority]);
            }
            _ => {
                let number = self.ticket(TicketStatus::Waiting);
                self.call("retry", &[number]);
                self.call("flush", &[]);
            }
        }
    }

    /// Up to so many milliseconds, in halves.
    fn halves(&mut self, most: u64) -> f64 {
        self.dice.within(1, 2 * most) as f64 / 2.0
    }

    fn tell_time(&mut self) {
        let later = match self.dice.below(4) {
            0 => self.now + self.halves(20),
            1 => self.now + self.halves(2_000),
            _ => {
                let wakeup = self.call("next_wakeup", &[]).expect("it has a result");
                if wakeup == NEVER { self.now + 1.0 } else { (wakeup * 2.0).ceil() / 2.0 }
            }
        };
        // Time never goes back, but a caller's clock may.
        let told = if self.dice.one_in(20) { self.now / 2.0 } else { later };
        let told = (told * 2.0).floor() / 2.0;
        self.now = self.now.max(told);
        self.call("advance", &[told]);
    }

    fn limit(&mut self) -> [f64; 4] {
        match self.dice.below(4) {
            0 | 1 => [0.0, self.dice.within(1, 9) as f64, 0.0, 0.0],
            2 => {
                let rate = self.dice.pick(&[50.0, 3.0, 0.1, 1.0 / 3.0, 1234.5678, 1e9]);
                [1.0, rate, self.dice.within(1, 9) as f64, 0.0]
            }
            _ => [2.0, self.dice.within(10, 99) as f64, 1_000.5, self.dice.within(1, 9) as f64],
        }
    }

    fn any_id(&mut self) -> f64 {
        self.dice.pick(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    }

    fn manage(&mut self) {
        let id = self.any_id();
        match self.dice.below(9) {
            0..=2 => {
                let until = self.now + self.halves(100);
                let until = self.dice.pick(&[until, until, until, 0.0, 0.0, NEVER]);
                self.call("pause", &[id, until]);
            }
            3 | 4 => {
                let level = self.dice.below(8) as f64;
                self.call("set_level", &[id, level]);
            }
            5 | 6 => {
                let [kind, x, y, z] = self.limit();
                self.call("resize", &[id, kind, x, y, z]);
            }
            7 => {
                self.call("remove", &[id]);
            }
            _ => {}
        }
        // There are five most of the time.
        if self.machine.ledger.resources().count() < 5 {
            let limit = self.limit();
            self.call("define", &limit);
        }
    }

    /// What the package checks before it gets to the ledger.
    fn bad(&mut self) {
        let limit = self.dice.pick(&[
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.5, 0.0, 0.0],
            [1.0, 0.0, 1.0, 0.0],
            [1.0, f64::NAN, 1.0, 0.0],
            [1.0, NEVER, 1.0, 0.0],
            [2.0, 10.0, 1_000.0, 10.0],
            [2.0, 10.0, 0.0, 1.0],
        ]);
        self.call("define", &limit);
        self.call("resize", &[0.0, limit[0], limit[1], limit[2], limit[3]]);
        self.call("pause", &[99.0, 0.0]);
        self.call("claim_put", &[1.0]);
    }

    /// Everything.
    fn report(&mut self) {
        self.call("is_closed", &[]);
        for id in [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] {
            self.call("status", &[id]);
        }
        self.call("snapshot", &[]);
    }

    fn look(&mut self) {
        let id = self.any_id();
        for name in ["capacity", "available", "held"] {
            self.call(name, &[id]);
        }
        for name in ["waiting", "leases", "needs_time"] {
            self.call(name, &[]);
        }
        let number = self.ticket(TicketStatus::Waiting);
        self.call("position", &[number]);
        self.call("shortage", &[number]);
    }
}
