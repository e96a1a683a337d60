//! One worker's circuit: its nodes in schedule order, and how a step runs them.

use super::peers::Peers;
use crate::operator::exchange::{Exchange, deal_own};
use crate::operator::output::Output;
use crate::operator::{Operator, Step, recycle};
use crate::{Batch, Errors, Key, Layout, StepInput, StreamId};
use std::ops::Range;

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
    Output(Output),
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
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dealing {
    /// In shares of about equal size ([`Lead`]).
    Anyhow,
    /// By the hash of a key.
    ByKey(Key),
}

/// By how much the first worker's share of rows that may go anywhere exceeds the others'. It starts while the other
/// threads are still to be woken up. What is right depends on the program: each step in threads tells whether the first
/// worker had to wait for the others where they first met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lead(usize);

impl Lead {
    /// An even share.
    const EVEN: usize = 64;
    const MOST: usize = Lead::EVEN * 3 / 4;

    /// The positions of a worker's share of `rows` rows.
    pub fn share(self, worker: usize, workers: usize, rows: usize) -> Range<usize> {
        let first = rows * (Lead::EVEN + self.0) / (Lead::EVEN * workers);
        let bound = |worker: usize| first + (rows - first) * worker / (workers - 1);
        if worker == 0 { 0..first } else { bound(worker - 1)..bound(worker) }
    }

    pub fn adjust(&mut self, waited: bool) {
        self.0 = if waited { (self.0 + 1).min(Lead::MOST) } else { self.0.saturating_sub(1) };
    }
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
    /// With one worker there are none.
    pub peers: Option<Peers>,
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

/// A step: rows are fed, nodes are run in order, the results are taken.
impl Circuit {
    /// Hands rows to a table, behind those it was handed before.
    pub fn feed(&mut self, StepInput { table, rows }: StepInput) {
        let waiting = waiting(&mut self.step.tables[table], &rows);
        match waiting.is_empty() {
            true => *waiting = rows,
            false => waiting.append(&rows),
        }
    }

    /// Hands this worker's share of the rows to a table: events of the same row or key go to the same worker, in their
    /// order.
    pub fn feed_share(&mut self, StepInput { table, rows }: &StepInput, lead: Lead) {
        let Circuit { step, shape, peers: Some(peers), .. } = self else { return };
        let waiting = waiting(&mut step.tables[*table], rows);
        match &shape.tables[*table].dealing {
            Dealing::Anyhow => waiting.append_range(rows, lead.share(peers.own(), peers.count(), rows.len())),
            Dealing::ByKey(key) => deal_own(rows, key, peers.own(), peers.count(), waiting),
        }
    }

    /// Runs the nodes from number `from` on, in a thread of its own. `active` says which tables have rows on some worker,
    /// and whether it is the first step.
    pub fn run(&mut self, from: usize, active: &Sources) {
        for at in from..self.nodes.len() {
            if self.start(at, active) {
                self.complete(at);
                self.merge(at);
            }
        }
    }

    /// Rows, not distinct, that wait for the node.
    fn load(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        match node.schedule {
            Schedule::OnTable(table) => self.step.tables[table].len(),
            _ => node.inputs.iter().map(|input| self.step.streams.len(*input)).sum(),
        }
    }

    /// Runs a node as far as it can go without its peers. Was it due?
    fn start(&mut self, at: usize, active: &Sources) -> bool {
        let Circuit { nodes, step, peers, .. } = self;
        let node = &mut nodes[at];
        let fed = |step: &Step| node.inputs.iter().any(|input| !step.streams.is_empty(*input));
        let due = match &node.schedule {
            Schedule::OnInput => fed(step),
            Schedule::OnInputOrFirst => step.is_first() || fed(step),
            Schedule::First => step.is_first(),
            Schedule::OnTable(table) => !step.tables[*table].is_empty(),
            Schedule::OnSources(sources) => sources.overlaps(active),
        };
        if !due {
            return false;
        }
        step.errors.enter(node.context);
        match (&mut node.work, peers) {
            (Work::Operator(operator), _) => operator.eval(step),
            (Work::Output(output), _) => output.sort(step),
            (Work::Exchange(exchange), Some(peers)) => exchange.send(step, peers),
            (Work::Exchange(_), None) => unreachable!("the builder makes no exchange for one worker"),
        }
        true
    }

    /// Takes what the peers have sent, or will have sent, to a node that all workers have started.
    fn complete(&mut self, at: usize) {
        let Circuit { nodes, step, peers, .. } = self;
        if let (Work::Exchange(exchange), Some(peers)) = (&mut nodes[at].work, peers) {
            exchange.receive(step, peers);
        }
    }

    /// Shares the merging of a view's delta with the peers, who do so at the same time.
    fn merge(&mut self, at: usize) {
        let Circuit { nodes, step, peers, .. } = self;
        if let (Work::Output(output), Some(peers)) = (&mut nodes[at].work, peers) {
            output.merge(step, peers);
        }
    }

    /// Ends the step.
    pub fn take_results(&mut self) -> Results {
        let step = &mut self.step;
        step.streams.clear();
        step.tables.iter_mut().for_each(recycle);
        step.number += 1;
        let views = step.views.iter_mut().map(|view| std::mem::replace(view, Batch::new(view.stride())));
        Results { views: views.collect(), errors: step.errors.take() }
    }
}

/// The rows that wait for a table, as a batch that can take rows of the stride of `more`.
fn waiting<'a>(waiting: &'a mut Batch, more: &Batch) -> &'a mut Batch {
    if waiting.stride() != more.stride() {
        let stride = if waiting.is_empty() { more.stride() } else { None };
        let earlier = std::mem::replace(waiting, Batch::new(stride));
        waiting.append(&earlier);
    }
    waiting
}

/// Runs all circuits in this thread, node by node, until a node has at least `limit` rows to work on. Returns that node's
/// number, which is the number of nodes when all were run.
pub(crate) fn run_together(circuits: &mut [Circuit], active: &Sources, limit: usize) -> usize {
    let nodes = circuits.first().map_or(0, |circuit| circuit.nodes.len());
    for at in 0..nodes {
        if circuits.iter().map(|circuit| circuit.load(at)).sum::<usize>() >= limit {
            return at;
        }
        let mut due = false;
        circuits.iter_mut().for_each(|circuit| due |= circuit.start(at, active));
        if due {
            circuits.iter_mut().for_each(|circuit| circuit.complete(at));
        }
    }
    nodes
}

impl Errors {
    /// The error rows of the step that ends.
    fn take(&mut self) -> Batch {
        std::mem::take(&mut self.batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_rows_whatever_the_lead() {
        let mut lead = Lead::default();
        for step in 0..200 {
            for workers in 2..5 {
                for rows in [0, 1, 2, 7, 10_000] {
                    let shares: Vec<_> = (0..workers).map(|worker| lead.share(worker, workers, rows)).collect();
                    assert_eq!((shares[0].start, shares[workers - 1].end), (0, rows));
                    assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start), "{shares:?}");
                    assert!(rows < 100 || shares.iter().all(|share| share.len() > rows / 20), "{shares:?}");
                }
            }
            lead.adjust(step < 100);
        }
        assert_eq!(lead, Lead::default());
    }
}
