//! Replaces whole joins, semijoins and antijoins by half joins over indexes, by the chain rule, and fixes the schedule.
//!
//! The order of nodes is the order in which a step runs them. An index read before its `Update` is the integral as of
//! the step's start (`I_old`), after it the integral with this step's delta (`I_new`). Indexes are updated in the order
//! in which their inputs are ready. For a pair of indexes, `x` the earlier and `y` the later, everything below runs
//! when `y`'s input is ready, after `Update(x)`:
//!
//! ```text
//! Δ(x ⋈ y) = Δx ⋈ I_old(y) + Δy ⋈ I_new(x)                      both before Update(y)
//! Δ(x ⋈ x) = Δx ⋈ I_old(x) + I_new(x) ⋈ Δx                      one before, one after Update(x)
//! Δ(a ⋉ b) = Δa ⋉ I_old(b) + ΔP(b) ⋈ I_new(a)    a earlier:     the first before, the second after Update(b)
//! Δ(a ⋉ b) = Δa ⋉ I_new(b) + ΔP(b) ⋈ I_old(a)    b earlier:     both before Update(a)
//! Δ(a ▷ b) = the same with ▷ for ⋉ and −ΔP(b)
//! a ⋉ a = a,   a ▷ a = ∅
//! ```
//!
//! A join of several inputs comes as chains of changes (`WholeOp::Changes`) that say which state of an index they read:
//! they run as late as the update of an index that they read before it allows. Their inputs are streams of single tables,
//! which are computed first, and whose indexes are updated in the order of the tables.
//!
//! where `P(b)` is the set of keys present in `b`, whose change `Update(b)` gives. An input that only constants feed
//! changes in the first step alone, before any other index has rows: it goes first, and then `Δx ⋈ I_old(y)` is empty
//! and `y` needs no index for this join.

use crate::circuit::{Circuit, Kernel, Node, NodeId, Op, Whole, WholeNode, WholeOp};
use crate::plan::{Expr, ExprKind, TableId};
use feldc_engine::Side;
use feldc_value::ColumnType;
use std::collections::{BTreeMap, HashMap};

/// The circuit of half joins in schedule order.
pub fn incremental(whole: &Whole) -> Circuit {
    let order = order(whole);
    let mut schedule = Schedule::new(whole, &order);
    order.into_iter().for_each(|node| schedule.node(node));
    Circuit { nodes: schedule.nodes }
}

/// Tables, what constants feed, and the others; for joins of several inputs streams and indexes of single tables first.
fn order(whole: &Whole) -> Vec<NodeId> {
    let constant = constant(whole);
    let tables = match whole.nodes.iter().any(|node| matches!(node.op, WholeOp::Changes { .. })) {
        true => single_tables(whole),
        false => vec![None; whole.nodes.len()],
    };
    let rank = |node: &NodeId| match &whole.nodes[node.0].op {
        WholeOp::Same(Op::Table { .. } | Op::KeyedTable { .. }) => (0, None),
        _ if constant[node.0] => (1, None),
        WholeOp::Same(Op::Index { .. }) if tables[node.0].is_some() => (3, tables[node.0]),
        _ if tables[node.0].is_some() => (2, None),
        _ => (4, None),
    };
    let mut order: Vec<NodeId> = (0..whole.nodes.len()).map(NodeId).collect();
    order.sort_by_key(rank);
    order
}

/// Of each node: does it depend on constants only?
fn constant(whole: &Whole) -> Vec<bool> {
    let mut constant: Vec<bool> = vec![];
    for node in &whole.nodes {
        constant.push(match &node.op {
            WholeOp::Same(Op::Table { .. } | Op::KeyedTable { .. } | Op::Output { .. }) => false,
            op => op.inputs().iter().all(|input| constant[input.0]),
        });
    }
    constant
}

/// Of streams and indexes whose rows are made one by one of the rows of one table: the table.
fn single_tables(whole: &Whole) -> Vec<Option<TableId>> {
    let mut tables: Vec<Option<TableId>> = vec![];
    for node in &whole.nodes {
        tables.push(match node.op {
            WholeOp::Same(Op::Table { table, .. } | Op::KeyedTable { table, .. }) => Some(table),
            WholeOp::Same(Op::Map { input, .. } | Op::Exchange { input, .. } | Op::Index { input, .. }) => {
                tables[input.0]
            }
            _ => None,
        });
    }
    tables
}

struct Schedule<'a> {
    whole: &'a Whole,
    /// Nodes that depend on constants only.
    constant: Vec<bool>,
    /// The place of each node in the order; indexes are updated in this order.
    ranks: Vec<usize>,
    /// For each index the whole joins that can run when it is ready, the other side being updated already.
    ready: BTreeMap<NodeId, Vec<NodeId>>,
    /// For each index the changes that read it before its update.
    before: BTreeMap<NodeId, Vec<NodeId>>,
    /// Indexes that some half join reads.
    needed: Vec<bool>,
    nodes: Vec<Node>,
    /// Of streams: the stream in the circuit. Of indexes: the index.
    mapped: HashMap<NodeId, NodeId>,
    /// The change of an index's present keys, and its negation where it exists.
    presence: HashMap<NodeId, NodeId>,
    absence: HashMap<NodeId, NodeId>,
    /// The half joins of each whole one, while they come into being.
    parts: HashMap<NodeId, Vec<NodeId>>,
}

impl<'a> Schedule<'a> {
    fn new(whole: &'a Whole, order: &[NodeId]) -> Schedule<'a> {
        let mut ranks = vec![0; whole.nodes.len()];
        order.iter().enumerate().for_each(|(rank, node)| ranks[node.0] = rank);
        let mut schedule = Schedule {
            whole,
            constant: constant(whole),
            ranks,
            ready: BTreeMap::new(),
            before: BTreeMap::new(),
            needed: vec![false; whole.nodes.len()],
            nodes: vec![],
            mapped: HashMap::new(),
            presence: HashMap::new(),
            absence: HashMap::new(),
            parts: HashMap::new(),
        };
        schedule.plan_joins();
        schedule
    }

    /// Finds when each whole join runs and which indexes it needs.
    fn plan_joins(&mut self) {
        for (position, node) in self.whole.nodes.iter().enumerate() {
            let (left, right) = match node.op {
                WholeOp::Join { left, right, .. } | WholeOp::Semi { left, right } | WholeOp::Anti { left, right } => {
                    (left, right)
                }
                WholeOp::Changes { index, new, .. } => {
                    self.needed[index.0] = true;
                    if !new {
                        self.before.entry(index).or_default().push(NodeId(position));
                    }
                    continue;
                }
                WholeOp::Same(_) => continue,
            };
            let (earlier, later) = self.by_rank(left, right);
            self.ready.entry(later).or_default().push(NodeId(position));
            match node.op {
                WholeOp::Join { .. } => {
                    self.needed[earlier.0] = true;
                    self.needed[later.0] |= !self.first_step_only(earlier, later);
                }
                // The filter of Δa reads b; a is read where b's presence changes after the first step.
                _ if left != right => {
                    self.needed[right.0] = true;
                    self.needed[left.0] |= !self.first_step_only(right, left);
                }
                _ => (),
            }
        }
    }

    fn by_rank(&self, left: NodeId, right: NodeId) -> (NodeId, NodeId) {
        if self.ranks[left.0] <= self.ranks[right.0] { (left, right) } else { (right, left) }
    }

    /// Does `earlier` change only while `later` is still empty?
    fn first_step_only(&self, earlier: NodeId, later: NodeId) -> bool {
        self.constant[earlier.0] && !self.constant[later.0]
    }

    fn node(&mut self, id: NodeId) {
        let node = &self.whole.nodes[id.0];
        match &node.op {
            WholeOp::Same(Op::Index { input, key }) => self.index(id, *input, *key, node),
            _ if self.mapped.contains_key(&id) => (), // It ran ahead of its place.
            WholeOp::Changes { delta, index, kernel, .. } => self.changes(id, *delta, *index, kernel),
            WholeOp::Same(op) => {
                let mut op = op.clone();
                op.map_inputs(|input| self.mapped[&input]);
                let made = self.push(op, node.layout.clone(), node);
                self.mapped.insert(id, made);
            }
            _ => {
                let parts = self.parts.remove(&id).unwrap_or_default();
                let result = match parts[..] {
                    [part] => part,
                    [] => self.push(Op::Constant { rows: vec![] }, node.layout.clone(), node),
                    _ => self.push(Op::Union { inputs: parts }, node.layout.clone(), node),
                };
                self.mapped.insert(id, result);
            }
        }
    }

    /// Runs all joins whose later index this is, around its update.
    fn index(&mut self, id: NodeId, input: NodeId, key: usize, node: &'a WholeNode) {
        let joins = self.ready.remove(&id).unwrap_or_default();
        if self.needed[id.0] {
            self.made(id, input, key);
        }
        for reader in self.before.remove(&id).unwrap_or_default() {
            self.ahead(reader);
        }
        for &join in &joins {
            self.before_update(join, id);
        }
        if self.needed[id.0] {
            let keys = node.layout[..key].to_vec();
            let presence = self.push(Op::Update { index: self.mapped[&id] }, keys, node);
            self.presence.insert(id, presence);
        }
        for &join in &joins {
            self.after_update(join, id);
        }
    }

    /// The index, which is made when it is first read.
    fn made(&mut self, id: NodeId, input: NodeId, key: usize) -> NodeId {
        if let Some(&index) = self.mapped.get(&id) {
            return index;
        }
        let node = &self.whole.nodes[id.0];
        let index = self.push(Op::Index { input: self.mapped[&input], key }, node.layout.clone(), node);
        self.mapped.insert(id, index);
        index
    }

    /// Runs a node of a chain of changes, and those it reads, before its place.
    fn ahead(&mut self, id: NodeId) {
        if self.mapped.contains_key(&id) {
            return;
        }
        let inputs = match &self.whole.nodes[id.0].op {
            WholeOp::Changes { delta, .. } => self.whole.nodes[delta.0].op.inputs(),
            op => op.inputs(),
        };
        inputs.into_iter().for_each(|input| self.ahead(input));
        self.node(id);
    }

    fn changes(&mut self, id: NodeId, delta: NodeId, index: NodeId, kernel: &Kernel) {
        let node = &self.whole.nodes[id.0];
        if let WholeOp::Same(Op::Index { input, key }) = self.whole.nodes[index.0].op {
            let (delta, index) = (self.stream(delta), self.made(index, input, key));
            let op = Op::Join { delta, index, delta_side: Side::Left, kernel: kernel.clone() };
            let made = self.push(op, node.layout.clone(), node);
            self.mapped.insert(id, made);
        }
    }

    fn before_update(&mut self, id: NodeId, later: NodeId) {
        let node = &self.whole.nodes[id.0];
        match &node.op {
            WholeOp::Join { left, right, kernel } if left == right => {
                self.half_join(id, *left, *right, Side::Left, kernel);
            }
            WholeOp::Join { left, right, kernel } => {
                let (earlier, side) = if *right == later { (*left, Side::Left) } else { (*right, Side::Right) };
                if !self.first_step_only(earlier, later) {
                    self.half_join(id, earlier, later, side, kernel);
                }
                let side = if side == Side::Left { Side::Right } else { Side::Left };
                self.half_join(id, later, earlier, side, kernel);
            }
            WholeOp::Semi { left, right } if left == right => {
                let stream = self.stream(*left);
                self.parts.entry(id).or_default().push(stream);
            }
            WholeOp::Anti { left, right } if left == right => (),
            WholeOp::Semi { left, right } | WholeOp::Anti { left, right } => {
                self.filter_by_presence(id, *left, *right);
                if *left == later && !self.first_step_only(*right, *left) {
                    self.presence_join(id, *left, *right);
                }
            }
            WholeOp::Same(_) | WholeOp::Changes { .. } => (),
        }
    }

    fn after_update(&mut self, id: NodeId, later: NodeId) {
        match &self.whole.nodes[id.0].op {
            WholeOp::Join { left, right, kernel } if left == right => {
                self.half_join(id, *right, *left, Side::Right, kernel);
            }
            WholeOp::Semi { left, right } | WholeOp::Anti { left, right } if left != right && *right == later => {
                self.presence_join(id, *left, *right);
            }
            _ => (),
        }
    }

    /// `Δdelta ⋈ index`.
    fn half_join(&mut self, id: NodeId, delta: NodeId, index: NodeId, delta_side: Side, kernel: &Kernel) {
        let op = Op::Join { delta: self.stream(delta), index: self.mapped[&index], delta_side, kernel: kernel.clone() };
        self.part(id, op);
    }

    /// `Δleft ⋉ right` or `Δleft ▷ right`.
    fn filter_by_presence(&mut self, id: NodeId, left: NodeId, right: NodeId) {
        let (delta, index) = (self.stream(left), self.mapped[&right]);
        let op = match self.whole.nodes[id.0].op {
            WholeOp::Anti { .. } => Op::Anti { delta, index },
            _ => Op::Semi { delta, index },
        };
        self.part(id, op);
    }

    /// `±ΔP(right) ⋈ left`: the whole rows of `left` whose key came to or went from `right`.
    fn presence_join(&mut self, id: NodeId, left: NodeId, right: NodeId) {
        let node = &self.whole.nodes[id.0];
        let delta = match node.op {
            WholeOp::Anti { .. } => self.absence(right),
            _ => self.presence[&right],
        };
        let key = self.nodes[delta.0].layout.len();
        let row = |(n, ty): (usize, &ColumnType)| Expr { kind: ExprKind::Slot(key + n), ty: *ty, span: node.span };
        let kernel = Kernel { steps: vec![], outputs: node.layout.iter().enumerate().map(row).collect() };
        self.part(id, Op::Join { delta, index: self.mapped[&left], delta_side: Side::Left, kernel });
    }

    fn absence(&mut self, index: NodeId) -> NodeId {
        if let Some(&known) = self.absence.get(&index) {
            return known;
        }
        let input = self.presence[&index];
        let layout = self.nodes[input.0].layout.clone();
        let negated = self.push(Op::Negate { input }, layout, &self.whole.nodes[index.0]);
        self.absence.insert(index, negated);
        negated
    }

    /// The delta of an index.
    fn stream(&self, index: NodeId) -> NodeId {
        match self.whole.nodes[index.0].op {
            WholeOp::Same(Op::Index { input, .. }) => self.mapped[&input],
            _ => self.mapped[&index],
        }
    }

    fn part(&mut self, id: NodeId, op: Op) {
        let node = &self.whole.nodes[id.0];
        let part = self.push(op, node.layout.clone(), node);
        self.parts.entry(id).or_default().push(part);
    }

    fn push(&mut self, op: Op, layout: Vec<ColumnType>, origin: &WholeNode) -> NodeId {
        self.nodes.push(Node { op, layout, view: origin.view, span: origin.span });
        NodeId(self.nodes.len() - 1)
    }
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod law;
