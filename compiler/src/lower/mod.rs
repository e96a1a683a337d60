//! Lowers a rewritten plan to operators over streams of byte rows ([`Whole`]): chooses index keys, shares equal streams
//! and indexes between consumers, fuses filters and projections into kernels, picks the physical column order.
//!
//! Three steps. Plans become a graph of shared nodes with logical columns (`flow`; `plan`, `join` and `set` say how).
//! `demand` finds the columns that are read. `physical` turns nodes into operators whose rows hold just those columns:
//! key columns first, then those of fixed width, then the others, so that most offsets are constants.

mod classes;
mod demand;
mod expr;
mod flow;
mod join;
mod kernel;
mod multiway;
mod order;
mod physical;
mod plan;
mod range;
mod relation;
mod schema;
mod set;
mod unique;

pub use schema::schema;
pub use unique::unique_keys;

use crate::circuit::Whole;
use crate::plan::estimate::Sizes;
use crate::plan::{Expr, Program, Span, ViewId, ViewKind};
use classes::Classes;
use flow::{Feed, Flow, FlowColumn, FlowOp};
use relation::Rel;
use std::collections::HashMap;

/// A construct that is understood but cannot be computed incrementally yet (SQLSTATE 0A000), or, where the message says
/// `internal`, a plan that breaks its own rules (XX000).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub code: &'static str,
    pub message: String,
    pub help: String,
    pub span: Span,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (SQLSTATE {}, line {} column {})", self.message, self.code, self.span.line, self.span.column)
    }
}

impl std::error::Error for Unsupported {}

/// A broken promise between phases, as an error that a person can report.
pub(crate) fn internal(message: String, span: Span) -> Unsupported {
    let help = "this is a bug of the compiler: please report it with the program".to_string();
    Unsupported { code: "XX000", message: format!("internal error: {message}"), help, span }
}

/// The operators of a program without `Apply` and subqueries. Nodes of tables come first, in program order, then the
/// views' in program order.
pub fn lower(program: &Program) -> Result<Whole, Unsupported> {
    let flow = Lowering::new(program).program()?;
    let demand = demand::demand(&flow);
    Ok(physical::physical(program, &flow, &demand))
}

struct Lowering<'a> {
    program: &'a Program,
    classes: Classes,
    sizes: Sizes,
    flow: Flow,
    /// Unique keys of the views, see [`unique_keys`].
    view_keys: Vec<Vec<Vec<usize>>>,
    /// Lowered views: definitions of their SQL columns.
    views: HashMap<ViewId, (Feed, Vec<Expr>)>,
    /// Lowered shared subtrees by class: definitions of their columns by position.
    shared: HashMap<usize, (Feed, Vec<Expr>)>,
}

impl<'a> Lowering<'a> {
    fn new(program: &'a Program) -> Lowering<'a> {
        Lowering {
            program,
            classes: Classes::new(program),
            sizes: Sizes::of(program),
            flow: Flow::default(),
            view_keys: unique_keys(program),
            views: HashMap::new(),
            shared: HashMap::new(),
        }
    }

    fn program(mut self) -> Result<Flow, Unsupported> {
        for table in 0..self.program.tables.len() {
            self.table(crate::plan::TableId(table));
        }
        for view in 0..self.program.views.len() {
            if self.classes.view_uses(ViewId(view)) > 0 {
                self.view(ViewId(view))?;
            }
        }
        Ok(self.flow)
    }

    /// Lowers a view; its stream is kept where several read it, the output included.
    fn view(&mut self, id: ViewId) -> Result<(), Unsupported> {
        let view = &self.program.views[id.0];
        (self.flow.view, self.flow.span) = (Some(id), view.span);
        let mut rel = self.plan(&view.plan)?;
        let columns: Vec<crate::plan::Column> =
            view.columns.iter().map(|c| crate::plan::Column { id: c.id, name: c.name.clone(), ty: c.ty }).collect();
        if self.classes.view_uses(id) > 1 {
            rel = self.materialize(rel, &columns);
        }
        let exprs = rel.all(&columns)?;
        if view.kind != ViewKind::Local {
            let columns =
                exprs.iter().zip(&view.columns).map(|(e, c)| FlowColumn { ty: c.ty, expr: Some(e.clone()) }).collect();
            let stored = view.kind == ViewKind::Materialized;
            self.flow.add(FlowOp::Output { feed: rel.feed.clone(), view: id, stored }, columns);
        }
        self.views.insert(id, (rel.feed, exprs));
        Ok(())
    }

    /// The definitions of a relation's columns by position, under the names of another place where it is read.
    fn renamed(feed: &Feed, exprs: &[Expr], columns: &[crate::plan::Column]) -> Rel {
        let columns = columns.iter().zip(exprs).map(|(column, expr)| (column.id, expr.clone())).collect();
        Rel { feed: feed.clone(), columns }
    }
}
