//! Building a circuit: nodes are appended in the order in which each step will run them.
//!
//! The order of calls *is* the schedule: [`Builder::join`] placed before [`Builder::update`] of its index reads the
//! index as of the step's start (z⁻¹ I), placed after it reads the index with this step's delta (I). The compiler's
//! `incremental` phase decides the order; the engine executes it.

use crate::errors::Context;
use crate::operator::aggregate::Aggregation;
use crate::operator::constant::Constant;
use crate::operator::distinct::Distinct;
use crate::operator::exchange::Exchange;
use crate::operator::index::Update;
use crate::operator::join::Join;
use crate::operator::keyed_table::{KeyedRows, KeyedTable};
use crate::operator::map::Map;
use crate::operator::negate::Negate;
use crate::operator::output::Output;
use crate::operator::positive::Positive;
use crate::operator::range_join::{Bounds, RangeJoin};
use crate::operator::semi::Semi;
use crate::operator::table::{Stored, Trusted};
use crate::operator::top_k::{Direction, TopK, Window};
use crate::operator::unnest::{Form, Unnest, element_columns};
use crate::operator::{Operator, Step, Streams};
use crate::trace::PointIndex;
use crate::worker::circuit::{Circuit, Dealing, Node, Schedule, Shape, Sources, TableInfo, ViewInfo, Work};
use crate::{Batch, Errors, Key, Layout};
use feldc_value::{ColumnType, EvalError, SqlType, Statistic};

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
    /// Variances and the like of one argument, or of (y, x).
    Statistic(Statistic),
    BitAnd,
    BitOr,
    BitXor,
    /// Of a value and one or two columns: the value where these are least; of several the least. Only the first of them is
    /// never NULL.
    ArgMin,
    /// Likewise the greatest.
    ArgMax,
    /// The most frequent value; of several the least.
    Mode,
    /// Of (text, separator, columns of the order): the texts in order, each but the first behind its separator.
    StringAgg,
    /// Of (ROW of one value, columns of the order): the values in order as an ARRAY. A row that is NULL has no part.
    ArrayAgg,
    /// Of a DOUBLE: interpolated between the two values around this place of the order.
    PercentileCont(Fraction),
    /// The first value at or behind this place of the order.
    PercentileDisc(Fraction),
}

/// A place in an order from 0 to 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fraction(u64);

impl Fraction {
    pub const HALF: Fraction = Fraction(0.5f64.to_bits());

    pub fn new(value: f64) -> Fraction {
        Fraction(value.clamp(0.0, 1.0).to_bits())
    }

    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl std::fmt::Debug for Fraction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value().fmt(f)
    }
}

impl AggregateFunction {
    /// As in SQL, for messages.
    pub fn name(self) -> String {
        let name = match self {
            AggregateFunction::CountStar => "Count".to_string(),
            AggregateFunction::Statistic(statistic) => format!("{statistic:?}"),
            AggregateFunction::PercentileCont(_) => "PercentileCont".to_string(),
            AggregateFunction::PercentileDisc(_) => "PercentileDisc".to_string(),
            other => format!("{other:?}"),
        };
        let capital = |(at, letter): (usize, char)| if at > 0 && letter.is_uppercase() { "_" } else { "" };
        let words = name.char_indices().map(|(at, letter)| format!("{}{letter}", capital((at, letter))));
        words.collect::<String>().to_uppercase()
    }
}

impl std::fmt::Display for AggregateFunction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())?;
        match self {
            AggregateFunction::PercentileCont(place) | AggregateFunction::PercentileDisc(place) => {
                write!(f, "[{}]", place.value())
            }
            _ => Ok(()),
        }
    }
}

/// One aggregate of an [`Builder::aggregate`] node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate {
    pub function: AggregateFunction,
    /// Columns of the input row; none for COUNT(*). A row with a NULL among them has no part in most functions.
    pub arguments: Vec<usize>,
    /// How the last as many arguments order the rows.
    pub order: Vec<Direction>,
    pub distinct: bool,
    pub result: ColumnType,
    /// Place in the program, for overflow of the final value.
    pub line: u32,
    pub column: u32,
}

/// Collects the nodes of one worker's circuit.
pub struct Builder {
    worker: usize,
    workers: usize,
    nodes: Vec<Node>,
    streams: Streams,
    /// For each stream, what can bring rows to it.
    sources: Vec<Sources>,
    shape: Shape,
    indexes: Vec<PointIndex>,
    /// For each index, the stream it integrates and the number of its key columns.
    indexed: Vec<(StreamId, usize)>,
    errors: Errors,
}

impl Builder {
    /// The circuit of one of `workers` workers.
    pub(crate) fn build(worker: usize, workers: usize, build: &dyn Fn(&mut Builder)) -> Circuit {
        let mut builder = Builder {
            worker,
            workers,
            nodes: Vec::new(),
            streams: Streams::default(),
            sources: Vec::new(),
            shape: Shape::default(),
            indexes: Vec::new(),
            indexed: Vec::new(),
            errors: Errors::default(),
        };
        build(&mut builder);
        builder.finish()
    }

    fn finish(self) -> Circuit {
        let shape = self.shape;
        let step = Step {
            number: 0,
            streams: self.streams,
            indexes: self.indexes,
            errors: self.errors,
            tables: shape.tables.iter().map(|table| Batch::new(table.layout.stride())).collect(),
            keyed: shape.tables.iter().map(|_| KeyedRows::default()).collect(),
            views: shape.views.iter().map(|view| Batch::new(view.layout.stride())).collect(),
        };
        Circuit { nodes: self.nodes, step, shape, peers: None }
    }

    /// A table without key: a multiset. `stored`: the contents are kept, and a delete of an absent row is refused
    /// (becomes an error row); otherwise deltas pass through.
    pub fn table(&mut self, name: &str, layout: Layout, stored: bool) -> StreamId {
        let whole = Key::new(&layout, layout.columns().len());
        let dealing = if stored { Dealing::ByKey(whole) } else { Dealing::Anyhow };
        let whole_batches = self.workers == 1;
        self.add_table(name, layout, dealing, |table, output, layout| match stored {
            true => Box::new(Stored::new(table, output, layout)),
            false => Box::new(Trusted::new(table, output, whole_batches)),
        })
    }

    /// A table whose first `key` columns are its primary key. Input rows of weight +1 upsert; of weight -1 delete by
    /// key (only the key columns of the row are read, the rest may be missing). Events of one step apply in order.
    pub fn keyed_table(&mut self, name: &str, layout: Layout, key: usize) -> StreamId {
        let dealing = Dealing::ByKey(Key::new(&layout, key));
        self.add_table(name, layout, dealing, |table, output, layout| {
            Box::new(KeyedTable::new(table, output, layout, key))
        })
    }

    fn add_table(
        &mut self,
        name: &str,
        layout: Layout,
        dealing: Dealing,
        operator: impl FnOnce(usize, StreamId, &Layout) -> Box<dyn Operator>,
    ) -> StreamId {
        let table = self.shape.tables.len();
        let trusted = dealing == Dealing::Anyhow;
        let output = self.add_stream(layout.clone(), Sources::table(table, trusted));
        let operator = operator(table, output, &layout);
        let context = Context { owner: name.to_owned(), layouts: vec![layout.clone()] };
        self.shape.tables.push(TableInfo { name: name.to_owned(), layout, dealing });
        self.add_node(Work::Operator(operator), &[], Schedule::OnTable(table), context);
        output
    }

    /// The rows of a constant relation: one delta in the first step, nothing later.
    pub fn constant(&mut self, layout: Layout, rows: Batch) -> StreamId {
        let output = self.add_stream(layout.clone(), Sources::first_step());
        // The relation exists once, not once for each worker; the node does, as nodes are run in lockstep.
        let rows = if self.worker == 0 { rows } else { Batch::new(layout.stride()) };
        let operator = Box::new(Constant::new(output, rows));
        self.add_node(Work::Operator(operator), &[], Schedule::First, Context::default());
        output
    }

    /// `view` names the owner in error rows.
    pub fn map(&mut self, input: StreamId, layout: Layout, view: &str, kernel: MapKernel) -> StreamId {
        let context = self.context(view, &[input]);
        self.add_operator(&[input], layout, context, |output| Box::new(Map::new(input, output, kernel)))
    }

    /// Adds Z-sets of one layout.
    ///
    /// # Panics
    /// When there is no input, or two differ in their layout.
    pub fn union(&mut self, inputs: &[StreamId]) -> StreamId {
        let (first, rest) = inputs.split_first().expect("a union has inputs");
        let layout = self.layout(*first).clone();
        for input in rest {
            assert_eq!(self.layout(*input), &layout, "the inputs of a union have one layout");
        }
        let output = self.streams.add_union(inputs);
        self.describe(layout, self.sources_of(inputs));
        output
    }

    pub fn negate(&mut self, input: StreamId) -> StreamId {
        let layout = self.layout(input).clone();
        let output =
            self.add_operator(&[input], layout, Context::default(), |output| Box::new(Negate::new(input, output)));
        self.sources[output.0 as usize].signed = true;
        output
    }

    /// Moves each row to the worker that owns the hash of its first `key` columns (all to one worker when `key` is 0).
    pub fn exchange(&mut self, input: StreamId, key: usize) -> StreamId {
        if self.workers == 1 {
            return input;
        }
        let layout = self.layout(input).clone();
        let sources = self.sources_of(&[input]);
        let key = Key::new(&layout, key);
        let output = self.add_stream(layout, sources.clone());
        let exchange = Exchange::new(input, output, key);
        self.add_node(Work::Exchange(exchange), &[input], Schedule::OnSources(sources), Context::default());
        output
    }

    /// Declares an index of `input` by its first `key` columns. The input must have been exchanged by them.
    pub fn index(&mut self, input: StreamId, key: usize) -> IndexId {
        let index = PointIndex::new(self.layout(input), key);
        self.indexes.push(index);
        self.indexed.push((input, key));
        IndexId((self.indexes.len() - 1) as u32)
    }

    /// Adds this step's delta to the index. The result is the change of the set of present keys: rows holding the
    /// key columns only, +1 for a key that came, -1 for a key that went. Called exactly once for each index.
    pub fn update(&mut self, index: IndexId) -> StreamId {
        let (input, key) = self.indexed[index.0 as usize];
        let layout = self.layout(input).prefix(key);
        self.add_operator(&[input], layout, Context::default(), |output| Box::new(Update::new(index, input, output)))
    }

    /// Pairs each row of `delta` with the rows of `index` whose key equals the first key columns of `delta`
    /// (the delta's layout begins with the same key column types). Weights multiply.
    pub fn join(
        &mut self,
        delta: StreamId,
        index: IndexId,
        delta_side: Side,
        layout: Layout,
        view: &str,
        kernel: JoinKernel,
    ) -> StreamId {
        let (indexed, _) = self.indexed[index.0 as usize];
        let context = match delta_side {
            Side::Left => self.context(view, &[delta, indexed]),
            Side::Right => self.context(view, &[indexed, delta]),
        };
        let key = self.delta_key(delta, index);
        self.add_operator(&[delta], layout, context, |output| {
            Box::new(Join::new(delta, index, key, delta_side, output, kernel))
        })
    }

    /// Pairs rows of two inputs with equal key, the first `key` columns, and a sort value, the column behind it, within
    /// the bounds that are the next columns of the other's rows ([`Bounds`]). Inputs exchanged by the key. Keeps its own
    /// state. The kernel decides about each pair within bounds. Weights multiply.
    pub fn range_join(
        &mut self,
        (left, left_bounds): (StreamId, Bounds),
        (right, right_bounds): (StreamId, Bounds),
        key: usize,
        layout: Layout,
        view: &str,
        kernel: JoinKernel,
    ) -> StreamId {
        let context = self.context(view, &[left, right]);
        let (left_layout, right_layout) = (self.layout(left).clone(), self.layout(right).clone());
        self.add_operator(&[left, right], layout, context, |output| {
            let (left, right) = ((left, &left_layout, left_bounds), (right, &right_layout, right_bounds));
            Box::new(RangeJoin::new(left, right, key, output, kernel))
        })
    }

    /// Rows of `delta` whose key is present in `index`.
    pub fn semi(&mut self, delta: StreamId, index: IndexId) -> StreamId {
        self.add_semi(delta, index, true)
    }

    /// Rows of `delta` whose key is absent from `index`.
    pub fn anti(&mut self, delta: StreamId, index: IndexId) -> StreamId {
        self.add_semi(delta, index, false)
    }

    fn add_semi(&mut self, delta: StreamId, index: IndexId, keep_present: bool) -> StreamId {
        let key = self.delta_key(delta, index);
        let layout = self.layout(delta).clone();
        self.add_operator(&[delta], layout, Context::default(), |output| {
            Box::new(Semi::new(delta, index, key, output, keep_present))
        })
    }

    /// Each row whose accumulated weight is positive, once. Keeps its own state; input exchanged by the whole row.
    pub fn distinct(&mut self, input: StreamId) -> StreamId {
        let layout = self.layout(input).clone();
        let output = self.add_operator(&[input], layout.clone(), Context::default(), |output| {
            Box::new(Distinct::new(input, output, &layout))
        });
        self.sources[output.0 as usize].signed = false;
        output
    }

    /// Each row whose accumulated weight is positive, with that weight. Keeps its own state; input exchanged by the whole
    /// row.
    pub fn positive(&mut self, input: StreamId) -> StreamId {
        let layout = self.layout(input).clone();
        let output = self.add_operator(&[input], layout.clone(), Context::default(), |output| {
            Box::new(Positive::new(input, output, &layout))
        });
        self.sources[output.0 as usize].signed = false;
        output
    }

    /// GROUP BY the first `key` columns. Output layout: the key columns, then one column for each aggregate.
    /// `scalar`: no GROUP BY, exactly one row exists from the first step on (`key` is 0).
    pub fn aggregate(
        &mut self,
        input: StreamId,
        key: usize,
        aggregates: Vec<Aggregate>,
        scalar: bool,
        view: &str,
    ) -> StreamId {
        let input_layout = self.layout(input).clone();
        let key_columns = input_layout.columns()[..key].iter().copied();
        let columns: Vec<ColumnType> = key_columns.chain(aggregates.iter().map(|aggregate| aggregate.result)).collect();
        let mut sources = self.sources_of(&[input]).unsigned();
        // The group without rows exists once: at the worker to which all rows go.
        let (schedule, scalar_here) = match scalar {
            true => {
                sources.add(&Sources::first_step());
                let here = self.worker == 0;
                (if here { Schedule::OnInputOrFirst } else { Schedule::OnInput }, here)
            }
            false => (Schedule::OnInput, false),
        };
        // The row to show for a failing aggregate is its group's key.
        let context = Context { owner: view.to_owned(), layouts: vec![input_layout.prefix(key)] };
        let output = self.add_stream(Layout::new(columns), sources);
        let operator = Aggregation::new(input, output, &input_layout, key, aggregates, scalar_here);
        self.add_node(Work::Operator(Box::new(operator)), &[input], schedule, context);
        output
    }

    /// Of each partition, which the first `partition` columns make, the rows in a window of an order: that of the next
    /// columns, with one direction each, then of the others. Input exchanged by the partition. With a rank the rows of the
    /// result have one column more.
    pub fn top_k(&mut self, input: StreamId, partition: usize, order: Vec<Direction>, window: Window) -> StreamId {
        let layout = self.layout(input).clone();
        assert!(partition + order.len() <= layout.columns().len(), "an order beyond the row's columns");
        let rank = window.rank.map(|_| ColumnType::new(SqlType::BigInt, false));
        let ranked = Layout::new(layout.columns().iter().copied().chain(rank).collect());
        let output = self.add_operator(&[input], ranked, Context::default(), |output| {
            Box::new(TopK::new(input, output, &layout, partition, order, window))
        });
        self.sources[output.0 as usize].signed = false;
        output
    }

    /// A row for each element of the arrays that the first columns are; the other columns stay.
    pub fn unnest(&mut self, input: StreamId, arrays: usize, ordinality: bool, outer: bool) -> StreamId {
        let (layout, form) = (self.layout(input).clone(), Form { ordinality, outer });
        let (first, rest) = layout.columns().split_at(arrays);
        let result = Layout::new(element_columns(first, form).into_iter().chain(rest.iter().copied()).collect());
        self.add_operator(&[input], result, Context::default(), |output| {
            Box::new(Unnest::new(input, output, &layout, arrays, form))
        })
    }

    /// Publishes a stream as a view's delta. `stored`: the contents are kept and can be read between steps.
    pub fn output(&mut self, name: &str, input: StreamId, stored: bool) {
        let view = self.shape.views.len();
        let layout = self.layout(input).clone();
        let signed = self.sources[input.0 as usize].signed;
        self.shape.views.push(ViewInfo { name: name.to_owned(), layout, stored, signed });
        let schedule =
            if self.workers == 1 { Schedule::OnInput } else { Schedule::OnSources(self.sources_of(&[input])) };
        self.add_node(Work::Output(Output::new(input, view)), &[input], schedule, Context::default());
    }

    pub fn layout(&self, stream: StreamId) -> &Layout {
        &self.shape.streams[stream.0 as usize]
    }

    fn add_operator(
        &mut self,
        inputs: &[StreamId],
        layout: Layout,
        context: Context,
        operator: impl FnOnce(StreamId) -> Box<dyn Operator>,
    ) -> StreamId {
        let output = self.add_stream(layout, self.sources_of(inputs));
        self.add_node(Work::Operator(operator(output)), inputs, Schedule::OnInput, context);
        output
    }

    fn add_node(&mut self, work: Work, inputs: &[StreamId], schedule: Schedule, context: Context) {
        let context = self.errors.add_context(context);
        self.nodes.push(Node { work, inputs: inputs.to_vec(), schedule, context });
    }

    fn add_stream(&mut self, layout: Layout, sources: Sources) -> StreamId {
        let stream = self.streams.add(layout.stride());
        self.describe(layout, sources);
        stream
    }

    fn describe(&mut self, layout: Layout, sources: Sources) {
        self.shape.streams.push(layout);
        self.sources.push(sources);
    }

    fn sources_of(&self, inputs: &[StreamId]) -> Sources {
        let mut sources = Sources::default();
        inputs.iter().for_each(|input| sources.add(&self.sources[input.0 as usize]));
        sources
    }

    fn context(&self, view: &str, rows_of: &[StreamId]) -> Context {
        let layouts = rows_of.iter().map(|stream| self.layout(*stream).clone()).collect();
        Context { owner: view.to_owned(), layouts }
    }

    /// The key by which rows of `delta` are looked up in `index`.
    fn delta_key(&self, delta: StreamId, index: IndexId) -> Key {
        let (indexed, columns) = self.indexed[index.0 as usize];
        let key = Key::new(self.layout(delta), columns);
        let (left, right) = (&self.layout(delta).columns()[..columns], &self.layout(indexed).columns()[..columns]);
        assert_eq!(left, right, "the delta's key columns are those of the index");
        key
    }
}
