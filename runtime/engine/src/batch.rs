//! A batch: rows with weights, in arrival order unless said otherwise.

use crate::Errors;
use feldc_value::EvalError;
use std::cmp::Ordering;
use std::ops::Range;

/// Rows laid end to end in one buffer. Weights are kept only when some differ from +1.
///
/// Two batches are equal when they hold the same rows with the same weights in the same order.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    data: Vec<u8>,
    /// End offset of each row; not kept when `stride` is known.
    ends: Vec<usize>,
    stride: Option<usize>,
    len: usize,
    /// Empty while every weight is +1.
    weights: Vec<i64>,
}

impl Batch {
    /// `stride`: bytes of every row, when that is constant ([`crate::Layout::stride`]).
    pub fn new(stride: Option<usize>) -> Batch {
        Batch { stride, ..Batch::default() }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn stride(&self) -> Option<usize> {
        self.stride
    }

    /// Bytes of all rows together.
    pub fn byte_len(&self) -> usize {
        self.data.len()
    }

    /// Bytes the batch holds on to, used or not.
    pub fn capacity(&self) -> usize {
        self.data.capacity() + (self.ends.capacity() + self.weights.capacity()) * size_of::<u64>()
    }

    /// Is every weight +1?
    pub fn is_plain(&self) -> bool {
        self.weights.is_empty()
    }

    /// The buffer behind the rows: a kernel appends one row's bytes, then calls [`Batch::commit`] or
    /// [`Batch::rollback`].
    #[inline(always)]
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.data
    }

    /// Makes the bytes appended since the last commit a row of this weight (not 0).
    #[inline(always)]
    pub fn commit(&mut self, weight: i64) {
        debug_assert_ne!(weight, 0, "a row of weight 0 is no row");
        match self.stride {
            Some(stride) => debug_assert_eq!(self.data.len(), (self.len + 1) * stride, "row of wrong width"),
            None => self.ends.push(self.data.len()),
        }
        self.note_weight(weight);
        self.len += 1;
    }

    /// The weight of the row that is being added.
    #[inline(always)]
    fn note_weight(&mut self, weight: i64) {
        if weight != 1 || !self.weights.is_empty() {
            self.keep_weight(weight);
        }
    }

    #[inline(never)]
    fn keep_weight(&mut self, weight: i64) {
        if self.weights.is_empty() {
            self.weights.resize(self.len, 1);
        }
        self.weights.push(weight);
    }

    /// Forgets the bytes appended since the last commit.
    #[inline(always)]
    pub fn rollback(&mut self) {
        self.data.truncate(self.committed());
    }

    #[inline(always)]
    fn committed(&self) -> usize {
        match self.stride {
            Some(stride) => self.len * stride,
            None => self.ends.last().copied().unwrap_or(0),
        }
    }

    #[inline(always)]
    pub fn push(&mut self, row: &[u8], weight: i64) {
        self.data.extend_from_slice(row);
        self.commit(weight);
    }

    /// Appends the rows of `other`, which has the same layout.
    pub fn append(&mut self, other: &Batch) {
        self.append_range(other, 0..other.len);
    }

    /// Appends the rows of `other`, which has the same layout, at these positions.
    pub fn append_range(&mut self, other: &Batch, range: Range<usize>) {
        if self.stride != other.stride {
            return range.for_each(|index| self.push(other.row(index), other.weight(index)));
        }
        if !self.weights.is_empty() || !other.weights.is_empty() {
            self.weights.resize(self.len, 1);
            match other.weights.get(range.clone()) {
                Some(weights) => self.weights.extend_from_slice(weights),
                None => self.weights.resize(self.len + range.len(), 1),
            }
        }
        let (start, end) = (other.start(range.start), other.start(range.end));
        if self.stride.is_none() {
            let base = self.data.len();
            self.ends.extend(other.ends[range.clone()].iter().map(|end| base + end - start));
        }
        self.data.extend_from_slice(&other.data[start..end]);
        self.len += range.len();
    }

    /// The rows at these positions.
    fn slice(&self, range: Range<usize>) -> Batch {
        let mut out = Batch::new(self.stride);
        out.append_range(self, range);
        out
    }

    /// Where the row at `index` starts; for the number of rows, where the last one ends.
    #[inline(always)]
    fn start(&self, index: usize) -> usize {
        match (self.stride, index) {
            (Some(stride), _) => index * stride,
            (None, 0) => 0,
            (None, _) => self.ends[index - 1],
        }
    }

    /// Forgets all rows, keeping the memory.
    pub fn clear(&mut self) {
        self.data.clear();
        self.ends.clear();
        self.weights.clear();
        self.len = 0;
    }

    #[inline(always)]
    pub fn row(&self, index: usize) -> &[u8] {
        match self.stride {
            Some(stride) => &self.data[index * stride..(index + 1) * stride],
            None => &self.data[self.start(index)..self.ends[index]],
        }
    }

    #[inline(always)]
    pub fn weight(&self, index: usize) -> i64 {
        self.weights.get(index).copied().unwrap_or(1)
    }

    /// The rows with their weights.
    #[inline(always)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], i64)> + DoubleEndedIterator + '_ {
        (0..self.len).map(|index| (self.row(index), self.weight(index)))
    }

    /// The same rows with opposite weights.
    pub fn negated(mut self) -> Batch {
        self.weights.resize(self.len, 1);
        self.weights.iter_mut().for_each(|weight| *weight = -*weight);
        self
    }

    /// The same Z-set sorted by row bytes, equal rows added up, zero weights gone.
    pub fn consolidated(self) -> Batch {
        match self.stride {
            _ if self.is_consolidated() => self,
            Some(0) => self.consolidated_empty_rows(),
            _ => self.added_up(&self.sorted_order()),
        }
    }

    /// The sum of parts of consolidated Z-sets, again consolidated.
    pub fn merged(parts: &[(&Batch, Range<usize>)]) -> Batch {
        match parts {
            [] => Batch::default(),
            [(batch, range)] => batch.slice(range.clone()),
            [(left, left_range), (right, right_range)] => {
                left.merged_with(left_range.clone(), right, right_range.clone())
            }
            _ => {
                let (left, right) = parts.split_at(parts.len() / 2);
                let (left, right) = (Batch::merged(left), Batch::merged(right));
                left.merged_with(0..left.len, &right, 0..right.len)
            }
        }
    }

    fn merged_with(&self, range: Range<usize>, other: &Batch, other_range: Range<usize>) -> Batch {
        let mut out = Batch::new(self.stride);
        let bytes = |batch: &Batch, range: &Range<usize>| batch.start(range.end) - batch.start(range.start);
        let bytes = bytes(self, &range) + bytes(other, &other_range);
        let (left, right) = match self.stride {
            Some(stride) => {
                out.data.resize(bytes, 0);
                self.merge_fixed(&range, other, &other_range, stride, &mut out)
            }
            None => {
                out.data.reserve(bytes);
                self.merge_varying(&range, other, &other_range, &mut out)
            }
        };
        out.append_range(self, left..range.end);
        out.append_range(other, right..other_range.end);
        out
    }

    /// The number of rows, sorted, that come before `bound`.
    pub fn rows_before(&self, bound: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.row(middle) < bound { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Merges until one range is at its end; the positions behind the rows taken. Which side a row comes from is hard to
    /// foresee, so the choice is made without a branch. `out` has room for all rows.
    fn merge_fixed(
        &self,
        range: &Range<usize>,
        other: &Batch,
        other_range: &Range<usize>,
        stride: usize,
        out: &mut Batch,
    ) -> (usize, usize) {
        let (mut left, mut right) = (range.start, other_range.start);
        let weighted = !self.is_plain() || !other.is_plain();
        while left < range.end && right < other_range.end {
            let (a, b) = (self.row(left), other.row(right));
            let order = head(a).cmp(&head(b));
            let order = if order == Ordering::Equal { a.cmp(b) } else { order };
            if order == Ordering::Equal {
                let weight = self.weight(left).wrapping_add(other.weight(right));
                (left, right) = (left + 1, right + 1);
                if weight != 0 {
                    out.data[out.len * stride..][..stride].copy_from_slice(a);
                    out.note_weight(weight);
                    out.len += 1;
                }
                continue;
            }
            let from_left = order == Ordering::Less;
            let row = if from_left { a } else { b };
            out.data[out.len * stride..][..stride].copy_from_slice(row);
            if weighted || !out.is_plain() {
                out.note_weight(if from_left { self.weight(left) } else { other.weight(right) });
            }
            out.len += 1;
            left += usize::from(from_left);
            right += usize::from(!from_left);
        }
        out.data.truncate(out.len * stride);
        (left, right)
    }

    fn merge_varying(
        &self,
        range: &Range<usize>,
        other: &Batch,
        other_range: &Range<usize>,
        out: &mut Batch,
    ) -> (usize, usize) {
        let (mut left, mut right) = (range.start, other_range.start);
        while left < range.end && right < other_range.end {
            let (a, b) = (self.row(left), other.row(right));
            let order = a.cmp(b);
            let weight = match order {
                Ordering::Less => self.weight(left),
                Ordering::Equal => self.weight(left).wrapping_add(other.weight(right)),
                Ordering::Greater => other.weight(right),
            };
            if weight != 0 {
                out.push(if order == Ordering::Greater { b } else { a }, weight);
            }
            left += usize::from(order != Ordering::Greater);
            right += usize::from(order != Ordering::Less);
        }
        (left, right)
    }

    fn is_consolidated(&self) -> bool {
        !self.weights.contains(&0) && (1..self.len).all(|index| self.row(index - 1) < self.row(index))
    }

    /// Rows without columns are all equal: only their number counts.
    fn consolidated_empty_rows(self) -> Batch {
        let mut out = Batch::new(self.stride);
        let total = if self.is_plain() { self.len as i64 } else { self.weights.iter().sum() };
        if total != 0 {
            out.commit(total);
        }
        out
    }

    /// Positions of the rows in byte order, each with the 8 bytes behind the prefix that all rows share: these decide most
    /// comparisons without touching the rows. The sort is one that finds runs, so concatenated sorted batches are merged
    /// rather than sorted anew.
    fn sorted_order(&self) -> Vec<(u64, usize)> {
        let shared = self.shared_prefix();
        let mut order: Vec<_> = (0..self.len).map(|index| (head(&self.row(index)[shared..]), index)).collect();
        match self.stride {
            Some(stride) if stride <= shared + 8 => order.sort_by_key(|entry| entry.0),
            _ => order.sort_by(|left, right| match left.0.cmp(&right.0) {
                Ordering::Equal => self.row(left.1)[shared..].cmp(&self.row(right.1)[shared..]),
                unequal => unequal,
            }),
        }
        order
    }

    /// Length of the prefix that all rows share: the tag and the high bytes of a small nullable key, say.
    fn shared_prefix(&self) -> usize {
        let Some(first) = (self.len > 0).then(|| self.row(0)) else { return 0 };
        let same = |row: &[u8], length: usize| first[..length].iter().zip(row).take_while(|(a, b)| a == b).count();
        (1..self.len).fold(first.len(), |length, index| if length == 0 { 0 } else { same(self.row(index), length) })
    }

    fn added_up(&self, order: &[(u64, usize)]) -> Batch {
        let mut out = Batch { data: Vec::with_capacity(self.data.len()), ..Batch::new(self.stride) };
        for equal in order.chunk_by(|left, right| left.0 == right.0 && self.row(left.1) == self.row(right.1)) {
            let weight = equal.iter().fold(0i64, |sum, entry| sum.wrapping_add(self.weight(entry.1)));
            if weight != 0 {
                out.push(self.row(equal[0].1), weight);
            }
        }
        out
    }
}

impl PartialEq for Batch {
    fn eq(&self, other: &Batch) -> bool {
        self.iter().eq(other.iter())
    }
}

/// The first 8 bytes of a row as a number of the same order, short rows filled up with zeros.
#[inline(always)]
fn head(row: &[u8]) -> u64 {
    match row.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            row.iter().zip([56, 48, 40, 32, 24, 16, 8]).fold(0, |head, (byte, shift)| head | u64::from(*byte) << shift)
        }
    }
}

/// The loop of every native map kernel: `row_kernel(row, out)` appends a result row's bytes and returns `Ok(true)`, or
/// drops the row with `Ok(false)`; a failed row goes to `errors`.
#[inline(always)]
pub fn map_rows(
    input: &Batch,
    out: &mut Batch,
    errors: &mut Errors,
    mut row_kernel: impl FnMut(&[u8], &mut Vec<u8>) -> Result<bool, EvalError>,
) {
    for (row, weight) in input.iter() {
        match row_kernel(row, out.buffer()) {
            Ok(true) => out.commit(weight),
            Ok(false) => out.rollback(),
            Err(error) => {
                out.rollback();
                errors.push(&error, row, weight);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn weights_are_kept_only_when_needed() {
        let mut batch = Batch::new(Some(1));
        batch.push(b"a", 1);
        assert!(batch.is_plain());
        batch.push(b"b", -2);
        batch.push(b"c", 1);
        let rows: Vec<_> = batch.iter().collect();
        assert_eq!(rows, [(&b"a"[..], 1), (b"b", -2), (b"c", 1)]);
    }

    #[test]
    fn rollback_forgets_one_row() {
        for stride in [Some(2), None] {
            let mut batch = Batch::new(stride);
            batch.push(b"xy", 1);
            batch.buffer().extend(b"half");
            batch.rollback();
            batch.push(b"zz", 1);
            assert_eq!(batch.iter().map(|(row, _)| row).collect::<Vec<_>>(), [b"xy", b"zz"]);
        }
    }

    #[test]
    fn rows_without_columns_are_counted() {
        let mut batch = Batch::new(Some(0));
        batch.commit(1);
        batch.commit(1);
        assert_eq!(batch.clone().consolidated().iter().collect::<Vec<_>>(), [(&b""[..], 2)]);
        batch.commit(-2);
        assert!(batch.consolidated().is_empty());
    }

    /// Random batches against a map from row to weight.
    #[test]
    fn consolidation_adds_up_equal_rows_in_byte_order() {
        let mut random = crate::testing::Random::new(7);
        for round in 0..300 {
            let stride = [Some(1), Some(3), Some(8), Some(11), None][round % 5];
            let mut batch = Batch::new(stride);
            let mut expected = BTreeMap::<Vec<u8>, i64>::new();
            for _ in 0..random.below(60) {
                let width = stride.unwrap_or(random.below(12));
                let row: Vec<u8> = (0..width).map(|at| random.below(if at > 6 { 4 } else { 2 }) as u8).collect();
                let weight = if random.below(2) == 0 { 1 } else { -1 };
                batch.push(&row, weight);
                *expected.entry(row).or_default() += weight;
            }
            expected.retain(|_, weight| *weight != 0);
            let consolidated = batch.consolidated();
            assert!(consolidated.iter().eq(expected.iter().map(|(row, weight)| (&row[..], *weight))));
            assert!(consolidated.is_consolidated());
            let mut other = Batch::new(stride);
            for _ in 0..random.below(30) {
                let width = stride.unwrap_or(random.below(12));
                other.push(&(0..width).map(|_| random.below(2) as u8).collect::<Vec<_>>(), 1);
            }
            let mut both = consolidated.clone();
            both.append(&other);
            let other = other.consolidated();
            let bound = [random.below(2) as u8, 1];
            let (left, right) = (consolidated.rows_before(&bound), other.rows_before(&bound));
            assert_eq!(left, consolidated.iter().filter(|(row, _)| *row < &bound[..]).count());
            let mut sum = Batch::merged(&[(&consolidated, 0..left), (&other, 0..right)]);
            sum.append(&Batch::merged(&[(&consolidated, left..consolidated.len), (&other, right..other.len)]));
            assert!(sum.is_consolidated());
            assert_eq!(sum, both.consolidated());
        }
    }
}
