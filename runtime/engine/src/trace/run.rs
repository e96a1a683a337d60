//! A run: rows in byte order, each once, with weights that are not 0.
//!
//! Weights other than 1 stand in a list of their own: a large run of insertions keeps none, and a merge that meets the first
//! withdrawal does not stop to write a million ones.

use super::huge_pages;
use crate::Batch;

#[derive(Clone, Debug, Default)]
pub struct Run {
    data: Vec<u8>,
    /// End of each row, when rows vary in width.
    ends: Vec<usize>,
    stride: Option<usize>,
    len: usize,
    /// Positions and weights of the rows whose weight is not 1.
    odd: Vec<(usize, i64)>,
}

impl Run {
    /// An empty run that will take this many rows of so many bytes without moving: a merge that is done in small pieces
    /// would otherwise copy megabytes in one of them.
    pub fn with_capacity(stride: Option<usize>, rows: usize, bytes: usize) -> Run {
        let data = Vec::with_capacity(bytes);
        let ends = Vec::with_capacity(if stride.is_some() { 0 } else { rows });
        huge_pages::advise(&data);
        huge_pages::advise(&ends);
        Run { data, ends, stride, len: 0, odd: Vec::new() }
    }

    /// The run of a batch that is sorted and consolidated.
    pub fn of(batch: &Batch) -> Run {
        let mut run = Run::with_capacity(batch.stride(), batch.len(), batch.byte_len());
        batch.iter().for_each(|(row, weight)| run.push(row, weight));
        run
    }

    #[inline]
    pub fn push(&mut self, row: &[u8], weight: i64) {
        self.data.extend_from_slice(row);
        if self.stride.is_none() {
            self.ends.push(self.data.len());
        }
        if weight != 1 {
            self.odd.push((self.len, weight));
        }
        self.len += 1;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes of all rows together.
    pub fn byte_len(&self) -> usize {
        self.data.len()
    }

    #[inline]
    pub fn row(&self, at: usize) -> &[u8] {
        match self.stride {
            Some(stride) => &self.data[at * stride..(at + 1) * stride],
            None => &self.data[if at == 0 { 0 } else { self.ends[at - 1] }..self.ends[at]],
        }
    }

    #[inline]
    pub fn weight(&self, at: usize) -> i64 {
        match self.odd.binary_search_by_key(&at, |odd| odd.0) {
            Ok(found) => self.odd[found].1,
            Err(_) => 1,
        }
    }

    /// The number of rows before `row`.
    pub fn lower_bound(&self, row: &[u8]) -> usize {
        self.partition_point(|other| other < row)
    }

    /// The number of rows before or equal to `row`.
    pub fn upper_bound(&self, row: &[u8]) -> usize {
        self.partition_point(|other| other <= row)
    }

    fn partition_point(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.row(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.data.len() + self.ends.len() * size_of::<usize>() + self.odd.len() * size_of::<(usize, i64)>()
    }
}

/// A merge of two runs, in pieces.
#[derive(Debug, Default)]
pub struct Merge {
    out: Run,
    left: Reader,
    right: Reader,
}

/// How far a run has been read.
#[derive(Debug, Default)]
struct Reader {
    at: usize,
    odd: usize,
}

impl Reader {
    /// The weight of the row at hand, which is then passed.
    #[inline]
    fn take(&mut self, run: &Run) -> i64 {
        self.at += 1;
        match run.odd.get(self.odd) {
            Some(&(at, weight)) if at + 1 == self.at => {
                self.odd += 1;
                weight
            }
            _ => 1,
        }
    }
}

impl Merge {
    pub fn new(left: &Run, right: &Run) -> Merge {
        let mut out = Run::with_capacity(left.stride, left.len + right.len, left.byte_len() + right.byte_len());
        out.odd.reserve(left.odd.len() + right.odd.len());
        Merge { out, left: Reader::default(), right: Reader::default() }
    }

    /// Reads up to `fuel` more rows.
    pub fn work(&mut self, left: &Run, right: &Run, fuel: usize) {
        let limit = fuel.saturating_add(self.left.at + self.right.at);
        let Merge { out, left: l, right: r } = self;
        while l.at + r.at < limit && l.at < left.len && r.at < right.len {
            let (left_row, right_row) = (left.row(l.at), right.row(r.at));
            match left_row.cmp(right_row) {
                std::cmp::Ordering::Less => out.push(left_row, l.take(left)),
                std::cmp::Ordering::Greater => out.push(right_row, r.take(right)),
                std::cmp::Ordering::Equal => {
                    let weight = l.take(left).wrapping_add(r.take(right));
                    if weight != 0 {
                        out.push(left_row, weight);
                    }
                }
            }
        }
        while l.at + r.at < limit && l.at < left.len && r.at == right.len {
            out.push(left.row(l.at), l.take(left));
        }
        while l.at + r.at < limit && r.at < right.len && l.at == left.len {
            out.push(right.row(r.at), r.take(right));
        }
    }

    pub fn is_complete(&self, left: &Run, right: &Run) -> bool {
        self.left.at == left.len && self.right.at == right.len
    }

    pub fn into_run(self) -> Run {
        self.out
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.out.bytes()
    }
}

/// The sum of two runs.
pub fn merged(left: &Run, right: &Run) -> Run {
    let mut merge = Merge::new(left, right);
    merge.work(left, right, usize::MAX);
    merge.into_run()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::BTreeMap;

    fn run(rows: &BTreeMap<Vec<u8>, i64>, stride: Option<usize>) -> Run {
        let mut batch = Batch::new(stride);
        rows.iter().for_each(|(row, weight)| batch.push(row, *weight));
        Run::of(&batch)
    }

    #[test]
    fn merges_in_pieces_add_up() {
        let mut random = Random::new(3);
        for round in 0..300 {
            let stride = [Some(2), None][round % 2];
            let [left, right] = [0, 1].map(|_| {
                let mut rows = BTreeMap::new();
                for _ in 0..random.below(50) {
                    let width = stride.unwrap_or(random.below(4));
                    let row: Vec<u8> = (0..width).map(|_| random.below(6) as u8).collect();
                    rows.insert(row, [1, 1, -1, 5][random.below(4)]);
                }
                rows
            });
            let mut sum = left.clone();
            for (row, weight) in &right {
                *sum.entry(row.clone()).or_default() += weight;
            }
            sum.retain(|_, weight| *weight != 0);
            let (left, right) = (run(&left, stride), run(&right, stride));
            let mut merge = Merge::new(&left, &right);
            while !merge.is_complete(&left, &right) {
                merge.work(&left, &right, 1 + random.below(7));
            }
            let merged = merge.into_run();
            let rows = (0..merged.len()).map(|at| (merged.row(at), merged.weight(at)));
            assert!(rows.eq(sum.iter().map(|(row, weight)| (&row[..], *weight))));
            for (at, row) in sum.keys().enumerate() {
                assert_eq!((merged.lower_bound(row), merged.upper_bound(row)), (at, at + 1));
            }
        }
    }
}
