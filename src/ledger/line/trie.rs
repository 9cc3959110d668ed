//! The lines of one set of resources, to find the first in order that fits what is free.
//!
//! A line is told from the others by its units, one number for each resource of the set, and its rank;
//! it stands here with the key of its head. The index is a crit-bit trie. Its leaves hold up to sixteen
//! lines, in order of key. A node has two children, and a [`Bit`] that is 0 in all lines below the one
//! and 1 in all lines below the other; on the way down the bits only grow. For either child a node
//! keeps the least key below it and, in each dimension, the least units below it.
//!
//! **Why a search is exact.** It leaves out a child only if a line of the child's least units at its least
//! key would not fit, for then no line below does: each wants no less, and stands no earlier; or if its
//! least key is no better than that of a line already found, for then no key below is. Everything else
//! is looked at. So the shape of the trie decides what a search costs, never what it answers.
//!
//! **What it costs.** Every node on a way down has a bit of its own, so a way has at most 58 nodes for
//! each dimension and 32 for the rank; a million random lines have ways of 20 to 27. Nothing is ever
//! rebalanced or rebuilt. A line put in, taken out or given another key costs one way down or up and the
//! rows of two leaves, or of a few where leaves merge. No search recurses. What it looks at depends on
//! the lines and has no bound but their number: with two dimensions or three and everything distinct,
//! 40 to 80 nodes and leaves of 10,000 lines, 90 to 200 of a million. Measured, of a million distinct lines of
//! one to three dimensions, on two busy cores: 1.0 to 1.4 us to insert, 0.6 to 1.0 to remove, 0.5 to
//! rekey, 0.8 to 11 to find the first; of twelve lines: 40 ns to find the first and rekey it.
//!
//! **Memory.** Leaves of random lines are 60 % full: 50 to 80 bytes a line with one to three dimensions,
//! and up to half as much again of room to grow. At worst, lines chosen to be told apart by as many
//! different bits as possible have a leaf each. The first leaf grows line by line; one line takes less
//! than 400 bytes, the struct included. What many lines took is given back when the last one goes.

use alloc::vec::Vec;

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

    /// The first line before `before` that `fits`, which is asked for units and a key. Where it says no, it
    /// must say no to more units, and to later keys. If nothing is found and `before` is [`Key::LAST`], it
    /// has said no for every line, or for no more units at no later key.
    pub(crate) fn first(
        &self,
        before: Key,
        fits: &mut impl FnMut(Key, &[u64]) -> bool,
    ) -> Option<(Key, LineId)> {
        if self.is_empty() {
            return None;
        }
        let (mut found, mut best) = (None, before);
        // How many children of a node have been tried, the one with the lesser key first. No stack is
        // needed: the nodes know their parents.
        let (mut at, mut tried) = (self.root, 0);
        'next: loop {
            #[cfg(test)]
            self.count_visit(tried);
            match at.kind() {
                Kind::Node(node) => {
                    let Node { child, key, .. } = self.nodes[node];
                    while tried < 2 {
                        let side = self.nodes[node].sooner() ^ tried;
                        tried += 1;
                        if key[side] < best && fits(key[side], self.least_below(node, side)) {
                            (at, tried) = (child[side], 0);
                            continue 'next;
                        }
                    }
                }
                Kind::Leaf(leaf) => {
                    let rows = self.rows_of(leaf).map(|row| (self.heads[row], self.row_units(row)));
                    let mut early = rows.take_while(|(head, _)| head.key() < best);
                    if let Some((head, _)) = early.find(|&(head, units)| fits(head.key(), units)) {
                        best = head.key();
                        found = Some((best, head.line));
                    }
                }
            }
            let Some((node, side)) = self.above(at) else { return found };
            tried = 1 + (side ^ self.nodes[node].sooner());
            at = Link::node(node);
        }
    }
}

impl Node {
    /// The child with the lesser key.
    fn sooner(&self) -> usize {
        usize::from(self.key[1] < self.key[0])
    }
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
    fn count_visit(&self, tried: usize) {
        self.visits.set(self.visits.get() + usize::from(tried == 0));
    }
}
