//! Finding things by their hash: names, and sets of resources.
//!
//! A table of numbers with linear probing; those that a hash leads to are told apart by asking. Its order
//! can reach no outcome, since it is never walked.

use alloc::vec::Vec;

const EMPTY: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    /// Hash and number. As long as a power of two, and at least a quarter of it empty.
    table: Vec<(u32, u32)>,
    count: usize,
}

impl Lookup {
    pub(crate) const fn new() -> Self {
        Lookup { table: Vec::new(), count: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The number with this hash that `is` the one.
    pub(crate) fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.place(hash, is).map(|place| self.table[place].1)
    }

    fn place(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<usize> {
        let mask = self.table.len().checked_sub(1)?;
        let mut place = hash as usize & mask;
        loop {
            let (other, number) = self.table[place];
            if number == EMPTY {
                return None;
            }
            if other == hash && is(number) {
                return Some(place);
            }
            place = (place + 1) & mask;
        }
    }

    pub(crate) fn insert(&mut self, hash: u32, number: u32) {
        if 4 * (self.count + 1) > 3 * self.table.len() {
            let longer = alloc::vec![(0, EMPTY); (2 * self.table.len()).max(8)];
            for (hash, number) in core::mem::replace(&mut self.table, longer) {
                if number != EMPTY {
                    self.put(hash, number);
                }
            }
        }
        self.put(hash, number);
        self.count += 1;
    }

    fn put(&mut self, hash: u32, number: u32) {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place].1 != EMPTY {
            place = (place + 1) & mask;
        }
        self.table[place] = (hash, number);
    }

    /// Takes out what is there, and closes the gap: whoever probed past it moves up.
    pub(crate) fn remove(&mut self, hash: u32, is: impl Fn(u32) -> bool) {
        let Some(mut gap) = self.place(hash, is) else { return };
        let mask = self.table.len() - 1;
        let mut place = gap;
        loop {
            place = (place + 1) & mask;
            let (hash, number) = self.table[place];
            if number == EMPTY {
                break;
            }
            // How far it stands from where its hash wanted it, against how far from the gap.
            let strayed = place.wrapping_sub(hash as usize) & mask;
            if strayed >= (place.wrapping_sub(gap) & mask) {
                self.table[gap] = (hash, number);
                gap = place;
            }
        }
        self.table[gap] = (0, EMPTY);
        self.count -= 1;
    }
}

/// FNV-1a with 32 bits (Fowler, Noll, Vo), its high bits folded into the low ones that a table uses:
/// short, the same everywhere, and good enough where an equal hash costs a comparison and no more.
pub(crate) fn hash(parts: impl IntoIterator<Item = u32>) -> u32 {
    let mix = |hash: u32, part: u32| (hash ^ part).wrapping_mul(0x0100_0193);
    let hash = parts.into_iter().fold(0x811c_9dc5, mix);
    hash ^ (hash >> 15)
}

pub(crate) fn hash_text(text: &str) -> u32 {
    hash(text.bytes().map(u32::from))
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_table_with_many_equal_hashes_finds_what_a_map_does() {
        let (mut lookup, mut map) = (Lookup::new(), BTreeMap::new());
        let mut random = 1u32;
        for step in 0..20_000u32 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (random >> 8) % 300;
            let hash = number % 37 * 0x0101_0101;
            if map.remove(&number).is_some() {
                lookup.remove(hash, |other| other == number);
            } else {
                map.insert(number, step);
                lookup.insert(hash, number);
            }
            for number in 0..300 {
                let hash = number % 37 * 0x0101_0101;
                let found = lookup.find(hash, |other| other == number);
                assert_eq!(found, map.contains_key(&number).then_some(number), "step {step}");
            }
        }
        assert_eq!(lookup.len(), map.len());
    }
}
