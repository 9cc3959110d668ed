//! Families to bytes and back. Which resources are a family's is told here and nowhere else.

use super::SnapshotError;
use super::codec::{Reader, Writer};
use super::read::{DAMAGED, ensure};
use crate::ledger::Ledger;
use crate::ledger::bucket::Bucket;
use crate::ledger::limit::{Limit, MAX_UNITS, Rate};
use crate::ledger::ticket::ResourceId;
use crate::ledger::time::Time;

impl Ledger {
    pub(super) fn write_families(&self, out: &mut Writer) {
        out.number(self.templates.list.len() as u64);
        for family in &self.templates.list {
            out.text(&family.name);
            write_limit(family.limit, out);
            out.number(family.max_keys);
            out.number(family.hand as u64);
            out.number(family.members.len() as u64);
            for id in &family.members {
                out.number(id.index());
            }
        }
    }

    pub(super) fn read_families(&mut self, from: &mut Reader<'_>) -> Result<(), SnapshotError> {
        for place in 0..from.count()? {
            let (name, limit, max_keys) = (from.text()?, read_limit(from)?, from.number()?);
            self.add_family(name, limit, max_keys).map_err(|_| DAMAGED)?;
            let hand = from.number()?;
            for _ in 0..from.count()? {
                let id = ResourceId::from_index(from.number()?);
                let own = self.name(id).and_then(|name| self.templates.place_of(name));
                ensure(own == Some(place) && !self.resources.is_member(id))?;
                ensure(self.limit(id).is_some_and(|own| own.is_like(limit)))?;
                self.resources.mark_member(id);
                self.templates.list[place].members.push(id);
            }
            let family = &mut self.templates.list[place];
            family.hand = hand;
            let keys = family.members.len();
            ensure(keys <= max_keys as usize && hand <= keys)?;
        }
        ensure(!self.any_other_within_families())
    }
}

fn write_limit(limit: Limit, out: &mut Writer) {
    match limit {
        Limit::Semaphore { permits } => {
            out.number(0u8);
            out.number(permits);
        }
        Limit::TokenBucket { rate, burst } => {
            out.number(1u8);
            out.number(burst);
            out.number(rate.units);
            out.number(rate.nanos);
        }
    }
}

fn read_limit(from: &mut Reader<'_>) -> Result<Limit, SnapshotError> {
    let (kind, capacity) = (from.number()?, from.number()?);
    ensure((1..=MAX_UNITS).contains(&capacity))?;
    match kind {
        0u8 => Ok(Limit::Semaphore { permits: capacity }),
        1 => {
            let rate = Rate { units: from.number()?, nanos: from.number()? };
            ensure(Bucket::full(rate, capacity, Time::ZERO).is_sound())?;
            Ok(Limit::TokenBucket { rate, burst: capacity })
        }
        _ => Err(DAMAGED),
    }
}
