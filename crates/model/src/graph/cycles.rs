//! Cycles: the knots of a graph, and a path through each member of one.

use super::Graph;
use std::collections::VecDeque;

pub(super) struct Cycles {
    /// Every node on some cycle, by name.
    pub(super) members: Vec<usize>,
    /// From the smallest member back to it.
    pub(super) paths: Vec<Vec<usize>>,
}

pub(super) fn find<N: Ord + Clone>(graph: &Graph<'_, N>) -> Cycles {
    let knots = knots(graph);
    let mut sizes = vec![0_usize; knots.len()];
    for knot in &knots {
        sizes[*knot] += 1;
    }
    let on_cycle = |node: &usize| sizes[knots[*node]] > 1 || graph.after[*node].contains(node);
    let members: Vec<usize> = (0..knots.len()).filter(on_cycle).collect();
    let mut search = Search::new(graph, &knots);
    let mut shown = vec![false; knots.len()];
    let mut paths = Vec::new();
    for member in &members {
        if !shown[*member] {
            let path = search.shortest_cycle(*member);
            for node in &path {
                shown[*node] = true;
            }
            paths.push(from_smallest(path));
        }
    }
    paths.sort();
    Cycles { members, paths }
}

/// The knot of each node: nodes that lead to each other share one (Kosaraju's two passes).
fn knots<N>(graph: &Graph<'_, N>) -> Vec<usize> {
    let mut knots = vec![usize::MAX; graph.after.len()];
    for root in finished(&graph.after).into_iter().rev() {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if knots[node] == usize::MAX {
                knots[node] = root;
                stack.extend(&graph.before[node]);
            }
        }
    }
    knots
}

/// The nodes as a depth-first walk leaves them.
fn finished(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut left = Vec::new();
    for root in 0..edges.len() {
        let mut stack = Vec::new();
        if !seen[root] {
            seen[root] = true;
            stack.push((root, 0));
        }
        while let Some((node, next)) = stack.pop() {
            let Some(&to) = edges[node].get(next) else {
                left.push(node);
                continue;
            };
            stack.push((node, next + 1));
            if !seen[to] {
                seen[to] = true;
                stack.push((to, 0));
            }
        }
    }
    left
}

/// Breadth-first searches inside knots, on one set of marks.
struct Search<'g> {
    after: &'g [Vec<usize>],
    knots: &'g [usize],
    /// Who led to a node, and in which search.
    came: Vec<(usize, usize)>,
    turn: usize,
}

impl<'g> Search<'g> {
    fn new<N>(graph: &'g Graph<'_, N>, knots: &'g [usize]) -> Self {
        Self { after: &graph.after, knots, came: vec![(0, 0); knots.len()], turn: 0 }
    }

    /// The nodes of a shortest cycle through a member of a knot, from that member on.
    fn shortest_cycle(&mut self, start: usize) -> Vec<usize> {
        self.turn += 1;
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &to in &self.after[node] {
                if to == start {
                    return self.way(start, node);
                }
                if self.knots[to] == self.knots[start] && self.came[to].1 != self.turn {
                    self.came[to] = (node, self.turn);
                    queue.push_back(to);
                }
            }
        }
        vec![start]
    }

    fn way(&self, start: usize, end: usize) -> Vec<usize> {
        let step = |node: &usize| (*node != start).then(|| self.came[*node].0);
        let mut way: Vec<usize> = std::iter::successors(Some(end), step).collect();
        way.reverse();
        way
    }
}

/// The same cycle, begun at its smallest member and closed.
fn from_smallest(mut path: Vec<usize>) -> Vec<usize> {
    let smallest = (0..path.len()).min_by_key(|i| path[*i]).unwrap_or(0);
    path.rotate_left(smallest);
    path.extend(path.first().copied());
    path
}
