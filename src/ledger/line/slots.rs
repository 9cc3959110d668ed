//! The order of up to sixteen things that stay where they are: a permutation in one word.
//!
//! Four bits a position, the first position lowest. The first so many positions hold the slots in
//! use, in order; the others hold the free slots, the one to use next first. So putting in, taking
//! out and reordering are all one step, a slot that moves from one position to another, and nothing
//! but the word is written. Slots are first used in the order 0, 1, 2: the highest slot in use was
//! never beyond the most that there were.

/// How many slots there are.
pub(crate) const SLOTS: usize = 16;

/// A permutation of the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots(u64);

impl Slots {
    pub(crate) const NEW: Slots = Slots(0xfedc_ba98_7654_3210);

    /// The slot at a position.
    pub(crate) fn at(self, position: usize) -> usize {
        (self.0 >> (4 * position) & 15) as usize
    }

    /// The position of a slot.
    pub(crate) fn position(self, slot: usize) -> usize {
        const ONES: u64 = 0x1111_1111_1111_1111;
        // The slot sought becomes a nibble of zeros. Borrows begin at the lowest such nibble, and
        // there is just one.
        let sought = self.0 ^ (ONES * slot as u64);
        let zero = sought.wrapping_sub(ONES) & !sought & (ONES << 3);
        zero.trailing_zeros() as usize / 4
    }

    /// The slot at position `from` goes to position `to`; those between make way.
    pub(crate) fn shift(&mut self, from: usize, to: usize) {
        let slot = self.at(from) as u64;
        let below = (1 << (4 * from)) - 1;
        let others = self.0 & below | self.0 >> 4 & !below;
        let below = (1 << (4 * to)) - 1;
        self.0 = others & below | (others & !below) << 4 | slot << (4 * to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_shift_is_a_removal_and_an_insertion() {
        let mut slots = Slots::NEW;
        let mut list: Vec<usize> = (0..SLOTS).collect();
        for step in 0..10_000 {
            let (from, to) = (step * 7 % 16, (step * 5 + step / 16) % 16);
            slots.shift(from, to);
            let slot = list.remove(from);
            list.insert(to, slot);
            assert!((0..SLOTS).all(|position| slots.at(position) == list[position]));
            assert!((0..SLOTS).all(|slot| list[slots.position(slot)] == slot));
        }
    }
}
