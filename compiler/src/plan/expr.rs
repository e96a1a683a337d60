//! Scalar expressions, shared by the plan (columns by id) and the circuit (columns by slot).

use super::{ColumnId, Plan};
use feldc_value::function::{Function, Signature};
use feldc_value::{ColumnType, SqlType, Value};

/// A stretch of the program's text, by bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: u32,
    pub end: u32,
    /// Line and column of `start`, both from 1, columns in characters.
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: ColumnType,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A column of an input (plan only).
    Column(ColumnId),
    /// A slot of a kernel: the input row's physical columns (for pairs left then right), then its `let`s (circuit only).
    Slot(usize),
    Literal(Value),
    /// A registry function, casts included.
    Call {
        function: &'static Function,
        arguments: Vec<Expr>,
    },
    /// Three-valued, left to right: a later operand is not evaluated once the result is known.
    And(Vec<Expr>),
    Or(Vec<Expr>),
    IsNull(Box<Expr>),
    /// Searched CASE: the first branch whose condition is true; later ones are not evaluated.
    Case {
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// The first non-NULL; later ones are not evaluated.
    Coalesce(Vec<Expr>),
    /// NULL where the operand fails (SAFE_CAST).
    Try(Box<Expr>),
    /// The array of the body's values, one for each element of an array, by which the parameter stands; NULL of NULL. The body
    /// has no subquery.
    Each {
        collection: Box<Expr>,
        parameter: u32,
        body: Box<Expr>,
    },
    /// The element in the body of the [`ExprKind::Each`] with this number.
    Parameter(u32),
    /// Only between `bind` and decorrelation.
    Subquery {
        kind: SubqueryKind,
        plan: Box<Plan>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum SubqueryKind {
    /// One column; NULL over no row, error 21000 over more than one.
    Scalar,
    Exists,
    /// `operands = ANY (columns of the plan)`, three-valued; NOT IN is NOT over it.
    In {
        operands: Vec<Expr>,
    },
    /// `operand op ANY/ALL (plan)`; `comparison` is the two-argument comparison function.
    Quantified {
        operand: Box<Expr>,
        comparison: &'static Function,
        quantifier: Quantifier,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    Any,
    All,
}

/// About as long a literal may be in generated code.
const LITERAL_BYTES_MAX: usize = 1 << 16;
/// What a value without texts takes there.
const PLAIN_BYTES: usize = 32;

/// About how many bytes of generated code a value takes.
fn source_bytes(value: &Value) -> usize {
    PLAIN_BYTES
        + match value {
            Value::Text(text) => text.len(),
            Value::Binary(bytes) => bytes.len(),
            Value::Array(values) | Value::Row(values) => values.iter().map(source_bytes).sum(),
            Value::Map(entries) => entries.iter().map(|(key, value)| source_bytes(key) + source_bytes(value)).sum(),
            Value::Variant(variant) => source_bytes(&variant.value),
            _ => 0,
        }
}

impl Expr {
    /// The value of a call over literals, unless the function may give another one each time, fails, or gives a value that is
    /// too large for a literal: what a function multiplies is not small.
    pub fn constant_call(&self) -> Option<Value> {
        let ExprKind::Call { function, arguments } = &self.kind else { return None };
        if !function.deterministic {
            return None;
        }
        let literal = |argument: &Expr| match &argument.kind {
            ExprKind::Literal(value) => Some(value.clone()),
            _ => None,
        };
        let values: Vec<Value> = arguments.iter().map(literal).collect::<Option<_>>()?;
        let types: Vec<SqlType> = arguments.iter().map(|argument| argument.ty.ty).collect();
        let value = (function.call)(&values, &Signature { arguments: &types, result: self.ty.ty }).ok()?;
        (source_bytes(&value) <= LITERAL_BYTES_MAX).then_some(value)
    }

    pub fn column(id: ColumnId, ty: ColumnType, span: Span) -> Expr {
        Expr { kind: ExprKind::Column(id), ty, span }
    }

    pub fn literal(value: Value, ty: ColumnType, span: Span) -> Expr {
        Expr { kind: ExprKind::Literal(value), ty, span }
    }

    /// Direct sub-expressions (the operands of a subquery included, its plan not).
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Column(_) | ExprKind::Slot(_) | ExprKind::Literal(_) | ExprKind::Parameter(_) => vec![],
            ExprKind::Each { collection, body, .. } => vec![collection, body],
            ExprKind::Call { arguments, .. } => arguments.iter().collect(),
            ExprKind::And(operands) | ExprKind::Or(operands) | ExprKind::Coalesce(operands) => {
                operands.iter().collect()
            }
            ExprKind::IsNull(operand) | ExprKind::Try(operand) => vec![operand],
            ExprKind::Case { branches, otherwise } => branches
                .iter()
                .flat_map(|(condition, result)| [condition, result])
                .chain(otherwise.iter().map(|e| &**e))
                .collect(),
            ExprKind::Subquery { kind, .. } => match kind {
                SubqueryKind::Scalar | SubqueryKind::Exists => vec![],
                SubqueryKind::In { operands } => operands.iter().collect(),
                SubqueryKind::Quantified { operand, .. } => vec![operand],
            },
        }
    }

    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Column(_) | ExprKind::Slot(_) | ExprKind::Literal(_) | ExprKind::Parameter(_) => vec![],
            ExprKind::Each { collection, body, .. } => vec![collection, body],
            ExprKind::Call { arguments, .. } => arguments.iter_mut().collect(),
            ExprKind::And(operands) | ExprKind::Or(operands) | ExprKind::Coalesce(operands) => {
                operands.iter_mut().collect()
            }
            ExprKind::IsNull(operand) | ExprKind::Try(operand) => vec![operand],
            ExprKind::Case { branches, otherwise } => branches
                .iter_mut()
                .flat_map(|(condition, result)| [condition, result])
                .chain(otherwise.iter_mut().map(|e| &mut **e))
                .collect(),
            ExprKind::Subquery { kind, .. } => match kind {
                SubqueryKind::Scalar | SubqueryKind::Exists => vec![],
                SubqueryKind::In { operands } => operands.iter_mut().collect(),
                SubqueryKind::Quantified { operand, .. } => vec![operand],
            },
        }
    }

    /// The same expression, wherever it stands in the text; `plans` compares subqueries, which have columns of their
    /// own. Copies nothing: long lists of expressions are compared each with each.
    pub fn alike(&self, other: &Expr, plans: &impl Fn(&Expr, &Expr) -> bool) -> bool {
        use ExprKind as K;
        let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.alike(b, plans));
        self.ty == other.ty
            && match (&self.kind, &other.kind) {
                (K::Call { function: f, arguments: a }, K::Call { function: g, arguments: b }) => f == g && all(a, b),
                (K::And(a), K::And(b)) | (K::Or(a), K::Or(b)) | (K::Coalesce(a), K::Coalesce(b)) => all(a, b),
                (K::IsNull(a), K::IsNull(b)) | (K::Try(a), K::Try(b)) => a.alike(b, plans),
                (K::Case { branches: a, otherwise: c }, K::Case { branches: b, otherwise: d }) => {
                    let both =
                        |((a, x), (b, y)): (&(Expr, Expr), &(Expr, Expr))| a.alike(b, plans) && x.alike(y, plans);
                    let last = match (c, d) {
                        (Some(c), Some(d)) => c.alike(d, plans),
                        (c, d) => c.is_none() && d.is_none(),
                    };
                    a.len() == b.len() && a.iter().zip(b).all(both) && last
                }
                (
                    K::Each { collection: a, parameter: p, body: b },
                    K::Each { collection: c, parameter: q, body: d },
                ) => p == q && a.alike(c, plans) && b.alike(d, plans),
                (K::Subquery { .. }, K::Subquery { .. }) => plans(self, other),
                (a, b) => a == b,
            }
    }

    /// The operands of nested ANDs, in text order, without literal TRUEs.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::And(operands) => operands.iter().flat_map(Expr::conjuncts).collect(),
            ExprKind::Literal(Value::Boolean(true)) => vec![],
            _ => vec![self],
        }
    }

    /// The conjuncts of a search or join condition in the order of their evaluation, which ends with the first that is
    /// not TRUE: those that cannot fail, then those that can, each in text order. So any of the former may stand wherever
    /// it is cheapest, and guards the latter.
    pub fn in_order(conjuncts: Vec<&Expr>) -> Vec<&Expr> {
        let (fallible, sure): (Vec<&Expr>, Vec<&Expr>) = conjuncts.into_iter().partition(|expr| expr.fallible());
        [sure, fallible].concat()
    }

    /// Can evaluation fail? (Guarded operands count too: the answer is for the whole expression.)
    pub fn fallible(&self) -> bool {
        match &self.kind {
            ExprKind::Try(_) => false,
            ExprKind::Call { function, .. } if function.fallible => true,
            ExprKind::Subquery { .. } => true,
            _ => self.children().iter().any(|child| child.fallible()),
        }
    }
}
