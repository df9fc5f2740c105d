//! Orders and cycles of small graphs by table, and of large ones in time.

use super::*;
use expect_test::{Expect, expect};
use std::fmt::Write;

/// `a: b c?` says that `a` needs `b`, and comes after `c`.
fn graph(text: &str) -> BTreeMap<String, Vec<String>> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let names = |list: &str| {
        let words = list.split_whitespace();
        words.map(|word| word.trim_end_matches('?').to_owned()).collect()
    };
    lines.map(|(name, list)| (name.trim().to_owned(), names(list))).collect()
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    let optional: Vec<String> = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(from, list)| list.split_whitespace().map(move |to| format!("{from} {to}")))
        .collect();
    let order = order_where(&graph(text), |from, to| !optional.contains(&format!("{from} {to}?")));
    let mut got = order.order.join(" ");
    for cycle in &order.cycles {
        let _ = write!(got, "\n{}", circular(cycle));
    }
    for (who, why) in &order.behind {
        let _ = write!(got, "\n{who} is behind {why}");
    }
    expected.assert_eq(&got);
}

#[test]
fn dependencies_come_first() {
    check("", &expect![[""]]);
    check("c:\nb:\na:", &expect!["a b c"]);
    check("a: b\nb: c\nc:", &expect!["c b a"]);
    check("a: b c\nb: d\nc: d\nd:", &expect!["d b c a"]);
    check("a: z\nb:\nz:", &expect!["b z a"]);
    check("a: b b\nb:", &expect!["b a"]);
    check("a: nobody\nb: a", &expect!["a b"]);
}

#[test]
fn cycles_are_shown_once_from_their_smallest() {
    check(
        "a: a",
        &expect![[r"

            circular dependency detected: a -> a"]],
    );
    check(
        "b: a\na: b",
        &expect![[r"

            circular dependency detected: a -> b -> a"]],
    );
    check(
        "c: a\na: b\nb: c",
        &expect![[r"

            circular dependency detected: a -> b -> c -> a"]],
    );
    check(
        "c: b\nb: a\na: c",
        &expect![[r"

            circular dependency detected: a -> c -> b -> a"]],
    );
    check(
        "a: b\nb: a\nc: d\nd: c\ne:",
        &expect![[r"
            e
            circular dependency detected: a -> b -> a
            circular dependency detected: c -> d -> c"]],
    );
    check(
        "a: b c\nb: a\nc: a",
        &expect![[r"

            circular dependency detected: a -> b -> a
            circular dependency detected: a -> c -> a"]],
    );
    check(
        "a: a b\nb: a",
        &expect![[r"

            circular dependency detected: a -> a
            circular dependency detected: a -> b -> a"]],
    );
    check(
        "a: b\nb: c\nc: d\nd: b",
        &expect![[r"

            circular dependency detected: b -> c -> d -> b
            a is behind b"]],
    );
}

#[test]
fn what_needs_a_cycle_is_behind_it() {
    check(
        "a: b\nb: a\nc: b\nd: c e\ne:",
        &expect![[r"
            e
            circular dependency detected: a -> b -> a
            c is behind b
            d is behind b"]],
    );
    check(
        "a: b\nb: a\nm: a\nx: m y\ny: x",
        &expect![[r"

            circular dependency detected: a -> b -> a
            circular dependency detected: x -> y -> x
            m is behind a"]],
    );
    check(
        "a: b\nb: a\nc: b?\nd: c",
        &expect![[r"
            c d
            circular dependency detected: a -> b -> a"]],
    );
    check(
        "a: b?\nb: a",
        &expect![[r"

            circular dependency detected: a -> b -> a"]],
    );
    check(
        "a: b\nb: a\nc: a?\nd: c a",
        &expect![[r"
            c
            circular dependency detected: a -> b -> a
            d is behind a"]],
    );
}

/// Knuth's constants; the same numbers everywhere, every time.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap()
}

fn is_sound(nodes: &BTreeMap<usize, Vec<usize>>, order: &[usize]) {
    let mut done = BTreeSet::new();
    for node in order {
        let late = nodes[node].iter().find(|to| nodes.contains_key(to) && !done.contains(*to));
        assert_eq!(late, None, "{node} comes before it");
        done.insert(*node);
    }
}

#[test]
fn two_hundred_modules_in_any_shape() {
    for mut seed in 0..50_u64 {
        let places: Vec<usize> = (0..200).map(|_| next(&mut seed)).collect();
        let mut edges = |node: usize| {
            let picks: Vec<usize> = (0..4).map(|_| next(&mut seed) % 220).collect();
            let earlier = |to: &usize| *to >= 200 || places[*to] < places[node];
            picks.into_iter().filter(earlier).collect()
        };
        let nodes: BTreeMap<usize, Vec<usize>> = (0..200).map(|n| (n, edges(n))).collect();
        let first = order(&nodes);
        assert_eq!((first.order.len(), first.cycles.len()), (200, 0));
        is_sound(&nodes, &first.order);
        assert_eq!(first, order(&nodes));
    }
}

#[test]
fn a_tangle_is_sorted_out_whole() {
    for mut seed in 0..50_u64 {
        let mut edges = |_| (0..2).map(|_| next(&mut seed) % 220).collect();
        let nodes: BTreeMap<usize, Vec<usize>> = (0..200).map(|n| (n, edges(n))).collect();
        let order = order(&nodes);
        is_sound(&nodes, &order.order);
        let mut all: BTreeSet<usize> = order.cycles.iter().flatten().copied().collect();
        for cycle in &order.cycles {
            let steps = cycle.windows(2).all(|step| nodes[&step[0]].contains(&step[1]));
            assert!(steps && cycle.first() == cycle.last(), "{cycle:?}");
            assert_eq!(cycle.iter().min(), cycle.first());
        }
        all.extend(order.behind.iter().map(|(who, _)| *who));
        all.extend(&order.order);
        assert_eq!(all.len(), 200);
    }
}

#[test]
fn ten_thousand_take_no_stack() {
    const MANY: usize = 10_000;
    let chain = |last: Vec<usize>| -> BTreeMap<usize, Vec<usize>> {
        let links = (0..MANY - 1).map(|n| (n, vec![n + 1]));
        links.chain([(MANY - 1, last)]).collect()
    };
    let order_of = order(&chain(Vec::new()));
    assert!(order_of.order.iter().copied().eq((0..MANY).rev()));
    let ring = order(&chain(vec![0]));
    assert_eq!((ring.order.len(), ring.cycles[0].len()), (0, MANY + 1));
    let hook = order(&chain(vec![MANY - 2]));
    assert_eq!((hook.cycles.len(), hook.behind.len()), (1, MANY - 2));
}

#[test]
fn a_hub_of_many_cycles_ends() {
    let spokes = (1..2_000).map(|n| (n, vec![0]));
    let nodes: BTreeMap<usize, Vec<usize>> = spokes.chain([(0, (1..2_000).collect())]).collect();
    let order = order(&nodes);
    assert_eq!(order.cycles.len(), 1_999);
    assert_eq!(order.cycles[7], [0, 8, 0]);
}
