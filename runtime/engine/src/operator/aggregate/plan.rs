//! What an aggregate node keeps for each group, derived from its list of aggregates.
//!
//! The state of a group is its row count and then accumulators at fixed offsets. Aggregates share accumulators:
//! COUNT(x), SUM(x) and AVG(x) need one sum and one count together.

use super::column::{Column, Number, Part};
use super::wide::WIDE;
use super::{collect, percentile, statistics};
use crate::{Aggregate, AggregateFunction, Direction, Layout};
use feldc_value::{ColumnType, SqlType, Statistic};

/// Offset of the row count (i64) in a state.
pub const ROWS: usize = 0;

/// A linear accumulator: it adds up a function of each row times the row's weight.
#[derive(Clone, Debug)]
pub struct Accumulator {
    pub kind: Kind,
    pub column: Column,
    /// x, where `column` is y.
    pub second: Option<Column>,
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
    /// The value if it was added an odd number of times, in a u64, xor others.
    Xor(Number),
    /// i64 for each bit: rows in which it is set.
    Ones(Number),
    /// The number (u32) of moments kept elsewhere, 0 for none.
    Moments(Number),
}

impl Kind {
    fn len(self) -> usize {
        match self {
            Kind::Count | Kind::Truth(_) => 8,
            Kind::Sum(_) => 16,
            Kind::WideSum => WIDE,
            Kind::FloatSum(_) => 16,
            Kind::Xor(_) => 8,
            Kind::Ones(number) => 8 * number.bits(),
            Kind::Moments(_) => 4,
        }
    }
}

/// Rows that feed accumulators besides those of the input: each combination of key and arguments once.
#[derive(Clone, Debug)]
pub struct Distinct {
    pub part: Part,
    pub accumulators: Vec<Accumulator>,
}

/// The minimum, maximum or both of an argument, or of several, compared one after the other.
#[derive(Clone, Debug)]
pub struct Extremes {
    pub part: Part,
    /// The places in a state.
    pub minimum: Option<usize>,
    pub maximum: Option<usize>,
}

/// A statistic's value in a state, brought up to date when all rows of a step are in.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The place of the moments' number.
    pub moments: usize,
    pub at: usize,
    pub statistic: Statistic,
    pub argument: SqlType,
    pub result: SqlType,
}

/// Texts or elements in an order, joined.
#[derive(Clone, Debug)]
pub struct Collected {
    /// The order's columns, the text and its separator, or an element as a ROW.
    pub part: Part,
    pub order: Vec<Direction>,
    /// Equal rows count once.
    pub distinct: bool,
    /// The place of the result in a state.
    pub at: usize,
}

/// Percentiles of one argument.
#[derive(Clone, Debug)]
pub struct Percentiles {
    pub part: Part,
    /// The place of the number of values (i64).
    pub count: usize,
    pub points: Vec<Point>,
}

/// One place of the order.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// See [`percentile`].
    pub at: usize,
    pub fraction: f64,
    /// Is the result interpolated?
    pub continuous: bool,
    pub descending: bool,
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
    /// The last column of an extreme, behind one or two others.
    Behind {
        at: usize,
        width: Option<usize>,
        before: [Option<ColumnType>; 2],
        value: ColumnType,
    },
    /// What a [`Derived`] left at this offset.
    Derived(usize),
    /// The text that a [`Collected`] left at this offset.
    Collected(usize),
    /// The value that a [`Point`] left at this offset.
    Interpolated(usize),
    /// The bits at this offset.
    Xor {
        number: Number,
        at: usize,
        count: usize,
    },
    /// The bits that are set in all rows or (`all` false) in some, from counts at this offset.
    Bits {
        at: usize,
        count: usize,
        number: Number,
        all: bool,
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
    /// Values of which those that come most often are extremes: part, and the place of the extreme.
    pub modes: Vec<(Part, usize)>,
    pub derived: Vec<Derived>,
    pub collected: Vec<Collected>,
    pub percentiles: Vec<Percentiles>,
    pub outputs: Vec<Output>,
}

/// Bytes of an extreme in a state: a flag and the value if its width is constant, else a reference (u32) to it.
fn extreme_len(width: Option<usize>) -> usize {
    width.map_or(4, |width| width + 1)
}

impl Plan {
    pub fn new(layout: &Layout, key: usize, aggregates: &[Aggregate]) -> Plan {
        let mut plan = Plan {
            state_len: 8,
            accumulators: Vec::new(),
            distinct: Vec::new(),
            extremes: Vec::new(),
            modes: Vec::new(),
            derived: Vec::new(),
            collected: Vec::new(),
            percentiles: Vec::new(),
            outputs: Vec::new(),
        };
        for aggregate in aggregates {
            let value = plan.value(layout, key, aggregate);
            plan.outputs.push(Output { value, aggregate: aggregate.clone() });
        }
        plan
    }

    fn value(&mut self, layout: &Layout, key: usize, aggregate: &Aggregate) -> Value {
        use AggregateFunction::{Avg, BitAnd, BitOr, BitXor, Count, CountStar, Every, Max, Min, Single, Sum};
        let [first, ..] = aggregate.arguments[..] else { return Value::Count(ROWS) };
        let argument = layout.columns()[first];
        // NULL-typed arguments have no value.
        if argument.ty == SqlType::Null && !matches!(aggregate.function, Count | CountStar) {
            return Value::Null;
        }
        let collects = matches!(aggregate.function, AggregateFunction::StringAgg | AggregateFunction::ArrayAgg);
        let counted = aggregate.distinct && !collects;
        let source = counted.then(|| self.distinct_of(layout, key, &aggregate.arguments));
        let column = Column::new(layout, first);
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
                let at = self.extreme(Part::new(layout, key, &[first], 0..1), aggregate.function != Max);
                match aggregate.function {
                    Single => Value::Single { at, width },
                    _ => Value::Extreme { at, width },
                }
            }
            AggregateFunction::ArgMin | AggregateFunction::ArgMax => {
                let columns: Vec<usize> = aggregate.arguments[1..].iter().copied().chain([first]).collect();
                let part = Part::new(layout, key, &columns, 0..1);
                let kept = &part.layout.columns()[key..];
                let (width, before) = (part.width(), [Some(kept[0]), (kept.len() > 2).then(|| kept[1])]);
                let at = self.extreme(part, aggregate.function == AggregateFunction::ArgMin);
                Value::Behind { at, width, before, value: argument }
            }
            AggregateFunction::Mode => {
                let part = Part::new(layout, key, &[first], 0..1);
                let width = part.width().map(|width| width + 8);
                let at = self.reserve(extreme_len(width));
                self.modes.push((part, at));
                let [count, value] = [SqlType::BigInt, argument.ty].map(|ty| ColumnType::new(ty, false));
                Value::Behind { at, width, before: [Some(count), None], value }
            }
            AggregateFunction::StringAgg | AggregateFunction::ArrayAgg => {
                let (values, order) = aggregate.arguments.split_at(aggregate.arguments.len() - aggregate.order.len());
                let columns = [order, values].concat();
                let part = Part::new(layout, key, &columns, order.len()..order.len() + 1);
                let at = self.reserve(collect::LEN);
                let (order, distinct) = (aggregate.order.clone(), aggregate.distinct);
                self.collected.push(Collected { part, order, distinct, at });
                Value::Collected(at)
            }
            AggregateFunction::PercentileCont(fraction) | AggregateFunction::PercentileDisc(fraction) => {
                let continuous = matches!(aggregate.function, AggregateFunction::PercentileCont(_));
                let descending = aggregate.order.first().is_some_and(|direction| direction.descending);
                let part = Part::new(layout, key, &[first], 0..1);
                let width = part.width();
                let percentiles = self.percentiles_of(part);
                let len = percentile::FIXED + extreme_len(width);
                let at = self.reserve(len);
                let point = Point { at, fraction: fraction.value(), continuous, descending };
                self.percentiles[percentiles].points.push(point);
                match continuous {
                    true => Value::Interpolated(at),
                    false => Value::Extreme { at: at + percentile::FIXED, width },
                }
            }
            Every | AggregateFunction::Some => {
                let yes = self.accumulator(None, Kind::Truth(true), &column);
                let no = self.accumulator(None, Kind::Truth(false), &column);
                if aggregate.function == Every { Value::Every { yes, no } } else { Value::Some { yes, no } }
            }
            BitAnd | BitOr | BitXor => {
                let Some(number) = Number::of(argument.ty) else { return Value::Null };
                let count = self.count(source, &column);
                match aggregate.function {
                    BitXor => Value::Xor { at: self.accumulator(source, Kind::Xor(number), &column), count, number },
                    function => {
                        let at = self.accumulator(source, Kind::Ones(number), &column);
                        Value::Bits { at, count, number, all: function == BitAnd }
                    }
                }
            }
            AggregateFunction::Statistic(statistic) => {
                let Some(number) = Number::of(argument.ty) else { return Value::Null };
                let second = aggregate.arguments.get(1).map(|&second| Column::new(layout, second));
                let moments = self.accumulator_of(source, Kind::Moments(number), &column, second);
                let at = self.reserve(statistics::LEN);
                let result = aggregate.result.ty;
                self.derived.push(Derived { moments, at, statistic, argument: argument.ty, result });
                Value::Derived(at)
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

    fn accumulator(&mut self, source: Option<usize>, kind: Kind, column: &Column) -> usize {
        self.accumulator_of(source, kind, column, None)
    }

    /// The offset of an accumulator, shared if there is one already.
    fn accumulator_of(&mut self, source: Option<usize>, kind: Kind, column: &Column, second: Option<Column>) -> usize {
        let (list, column, second) = match source {
            None => (&mut self.accumulators, column.clone(), second),
            Some(source) => {
                let Distinct { part, accumulators } = &mut self.distinct[source];
                let start = part.layout.columns().len() - part.columns.len();
                let second = second.map(|_| Column::new(&part.layout, start + 1));
                (accumulators, Column::new(&part.layout, start), second)
            }
        };
        let place = |column: &Option<Column>| column.as_ref().map(Column::number);
        let known = list.iter().find(|known| {
            known.kind == kind && known.column.number() == column.number() && place(&known.second) == place(&second)
        });
        if let Some(known) = known {
            return known.at;
        }
        let at = self.state_len;
        list.push(Accumulator { kind, column, second, at });
        self.reserve(kind.len())
    }

    /// The offset of new bytes in the state.
    fn reserve(&mut self, len: usize) -> usize {
        self.state_len += len;
        self.state_len - len
    }

    fn distinct_of(&mut self, layout: &Layout, key: usize, arguments: &[usize]) -> usize {
        let part = Part::new(layout, key, arguments, 0..arguments.len());
        let known = self.distinct.iter().position(|known| known.part.same(&part));
        known.unwrap_or_else(|| {
            self.distinct.push(Distinct { part, accumulators: Vec::new() });
            self.distinct.len() - 1
        })
    }

    fn percentiles_of(&mut self, part: Part) -> usize {
        let known = self.percentiles.iter().position(|known| known.part.same(&part));
        known.unwrap_or_else(|| {
            let count = self.reserve(8);
            self.percentiles.push(Percentiles { part, count, points: Vec::new() });
            self.percentiles.len() - 1
        })
    }

    fn extreme(&mut self, part: Part, minimum: bool) -> usize {
        let len = extreme_len(part.width());
        let known = self.extremes.iter().position(|known| known.part.same(&part));
        let known = known.unwrap_or_else(|| {
            self.extremes.push(Extremes { part, minimum: None, maximum: None });
            self.extremes.len() - 1
        });
        let extremes = &mut self.extremes[known];
        let place = if minimum { &mut extremes.minimum } else { &mut extremes.maximum };
        *place.get_or_insert_with(|| {
            self.state_len += len;
            self.state_len - len
        })
    }
}
