//! Building one row of a table from its columns, which a record may name in any order.
//!
//! The columns' bytes are gathered in a scratch buffer and laid out in physical order when the record is whole, so a
//! record that turns out wrong leaves nothing behind.

use super::patch::Patch;
use super::{Parsed, scalar};
use crate::schema::{Field, Table};
use feldc_engine::layout::encode_column;
use feldc_engine::{Batch, row};
use feldc_value::{ColumnType, SqlType, Value};
use std::collections::HashMap;
use std::ops::Range;

/// Why a record was not taken: names the column, the value and what was expected.
pub type Reason = String;

/// What a record means for the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A row of this weight; on a keyed table an upsert when positive, a deletion by key when negative.
    Weight(i64),
    /// A row named by its key, with the columns to change.
    Update,
}

struct Column {
    name: String,
    ty: SqlType,
    nullable: bool,
    in_key: bool,
    /// The encoding, tag included, of a column that a record leaves out.
    absent: Result<Vec<u8>, Reason>,
    /// Any valid encoding, for columns that the engine will not read.
    filler: Vec<u8>,
}

/// Builds the rows of one table.
pub struct Record {
    columns: Vec<Column>,
    physical: Vec<usize>,
    keyed: bool,
    exact: HashMap<Vec<u8>, usize>,
    folded: HashMap<String, usize>,
    /// The column last found after each column: records mostly keep one order.
    follower: Vec<usize>,
    last: usize,
    scratch: Vec<u8>,
    places: Vec<Option<Range<usize>>>,
    key_only: bool,
    failure: Option<Reason>,
}

impl Record {
    pub fn new(table: &Table) -> Record {
        let mut columns: Vec<Column> = table.fields.iter().map(column).collect();
        for &position in &table.primary_key {
            columns[position].in_key = true;
        }
        let count = columns.len();
        let is_exact = |field: &&(usize, &Field)| field.1.case_sensitive;
        let fields: Vec<(usize, &Field)> = table.fields.iter().enumerate().collect();
        Record {
            exact: fields.iter().filter(is_exact).map(|(at, field)| (field.name.clone().into_bytes(), *at)).collect(),
            folded: fields
                .iter()
                .filter(|field| !is_exact(field))
                .map(|(at, field)| (field.name.to_lowercase(), *at))
                .collect(),
            columns,
            physical: table.physical.clone(),
            keyed: !table.primary_key.is_empty(),
            follower: (0..count).map(|at| (at + 1) % count.max(1)).collect(),
            last: count.saturating_sub(1),
            scratch: Vec::new(),
            places: vec![None; count],
            key_only: false,
            failure: None,
        }
    }

    /// The record just begun is a deletion: on a keyed table only the key is read.
    pub fn begin_key_only(&mut self) {
        self.key_only = self.keyed;
    }

    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Starts a record.
    pub fn begin(&mut self) {
        self.scratch.clear();
        self.places.fill(None);
        self.key_only = false;
        self.failure = None;
    }

    /// The SQL position of the column called `key`; `None` when there is none.
    #[inline]
    pub fn find(&mut self, key: &[u8]) -> Option<usize> {
        let guess = *self.follower.get(self.last)?;
        if self.columns[guess].name.as_bytes() == key {
            self.last = guess;
            return Some(guess);
        }
        let found = self.search(key)?;
        self.follower[self.last] = found;
        self.last = found;
        Some(found)
    }

    fn search(&self, key: &[u8]) -> Option<usize> {
        if let Some(&found) = self.exact.get(key) {
            return Some(found);
        }
        let text = std::str::from_utf8(key).ok()?;
        match self.folded.get(text) {
            Some(&found) => Some(found),
            None => self.folded.get(&text.to_lowercase()).copied(),
        }
    }

    /// Is the value of this column looked at?
    #[inline]
    pub fn wants(&self, position: usize) -> bool {
        self.failure.is_none() && (!self.key_only || self.columns[position].in_key)
    }

    pub fn ty(&self, position: usize) -> SqlType {
        self.columns[position].ty
    }

    pub fn nullable(&self, position: usize) -> bool {
        self.columns[position].nullable
    }

    /// Rejects the record; the first reason counts.
    #[cold]
    pub fn fail(&mut self, reason: Reason) {
        self.failure.get_or_insert(reason);
    }

    #[cold]
    pub fn fail_column(&mut self, position: usize, reason: &str) {
        let reason = format!("column {:?}: {reason}", self.columns[position].name);
        self.fail(reason);
    }

    pub fn put_null(&mut self, position: usize) {
        let column = &self.columns[position];
        if !column.nullable {
            return self.fail_column(position, "NULL is not allowed here");
        }
        let start = self.scratch.len();
        row::put_null(&mut self.scratch, column.ty.fixed_width().unwrap_or(0));
        self.place(position, start);
    }

    #[inline]
    pub fn put_text(&mut self, position: usize, text: &str) {
        let column = &self.columns[position];
        let start = self.scratch.len();
        if column.nullable {
            row::put_tag(&mut self.scratch);
        }
        match scalar::put(column.ty, text, &mut self.scratch) {
            Ok(()) => self.place(position, start),
            Err(reason) => self.fail_column(position, &reason),
        }
    }

    /// A value of the column's type.
    pub fn put_value(&mut self, position: usize, value: &Value) {
        let column = &self.columns[position];
        let start = self.scratch.len();
        encode_column(ColumnType::new(column.ty, column.nullable), value, &mut self.scratch);
        self.place(position, start);
    }

    #[inline]
    fn place(&mut self, position: usize, start: usize) {
        if self.places[position].replace(start..self.scratch.len()).is_some() {
            self.fail_column(position, "given twice");
        }
    }

    /// Adds the record to `rows`, or tells why it cannot be.
    pub fn finish(&mut self, change: Change, parsed: &mut Parsed) -> Result<(), Reason> {
        if let Some(reason) = self.failure.take() {
            return Err(reason);
        }
        let weight = match change {
            Change::Weight(0) => return Ok(()),
            Change::Weight(weight) if self.keyed => weight.signum(),
            Change::Weight(weight) => weight,
            Change::Update => return self.finish_update(parsed),
        };
        self.push_row(weight, &mut parsed.rows)
    }

    fn push_row(&self, weight: i64, rows: &mut Batch) -> Result<(), Reason> {
        let by_key = self.keyed && weight < 0;
        let buffer = rows.buffer();
        for &position in &self.physical {
            let column = &self.columns[position];
            let bytes = match (&self.places[position], &column.absent) {
                (Some(place), _) => &self.scratch[place.clone()],
                (None, _) if by_key && !column.in_key => &column.filler,
                (None, Ok(bytes)) => bytes,
                (None, Err(reason)) => {
                    let reason = reason.clone();
                    rows.rollback();
                    return Err(reason);
                }
            };
            buffer.extend_from_slice(bytes);
        }
        rows.commit(weight);
        Ok(())
    }

    /// An update that names every column is an upsert; one that does not needs the row that is there.
    fn finish_update(&self, parsed: &mut Parsed) -> Result<(), Reason> {
        if !self.keyed {
            return Err("\"update\" needs a table with a PRIMARY KEY; send \"delete\" and \"insert\"".to_owned());
        }
        if self.places.iter().all(Option::is_some) {
            return self.push_row(1, &mut parsed.rows);
        }
        let missing = |(position, column): &(usize, &Column)| column.in_key && self.places[*position].is_none();
        if let Some((_, column)) = self.columns.iter().enumerate().find(missing) {
            return Err(format!("\"update\" without key column {:?}", column.name));
        }
        let bytes = |position: &usize| self.places[*position].clone().map(|place| self.scratch[place].to_vec());
        let columns = self.physical.iter().map(bytes).collect();
        parsed.patches.push(Patch { after: parsed.rows.len(), columns });
        Ok(())
    }
}

fn column(field: &Field) -> Column {
    let (ty, nullable) = (field.columntype.ty, field.columntype.nullable);
    let mut filler = Vec::new();
    match (nullable, ty.fixed_width()) {
        (true, width) => row::put_null(&mut filler, width.unwrap_or(0)),
        (false, Some(width)) => filler.resize(width, 0),
        (false, None) => encode_column(field.columntype, &Value::zero(ty), &mut filler),
    }
    let absent = match &field.default {
        Some(text) => encode_default(field, text),
        None if nullable => Ok(filler.clone()),
        None => Err(format!("column {:?} is missing; it is NOT NULL and has no DEFAULT", field.name)),
    };
    Column { name: field.name.clone(), ty, nullable, in_key: false, absent, filler }
}

fn encode_default(field: &Field, text: &str) -> Result<Vec<u8>, Reason> {
    let mut bytes = Vec::new();
    if field.columntype.nullable {
        row::put_tag(&mut bytes);
    }
    scalar::put(field.columntype.ty, text, &mut bytes)
        .map(|()| bytes)
        .map_err(|reason| format!("column {:?} is missing and its DEFAULT cannot be used: {reason}", field.name))
}
