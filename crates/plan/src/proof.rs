//! Proves a plan sound before anything runs: ids, tools, references, no cycle.

use super::draft::Draft;
use super::problem::PlanProblem;
use super::reference::show_name;
use super::scope::is_of_item;
use super::task::Need;
use super::template::ESCAPE;
use model::{Hints, Input, Selection, ToolPath, circular, did_you_mean, order};
use std::collections::BTreeMap;

/// A tool that the caller may use, or why there is none for them.
pub type Lookup<'l> = dyn Fn(&ToolPath) -> Result<PlannedTool, String> + 'l;

/// What a plan checks of a tool before it is called.
#[derive(Debug, Clone)]
pub struct PlannedTool {
    pub hints: Hints,
    pub input: Input,
    /// Fields of its results that its author chose.
    pub select: Option<Selection>,
}

pub(super) struct Proof<'d> {
    drafts: &'d [Draft],
    /// The first task of each id.
    ids: BTreeMap<&'d str, usize>,
    /// Could every task be read as far as its id? If not, nothing can be said to be missing.
    is_whole: bool,
    problems: &'d mut Vec<PlanProblem>,
}

/// What follows for sound tasks.
pub(super) struct Proved {
    /// Of each task.
    pub(super) needs: Vec<Vec<Need>>,
    /// The fields that the author of each task's tool chose.
    pub(super) selects: Vec<Option<Selection>>,
    /// Places in the plan, needs first.
    pub(super) order: Vec<usize>,
}

impl<'d> Proof<'d> {
    pub(super) fn new(
        drafts: &'d [Draft],
        is_whole: bool,
        problems: &'d mut Vec<PlanProblem>,
    ) -> Self {
        let mut ids = BTreeMap::new();
        for (place, draft) in drafts.iter().enumerate() {
            if let Some(id) = &draft.written_id {
                ids.entry(id.as_str()).or_insert(place);
            }
        }
        Self {
            is_whole: is_whole && drafts.iter().all(|draft| draft.written_id.is_some()),
            drafts,
            ids,
            problems,
        }
    }

    pub(super) fn prove(mut self, lookup: &Lookup<'_>) -> Proved {
        self.ids_are_unique();
        let selects = self.drafts.iter();
        let selects = selects.map(|draft| self.tool_fits(draft, lookup)).collect();
        let needs: Vec<Vec<Need>> = self.drafts.iter().map(|d| self.needs(d)).collect();
        let order = self.ordered(&needs);
        Proved { needs, selects, order }
    }

    fn ids_are_unique(&mut self) {
        for (place, draft) in self.drafts.iter().enumerate() {
            let Some(id) = &draft.written_id else {
                continue;
            };
            let first = self.ids.get(id.as_str()).filter(|first| **first != place);
            if let Some(first) = first.map(|first| &self.drafts[*first].place) {
                let message = format!("{id:?} is already the id of {first}");
                self.problems.push(PlanProblem::field(&draft.place, "id", message));
            }
        }
    }

    /// Checks the tool of a task and what it is given; the fields that the tool's author chose.
    fn tool_fits(&mut self, draft: &Draft, lookup: &Lookup<'_>) -> Option<Selection> {
        let tool = draft.tool.as_ref()?;
        let found = match lookup(tool) {
            Ok(found) => found,
            Err(why) => {
                self.problems.push(PlanProblem::task(&draft.name(), why));
                return None;
            }
        };
        if draft.retry.is_some() && !is_repeatable(found.hints) {
            let message = format!(
                "needs a tool marked read_only or idempotent, and `{tool}` is marked neither"
            );
            self.problems.push(PlanProblem::field(&draft.name(), "retry", message));
        }
        let checked = draft.known_params();
        let checked = checked.map(|(known, later)| found.input.check_early(known, &later));
        for problem in checked.into_iter().flatten() {
            let field = param_field(&problem.field);
            let problem = PlanProblem::field(&draft.name(), &field, problem.message);
            self.problems.push(problem);
        }
        found.select
    }

    fn needs(&mut self, draft: &Draft) -> Vec<Need> {
        let mut needs: BTreeMap<usize, bool> = BTreeMap::new();
        for id in &draft.after {
            match self.ids.get(id.as_str()) {
                Some(place) => {
                    needs.entry(*place).or_default();
                }
                None => self.unknown(draft, "after", None, id),
            }
        }
        for mention in &draft.mentions {
            match self.ids.get(mention.root.as_str()) {
                Some(place) => *needs.entry(*place).or_default() |= !mention.has_default,
                None => self.unknown(draft, &mention.field, Some(mention.column), &mention.root),
            }
        }
        let needs = needs.into_iter();
        needs.map(|(task, result)| Need { task, result }).collect()
    }

    fn unknown(&mut self, draft: &Draft, field: &str, column: Option<usize>, id: &str) {
        if !self.is_whole {
            return;
        }
        let verb = if column.is_some() { "there is" } else { "names" };
        let mut message = format!("{verb} {}", self.no_task(id));
        if field.starts_with("params") {
            message = format!("{message} ({ESCAPE})");
        }
        self.problems
            .push(PlanProblem { column, ..PlanProblem::field(&draft.name(), field, message) });
    }

    fn no_task(&self, id: &str) -> String {
        let near = did_you_mean(id, self.ids.keys().copied());
        let help = match near {
            _ if is_of_item(id) => {
                "; a `foreach` on the same task would give it a meaning".to_owned()
            }
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        format!("no task `{}`{help}", model::shorten(id))
    }

    fn ordered(&mut self, needs: &[Vec<Need>]) -> Vec<usize> {
        let name = |place: &usize| self.drafts[*place].written_id.as_deref().unwrap_or_default();
        let of_name = |(id, place): (&&'d str, &usize)| {
            let needs = needs[*place].iter().map(|need| name(&need.task)).collect();
            (*id, needs)
        };
        let graph: BTreeMap<&str, Vec<&str>> = self.ids.iter().map(of_name).collect();
        let order = order(&graph);
        let cycles = order.cycles.iter().map(|cycle| PlanProblem::whole(circular(cycle)));
        self.problems.extend(cycles);
        order.order.iter().map(|id| self.ids[id]).collect()
    }
}

/// `params.page`, `params["a b"]`; `params` for all of them.
fn param_field(path: &str) -> String {
    match path {
        "" => "params".to_owned(),
        path if path.contains(['.', '[']) => format!("params.{path}"),
        name => format!("params{}", show_name(name)),
    }
}

/// May a call be made twice?
fn is_repeatable(hints: Hints) -> bool {
    hints.read_only == Some(true) || hints.idempotent == Some(true)
}
