//! What a claim wants, or a lease has: units of one or more resources.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::error::ClaimError;
use super::ticket::ResourceId;

/// Demands of up to so many resources need no allocation.
const INLINE: usize = 4;

/// Resources in ascending order, each once, with their units. Two plain arrays: the waiting line
/// compares and searches the units apart from the names.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    len: u32,
    ids: [ResourceId; INLINE],
    units: [u64; INLINE],
    spill: Option<Box<Spill>>,
}

#[derive(Clone, Debug)]
struct Spill {
    ids: Vec<ResourceId>,
    units: Vec<u64>,
}

impl Demand {
    pub(crate) const NONE: Demand =
        Demand { len: 0, ids: [ResourceId(0); INLINE], units: [0; INLINE], spill: None };

    /// Sorts the pairs in and checks what needs no knowledge of the resources. In place: a demand is too
    /// large to be passed around on the way of a claim. What is left after an error is no demand.
    pub(crate) fn fill(&mut self, pairs: &[(ResourceId, u64)]) -> Result<(), ClaimError> {
        if let [(id, units @ 1..)] = *pairs {
            (self.len, self.ids[0], self.units[0]) = (1, id, units);
            self.spill = None;
            return Ok(());
        }
        self.sort(pairs);
        self.check()
    }

    /// As [`fill`](Self::fill) for a few pairs of one unit or more each. Whether each is of another
    /// resource; if not, what is left is no demand.
    #[inline(always)]
    pub(crate) fn fill_plainly(&mut self, pairs: &[(ResourceId, u64)]) -> bool {
        if pairs.len() > INLINE || self.spill.is_some() {
            return false;
        }
        self.len = pairs.len() as u32;
        for (len, &(id, units)) in pairs.iter().enumerate() {
            let mut place = len;
            while place > 0 && self.ids[place - 1] >= id {
                if self.ids[place - 1] == id {
                    return false;
                }
                self.ids[place] = self.ids[place - 1];
                self.units[place] = self.units[place - 1];
                place -= 1;
            }
            self.ids[place] = id;
            self.units[place] = units;
        }
        !pairs.is_empty()
    }

    /// Sorts the pairs in, unchecked.
    pub(crate) fn sort(&mut self, pairs: &[(ResourceId, u64)]) {
        self.len = pairs.len() as u32;
        self.spill = None;
        if pairs.len() > INLINE {
            self.spill = Some(Box::new(spilled(pairs)));
            return;
        }
        for (len, &(id, units)) in pairs.iter().enumerate() {
            let mut place = len;
            while place > 0 && self.ids[place - 1] > id {
                self.ids[place] = self.ids[place - 1];
                self.units[place] = self.units[place - 1];
                place -= 1;
            }
            self.ids[place] = id;
            self.units[place] = units;
        }
    }

    fn check(&self) -> Result<(), ClaimError> {
        if self.len == 0 {
            return Err(ClaimError::EmptyDemand);
        }
        if let Some(pair) = self.ids().windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ClaimError::DuplicateResource(pair[0]));
        }
        match self.iter().find(|&(_, units)| units == 0) {
            Some((id, _)) => Err(ClaimError::ZeroUnits(id)),
            None => Ok(()),
        }
    }

    #[inline(always)]
    pub(crate) fn ids(&self) -> &[ResourceId] {
        match &self.spill {
            None => &self.ids[..self.len as usize & 7],
            Some(spill) => &spill.ids,
        }
    }

    #[inline(always)]
    pub(crate) fn units(&self) -> &[u64] {
        match &self.spill {
            None => &self.units[..self.len as usize & 7],
            Some(spill) => &spill.units,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ResourceId, u64)> {
        self.ids().iter().copied().zip(self.units().iter().copied())
    }

    /// The resource and its units, if it is just one.
    #[inline(always)]
    pub(crate) fn only(&self) -> Option<(ResourceId, u64)> {
        (self.len == 1).then_some((self.ids[0], self.units[0]))
    }

    /// Whether [`few`](Self::few) gives all.
    #[inline(always)]
    pub(crate) fn are_few(&self) -> bool {
        self.spill.is_none()
    }

    /// All of them if they are few enough to be kept inline, else none.
    #[inline(always)]
    pub(crate) fn few(&self) -> impl Iterator<Item = (ResourceId, u64)> {
        let len = if self.are_few() { self.len as usize } else { 0 };
        self.ids.iter().copied().zip(self.units).take(len)
    }

    /// The units of one resource, if it is among them.
    pub(crate) fn of(&self, id: ResourceId) -> Option<u64> {
        let place = self.ids().iter().position(|&own| own == id)?;
        Some(self.units()[place])
    }

    /// The units of one resource, to be changed.
    pub(crate) fn of_mut(&mut self, id: ResourceId) -> Option<&mut u64> {
        let place = self.ids().iter().position(|&own| own == id)?;
        match &mut self.spill {
            None => self.units.get_mut(place),
            Some(spill) => spill.units.get_mut(place),
        }
    }
}

#[cold]
fn spilled(pairs: &[(ResourceId, u64)]) -> Spill {
    let mut spill = Spill { ids: Vec::new(), units: Vec::new() };
    for &(id, units) in pairs {
        let place = spill.ids.partition_point(|&other| other <= id);
        spill.ids.insert(place, id);
        spill.units.insert(place, units);
    }
    spill
}
