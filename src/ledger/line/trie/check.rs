//! What the trie of [`super`] keeps about itself, asserted, for its tests.

use alloc::vec;
use alloc::vec::Vec;

use super::{Head, Key, Kind, Leaf, LineId, Link, NONE, Node, SLOTS, Trie};

impl Trie {
    /// Asserts everything that the trie keeps about itself.
    pub(crate) fn check(&self) {
        let (mut leaves, mut nodes, mut lines) = (0, 0, 0);
        let mut ahead = vec![];
        if !self.leaves.is_empty() {
            ahead.push((self.root, NONE));
        }
        while let Some((at, parent)) = ahead.pop() {
            match at.kind() {
                Kind::Leaf(leaf) => {
                    leaves += 1;
                    let len = self.leaves[leaf].len as usize;
                    lines += len;
                    assert_eq!(self.leaves[leaf].parent, parent);
                    assert!(len <= SLOTS && (len > 0 || parent == NONE));
                    let rows: Vec<usize> = self.rows_of(leaf).collect();
                    assert!(rows.is_sorted_by(|&a, &b| self.heads[a].key() < self.heads[b].key()));
                    for row in rows {
                        assert_eq!(self.rows[self.heads[row].line as usize], row as u32);
                    }
                }
                Kind::Node(node) => {
                    nodes += 1;
                    let Node { bit, parent: above, child, key } = self.nodes[node];
                    assert_eq!(above, parent);
                    let one = self.rows_below(child[0])[0];
                    for side in [0, 1] {
                        let rows = self.rows_below(child[side]);
                        assert_eq!(
                            rows.iter().map(|&row| self.heads[row].key()).min(),
                            Some(key[side])
                        );
                        for dim in 0..self.dims {
                            let least = rows.iter().map(|&row| self.row_units(row)[dim]).min();
                            assert_eq!(Some(self.least_below(node, side)[dim]), least);
                        }
                        for &row in &rows {
                            let (units, rank) = (self.row_units(row), self.heads[row].rank);
                            assert_eq!(bit.of(units, rank), side);
                            assert!(row == one || self.difference(one, units, rank) >= bit);
                        }
                        ahead.push((child[side], node as u32));
                    }
                }
            }
        }
        assert_eq!(lines, self.lines);
        assert_eq!(
            leaves + chain(self.free_leaf, |leaf| self.leaves[leaf].parent),
            self.leaves.len()
        );
        assert_eq!(nodes + chain(self.free_node, |node| self.nodes[node].parent), self.nodes.len());
        assert_eq!(lines + chain(self.free_line, |line| self.rows[line]), self.rows.len());
        assert_eq!(self.least.len(), self.nodes.len() * 2 * self.dims);
        assert_eq!(self.units.len(), self.heads.len() * self.dims);
        assert!(self.heads.len() <= self.leaves.len() * SLOTS);
    }

    fn rows_below(&self, at: Link) -> Vec<usize> {
        match at.kind() {
            Kind::Leaf(leaf) => self.rows_of(leaf).collect(),
            Kind::Node(node) => {
                self.nodes[node].child.iter().flat_map(|&child| self.rows_below(child)).collect()
            }
        }
    }

    /// The bytes that the trie has allocated.
    pub(crate) fn heap(&self) -> usize {
        size_of::<Node>() * self.nodes.capacity()
            + size_of::<Leaf>() * self.leaves.capacity()
            + size_of::<Head>() * self.heads.capacity()
            + size_of::<u64>() * (self.least.capacity() + self.units.capacity())
            + size_of::<u32>() * self.rows.capacity()
    }

    /// What `first` answers, and how many nodes and leaves it looked at.
    pub(crate) fn visits_of_first(&self, free: &[u64]) -> (Option<(Key, LineId)>, usize) {
        self.visits.set(0);
        let fits =
            &mut |_, units: &[u64]| units.iter().zip(free).all(|(units, free)| units <= free);
        let found = self.first(Key::LAST, fits);
        (found, self.visits.get())
    }
}

/// The length of a list of free places.
fn chain(mut at: u32, next: impl Fn(usize) -> u32) -> usize {
    let mut length = 0;
    while at != NONE {
        length += 1;
        at = next(at as usize);
    }
    length
}
