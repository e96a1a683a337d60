//! The logical dataflow graph that plans are lowered to first: shared nodes whose columns have no physical place yet.
//!
//! Equal nodes exist once. A consumer names columns of a node by position; only the columns that some consumer reads in
//! the end become part of rows (`demand`), and only then is their order chosen (`physical`). That is how an index
//! serves several joins with the union of the columns they need.

use super::expr::{self, canonical};
use crate::plan::{Expr, Span, TableId, ViewId};
use feldc_engine::{AggregateFunction, Bounds, Direction, Window};
use feldc_value::{ColumnType, Value};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FlowId(pub usize);

/// In expressions over a [`Source::Pair`] the right index's columns are the slots from here on.
pub(super) const RIGHT: usize = 1 << 28;

/// What a fused filter and projection chain reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Node(FlowId),
    /// Pairs of rows of two [`FlowOp::Arrange`] nodes with equal keys: a join.
    Pair(FlowId, FlowId),
    /// Pairs of a row of the change of one [`FlowOp::Arrange`] node and a row with equal key of another one, as it is
    /// before this step or (`new`) after it: a part of a join of several inputs.
    Changes {
        delta: FlowId,
        index: FlowId,
        new: bool,
    },
}

/// Rows of the source that pass all filters, which are evaluated in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Feed {
    pub source: Source,
    pub filters: Vec<Expr>,
}

impl Feed {
    pub fn of(node: FlowId) -> Feed {
        Feed { source: Source::Node(node), filters: vec![] }
    }

    fn canonical(&self) -> String {
        format!("{:?} where {}", self.source, canonical_list(&self.filters))
    }
}

#[derive(Clone, Debug)]
pub(super) struct FlowAggregate {
    pub function: AggregateFunction,
    pub arguments: Vec<Expr>,
    pub order: Vec<Direction>,
    pub distinct: bool,
    pub result: ColumnType,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum FlowOp {
    Table(TableId),
    Constant(Vec<Vec<Value>>),
    /// A chain whose result is kept as a stream because several consumers read it.
    Map(Feed),
    /// An index by the first `key` columns; further columns are added by its consumers. With a range these columns follow:
    /// a sort value and the bounds that a row sets for the other side's. Range joins keep such rows themselves.
    Arrange {
        feed: Feed,
        key: usize,
        range: Option<Bounds>,
    },
    /// Rows of `left` with (`anti`: without) an equal key in `right`. Its columns are those of `left`.
    Semi {
        left: FlowId,
        right: FlowId,
        anti: bool,
    },
    /// Each input with its expression for every column.
    Union(Vec<(Feed, Vec<Expr>)>),
    Distinct(Feed),
    /// The first without the second, row for row; `positive`: not less than nothing.
    Minus {
        inputs: [(Feed, Vec<Expr>); 2],
        positive: bool,
    },
    /// Columns: the key's, then one for each aggregate.
    Aggregate {
        feed: Feed,
        key: usize,
        aggregates: Vec<FlowAggregate>,
        scalar: bool,
    },
    /// Columns: the partition's, those of the order, others.
    TopK {
        feed: Feed,
        partition: usize,
        order: Vec<Direction>,
        window: Window,
    },
    /// Columns: `made` ones, the elements of the arrays and perhaps their number, then others.
    Unnest {
        feed: Feed,
        arrays: Vec<Expr>,
        made: usize,
        outer: bool,
    },
    Output {
        feed: Feed,
        view: ViewId,
        stored: bool,
    },
}

#[derive(Clone, Debug)]
pub(super) struct FlowColumn {
    pub ty: ColumnType,
    /// Over the feed's source, where the node computes its columns by a kernel.
    pub expr: Option<Expr>,
}

impl FlowColumn {
    pub fn of(expr: Expr) -> FlowColumn {
        FlowColumn { ty: expr.ty, expr: Some(expr) }
    }
}

pub(super) struct FlowNode {
    pub op: FlowOp,
    /// Empty for `Semi`: see [`Flow::columns_of`].
    pub columns: Vec<FlowColumn>,
    pub view: Option<ViewId>,
    pub span: Span,
}

/// How many columns an [`FlowOp::Arrange`] node begins with by itself.
pub(super) fn leading(key: usize, range: Option<Bounds>) -> usize {
    key + range.map_or(0, |bounds| 1 + bounds.columns())
}

/// The graph; inputs have smaller ids than their consumers.
#[derive(Default)]
pub(super) struct Flow {
    pub nodes: Vec<FlowNode>,
    interned: HashMap<String, FlowId>,
    /// Columns of `Arrange` nodes by canonical text.
    arranged: HashMap<(FlowId, String), usize>,
    /// The view that is being lowered.
    pub view: Option<ViewId>,
    pub span: Span,
}

impl Flow {
    /// The node of this operation and these columns, made if it does not exist.
    pub fn add(&mut self, op: FlowOp, columns: Vec<FlowColumn>) -> FlowId {
        let identity = identity(&op, &columns);
        if let Some(&node) = self.interned.get(&identity) {
            return node;
        }
        let node = FlowId(self.nodes.len());
        self.interned.insert(identity, node);
        self.nodes.push(FlowNode { op, columns, view: self.view, span: self.span });
        node
    }

    /// The node that holds the columns that `node`'s rows consist of.
    pub fn columns_of(&self, node: FlowId) -> FlowId {
        match self.nodes[node.0].op {
            FlowOp::Semi { left, .. } => left,
            _ => node,
        }
    }

    pub fn slot(&self, node: FlowId, column: usize) -> Expr {
        expr::slot(column, self.nodes[self.columns_of(node).0].columns[column].ty, self.span)
    }

    /// The position of a value in an index's rows, added if it is new.
    pub fn arrange_column(&mut self, node: FlowId, value: &Expr) -> usize {
        let key = (node, canonical(value));
        if let Some(&position) = self.arranged.get(&key) {
            return position;
        }
        let columns = &mut self.nodes[node.0].columns;
        columns.push(FlowColumn::of(value.clone()));
        self.arranged.insert(key, columns.len() - 1);
        columns.len() - 1
    }

    /// Lets readers of `value` read the key column `position` instead.
    pub fn alias_key(&mut self, node: FlowId, value: &Expr, position: usize) {
        self.arranged.entry((node, canonical(value))).or_insert(position);
    }
}

fn canonical_list<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> String {
    exprs.into_iter().map(canonical).collect::<Vec<_>>().join("; ")
}

fn given((feed, exprs): &(Feed, Vec<Expr>)) -> String {
    format!("{} give {}", feed.canonical(), canonical_list(exprs))
}

fn identity(op: &FlowOp, columns: &[FlowColumn]) -> String {
    let head = match op {
        FlowOp::Table(table) => format!("table {}", table.0),
        FlowOp::Constant(rows) => format!("constant {rows:?}"),
        FlowOp::Map(feed) => format!("map {}", feed.canonical()),
        FlowOp::Arrange { feed, key, range } => format!("arrange {key} {range:?} {}", feed.canonical()),
        FlowOp::Semi { left, right, anti } => format!("semi {left:?} {right:?} {anti}"),
        FlowOp::Union(inputs) => format!("union {}", inputs.iter().map(given).collect::<Vec<_>>().join(" and ")),
        FlowOp::Minus { inputs: [left, right], positive } => {
            format!("minus {} and {} {positive}", given(left), given(right))
        }
        FlowOp::Distinct(feed) => format!("distinct {}", feed.canonical()),
        FlowOp::Aggregate { feed, key, aggregates, scalar } => {
            let call = |a: &FlowAggregate| {
                format!("{:?} {} {:?} {} {}", a.function, canonical_list(&a.arguments), a.order, a.distinct, a.result)
            };
            let calls = aggregates.iter().map(call).collect::<Vec<_>>().join(" and ");
            format!("aggregate {key} {scalar} {} of {calls}", feed.canonical())
        }
        FlowOp::TopK { feed, partition, order, window } => {
            format!("top {partition} {order:?} {window:?} {}", feed.canonical())
        }
        FlowOp::Unnest { feed, arrays, made, outer } => {
            format!("unnest {made} {outer} {} of {}", canonical_list(arrays), feed.canonical())
        }
        FlowOp::Output { view, .. } => format!("output {}", view.0),
    };
    let column = |c: &FlowColumn| format!("{} {}", c.ty, canonical_list(&c.expr));
    format!("{head} columns {}", columns.iter().map(column).collect::<Vec<_>>().join("; "))
}
