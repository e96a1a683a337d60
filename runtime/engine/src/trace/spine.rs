//! Sorted runs, merged a little at a time.
//!
//! Runs of more than 2^(k-1) and up to 2^k units of rows live at level k, at most two of them; two begin to merge. Every
//! insertion pays for merging in proportion to its size at every level, so that a merge ends before its level needs the
//! place, and no single step waits for one. Equal rows meet when their runs do, and cancelled rows vanish.

use crate::Batch;
use std::sync::Arc;

/// Rows of a run at level 0.
const UNIT: usize = 128;

/// Rows that each level may merge for each row inserted. A merge at level k takes up to 2^(k+1) units of work, while at
/// least 2^k units arrive: 2 is just enough, the rest leaves room for runs that are larger than half their level's.
const FUEL: usize = 4;

#[derive(Debug, Default)]
pub struct Spine {
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    /// At most two.
    runs: Vec<Arc<Batch>>,
    /// The merge of both runs, when there are two.
    merge: Merge,
}

#[derive(Debug, Default)]
struct Merge {
    done: [usize; 2],
    out: Batch,
}

impl Level {
    /// Merges up to `fuel` rows of the two runs.
    fn work(&mut self, fuel: usize) {
        if let [left, right] = &self.runs[..] {
            self.merge.work(left, right, fuel);
        }
    }

    /// Ends the merge and takes its result.
    fn finish(&mut self) -> Option<Batch> {
        self.work(usize::MAX);
        let complete = self.runs.len() == 2;
        complete.then(|| {
            self.runs.clear();
            std::mem::take(&mut self.merge).out
        })
    }

    fn is_complete(&self) -> bool {
        matches!(&self.runs[..], [left, right] if self.merge.done == [left.len(), right.len()])
    }
}

impl Merge {
    fn work(&mut self, left: &Batch, right: &Batch, fuel: usize) {
        let [mut l, mut r] = self.done;
        let limit = fuel.saturating_add(l + r);
        while l + r < limit && l < left.len() && r < right.len() {
            let (left_row, right_row) = (left.row(l), right.row(r));
            match left_row.cmp(right_row) {
                std::cmp::Ordering::Less => {
                    self.out.push(left_row, left.weight(l));
                    l += 1;
                }
                std::cmp::Ordering::Greater => {
                    self.out.push(right_row, right.weight(r));
                    r += 1;
                }
                std::cmp::Ordering::Equal => {
                    let weight = left.weight(l).wrapping_add(right.weight(r));
                    if weight != 0 {
                        self.out.push(left_row, weight);
                    }
                    (l, r) = (l + 1, r + 1);
                }
            }
        }
        while l + r < limit && l < left.len() && r == right.len() {
            self.out.push(left.row(l), left.weight(l));
            l += 1;
        }
        while l + r < limit && r < right.len() && l == left.len() {
            self.out.push(right.row(r), right.weight(r));
            r += 1;
        }
        self.done = [l, r];
    }
}

/// The sum of two runs.
pub fn merged(left: &Batch, right: &Batch) -> Batch {
    let mut merge = Merge { done: [0, 0], out: Batch::new(left.stride()) };
    merge.work(left, right, usize::MAX);
    merge.out
}

fn level_of(rows: usize) -> usize {
    rows.div_ceil(UNIT).next_power_of_two().trailing_zeros() as usize
}

impl Spine {
    /// Adds a sorted, consolidated batch.
    pub fn insert(&mut self, run: Batch) {
        if run.is_empty() {
            return;
        }
        let level = level_of(run.len());
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Level::default);
        }
        // The level may still be merging: then its result must go first.
        if let Some(done) = self.finish_full(level) {
            self.insert(done);
        }
        let stride = run.stride();
        let level = &mut self.levels[level];
        level.runs.push(Arc::new(run));
        if level.runs.len() == 2 {
            level.merge = Merge { done: [0, 0], out: Batch::new(stride) };
        }
    }

    fn finish_full(&mut self, level: usize) -> Option<Batch> {
        self.levels[level].finish()
    }

    /// Pays for the insertion of `rows` rows, whether they have come to the spine yet or not.
    pub fn pay(&mut self, rows: usize) {
        for level in 0..self.levels.len() {
            self.levels[level].work(rows.saturating_mul(FUEL));
            if self.levels[level].is_complete()
                && let Some(done) = self.levels[level].finish()
            {
                self.insert(done);
            }
        }
    }

    /// Merges everything into one run.
    pub fn compact(&mut self) {
        let mut all: Vec<Arc<Batch>> = self.levels.drain(..).flat_map(|level| level.runs).collect();
        // Smallest first, so that every row is copied about as often as sizes double.
        all.sort_by_key(|run| run.len());
        let Some(one) = all.into_iter().reduce(|left, right| Arc::new(merged(&left, &right))) else { return };
        self.insert(Arc::unwrap_or_clone(one));
    }

    /// The runs, whose sum is the content.
    pub fn runs(&self) -> impl Iterator<Item = &Batch> + '_ {
        self.levels.iter().flat_map(|level| level.runs.iter().map(|run| &**run))
    }

    /// Bytes held, unfinished merges included.
    pub fn bytes(&self) -> usize {
        let merges = self.levels.iter().map(|level| level.merge.out.capacity());
        self.runs().map(Batch::capacity).chain(merges).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    #[test]
    fn levels_hold_powers_of_two() {
        assert_eq!([1, 128, 129, 256, 257, 1024].map(level_of), [0, 0, 1, 1, 2, 3]);
    }

    /// Insertions of any size leave few runs, and never more than two at a level.
    #[test]
    fn runs_stay_few() {
        let mut random = Random::new(5);
        let mut spine = Spine::default();
        let mut total = 0;
        for _ in 0..400 {
            let rows = 1 + random.below(700);
            let mut batch = Batch::new(Some(8));
            for _ in 0..rows {
                batch.push(&random.next().to_be_bytes(), 1);
            }
            spine.pay(rows);
            spine.insert(batch.consolidated());
            total += rows;
            assert!(spine.levels.iter().all(|level| level.runs.len() <= 2));
        }
        assert_eq!(spine.runs().map(Batch::len).sum::<usize>(), total);
        spine.compact();
        assert_eq!(spine.runs().count(), 1);
        assert!(spine.runs().all(|run| run.len() == total));
    }

    #[test]
    fn opposite_runs_cancel() {
        let mut batch = Batch::new(Some(8));
        (0..1000u64).for_each(|n| batch.push(&n.to_be_bytes(), 1));
        let mut spine = Spine::default();
        spine.insert(batch.clone());
        spine.insert(batch.negated());
        spine.pay(1000);
        assert_eq!(spine.runs().count(), 0);
    }
}
