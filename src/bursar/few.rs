//! A demand on its way to the ledger: a few pairs of a resource and its units, without an allocation
//! where there are up to four. Written for the path of every claim: nothing large is moved about.

use crate::ledger::ResourceId;

/// Reads a caller's pairs and hands them on by name.
///
/// This runs the caller's iterator and the keys' `AsRef`, so it is not to be done under a lock.
#[inline]
pub(super) fn with_names<K: AsRef<str>, R>(
    pairs: impl IntoIterator<Item = (K, u64)>,
    call: impl FnOnce(&[(&str, u64)]) -> R,
) -> R {
    fn named<K: AsRef<str>>((key, units): &(K, u64)) -> (&str, u64) {
        (key.as_ref(), *units)
    }
    let mut pairs = pairs.into_iter();
    let first: [Option<(K, u64)>; 5] = std::array::from_fn(|_| pairs.next());
    match &first {
        [None, ..] => call(&[]),
        [Some(a), None, ..] => call(&[named(a)]),
        [Some(a), Some(b), None, ..] => call(&[named(a), named(b)]),
        [Some(a), Some(b), Some(c), None, _] => call(&[named(a), named(b), named(c)]),
        [Some(a), Some(b), Some(c), Some(d), None] => {
            call(&[named(a), named(b), named(c), named(d)])
        }
        _ => {
            let rest: Vec<_> = pairs.collect();
            let all: Vec<_> = first.iter().flatten().chain(&rest).map(named).collect();
            call(&all)
        }
    }
}

const INLINE: usize = 4;

/// Pairs of a resource and its units, as the ledger wants them.
pub(super) struct Units {
    len: usize,
    inline: [(ResourceId, u64); INLINE],
    spill: Vec<(ResourceId, u64)>,
}

impl Units {
    #[inline]
    pub(super) fn new() -> Self {
        Units { len: 0, inline: [(ResourceId::from_index(0), 0); INLINE], spill: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, id: ResourceId, units: u64) {
        if let Some(place) = self.inline.get_mut(self.len) {
            *place = (id, units);
        } else {
            self.spill(id, units);
        }
        self.len += 1;
    }

    #[cold]
    fn spill(&mut self, id: ResourceId, units: u64) {
        if self.len == INLINE {
            self.spill.extend_from_slice(&self.inline);
        }
        self.spill.push((id, units));
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[(ResourceId, u64)] {
        self.inline.get(..self.len).unwrap_or(&self.spill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_keep_their_order_however_many_there_are() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        for len in 0..=names.len() {
            let pairs: Vec<_> = names[..len].iter().copied().zip(1..).collect();
            with_names(pairs.clone(), |named| assert_eq!(named, pairs));
            let ids: Vec<_> = (0..len as u32).map(ResourceId::from_index).zip(1..).collect();
            let mut few = Units::new();
            for &(id, units) in &ids {
                few.push(id, units);
            }
            assert_eq!(few.as_slice(), ids);
        }
    }
}
