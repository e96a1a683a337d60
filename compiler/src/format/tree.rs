//! Tokens to a tree of groups: parentheses, brackets, types of a MAP, and CASE to END.

use super::lex::{Kind, Token};

#[derive(Debug)]
pub enum Node<'a> {
    Token(&'a Token<'a>),
    Group { open: &'a Token<'a>, nodes: Vec<Node<'a>>, close: &'a Token<'a> },
}

impl<'a> Node<'a> {
    /// The first token.
    pub fn first(&self) -> &'a Token<'a> {
        match self {
            Node::Token(token) => token,
            Node::Group { open, .. } => open,
        }
    }

    pub fn token(&self) -> Option<&'a Token<'a>> {
        match self {
            Node::Token(token) => Some(token),
            Node::Group { .. } => None,
        }
    }

    /// The keyword itself, not a group that begins with it.
    pub fn is(&self, word: &str) -> bool {
        self.token().is_some_and(|token| token.is(word))
    }

    pub fn is_any(&self, words: &[&str]) -> bool {
        self.token().is_some_and(|token| token.is_any(words))
    }

    pub fn is_kind(&self, kind: Kind) -> bool {
        self.token().is_some_and(|token| token.kind == kind)
    }

    pub fn is_comment(&self) -> bool {
        self.token().is_some_and(Token::is_comment)
    }
}

/// CASE without END and END without CASE are plain words: they may be names.
///
/// # Errors
/// When a bracket opens and does not close, or the reverse.
pub fn tree<'a>(tokens: &'a [Token<'a>]) -> Result<Vec<Node<'a>>, String> {
    let mut open: Vec<(&'a Token<'a>, Vec<Node<'a>>)> = vec![];
    let mut nodes = vec![];
    for token in tokens {
        if token.kind == Kind::Open || token.is("CASE") {
            open.push((token, std::mem::take(&mut nodes)));
            continue;
        }
        if token.kind == Kind::Close {
            while open.last().is_some_and(|(start, _)| start.is("CASE")) {
                flatten(&mut open, &mut nodes);
            }
        }
        let closes =
            token.kind == Kind::Close || token.is("END") && open.last().is_some_and(|(start, _)| start.is("CASE"));
        if !closes {
            nodes.push(Node::Token(token));
            continue;
        }
        let (start, outer) = open.pop().ok_or_else(|| format!("\"{}\" closes nothing", token.text))?;
        let inner = std::mem::replace(&mut nodes, outer);
        nodes.push(Node::Group { open: start, nodes: inner, close: token });
    }
    while open.last().is_some_and(|(start, _)| start.is("CASE")) {
        flatten(&mut open, &mut nodes);
    }
    match open.pop() {
        Some((token, _)) => Err(format!("\"{}\" does not end", token.text)),
        None => Ok(nodes),
    }
}

/// The group opened last becomes plain tokens of the one around it.
fn flatten<'a>(open: &mut Vec<(&'a Token<'a>, Vec<Node<'a>>)>, nodes: &mut Vec<Node<'a>>) {
    if let Some((start, outer)) = open.pop() {
        let inner = std::mem::replace(nodes, outer);
        nodes.push(Node::Token(start));
        nodes.extend(inner);
    }
}
