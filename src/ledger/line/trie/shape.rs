//! How the trie of [`super`] takes lines in and out: rows, leaves, nodes.
//!
//! Every change ends with [`lift`](Trie::lift), which tells the nodes above what is least below them,
//! up to the first to which it is no news.

use core::mem;

use super::{Bit, Head, Key, Kind, Leaf, LineId, Link, NONE, Node, SLOTS, Slots, Trie};

/// Two leaves under one node become one when they have no more lines than this. Well below a full
/// leaf, so that lines that come and go do not split and merge it each time.
const MERGE: u32 = 8;

impl Trie {
    /// Adds a line. There is none of these units and this rank.
    pub(crate) fn insert(&mut self, units: &[u64], key: Key) -> LineId {
        debug_assert_eq!(units.len(), self.dims);
        debug_assert!(self.locate(units, key.rank).is_none());
        let line = self.new_line();
        let (leaf, split) = self.make_room(units, key.rank);
        let row = self.add_row(leaf, line, key);
        self.units[row * self.dims..][..self.dims].copy_from_slice(units);
        self.lines += 1;
        if let Some(other) = split
            && let Some((node, side)) = self.above(other)
        {
            self.tell(other, node, side);
        }
        self.lift(Link::leaf(leaf));
        line
    }

    /// The line has another head, of the same rank.
    pub(crate) fn rekey(&mut self, line: LineId, key: Key) {
        let row = self.rows[line as usize] as usize;
        debug_assert_eq!(self.heads[row].rank, key.rank);
        self.heads[row].seq = key.seq;
        let leaf = row / SLOTS;
        let from = self.leaves[leaf].slots.position(row % SLOTS);
        let to = self.put_in_order(leaf, from, key);
        if from == 0 || to == 0 {
            self.lift_key(Link::leaf(leaf));
        }
    }

    /// Takes a line out. Its name is free for another.
    pub(crate) fn remove(&mut self, line: LineId) {
        let row = self.rows[line as usize] as usize;
        let leaf = row / SLOTS;
        let position = self.leaves[leaf].slots.position(row % SLOTS);
        self.remove_row(leaf, position);
        self.lines -= 1;
        self.rows[line as usize] = mem::replace(&mut self.free_line, line);
        if self.leaves[leaf].len == 0 {
            if let Some((node, side)) = self.above(Link::leaf(leaf)) {
                let kept = self.nodes[node].child[1 - side];
                self.drop_leaf(leaf, kept);
                self.lift(kept);
            } else if self.rows.len() > SLOTS {
                // One that has been large does not stay so.
                *self = Trie::new(self.dims);
            }
            return;
        }
        while let Some(other) = self.sibling_leaf(leaf)
            && self.leaves[leaf].len + self.leaves[other].len <= MERGE
        {
            while self.leaves[other].len > 0 {
                self.move_row(other, 0, leaf);
            }
            self.drop_leaf(other, Link::leaf(leaf));
        }
        self.lift(Link::leaf(leaf));
    }
}

impl Trie {
    /// The first bit where a line differs from one that stands in a row.
    pub(super) fn difference(&self, row: usize, units: &[u64], rank: u32) -> Bit {
        Bit::first_difference((self.row_units(row), self.heads[row].rank), (units, rank))
    }

    /// The leaf that shares its node with this one.
    fn sibling_leaf(&self, leaf: usize) -> Option<usize> {
        let (node, side) = self.above(Link::leaf(leaf))?;
        match self.nodes[node].child[1 - side].kind() {
            Kind::Leaf(other) => Some(other),
            Kind::Node(_) => None,
        }
    }

    /// A leaf with room for a new line of this shape, at the line's place. If that took a new node, also
    /// the other place below it.
    fn make_room(&mut self, units: &[u64], rank: u32) -> (usize, Option<Link>) {
        if self.leaves.is_empty() {
            return (self.new_leaf(), None);
        }
        let leaf = self.leaf_for(units, rank);
        let len = self.leaves[leaf].len as usize;
        if len == 0 {
            return (leaf, None);
        }
        // All lines of a leaf agree in the bits of the nodes above, and the new line agrees with them.
        // Where it first differs from one of them is above some of those nodes, or below them all.
        let row = self.row(leaf, 0);
        let bit = self.difference(row, units, rank);
        let mut at = Link::leaf(leaf);
        while let Some((node, _)) = self.above(at)
            && self.nodes[node].bit > bit
        {
            at = Link::node(node);
        }
        if at == Link::leaf(leaf) {
            if len < SLOTS {
                return (leaf, None);
            }
            if let Some((ones, split)) = self.split(leaf, bit) {
                self.join(at, Link::leaf(ones), split, 1);
                let side = split.of(units, rank);
                return if side == 0 { (leaf, Some(Link::leaf(ones))) } else { (ones, Some(at)) };
            }
        }
        let new = self.new_leaf();
        self.join(at, Link::leaf(new), bit, bit.of(units, rank));
        (new, Some(at))
    }

    /// Moves the lines of a full leaf with a one at the first bit where any two of them differ to a leaf
    /// of their own. Not if that bit is after `limit`.
    fn split(&mut self, leaf: usize, limit: Bit) -> Option<(usize, Bit)> {
        let row = self.row(leaf, 0);
        let others = self.rows_of(leaf).skip(1);
        let bits = others.map(|it| self.difference(row, self.row_units(it), self.heads[it].rank));
        let bit = bits.min().filter(|&bit| bit <= limit)?;
        let ones = self.new_leaf();
        let mut position = 0;
        while position < self.leaves[leaf].len as usize {
            let row = self.row(leaf, position);
            if bit.of(self.row_units(row), self.heads[row].rank) == 1 {
                self.move_row(leaf, position, ones);
            } else {
                position += 1;
            }
        }
        Some((ones, bit))
    }

    /// A new node in place of `at`, with `at` and `new` below; `new` on this side.
    fn join(&mut self, at: Link, new: Link, bit: Bit, side: usize) {
        let node = self.free_node as usize;
        let node = if let Some(free) = self.nodes.get(node) {
            self.free_node = free.parent;
            node
        } else {
            let node = self.nodes.len();
            self.least.resize(self.least.len() + 2 * self.dims, 0);
            self.nodes.push(Node { bit, parent: NONE, child: [at; 2], key: [Key::LAST; 2] });
            node
        };
        // Nothing is below yet as far as the nodes above know.
        self.least[2 * node * self.dims..][..2 * self.dims].fill(u64::MAX);
        let mut child = [at; 2];
        child[side] = new;
        self.nodes[node] = Node { bit, parent: NONE, child, key: [Key::LAST; 2] };
        self.replace(at, Link::node(node));
        self.set_parent(at, node as u32);
        self.set_parent(new, node as u32);
    }

    /// Frees a leaf without lines, and the node above it, where only `kept` remains.
    fn drop_leaf(&mut self, leaf: usize, kept: Link) {
        let node = self.leaves[leaf].parent;
        self.replace(Link::node(node as usize), kept);
        self.nodes[node as usize].parent = mem::replace(&mut self.free_node, node);
        self.leaves[leaf].parent = mem::replace(&mut self.free_leaf, leaf as u32);
    }

    /// Hangs `new` where `old` hangs.
    fn replace(&mut self, old: Link, new: Link) {
        if let Some((node, side)) = self.above(old) {
            self.nodes[node].child[side] = new;
            self.set_parent(new, node as u32);
        } else {
            self.root = new;
            self.set_parent(new, NONE);
        }
    }

    fn set_parent(&mut self, at: Link, parent: u32) {
        match at.kind() {
            Kind::Leaf(leaf) => self.leaves[leaf].parent = parent,
            Kind::Node(node) => self.nodes[node].parent = parent,
        }
    }

    fn new_leaf(&mut self) -> usize {
        let new = Leaf { slots: Slots::NEW, len: 0, parent: NONE };
        let leaf = self.free_leaf as usize;
        if let Some(free) = self.leaves.get_mut(leaf) {
            self.free_leaf = free.parent;
            *free = new;
            leaf
        } else {
            if self.leaves.is_empty() {
                self.leaves.reserve_exact(1);
            }
            self.leaves.push(new);
            self.leaves.len() - 1
        }
    }

    fn new_line(&mut self) -> LineId {
        let line = self.free_line;
        if let Some(&next) = self.rows.get(line as usize) {
            self.free_line = next;
            line
        } else {
            self.rows.push(NONE);
            self.rows.len() as u32 - 1
        }
    }

    /// Gives a line a row in a leaf that has room. Its units are still to be written.
    fn add_row(&mut self, leaf: usize, line: LineId, key: Key) -> usize {
        let len = self.leaves[leaf].len as usize;
        let row = self.row(leaf, len);
        if row >= self.heads.len() {
            self.heads.resize(row + 1, Head::NONE);
            self.units.resize((row + 1) * self.dims, 0);
        }
        self.heads[row] = Head { rank: key.rank, line, seq: key.seq };
        self.rows[line as usize] = row as u32;
        self.leaves[leaf].len += 1;
        self.put_in_order(leaf, len, key);
        row
    }

    /// Moves the row at a position, the only one that may be out of order, to where its key belongs.
    fn put_in_order(&mut self, leaf: usize, from: usize, key: Key) -> usize {
        let (mut to, last) = (from, self.leaves[leaf].len as usize - 1);
        while to < last && self.heads[self.row(leaf, to + 1)].key() < key {
            to += 1;
        }
        while to > 0 && self.heads[self.row(leaf, to - 1)].key() > key {
            to -= 1;
        }
        self.leaves[leaf].slots.shift(from, to);
        to
    }

    fn remove_row(&mut self, leaf: usize, position: usize) {
        let leaf = &mut self.leaves[leaf];
        leaf.len -= 1;
        leaf.slots.shift(position, leaf.len as usize);
    }

    fn move_row(&mut self, from: usize, position: usize, to: usize) {
        let row = self.row(from, position);
        let head = self.heads[row];
        let new = self.add_row(to, head.line, head.key());
        let start = row * self.dims;
        self.units.copy_within(start..start + self.dims, new * self.dims);
        self.remove_row(from, position);
    }

    /// Tells the nodes above what is least here, as far up as it is news.
    fn lift(&mut self, mut at: Link) {
        while let Some((node, side)) = self.above(at)
            && self.tell(at, node, side)
        {
            at = Link::node(node);
        }
    }

    /// As [`lift`](Self::lift), where the units are what they were.
    fn lift_key(&mut self, mut at: Link) {
        while let Some((node, side)) = self.above(at) {
            let least = self.least_key(at);
            if mem::replace(&mut self.nodes[node].key[side], least) == least {
                return;
            }
            at = Link::node(node);
        }
    }

    /// Tells the node above what is least here. Whether that is news to it.
    fn tell(&mut self, at: Link, node: usize, side: usize) -> bool {
        let least = self.least_key(at);
        let mut news = mem::replace(&mut self.nodes[node].key[side], least) != least;
        for dim in 0..self.dims {
            let least = self.least_units(at, dim);
            let known = &mut self.least[(2 * node + side) * self.dims + dim];
            news |= mem::replace(known, least) != least;
        }
        news
    }

    fn least_key(&self, at: Link) -> Key {
        match at.kind() {
            Kind::Leaf(leaf) => self.heads[self.row(leaf, 0)].key(),
            Kind::Node(node) => self.nodes[node].key[self.nodes[node].sooner()],
        }
    }

    fn least_units(&self, at: Link, dim: usize) -> u64 {
        match at.kind() {
            Kind::Leaf(leaf) => {
                let units = self.rows_of(leaf).map(|row| self.units[row * self.dims + dim]);
                units.min().unwrap_or(u64::MAX)
            }
            Kind::Node(node) => {
                let least = |side| self.least_below(node, side)[dim];
                least(0).min(least(1))
            }
        }
    }
}
