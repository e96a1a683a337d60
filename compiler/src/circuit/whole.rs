//! The circuit before `incremental`: the same nodes, but joins, semijoins and antijoins are whole operators over the
//! indexes of both sides, and no index has an `Update` yet.

use super::{Kernel, NodeId, Op, print};
use crate::plan::{Span, ViewId};
use feldc_value::ColumnType;
use std::fmt::{self, Display, Formatter};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whole {
    pub nodes: Vec<WholeNode>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct WholeNode {
    pub op: WholeOp,
    pub layout: Vec<ColumnType>,
    pub view: Option<ViewId>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum WholeOp {
    /// Has the same form in the final circuit (a range join keeps its own state); never `Update`, `Join`, `Semi` or `Anti`.
    Same(Op),
    /// Pairs of rows of two `Index` nodes with equal keys; the kernel's slots are the left row's columns, then the
    /// right row's.
    Join { left: NodeId, right: NodeId, kernel: Kernel },
    /// Pairs of a row of the change of one `Index` node and a row with equal key of another one, as it is before this step
    /// or (`new`) after it; the kernel's slots are as in `Join`. A part of a join of several inputs.
    Changes { delta: NodeId, index: NodeId, new: bool, kernel: Kernel },
    /// Rows of the index `left` whose key is present in the index `right`.
    Semi { left: NodeId, right: NodeId },
    /// Rows of the index `left` whose key is absent from the index `right`.
    Anti { left: NodeId, right: NodeId },
}

impl WholeOp {
    pub fn inputs(&self) -> Vec<NodeId> {
        match self {
            WholeOp::Same(op) => op.inputs(),
            WholeOp::Join { left, right, .. } | WholeOp::Semi { left, right } | WholeOp::Anti { left, right } => {
                vec![*left, *right]
            }
            WholeOp::Changes { delta, index, .. } => vec![*delta, *index],
        }
    }
}

impl Display for Whole {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, node) in self.nodes.iter().enumerate() {
            writeln!(f, "n{position} = {} : {}", node.op, print::types(&node.layout))?;
        }
        Ok(())
    }
}

impl Display for WholeOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            WholeOp::Same(op) => write!(f, "{op}"),
            WholeOp::Join { left, right, kernel } => write!(f, "join {left} {right} {kernel}"),
            WholeOp::Changes { delta, index, new, kernel } => {
                write!(f, "changes {delta} {} {index} {kernel}", if *new { "new" } else { "old" })
            }
            WholeOp::Semi { left, right } => write!(f, "semi {left} {right}"),
            WholeOp::Anti { left, right } => write!(f, "anti {left} {right}"),
        }
    }
}
