//! Names in generated code: made from view names, unique, plain ASCII, the same for the same program.

use crate::circuit::{Circuit, NodeId, Op};
use crate::plan::{View, ViewId};
use feldc_engine::Side;
use feldc_pipeline::schema::Schema;
use std::collections::{BTreeMap, BTreeSet};

/// The module of kernels that belong to no view.
const NO_VIEW: &str = "tables";

/// Words that are no identifiers, or have another meaning where kernels stand.
const RESERVED: &[&str] = &[
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield", "row", "value", "main", "circuit", "kernels", "glue", "std", "core", "alloc", "at", NO_VIEW,
];

/// Identifiers given so far.
#[derive(Default)]
pub struct Taken(BTreeSet<String>);

impl Taken {
    /// An identifier like `text` that was not given before.
    pub fn name(&mut self, text: &str) -> String {
        let base = identifier(text);
        let mut name = base.clone();
        let mut number = 1;
        while RESERVED.contains(&name.as_str()) || !self.0.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        name
    }
}

fn identifier(text: &str) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).take(48).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "v_");
    }
    name
}

/// What each node is called in generated code and in error rows.
pub struct Names {
    /// Kernel of each Map, Join and RangeJoin node: its module and function, and whether an earlier node has the same one.
    kernels: BTreeMap<NodeId, (String, String, bool)>,
    /// The owner of each node, for error rows.
    owners: Vec<String>,
    /// SQL name of each Table, KeyedTable and Output node.
    relations: BTreeMap<NodeId, String>,
}

impl Names {
    pub fn new(circuit: &Circuit, schema: &Schema, views: &[View]) -> Names {
        let mut taken = Taken::default();
        let modules: Vec<String> = views.iter().map(|view| taken.name(&view.name)).collect();
        let module = |view: Option<ViewId>| view.and_then(|v| modules.get(v.0)).map_or(NO_VIEW, String::as_str);
        let view_name = |view: Option<ViewId>| view.and_then(|v| views.get(v.0)).map_or("", |v| v.name.as_str());

        // Kernels are numbered inside their view, so that an edit of one view leaves the others' symbols, and with
        // them rustc's incremental results, alone.
        let mut views_kernels: BTreeMap<Option<ViewId>, Vec<NodeId>> = BTreeMap::new();
        let mut names = Names { kernels: BTreeMap::new(), owners: Vec::new(), relations: BTreeMap::new() };
        let (mut tables, mut outputs) = (schema.tables.iter(), schema.views.iter());
        for (number, node) in circuit.nodes.iter().enumerate() {
            names.owners.push(view_name(node.view).into());
            let kind = match &node.op {
                Op::Map { .. } => "map",
                Op::Join { .. } => "join",
                Op::RangeJoin { .. } => "range_join",
                Op::Table { .. } | Op::KeyedTable { .. } => {
                    let name = tables.next().map_or(String::new(), |table| table.name.clone());
                    names.relations.insert(NodeId(number), name);
                    continue;
                }
                Op::Output { view, .. } => {
                    let name = outputs.next().map_or(view_name(Some(*view)), |view| &view.name);
                    names.relations.insert(NodeId(number), name.into());
                    continue;
                }
                _ => continue,
            };
            let kernels: &mut Vec<NodeId> = views_kernels.entry(node.view).or_default();
            let earlier = kernels.iter().find(|earlier| same_kernel(circuit, **earlier, NodeId(number)));
            let kernel = match earlier.and_then(|earlier| names.kernels.get(earlier)) {
                Some((module, function, _)) => (module.clone(), function.clone(), true),
                None => {
                    kernels.push(NodeId(number));
                    (module(node.view).into(), format!("{kind}_{}", kernels.len()), false)
                }
            };
            names.kernels.insert(NodeId(number), kernel);
        }
        names
    }

    /// Module and function of a Map, Join or RangeJoin node.
    pub fn kernel(&self, node: NodeId) -> (&str, &str) {
        self.kernels.get(&node).map_or((NO_VIEW, "absent"), |(module, function, _)| (module, function))
    }

    /// Is the node the first with its kernel?
    pub fn defines_kernel(&self, node: NodeId) -> bool {
        self.kernels.get(&node).is_some_and(|(.., again)| !again)
    }

    /// The view that error rows of this node name; empty when there is none.
    pub fn owner(&self, node: NodeId) -> &str {
        &self.owners[node.0]
    }

    /// The SQL name of a Table, KeyedTable or Output node.
    pub fn relation(&self, node: NodeId) -> &str {
        self.relations.get(&node).map_or("", String::as_str)
    }
}

/// Would both nodes get the same function? The two halves of a join do.
fn same_kernel(circuit: &Circuit, a: NodeId, b: NodeId) -> bool {
    let parts = |id: NodeId| {
        let node = &circuit.nodes[id.0];
        let layout = |id: NodeId| circuit.nodes[id.0].layout.as_slice();
        match &node.op {
            Op::Map { input, kernel } => Some((kernel, layout(*input), None, &node.layout)),
            Op::Join { delta, index, delta_side: Side::Left, kernel } => {
                Some((kernel, layout(*delta), Some(layout(*index)), &node.layout))
            }
            Op::Join { delta, index, delta_side: Side::Right, kernel } => {
                Some((kernel, layout(*index), Some(layout(*delta)), &node.layout))
            }
            Op::RangeJoin { left, right, kernel, .. } => {
                Some((kernel, layout(*left), Some(layout(*right)), &node.layout))
            }
            _ => None,
        }
    };
    parts(a) == parts(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_identifiers() {
        let mut taken = Taken::default();
        let names: Vec<String> =
            ["top-k", "top_k", "TOP_K", "2nd", "für", "match", "row", ""].iter().map(|name| taken.name(name)).collect();
        assert_eq!(names, ["top_k", "top_k_2", "top_k_3", "v_2nd", "f_r", "match_2", "row_2", "v_"]);
    }
}
