//! What the parked claims want: one to three of eight resources, more or less alike.

use bursar::ledger::{Ledger, Policy, ResourceId};

use super::dice::Dice;
use super::semaphores;

const RESOURCES: u32 = 8;
const PRIORITIES: u64 = 100;

/// A demand of up to three resources, and a priority.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    pairs: [(ResourceId, u64); 3],
    len: usize,
    pub(crate) priority: i32,
}

impl Want {
    pub(crate) fn new(demand: &[(ResourceId, u64)]) -> Self {
        let mut pairs = [demand[0]; 3];
        pairs[..demand.len()].copy_from_slice(demand);
        Want { pairs, len: demand.len(), priority: 0 }
    }

    pub(crate) fn demand(&self) -> &[(ResourceId, u64)] {
        &self.pairs[..self.len]
    }
}

/// Says what the next claim wants.
pub(crate) type Wants = Box<dyn FnMut() -> Want>;

/// How many different demands there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variety {
    Few,
    Thousands,
    Endless,
}

impl Variety {
    pub(crate) const ALL: [Variety; 3] = [Variety::Few, Variety::Thousands, Variety::Endless];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Variety::Few => "12 demands",
            Variety::Thousands => "4096 demands",
            Variety::Endless => "all different",
        }
    }

    /// A ledger of eight semaphores, each of which does for some thirty claims, and endless claims.
    pub(crate) fn workload(self, policy: Policy, prioritised: bool) -> (Ledger, Wants) {
        let most = match self {
            Variety::Few => 4,
            Variety::Thousands => 1 << 16,
            Variety::Endless => 1 << 40,
        };
        let mut ledger = Ledger::new(policy);
        let resources = semaphores(&mut ledger, RESOURCES, 16 * most);
        let mut dice = Dice::new(7);
        let count = match self {
            Variety::Few => 12,
            Variety::Thousands => 4_096,
            Variety::Endless => 0,
        };
        let known: Vec<Want> = (0..count).map(|_| any(&resources, most, &mut dice)).collect();
        let wants = move || {
            let mut want = match known.len() {
                0 => any(&resources, most, &mut dice),
                len => known[dice.place(len)],
            };
            if prioritised {
                want.priority = dice.roll(PRIORITIES) as i32;
            }
            want
        };
        (ledger, Box::new(wants))
    }
}

fn any(resources: &[ResourceId], most: u64, dice: &mut Dice) -> Want {
    let mut places = [0; 3];
    let len = 1 + dice.place(places.len());
    for at in 0..len {
        places[at] = loop {
            let place = dice.place(resources.len());
            if !places[..at].contains(&place) {
                break place;
            }
        };
    }
    Want::new(&places.map(|place| (resources[place], 1 + dice.roll(most)))[..len])
}
