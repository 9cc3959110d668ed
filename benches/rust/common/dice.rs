//! Random numbers that are the same in every run.

/// A small generator (xorshift64*).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 0 up to, not including, `sides`.
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d);
        ((u128::from(drawn) * u128::from(sides)) >> 64) as u64
    }

    /// A place in a list.
    pub(crate) fn place(&mut self, len: usize) -> usize {
        assert!(len > 0, "nothing to draw from");
        self.roll(len as u64) as usize
    }
}
