//! `aggregate`: one row for each group: its key and the values of aggregate functions over its rows.
//!
//! Data, not generated code: the input's rows are key columns, then argument columns, made by a map before it.
//! Cost: one probe for each row of the delta; MIN and MAX an insertion into an ordered index besides, and a seek where
//! the extreme itself is touched; DISTINCT a probe of a count table besides. State: the accumulators of each group in one
//! block of a hash table ([`groups`]), which is also where the old result comes from: the first touch in a step copies the
//! state, and when the whole delta is in, −old +new is emitted for groups where they differ. So only the net effect of a
//! step counts, whatever the order of its rows. A group exists while its weights add up to more than 0.
//!
//! A result that fails to compute makes an error row of the group's key instead of a result row; it is withdrawn as the
//! result row would be.

mod accumulate;
mod collect;
mod column;
mod extreme;
mod groups;
mod mode;
mod percentile;
mod plan;
mod result;
mod statistics;
mod wide;

use super::index::settled;
use super::{Operator, Step};
use crate::trace::PointIndex;
use crate::trace::arena::{Ref, i64_at};
use crate::trace::hash::hash32;
use crate::{Aggregate, Batch, Errors, Key, Layout, StreamId};
use accumulate::Sums;
use collect::Collection;
use extreme::{Ordered, Places, Texts};
use feldc_value::EvalError;
use groups::Groups;
use mode::Modes;
use percentile::Ranks;
use plan::{Distinct, Extremes, Kind, Plan, ROWS};

/// Rows that go through all accumulators together.
const CHUNK: usize = 256;

pub struct Aggregation {
    input: StreamId,
    output: StreamId,
    key: Key,
    /// Is there one group from the start, with rows or without?
    scalar: bool,
    /// Has the scalar group been emitted yet?
    started: bool,
    plan: Plan,
    groups: Groups,
    sums: Sums,
    texts: Texts,
    /// One for each of the plan's extremes.
    ordered: Vec<Ordered>,
    modes: Vec<Modes>,
    collections: Vec<Collection>,
    ranks: Vec<Ranks>,
    distinct: Vec<Counted>,
    work: Work,
}

/// The rows of one DISTINCT argument, counted.
struct Counted {
    rows: PointIndex,
    plan: Distinct,
    delta: Batch,
}

/// Memory that each step needs again.
#[derive(Default)]
struct Work {
    hashes: Vec<u32>,
    blocks: Vec<Ref>,
    /// Groups that have no rows after the step.
    empty: Vec<Ref>,
    old_row: Vec<u8>,
}

impl Aggregation {
    /// `scalar`: this worker owns the one group of an aggregate without GROUP BY.
    pub fn new(
        input: StreamId,
        output: StreamId,
        layout: &Layout,
        key: usize,
        aggregates: Vec<Aggregate>,
        scalar: bool,
    ) -> Aggregation {
        let plan = Plan::new(layout, key, &aggregates);
        let counted = |plan: &Distinct| Counted {
            rows: PointIndex::new(&plan.part.layout, plan.part.layout.columns().len()),
            delta: Batch::new(plan.part.layout.stride()),
            plan: plan.clone(),
        };
        let ordered = |plan: &Extremes| {
            let &Extremes { minimum, maximum, ref part } = plan;
            Ordered::new(&part.layout, key, Places { minimum, maximum, width: part.width() })
        };
        Aggregation {
            input,
            output,
            key: Key::new(layout, key),
            scalar,
            started: false,
            groups: Groups::new(layout.prefix_stride(key), plan.state_len),
            sums: Sums::default(),
            texts: Texts::default(),
            ordered: plan.extremes.iter().map(ordered).collect(),
            collections: plan.collected.iter().map(|collected| Collection::new(collected, key)).collect(),
            ranks: plan.percentiles.iter().map(|percentiles| Ranks::new(percentiles, key)).collect(),
            modes: plan.modes.iter().map(|(part, at)| Modes::new(part, key, *at)).collect(),
            distinct: plan.distinct.iter().map(counted).collect(),
            plan,
            work: Work::default(),
        }
    }

    /// Adds the rows to their groups; DISTINCT and extremes only take note of them.
    fn add(&mut self, rows: &Batch) {
        let Work { hashes, blocks, .. } = &mut self.work;
        hashes.clear();
        hashes.extend(rows.iter().map(|(row, _)| hash32(self.key.of(row))));
        // Few rows at a time, so that the accumulators find the groups' blocks in the first cache.
        for start in (0..rows.len()).step_by(CHUNK) {
            let range = start..rows.len().min(start + CHUNK);
            blocks.clear();
            for at in range.clone() {
                self.groups.prefetch(hashes, at);
                let row = rows.row(at);
                let block = self.groups.touch(hashes[at], self.key.of(row));
                accumulate::add_i64(self.groups.state_mut(block), ROWS, rows.weight(at));
                blocks.push(block);
            }
            for accumulator in &self.plan.accumulators {
                accumulator.add(rows, range.clone(), blocks, &mut self.groups, &mut self.sums);
            }
        }
        for counted in &mut self.distinct {
            counted.plan.part.narrow(rows, |row| self.key.of(row), &mut counted.delta);
        }
        for (extremes, ordered) in self.plan.extremes.iter().zip(&mut self.ordered) {
            extremes.part.narrow(rows, |row| self.key.of(row), &mut ordered.delta);
        }
        self.modes.iter_mut().for_each(|modes| modes.add(rows, &self.key));
        self.collections.iter_mut().for_each(|collection| collection.add(rows, &self.key));
        self.ranks.iter_mut().for_each(|ranks| ranks.add(rows, &self.key));
    }

    /// Counts the DISTINCT arguments of the step, and adds those that came or went to their groups.
    fn add_distinct(&mut self) {
        for counted in &mut self.distinct {
            let mut changed = Batch::new(counted.delta.stride());
            counted.rows.update(&counted.delta, &mut changed);
            counted.delta.clear();
            let changed = settled(changed);
            let key = Key::new(&counted.plan.part.layout, self.key.columns());
            let blocks = &mut self.work.blocks;
            blocks.clear();
            blocks.extend(changed.iter().map(|(row, _)| self.groups.touch(hash32(key.of(row)), key.of(row))));
            for accumulator in &counted.plan.accumulators {
                accumulator.add(&changed, 0..changed.len(), blocks, &mut self.groups, &mut self.sums);
            }
        }
    }

    /// Brings the states up to what depends on the whole delta.
    fn finish(&mut self) {
        self.add_distinct();
        for ordered in &mut self.ordered {
            ordered.finish(&mut self.groups, &mut self.texts);
        }
        for modes in &mut self.modes {
            modes.finish(&mut self.groups, &mut self.texts);
        }
        for collection in &mut self.collections {
            collection.finish(&mut self.groups, &mut self.texts);
        }
        for ranks in &mut self.ranks {
            ranks.finish(&mut self.groups, &mut self.texts);
        }
        let distinct = self.distinct.iter().flat_map(|counted| &counted.plan.accumulators);
        let all = self.plan.accumulators.iter().chain(distinct);
        statistics::finish(&self.plan.derived, all.clone(), &mut self.groups, &mut self.sums.moments);
        for accumulator in all.filter(|accumulator| matches!(accumulator.kind, Kind::FloatSum(_))) {
            for number in 0.. {
                let Some(block) = self.groups.touched_at(number) else { break };
                self.sums.floats.finish(self.groups.state_mut(block), accumulator.at);
            }
        }
    }

    /// Emits the changes of the touched groups.
    fn emit(&mut self, out: &mut Batch, errors: &mut Errors) {
        for (block, old) in self.groups.touched() {
            let new = self.groups.state(block);
            if i64_at(new, ROWS) == 0 {
                self.work.empty.push(block);
            }
            let existed = if self.scalar { self.started } else { i64_at(old, ROWS) > 0 };
            let exists = self.scalar || i64_at(new, ROWS) > 0;
            if existed == exists && (old == new || !exists) {
                continue;
            }
            let key = self.groups.key(block);
            let old_row = &mut self.work.old_row;
            old_row.clear();
            let old_result = if existed { self.plan.row(key, old, &self.texts, old_row) } else { Ok(false) };
            let start = out.buffer().len();
            let new_result = if exists { self.plan.row(key, new, &self.texts, out.buffer()) } else { Ok(false) };
            let same = old_result == new_result && (new_result != Ok(true) || out.buffer()[start..] == old_row[..]);
            if same || new_result != Ok(true) {
                out.rollback();
            } else {
                out.commit(1);
            }
            if same {
                continue;
            }
            match old_result {
                Ok(true) => out.push(old_row, -1),
                Ok(false) => (),
                Err(error) => errors.push(&error, key, -1),
            }
            if let Err(error) = new_result {
                errors.push(&error, key, 1);
            }
        }
    }

    /// Removes groups of which nothing is left, and forgets the step.
    fn settle(&mut self) {
        if !self.scalar {
            for &block in &self.work.empty {
                if self.groups.state(block).iter().all(|&byte| byte == 0) {
                    self.groups.remove(hash32(self.groups.key(block)), block);
                }
            }
        }
        self.work.empty.clear();
        self.groups.settle();
        self.texts.settle();
    }
}

impl Plan {
    /// Appends the row of a group. The result is `Ok(true)`.
    #[inline]
    fn row(&self, key: &[u8], state: &[u8], texts: &Texts, out: &mut Vec<u8>) -> Result<bool, EvalError> {
        out.extend_from_slice(key);
        self.outputs.iter().try_for_each(|output| output.write(state, texts, out))?;
        Ok(true)
    }
}

impl Operator for Aggregation {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        if self.scalar && !self.started {
            self.groups.touch(hash32(&[]), &[]);
        }
        for rows in step.streams.read(self.input) {
            self.add(rows);
        }
        self.finish();
        self.emit(&mut out, &mut step.errors);
        self.settle();
        self.started = true;
        step.streams.put(self.output, out);
    }
}
