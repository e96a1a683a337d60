//! Incremental equals batch, by an oracle that shares nothing with us: SQLite on the tables' current contents.
//!
//! For the programs marked `-- oracle: sqlite`: those whose SQL means the same there.

use crate::{step, streams};
use feldc::steps::Session;
use feldc::steps::stream::Stream;
use feldc_tests::{open, program_texts};
use feldc_value::Value;
use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, params_from_iter};

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Boolean(value) => Cell::Integer(i64::from(*value)),
        Value::BigInt(value) => Cell::Integer(*value),
        Value::Text(text) => Cell::Text(text.to_string()),
        other => panic!("a program for SQLite has only BIGINT, BOOLEAN and VARCHAR, not {other:?}"),
    }
}

/// A cell as both sides spell it: SQLite has no booleans.
fn spell(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Boolean(value) => i64::from(*value).to_string(),
        Value::TinyInt(value) => value.to_string(),
        Value::SmallInt(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::BigInt(value) => value.to_string(),
        Value::Text(text) => format!("'{text}'"),
        other => panic!("a program for SQLite gives no {other:?}"),
    }
}

/// The statements, without what SQLite does not know.
fn statements(sql: &str) -> Vec<String> {
    let plain = sql.replace("CREATE LOCAL VIEW", "CREATE VIEW").replace(" PRIMARY KEY", "");
    let code = plain.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
    code.split(';').map(str::trim).filter(|text| !text.is_empty()).map(str::to_string).collect()
}

fn load(connection: &Connection, stream: &Stream, session: &Session) {
    for (table, rows) in session.tables().iter().zip(&stream.tables.rows) {
        connection.execute(&format!("DELETE FROM {}", table.name), []).expect("SQLite deletes");
        let marks = vec!["?"; table.fields.len()].join(", ");
        let insert = format!("INSERT INTO {} VALUES ({marks})", table.name);
        let mut insert = connection.prepare_cached(&insert).expect("SQLite prepares");
        for row in rows {
            insert.execute(params_from_iter(row.iter().map(cell))).expect("SQLite inserts");
        }
    }
}

fn expected(connection: &Connection, view: &str) -> Vec<String> {
    let mut query = connection.prepare(&format!("SELECT * FROM {view}")).expect("SQLite knows the view");
    let columns = query.column_count();
    let mut rows = query.query([]).expect("SQLite evaluates");
    let mut result = Vec::new();
    while let Some(row) = rows.next().expect("SQLite steps") {
        let cells: Vec<String> = (0..columns)
            .map(|at| match row.get_ref(at).expect("a cell") {
                ValueRef::Null => "NULL".into(),
                ValueRef::Integer(value) => value.to_string(),
                ValueRef::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
                other => panic!("SQLite gives {other:?}"),
            })
            .collect();
        result.push(cells.join(", "));
    }
    result.sort();
    result
}

/// Up to five of the left lines that have no partner on the right.
fn difference(left: &[String], right: &[String]) -> Vec<String> {
    let mut rest = right.to_vec();
    let absent = |row: &&String| match rest.iter().position(|other| other == *row) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    };
    left.iter().filter(absent).take(5).cloned().collect()
}

#[test]
fn incremental_equals_sqlite() {
    let marked: Vec<_> = program_texts().into_iter().filter(|(_, sql)| sql.starts_with("-- oracle: sqlite")).collect();
    assert!(!marked.is_empty());
    for (name, sql) in marked {
        for seed in 400..400 + streams(6) {
            let connection = Connection::open_in_memory().expect("SQLite opens");
            for statement in statements(&sql) {
                connection
                    .execute(&statement, [])
                    .unwrap_or_else(|error| panic!("{name}: SQLite on {statement}: {error}"));
            }
            let (compiled, mut session) = open(&name, &sql, 1);
            let mut stream = Stream::new(&compiled.schema, seed);
            for at in 0..crate::STEPS {
                step(&mut session, &stream.step());
                load(&connection, &stream, &session);
                for view in &compiled.schema.views {
                    let rows = session.view(&view.name);
                    assert!(rows.iter().all(|(_, weight)| *weight > 0), "{name}: view {} holds {rows:?}", view.name);
                    let mut actual: Vec<String> = rows
                        .iter()
                        .flat_map(|(row, weight)| {
                            let line = row.iter().map(spell).collect::<Vec<_>>().join(", ");
                            vec![line; *weight as usize]
                        })
                        .collect();
                    actual.sort();
                    let expected = expected(&connection, &view.name);
                    assert!(
                        actual == expected,
                        "{name}: view {} differs from SQLite after step {at} of seed {seed}\n missing {:?}\n extra {:?}",
                        view.name,
                        difference(&expected, &actual),
                        difference(&actual, &expected)
                    );
                }
            }
        }
    }
}
