//! `circuit.rs`: one builder call for each node, in order, under the SQL it came from.

use super::names::Names;
use super::print;
use super::signature::Types;
use crate::circuit::{Circuit, Node, NodeId, Op};
use crate::plan::{View, ViewId};
use feldc_engine::{Aggregate, AggregateFunction, Bound, Bounds, Direction, Rank, Side, Window};
use feldc_value::{ColumnType, Value};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};

/// What opens `circuit.rs`, up to the function that the template leaves empty.
const TEMPLATE: &str = include_str!("../../../templates/pipeline/src/circuit.rs");
const EMPTY_BUILD: &str = "pub fn build(";

/// Marks a doc comment that is an ordinary comment in the end: token streams carry no others.
const MARK: &str = "\u{1}";

pub fn emit_circuit(circuit: &Circuit, views: &[View], names: &Names) -> String {
    let prelude = TEMPLATE.split(EMPTY_BUILD).next().unwrap_or(TEMPLATE);
    let mut layouts = Layouts::default();
    let mut seen = BTreeSet::new();
    let statements: Vec<TokenStream> = circuit
        .nodes
        .iter()
        .enumerate()
        .map(|(number, node)| {
            let comments = emit_comments(NodeId(number), node, views, names, &mut seen);
            let statement = emit_node(NodeId(number), node, names, &mut layouts);
            quote!(#(#[doc = #comments])* #statement)
        })
        .collect();
    let layouts = layouts.emit();
    let items = quote! {
        #layouts

        pub fn build(b: &mut Builder) {
            #(#statements)*
        }
    };
    format!("{prelude}{}", unmark(&print::items(items)))
}

/// The layouts of streams, each once.
#[derive(Default)]
struct Layouts {
    names: BTreeMap<Vec<ColumnType>, Ident>,
    constants: Vec<TokenStream>,
    types: Types,
}

impl Layouts {
    fn name(&mut self, layout: &[ColumnType]) -> Ident {
        if let Some(name) = self.names.get(layout) {
            return name.clone();
        }
        let name = format_ident!("L{}", self.names.len() + 1);
        let columns = layout.iter().map(|column| self.types.column_type(*column));
        self.constants.push(quote!(const #name: &[ColumnType] = &[#(#columns),*];));
        self.names.insert(layout.to_vec(), name.clone());
        name
    }

    fn emit(&self) -> TokenStream {
        let (types, constants) = (self.types.emit(), &self.constants);
        quote!(#types #(#constants)*)
    }
}

/// The view's SQL above its first node, and at each node whose it is.
fn emit_comments(id: NodeId, node: &Node, views: &[View], names: &Names, seen: &mut BTreeSet<ViewId>) -> Vec<String> {
    let mut lines = Vec::new();
    let view = node.view.and_then(|view| Some((view, views.get(view.0)?)));
    if let Some((id, view)) = view
        && seen.insert(id)
    {
        lines.push(String::new());
        lines.extend(view.sql.trim().lines().map(|line| format!("    {}", print::comment(line))));
    }
    let what = match (&node.op, view) {
        (Op::Table { .. } | Op::KeyedTable { .. }, _) => format!("table {}", names.relation(id)),
        (_, Some((_, view))) => format!("{}: {}", view.name, operator(node)),
        (_, None) => operator(node).into(),
    };
    let place = if node.span.line == 0 { String::new() } else { format!(", program line {}", node.span.line) };
    lines.push(print::comment(&format!("{what}{place}")));
    lines.into_iter().map(|line| format!("{MARK}{line}")).collect()
}

fn operator(node: &Node) -> &'static str {
    match node.op {
        Op::Table { .. } => "table",
        Op::KeyedTable { .. } => "keyed table",
        Op::Constant { .. } => "constant rows",
        Op::Map { .. } => "map and filter",
        Op::Union { .. } => "union all",
        Op::Negate { .. } => "negate",
        Op::Exchange { .. } => "exchange by key",
        Op::Index { .. } => "index",
        Op::Update { .. } => "update of the index",
        Op::Join { .. } => "join",
        Op::RangeJoin { .. } => "range join",
        Op::Semi { .. } => "semijoin",
        Op::Anti { .. } => "antijoin",
        Op::Distinct { .. } => "distinct",
        Op::Positive { .. } => "positive part",
        Op::Aggregate { .. } => "aggregate",
        Op::TopK { .. } => "first rows of an order",
        Op::Unnest { .. } => "elements of arrays",
        Op::Output { .. } => "output",
    }
}

fn stream(id: NodeId) -> Ident {
    format_ident!("s{}", id.0)
}

fn index(id: NodeId) -> Ident {
    format_ident!("i{}", id.0)
}

fn count(number: usize) -> Literal {
    Literal::usize_unsuffixed(number)
}

fn emit_node(id: NodeId, node: &Node, names: &Names, layouts: &mut Layouts) -> TokenStream {
    let s = stream(id);
    let owner = names.owner(id);
    match &node.op {
        Op::Table { stored, .. } => {
            let (name, layout) = (names.relation(id), layouts.name(&node.layout));
            quote!(let #s = b.table(#name, layout(#layout), #stored);)
        }
        Op::KeyedTable { key, .. } => {
            let (name, layout, key) = (names.relation(id), layouts.name(&node.layout), count(*key));
            quote!(let #s = b.keyed_table(#name, layout(#layout), #key);)
        }
        Op::Constant { rows } => emit_constant(&s, &node.layout, rows, layouts),
        Op::Map { input, .. } => {
            let (input, layout, kernel) = (stream(*input), layouts.name(&node.layout), emit_kernel_path(id, names));
            quote!(let #s = b.map(#input, layout(#layout), #owner, Box::new(#kernel));)
        }
        Op::Union { inputs } => {
            let inputs = inputs.iter().map(|input| stream(*input));
            quote!(let #s = b.union(&[#(#inputs),*]);)
        }
        Op::Negate { input } => {
            let input = stream(*input);
            quote!(let #s = b.negate(#input);)
        }
        Op::Exchange { input, key } => {
            let (input, key) = (stream(*input), count(*key));
            quote!(let #s = b.exchange(#input, #key);)
        }
        Op::Index { input, key } => {
            let (name, input, key) = (index(id), stream(*input), count(*key));
            quote!(let #name = b.index(#input, #key);)
        }
        Op::Update { index: of } => {
            let of = index(*of);
            quote!(let #s = b.update(#of);)
        }
        Op::Join { delta, index: of, delta_side, .. } => {
            let (delta, of, layout) = (stream(*delta), index(*of), layouts.name(&node.layout));
            let side = match delta_side {
                Side::Left => quote!(Side::Left),
                Side::Right => quote!(Side::Right),
            };
            let kernel = emit_kernel_path(id, names);
            quote!(let #s = b.join(#delta, #of, #side, layout(#layout), #owner, Box::new(#kernel));)
        }
        Op::RangeJoin { left, right, key, left_bounds, right_bounds, .. } => {
            let (left, right, key, layout) = (stream(*left), stream(*right), count(*key), layouts.name(&node.layout));
            let (of_left, of_right) = (emit_bounds(*left_bounds), emit_bounds(*right_bounds));
            let kernel = emit_kernel_path(id, names);
            quote! {
                let #s = b.range_join(
                    (#left, #of_left), (#right, #of_right), #key, layout(#layout), #owner, Box::new(#kernel),
                );
            }
        }
        Op::Semi { delta, index: of } => {
            let (delta, of) = (stream(*delta), index(*of));
            quote!(let #s = b.semi(#delta, #of);)
        }
        Op::Anti { delta, index: of } => {
            let (delta, of) = (stream(*delta), index(*of));
            quote!(let #s = b.anti(#delta, #of);)
        }
        Op::Distinct { input } => {
            let input = stream(*input);
            quote!(let #s = b.distinct(#input);)
        }
        Op::Positive { input } => {
            let input = stream(*input);
            quote!(let #s = b.positive(#input);)
        }
        Op::Aggregate { input, key, aggregates, scalar } => {
            let (input, key) = (stream(*input), count(*key));
            let aggregates = aggregates.iter().map(|aggregate| emit_aggregate(aggregate, &mut layouts.types));
            quote!(let #s = b.aggregate(#input, #key, Vec::from([#(#aggregates),*]), #scalar, #owner);)
        }
        Op::TopK { input, partition, order, window } => {
            let (input, partition) = (stream(*input), count(*partition));
            let (order, window) = (order.iter().map(emit_direction), emit_window(window));
            quote!(let #s = b.top_k(#input, #partition, Vec::from([#(#order),*]), #window);)
        }
        Op::Unnest { input, arrays, ordinality, outer } => {
            let (input, arrays) = (stream(*input), count(*arrays));
            quote!(let #s = b.unnest(#input, #arrays, #ordinality, #outer);)
        }
        Op::Output { input, stored, .. } => {
            let (name, input) = (names.relation(id), stream(*input));
            quote!(b.output(#name, #input, #stored);)
        }
    }
}

fn emit_direction(direction: &Direction) -> TokenStream {
    let Direction { descending, nulls_first } = direction;
    quote!(Direction { descending: #descending, nulls_first: #nulls_first })
}

fn emit_bounds(bounds: Bounds) -> TokenStream {
    let end = |bound| match bound {
        None => quote!(None),
        Some(Bound::Inclusive) => quote!(Some(Bound::Inclusive)),
        Some(Bound::Exclusive) => quote!(Some(Bound::Exclusive)),
    };
    let (lower, upper) = (end(bounds.lower), end(bounds.upper));
    quote!(Bounds { lower: #lower, upper: #upper })
}

fn emit_window(window: &Window) -> TokenStream {
    let offset = Literal::u64_unsuffixed(window.offset);
    let limit = match window.limit {
        Some(limit) => {
            let limit = Literal::u64_unsuffixed(limit);
            quote!(Some(#limit))
        }
        None => quote!(None),
    };
    let ties = match window.ties {
        Some(columns) => {
            let columns = count(columns);
            quote!(Some(#columns))
        }
        None => quote!(None),
    };
    let rank = match window.rank {
        Some(Rank::RowNumber) => quote!(Some(Rank::RowNumber)),
        Some(Rank::Rank) => quote!(Some(Rank::Rank)),
        Some(Rank::DenseRank) => quote!(Some(Rank::DenseRank)),
        None => quote!(None),
    };
    quote!(Window { offset: #offset, limit: #limit, ties: #ties, rank: #rank })
}

fn emit_kernel_path(id: NodeId, names: &Names) -> TokenStream {
    let (module, function) = names.kernel(id);
    let (module, function) = (format_ident!("{module}"), format_ident!("{function}"));
    quote!(kernels::#module::#function)
}

fn emit_aggregate(aggregate: &Aggregate, types: &mut Types) -> TokenStream {
    let function = emit_function(aggregate.function);
    let arguments = aggregate.arguments.iter().map(|argument| count(*argument));
    let order = aggregate.order.iter().map(emit_direction);
    let distinct = aggregate.distinct;
    let result = types.column_type(aggregate.result);
    let (line, column) = (Literal::u32_unsuffixed(aggregate.line), Literal::u32_unsuffixed(aggregate.column));
    quote! {
        Aggregate {
            function: #function,
            arguments: Vec::from([#(#arguments),*]),
            order: Vec::from([#(#order),*]),
            distinct: #distinct,
            result: #result,
            line: #line,
            column: #column,
        }
    }
}

fn emit_function(function: AggregateFunction) -> TokenStream {
    match function {
        AggregateFunction::Statistic(statistic) => {
            let statistic = format_ident!("{}", format!("{statistic:?}"));
            quote!(AggregateFunction::Statistic(Statistic::#statistic))
        }
        AggregateFunction::PercentileCont(fraction) => {
            let fraction = Literal::f64_unsuffixed(fraction.value());
            quote!(AggregateFunction::PercentileCont(Fraction::new(#fraction)))
        }
        AggregateFunction::PercentileDisc(fraction) => {
            let fraction = Literal::f64_unsuffixed(fraction.value());
            quote!(AggregateFunction::PercentileDisc(Fraction::new(#fraction)))
        }
        plain => {
            let plain = format_ident!("{}", format!("{plain:?}"));
            quote!(AggregateFunction::#plain)
        }
    }
}

/// Constant rows are encoded here, by the engine's own code.
fn emit_constant(s: &Ident, columns: &[ColumnType], rows: &[Vec<Value>], layouts: &mut Layouts) -> TokenStream {
    let layout = feldc_engine::Layout::new(columns.to_vec());
    let rows = rows.iter().map(|values| {
        let mut row = Vec::new();
        layout.encode(values, &mut row);
        Literal::byte_string(&row)
    });
    let (rows, name) = (quote!(#(#rows),*), layouts.name(columns));
    quote! {
        let #s = {
            let layout = layout(#name);
            let mut batch = Batch::new(layout.stride());
            let rows: &[&[u8]] = &[#rows];
            for row in rows {
                batch.push(row, 1);
            }
            b.constant(layout, batch)
        };
    }
}

/// Marked doc comments as ordinary ones.
fn unmark(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        match line.split_once(&format!("///{MARK}")) {
            Some((indent, comment)) if indent.trim().is_empty() => {
                plain.push_str(indent);
                plain.push_str(if comment.is_empty() { "//" } else { "// " });
                plain.push_str(comment);
            }
            _ => plain.push_str(line),
        }
        plain.push('\n');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn calls_stand_under_the_sql_they_come_from() {
        let circuit = mapped(&[BIGINT, TEXT], map(vec![], vec![slot(1, TEXT)]));
        let views = [view("V", "CREATE VIEW v AS\n  SELECT name\u{202e} FROM t")];
        let names = Names::new(&circuit, &Default::default(), &views);
        let text = emit_circuit(&circuit, &views, &names);
        insta::assert_snapshot!(text.split_once("const L1").unwrap().1);
    }
}
