//! Statements and queries: a line for each clause, and how each clause is broken when it does not fit.

use super::WIDTH;
use super::layout::{Out, STEP, flat, split};
use super::lex::Kind;
use super::tree::Node;

/// One statement without its semicolon.
pub fn statement(out: &mut Out, nodes: &[Node<'_>]) {
    let defines_view = nodes.iter().take_while(|node| !node.is("AS")).any(|node| node.is("VIEW"));
    let body = match nodes.iter().position(|node| node.is("AS")) {
        Some(at) if defines_view && is_query(&nodes[at + 1..]) => at + 1,
        _ if is_query(nodes) => 0,
        _ => return out.nodes(nodes, 0),
    };
    if body > 0 {
        out.nodes(&nodes[..body], 0);
        out.line(0);
    }
    query(out, &nodes[body..], 0);
}

pub fn is_query(nodes: &[Node<'_>]) -> bool {
    let first = nodes.iter().find(|node| !node.is_comment());
    first.is_some_and(|node| match node {
        Node::Token(token) => token.is_any(&["SELECT", "WITH", "VALUES"]),
        // `(SELECT ...) UNION ...`
        Node::Group { open, nodes: inner, .. } => {
            open.text == "(" && is_query(inner) && nodes.iter().any(|node| node.is_any(SET_OPERATORS))
        }
    })
}

const SET_OPERATORS: &[&str] = &["UNION", "EXCEPT", "INTERSECT", "MINUS"];
const JOIN_WORDS: &[&str] = &["INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "ASOF", "OUTER"];

/// The clauses of a query, each on a line.
pub fn query(out: &mut Out, nodes: &[Node<'_>], indent: usize) {
    let mut start = 0;
    for end in (1..=nodes.len()).filter(|&end| end == nodes.len() || starts_clause(nodes, end)) {
        if start > 0 {
            out.line(indent);
        }
        clause(out, &nodes[start..end], indent);
        start = end;
    }
}

/// Does a clause start at a position behind the first?
fn starts_clause(nodes: &[Node<'_>], at: usize) -> bool {
    let node = &nodes[at];
    let (before, next) = (&nodes[at - 1], nodes.get(at + 1));
    let next_is = |words: &[&str]| next.is_some_and(|next| next.is_any(words));
    let Some(token) = node.token().filter(|token| token.keyword) else {
        // What a set operator combines may stand in parentheses; comments stay with what is before them.
        return !node.is_comment() && is_set_operator(before);
    };
    match token.text.to_ascii_uppercase().as_str() {
        // `a IS DISTINCT FROM b`
        "FROM" => !(before.is("DISTINCT") && at > 1 && nodes[at - 2].is_any(&["IS", "NOT"])),
        "GROUP" | "ORDER" => next_is(&["BY"]),
        "SELECT" | "WHERE" | "HAVING" | "QUALIFY" | "LIMIT" | "OFFSET" | "FETCH" => true,
        "VALUES" => is_set_operator(before),
        "UNION" | "EXCEPT" | "INTERSECT" | "MINUS" => true,
        // The first word of `LEFT OUTER JOIN`.
        word if word == "JOIN" || JOIN_WORDS.contains(&word) => !before.is_any(JOIN_WORDS),
        _ => false,
    }
}

/// `UNION`, or `ALL` or `DISTINCT` behind it.
fn is_set_operator(node: &Node<'_>) -> bool {
    node.is_any(SET_OPERATORS) || node.is("ALL")
}

fn clause(out: &mut Out, nodes: &[Node<'_>], indent: usize) {
    // Comments behind a clause do not break it.
    let comments = nodes.iter().rev().take_while(|node| node.is_comment()).count();
    let (nodes, comments) = nodes.split_at(nodes.len() - comments);
    let fits = flat(nodes).is_some_and(|text| indent + text.chars().count() <= WIDTH);
    let several = nodes.first().is_some_and(|first| first.is("WITH")) && split(nodes, Kind::Comma).len() > 1;
    match fits && !several && !has_long_query(nodes) {
        true => out.nodes(nodes, indent),
        false => broken(out, nodes, indent),
    }
    out.nodes(comments, indent);
}

/// A subquery is on a line of its own unless it is short.
const SUBQUERY_MAX: usize = 60;

pub fn has_long_query(nodes: &[Node<'_>]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Token(_) => false,
        Node::Group { nodes: inner, .. } => {
            let long = || flat(std::slice::from_ref(node)).is_none_or(|text| text.chars().count() > SUBQUERY_MAX);
            (is_query(inner) && long()) || has_long_query(inner)
        }
    })
}

fn broken(out: &mut Out, nodes: &[Node<'_>], indent: usize) {
    let Some(first) = nodes.first() else { return };
    let words = |list: &[&str]| nodes.iter().take_while(|node| node.is_any(list)).count();
    if first.is_any(&["WHERE", "HAVING", "QUALIFY"]) {
        out.nodes(&nodes[..1], indent);
        conditions(out, &nodes[1..], indent, indent + STEP);
    } else if first.is_any(&["SELECT", "GROUP", "ORDER", "VALUES"]) {
        let head = words(&["SELECT", "DISTINCT", "ALL", "GROUP", "ORDER", "BY", "VALUES"]);
        let (head, list) = nodes.split_at(head);
        out.nodes(head, indent);
        let items = split(list, Kind::Comma);
        if let [item] = &items[..] {
            return out.nodes(item.nodes, indent + STEP);
        }
        out.line(indent + STEP);
        out.items(&items, indent + STEP);
    } else if first.is("WITH") {
        let head = words(&["WITH", "RECURSIVE"]);
        out.nodes(&nodes[..head], indent);
        out.items(&split(&nodes[head..], Kind::Comma), indent);
    } else if let Some(on) = nodes.iter().position(|node| node.is("ON")) {
        out.nodes(&nodes[..=on], indent);
        conditions(out, &nodes[on + 1..], indent, indent + STEP);
    } else {
        out.nodes(nodes, indent);
    }
}

/// Where a condition is cut: before an AND or OR that is not of a BETWEEN.
fn cuts(nodes: &[Node<'_>]) -> Vec<usize> {
    let mut between = false;
    let mut cuts = vec![];
    for (at, node) in nodes.iter().enumerate() {
        match node {
            _ if node.is("BETWEEN") => between = true,
            _ if node.is("AND") && between => between = false,
            _ if node.is_any(&["AND", "OR"]) && at > 0 => cuts.push(at),
            _ => (),
        }
    }
    cuts
}

pub fn has_conditions(nodes: &[Node<'_>]) -> bool {
    !cuts(nodes).is_empty()
}

/// Conditions, each on a line; the first one where the text stands.
pub fn conditions(out: &mut Out, nodes: &[Node<'_>], indent: usize, rest: usize) {
    let mut start = 0;
    for end in cuts(nodes).into_iter().chain([nodes.len()]) {
        if start > 0 {
            out.line(rest);
        }
        let indent = if start > 0 { rest } else { indent };
        out.nodes(&nodes[start..end], indent);
        start = end;
    }
}
