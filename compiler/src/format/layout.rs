//! The tree as lines: what fits stays on a line, what does not is broken at its commas, conditions or clauses.

use super::WIDTH;
use super::lex::{Kind, Token};
use super::query;
use super::tree::Node;

/// The text so far.
#[derive(Default)]
pub struct Out {
    text: String,
    /// Characters on the last line.
    column: usize,
    /// A comment ends the line.
    ended: bool,
}

/// Indentation of what is inside.
pub const STEP: usize = 2;

impl Out {
    pub fn line(&mut self, indent: usize) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.extend(std::iter::repeat_n(' ', indent));
        (self.column, self.ended) = (indent, false);
    }

    fn write(&mut self, text: &str) {
        self.text += text;
        self.column = match text.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    fn fits(&self, text: &str) -> bool {
        self.column + text.chars().count() <= WIDTH
    }

    fn at_line_start(&self) -> bool {
        self.text.rsplit('\n').next().is_none_or(|line| line.trim().is_empty())
    }

    /// One token behind the text, on a line of its own where it must be.
    pub fn token(&mut self, token: &Token<'_>, indent: usize) {
        let fresh = self.at_line_start();
        if !fresh && (self.ended || (token.is_comment() && token.lines > 0)) {
            self.line(indent);
        } else if !fresh && token.space {
            self.write(" ");
        }
        self.ended = token.is_comment() && (token.kind == Kind::LineComment || token.lines > 0);
        match token.keyword {
            true => self.write(&token.text.to_ascii_uppercase()),
            false => self.write(token.text),
        }
    }

    /// Nodes one after the other; groups that do not fit are broken.
    pub fn nodes(&mut self, nodes: &[Node<'_>], indent: usize) {
        for node in nodes {
            match node {
                Node::Token(token) => self.token(token, indent),
                Node::Group { open, nodes, close } => {
                    let space = open.space && !self.ended && !self.at_line_start();
                    let alone = std::slice::from_ref(node);
                    match flat(alone).filter(|text| self.fits(text) && !query::has_long_query(alone)) {
                        Some(text) if !self.ended => {
                            self.write(if space { " " } else { "" });
                            self.write(&text);
                        }
                        _ => self.group(open, nodes, close, indent),
                    }
                }
            }
        }
    }

    fn group(&mut self, open: &Token<'_>, nodes: &[Node<'_>], close: &Token<'_>, indent: usize) {
        self.token(open, indent);
        let inner = indent + STEP;
        let items = split(nodes, Kind::Comma);
        if open.is("CASE") {
            self.case(nodes, inner);
            self.line(indent);
        } else if query::is_query(nodes) {
            self.line(inner);
            query::query(self, nodes, inner);
            self.line(indent);
        } else if items.len() == 1 && !nodes.iter().any(Node::is_comment) && !query::has_conditions(nodes) {
            self.nodes(nodes, indent);
        } else {
            self.line(inner);
            match query::has_conditions(nodes) && items.len() == 1 {
                true => query::conditions(self, nodes, inner, inner),
                false => self.items(&items, inner),
            }
            self.line(indent);
        }
        self.token(close, indent);
    }

    /// Items with their commas, each on a line; the first one where the text stands.
    pub fn items(&mut self, items: &[Item<'_, '_>], indent: usize) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.line(indent);
            }
            let comments = match item.end {
                Some(_) => item.nodes.iter().rev().take_while(|node| node.is_comment()).count(),
                None => 0,
            };
            let (nodes, comments) = item.nodes.split_at(item.nodes.len() - comments);
            self.nodes(nodes, indent);
            item.end.iter().for_each(|end| self.token(end, indent));
            // A comment before the comma goes behind it.
            self.nodes(comments, indent);
            self.nodes(item.comments, indent);
        }
    }

    /// WHEN and ELSE each on a line.
    fn case(&mut self, nodes: &[Node<'_>], indent: usize) {
        let starts = |node: &Node<'_>| node.is_any(&["WHEN", "ELSE"]);
        let mut start = 0;
        for end in (1..=nodes.len()).filter(|&end| end == nodes.len() || starts(&nodes[end])) {
            if starts(&nodes[start]) {
                self.line(indent);
            }
            self.nodes(&nodes[start..end], indent + STEP);
            start = end;
        }
    }
}

/// A part between separators.
pub struct Item<'n, 'a> {
    pub nodes: &'n [Node<'a>],
    /// The separator behind it.
    pub end: Option<&'a Token<'a>>,
    /// Comments on the line of the separator.
    pub comments: &'n [Node<'a>],
}

pub fn split<'n, 'a>(nodes: &'n [Node<'a>], separator: Kind) -> Vec<Item<'n, 'a>> {
    let mut items = vec![];
    let mut start = 0;
    while start < nodes.len() {
        let length = nodes[start..].iter().position(|node| node.is_kind(separator));
        let Some(length) = length else {
            items.push(Item { nodes: &nodes[start..], end: None, comments: &[] });
            break;
        };
        let end = start + length;
        let beside = |node: &&Node<'_>| node.is_comment() && node.first().lines == 0;
        let comments = nodes[end + 1..].iter().take_while(beside).count();
        items.push(Item {
            nodes: &nodes[start..end],
            end: nodes[end].token(),
            comments: &nodes[end + 1..end + 1 + comments],
        });
        start = end + 1 + comments;
    }
    items
}

/// The nodes on one line, when nothing in them needs a line of its own.
pub fn flat(nodes: &[Node<'_>]) -> Option<String> {
    let mut text = String::new();
    add_flat(nodes, &mut text).then_some(text)
}

fn add_flat(nodes: &[Node<'_>], text: &mut String) -> bool {
    nodes.iter().all(|node| match node {
        Node::Token(token) => add_token(token, text),
        Node::Group { open, nodes, close } => add_token(open, text) && add_flat(nodes, text) && add_token(close, text),
    })
}

fn add_token(token: &Token<'_>, text: &mut String) -> bool {
    let own_line = token.kind == Kind::LineComment || (token.is_comment() && token.lines > 0);
    if own_line || token.text.contains('\n') {
        return false;
    }
    text.push_str(if token.space && !text.is_empty() { " " } else { "" });
    match token.keyword {
        true => text.push_str(&token.text.to_ascii_uppercase()),
        false => text.push_str(token.text),
    }
    true
}

/// Statements, with the empty lines between them kept as one.
pub fn program(nodes: &[Node<'_>]) -> String {
    let mut out = Out::default();
    for statement in split(nodes, Kind::Semicolon) {
        let own = |node: &&Node<'_>| node.is_comment();
        let comments = statement.nodes.iter().take_while(own).count();
        let (comments, nodes) = statement.nodes.split_at(comments);
        comments.iter().for_each(|comment| begin(&mut out, comment));
        if let Some(first) = nodes.first() {
            begin_line(&mut out, first.first());
            query::statement(&mut out, nodes);
        }
        statement.end.iter().for_each(|end| out.token(end, 0));
        out.nodes(statement.comments, 0);
    }
    if !out.text.is_empty() {
        out.text.push('\n');
    }
    out.text
}

/// A comment above a statement.
fn begin(out: &mut Out, comment: &Node<'_>) {
    begin_line(out, comment.first());
    out.nodes(std::slice::from_ref(comment), 0);
}

fn begin_line(out: &mut Out, token: &Token<'_>) {
    if out.text.is_empty() {
        return;
    }
    if token.lines > 1 {
        out.text.push('\n');
    }
    out.line(0);
}
