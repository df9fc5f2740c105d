//! Who comes before whom: dependencies first, cycles found, no recursion.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::fmt::Display;
use std::iter;

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
    let name = |node: &usize| graph.names[*node].clone();
    let (members, cycles) = graph.cycles();
    let blame = graph.blame(&members, |from, to| needs(graph.names[from], graph.names[to]));
    let order = sorted(&graph.after, &graph.before, &blame);
    let behind = blame.iter().enumerate().filter(|(who, _)| members.binary_search(who).is_err());
    Order {
        order: order.iter().map(name).collect(),
        behind: behind.filter_map(|(who, why)| Some((name(&who), name(&(*why)?)))).collect(),
        cycles: cycles.iter().map(|path| path.iter().map(name).collect()).collect(),
    }
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
        let names: Vec<&N> = nodes.keys().collect();
        let mut before = vec![Vec::new(); names.len()];
        let mut after = Vec::new();
        for (from, edges) in nodes.values().enumerate() {
            let edges = edges.iter().filter_map(|to| names.binary_search(&to).ok());
            let edges: BTreeSet<usize> = edges.collect();
            for to in &edges {
                before[*to].push(from);
            }
            after.push(edges.into_iter().collect());
        }
        Self { names, after, before }
    }

    /// Every node on some cycle, and a shortest cycle through each that no other cycle shows. What can be
    /// sorted from either end is on none.
    fn cycles(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut sortable = vec![None; self.names.len()];
        for (after, before) in [(&self.after, &self.before), (&self.before, &self.after)] {
            for node in sorted(after, before, &sortable) {
                sortable[node] = Some(node);
            }
        }
        let mut came = vec![(usize::MAX, usize::MAX); self.names.len()];
        let (mut members, mut cycles) = (BTreeSet::new(), BTreeSet::new());
        for start in (0..self.names.len()).filter(|node| sortable[*node].is_none()) {
            if members.contains(&start) {
                continue;
            }
            if let Some(path) = self.shortest_cycle(start, &mut came) {
                members.extend(&path);
                cycles.insert(from_smallest(path));
            }
        }
        (members.into_iter().collect(), cycles.into_iter().collect())
    }

    /// The nodes of a shortest cycle, from this one on. `came` has who led to a node, in which search.
    fn shortest_cycle(&self, start: usize, came: &mut [(usize, usize)]) -> Option<Vec<usize>> {
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &to in &self.after[node] {
                if to == start {
                    let step = |node: &usize| (*node != start).then(|| came[*node].0);
                    let mut way: Vec<usize> = iter::successors(Some(node), step).collect();
                    way.reverse();
                    return Some(way);
                }
                if came[to].1 != start {
                    came[to] = (node, start);
                    queue.push_back(to);
                }
            }
        }
        None
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
}

/// The nodes without blame, each after what it depends on.
fn sorted(after: &[Vec<usize>], before: &[Vec<usize>], blame: &[Option<usize>]) -> Vec<usize> {
    let sound = |node: &usize| blame[*node].is_none();
    let nodes = 0..after.len();
    let waits = |node: usize| after[node].iter().filter(|to| sound(to)).count();
    let mut waiting: Vec<usize> = nodes.clone().map(waits).collect();
    let ready = nodes.filter(|node| sound(node) && waiting[*node] == 0);
    let mut ready: BinaryHeap<_> = ready.map(Reverse).collect();
    let mut order = Vec::new();
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for from in before[node].iter().filter(|from| sound(from)) {
            waiting[*from] -= 1;
            if waiting[*from] == 0 {
                ready.push(Reverse(*from));
            }
        }
    }
    order
}

/// The same cycle, begun at its smallest member and closed.
fn from_smallest(mut path: Vec<usize>) -> Vec<usize> {
    let smallest = (0..path.len()).min_by_key(|i| path[*i]).unwrap_or(0);
    path.rotate_left(smallest);
    path.extend(path.first().copied());
    path
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
