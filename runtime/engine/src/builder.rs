//! Building a circuit: nodes are appended in the order in which each step will run them.
//!
//! The order of calls *is* the schedule: [`Builder::join`] placed before [`Builder::update`] of its index reads the
//! index as of the step's start (z⁻¹ I), placed after it reads the index with this step's delta (I). The compiler's
//! `incremental` phase decides the order; the engine executes it.

use crate::{Batch, Errors, Layout};
use feldc_value::{ColumnType, EvalError, SqlType};

/// A stream of deltas inside the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);

/// An integral of a stream, indexed by its first columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexId(pub u32);

/// Evaluates a fused filter / project / flat-map chain over a whole batch: reads rows of the input's layout,
/// appends rows of the output's layout with the input row's weight, reports failed rows to `Errors`.
pub type MapKernel = Box<dyn FnMut(&Batch, &mut Batch, &mut Errors) + Send>;

/// Evaluates the residual condition and the projection of a join for one pair: `(left row, right row, out)`.
/// `Ok(true)`: the bytes appended to `out` are a result row; `Ok(false)`: no result; `Err`: the pair failed.
pub type JoinKernel = Box<dyn FnMut(&[u8], &[u8], &mut Vec<u8>) -> Result<bool, EvalError> + Send>;

/// Which input of the SQL join the delta comes from (the index is the other one): the kernel always gets
/// (left row, right row).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AggregateFunction {
    /// Counts rows; `argument` is ignored.
    CountStar,
    /// Counts rows whose argument is not NULL.
    Count,
    /// Result type as given; accumulates wide; NULL over no non-NULL argument.
    Sum,
    Avg,
    Min,
    Max,
    /// EVERY / BOOL_AND.
    Every,
    /// SOME / BOOL_OR.
    Some,
    /// The one value of the argument; a second row is error 21000 (scalar subqueries). NULL over no row.
    Single,
}

/// One aggregate of an [`Builder::aggregate`] node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate {
    pub function: AggregateFunction,
    /// Column of the input row (0 for COUNT(*)).
    pub argument: usize,
    pub distinct: bool,
    pub result: ColumnType,
    /// Place in the program, for overflow of the final value.
    pub line: u32,
    pub column: u32,
}

/// Collects the nodes of one worker's circuit.
pub struct Builder {
    _private: (),
}

impl Builder {
    /// A table without key: a multiset. `stored`: the contents are kept, and a delete of an absent row is refused
    /// (becomes an error row); otherwise deltas pass through.
    pub fn table(&mut self, _name: &str, _layout: Layout, _stored: bool) -> StreamId {
        todo!()
    }

    /// A table whose first `key` columns are its primary key. Input rows of weight +1 upsert; of weight -1 delete by
    /// key (only the key columns of the row are read, the rest may be missing). Events of one step apply in order.
    pub fn keyed_table(&mut self, _name: &str, _layout: Layout, _key: usize) -> StreamId {
        todo!()
    }

    /// The rows of a constant relation: one delta in the first step, nothing later.
    pub fn constant(&mut self, _layout: Layout, _rows: Batch) -> StreamId {
        todo!()
    }

    /// `view` names the owner in error rows.
    pub fn map(&mut self, _input: StreamId, _layout: Layout, _view: &str, _kernel: MapKernel) -> StreamId {
        todo!()
    }

    /// Adds Z-sets of one layout.
    pub fn union(&mut self, _inputs: &[StreamId]) -> StreamId {
        todo!()
    }

    pub fn negate(&mut self, _input: StreamId) -> StreamId {
        todo!()
    }

    /// Moves each row to the worker that owns the hash of its first `key` columns (all to one worker when `key` is 0).
    pub fn exchange(&mut self, _input: StreamId, _key: usize) -> StreamId {
        todo!()
    }

    /// Declares an index of `input` by its first `key` columns. The input must have been exchanged by them.
    pub fn index(&mut self, _input: StreamId, _key: usize) -> IndexId {
        todo!()
    }

    /// Adds this step's delta to the index. The result is the change of the set of present keys: rows holding the
    /// key columns only, +1 for a key that came, -1 for a key that went. Called exactly once for each index.
    pub fn update(&mut self, _index: IndexId) -> StreamId {
        todo!()
    }

    /// Pairs each row of `delta` with the rows of `index` whose key equals the first key columns of `delta`
    /// (the delta's layout begins with the same key column types). Weights multiply.
    pub fn join(
        &mut self,
        _delta: StreamId,
        _index: IndexId,
        _delta_side: Side,
        _layout: Layout,
        _view: &str,
        _kernel: JoinKernel,
    ) -> StreamId {
        todo!()
    }

    /// Rows of `delta` whose key is present in `index`.
    pub fn semi(&mut self, _delta: StreamId, _index: IndexId) -> StreamId {
        todo!()
    }

    /// Rows of `delta` whose key is absent from `index`.
    pub fn anti(&mut self, _delta: StreamId, _index: IndexId) -> StreamId {
        todo!()
    }

    /// Each row whose accumulated weight is positive, once. Keeps its own state; input exchanged by the whole row.
    pub fn distinct(&mut self, _input: StreamId) -> StreamId {
        todo!()
    }

    /// GROUP BY the first `key` columns. Output layout: the key columns, then one column for each aggregate.
    /// `scalar`: no GROUP BY, exactly one row exists from the first step on (`key` is 0).
    pub fn aggregate(
        &mut self,
        _input: StreamId,
        _key: usize,
        _aggregates: Vec<Aggregate>,
        _scalar: bool,
        _view: &str,
    ) -> StreamId {
        todo!()
    }

    /// Publishes a stream as a view's delta. `stored`: the contents are kept and can be read between steps.
    pub fn output(&mut self, _name: &str, _input: StreamId, _stored: bool) {
        todo!()
    }

    pub fn layout(&self, _stream: StreamId) -> &Layout {
        todo!()
    }
}

#[allow(dead_code)]
fn result_of(ty: SqlType) -> ColumnType {
    ColumnType::new(ty, true)
}
