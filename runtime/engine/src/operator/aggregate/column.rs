//! Reading the argument columns of an aggregate's rows.

use crate::layout::skip_column;
use crate::{Batch, Layout, row};
use feldc_value::{ColumnType, SqlType};
use std::ops::Range;

/// One column of rows of a layout.
#[derive(Clone, Debug)]
pub struct Column {
    layout: Layout,
    number: usize,
    /// Where the column starts, when that is the same in all rows.
    offset: Option<usize>,
    pub ty: ColumnType,
}

impl Column {
    pub fn new(layout: &Layout, number: usize) -> Column {
        Column { number, offset: layout.offset(number), ty: layout.columns()[number], layout: layout.clone() }
    }

    pub fn number(&self) -> usize {
        self.number
    }

    /// Where the column starts.
    #[inline(always)]
    fn start(&self, row: &[u8]) -> usize {
        match self.offset {
            Some(offset) => offset,
            None => self.layout.prefix_len(row, self.number),
        }
    }

    /// Where the value starts, behind any tag; none when it is NULL.
    #[inline(always)]
    pub fn value_at(&self, row: &[u8]) -> Option<usize> {
        let start = self.start(row);
        match self.ty.nullable {
            true => (!row::is_null(row, start)).then_some(start + 1),
            false => Some(start),
        }
    }

    /// The bytes of the value without tag; none when it is NULL.
    #[inline]
    pub fn value<'row>(&self, row: &'row [u8]) -> Option<&'row [u8]> {
        let start = self.value_at(row)?;
        Some(&row[start..skip_column(ColumnType::new(self.ty.ty, false), row, start)])
    }

    /// The column's bytes.
    fn bytes<'row>(&self, row: &'row [u8]) -> &'row [u8] {
        let start = self.start(row);
        &row[start..skip_column(self.ty, row, start)]
    }
}

/// What a function keeps of each row: the group's key, then some columns of the row.
#[derive(Clone, Debug)]
pub struct Part {
    pub columns: Vec<Column>,
    /// Which of them are not NULL in any row that is kept, and have no tag there.
    present: Vec<bool>,
    /// Of the key's columns and these.
    pub layout: Layout,
}

impl Part {
    /// Of rows of `layout`, whose first `key` columns are the key. Rows with a NULL in a column of `present` (a range of
    /// positions in `columns`) are left out.
    pub fn new(layout: &Layout, key: usize, columns: &[usize], present: Range<usize>) -> Part {
        let columns: Vec<Column> = columns.iter().map(|&number| Column::new(layout, number)).collect();
        let present: Vec<bool> = (0..columns.len()).map(|at| present.contains(&at)).collect();
        let kept = columns.iter().zip(&present).map(|(column, present)| match present {
            true => ColumnType::new(column.ty.ty, false),
            false => column.ty,
        });
        let layout = Layout::new(layout.columns()[..key].iter().copied().chain(kept).collect());
        Part { columns, present, layout }
    }

    pub fn same(&self, other: &Part) -> bool {
        self.present == other.present
            && self.columns.iter().map(Column::number).eq(other.columns.iter().map(Column::number))
    }

    /// Appends what is kept of each row.
    pub fn narrow<'row>(&self, rows: &'row Batch, key: impl Fn(&'row [u8]) -> &'row [u8], out: &mut Batch) {
        for (row, weight) in rows.iter() {
            let buffer = out.buffer();
            buffer.extend_from_slice(key(row));
            let whole = self.columns.iter().zip(&self.present).all(|(column, present)| match present {
                true => column.value(row).map(|value| buffer.extend_from_slice(value)).is_some(),
                false => {
                    buffer.extend_from_slice(column.bytes(row));
                    true
                }
            });
            if whole { out.commit(weight) } else { out.rollback() }
        }
    }

    /// Bytes behind the key, where that is constant.
    pub fn width(&self) -> Option<usize> {
        let columns = self.layout.columns();
        let own = &columns[columns.len() - self.columns.len()..];
        own.iter().map(|column| column.fixed_width()).sum()
    }
}

/// How a number lies in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

impl Number {
    /// None for types that are no numbers.
    pub fn of(ty: SqlType) -> Option<Number> {
        match ty {
            SqlType::Real => Some(Number::F32),
            SqlType::Double => Some(Number::F64),
            SqlType::UTinyInt => Some(Number::U8),
            SqlType::USmallInt => Some(Number::U16),
            SqlType::UInteger => Some(Number::U32),
            SqlType::UBigInt => Some(Number::U64),
            SqlType::Uuid | SqlType::Null => None,
            _ => match ty.fixed_width()? {
                1 => Some(Number::I8),
                2 => Some(Number::I16),
                4 => Some(Number::I32),
                8 => Some(Number::I64),
                _ => Some(Number::I128),
            },
        }
    }

    /// Bits of an integer of up to 64.
    pub fn bits(self) -> usize {
        match self {
            Number::I8 | Number::U8 => 8,
            Number::I16 | Number::U16 => 16,
            Number::I32 | Number::U32 => 32,
            _ => 64,
        }
    }

    /// An integer of the type from the low bits of a word.
    pub fn extended(self, bits: u64) -> i128 {
        let unused = u64::BITS as usize - self.bits();
        match self {
            Number::U8 | Number::U16 | Number::U32 | Number::U64 => i128::from(bits << unused >> unused),
            _ => i128::from((bits << unused) as i64 >> unused),
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Number::F32 | Number::F64)
    }
}
