//! Division of large numbers, for rates.
//!
//! Nearly all fits into 64 bits, and there the processor divides. For the rest, long division takes a
//! step for each bit of the quotient, which is small wherever bursar divides often. The compiler's own
//! routine is faster there, and a twentieth of the whole Wasm module.

/// Quotient and remainder.
pub(super) fn div_rem(value: u128, by: u128) -> (u128, u128) {
    if let (Ok(value), Ok(by)) = (u64::try_from(value), u64::try_from(by)) {
        return (u128::from(value / by), u128::from(value % by));
    }
    let mut steps = by.leading_zeros().saturating_sub(value.leading_zeros());
    let (mut quotient, mut rest) = (0, value);
    let mut part = by << steps;
    loop {
        quotient <<= 1;
        if rest >= part {
            rest -= part;
            quotient |= 1;
        }
        if steps == 0 {
            return (quotient, rest);
        }
        part >>= 1;
        steps -= 1;
    }
}

/// The quotient, rounded up.
pub(super) fn div_ceil(value: u128, by: u128) -> u128 {
    let (quotient, rest) = div_rem(value, by);
    quotient + u128::from(rest > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_sizes_divide_as_the_compiler_divides_them() {
        let mut random = 1u64;
        let mut number = || {
            let mut half = || {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                u128::from(random)
            };
            let whole = (half() << 64) | half();
            whole >> (half() % 128)
        };
        for _ in 0..100_000 {
            let (value, by) = (number(), number().max(1));
            assert_eq!(div_rem(value, by), (value / by, value % by), "{value} / {by}");
            assert_eq!(div_ceil(value, by), value.div_ceil(by), "{value} / {by}");
        }
        assert_eq!(div_rem(u128::MAX, 1), (u128::MAX, 0));
        assert_eq!(div_rem(u128::MAX, u128::MAX), (1, 0));
    }
}
