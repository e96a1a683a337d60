//! Sorted runs, merged a little at a time.
//!
//! Runs of more than 2^(k-1) and up to 2^k units of rows live at level k, at most two of them; two begin to merge. Every
//! insertion pays for merging in proportion to its size at every level, so that a merge ends before its level needs the
//! place, and no single step waits for one. Equal rows meet when their runs do, and cancelled rows vanish.

use super::run::{Merge, Run, merged};
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
    runs: Vec<Arc<Run>>,
    /// The merge of both runs, when there are two.
    merge: Merge,
}

impl Level {
    /// Merges up to `fuel` rows of the two runs.
    fn work(&mut self, fuel: usize) {
        if let [left, right] = &self.runs[..] {
            self.merge.work(left, right, fuel);
        }
    }

    /// Ends the merge and takes its result.
    fn finish(&mut self) -> Option<Run> {
        self.work(usize::MAX);
        let complete = self.runs.len() == 2;
        complete.then(|| {
            self.runs.clear();
            std::mem::take(&mut self.merge).into_run()
        })
    }

    fn is_complete(&self) -> bool {
        matches!(&self.runs[..], [left, right] if self.merge.is_complete(left, right))
    }
}

fn level_of(rows: usize) -> usize {
    rows.div_ceil(UNIT).next_power_of_two().trailing_zeros() as usize
}

impl Spine {
    pub fn insert(&mut self, run: Run) {
        if run.len() == 0 {
            return;
        }
        let level = level_of(run.len());
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Level::default);
        }
        // The level may still be merging: then its result must go first.
        if let Some(done) = self.levels[level].finish() {
            self.insert(done);
        }
        let level = &mut self.levels[level];
        level.runs.push(Arc::new(run));
        if let [left, right] = &level.runs[..] {
            level.merge = Merge::new(left, right);
        }
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
        let mut all: Vec<Arc<Run>> = self.levels.drain(..).flat_map(|level| level.runs).collect();
        // Smallest first, so that every row is copied about as often as sizes double.
        all.sort_by_key(|run| run.len());
        let Some(one) = all.into_iter().reduce(|left, right| Arc::new(merged(&left, &right))) else { return };
        self.insert(Arc::unwrap_or_clone(one));
    }

    /// The runs, whose sum is the content.
    pub fn runs(&self) -> impl Iterator<Item = &Run> + '_ {
        self.levels.iter().flat_map(|level| level.runs.iter().map(|run| &**run))
    }

    /// Bytes held, unfinished merges included.
    pub fn bytes(&self) -> usize {
        let merges = self.levels.iter().map(|level| level.merge.bytes());
        self.runs().map(Run::bytes).chain(merges).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Batch;
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
            spine.insert(Run::of(&batch.consolidated()));
            total += rows;
            assert!(spine.levels.iter().all(|level| level.runs.len() <= 2));
        }
        assert_eq!(spine.runs().map(Run::len).sum::<usize>(), total);
        spine.compact();
        assert_eq!(spine.runs().count(), 1);
        assert!(spine.runs().all(|run| run.len() == total));
    }

    #[test]
    fn opposite_runs_cancel() {
        let mut batch = Batch::new(Some(8));
        (0..1000u64).for_each(|n| batch.push(&n.to_be_bytes(), 1));
        let mut spine = Spine::default();
        spine.insert(Run::of(&batch));
        spine.insert(Run::of(&batch.negated()));
        spine.pay(1000);
        assert_eq!(spine.runs().count(), 0);
    }
}
