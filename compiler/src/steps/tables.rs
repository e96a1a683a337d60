//! What the tables of a program hold after some changes, by the rules that the engine keeps: a bag of rows, or one row for
//! each key.

use super::Change;
use crate::reference::{Row, compare_rows};
use feldc_pipeline::schema::{Schema, Table};
use feldc_value::Value;
use std::cmp::Ordering;

#[derive(Clone, Debug)]
pub struct Tables {
    definitions: Vec<Table>,
    /// Rows present in each table, every copy.
    pub rows: Vec<Vec<Row>>,
}

impl Tables {
    pub fn new(schema: &Schema) -> Tables {
        Tables { definitions: schema.tables.clone(), rows: vec![vec![]; schema.tables.len()] }
    }

    pub fn definitions(&self) -> &[Table] {
        &self.definitions
    }

    /// Takes a change of weight 1 or -1. Is there a row to delete? If not, the change is none.
    pub fn apply(&mut self, change: &Change) -> bool {
        let Some(table) = self.definitions.iter().position(|table| table.name == change.relation) else { return false };
        match change.weight < 0 {
            true => self.delete(table, &change.row),
            false => {
                self.insert(table, change.row.clone());
                true
            }
        }
    }

    pub fn apply_all(&mut self, changes: &[Change]) {
        for change in changes {
            self.apply(change);
        }
    }

    /// In a table with a primary key, a row takes the place of the one with its key.
    pub fn insert(&mut self, table: usize, row: Row) {
        if !self.definitions[table].primary_key.is_empty() {
            self.delete(table, &row);
        }
        self.rows[table].push(row);
    }

    fn delete(&mut self, table: usize, row: &[Value]) -> bool {
        let same = |other: &Row| compare_rows(&self.key(table, other), &self.key(table, row)) == Ordering::Equal;
        let found = self.rows[table].iter().position(same);
        found.map(|at| self.rows[table].swap_remove(at)).is_some()
    }

    /// The primary key's values; without a key the whole row.
    fn key(&self, table: usize, row: &[Value]) -> Row {
        match &self.definitions[table].primary_key[..] {
            [] => row.to_vec(),
            key => key.iter().map(|&at| row[at].clone()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver;

    #[test]
    fn rows_come_and_go_as_in_the_engine() {
        let sql = "CREATE TABLE bag (a BIGINT, x DOUBLE); CREATE TABLE map (a BIGINT NOT NULL PRIMARY KEY, x DOUBLE);";
        let mut tables = Tables::new(&driver::compile("program.sql", sql).unwrap().schema);
        let row = |a, x| vec![Value::BigInt(a), Value::Double(x)];
        let mut take = |relation: &str, row, weight| tables.apply(&Change { relation: relation.into(), row, weight });
        assert!(take("bag", row(1, f64::NAN), 1) && take("bag", row(1, f64::NAN), 1));
        assert!(take("bag", row(1, f64::NAN), -1) && !take("bag", row(2, 1.0), -1));
        assert!(take("map", row(1, 0.5), 1) && take("map", row(1, 0.75), 1) && take("map", row(2, 1.0), 1));
        assert!(take("map", row(2, 9.0), -1), "a row is deleted by its key");
        assert_eq!((tables.rows[0].len(), &tables.rows[1]), (1, &vec![row(1, 0.75)]));
    }
}
