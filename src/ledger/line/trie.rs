//! The lines of one set of resources, to find the first in order that fits what is free.
//!
//! A line is told from the others by its units, one number for each resource of the set, and its rank;
//! it stands here with the key of its head. The index is a crit-bit trie. Its leaves hold up to sixteen
//! lines, in order of key. A node has two children, and a [`Bit`] that is 0 in all lines below the one
//! and 1 in all lines below the other; on the way down the bits only grow. For either child a node
//! keeps the least key below it and, in each dimension, the least units below it.
//!
//! **Why a search is exact.** It leaves out a child only if the child's least units exceed what is free
//! in some dimension, for then those of every line below do; or if its least key is no better than that
//! of a line already found, for then no key below is. Everything else is looked at. The search for
//! a moment does the same with the moment when so many units could be free, which grows with the units.
//! So the shape of the trie decides what a search costs, never what it answers.
//!
//! **What it costs.** Every node on a way down has a bit of its own, so a way has at most 58 nodes for
//! each dimension and 32 for the rank; a million random lines have ways of 20 to 27. Nothing is ever
//! rebalanced or rebuilt. A line put in, taken out or given another key costs one way down or up and the
//! rows of two leaves, or of a few where leaves merge. No search recurses. What it looks at depends on
//! the lines and has no bound but their number: with two dimensions or three and everything distinct,
//! 40 to 80 nodes and leaves of 10,000 lines, 90 to 200 of a million. A search that starts after a
//! key cannot leave out nodes for what is before that key. Measured, of a million distinct lines of
//! one to three dimensions, on two busy cores: 1.0 to 1.4 us to insert, 0.6 to 1.0 to remove, 0.5 to
//! rekey, 0.8 to 11 to find the first; of twelve lines: 40 ns to find the first and rekey it.
//!
//! **Memory.** Leaves of random lines are 60 % full: 50 to 80 bytes a line with one to three dimensions,
//! and up to half as much again of room to grow. At worst, lines chosen to be told apart by as many
//! different bits as possible have a leaf each. The first leaf grows line by line; one line takes less
//! than 400 bytes, the struct included. What many lines took is given back when the last one goes.

use alloc::vec::Vec;

use super::super::time::Time;
use super::bits::Bit;
use super::key::Key;
use super::slots::{SLOTS, Slots};

#[cfg(test)]
mod check;
mod shape;

/// A line's name while it is in the trie. Names are dense: those of removed lines are used again.
pub(crate) type LineId = u32;

/// No node, no leaf, no line.
const NONE: u32 = u32::MAX;

/// A row of a leaf but for its units: a line and its key, in sixteen bytes.
#[derive(Clone, Copy, Debug)]
struct Head {
    rank: u32,
    line: LineId,
    seq: u64,
}

impl Head {
    const NONE: Head = Head { rank: 0, line: NONE, seq: 0 };

    fn key(self) -> Key {
        Key { rank: self.rank, seq: self.seq }
    }
}

#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// The rows in order of key.
    slots: Slots,
    len: u32,
    /// The node above, or the next free leaf.
    parent: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Lines below `child[0]` have a 0 here, lines below `child[1]` a 1.
    bit: Bit,
    /// The node above, or the next free node.
    parent: u32,
    child: [Link; 2],
    /// The least key below each child.
    key: [Key; 2],
}

/// A leaf or a node, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link(u32);

enum Kind {
    Leaf(usize),
    Node(usize),
}

impl Link {
    fn leaf(leaf: usize) -> Link {
        Link((leaf as u32) << 1 | 1)
    }

    fn node(node: usize) -> Link {
        Link((node as u32) << 1)
    }

    fn kind(self) -> Kind {
        let index = (self.0 >> 1) as usize;
        if self.0 & 1 == 1 { Kind::Leaf(index) } else { Kind::Node(index) }
    }
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub(crate) struct Trie {
    dims: usize,
    lines: usize,
    /// Means nothing as long as there is no leaf.
    root: Link,
    nodes: Vec<Node>,
    /// The least units below each child: `2 * dims` numbers a node.
    least: Vec<u64>,
    leaves: Vec<Leaf>,
    /// `SLOTS` rows a leaf; only as long as the last leaf has used them, so that one line is cheap.
    heads: Vec<Head>,
    /// The units of those rows, `dims` numbers each.
    units: Vec<u64>,
    /// The row of each line, or the next free name.
    rows: Vec<u32>,
    free_node: u32,
    free_leaf: u32,
    free_line: u32,
    /// How many nodes and leaves searches have looked at.
    #[cfg(test)]
    visits: core::cell::Cell<usize>,
}

impl Trie {
    /// A trie for a set of so many resources. Allocates nothing.
    pub(crate) fn new(dims: usize) -> Self {
        Trie {
            dims,
            lines: 0,
            root: Link::leaf(0),
            nodes: Vec::new(),
            least: Vec::new(),
            leaves: Vec::new(),
            heads: Vec::new(),
            units: Vec::new(),
            rows: Vec::new(),
            free_node: NONE,
            free_leaf: NONE,
            free_line: NONE,
            #[cfg(test)]
            visits: core::cell::Cell::new(0),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// The units of a line.
    #[cfg(test)]
    pub(crate) fn units(&self, line: LineId) -> &[u64] {
        self.row_units(self.rows[line as usize] as usize)
    }

    /// The line of this shape, if there is one.
    pub(crate) fn locate(&self, units: &[u64], rank: u32) -> Option<LineId> {
        if self.is_empty() {
            return None;
        }
        let mut rows = self.rows_of(self.leaf_for(units, rank));
        let row = rows.find(|&row| self.heads[row].rank == rank && self.row_units(row) == units)?;
        Some(self.heads[row].line)
    }

    /// The first line of all.
    pub(crate) fn least(&self) -> Option<(Key, LineId)> {
        if self.is_empty() {
            return None;
        }
        let mut at = self.root;
        loop {
            match at.kind() {
                Kind::Node(node) => at = self.nodes[node].child[self.nodes[node].sooner()],
                Kind::Leaf(leaf) => {
                    let head = self.heads[self.row(leaf, 0)];
                    return Some((head.key(), head.line));
                }
            }
        }
    }

    /// The first line after `after` and before `before` that wants no more than what is free.
    pub(crate) fn first(&self, free: &[u64], after: Key, before: Key) -> Option<(Key, LineId)> {
        if self.is_empty() {
            return None;
        }
        let mut found = None;
        let mut best = before;
        let mut at = self.root;
        loop {
            // Down, to the child with the lesser key first. The other one is for the way up, which
            // needs no stack: the nodes know their parents.
            while let Kind::Node(node) = at.kind() {
                #[cfg(test)]
                self.count_visit();
                let sooner = self.nodes[node].sooner();
                if self.promises(node, sooner, free, best) {
                    at = self.nodes[node].child[sooner];
                } else if self.promises(node, 1 - sooner, free, best) {
                    at = self.nodes[node].child[1 - sooner];
                } else {
                    break;
                }
            }
            if let Kind::Leaf(leaf) = at.kind() {
                #[cfg(test)]
                self.count_visit();
                for position in 0..self.leaves[leaf].len as usize {
                    let row = self.row(leaf, position);
                    let head = self.heads[row];
                    if head.key() >= best {
                        break;
                    }
                    if head.key() > after && fits(self.row_units(row), free) {
                        best = head.key();
                        found = Some((best, head.line));
                        break;
                    }
                }
            }
            // Up, to where the other child is still to be tried.
            loop {
                let Some((node, side)) = self.above(at) else { return found };
                let other = 1 - self.nodes[node].sooner();
                if side != other && self.promises(node, other, free, best) {
                    at = self.nodes[node].child[other];
                    break;
                }
                at = Link::node(node);
            }
        }
    }

    /// The earliest moment at which some line could be served.
    ///
    /// `bound` is when so many units of a dimension could be free, and grows with the units; `exact` is
    /// the moment for one line, never before the latest of its bounds.
    pub(crate) fn earliest(
        &self,
        bound: &mut dyn FnMut(usize, u64) -> Time,
        exact: &mut dyn FnMut(Key, &[u64]) -> Time,
    ) -> Time {
        let mut best = Time::NEVER;
        if self.is_empty() {
            return best;
        }
        let mut ahead = Vec::new();
        let mut at = self.root;
        loop {
            match at.kind() {
                Kind::Node(node) => {
                    let child = self.nodes[node].child;
                    let time = [0, 1].map(|side| latest(self.least_below(node, side), bound));
                    let sooner = usize::from(time[1] < time[0]);
                    if time[1 - sooner] < best {
                        ahead.push((time[1 - sooner], child[1 - sooner]));
                    }
                    if time[sooner] < best {
                        at = child[sooner];
                        continue;
                    }
                }
                Kind::Leaf(leaf) => {
                    for row in self.rows_of(leaf) {
                        let units = self.row_units(row);
                        if latest(units, bound) < best {
                            best = best.min(exact(self.heads[row].key(), units));
                        }
                    }
                }
            }
            at = loop {
                match ahead.pop() {
                    Some((time, place)) if time < best => break place,
                    Some(_) => {}
                    None => return best,
                }
            }
        }
    }
}

impl Node {
    /// The child with the lesser key.
    fn sooner(&self) -> usize {
        usize::from(self.key[1] < self.key[0])
    }
}

fn fits(units: &[u64], free: &[u64]) -> bool {
    units.iter().zip(free).all(|(units, free)| units <= free)
}

/// When so many units could be free in every dimension, by the bounds.
fn latest(units: &[u64], bound: &mut dyn FnMut(usize, u64) -> Time) -> Time {
    let bounds = units.iter().enumerate().map(|(dim, &units)| bound(dim, units));
    bounds.max().unwrap_or(Time::ZERO)
}

/// Finding one's way.
impl Trie {
    /// The row at a position of a leaf's order.
    fn row(&self, leaf: usize, position: usize) -> usize {
        leaf * SLOTS + self.leaves[leaf].slots.at(position)
    }

    /// All rows of a leaf, in order of key.
    fn rows_of(&self, leaf: usize) -> impl Iterator<Item = usize> + use<> {
        let Leaf { slots, len, .. } = self.leaves[leaf];
        (0..len as usize).map(move |position| leaf * SLOTS + slots.at(position))
    }

    fn row_units(&self, row: usize) -> &[u64] {
        &self.units[row * self.dims..][..self.dims]
    }

    fn least_below(&self, node: usize, side: usize) -> &[u64] {
        &self.least[(2 * node + side) * self.dims..][..self.dims]
    }

    /// The node above, and on which side of it this link is.
    fn above(&self, at: Link) -> Option<(usize, usize)> {
        let parent = match at.kind() {
            Kind::Leaf(leaf) => self.leaves[leaf].parent,
            Kind::Node(node) => self.nodes[node].parent,
        };
        if parent == NONE {
            return None;
        }
        let node = parent as usize;
        Some((node, usize::from(self.nodes[node].child[1] == at)))
    }

    /// Whether a line below this child may fit and be better than `best`.
    fn promises(&self, node: usize, side: usize, free: &[u64], best: Key) -> bool {
        self.nodes[node].key[side] < best && fits(self.least_below(node, side), free)
    }

    /// The only leaf that can have a line of this shape.
    fn leaf_for(&self, units: &[u64], rank: u32) -> usize {
        let mut at = self.root;
        loop {
            match at.kind() {
                Kind::Leaf(leaf) => return leaf,
                Kind::Node(node) => {
                    let node = &self.nodes[node];
                    at = node.child[node.bit.of(units, rank)];
                }
            }
        }
    }

    #[cfg(test)]
    fn count_visit(&self) {
        self.visits.set(self.visits.get() + 1);
    }
}
