//! `feldc explain`: what each view computes, by which operators, with which keys and what state they keep.

use super::Compiled;
use crate::circuit::{Circuit, Node, Op};
use feldc_value::ColumnType;
use std::fmt::Write;

pub fn explain(compiled: &Compiled) -> String {
    let mut text = String::from("plan\n");
    let _ = writeln!(text, "{}", compiled.program);
    text += "circuit, in the order of each step\n";
    let _ = writeln!(text, "{}", compiled.circuit);
    text += "state\n";
    let kept: Vec<String> = (0..compiled.circuit.nodes.len()).filter_map(|at| state(&compiled.circuit, at)).collect();
    match kept.is_empty() {
        true => text += "  none: every operator is linear\n",
        false => kept.iter().for_each(|line| text += &format!("  {line}\n")),
    }
    text
}

/// What node `at` keeps between steps, and what bounds it.
fn state(circuit: &Circuit, at: usize) -> Option<String> {
    let node = &circuit.nodes[at];
    let kept = match &node.op {
        Op::Table { stored: true, .. } => "the table's rows, with their counts".to_string(),
        Op::KeyedTable { key, .. } => format!("the table's rows by primary key {}", key_of(node, *key)),
        Op::Index { key, .. } => format!("the input's rows by key {}", key_of(node, *key)),
        Op::Distinct { .. } | Op::Positive { .. } => "a count for each distinct row".to_string(),
        Op::Aggregate { key, aggregates, .. } => {
            use feldc_engine::AggregateFunction::{ArgMax, ArgMin, Max, Min, Mode};
            use feldc_engine::AggregateFunction::{PercentileCont, PercentileDisc, StringAgg};
            let count = |functions: &[_]| aggregates.iter().filter(|a| functions.contains(&a.function)).count();
            let (ordered, modes) = (count(&[Min, Max, ArgMin, ArgMax]), count(&[Mode]));
            let ranked = |a: &&feldc_engine::Aggregate| matches!(a.function, PercentileCont(_) | PercentileDisc(_));
            let (percentiles, joined) = (aggregates.iter().filter(ranked).count(), count(&[StringAgg]));
            let distinct = aggregates.iter().filter(|a| a.distinct).count();
            let mut kept = format!("accumulators for each group, key {}", key_of(node, *key));
            if ordered > 0 {
                let _ = write!(kept, "; the arguments of {ordered} MIN/MAX in order");
            }
            if modes > 0 {
                let _ = write!(kept, "; the distinct arguments of {modes} MODE by count");
            }
            if percentiles > 0 {
                let _ = write!(kept, "; the arguments of {percentiles} percentile(s) in order");
            }
            if joined > 0 {
                let _ = write!(kept, "; the texts of {joined} STRING_AGG in order, joined anew where a group changes");
            }
            if distinct > 0 {
                let _ = write!(kept, "; a count for each distinct argument of {distinct} aggregate(s)");
            }
            kept
        }
        Op::TopK { partition, .. } => {
            format!("all rows of the input in order, partitions {}", key_of(node, *partition))
        }
        Op::Output { stored: true, .. } => "the view's rows (materialized)".to_string(),
        _ => return None,
    };
    Some(format!("n{at}: {kept}; grows with the distinct rows present, no bound declared"))
}

fn key_of(node: &Node, key: usize) -> String {
    let types: Vec<String> = node.layout.iter().take(key).map(ColumnType::to_string).collect();
    format!("({})", types.join(", "))
}
