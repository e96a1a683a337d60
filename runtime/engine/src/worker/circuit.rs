//! One worker's circuit: its nodes in schedule order, and how a step runs them.

use super::peers::Peers;
use crate::operator::exchange::Exchange;
use crate::operator::{Operator, Step, recycle};
use crate::{Batch, Errors, Layout, StreamId};

/// A place in the schedule.
pub(crate) struct Node {
    pub work: Work,
    pub inputs: Vec<StreamId>,
    pub schedule: Schedule,
    /// Whom to blame for failures: for [`Errors::enter`].
    pub context: usize,
}

pub(crate) enum Work {
    Operator(Box<dyn Operator>),
    Exchange(Exchange),
}

/// When a node runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// When an input has rows.
    OnInput,
    /// As `OnInput`, and in the first step.
    OnInputOrFirst,
    /// In the first step.
    First,
    /// When this table has rows.
    OnTable(usize),
    /// When something could feed the node on any worker.
    OnSources(Sources),
}

/// What can bring rows to a stream: tables, and nodes that make rows in the first step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sources {
    /// One bit for each table.
    tables: Vec<u64>,
    first_step: bool,
    /// Can the weights of a row add up to less than 0? They can behind a table that trusts its input, and who negates a
    /// stream only knows itself what it cancels.
    pub signed: bool,
}

impl Sources {
    pub fn first_step() -> Sources {
        Sources { first_step: true, ..Sources::default() }
    }

    pub fn table(table: usize, trusted: bool) -> Sources {
        let mut sources = Sources { signed: trusted, ..Sources::default() };
        sources.add_table(table);
        sources
    }

    pub fn add_table(&mut self, table: usize) {
        self.reserve(table / 64 + 1);
        self.tables[table / 64] |= 1 << (table % 64);
    }

    pub fn add(&mut self, other: &Sources) {
        self.reserve(other.tables.len());
        self.tables.iter_mut().zip(&other.tables).for_each(|(own, other)| *own |= other);
        self.first_step |= other.first_step;
        self.signed |= other.signed;
    }

    /// The same for rows whose weights never add up to less than 0.
    pub fn unsigned(self) -> Sources {
        Sources { signed: false, ..self }
    }

    fn reserve(&mut self, words: usize) {
        self.tables.resize(self.tables.len().max(words), 0);
    }

    pub fn overlaps(&self, other: &Sources) -> bool {
        let shared = self.tables.iter().zip(&other.tables).any(|(left, right)| left & right != 0);
        shared || self.first_step && other.first_step
    }
}

/// What is known of a table outside the circuit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TableInfo {
    pub name: String,
    pub layout: Layout,
    pub dealing: Dealing,
}

/// How a table's rows are spread over the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dealing {
    /// In shares of equal size.
    Anyhow,
    /// By the hash of the first columns.
    ByKey(usize),
}

/// What is known of a view outside the circuit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewInfo {
    pub name: String,
    pub layout: Layout,
    pub stored: bool,
    /// As [`Sources::signed`].
    pub signed: bool,
}

/// What all workers must have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    pub tables: Vec<TableInfo>,
    pub views: Vec<ViewInfo>,
    /// The layout of each stream.
    pub streams: Vec<Layout>,
}

pub(crate) struct Circuit {
    pub nodes: Vec<Node>,
    pub step: Step,
    pub shape: Shape,
}

impl Circuit {
    /// The present row of a keyed table.
    pub fn keyed_row(&self, table: usize, key: &[u8]) -> Option<Vec<u8>> {
        self.step.keyed.get(table)?.get(key).map(<[u8]>::to_vec)
    }
}

/// One worker's share of a step's results.
pub(crate) struct Results {
    /// Each sorted and consolidated.
    pub views: Vec<Batch>,
    pub errors: Batch,
}

impl Circuit {
    /// Runs one step. `active` says which tables have rows on some worker, and whether it is the first step.
    pub fn run(&mut self, active: &Sources, mut peers: Option<&mut Peers>) -> Results {
        let Circuit { nodes, step, .. } = self;
        for node in nodes {
            let fed = |step: &Step| node.inputs.iter().any(|input| !step.streams.is_empty(*input));
            let due = match &node.schedule {
                Schedule::OnInput => fed(step),
                Schedule::OnInputOrFirst => step.is_first() || fed(step),
                Schedule::First => step.is_first(),
                Schedule::OnTable(table) => !step.tables[*table].is_empty(),
                Schedule::OnSources(sources) => sources.overlaps(active),
            };
            if !due {
                continue;
            }
            step.errors.enter(node.context);
            match (&mut node.work, &mut peers) {
                (Work::Operator(operator), _) => operator.eval(step),
                (Work::Exchange(exchange), Some(peers)) => exchange.eval(step, peers),
                (Work::Exchange(_), None) => unreachable!("the builder makes no exchange for one worker"),
            }
        }
        self.finish()
    }

    fn finish(&mut self) -> Results {
        let step = &mut self.step;
        step.streams.clear();
        step.tables.iter_mut().filter(|rows| !rows.is_empty()).for_each(recycle);
        step.number += 1;
        let views = step.views.iter_mut().map(|view| std::mem::replace(view, Batch::new(view.stride())));
        Results { views: views.collect(), errors: step.errors.take() }
    }

    /// Hands rows to a table for the next step, behind those it was handed before.
    pub fn feed(&mut self, table: usize, rows: Batch) {
        let waiting = &mut self.step.tables[table];
        if waiting.is_empty() {
            *waiting = rows;
            return;
        }
        if waiting.stride() != rows.stride() {
            let earlier = std::mem::replace(waiting, Batch::new(None));
            waiting.append(&earlier);
        }
        waiting.append(&rows);
    }
}

impl Errors {
    /// The error rows of the step that ends.
    fn take(&mut self) -> Batch {
        std::mem::take(&mut self.batch)
    }
}
