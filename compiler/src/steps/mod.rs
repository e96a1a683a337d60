//! Programs run step by step with rows as values: a session, step scripts, random change streams, and the comparison of
//! views with an evaluation from scratch. `feldc test`, `feldc fuzz` and the suites of this repository stand on it.

pub mod oracle;
pub mod piped;
pub mod relation;
pub mod script;
pub mod session;
pub mod shrink;
pub mod stream;
pub mod tables;

pub use relation::Relation;
pub use script::Script;
pub use session::Session;
pub use tables::Tables;

use feldc_value::Value;

/// One row of one relation, in SQL column order, with a weight: for a table what comes in, for a view what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub relation: String,
    pub row: Vec<Value>,
    pub weight: i64,
}
