//! The circuit: operators over streams of byte rows, in schedule order. The form, its printer and checks; no decisions.
//!
//! `lower` makes it with whole joins ([`Whole`]); `incremental` replaces each join, semi- and antijoin by half joins
//! over indexes and fixes the order ([`Circuit`]). `emit` and `interpret` translate each node to
//! the `feldc_engine::Builder` call of the same name.
//!
//! In every kernel an output expression may be NOT NULL where its layout column is nullable, never the reverse; their
//! types agree up to text length and to decimal precision of one width class ([`check::encodes_alike`]).

pub mod check;
pub mod print;
pub mod walk;
pub mod whole;

pub use whole::{Whole, WholeNode, WholeOp};

use crate::plan::{Expr, Span, TableId, ViewId};
use feldc_engine::{Aggregate, Bounds, Direction, Side, Window};
use feldc_value::{ColumnType, Value};

/// Position in [`Circuit::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub usize);

/// A fused chain evaluated row by row. Slots number the input columns first, then the `let`s in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    pub steps: Vec<KernelStep>,
    /// The output columns in physical order.
    pub outputs: Vec<Expr>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum KernelStep {
    /// Names a value for later steps: it becomes the next slot.
    Let(Expr),
    /// Drops the row unless the expression is true.
    Filter(Expr),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub op: Op,
    /// Physical columns of the result rows; for `Index` those of the input.
    pub layout: Vec<ColumnType>,
    /// Which view's SQL the node computes (the first that needed it).
    pub view: Option<ViewId>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A table without key; `stored` as in `Builder::table`.
    Table {
        table: TableId,
        stored: bool,
    },
    KeyedTable {
        table: TableId,
        key: usize,
    },
    Constant {
        rows: Vec<Vec<Value>>,
    },
    Map {
        input: NodeId,
        kernel: Kernel,
    },
    Union {
        inputs: Vec<NodeId>,
    },
    Negate {
        input: NodeId,
    },
    Exchange {
        input: NodeId,
        key: usize,
    },
    Index {
        input: NodeId,
        key: usize,
    },
    Update {
        index: NodeId,
    },
    /// `delta` ⋈ `index`; the kernel's slots are the left row's columns then the right row's.
    Join {
        delta: NodeId,
        index: NodeId,
        delta_side: Side,
        kernel: Kernel,
    },
    /// Rows with equal key, the first `key` columns, and sort values, the column behind it, within the bounds that are the
    /// next columns of the other row. Both inputs are deltas; the kernel's slots are as in `Join`.
    RangeJoin {
        left: NodeId,
        right: NodeId,
        key: usize,
        left_bounds: Bounds,
        right_bounds: Bounds,
        kernel: Kernel,
    },
    Semi {
        delta: NodeId,
        index: NodeId,
    },
    Anti {
        delta: NodeId,
        index: NodeId,
    },
    Distinct {
        input: NodeId,
    },
    /// The rows whose weights add up to more than 0, so often.
    Positive {
        input: NodeId,
    },
    Aggregate {
        input: NodeId,
        key: usize,
        aggregates: Vec<Aggregate>,
        scalar: bool,
    },
    /// The first `partition` columns make the partition, the next ones the order.
    TopK {
        input: NodeId,
        partition: usize,
        order: Vec<Direction>,
        window: Window,
    },
    /// A row for each element of the arrays that the first columns are.
    Unnest {
        input: NodeId,
        arrays: usize,
        ordinality: bool,
        outer: bool,
    },
    Output {
        input: NodeId,
        view: ViewId,
        stored: bool,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Circuit {
    pub nodes: Vec<Node>,
}
