//! `top_k`: of each partition the rows at some places of an order, as LIMIT, OFFSET and FETCH say.
//!
//! A row of weight n takes n places. State: all rows in an ordered index, by partition, then by the order's columns, then
//! by the others, so that no tie is left open. Columns that are ordered backwards are kept with their bits flipped.
//! Cost: for each partition that the delta touches, a walk over its first offset + limit rows before and after the delta
//! goes in; none when a full window ends before the delta begins. Law: the sum of all outputs is the window of the sum of
//! all inputs.

use super::{Operator, Step};
use crate::layout::{Layout, skip_column};
use crate::trace::OrderedIndex;
use crate::{Batch, StreamId, row};
use feldc_value::ColumnType;

/// The tag of a NULL in a row.
const NULL: u8 = 0;

/// How a column is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Direction {
    pub descending: bool,
    pub nulls_first: bool,
}

/// Which rows of a partition are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// Rows to leave out.
    pub offset: u64,
    /// Rows to take then; `None` for all.
    pub limit: Option<u64>,
    /// As many columns of the order decide which rows tie. Those that tie with the last one are taken too (WITH TIES).
    pub ties: Option<usize>,
    /// Offset and limit speak of this rank rather than of places, and each row of the result ends with it (BIGINT).
    pub rank: Option<Rank>,
}

impl Window {
    /// Is there at most one row in it? Rows that tie may all be.
    pub fn at_most_one(&self) -> bool {
        let one = self.limit.is_some_and(|limit| limit <= 1);
        match self.rank {
            None => one && self.ties.is_none(),
            Some(Rank::RowNumber) => one,
            Some(Rank::Rank | Rank::DenseRank) => self.limit == Some(0),
        }
    }
}

/// SQL:2016 7.11, "rank functions" and ROW_NUMBER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rank {
    /// Each copy of a row has a number of its own.
    RowNumber,
    /// One more than the rows before those that tie with it.
    Rank,
    /// One more than the groups of tied rows before it.
    DenseRank,
}

/// Stored rows in order, each with the places it takes in a window.
type Taken = Vec<(Vec<u8>, i64)>;

pub struct TopK {
    input: StreamId,
    output: StreamId,
    form: Form,
    window: Window,
    rows: OrderedIndex,
    /// Working space: the window of a partition before the delta.
    before: Taken,
}

/// The form of the stored rows.
#[derive(Debug)]
pub struct Form {
    pub layout: Layout,
    /// Leading columns of a row that make its partition.
    pub partition: usize,
    pub order: Vec<Direction>,
}

impl Form {
    /// Are the stored rows the rows themselves?
    pub fn plain(&self) -> bool {
        self.order.iter().all(|direction| !direction.descending && direction.nulls_first)
    }

    /// Appends the stored form of a row.
    pub fn store(&self, row: &[u8], out: &mut Vec<u8>) {
        self.flip(row, out, false);
    }

    /// Appends the row of a stored form.
    fn restore(&self, stored: &[u8], out: &mut Vec<u8>) {
        self.flip(stored, out, true);
    }

    /// Flips the bits of values that are ordered backwards, and of NULL tags where NULLs come last. `stored`: `from` has
    /// them flipped.
    fn flip(&self, from: &[u8], out: &mut Vec<u8>, stored: bool) {
        let start = self.layout.prefix_len(from, self.partition);
        out.extend_from_slice(&from[..start]);
        let mut at = start;
        for (column, direction) in self.layout.columns()[self.partition..].iter().zip(&self.order) {
            at = flip_column(*column, *direction, from, at, out, stored);
        }
        out.extend_from_slice(&from[at..]);
    }

    /// Where the first `columns` columns of the order end in a stored row.
    pub fn order_end(&self, stored: &[u8], columns: usize) -> usize {
        let mut at = self.layout.prefix_len(stored, self.partition);
        for (column, direction) in self.layout.columns()[self.partition..].iter().zip(&self.order[..columns]) {
            at = flip_column(*column, *direction, stored, at, &mut Vec::new(), true);
        }
        at
    }
}

/// Appends one column with its bits flipped as its direction says; the offset behind it.
fn flip_column(
    column: ColumnType,
    direction: Direction,
    from: &[u8],
    mut at: usize,
    out: &mut Vec<u8>,
    stored: bool,
) -> usize {
    let tag_mask = if direction.nulls_first { 0 } else { 0xff };
    let mask = if direction.descending { 0xff } else { 0 };
    let fixed = column.ty.fixed_width();
    if column.nullable {
        let tag = from[at] ^ tag_mask;
        out.push(tag);
        at += 1;
        let null = NULL == if stored { tag } else { from[at - 1] };
        if null && fixed.is_none() {
            return at;
        }
    }
    let end = match (fixed, stored && direction.descending) {
        (Some(width), _) => at + width,
        (None, false) => skip_column(ColumnType::new(column.ty, false), from, at),
        // The end of a text, flipped, is a byte that stands nowhere inside it.
        (None, true) => from[at..].iter().position(|byte| *byte == 0xff).map_or(from.len(), |end| at + end + 1),
    };
    out.extend(from[at..end].iter().map(|byte| byte ^ mask));
    end
}

impl TopK {
    /// The first `partition` columns make the partition, the next ones the order, with one direction each.
    pub fn new(
        input: StreamId,
        output: StreamId,
        layout: &Layout,
        partition: usize,
        order: Vec<Direction>,
        window: Window,
    ) -> TopK {
        let form = Form { layout: layout.clone(), partition, order };
        TopK { input, output, form, window, rows: OrderedIndex::new(layout, 0), before: Vec::new() }
    }

    /// The delta in stored form, sorted.
    fn delta(&self, step: &Step) -> Batch {
        let mut delta = Batch::new(self.form.layout.stride());
        let plain = self.form.plain();
        for batch in step.streams.read(self.input) {
            if plain {
                delta.append(batch);
                continue;
            }
            for (row, weight) in batch.iter() {
                self.form.store(row, delta.buffer());
                delta.commit(weight);
            }
        }
        delta.consolidated()
    }

    /// Appends the window of the partition that begins with `prefix`: stored rows with the places they take in it.
    fn window(&mut self, prefix: &[u8], rows: &mut Taken) {
        let Window { offset, limit, ties, rank } = self.window;
        let end = limit.map_or(u64::MAX, |limit| offset.saturating_add(limit));
        if end == offset {
            return;
        }
        if let Some(rank) = rank {
            return self.ranked(prefix, rank, (offset, end), rows);
        }
        let form = &self.form;
        let mut place = 0u64;
        // What the rows behind the window must begin with to tie with its last row.
        let mut tied: Option<Vec<u8>> = None;
        self.rows.first_rows(prefix, |row, weight| {
            let start = place;
            place = place.saturating_add(weight as u64);
            if start >= end {
                let ties = tied.as_ref().is_some_and(|last| row.starts_with(last));
                if ties {
                    rows.push((row.to_vec(), weight));
                }
                return ties;
            }
            // All copies of a row tie with each other.
            let upto = if ties.is_some() { place } else { place.min(end) };
            let taken = upto.saturating_sub(start.max(offset));
            if taken > 0 {
                rows.push((row.to_vec(), taken as i64));
            }
            if place >= end {
                tied = ties.map(|columns| row[..form.order_end(row, columns)].to_vec());
            }
            place < end || tied.is_some()
        });
    }

    /// Likewise the rows whose rank is more than the first and at most the second bound, the rank behind each.
    fn ranked(&mut self, prefix: &[u8], rank: Rank, (above, upto): (u64, u64), rows: &mut Taken) {
        let form = &self.form;
        let compared = self.window.ties.unwrap_or(form.order.len());
        let (mut place, mut before_peers, mut groups) = (0u64, 0u64, 0u64);
        let mut peers: Option<Vec<u8>> = None;
        let mut take = |row: &[u8], number: u64, weight: i64| {
            let mut ranked = row.to_vec();
            row::put_i64(&mut ranked, number as i64);
            rows.push((ranked, weight));
        };
        self.rows.first_rows(prefix, |row, weight| {
            if !peers.as_ref().is_some_and(|peers| row.starts_with(peers)) {
                peers = Some(row[..form.order_end(row, compared)].to_vec());
                (before_peers, groups) = (place, groups + 1);
            }
            let start = place;
            place = place.saturating_add(weight as u64);
            let number = match rank {
                Rank::RowNumber => {
                    (start.max(above)..place.min(upto)).for_each(|before| take(row, before + 1, 1));
                    return place < upto;
                }
                Rank::Rank => before_peers + 1,
                Rank::DenseRank => groups,
            };
            if number > above && number <= upto {
                take(row, number, weight);
            }
            number <= upto
        });
    }

    /// Does a full window end before this row? Then what comes from there on changes nothing.
    fn ends_before(&self, row: &[u8]) -> bool {
        let Window { limit: Some(limit), ties: None, rank: None, .. } = self.window else { return false };
        let taken: i64 = self.before.iter().map(|(_, weight)| *weight).sum();
        taken as u64 == limit && self.before.last().is_none_or(|(last, _)| last[..] < *row)
    }

    /// Appends −`before` +`after`, both sorted, to `out`.
    fn difference(&self, after: &[(Vec<u8>, i64)], out: &mut Batch) {
        let (mut old, mut new) = (self.before.iter().peekable(), after.iter().peekable());
        loop {
            let change = match (old.peek(), new.peek()) {
                (None, None) => return,
                (Some((o, w)), Some((n, v))) if o == n => {
                    let change = (o, v - w);
                    old.next();
                    new.next();
                    change
                }
                (Some((o, w)), other) if other.is_none_or(|(n, _)| o < n) => {
                    old.next();
                    (o, -w)
                }
                (_, Some((n, v))) => {
                    new.next();
                    (n, *v)
                }
                (Some(_), None) => unreachable!("the case before takes an old row without a new one"),
            };
            if change.1 != 0 {
                self.form.restore(change.0, out.buffer());
                out.commit(change.1);
            }
        }
    }
}

impl Operator for TopK {
    fn eval(&mut self, step: &mut Step) {
        let delta = self.delta(step);
        let mut out = step.streams.take(self.output);
        // The windows before the delta, of partitions one behind the other, then those after it.
        let mut partitions: Vec<(Vec<u8>, Taken)> = Vec::new();
        let mut at = 0;
        while at < delta.len() {
            let first = delta.row(at);
            let prefix = first[..self.form.layout.prefix_len(first, self.form.partition)].to_vec();
            let mut before = std::mem::take(&mut self.before);
            before.clear();
            self.window(&prefix, &mut before);
            self.before = before;
            if !self.ends_before(first) {
                partitions.push((prefix.clone(), std::mem::take(&mut self.before)));
            }
            at += (at..delta.len()).take_while(|&at| delta.row(at).starts_with(&prefix)).count();
        }
        self.rows.insert_run(&delta);
        for (prefix, before) in partitions {
            let mut after = Taken::new();
            self.window(&prefix, &mut after);
            self.before = before;
            self.difference(&after, &mut out);
        }
        step.streams.put(self.output, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::{Runtime, StepInput};
    use feldc_value::{SqlType, Value};
    use std::cmp::Ordering;
    use std::collections::BTreeMap;

    type Rows = BTreeMap<Vec<u8>, i64>;

    fn compare(left: &Value, right: &Value, direction: Direction) -> Ordering {
        let nulls = |null_left: bool| match null_left == direction.nulls_first {
            true => Ordering::Less,
            false => Ordering::Greater,
        };
        let order = match (left, right) {
            (Value::Null, Value::Null) => Ordering::Equal,
            (Value::Null, _) => return nulls(true),
            (_, Value::Null) => return nulls(false),
            (Value::BigInt(left), Value::BigInt(right)) => left.cmp(right),
            (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
            _ => panic!("{left:?} against {right:?}"),
        };
        if direction.descending { order.reverse() } else { order }
    }

    /// The windows of all partitions, by sorting rows of values, each copy by itself.
    fn expected(rows: &Rows, layout: &Layout, partition: usize, order: &[Direction], window: Window) -> Rows {
        let mut partitions: BTreeMap<Vec<u8>, Vec<Vec<Value>>> = BTreeMap::new();
        for (row, weight) in rows.iter().filter(|(_, weight)| **weight > 0) {
            let copies = partitions.entry(row[..layout.prefix_len(row, partition)].to_vec()).or_default();
            (0..*weight).for_each(|_| copies.push(layout.decode(row)));
        }
        let by = |columns: usize| {
            move |left: &Vec<Value>, right: &Vec<Value>| {
                let places = (0..columns).map(|n| compare(&left[partition + n], &right[partition + n], order[n]));
                places.fold(Ordering::Equal, Ordering::then)
            }
        };
        let mut result = Rows::new();
        for (_, mut copies) in partitions {
            copies.sort_by(by(order.len()));
            if let Some(rank) = window.rank {
                let columns = window.ties.unwrap_or(order.len());
                let tied = |a: &Vec<Value>, b: &Vec<Value>| by(columns)(a, b) == Ordering::Equal;
                let (mut first, mut groups) = (0, 0);
                for at in 0..copies.len() {
                    if at == 0 || !tied(&copies[at - 1], &copies[at]) {
                        (first, groups) = (at, groups + 1);
                    }
                    let number = match rank {
                        Rank::RowNumber => at + 1,
                        Rank::Rank => first + 1,
                        Rank::DenseRank => groups,
                    } as u64;
                    if number > window.offset && window.limit.is_none_or(|limit| number <= window.offset + limit) {
                        let mut row = Vec::new();
                        layout.encode(&copies[at], &mut row);
                        row::put_i64(&mut row, number as i64);
                        *result.entry(row).or_default() += 1;
                    }
                }
                continue;
            }
            let start = copies.len().min(window.offset as usize);
            let mut end = window.limit.map_or(copies.len(), |limit| copies.len().min(start + limit as usize));
            if let (Some(columns), true) = (window.ties, end > start) {
                while end < copies.len() && by(columns)(&copies[end - 1], &copies[end]) == Ordering::Equal {
                    end += 1;
                }
            }
            for copy in &copies[start..end] {
                let mut row = Vec::new();
                layout.encode(copy, &mut row);
                *result.entry(row).or_default() += 1;
            }
        }
        result
    }

    #[test]
    fn windows_of_random_streams() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let column = |ty| ColumnType::new(ty, true);
            let layout = Layout::new(vec![column(SqlType::VARCHAR), column(SqlType::BigInt), column(SqlType::VARCHAR)]);
            let partition = random.below(2);
            let mut direction = || Direction { descending: random.below(2) == 0, nulls_first: random.below(2) == 0 };
            let order: Vec<Direction> = (partition..3).map(|_| direction()).collect();
            let window = Window {
                offset: [0, 0, 2][random.below(3)],
                limit: [Some(0), Some(1), Some(3), Some(8), None][random.below(5)],
                ties: [None, Some(1)][random.below(2)],
                rank: [None, Some(Rank::RowNumber), Some(Rank::Rank), Some(Rank::DenseRank)][random.below(4)],
            };
            let workers = 1 + random.below(3);
            let (built, directions) = (layout.clone(), order.clone());
            let mut runtime = Runtime::new(workers, move |builder| {
                let table = builder.table("t", built.clone(), false);
                let input = builder.exchange(table, partition);
                let top = builder.top_k(input, partition, directions.clone(), window);
                builder.output("v", top, false);
            })
            .rows_for_threads(5);
            let (mut contents, mut view) = (Rows::new(), Rows::new());
            for _ in 0..15 {
                let mut rows = Batch::new(layout.stride());
                for _ in 0..random.below(12) {
                    let text =
                        |n: usize| [Value::Null, Value::text(""), Value::text("a"), Value::text("a\u{0}b")][n].clone();
                    let number = [Value::Null, Value::BigInt(-1), Value::BigInt(7)][random.below(3)].clone();
                    let values = [text(random.below(4)), number, text(random.below(4))];
                    let weight = [1, 1, 2, -1][random.below(4)];
                    layout.encode(&values, rows.buffer());
                    rows.commit(weight);
                    let mut row = Vec::new();
                    layout.encode(&values, &mut row);
                    *contents.entry(row).or_default() += weight;
                }
                let output = runtime.step(vec![StepInput { table: 0, rows }]);
                for (row, weight) in output.views[0].iter() {
                    *view.entry(row.to_vec()).or_default() += weight;
                }
                view.retain(|_, weight| *weight != 0);
                assert_eq!(view, expected(&contents, &layout, partition, &order, window), "seed {seed}: {window:?}");
            }
        }
    }
}
