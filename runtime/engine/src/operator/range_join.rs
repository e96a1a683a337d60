//! `range_join`: pairs rows of two inputs that have the same key and whose sort values lie within each other's bounds.
//!
//! A row of either side is its key, its sort value, the bounds that it sets for the other side's sort value, as far as
//! the side has them, and further columns. A bound that is NULL bounds nothing, and a sort value that is NULL is within
//! all bounds. So the bounds only narrow down which pairs are looked at: the kernel decides. State: the rows of both sides by key and sort value. Cost: a seek for each row of
//! a delta, a call of the kernel for each pair within bounds. Law: Δ(a ⋈ b) = Δa ⋈ I_old(b) + I_new(a) ⋈ Δb.

use super::{Operator, Step, join};
use crate::layout::{Layout, skip_column};
use crate::trace::OrderedIndex;
use crate::{Batch, Errors, JoinKernel, Side, StreamId};
use feldc_value::ColumnType;

/// The tags of columns that may be NULL.
const NULL: u8 = 0;
const NOT_NULL: u8 = 1;

/// One end of a range; without it the range is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    Inclusive,
    Exclusive,
}

/// Which bounds the rows of one side set for the other side's sort value. Each is a column of their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    pub lower: Option<Bound>,
    pub upper: Option<Bound>,
}

impl Bounds {
    /// How many columns of the rows they are.
    pub fn columns(self) -> usize {
        usize::from(self.lower.is_some()) + usize::from(self.upper.is_some())
    }
}

pub struct RangeJoin {
    left: Input,
    right: Input,
    output: StreamId,
    kernel: JoinKernel,
}

/// One side with its state.
struct Input {
    stream: StreamId,
    layout: Layout,
    key: usize,
    bounds: Bounds,
    /// May the other side's sort value be NULL?
    other_nullable: bool,
    rows: OrderedIndex,
}

impl Input {
    fn new((stream, layout, bounds): (StreamId, &Layout, Bounds), key: usize, other: &Layout) -> Input {
        let other_nullable = other.columns()[key].nullable;
        let rows = OrderedIndex::new(layout, key + 1);
        Input { stream, layout: layout.clone(), key, bounds, other_nullable, rows }
    }

    fn delta(&self, step: &Step) -> Batch {
        let mut delta = Batch::new(self.layout.stride());
        step.streams.read(self.stream).for_each(|batch| delta.append(batch));
        delta.consolidated()
    }

    /// Where the rows of the other side are whose sort value is NULL.
    fn nulls(&self, row: &[u8], range: &mut Range) {
        let key = self.layout.prefix_len(row, self.key);
        for (end, tag) in [(&mut range.from, NULL), (&mut range.until, NOT_NULL)] {
            end.clear();
            end.extend_from_slice(&row[..key]);
            end.push(tag);
        }
    }

    /// Where the rows of the other side begin and end that are within the row's bounds.
    fn range(&self, row: &[u8], range: &mut Range) {
        let key = self.layout.prefix_len(row, self.key);
        let mut at = self.layout.prefix_len(row, self.key + 1);
        for end in [&mut range.from, &mut range.until] {
            end.clear();
            end.extend_from_slice(&row[..key]);
        }
        let mut ends = self.layout.columns()[self.key + 1..].iter();
        let mut add = |bound: Option<Bound>, end: &mut Vec<u8>| {
            let (Some(bound), Some(column)) = (bound, bound.and_then(|_| ends.next())) else { return None };
            let start = at;
            at = skip_column(*column, row, at);
            if column.nullable && row[start] == NULL {
                return None;
            }
            end.extend_from_slice(&row[start + usize::from(column.nullable)..at]);
            Some(bound)
        };
        if self.other_nullable {
            [&mut range.from, &mut range.until].into_iter().for_each(|end| end.push(NOT_NULL));
        }
        let lower = add(self.bounds.lower, &mut range.from);
        range.nothing = lower == Some(Bound::Exclusive) && !successor(&mut range.from);
        match add(self.bounds.upper, &mut range.until) {
            Some(Bound::Exclusive) => range.open = false,
            // Behind all rows that begin with these bytes.
            Some(Bound::Inclusive) | None => range.open = !successor(&mut range.until),
        }
    }
}

/// Stored rows from `from` on and before `until`.
#[derive(Default)]
struct Range {
    from: Vec<u8>,
    until: Vec<u8>,
    /// No row is before the end.
    nothing: bool,
    /// There is no end.
    open: bool,
}

/// The least bytes that are greater than all that begin with these; false if there are none.
fn successor(bytes: &mut Vec<u8>) -> bool {
    while let Some(last) = bytes.pop() {
        if last < u8::MAX {
            bytes.push(last + 1);
            return true;
        }
    }
    false
}

impl RangeJoin {
    /// Both inputs are (stream, layout, bounds of its rows for the other side); the first `key` columns of both are alike
    /// and the column behind them is the sort value.
    pub fn new(
        left: (StreamId, &Layout, Bounds),
        right: (StreamId, &Layout, Bounds),
        key: usize,
        output: StreamId,
        kernel: JoinKernel,
    ) -> RangeJoin {
        let (of_left, of_right) = (Input::new(left, key, right.1), Input::new(right, key, left.1));
        RangeJoin { left: of_left, right: of_right, output, kernel }
    }
}

/// Pairs the rows of `delta`, which come from `side`, with those of the other side.
fn probe(
    (delta, input, side): (&Batch, &Input, Side),
    other: &mut OrderedIndex,
    kernel: &mut JoinKernel,
    out: &mut Batch,
    errors: &mut Errors,
) {
    let mut range = Range::default();
    for (row, weight) in delta.iter() {
        let mut pair = |stored: &[u8], stored_weight: i64| {
            let (left, right) = match side {
                Side::Left => (row, stored),
                Side::Right => (stored, row),
            };
            join::pair((left, right), (weight, stored_weight), kernel, out, errors);
        };
        if input.other_nullable {
            input.nulls(row, &mut range);
            other.range(&range.from, Some(&range.until), &mut pair);
        }
        input.range(row, &mut range);
        if !range.nothing {
            let until = if range.open { None } else { Some(&range.until[..]) };
            other.range(&range.from, until, &mut pair);
        }
    }
}

impl Operator for RangeJoin {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        let (left, right) = (self.left.delta(step), self.right.delta(step));
        let (errors, kernel) = (&mut step.errors, &mut self.kernel);
        probe((&left, &self.left, Side::Left), &mut self.right.rows, kernel, &mut out, errors);
        self.left.rows.insert_run(&left);
        probe((&right, &self.right, Side::Right), &mut self.left.rows, kernel, &mut out, errors);
        self.right.rows.insert_run(&right);
        step.streams.put(self.output, out);
    }
}

/// The columns that a side's rows begin with: the key, the sort value, the bounds.
///
/// # Errors
/// What is wrong with them.
pub fn check_sides(
    key: usize,
    (left, left_bounds): (&[ColumnType], Bounds),
    (right, right_bounds): (&[ColumnType], Bounds),
) -> Result<(), String> {
    let fits = |columns: &[ColumnType], bounds: Bounds| key + 1 + bounds.columns() <= columns.len();
    if !fits(left, left_bounds) || !fits(right, right_bounds) {
        return Err("fewer columns than key, sort value and bounds".to_string());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::{Runtime, StepInput};
    use feldc_value::{SqlType, Value};
    use std::cmp::Ordering;
    use std::collections::BTreeMap;

    type Rows = Vec<(Vec<Value>, i64)>;

    const TYPES: [SqlType; 2] = [SqlType::TinyInt, SqlType::VARCHAR];

    fn value(ty: SqlType, random: &mut Random) -> Value {
        match ty {
            SqlType::TinyInt => Value::TinyInt([-128, -1, 0, 1, 2, 127][random.below(6)]),
            _ => Value::text(["", "a", "a\u{0}", "a\u{1}b", "b", "\u{10ffff}"][random.below(6)]),
        }
    }

    fn bound(random: &mut Random) -> Option<Bound> {
        [None, Some(Bound::Inclusive), Some(Bound::Exclusive)][random.below(3)]
    }

    /// Key, sort value, bounds, a number.
    fn columns(key: usize, (ty, nullable): (SqlType, bool), bounds: Bounds) -> Vec<ColumnType> {
        let mut columns = vec![ColumnType::new(ty, true); key];
        columns.push(ColumnType::new(ty, nullable));
        columns.extend(vec![ColumnType::new(ty, true); bounds.columns()]);
        columns.push(ColumnType::new(SqlType::BigInt, false));
        columns
    }

    fn order(left: &Value, right: &Value) -> Ordering {
        match (left, right) {
            (Value::TinyInt(left), Value::TinyInt(right)) => left.cmp(right),
            (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
            _ => panic!("{left:?} against {right:?}"),
        }
    }

    fn within(row: &[Value], other: &[Value], key: usize, bounds: Bounds) -> bool {
        let sort = &other[key];
        let mut ends = row[key + 1..].iter();
        let lower = bounds.lower.is_none_or(|bound| match (ends.next().expect("a bound"), bound) {
            _ if *sort == Value::Null => true,
            (Value::Null, _) => true,
            (end, Bound::Inclusive) => order(end, sort).is_le(),
            (end, Bound::Exclusive) => order(end, sort).is_lt(),
        });
        let upper = bounds.upper.is_none_or(|bound| match (ends.next().expect("a bound"), bound) {
            _ if *sort == Value::Null => true,
            (Value::Null, _) => true,
            (end, Bound::Inclusive) => order(sort, end).is_le(),
            (end, Bound::Exclusive) => order(sort, end).is_lt(),
        });
        lower && upper
    }

    /// Pairs whose keys are equal and of which the first row bounds the second and the second the first.
    fn expected(left: &Rows, right: &Rows, key: usize, bounds: [Bounds; 2]) -> BTreeMap<(i64, i64), i64> {
        let mut pairs = BTreeMap::new();
        let number = |row: &[Value]| match row.last() {
            Some(Value::BigInt(number)) => *number,
            other => panic!("{other:?} is no number"),
        };
        for (l, weight) in left {
            for (r, other) in right.iter().filter(|(r, _)| r[..key] == l[..key]) {
                if within(l, r, key, bounds[0]) && within(r, l, key, bounds[1]) {
                    *pairs.entry((number(l), number(r))).or_default() += weight * other;
                }
            }
        }
        pairs.retain(|_, weight| *weight != 0);
        pairs
    }

    /// What the kernel of a compiler would: both sides' bounds decide.
    fn kernel(layouts: [Layout; 2], key: usize, bounds: [Bounds; 2]) -> JoinKernel {
        Box::new(move |left, right, out| {
            let (l, r) = (layouts[0].decode(left), layouts[1].decode(right));
            if !within(&l, &r, key, bounds[0]) || !within(&r, &l, key, bounds[1]) {
                return Ok(false);
            }
            for row in [l, r] {
                let number = row.last().cloned().into_iter().collect::<Vec<_>>();
                Layout::new(vec![ColumnType::new(SqlType::BigInt, false)]).encode(&number, out);
            }
            Ok(true)
        })
    }

    #[test]
    fn agrees_with_all_pairs() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let (key, ty) = (random.below(3), TYPES[random.below(2)]);
            let bounds = [(); 2].map(|()| Bounds { lower: bound(&mut random), upper: bound(&mut random) });
            let layouts = bounds.map(|bounds| Layout::new(columns(key, (ty, random.below(2) == 0), bounds)));
            let numbers = Layout::new(vec![ColumnType::new(SqlType::BigInt, false); 2]);
            let (built, result) = (layouts.clone(), numbers.clone());
            let mut runtime = Runtime::new(1 + random.below(3), move |builder| {
                let table = |builder: &mut crate::Builder, name, layout: &Layout| {
                    let table = builder.table(name, layout.clone(), false);
                    builder.exchange(table, key)
                };
                let (left, right) = (table(builder, "l", &built[0]), table(builder, "r", &built[1]));
                let kernel = kernel(built.clone(), key, bounds);
                let sides = ((left, bounds[0]), (right, bounds[1]));
                let pairs = builder.range_join(sides.0, sides.1, key, result.clone(), "v", kernel);
                builder.output("v", pairs, false);
            })
            .rows_for_threads(5);
            let (mut contents, mut view) = ([Rows::new(), Rows::new()], BTreeMap::new());
            for _ in 0..10 {
                let mut inputs = vec![];
                for (table, layout) in layouts.iter().enumerate() {
                    let mut rows = Batch::new(layout.stride());
                    for _ in 0..random.below(8) {
                        let mut row: Vec<Value> = layout.columns().iter().map(|_| value(ty, &mut random)).collect();
                        for (place, column) in layout.columns().iter().enumerate() {
                            if column.nullable && random.below(5) == 0 {
                                row[place] = Value::Null;
                            }
                        }
                        *row.last_mut().expect("a row has columns") = Value::BigInt(random.below(9) as i64);
                        let weight = [1, 1, 2, -1][random.below(4)];
                        layout.encode(&row, rows.buffer());
                        rows.commit(weight);
                        contents[table].push((row, weight));
                    }
                    inputs.push(StepInput { table, rows });
                }
                for (row, weight) in runtime.step(inputs).views[0].iter() {
                    match &numbers.decode(row)[..] {
                        [Value::BigInt(l), Value::BigInt(r)] => *view.entry((*l, *r)).or_default() += weight,
                        other => panic!("{other:?}"),
                    }
                }
                view.retain(|_, weight| *weight != 0);
                assert_eq!(view, expected(&contents[0], &contents[1], key, bounds), "seed {seed}: {bounds:?}");
            }
        }
    }

    #[test]
    fn successors() {
        let of = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            successor(&mut bytes).then_some(bytes)
        };
        assert_eq!(of(&[1, 2]), Some(vec![1, 3]));
        assert_eq!(of(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(of(&[255]), None);
        assert_eq!(of(&[]), None);
    }
}
