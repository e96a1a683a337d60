//! Reading the argument columns of an aggregate's rows.

use crate::{Layout, row};
use feldc_value::{ColumnType, SqlType};

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

    /// Where the value starts, behind any tag; none when it is NULL.
    #[inline(always)]
    pub fn value_at(&self, row: &[u8]) -> Option<usize> {
        let start = match self.offset {
            Some(offset) => offset,
            None => self.layout.prefix_len(row, self.number),
        };
        match self.ty.nullable {
            true => (!row::is_null(row, start)).then_some(start + 1),
            false => Some(start),
        }
    }

    /// The bytes of the value without tag; none when it is NULL.
    #[inline]
    pub fn value<'row>(&self, row: &'row [u8]) -> Option<&'row [u8]> {
        let start = self.value_at(row)?;
        let end = match self.ty.ty.fixed_width() {
            Some(width) => start + width,
            None => row::skip_text(row, start),
        };
        Some(&row[start..end])
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

    pub fn is_float(self) -> bool {
        matches!(self, Number::F32 | Number::F64)
    }
}
