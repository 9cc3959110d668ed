//! The bits of a line by which a trie branches, and the order in which it looks at them.
//!
//! A line is told from every other of its set by its units and its rank. Units are read in a form that
//! is coarse first: six bits for how many binary digits the number has, then the digits after its
//! leading one. That form orders numbers as they are ordered themselves, so wherever a trie branches
//! on a bit of a dimension, one side wants less of that dimension than the other. The dimensions take
//! turns: the first bit of each, then the second of each. Two lines on one side therefore want about
//! as much of everything. The rank comes last.

/// One bit of a line. The smaller one is looked at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bit(u32);

/// The level, counted from the most significant bit, stands above the dimension.
const LEVEL: u32 = 24;
/// Levels below this are bits of units, the 32 from here on are bits of the rank.
const RANK: u32 = u64::BITS;

impl Bit {
    /// The first bit where two lines differ. They do differ.
    pub(crate) fn first_difference(a: (&[u64], u32), b: (&[u64], u32)) -> Bit {
        let mut first = (RANK + (a.1 ^ b.1).leading_zeros()) << LEVEL;
        for (dim, (&a, &b)) in a.0.iter().zip(b.0).enumerate() {
            if a != b {
                let level = (coarse_first(a) ^ coarse_first(b)).leading_zeros();
                first = first.min(level << LEVEL | dim as u32);
            }
        }
        Bit(first)
    }

    /// This bit of a line: 0 or 1.
    pub(crate) fn of(self, units: &[u64], rank: u32) -> usize {
        let level = self.0 >> LEVEL;
        let set = if level < RANK {
            let dim = self.0 & ((1 << LEVEL) - 1);
            coarse_first(units[dim as usize]) << level >> 63
        } else {
            u64::from(rank << (level - RANK) >> 31)
        };
        set as usize
    }
}

/// The number of binary digits in the upper six bits, then the digits after the leading one. Nothing
/// is lost: units are below 2^53, so 52 digits follow at most, and 58 bits are there for them.
fn coarse_first(units: u64) -> u64 {
    debug_assert!(units > 0 && units < 1 << 53);
    let zeros = units.leading_zeros();
    u64::from(u64::BITS - zeros) << 58 | units << zeros << 1 >> 6
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn the_coarse_form_orders_numbers_as_they_are() {
        let mut near: Vec<u64> =
            (0..53).flat_map(|e| [(1 << e) - 1, 1 << e, (1 << e) + 1, 3 << e >> 1]).collect();
        near.retain(|&units| units > 0 && units < 1 << 53);
        near.push((1 << 53) - 1);
        for &a in &near {
            for &b in &near {
                assert_eq!(a.cmp(&b), coarse_first(a).cmp(&coarse_first(b)), "{a} {b}");
            }
        }
    }

    #[test]
    fn lines_agree_before_their_first_difference_and_differ_there() {
        let line = |n: u64| ([n % 3 + 1, (n / 3 % 5 + 1) << (n % 40)], (n / 15) as u32);
        for a in 0..300 {
            for b in 0..a {
                let (a, b) = (line(a), line(b));
                let bit = Bit::first_difference((&a.0, a.1), (&b.0, b.1));
                for level in 0..96 {
                    for dim in 0..if level < RANK { 2 } else { 1 } {
                        let other = Bit(level << LEVEL | dim);
                        let same = other.of(&a.0, a.1) == other.of(&b.0, b.1);
                        assert!(if other == bit { !same } else { same || other > bit });
                    }
                }
            }
        }
    }

    #[test]
    fn size_counts_before_digits_and_units_before_rank() {
        let differ = |a: ([u64; 2], u32), b: ([u64; 2], u32)| {
            Bit::first_difference((&a.0, a.1), (&b.0, b.1))
        };
        let digits = differ(([4, 9], 0), ([7, 9], 0));
        let size = differ(([4, 9], 0), ([4, 1], 0));
        let rank = differ(([4, 9], 0), ([4, 9], 1));
        assert!(size < digits && digits < rank);
    }
}
