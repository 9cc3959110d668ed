//! Families: a limit for every key, known before the keys are.
//!
//! A family is a template. The resource named `family/key` springs up when it is first asked for, and is
//! an ordinary resource from then on. It is forgotten when it is *idle*: no lease has units of it, nobody
//! waits for it, a bucket is full again, no pause or limit of its own is set. Then it is what would spring
//! up in its place, so nothing is lost: no permit is lent twice, and a bucket's guarantee holds across.
//!
//! **When.** Whoever makes a member first looks at a few others, a hand going round the family, and forgets
//! those that are idle. So forgetting costs no timer and no list of the idle, it follows from the calls
//! alone, and a million keys that are seen one after the other take the room of a few. Where a family is
//! full, the hand goes on until it finds one that is idle, or all the way round.
//!
//! Whether a member is idle is asked of what is there anyway, so claims and releases do not know of
//! families.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use super::Ledger;
use super::error::ResourceError;
use super::event::Rejection;
use super::limit::Limit;
use super::ticket::ResourceId;

/// So many members are looked at before one is made: more than one, so that the idle become fewer.
const LOOKS: usize = 4;

/// Parts a family's name from a key, the first of them in a member's name.
const PARTS: char = '/';

#[derive(Clone, Debug)]
pub(crate) struct Templates {
    /// By the order of definition.
    pub(super) list: Vec<Template>,
    forgotten: Vec<ResourceId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(super) name: Box<str>,
    pub(super) limit: Limit,
    pub(super) max_keys: u32,
    /// The resources that have sprung up and have not been forgotten.
    pub(super) members: Vec<ResourceId>,
    /// The place in `members` that is looked at next.
    pub(super) hand: usize,
}

/// How a family stands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FamilyStatus<'a> {
    /// Its name.
    pub name: &'a str,
    /// The limit that each key has.
    pub limit: Limit,
    /// How many keys there can be at one time.
    pub max_keys: u32,
    /// How many there are: all that are in use, and some that are idle and not forgotten yet.
    pub keys: u32,
}

impl Templates {
    pub(crate) const fn new() -> Self {
        Templates { list: Vec::new(), forgotten: Vec::new() }
    }

    /// The family of this name.
    fn place(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|family| *family.name == *name)
    }

    /// The family in which this name is that of a member.
    pub(super) fn place_of(&self, member: &str) -> Option<usize> {
        let (family, _) = member.split_once(PARTS)?;
        self.place(family)
    }

    /// Whether there is a family of buckets: its members begin full, at the moment when they spring up.
    pub(super) fn need_time(&self) -> bool {
        self.list.iter().any(|family| matches!(family.limit, Limit::TokenBucket { .. }))
    }

    /// Whether a resource can have this name.
    pub(super) fn allow(&self, name: &str) -> Result<(), ResourceError> {
        if self.place(name).is_some() {
            return Err(ResourceError::DuplicateName);
        }
        if self.place_of(name).is_some() {
            return Err(ResourceError::NameInFamily);
        }
        Ok(())
    }
}

impl Ledger {
    /// Adds a family: every name of the form `name/key`, whatever the key, is a resource with this limit
    /// as soon as it is [asked for](Self::member), until it is idle. No more than `max_keys` at one time.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if the name is empty, in use, or has a `/`; if a resource has a name that would be
    /// a member's; if `max_keys` is 0.
    pub fn define_family(
        &mut self,
        name: &str,
        limit: Limit,
        max_keys: u32,
    ) -> Result<(), ResourceError> {
        self.add_family(name, limit, max_keys)?;
        if self.any_other_within_families() {
            self.templates.list.pop();
            return Err(ResourceError::NamesInUse);
        }
        Ok(())
    }

    pub(super) fn add_family(
        &mut self,
        name: &str,
        limit: Limit,
        max_keys: u32,
    ) -> Result<(), ResourceError> {
        if name.is_empty() {
            return Err(ResourceError::EmptyName);
        }
        if name.contains(PARTS) {
            return Err(ResourceError::SlashInFamilyName);
        }
        if max_keys == 0 {
            return Err(ResourceError::ZeroKeys);
        }
        if self.resources.id(name).is_some() || self.templates.place(name).is_some() {
            return Err(ResourceError::DuplicateName);
        }
        let (members, hand) = (Vec::new(), 0);
        self.templates.list.push(Template { name: name.into(), limit, max_keys, members, hand });
        Ok(())
    }

    /// Whether a resource that is no family's has a name that is.
    pub(super) fn any_other_within_families(&self) -> bool {
        let within = |id| self.name(id).is_some_and(|name| self.templates.place_of(name).is_some());
        self.resources.ids().any(|id| !self.resources.is_member(id) && within(id))
    }

    /// The resource of this name, which may be a member of a family: then it springs up if it is not there.
    /// Others of the family may be [forgotten](Self::forgotten) in its favour, but none of this `demand`,
    /// which is what has been found so far for the same claim.
    ///
    /// The time must have been told before, as for a claim.
    ///
    /// # Errors
    ///
    /// [`ResourceError::Unknown`] if no resource has the name, nor a family the part before its first `/`;
    /// [`ResourceError::FamilyFull`] if the family has no room.
    ///
    /// ```
    /// use bursar::ledger::*;
    ///
    /// let mut ledger = Ledger::new(Policy::default());
    /// ledger.define_family("origin", Limit::semaphore(6)?, 100_000)?;
    /// let origin = ledger.member("origin/https://example.org", &[])?;
    /// ledger.claim(&[(origin, 1)], &ClaimOptions::default())?;
    /// assert_eq!(ledger.available(origin), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn member(
        &mut self,
        name: &str,
        demand: &[(ResourceId, u64)],
    ) -> Result<ResourceId, ResourceError> {
        self.templates.forgotten.clear();
        if let Some(id) = self.resources.id(name) {
            return Ok(id);
        }
        let place = self.templates.place_of(name).ok_or(ResourceError::Unknown)?;
        for _ in 0..LOOKS.min(self.templates.list[place].members.len()) {
            self.look(place, demand);
        }
        let Template { limit, max_keys, ref members, .. } = self.templates.list[place];
        if members.len() >= max_keys as usize
            && !(0..members.len()).any(|_| self.look(place, demand))
        {
            return Err(ResourceError::FamilyFull { max_keys });
        }
        let id = self.resources.define(name, limit, true, self.now)?;
        self.templates.list[place].members.push(id);
        Ok(id)
    }

    /// The resources that the last call of [`member`](Self::member) forgot. Their numbers are used again; a
    /// driver that remembers which name has which number drops these.
    pub fn forgotten(&self) -> &[ResourceId] {
        &self.templates.forgotten
    }

    /// The limit that a resource of this name has when it springs up; `None` if no family would make it.
    pub fn template(&self, name: &str) -> Option<Limit> {
        let place = self.templates.place_of(name)?;
        Some(self.templates.list[place].limit)
    }

    /// The family of this name.
    pub fn family(&self, name: &str) -> Option<FamilyStatus<'_>> {
        let place = self.templates.place(name)?;
        self.families().nth(place)
    }

    /// All families, in the order of definition.
    pub fn families(&self) -> impl Iterator<Item = FamilyStatus<'_>> {
        self.templates.list.iter().map(|family| FamilyStatus {
            name: &family.name,
            limit: family.limit,
            max_keys: family.max_keys,
            keys: family.members.len() as u32,
        })
    }

    /// Whether a resource is one of a family's.
    pub fn is_member(&self, id: ResourceId) -> bool {
        self.resources.get(id).is_some() && self.resources.is_member(id)
    }

    /// Sets the limit of a family, for all keys, those that were [resized](Self::resize) alone as well.
    /// Otherwise as if each were resized, in one step.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if there is no such family, or it is of the other kind.
    pub fn resize_family(&mut self, name: &str, limit: Limit) -> Result<(), ResourceError> {
        let place = self.templates.place(name).ok_or(ResourceError::Unknown)?;
        let family = &mut self.templates.list[place];
        if !family.limit.is_like(limit) {
            return Err(ResourceError::KindChanged);
        }
        family.limit = limit;
        let members = family.members.clone();
        for &id in &members {
            self.resources.resize(id, limit, self.now)?;
        }
        self.reject_members(&members, limit.capacity(), Rejection::ExceedsCapacity);
        self.break_deadlocks();
        self.refill_due = None;
        for &id in &members {
            self.touch(id);
        }
        self.settle();
        Ok(())
    }

    /// Takes a family away, with all its resources, as [`remove`](Self::remove) does.
    ///
    /// # Errors
    ///
    /// [`ResourceError`] if there is no such family.
    pub fn remove_family(&mut self, name: &str) -> Result<(), ResourceError> {
        let place = self.templates.place(name).ok_or(ResourceError::Unknown)?;
        let members = self.templates.list.remove(place).members;
        self.reject_members(&members, 0, Rejection::ResourceRemoved);
        for &id in &members {
            self.resources.remove(id, self.now)?;
        }
        self.refill_due = None;
        self.settle();
        Ok(())
    }

    /// Rejects those who want more of any of these than it can ever give; the caller settles.
    fn reject_members(&mut self, members: &[ResourceId], capacity: u64, why: Rejection) {
        let mut among = vec![false; self.resources.parts().0.len()];
        for &id in members {
            among[id.at()] = true;
        }
        let never = self.claims.waiting_where(&|claim| {
            claim.demand.iter().any(|(id, units)| units > capacity && among[id.at()])
        });
        self.reject(never, why);
    }

    /// Looks at the member at the hand, and moves the hand on or forgets it. Whether it was forgotten.
    fn look(&mut self, place: usize, demand: &[(ResourceId, u64)]) -> bool {
        let family = &mut self.templates.list[place];
        if family.hand >= family.members.len() {
            family.hand = 0;
        }
        let Some(&id) = family.members.get(family.hand) else { return false };
        let needed = demand.iter().any(|pair| pair.0 == id);
        let fresh = self.resources.is_fresh(id, family.limit, self.now);
        // A woken claim is not in the line, but something is kept for it.
        if needed || !fresh || self.line.is_wanted(id) || self.barriers.keep_any(id) {
            family.hand += 1;
            return false;
        }
        family.members.swap_remove(family.hand);
        self.resources.forget(id, self.now);
        self.templates.forgotten.push(id);
        true
    }
}
