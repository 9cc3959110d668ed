//! The trie against a plain list, with its own bookkeeping checked after every step.

use alloc::vec;
use alloc::vec::Vec;

use super::key::Key;
use super::trie::{LineId, Trie};

/// A small generator (xorshift64*), so that every run is the same.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) % end
    }
}

fn fits(units: &[u64], free: &[u64]) -> bool {
    units.iter().zip(free).all(|(units, free)| units <= free)
}

/// What units and ranks a run draws from.
#[derive(Clone, Copy)]
struct Shape {
    dims: usize,
    /// Numbers are below `2^digits`; `spread` draws the number of digits first.
    digits: u64,
    spread: bool,
    ranks: u64,
    /// About how many lines there are at a time.
    lines: usize,
}

impl Shape {
    fn random(random: &mut Random) -> Self {
        let few = random.below(2) == 0;
        Shape {
            dims: 1 + random.below(5) as usize,
            digits: [1, 2, 3, 8, 20, 53][random.below(6) as usize],
            spread: random.below(2) == 0,
            ranks: if few { 1 + random.below(3) } else { 1 << 32 },
            lines: [1, 8, 40, 150][random.below(4) as usize],
        }
    }

    fn units(&self, random: &mut Random) -> Vec<u64> {
        let one = |_| {
            let digits = if self.spread { 1 + random.below(self.digits) } else { self.digits };
            1 + random.below((1 << digits) - 1)
        };
        (0..self.dims).map(one).collect()
    }
}

/// The same, without any index.
struct List(Vec<(Key, LineId, Vec<u64>)>);

impl List {
    fn first(
        &self,
        before: Key,
        fits: &mut dyn FnMut(Key, &[u64]) -> bool,
    ) -> Option<(Key, LineId)> {
        let inside = self.0.iter().filter(|line| line.0 < before);
        inside.filter(|line| fits(line.0, &line.2)).map(|line| (line.0, line.1)).min()
    }

    fn has(&self, units: &[u64], rank: u32) -> Option<LineId> {
        self.0.iter().find(|line| line.0.rank == rank && line.2 == units).map(|line| line.1)
    }
}

fn run(seed: u64) {
    let mut random = Random::new(seed);
    let shape = Shape::random(&mut random);
    let mut trie = Trie::new(shape.dims);
    let mut list = List(vec![]);
    let mut seq = 1 << 20;
    // Half the runs end by emptying the trie.
    let (steps, drain) = (shape.lines * 4 + 20, random.below(2) == 0);
    let mut step = 0;
    while step < steps || (drain && !list.0.is_empty()) {
        let grow = step < steps && random.below(2 * shape.lines as u64) >= list.0.len() as u64;
        step += 1;
        seq += 1;
        let pick = random.below(list.0.len().max(1) as u64) as usize;
        if grow {
            let units = shape.units(&mut random);
            let rank = random.below(shape.ranks) as u32;
            let older = random.below(4) == 0;
            let key = Key { rank, seq: if older { (1 << 20) - (seq & 0xffff) } else { seq } };
            assert_eq!(trie.locate(&units, rank), list.has(&units, rank));
            if list.has(&units, rank).is_none() {
                let line = trie.insert(&units, key);
                assert!(list.0.iter().all(|other| other.1 != line));
                list.0.push((key, line, units));
            }
        } else if !list.0.is_empty() {
            if step < steps && random.below(2) == 0 {
                let line = &mut list.0[pick];
                line.0.seq = if random.below(3) == 0 { (1 << 30) - seq } else { seq };
                trie.rekey(line.1, line.0);
            } else {
                trie.remove(list.0.swap_remove(pick).1);
            }
        }
        // The check looks at every line below every node.
        if list.0.len() < 30 || step % 5 == 0 {
            trie.check();
        }

        assert_eq!(trie.is_empty(), list.0.is_empty());
        assert_eq!(trie.least(), list.first(Key::LAST, &mut |_, _| true));
        for (_, line, units) in &list.0 {
            assert_eq!(trie.units(*line), units);
        }
        for _ in 0..3 {
            let mut free = shape.units(&mut random);
            if random.below(8) == 0 {
                free[random.below(shape.dims as u64) as usize] = 0;
            }
            let mut any = || {
                let pick = random.below(2 * list.0.len() as u64 + 1) as usize;
                list.0.get(pick).map_or(Key::LAST, |line| line.0)
            };
            // From one place on less is free, as after a barrier.
            let (before, from) = (any(), any());
            let less: Vec<u64> = free.iter().map(|free| free / 2).collect();
            let mut fits =
                |key: Key, units: &[u64]| fits(units, if key < from { &free } else { &less });
            assert_eq!(trie.first(before, &mut fits), list.first(before, &mut fits));
        }
    }
}

#[test]
fn the_trie_answers_as_a_plain_list_does() {
    for seed in 0..3_000 {
        run(seed);
    }
}

/// A trie of lines that arrived in this order.
fn trie_of(lines: impl IntoIterator<Item = [u64; 2]>) -> Trie {
    let mut trie = Trie::new(2);
    for (units, seq) in lines.into_iter().zip(1..) {
        trie.insert(&units, Key { rank: 7, seq });
    }
    trie
}

#[test]
fn two_opposite_halves_that_do_not_fit_are_dismissed_at_the_root() {
    let trie =
        trie_of((0..10_000).flat_map(|n| [[1_000_000 + n, 1 + n % 8], [1 + n % 8, 2_000_000 + n]]));
    assert_eq!(trie.visits_of_first(&[500_000, 500_000]), (None, 1));
    let (found, visits) = trie.visits_of_first(&[1_000_004, 8]);
    assert_eq!(found.map(|(key, _)| key.seq), Some(1));
    assert!(visits < 40, "{visits}");
}

#[test]
fn the_first_of_many_that_fit_is_found_in_few_steps() {
    let mut random = Random::new(5);
    let mut seen = alloc::collections::BTreeSet::new();
    let mut draw = || [1 + random.below(1 << 16), 1 + random.below(1 << 16)];
    let lines: Vec<_> = (0..20_000).map(|_| draw()).filter(|&units| seen.insert(units)).collect();
    let trie = trie_of(lines.iter().copied());
    let mut most = 0;
    for _ in 0..200 {
        let free = draw();
        let (found, visits) = trie.visits_of_first(&free);
        let first = lines.iter().position(|units| fits(units, &free));
        assert_eq!(found.map(|(key, _)| key.seq as usize - 1), first);
        most = most.max(visits);
    }
    assert!(most < 600, "{most}");
}

#[test]
fn a_trie_that_was_large_gives_its_memory_back_when_empty() {
    let mut trie = trie_of((1..500).map(|n| [n, n]));
    for line in 0..499 {
        trie.remove(line);
    }
    assert!(trie.is_empty());
    assert_eq!(trie.heap(), 0);
    assert_eq!(trie.insert(&[1, 1], Key { rank: 0, seq: 1 }), 0);
}

#[test]
fn one_line_takes_little_memory() {
    let trie = trie_of([[1, 2]]);
    assert!(size_of::<Trie>() + trie.heap() < 400, "{} {}", size_of::<Trie>(), trie.heap());
}

#[test]
fn a_trie_as_deep_as_it_gets_is_searched_without_recursion() {
    // Each line leaves the way of all the earlier ones one bit further up.
    let mut trie = Trie::new(1);
    let full = (1 << 53) - 1;
    for low in 0..17 {
        trie.insert(&[full - low], Key { rank: 0, seq: 100 + low });
    }
    for bit in 5..53 {
        trie.insert(&[full & !(1 << bit)], Key { rank: 0, seq: 200 + bit });
        trie.check();
    }
    for size in (0..53).rev() {
        trie.insert(&[1 << size], Key { rank: 0, seq: 300 + size });
        trie.check();
    }
    let (found, _) = trie.visits_of_first(&[1]);
    assert_eq!(found.map(|(key, _)| key.seq), Some(300));
}
