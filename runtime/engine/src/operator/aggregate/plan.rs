//! What an aggregate node keeps for each group, derived from its list of aggregates.
//!
//! The state of a group is its row count and then accumulators at fixed offsets. Aggregates share accumulators:
//! COUNT(x), SUM(x) and AVG(x) need one sum and one count together.

use super::column::{Column, Number};
use super::wide::WIDE;
use crate::{Aggregate, AggregateFunction, Layout};
use feldc_value::{ColumnType, SqlType};

/// Offset of the row count (i64) in a state.
pub const ROWS: usize = 0;

/// A linear accumulator: it adds up a function of each row times the row's weight.
#[derive(Clone, Debug)]
pub struct Accumulator {
    pub kind: Kind,
    pub column: Column,
    /// Offset in the state.
    pub at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// i64: rows whose argument is not NULL.
    Count,
    /// i64: rows whose argument is this truth value.
    Truth(bool),
    /// i128, of numbers of up to 64 bits.
    Sum(Number),
    /// [`super::wide::Wide`], of numbers of 128 bits.
    WideSum,
    /// The present result (f64), the number of an exact sum (u32) kept elsewhere, 0 for none, and the result rounded
    /// once to REAL (f32).
    FloatSum(Number),
}

impl Kind {
    fn len(self) -> usize {
        match self {
            Kind::Count | Kind::Truth(_) => 8,
            Kind::Sum(_) => 16,
            Kind::WideSum => WIDE,
            Kind::FloatSum(_) => 16,
        }
    }
}

/// Rows that feed accumulators: those of the input, or each pair of key and argument value once.
#[derive(Clone, Debug)]
pub struct Distinct {
    pub argument: Column,
    /// Key columns and the argument.
    pub layout: Layout,
    pub accumulators: Vec<Accumulator>,
}

/// The minimum, maximum or both of an argument.
#[derive(Clone, Debug)]
pub struct Extremes {
    pub argument: Column,
    /// Key columns and the argument.
    pub layout: Layout,
    pub minimum: Option<usize>,
    pub maximum: Option<usize>,
}

/// The value of one aggregate, from a state.
#[derive(Clone, Debug)]
pub struct Output {
    pub value: Value,
    pub aggregate: Aggregate,
}

#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// The i64 at this offset.
    Count(usize),
    /// A sum, divided by the count for an average. NULL when the count is 0.
    Sum {
        kind: Kind,
        sum: usize,
        count: usize,
        average: bool,
        argument: SqlType,
    },
    /// The extreme kept at this offset, of this width if that is constant.
    Extreme {
        at: usize,
        width: Option<usize>,
    },
    /// As an extreme, but an error when there is more than one row.
    Single {
        at: usize,
        width: Option<usize>,
    },
    /// Counts of true and of false values.
    Every {
        yes: usize,
        no: usize,
    },
    Some {
        yes: usize,
        no: usize,
    },
    /// Nothing but NULL can be computed.
    Null,
}

#[derive(Debug)]
pub struct Plan {
    pub state_len: usize,
    pub accumulators: Vec<Accumulator>,
    pub distinct: Vec<Distinct>,
    pub extremes: Vec<Extremes>,
    pub outputs: Vec<Output>,
}

/// Bytes of an extreme in a state: a flag and the value if its width is constant, else a reference (u32) to it.
pub fn extreme_len(ty: SqlType) -> usize {
    ty.fixed_width().map_or(4, |width| width + 1)
}

impl Plan {
    pub fn new(layout: &Layout, key: usize, aggregates: &[Aggregate]) -> Plan {
        let mut plan = Plan {
            state_len: 8,
            accumulators: Vec::new(),
            distinct: Vec::new(),
            extremes: Vec::new(),
            outputs: Vec::new(),
        };
        for aggregate in aggregates {
            let value = plan.value(layout, key, aggregate);
            plan.outputs.push(Output { value, aggregate: aggregate.clone() });
        }
        plan
    }

    fn value(&mut self, layout: &Layout, key: usize, aggregate: &Aggregate) -> Value {
        use AggregateFunction::{Avg, Count, CountStar, Every, Max, Min, Single, Sum};
        if aggregate.function == CountStar {
            return Value::Count(ROWS);
        }
        let argument = layout.columns()[aggregate.argument];
        // NULL-typed arguments have no value.
        if argument.ty == SqlType::Null && aggregate.function != Count {
            return Value::Null;
        }
        let distinct = aggregate.distinct && matches!(aggregate.function, Count | Sum | Avg);
        let source = distinct.then(|| self.distinct_of(layout, key, aggregate.argument));
        let column = Column::new(layout, aggregate.argument);
        match aggregate.function {
            CountStar => Value::Count(ROWS),
            Count => Value::Count(self.count(source, &column)),
            Sum | Avg => {
                let kind = match Number::of(argument.ty) {
                    None => return Value::Null,
                    Some(number) if number.is_float() => Kind::FloatSum(number),
                    Some(Number::I128) => Kind::WideSum,
                    Some(number) => Kind::Sum(number),
                };
                let (sum, count) = (self.accumulator(source, kind, &column), self.count(source, &column));
                Value::Sum { kind, sum, count, average: aggregate.function == Avg, argument: argument.ty }
            }
            Min | Max | Single => {
                let width = argument.ty.fixed_width();
                assert_eq!(aggregate.result.ty.fixed_width(), width, "an extreme is of its argument's type");
                let at = self.extreme(layout, key, aggregate.argument, aggregate.function != Max);
                match aggregate.function {
                    Single => Value::Single { at, width },
                    _ => Value::Extreme { at, width },
                }
            }
            Every | AggregateFunction::Some => {
                let yes = self.accumulator(None, Kind::Truth(true), &column);
                let no = self.accumulator(None, Kind::Truth(false), &column);
                if aggregate.function == Every { Value::Every { yes, no } } else { Value::Some { yes, no } }
            }
        }
    }

    /// The offset of the count of values that are not NULL.
    fn count(&mut self, source: Option<usize>, column: &Column) -> usize {
        if source.is_none() && !column.ty.nullable {
            return ROWS;
        }
        self.accumulator(source, Kind::Count, column)
    }

    /// The offset of an accumulator, shared if there is one already.
    fn accumulator(&mut self, source: Option<usize>, kind: Kind, column: &Column) -> usize {
        let (list, column) = match source {
            None => (&mut self.accumulators, column.clone()),
            Some(source) => {
                let distinct = &mut self.distinct[source];
                let column = Column::new(&distinct.layout, distinct.layout.columns().len() - 1);
                (&mut distinct.accumulators, column)
            }
        };
        let known = list.iter().find(|known| known.kind == kind && known.column.number() == column.number());
        if let Some(known) = known {
            return known.at;
        }
        let at = self.state_len;
        list.push(Accumulator { kind, column, at });
        self.state_len += kind.len();
        at
    }

    fn distinct_of(&mut self, layout: &Layout, key: usize, argument: usize) -> usize {
        let known = self.distinct.iter().position(|known| known.argument.number() == argument);
        known.unwrap_or_else(|| {
            let (argument, layout) = (Column::new(layout, argument), narrow(layout, key, argument));
            self.distinct.push(Distinct { argument, layout, accumulators: Vec::new() });
            self.distinct.len() - 1
        })
    }

    fn extreme(&mut self, layout: &Layout, key: usize, argument: usize, minimum: bool) -> usize {
        let known = self.extremes.iter().position(|known| known.argument.number() == argument);
        let known = known.unwrap_or_else(|| {
            let (argument, layout) = (Column::new(layout, argument), narrow(layout, key, argument));
            self.extremes.push(Extremes { argument, layout, minimum: None, maximum: None });
            self.extremes.len() - 1
        });
        let extremes = &mut self.extremes[known];
        let len = extreme_len(extremes.argument.ty.ty);
        let place = if minimum { &mut extremes.minimum } else { &mut extremes.maximum };
        *place.get_or_insert_with(|| {
            self.state_len += len;
            self.state_len - len
        })
    }
}

/// The layout of the key columns and one argument, which is never NULL there.
fn narrow(layout: &Layout, key: usize, argument: usize) -> Layout {
    let argument = ColumnType::new(layout.columns()[argument].ty, false);
    Layout::new(layout.columns()[..key].iter().copied().chain([argument]).collect())
}
