//! The logical plan: relational algebra over columns with unique ids. The form, its walks, printer and checks;
//! no decisions.
//!
//! `bind` makes it (with [`Plan::Apply`] and [`ExprKind::Subquery`] in it), `rewrite` removes those and improves it,
//! `lower` consumes it.

pub mod check;
pub mod estimate;
pub mod expr;
mod nullability;
pub mod print;
mod walk;

pub use expr::{Expr, ExprKind, Quantifier, Span, SubqueryKind};

use feldc_engine::{AggregateFunction, Direction, Window};
use feldc_value::ColumnType;

/// A column of some operator's result, unique in the program. Names are only for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub id: ColumnId,
    pub name: String,
    pub ty: ColumnType,
}

/// Position in [`Program::tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub usize);

/// Position in [`Program::views`]; a view reads only tables and views before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ViewId(pub usize);

/// A bound program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub tables: Vec<Table>,
    pub views: Vec<View>,
    /// The functions that are declared without a body: theirs is in Rust.
    pub functions: Vec<RustFunction>,
    /// `SET on_error = 'fail'`.
    pub fail_on_error: bool,
}

/// What a function of the program is called on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// Each row.
    Scalar,
    /// The rows of a group, of each of which something is added up.
    Linear,
    /// The rows of a group, one after the other.
    Aggregate,
}

/// A function of the program that is written in Rust, under the same name.
#[derive(Clone, Debug, PartialEq)]
pub struct RustFunction {
    pub kind: FunctionKind,
    pub name: String,
    pub parameters: Vec<(String, ColumnType)>,
    pub returns: ColumnType,
    /// The declaration.
    pub sql: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TableColumn {
    pub name: String,
    pub case_sensitive: bool,
    pub ty: ColumnType,
    /// DEFAULT, folded to a value's text; `None` without DEFAULT.
    pub default: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub case_sensitive: bool,
    pub columns: Vec<TableColumn>,
    /// Positions of the primary key's columns, in key order.
    pub primary_key: Vec<usize>,
    pub materialized: bool,
    pub append_only: bool,
    /// How many rows the table is expected to have, for choosing the order of joins.
    pub expected_size: Option<u64>,
    pub connectors: serde_json::Value,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    Local,
    Output,
    Materialized,
}

#[derive(Clone, Debug)]
pub struct View {
    pub name: String,
    pub case_sensitive: bool,
    pub kind: ViewKind,
    /// The SQL columns, in order: name, quoted or not, and the plan's column that holds it (the same plan column may
    /// stand behind several).
    pub columns: Vec<ViewColumn>,
    pub plan: Plan,
    pub connectors: serde_json::Value,
    /// CREATE INDEX: name and positions in `columns`.
    pub indexes: Vec<(String, Vec<usize>)>,
    /// The text of the statement, for comments in generated code.
    pub sql: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ViewColumn {
    pub name: String,
    pub case_sensitive: bool,
    pub id: ColumnId,
    pub ty: ColumnType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    /// RIGHT is bound as LEFT with swapped inputs.
    Left,
    Full,
    /// Left rows with at least one match, once each copy; columns of the left input only.
    Semi,
    /// Left rows without a match; columns of the left input only.
    Anti,
}

/// A relation. Every node's columns are found with [`Plan::columns`].
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// A base table; `columns` are fresh ids for its columns in SQL order.
    Table {
        table: TableId,
        columns: Vec<Column>,
    },
    /// An earlier view; `columns` are fresh ids for its SQL columns.
    View {
        view: ViewId,
        columns: Vec<Column>,
    },
    /// Literal rows (no column references inside); one row without columns is SELECT without FROM.
    Values {
        rows: Vec<Vec<Expr>>,
        columns: Vec<Column>,
    },
    Filter {
        input: Box<Plan>,
        predicate: Expr,
    },
    /// Exactly the listed columns; a pass-through is an `ExprKind::Column` with a new or the same id.
    Project {
        input: Box<Plan>,
        columns: Vec<(Column, Expr)>,
    },
    /// `on` may be any search condition over both inputs' columns. For Left and Full the padded side's columns appear
    /// with nullable types in `columns()`.
    Join {
        kind: JoinKind,
        left: Box<Plan>,
        right: Box<Plan>,
        on: Expr,
    },
    /// Dependent join: `right` may refer to columns of `left`. Kinds Inner, Left, Semi, Anti. Removed by decorrelation.
    Apply {
        kind: JoinKind,
        left: Box<Plan>,
        right: Box<Plan>,
        on: Expr,
    },
    /// GROUP BY over columns of the input. Without keys and with `scalar`: exactly one row.
    Aggregate {
        input: Box<Plan>,
        keys: Vec<(Column, ColumnId)>,
        aggregates: Vec<(Column, AggregateCall)>,
        scalar: bool,
    },
    Distinct {
        input: Box<Plan>,
    },
    /// Of the rows that agree in the partition's columns, those in a window of an order (LIMIT, OFFSET, FETCH). What the
    /// order leaves open is decided by columns that are not among its keys, so it names all that can be told apart.
    TopK {
        input: Box<Plan>,
        partition: Vec<ColumnId>,
        order: Vec<OrderKey>,
        window: Window,
        /// The column of `window.rank`.
        ranked: Option<Column>,
    },
    /// A row for each element of some of the input's columns, which are arrays, with the input's columns, then the elements,
    /// then the element's number; with `outer` a row of NULLs where there is none.
    Unnest {
        input: Box<Plan>,
        arrays: Vec<ColumnId>,
        elements: Vec<Column>,
        ordinality: Option<Column>,
        outer: bool,
    },
    /// UNION ALL; `columns` are fresh, position by position; the inputs' columns have exactly these types.
    Union {
        inputs: Vec<Plan>,
        columns: Vec<Column>,
    },
    /// EXCEPT / INTERSECT, set semantics (`all` false) or bag semantics.
    SetDifference {
        left: Box<Plan>,
        right: Box<Plan>,
        all: bool,
        columns: Vec<Column>,
    },
    SetIntersection {
        left: Box<Plan>,
        right: Box<Plan>,
        all: bool,
        columns: Vec<Column>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderKey {
    pub column: ColumnId,
    pub direction: Direction,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AggregateCall {
    pub function: AggregateFunction,
    /// None for COUNT(*). FILTER is bound as a CASE around each argument (COUNT(*) FILTER as a COUNT of one).
    pub arguments: Vec<Expr>,
    /// How the last as many arguments order the rows.
    pub order: Vec<Direction>,
    pub distinct: bool,
    pub span: Span,
}

impl Plan {
    /// The result's columns, in order.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns = vec![];
        self.add_columns(&mut columns);
        columns
    }

    /// Into one list: a tree of joins would copy the columns of its leaves at every level.
    fn add_columns(&self, out: &mut Vec<Column>) {
        let start = out.len();
        match self {
            Plan::Table { columns, .. }
            | Plan::View { columns, .. }
            | Plan::Values { columns, .. }
            | Plan::Union { columns, .. }
            | Plan::SetDifference { columns, .. }
            | Plan::SetIntersection { columns, .. } => out.extend_from_slice(columns),
            Plan::Filter { input, .. } | Plan::Distinct { input } => input.add_columns(out),
            Plan::TopK { input, ranked, .. } => {
                input.add_columns(out);
                out.extend(ranked.clone());
            }
            Plan::Unnest { input, elements, ordinality, .. } => {
                input.add_columns(out);
                out.extend(elements.iter().chain(ordinality).cloned());
            }
            Plan::Project { columns, .. } => out.extend(columns.iter().map(|(column, _)| column.clone())),
            Plan::Join { kind, left, right, .. } | Plan::Apply { kind, left, right, .. } => {
                left.add_columns(out);
                let padded = match kind {
                    JoinKind::Semi | JoinKind::Anti => return,
                    JoinKind::Inner => usize::MAX,
                    JoinKind::Left => out.len(),
                    JoinKind::Full => start,
                };
                right.add_columns(out);
                out.iter_mut().skip(padded).for_each(|column| column.ty.nullable = true);
            }
            Plan::Aggregate { keys, aggregates, .. } => {
                out.extend(keys.iter().map(|(column, _)| column.clone()));
                out.extend(aggregates.iter().map(|(column, _)| column.clone()));
            }
        }
    }

    pub fn children(&self) -> Vec<&Plan> {
        match self {
            Plan::Table { .. } | Plan::View { .. } | Plan::Values { .. } => vec![],
            Plan::Filter { input, .. }
            | Plan::Project { input, .. }
            | Plan::Aggregate { input, .. }
            | Plan::TopK { input, .. }
            | Plan::Unnest { input, .. }
            | Plan::Distinct { input } => vec![input],
            Plan::Join { left, right, .. }
            | Plan::Apply { left, right, .. }
            | Plan::SetDifference { left, right, .. }
            | Plan::SetIntersection { left, right, .. } => vec![left, right],
            Plan::Union { inputs, .. } => inputs.iter().collect(),
        }
    }
}
