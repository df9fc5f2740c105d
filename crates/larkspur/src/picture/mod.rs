//! Modules and what they depend on, ready to be drawn.

mod mermaid;
mod text;

pub(crate) use mermaid::mermaid;
pub(crate) use text::text;

use model::ModuleName;
use runtime::{State, Survey, Surveyed};
use settings::Manifest;
use std::collections::{BTreeMap, BTreeSet};

/// The modules that start, in that order; then the others by name.
pub(crate) struct Picture {
    nodes: Vec<Node>,
}

struct Node {
    label: String,
    mark: Mark,
    edges: Vec<Edge>,
}

/// What a node depends on.
struct Edge {
    /// Its place among the nodes.
    to: usize,
    required: bool,
    /// It is part of a circle.
    circular: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Sound,
    Failed,
    Circular,
    Waiting,
    Disabled,
    /// Somebody depends on it, and it is not there.
    Absent,
}

impl Mark {
    /// What is the matter, if something is.
    fn word(self) -> Option<&'static str> {
        Some(match self {
            Self::Sound => return None,
            Self::Failed => "failed",
            Self::Circular => "circular",
            Self::Waiting => "waiting",
            Self::Disabled => "not enabled",
            Self::Absent => "not installed",
        })
    }
}

impl Picture {
    pub(crate) fn of(survey: &Survey) -> Self {
        let names = in_order(survey);
        let places: BTreeMap<&ModuleName, usize> =
            names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
        let modules: BTreeMap<&ModuleName, &Surveyed> = survey.named().collect();
        let circles = steps(&survey.order.cycles);
        let node = |name: &&ModuleName| {
            let module = modules.get(name);
            let edge = |(to, required)| Edge {
                to: places.get(to).copied().unwrap_or_default(),
                required,
                circular: circles.contains(&(*name, to)),
            };
            let is_circular = circles.iter().any(|(from, _)| from == name);
            Node {
                label: name.to_string(),
                mark: module.map_or(Mark::Absent, |module| mark(module, is_circular)),
                edges: module.into_iter().flat_map(|m| needs(m)).map(edge).collect(),
            }
        };
        let mut nodes: Vec<Node> = names.iter().map(node).collect();
        nodes.extend(survey.nameless().map(|module| Node {
            label: module.file.clone(),
            mark: mark(module, false),
            edges: Vec::new(),
        }));
        Self { nodes }
    }
}

/// Everyone's name: who starts, who does not, who is only asked for.
fn in_order(survey: &Survey) -> Vec<&ModuleName> {
    let modules: BTreeMap<&ModuleName, &Surveyed> = survey.named().collect();
    let starts = |name: &&ModuleName| modules.get(name).is_some_and(|m| m.broken.is_none());
    let mut names: Vec<&ModuleName> = survey.order.order.iter().filter(starts).collect();
    let wanted = modules.values().flat_map(|m| needs(m)).map(|(name, _)| name);
    let there = modules.keys().copied();
    let absent: BTreeSet<&ModuleName> = wanted.filter(|name| !modules.contains_key(name)).collect();
    for name in there.chain(absent) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn needs(module: &Surveyed) -> impl Iterator<Item = (&ModuleName, bool)> {
    let manifest = module.manifest.as_deref();
    manifest.into_iter().flat_map(Manifest::dependencies)
}

/// Each step of each circle.
fn steps(cycles: &[Vec<ModuleName>]) -> BTreeSet<(&ModuleName, &ModuleName)> {
    let pairs = cycles.iter().flat_map(|cycle| cycle.windows(2));
    pairs.map(|pair| (&pair[0], &pair[1])).collect()
}

fn mark(module: &Surveyed, is_circular: bool) -> Mark {
    let state = module.broken.as_ref().map(|broken| broken.state);
    match state {
        _ if module.disabled => Mark::Disabled,
        None => Mark::Sound,
        Some(_) if is_circular => Mark::Circular,
        Some(State::Waiting) => Mark::Waiting,
        Some(_) => Mark::Failed,
    }
}
