//! From the logical graph to operators over rows: chooses each stream's columns and their order, builds kernels, moves
//! rows between workers where a key needs it. Equal operators exist once here too.

use super::demand::Demand;
use super::expr::{canonical, map_slots, slot};
use super::flow::{Feed, Flow, FlowAggregate, FlowId, FlowOp, RIGHT, Source, leading};
use super::kernel;
use super::order::{fixed_first, table_order, view_order};
use crate::circuit::{Kernel, KernelStep, NodeId, Op, Whole, WholeNode, WholeOp};
use crate::plan::{Expr, ExprKind, Program, TableId, ViewId};
use feldc_engine::{Aggregate, AggregateFunction};
use feldc_value::{ColumnType, SqlType, Value};
use std::collections::{BTreeMap, HashMap};

pub(super) fn physical(program: &Program, flow: &Flow, demand: &Demand) -> Whole {
    let mut physical = Physical {
        program,
        flow,
        demand,
        whole: Whole::default(),
        interned: HashMap::new(),
        partitions: vec![],
        places: HashMap::new(),
        current: FlowId(0),
    };
    for position in (0..flow.nodes.len()).filter(|&position| demand.live[position]) {
        physical.current = FlowId(position);
        let place = physical.node();
        physical.places.insert(FlowId(position), place);
    }
    physical.whole
}

/// Where a logical node's rows are.
#[derive(Clone)]
struct Place {
    node: NodeId,
    /// Logical to physical column.
    positions: BTreeMap<usize, usize>,
}

impl Place {
    fn new(node: NodeId, order: &[usize]) -> Place {
        Place { node, positions: order.iter().enumerate().map(|(physical, &logical)| (logical, physical)).collect() }
    }
}

struct Physical<'a> {
    program: &'a Program,
    flow: &'a Flow,
    demand: &'a Demand,
    whole: Whole,
    interned: HashMap<String, NodeId>,
    /// For each stream the columns by whose hash its rows are spread over the workers; `None` if by none.
    partitions: Vec<Option<Vec<usize>>>,
    places: HashMap<FlowId, Place>,
    current: FlowId,
}

/// An output column of a kernel: its expression over the feed's source, and its type in the row.
type Output = (Expr, ColumnType);

impl Physical<'_> {
    fn node(&mut self) -> Place {
        let (flow, id) = (self.flow, self.current);
        let node = &flow.nodes[id.0];
        let read = || self.demand.columns[id.0].iter().copied();
        let ty = |column: usize| node.columns[column].ty;
        let outputs = |order: &[usize]| -> Vec<Output> {
            order.iter().flat_map(|&c| node.columns[c].expr.clone().map(|expr| (expr, ty(c)))).collect()
        };
        match &node.op {
            FlowOp::Table(table) => self.table(*table),
            FlowOp::Constant(rows) => {
                let order = fixed_first(read().collect(), ty);
                let project = |row: &Vec<Value>| order.iter().map(|&column| row[column].clone()).collect();
                let op = Op::Constant { rows: rows.iter().map(project).collect() };
                Place::new(self.push(WholeOp::Same(op), order.iter().map(|&c| ty(c)).collect(), None), &order)
            }
            FlowOp::Map(feed) => {
                let order = fixed_first(read().collect(), ty);
                Place::new(self.feed(feed, &outputs(&order)), &order)
            }
            FlowOp::Arrange { feed, key, range } => {
                let leading = leading(*key, *range);
                let rest = fixed_first(read().filter(|column| *column >= leading).collect(), ty);
                let order: Vec<usize> = (0..leading).chain(rest).collect();
                let stream = self.feed(feed, &outputs(&order));
                let input = self.exchange(stream, *key, true);
                if range.is_some() {
                    return Place::new(input, &order);
                }
                let layout = self.layout(input).to_vec();
                let partition = self.partitions[input.0].clone();
                Place::new(self.push(WholeOp::Same(Op::Index { input, key: *key }), layout, partition), &order)
            }
            FlowOp::Semi { left, right, anti } => {
                let (kept, other) = (self.places[left].clone(), self.places[right].node);
                let layout = self.layout(kept.node).to_vec();
                let partition = self.partitions[kept.node.0].clone();
                let op = match anti {
                    true => WholeOp::Anti { left: kept.node, right: other },
                    false => WholeOp::Semi { left: kept.node, right: other },
                };
                Place { node: self.push(op, layout, partition), ..kept }
            }
            FlowOp::Union(inputs) => {
                let order = fixed_first(read().collect(), ty);
                let mut streams = vec![];
                for (feed, exprs) in inputs {
                    let outputs: Vec<Output> = order.iter().map(|&c| (exprs[c].clone(), ty(c))).collect();
                    streams.push(self.feed(feed, &outputs));
                }
                Place::new(self.union(streams, order.iter().map(|&c| ty(c)).collect()), &order)
            }
            FlowOp::Minus { inputs, positive } => {
                let order = fixed_first(read().collect(), ty);
                let layout: Vec<ColumnType> = order.iter().map(|&c| ty(c)).collect();
                let [left, right] = inputs.each_ref().map(|(feed, exprs)| {
                    let outputs: Vec<Output> = order.iter().map(|&c| (exprs[c].clone(), ty(c))).collect();
                    let stream = self.feed(feed, &outputs);
                    if *positive { self.exchange(stream, order.len(), false) } else { stream }
                });
                Place::new(self.minus(left, right, layout, *positive), &order)
            }
            FlowOp::Distinct(feed) => {
                let order = fixed_first(read().collect(), ty);
                let stream = self.feed(feed, &outputs(&order));
                let input = self.exchange(stream, order.len(), false);
                let (layout, partition) = (self.layout(input).to_vec(), self.partitions[input.0].clone());
                Place::new(self.push(WholeOp::Same(Op::Distinct { input }), layout, partition), &order)
            }
            FlowOp::Aggregate { feed, key, aggregates, scalar } => {
                let keys = fixed_first((0..*key).collect(), ty);
                let called: Vec<usize> = read().filter(|column| column >= key).collect();
                let calls: Vec<&FlowAggregate> = called.iter().map(|column| &aggregates[column - key]).collect();
                let node = self.aggregate(feed, outputs(&keys), &calls, *scalar);
                Place::new(node, &[keys, called].concat())
            }
            FlowOp::TopK { feed, partition, order: directions, window } => {
                let ordered = partition + directions.len();
                let rank = window.rank.map(|_| node.columns.len() - 1);
                let is_rest = |column: &usize| *column >= ordered && Some(*column) != rank;
                let rest = fixed_first(read().filter(is_rest).collect(), ty);
                let mut order: Vec<usize> = (0..ordered).chain(rest).collect();
                let stream = self.feed(feed, &outputs(&order));
                let input = self.exchange(stream, *partition, false);
                let mut layout = self.layout(input).to_vec();
                layout.extend(rank.map(ty));
                order.extend(rank);
                let kept = self.partitions[input.0].clone();
                let (partition, window) = (*partition, *window);
                let op = Op::TopK { input, partition, order: directions.clone(), window };
                Place::new(self.push(WholeOp::Same(op), layout, kept), &order)
            }
            FlowOp::Unnest { feed, arrays, made, outer } => {
                let rest = fixed_first(read().filter(|column| column >= made).collect(), ty);
                let first = arrays.iter().map(|array| (array.clone(), array.ty));
                let input = self.feed(feed, &first.chain(outputs(&rest)).collect::<Vec<_>>());
                let order: Vec<usize> = (0..*made).chain(rest).collect();
                let ordinality = *made > arrays.len();
                let op = Op::Unnest { input, arrays: arrays.len(), ordinality, outer: *outer };
                Place::new(self.push(WholeOp::Same(op), order.iter().map(|&c| ty(c)).collect(), None), &order)
            }
            FlowOp::Output { feed, view, stored } => self.output(feed, *view, *stored),
        }
    }

    fn table(&mut self, table: TableId) -> Place {
        let definition = &self.program.tables[table.0];
        let order = table_order(definition);
        let layout = order.iter().map(|&column| definition.columns[column].ty).collect();
        let op = match definition.primary_key.len() {
            0 => Op::Table { table, stored: definition.materialized },
            key => Op::KeyedTable { table, key },
        };
        let node = self.push(WholeOp::Same(op), layout, None);
        self.whole.nodes[node.0].span = definition.span;
        Place::new(node, &order)
    }

    fn output(&mut self, feed: &Feed, view: ViewId, stored: bool) -> Place {
        let columns = &self.flow.nodes[self.current.0].columns;
        let order = view_order(&self.program.views[view.0]);
        let outputs: Vec<Output> =
            order.iter().flat_map(|&c| columns[c].expr.clone().map(|expr| (expr, columns[c].ty))).collect();
        let input = self.feed(feed, &outputs);
        let layout = self.layout(input).to_vec();
        Place::new(self.push(WholeOp::Same(Op::Output { input, view, stored }), layout, None), &order)
    }

    fn union(&mut self, mut streams: Vec<NodeId>, layout: Vec<ColumnType>) -> NodeId {
        match streams.len() {
            0 => self.push(WholeOp::Same(Op::Constant { rows: vec![] }), layout, None),
            1 => streams.remove(0),
            _ => {
                let first = self.partitions[streams[0].0].clone();
                let partition = first.filter(|p| streams.iter().all(|s| self.partitions[s.0].as_ref() == Some(p)));
                self.push(WholeOp::Same(Op::Union { inputs: streams }), layout, partition)
            }
        }
    }

    /// Both sides are partitioned alike, if they are to be compared.
    fn minus(&mut self, left: NodeId, right: NodeId, layout: Vec<ColumnType>, positive: bool) -> NodeId {
        let partition = self.partitions[right.0].clone();
        let negated = self.push(WholeOp::Same(Op::Negate { input: right }), layout.clone(), partition);
        let difference = self.union(vec![left, negated], layout.clone());
        if !positive {
            return difference;
        }
        let input = self.exchange(difference, layout.len(), false);
        let partition = self.partitions[input.0].clone();
        self.push(WholeOp::Same(Op::Positive { input }), layout, partition)
    }

    fn aggregate(&mut self, feed: &Feed, keys: Vec<Output>, calls: &[&FlowAggregate], scalar: bool) -> NodeId {
        let key = keys.len();
        let mut outputs = keys;
        let mut aggregates = vec![];
        for call in calls {
            // COUNT of what is never NULL counts rows.
            let counts_rows = |e: &Expr| call.function == AggregateFunction::Count && !call.distinct && !e.ty.nullable;
            let (function, arguments) = match &call.arguments[..] {
                [argument] if counts_rows(argument) && !argument.fallible() => (AggregateFunction::CountStar, vec![]),
                arguments => {
                    (call.function, arguments.iter().map(|argument| position_of(argument, &mut outputs)).collect())
                }
            };
            let (line, column) = (call.span.line, call.span.column);
            aggregates.push(Aggregate {
                function,
                arguments,
                order: call.order.clone(),
                distinct: call.distinct,
                result: call.result,
                line,
                column,
            });
        }
        let stream = self.feed(feed, &outputs);
        let input = self.exchange(stream, key, false);
        let results = aggregates.iter().map(|aggregate| aggregate.result);
        let layout = outputs[..key].iter().map(|(_, ty)| *ty).chain(results).collect();
        let partition = self.partitions[input.0].clone().filter(|columns| columns.iter().all(|&c| c < key));
        self.push(WholeOp::Same(Op::Aggregate { input, key, aggregates, scalar }), layout, partition)
    }

    /// The stream of a fused chain: the source itself where nothing changes.
    fn feed(&mut self, feed: &Feed, outputs: &[Output]) -> NodeId {
        let (input, slots) = self.slots(feed.source);
        let read = |expr: &Expr| {
            map_slots(expr, &mut |logical, read| {
                let physical = physical_slot(&input, logical);
                slot(physical, slots[physical], read.span)
            })
        };
        let filters: Vec<Expr> = feed.filters.iter().map(read).collect();
        let exprs: Vec<Expr> = outputs.iter().map(|(expr, ty)| typed_null(read(expr), *ty)).collect();
        let layout: Vec<ColumnType> = outputs.iter().map(|(_, ty)| *ty).collect();
        let kernel = kernel::build(&filters, &exprs, slots.len());
        let partition = self.kept_partition(feed.source, &kernel, &slots, &layout);
        match feed.source {
            Source::Node(_) if is_identity(&kernel, &slots, &layout) => input.node,
            Source::Node(_) => self.push(WholeOp::Same(Op::Map { input: input.node, kernel }), layout, partition),
            Source::Changes { index, new, .. } => {
                let (delta, index) = (input.node, self.places[&index].node);
                self.push(WholeOp::Changes { delta, index, new, kernel }, layout, partition)
            }
            Source::Pair(of_left, of_right) => {
                let (left, right) = (input.node, self.places[&of_right].node);
                let op = match (&self.flow.nodes[of_left.0].op, &self.flow.nodes[of_right.0].op) {
                    (
                        FlowOp::Arrange { key, range: Some(left_bounds), .. },
                        FlowOp::Arrange { range: Some(right_bounds), .. },
                    ) => {
                        let (key, left_bounds, right_bounds) = (*key, *left_bounds, *right_bounds);
                        WholeOp::Same(Op::RangeJoin { left, right, key, left_bounds, right_bounds, kernel })
                    }
                    _ => WholeOp::Join { left, right, kernel },
                };
                self.push(op, layout, partition)
            }
        }
    }

    /// Where the source's columns are, and the types of the kernel's slots: for pairs the left row, then the right.
    fn slots(&self, source: Source) -> (Place, Vec<ColumnType>) {
        match source {
            Source::Node(node) => {
                let place = self.places[&node].clone();
                let slots = self.layout(place.node).to_vec();
                (place, slots)
            }
            Source::Pair(left, right) | Source::Changes { delta: left, index: right, .. } => {
                let (mut place, right) = (self.places[&left].clone(), &self.places[&right]);
                let width = self.layout(place.node).len();
                let slots = [self.layout(place.node), self.layout(right.node)].concat();
                place.positions.extend(right.positions.iter().map(|(logical, n)| (RIGHT + logical, width + n)));
                (place, slots)
            }
        }
    }

    /// The partition of the source seen in the result's columns, where they hold its bytes unchanged.
    fn kept_partition(
        &self,
        source: Source,
        kernel: &Kernel,
        slots: &[ColumnType],
        layout: &[ColumnType],
    ) -> Option<Vec<usize>> {
        let place_of = |wanted: usize| {
            (0..layout.len()).find(|&n| {
                matches!(kernel.outputs[n].kind, ExprKind::Slot(s) if s == wanted) && layout[n] == slots[wanted]
            })
        };
        match source {
            Source::Node(node) => {
                let columns = self.partitions[self.places[&node].node.0].as_ref()?;
                columns.iter().map(|&column| place_of(column)).collect()
            }
            Source::Pair(left, _) | Source::Changes { delta: left, .. } => {
                let left = self.places[&left].node;
                let width = self.layout(left).len();
                let columns = self.partitions[left.0].as_ref()?;
                // The key's columns come first in both rows, with equal bytes.
                columns.iter().map(|&column| place_of(column).or_else(|| place_of(width + column))).collect()
            }
        }
    }

    /// Brings rows with equal key to one worker. `exact`: by the hash of just the key, as both sides of a join need;
    /// otherwise a partition by fewer columns serves as well.
    fn exchange(&mut self, input: NodeId, key: usize, exact: bool) -> NodeId {
        let enough = |columns: &Vec<usize>| match exact {
            true => columns.iter().copied().eq(0..key),
            false => columns.iter().all(|&column| column < key),
        };
        if self.partitions[input.0].as_ref().is_some_and(enough) {
            return input;
        }
        let layout = self.layout(input).to_vec();
        self.push(WholeOp::Same(Op::Exchange { input, key }), layout, Some((0..key).collect()))
    }

    fn layout(&self, node: NodeId) -> &[ColumnType] {
        &self.whole.nodes[node.0].layout
    }

    /// The node of this operator, made if it does not exist.
    fn push(&mut self, op: WholeOp, layout: Vec<ColumnType>, partition: Option<Vec<usize>>) -> NodeId {
        let identity = format!("{} : {layout:?}", identity(&op));
        if let Some(&node) = self.interned.get(&identity) {
            return node;
        }
        let node = NodeId(self.whole.nodes.len());
        self.interned.insert(identity, node);
        let FlowOrigin { view, span } = FlowOrigin::of(self.flow, self.current);
        self.whole.nodes.push(WholeNode { op, layout, view, span });
        self.partitions.push(partition);
        node
    }
}

/// The view and place that a logical node was first made for.
struct FlowOrigin {
    view: Option<ViewId>,
    span: crate::plan::Span,
}

impl FlowOrigin {
    fn of(flow: &Flow, id: FlowId) -> FlowOrigin {
        FlowOrigin { view: flow.nodes[id.0].view, span: flow.nodes[id.0].span }
    }
}

/// A demanded column always has a place; the fallback would be caught by the circuit's check.
fn physical_slot(place: &Place, logical: usize) -> usize {
    place.positions.get(&logical).copied().unwrap_or_default()
}

fn position_of(argument: &Expr, outputs: &mut Vec<Output>) -> usize {
    let text = canonical(argument);
    let known = outputs.iter().position(|(expr, ty)| *ty == argument.ty && canonical(expr) == text);
    known.unwrap_or_else(|| {
        outputs.push((argument.clone(), argument.ty));
        outputs.len() - 1
    })
}

/// A bare NULL takes the type of its column.
fn typed_null(expr: Expr, column: ColumnType) -> Expr {
    match expr.kind {
        ExprKind::Literal(Value::Null) if expr.ty.ty == SqlType::Null => {
            Expr { ty: ColumnType::new(column.ty, true), ..expr }
        }
        _ => expr,
    }
}

fn is_identity(kernel: &Kernel, slots: &[ColumnType], layout: &[ColumnType]) -> bool {
    let in_place = |(n, output): (usize, &Expr)| matches!(output.kind, ExprKind::Slot(slot) if slot == n);
    kernel.steps.is_empty() && slots == layout && kernel.outputs.iter().enumerate().all(in_place)
}

fn identity(op: &WholeOp) -> String {
    let kernel = |kernel: &Kernel| {
        let step = |step: &KernelStep| match step {
            KernelStep::Let(expr) => format!("let {}", canonical(expr)),
            KernelStep::Filter(expr) => format!("filter {}", canonical(expr)),
        };
        let steps: Vec<String> = kernel.steps.iter().map(step).collect();
        let outputs: Vec<String> = kernel.outputs.iter().map(canonical).collect();
        format!("{steps:?} {outputs:?}")
    };
    match op {
        WholeOp::Same(Op::Map { input, kernel: k }) => format!("map {input} {}", kernel(k)),
        WholeOp::Same(Op::RangeJoin { left, right, key, left_bounds, right_bounds, kernel: k }) => {
            format!("range {left} {left_bounds:?} {right} {right_bounds:?} {key} {}", kernel(k))
        }
        WholeOp::Join { left, right, kernel: k } => format!("join {left} {right} {}", kernel(k)),
        WholeOp::Changes { delta, index, new, kernel: k } => format!("changes {delta} {index} {new} {}", kernel(k)),
        WholeOp::Same(Op::Aggregate { input, key, aggregates, scalar }) => {
            let calls: Vec<String> = aggregates
                .iter()
                .map(|a| format!("{:?} {:?} {:?} {} {}", a.function, a.arguments, a.order, a.distinct, a.result))
                .collect();
            format!("aggregate {input} {key} {scalar} {calls:?}")
        }
        WholeOp::Same(Op::Constant { rows }) => format!("constant {rows:?}"),
        other => other.to_string(),
    }
}
