//! What every finished circuit obeys: references point backwards, each index is updated exactly once, and layouts
//! agree with kernels. A violation is a bug of the compiler, reported before anything runs.

use super::{Circuit, Kernel, KernelStep, NodeId, Op, print::Shown};
use crate::plan::{Expr, ExprKind};
use feldc_engine::Side;
use feldc_engine::operator::range_join::check_sides;
use feldc_engine::operator::unnest::{Form, element_columns};
use feldc_value::{ColumnType, SqlType};

/// The first violated rule, with the node it concerns.
pub fn check(circuit: &Circuit) -> Result<(), String> {
    for position in 0..circuit.nodes.len() {
        let node = &circuit.nodes[position];
        check_node(circuit, position).map_err(|rule| format!("n{position} = {node}: {rule}"))?;
    }
    check_updates(circuit)
}

fn check_updates(circuit: &Circuit) -> Result<(), String> {
    let mut updates = vec![0; circuit.nodes.len()];
    for node in &circuit.nodes {
        if let Op::Update { index } = node.op {
            updates[index.0] += 1;
        }
    }
    let wrong = |(position, node): (usize, &super::Node)| match (&node.op, updates[position]) {
        (Op::Index { .. }, 1) => None,
        (Op::Index { .. }, times) => Some(format!("index n{position} is updated {times} times, not once")),
        _ => None,
    };
    circuit.nodes.iter().enumerate().find_map(wrong).map_or(Ok(()), Err)
}

fn check_node(circuit: &Circuit, position: usize) -> Result<(), String> {
    let node = &circuit.nodes[position];
    if let Some(forward) = node.op.inputs().into_iter().find(|input| input.0 >= position) {
        return Err(format!("{forward} is not before it"));
    }
    let stream = |id: NodeId| match circuit.nodes[id.0].op {
        Op::Index { .. } | Op::Output { .. } => Err(format!("{id} is not a stream")),
        _ => Ok(&circuit.nodes[id.0].layout[..]),
    };
    let index = |id: NodeId| match circuit.nodes[id.0].op {
        Op::Index { key, .. } => Ok((&circuit.nodes[id.0].layout[..], key)),
        _ => Err(format!("{id} is not an index")),
    };
    let layout = &node.layout[..];
    match &node.op {
        Op::Table { .. } => Ok(()),
        Op::KeyedTable { key, .. } => key_fits(*key, layout),
        Op::Constant { rows } => match rows.iter().find(|row| row.len() != layout.len()) {
            Some(_) => Err("a row of another length".to_string()),
            None => Ok(()),
        },
        Op::Map { input, kernel } => check_kernel(kernel, stream(*input)?, layout),
        Op::Union { inputs } => inputs.iter().try_for_each(|input| same(stream(*input)?, layout)),
        Op::Negate { input } | Op::Output { input, .. } => same(stream(*input)?, layout),
        Op::Distinct { input } | Op::Positive { input } => same(stream(*input)?, layout),
        Op::Unnest { input, arrays, ordinality, outer } => {
            let input = stream(*input)?;
            key_fits(*arrays, input)?;
            let (first, rest) = input.split_at(*arrays);
            if !first.iter().all(|column| matches!(column.ty, SqlType::Array(_))) {
                return Err("elements of what is no array".to_string());
            }
            let form = Form { ordinality: *ordinality, outer: *outer };
            same(&[&element_columns(first, form), rest].concat(), layout)
        }
        Op::TopK { input, partition, order, window } => {
            let input = stream(*input)?;
            key_fits(partition + order.len(), input)?;
            let rank = window.rank.map(|_| ColumnType::new(SqlType::BigInt, false));
            same(&input.iter().copied().chain(rank).collect::<Vec<_>>(), layout)
        }
        Op::Exchange { input, key } | Op::Index { input, key } => {
            same(stream(*input)?, layout)?;
            key_fits(*key, layout)
        }
        Op::Update { index: id } => {
            let (columns, key) = index(*id)?;
            same(&columns[..key], layout)
        }
        Op::Join { delta, index: id, delta_side, kernel } => {
            let (delta, (indexed, key)) = (stream(*delta)?, index(*id)?);
            same_key(delta, indexed, key)?;
            let slots = match delta_side {
                Side::Left => [delta, indexed].concat(),
                Side::Right => [indexed, delta].concat(),
            };
            check_kernel(kernel, &slots, layout)
        }
        Op::RangeJoin { left, right, key, left_bounds, right_bounds, kernel } => {
            let (left, right) = (stream(*left)?, stream(*right)?);
            check_sides(*key, (left, *left_bounds), (right, *right_bounds))?;
            same_key(left, right, *key)?;
            bounds_of(left[*key], right[*key])?;
            for bound in left[key + 1..].iter().take(left_bounds.columns()) {
                bounds_of(*bound, right[*key])?;
            }
            for bound in right[key + 1..].iter().take(right_bounds.columns()) {
                bounds_of(*bound, left[*key])?;
            }
            check_kernel(kernel, &[left, right].concat(), layout)
        }
        Op::Semi { delta, index: id } | Op::Anti { delta, index: id } => {
            let (delta, (indexed, key)) = (stream(*delta)?, index(*id)?);
            same_key(delta, indexed, key)?;
            same(delta, layout)
        }
        Op::Aggregate { input, key, aggregates, .. } => {
            let input = stream(*input)?;
            key_fits(*key, input)?;
            if aggregates.iter().flat_map(|aggregate| &aggregate.arguments).any(|argument| *argument >= input.len()) {
                return Err("an argument outside of the input row".to_string());
            }
            same(&[&input[..*key], &aggregates.iter().map(|a| a.result).collect::<Vec<_>>()].concat(), layout)
        }
    }
}

fn key_fits(key: usize, layout: &[ColumnType]) -> Result<(), String> {
    if key <= layout.len() { Ok(()) } else { Err("the key has more columns than the row".to_string()) }
}

fn same(left: &[ColumnType], right: &[ColumnType]) -> Result<(), String> {
    let alike = left.len() == right.len() && left.iter().zip(right).all(|(l, r)| column_alike(*l, *r));
    if alike { Ok(()) } else { Err("the layouts differ".to_string()) }
}

fn same_key(delta: &[ColumnType], indexed: &[ColumnType], key: usize) -> Result<(), String> {
    if delta.len() < key {
        return Err("the delta has fewer columns than the key".to_string());
    }
    same(&delta[..key], &indexed[..key]).map_err(|_| "the key columns differ".to_string())
}

fn bounds_of(bound: ColumnType, sorted: ColumnType) -> Result<(), String> {
    match encodes_alike(bound.ty, sorted.ty) {
        true => Ok(()),
        false => Err(format!("{} bounds {}", bound.ty, sorted.ty)),
    }
}

fn column_alike(left: ColumnType, right: ColumnType) -> bool {
    left.nullable == right.nullable && encodes_alike(left.ty, right.ty)
}

/// Have equal values of the two types equal bytes (NULL tag aside), so that one may stand for the other in a row?
pub fn encodes_alike(left: SqlType, right: SqlType) -> bool {
    use SqlType::*;
    match (left, right) {
        (Decimal { scale: l, .. }, Decimal { scale: r, .. }) => l == r && left.fixed_width() == right.fixed_width(),
        (IntervalShort { .. }, IntervalShort { .. }) | (IntervalLong { .. }, IntervalLong { .. }) => true,
        _ if left.is_text() && right.is_text() => true,
        _ => left == right,
    }
}

fn check_kernel(kernel: &Kernel, input: &[ColumnType], layout: &[ColumnType]) -> Result<(), String> {
    let mut slots = input.to_vec();
    for step in &kernel.steps {
        check_slots(step.expr(), &slots)?;
        match step {
            KernelStep::Let(expr) => slots.push(expr.ty),
            KernelStep::Filter(expr) if expr.ty.ty == SqlType::Boolean => (),
            KernelStep::Filter(expr) => return Err(format!("the filter {} is not BOOLEAN", Shown(expr))),
        }
    }
    if kernel.outputs.len() != layout.len() {
        return Err(format!("{} outputs for {} columns", kernel.outputs.len(), layout.len()));
    }
    for (output, column) in kernel.outputs.iter().zip(layout) {
        check_slots(output, &slots)?;
        if output.ty.nullable && !column.nullable {
            return Err(format!("{} may be NULL in a column that is not", Shown(output)));
        }
        if !encodes_alike(output.ty.ty, column.ty) {
            return Err(format!("{} is {}, its column {}", Shown(output), output.ty.ty, column.ty));
        }
    }
    Ok(())
}

fn check_slots(expr: &Expr, slots: &[ColumnType]) -> Result<(), String> {
    match expr.kind {
        ExprKind::Column(_) | ExprKind::Subquery { .. } => Err(format!("{} has no place in a kernel", Shown(expr))),
        ExprKind::Slot(slot) => match slots.get(slot) {
            None => Err(format!("slot s{slot} does not exist")),
            Some(ty) if *ty != expr.ty => Err(format!("slot s{slot} is {ty}, read as {}", expr.ty)),
            Some(_) => Ok(()),
        },
        _ => expr.children().into_iter().try_for_each(|child| check_slots(child, slots)),
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::circuit::{Circuit, Kernel, Node, NodeId, Op};
    use crate::plan::{Expr, ExprKind, TableId, ViewId};
    use feldc_value::{ColumnType, SqlType};

    const NUMBER: ColumnType = ColumnType::new(SqlType::BigInt, false);
    const NULLABLE: ColumnType = ColumnType::new(SqlType::BigInt, true);

    fn circuit(nodes: Vec<(Op, ColumnType)>) -> Circuit {
        let node = |(op, ty)| Node { op, layout: vec![ty], view: Some(ViewId(0)), span: Default::default() };
        Circuit { nodes: nodes.into_iter().map(node).collect() }
    }

    fn table() -> (Op, ColumnType) {
        (Op::Table { table: TableId(0), stored: false }, NULLABLE)
    }

    fn map(input: usize, slot: usize, ty: ColumnType) -> Op {
        let outputs = vec![Expr { kind: ExprKind::Slot(slot), ty, span: Default::default() }];
        Op::Map { input: NodeId(input), kernel: Kernel { steps: vec![], outputs } }
    }

    #[test]
    fn accepts_a_widened_column() {
        assert_eq!(check(&circuit(vec![table(), (map(0, 0, NULLABLE), NULLABLE)])), Ok(()));
    }

    #[test]
    fn names_the_node_that_breaks_a_rule() {
        let broken = |nodes, expected: &str| {
            let error = check(&circuit(nodes)).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        broken(vec![(map(0, 0, NUMBER), NUMBER)], "n0 is not before it");
        broken(vec![table(), (map(0, 1, NUMBER), NUMBER)], "slot s1 does not exist");
        broken(vec![table(), (map(0, 0, NULLABLE), NUMBER)], "s0 may be NULL in a column that is not");
        broken(vec![table(), (Op::Negate { input: NodeId(0) }, NUMBER)], "the layouts differ");
        broken(vec![table(), (Op::Index { input: NodeId(0), key: 1 }, NULLABLE)], "n1 is updated 0 times");
        broken(vec![table(), (Op::Update { index: NodeId(0) }, NULLABLE)], "n0 is not an index");
    }
}
