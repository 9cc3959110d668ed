//! Deadlines of waiting claims, and the ends of leases with a time to live. Alarms ring by time, then by
//! arrival of their claims.

use super::claims::{Claims, NONE};
use super::heap::{Entry, Heap};
use super::time::Time;

#[derive(Clone, Debug)]
pub(crate) struct Alarms(Heap);

impl Alarms {
    pub(crate) const fn new() -> Self {
        Alarms(Heap::new(|claim| &mut claim.alarm))
    }

    pub(crate) fn next(&self) -> Time {
        self.0.first().map_or(Time::NEVER, |alarm| Time::from_nanos(alarm.at))
    }

    /// Whose alarm rings first, if it is due.
    pub(crate) fn due(&self, now: Time) -> Option<u32> {
        self.0.first().filter(|alarm| alarm.at <= now.as_nanos()).map(|alarm| alarm.slot)
    }

    /// When the alarm at this place rings.
    pub(crate) fn of(&self, place: u32) -> Time {
        self.0.get(place).map_or(Time::NEVER, |alarm| Time::from_nanos(alarm.at))
    }

    /// Sets the claim's alarm; it must have none.
    pub(crate) fn set(&mut self, slot: u32, at: Time, claims: &mut Claims) {
        debug_assert_eq!(claims.get(slot).alarm, NONE);
        if at != Time::NEVER {
            let then = claims.get(slot).number();
            self.0.insert(Entry { at: at.as_nanos(), then, slot }, claims);
        }
    }

    /// Takes the claim's alarm away, if it has one.
    #[inline(always)]
    pub(crate) fn clear(&mut self, slot: u32, claims: &mut Claims) {
        if claims.get(slot).alarm != NONE {
            self.0.remove(slot, claims);
        }
    }
}
