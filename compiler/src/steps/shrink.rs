//! Makes a failing case small: fewer steps, fewer changes, simpler values, as long as it fails.

use super::{Change, Tables};
use crate::reference::{Row, compare_rows};
use feldc_pipeline::schema::Schema;
use feldc_value::{ColumnType, Value};
use std::cmp::Ordering;

/// Steps of changes.
pub type Case = Vec<Vec<Change>>;

/// A case that still fails and no longer does when any one part of it is left out or made simpler, unless `fails` has given
/// up: it is asked until it returns `None`.
pub fn shrink(schema: &Schema, case: Case, mut fails: impl FnMut(&Case) -> Option<bool>) -> Case {
    let mut shrinking = Shrinking { schema, case, fails: &mut fails };
    while let Some(true) = shrinking.round() {}
    shrinking.case
}

struct Shrinking<'a> {
    schema: &'a Schema,
    case: Case,
    fails: &'a mut dyn FnMut(&Case) -> Option<bool>,
}

impl Shrinking<'_> {
    /// Tries every kind of simplification once; did one of them succeed? `None` when time is up.
    fn round(&mut self) -> Option<bool> {
        let mut smaller = false;
        smaller |= self.leave_out(|case| case.len(), |case, from, to| drop(case.drain(from..to)))?;
        smaller |= self.leave_out(|case| case.iter().map(Vec::len).sum(), drop_changes)?;
        smaller |= self.merge_steps()?;
        smaller |= self.lighter()?;
        smaller |= self.simplify_values()?;
        Some(smaller)
    }

    /// Takes a candidate when it fails.
    fn attempt(&mut self, candidate: Case) -> Option<bool> {
        let candidate = possible(self.schema, candidate);
        if candidate == self.case {
            return Some(false);
        }
        let fails = (self.fails)(&candidate)?;
        if fails {
            self.case = candidate;
        }
        Some(fails)
    }

    /// Leaves out runs of parts: half of them, a quarter, ..., each alone.
    fn leave_out(&mut self, count: impl Fn(&Case) -> usize, remove: impl Fn(&mut Case, usize, usize)) -> Option<bool> {
        let mut smaller = false;
        let mut length = count(&self.case).div_ceil(2);
        while length > 0 {
            let mut from = 0;
            while from < count(&self.case) {
                let mut candidate = self.case.clone();
                remove(&mut candidate, from, (from + length).min(count(&self.case)));
                match self.attempt(candidate)? {
                    true => smaller = true,
                    false => from += length,
                }
            }
            length /= 2;
        }
        Some(smaller)
    }

    fn merge_steps(&mut self) -> Option<bool> {
        let mut smaller = false;
        let mut at = 1;
        while at < self.case.len() {
            let mut candidate = self.case.clone();
            let step = candidate.remove(at);
            candidate[at - 1].extend(step);
            match self.attempt(candidate)? {
                true => smaller = true,
                false => at += 1,
            }
        }
        Some(smaller)
    }

    /// Rows that come and go in later steps: without their going.
    fn lighter(&mut self) -> Option<bool> {
        let mut smaller = false;
        for at in (0..self.case.len()).rev() {
            let mut candidate = self.case.clone();
            candidate[at].retain(|change| change.weight > 0);
            smaller |= self.attempt(candidate)?;
        }
        Some(smaller)
    }

    /// Puts a simpler value in the place of one, in all rows of its table: what is deleted must be what came.
    fn simplify_values(&mut self) -> Option<bool> {
        let mut smaller = false;
        for table in &self.schema.tables {
            for (column, field) in table.fields.iter().enumerate() {
                for value in self.values(&table.name, column) {
                    for simple in simpler(&value, field.columntype) {
                        let mut candidate = self.case.clone();
                        for change in candidate.iter_mut().flatten().filter(|change| change.relation == table.name) {
                            if same(&change.row[column], &value) {
                                change.row[column] = simple.clone();
                            }
                        }
                        if self.attempt(candidate)? {
                            smaller = true;
                            break;
                        }
                    }
                }
            }
        }
        Some(smaller)
    }

    /// The different values of a column.
    fn values(&self, table: &str, column: usize) -> Vec<Value> {
        let mut values: Vec<Value> = vec![];
        for change in self.case.iter().flatten().filter(|change| change.relation == table) {
            if !values.iter().any(|value| same(value, &change.row[column])) {
                values.push(change.row[column].clone());
            }
        }
        values
    }
}

fn same(a: &Value, b: &Value) -> bool {
    let row = |value: &Value| -> Row { vec![value.clone()] };
    compare_rows(&row(a), &row(b)) == Ordering::Equal
}

/// Leaves out the changes from one to another, counted over all steps.
fn drop_changes(case: &mut Case, from: usize, to: usize) {
    let mut at = 0;
    for step in case.iter_mut() {
        step.retain(|_| {
            at += 1;
            !(from..to).contains(&(at - 1))
        });
    }
}

/// Values that are simpler than this one, the simplest first: never two of one type that are simpler than each other.
fn simpler(value: &Value, column: ColumnType) -> Vec<Value> {
    let zero = Value::zero(column.ty);
    let mut candidates = vec![];
    if value.is_null() || same(value, &zero) {
        return candidates;
    }
    candidates.push(zero);
    if let Value::Text(text) = value
        && text.trim_end() != "a"
    {
        candidates.push(feldc_value::nested::fit(Value::text("a"), column.ty));
    }
    let one = match value {
        Value::TinyInt(value) if *value != 1 => Value::TinyInt(1),
        Value::SmallInt(value) if *value != 1 => Value::SmallInt(1),
        Value::Integer(value) if *value != 1 => Value::Integer(1),
        Value::BigInt(value) if *value != 1 => Value::BigInt(1),
        Value::Double(value) if *value != 1.0 => Value::Double(1.0),
        Value::Real(value) if *value != 1.0 => Value::Real(1.0),
        _ => return candidates,
    };
    candidates.push(one);
    candidates
}

/// The case without deletions of rows that are not there.
pub fn possible(schema: &Schema, mut case: Case) -> Case {
    let mut tables = Tables::new(schema);
    case.iter_mut().for_each(|step| step.retain(|change| tables.apply(change)));
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver;
    use crate::steps::stream::Stream;

    #[test]
    fn a_case_shrinks_to_what_makes_it_fail() {
        let sql = "CREATE TABLE t (a BIGINT, x VARCHAR); CREATE TABLE u (b BIGINT);";
        let schema = driver::compile("program.sql", sql).unwrap().schema;
        let mut stream = Stream::new(&schema, 7);
        let case: Case = (0..30).map(|_| stream.step()).collect();
        // A fault: some deletion from t of a row whose a is not NULL, after which u holds something.
        let mut asked = 0;
        let small = shrink(&schema, case, |case| {
            asked += 1;
            let mut tables = Tables::new(&schema);
            Some(case.iter().any(|step| {
                step.iter().for_each(|change| assert!(tables.apply(change), "the case stays possible"));
                let goes = |change: &Change| change.relation == "t" && change.weight < 0 && !change.row[0].is_null();
                step.iter().any(goes) && !tables.rows[1].is_empty()
            }))
        });
        let told: Vec<String> = small
            .iter()
            .flatten()
            .map(|change| format!("{} {:+} {:?}", change.relation, change.weight, change.row))
            .collect();
        assert_eq!(small.len(), 1, "{told:?}");
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told.iter().all(|line| line.contains("BigInt(0)") || line.contains("Null")), "{told:?}");
        assert!(asked < 2000);
    }

    #[test]
    fn no_time_is_no_loop() {
        let schema = driver::compile("program.sql", "CREATE TABLE t (a BIGINT);").unwrap().schema;
        let case = vec![vec![], vec![]];
        assert_eq!(shrink(&schema, case.clone(), |_| None), case);
    }
}
