//! Who comes before whom: dependencies first, cycles found, no recursion.

mod cycles;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::fmt::Display;

/// The nodes in an order that suits their edges, and those for which there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order<N> {
    /// Each after all it depends on; where that leaves a choice, by name.
    pub order: Vec<N>,
    /// Each once, as a path from its smallest member back to it. Members of one knot that no
    /// shown cycle passes through have a cycle of their own; not every way round is shown.
    pub cycles: Vec<Vec<N>>,
    /// Who needs a member of a cycle, and which member.
    pub behind: Vec<(N, N)>,
}

/// `circular dependency detected: a -> b -> a`.
pub fn circular<N: Display>(cycle: &[N]) -> String {
    let names: Vec<String> = cycle.iter().map(N::to_string).collect();
    format!("circular dependency detected: {}", names.join(" -> "))
}

/// Orders nodes, given what each depends on; edges to absent nodes are ignored.
pub fn order<N: Ord + Clone>(nodes: &BTreeMap<N, Vec<N>>) -> Order<N> {
    order_where(nodes, |_, _| true)
}

/// As `order`, for edges of two kinds: where `needs(from, to)` is false, `from` comes after `to`,
/// but can do without it.
pub fn order_where<N: Ord + Clone>(
    nodes: &BTreeMap<N, Vec<N>>,
    needs: impl Fn(&N, &N) -> bool,
) -> Order<N> {
    let graph = Graph::of(nodes);
    let cycles = cycles::find(&graph);
    let mut blame =
        graph.blame(&cycles.members, |from, to| needs(graph.names[from], graph.names[to]));
    let order = graph.sorted(&blame);
    for member in &cycles.members {
        blame[*member] = None;
    }
    let behind = blame.iter().enumerate();
    let behind = behind.filter_map(|(who, why)| Some((graph.name(who), graph.name((*why)?))));
    Order {
        order: order.into_iter().map(|i| graph.name(i)).collect(),
        behind: behind.collect(),
        cycles: cycles
            .paths
            .iter()
            .map(|path| path.iter().map(|i| graph.name(*i)).collect())
            .collect(),
    }
}

/// Everything that depends on these, by however many steps, and these.
pub fn dependents<N: Ord + Clone>(nodes: &BTreeMap<N, Vec<N>>, of: &BTreeSet<N>) -> BTreeSet<N> {
    let graph = Graph::of(nodes);
    let start: Vec<usize> = of.iter().filter_map(|name| graph.find(name)).collect();
    let blame = graph.blame(&start, |_, _| true);
    let reached = (0..blame.len()).filter(|i| blame[*i].is_some());
    reached.map(|i| graph.name(i)).chain(of.iter().cloned()).collect()
}

/// Nodes as numbers, in the order of their names.
struct Graph<'n, N> {
    names: Vec<&'n N>,
    /// What each depends on, and who depends on each.
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl<'n, N: Ord + Clone> Graph<'n, N> {
    fn of(nodes: &'n BTreeMap<N, Vec<N>>) -> Self {
        let mut graph = Self {
            names: nodes.keys().collect(),
            after: Vec::new(),
            before: vec![Vec::new(); nodes.len()],
        };
        for (from, edges) in nodes.values().enumerate() {
            let edges: BTreeSet<usize> = edges.iter().filter_map(|to| graph.find(to)).collect();
            for to in &edges {
                graph.before[*to].push(from);
            }
            graph.after.push(edges.into_iter().collect());
        }
        graph
    }

    fn find(&self, name: &N) -> Option<usize> {
        self.names.binary_search(&name).ok()
    }

    fn name(&self, node: usize) -> N {
        self.names[node].clone()
    }

    /// For each node that leads to one of these, which; for these, themselves.
    fn blame(&self, roots: &[usize], by: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
        let mut blame = vec![None; self.names.len()];
        let mut queue = VecDeque::new();
        for root in roots {
            blame[*root] = Some(*root);
            queue.push_back(*root);
        }
        while let Some(node) = queue.pop_front() {
            for from in &self.before[node] {
                if blame[*from].is_none() && by(*from, node) {
                    blame[*from] = blame[node];
                    queue.push_back(*from);
                }
            }
        }
        blame
    }

    /// The nodes without blame, each after what it depends on.
    fn sorted(&self, blame: &[Option<usize>]) -> Vec<usize> {
        let sound = |node: &usize| blame[*node].is_none();
        let nodes = 0..self.names.len();
        let waits = |node: usize| self.after[node].iter().filter(|to| sound(to)).count();
        let mut waiting: Vec<usize> = nodes.clone().map(waits).collect();
        let ready = nodes.filter(|node| sound(node) && waiting[*node] == 0);
        let mut ready: BinaryHeap<_> = ready.map(Reverse).collect();
        let mut order = Vec::new();
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for from in self.before[node].iter().filter(|from| sound(from)) {
                waiting[*from] -= 1;
                if waiting[*from] == 0 {
                    ready.push(Reverse(*from));
                }
            }
        }
        order
    }
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
