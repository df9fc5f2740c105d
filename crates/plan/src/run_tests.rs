//! Runs by hand: what starts when, what is left out and why, and the answer.

#![expect(
    clippy::needless_pass_by_value,
    reason = "tables of json! read better without an ampersand each"
)]

use super::*;
use model::{Args, Hints};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A run whose calls are answered by name: `a`, or `a[2]` for an item.
struct Play {
    run: Run,
    now: Duration,
    open: Vec<(String, Job, Args)>,
}

/// Tasks by id, each with its other fields.
fn play(tasks: Value) -> Play {
    play_within(PlanLimits::default(), tasks)
}

fn play_within(limits: PlanLimits, tasks: Value) -> Play {
    let task = |(id, fields): (&String, &Value)| {
        let mut task = json!({"id": id, "module": "m", "tool": "t", "raw_output": true});
        for (key, value) in fields.as_object().unwrap() {
            task[key] = value.clone();
        }
        task
    };
    let tasks: Value = tasks.as_object().unwrap().iter().map(task).collect();
    let hints = Hints { read_only: Some(true), ..Hints::default() };
    let plan = Plan::read(&tasks, limits, &|_| Ok(hints.into()));
    Play {
        run: Run::new(plan.unwrap_or_else(|refused| panic!("{refused}"))),
        now: Duration::ZERO,
        open: Vec::new(),
    }
}

impl Play {
    /// Names what starts now.
    #[track_caller]
    fn starts(mut self, expected: &str) -> Self {
        let starts = self.run.start(self.now);
        let mut names = Vec::new();
        for Start { job, args } in starts {
            let task = self.run.task(job);
            let item = task.foreach.as_ref().map(|_| format!("[{}]", job.item()));
            let name = format!("{}{}", task.id, item.unwrap_or_default());
            names.push(name.clone());
            self.open.push((name, job, args));
        }
        assert_eq!(names.join(" "), expected);
        self
    }

    /// What an open call was given.
    #[track_caller]
    fn given(self, name: &str, expected: Value) -> Self {
        let open = self.open.iter().find(|(open, ..)| open == name).unwrap();
        assert_eq!(json!(open.2), expected);
        self
    }

    fn end(mut self, name: &str, result: Result<Value, Failure>) -> Self {
        let place = self.open.iter().position(|(open, ..)| open == name);
        let (_, job, _) = self.open.remove(place.unwrap_or_else(|| panic!("{name} is not open")));
        self.run.ended(job, result, self.now);
        self
    }

    fn ok(self, name: &str, result: Value) -> Self {
        self.end(name, Ok(result))
    }

    fn fail(self, name: &str) -> Self {
        self.end(name, Err(Failure::new("failed", "no luck")))
    }

    fn busy(self, name: &str) -> Self {
        let failure = Failure::new("http_503", "busy").passing(Passing::Status(503));
        self.end(name, Err(failure))
    }

    fn at(mut self, millis: u64) -> Self {
        self.now = Duration::from_millis(millis);
        self
    }

    #[track_caller]
    fn wakes(self, millis: Option<u128>) -> Self {
        assert_eq!(self.run.wake().map(|time| time.as_millis()), millis);
        self
    }

    fn halt(mut self, halt: Halt) -> Self {
        self.run.halt(halt, self.now);
        self
    }

    #[track_caller]
    fn answers(self, expected: Value) -> bool {
        assert!(self.run.is_done());
        let report = self.run.report(self.now);
        let is_error = report.is_error();
        assert_eq!(report.answer(Map::new()), expected);
        is_error
    }

    /// `a ok, b error: message`.
    #[track_caller]
    fn ends(self, expected: &str) {
        assert!(self.run.is_done());
        let answer = self.run.report(self.now).answer(Map::new());
        let tasks = answer["tasks"].as_object().unwrap().iter().map(|(id, task)| {
            let status = task["status"].as_str().unwrap();
            match answer["errors"][id]["message"].as_str() {
                Some(message) => format!("{id} {status}: {message}"),
                None => format!("{id} {status}"),
            }
        });
        assert_eq!(tasks.collect::<Vec<_>>().join(", "), expected);
    }
}

#[test]
fn a_chain_hands_its_results_on() {
    let is_error = play(json!({
        "page": {"params": {"page_id": "${search.results[0].id}", "all": "${json(search)}"}},
        "search": {"params": {"query": "設計"}, "raw_output": false},
    }))
    .starts("search")
    .given("search", json!({"query": "設計"}))
    .starts("")
    .at(20)
    .ok("search", json!({"results": [{"id": "p1"}]}))
    .starts("page")
    .given("page", json!({"page_id": "p1", "all": "{\"results\":[{\"id\":\"p1\"}]}"}))
    .at(50)
    .ok("page", json!("text"))
    .starts("")
    .answers(json!({
        "results": {"page": "text"},
        "errors": {},
        "tasks": {"page": {"status": "ok", "ms": 30}, "search": {"status": "ok", "ms": 20}},
    }));
    assert!(!is_error);
}

#[test]
fn at_most_eight_at_once() {
    let tasks: Map<String, Value> = (0..10).map(|i| (format!("t{i}"), json!({}))).collect();
    play(Value::Object(tasks))
        .starts("t0 t1 t2 t3 t4 t5 t6 t7")
        .starts("")
        .ok("t5", json!(1))
        .ok("t0", json!(1))
        .starts("t8 t9");
    play(json!({"a": {"foreach": [0, 1, 2, 3, 4, 5]}, "b": {"foreach": [0, 1, 2]}, "c": {}}))
        .starts("a[0] a[1] a[2] a[3] a[4] a[5] b[0] b[1]")
        .ok("a[3]", json!(1))
        .starts("b[2]")
        .ok("b[0]", json!(1))
        .starts("c");
}

#[test]
fn a_failure_skips_what_depends_on_it_and_nothing_else() {
    let is_error = play(json!({
        "a": {},
        "b": {"after": ["a"]},
        "c": {"params": {"x": "${b.x ?? 1}"}},
        "d": {},
        "e": {"after": ["d"]},
    }))
    .starts("a d")
    .fail("a")
    .starts("")
    .ok("d", json!(1))
    .starts("e")
    .ok("e", json!(2))
    .answers(json!({
        "results": {"d": 1, "e": 2},
        "errors": {
            "a": {"code": "failed", "message": "no luck"},
            "b": {"code": "skipped", "message": "skipped because `a` failed"},
            "c": {"code": "skipped", "message": "skipped because `b` was skipped: `a` failed"},
        },
        "tasks": {
            "a": {"status": "error", "ms": 0},
            "b": {"status": "skipped", "ms": 0},
            "c": {"status": "skipped", "ms": 0},
            "d": {"status": "ok", "ms": 0},
            "e": {"status": "ok", "ms": 0},
        },
    }));
    assert!(!is_error);
}

#[test]
fn continue_lets_dependents_run_unless_they_need_the_result() {
    play(json!({
        "a": {"on_error": "continue"},
        "after": {"after": ["a"]},
        "default": {"params": {"x": "${a.x ?? 7}"}},
        "needs": {"params": {"x": "${a.x}", "y": "${a.x ?? 7}"}},
    }))
    .starts("a")
    .fail("a")
    .starts("after default")
    .given("default", json!({"x": 7}))
    .ok("after", json!(1))
    .ok("default", json!(1))
    .ends("a error: no luck, after ok, default ok, needs skipped: skipped because `a` failed");
    play(json!({
        "a": {},
        "b": {"after": ["a"], "on_error": "continue"},
        "c": {"after": ["b"]},
    }))
    .starts("a")
    .fail("a")
    .starts("c")
    .ok("c", json!(1))
    .ends("a error: no luck, b skipped: skipped because `a` failed, c ok");
}

#[test]
fn when_decides_and_is_no_failure() {
    let tasks = json!({
        "a": {},
        "b": {"when": "${a.n} > 0"},
        "after": {"after": ["b"]},
        "default": {"params": {"x": "${b.x ?? 0}"}},
        "needs": {"params": {"x": "${b.x}"}},
    });
    play(tasks.clone())
        .starts("a")
        .ok("a", json!({"n": 0}))
        .starts("after default")
        .given("default", json!({"x": 0}))
        .ok("after", json!(1))
        .ok("default", json!(1))
        .ends("a ok, b skipped, after ok, default ok, needs skipped: skipped because `b` was not wanted by its `when`");
    play(tasks.clone())
        .starts("a")
        .ok("a", json!({"n": 1}))
        .starts("b")
        .ok("b", json!({"x": 2}))
        .starts("after default needs")
        .given("needs", json!({"x": 2}));
    play(tasks)
        .starts("a")
        .ok("a", json!({"m": 1}))
        .starts("")
        .ends(
            "a ok, b error: `when`: `a` has no `n`; it has m, \
             after skipped: skipped because `b` failed, default skipped: skipped because `b` failed, \
             needs skipped: skipped because `b` failed",
        );
    let is_error = play(json!({"a": {"when": "1 > 2"}})).starts("").answers(json!({
        "results": {}, "errors": {}, "tasks": {"a": {"status": "skipped", "ms": 0}},
    }));
    assert!(!is_error);
}

#[test]
fn what_a_reference_does_not_find_fails_the_task_alone() {
    play(json!({
        "a": {},
        "b": {"params": {"list": ["${a.results[3].id}"]}},
        "c": {"params": {"text": "see ${a.results}"}},
        "d": {"foreach": "${a.total}"},
        "e": {"foreach": "${a.many}"},
        "f": {"foreach": "${a.pages}"},
    }))
    .starts("a")
    .ok("a", json!({"results": [], "total": 3, "many": vec![0; 101]}))
    .starts("")
    .ends(
        "a ok, b error: `params.list[0]`: `a.results` has 0 items, and no [3], \
         c error: `params.text`: `a.results` is a list, which text cannot hold; write ${json(a.results)} for its JSON, \
         d error: `foreach` needs a list, not a number, \
         e error: `foreach` may have 100 items, and this has 101, \
         f error: `foreach`: `a` has no `pages`; it has results, total, many",
    );
}

#[test]
fn what_a_result_says_stays_text() {
    play(json!({
        "other": {},
        "evil": {},
        "whole": {"params": {"x": "${evil.text}"}, "after": ["other"]},
        "inside": {"params": {"x": "> ${evil.text}", "y": "${json(evil)}"}, "after": ["other"]},
        "each": {"foreach": "${evil.list}", "params": {"x": "${item} ${item}"}},
        "list": {"foreach": ["$${other.secret}", "${evil.text}"], "params": {"x": "${item}"}},
    }))
    .starts("other evil")
    .ok("other", json!({"secret": "s3cret"}))
    .ok("evil", json!({"text": "${other.secret}", "list": ["${other.secret}"]}))
    .starts("whole inside each[0] list[0] list[1]")
    .given("whole", json!({"x": "${other.secret}"}))
    .given("inside", json!({"x": "> ${other.secret}", "y": "{\"text\":\"${other.secret}\",\"list\":[\"${other.secret}\"]}"}))
    .given("each[0]", json!({"x": "${other.secret} ${other.secret}"}))
    .given("list[0]", json!({"x": "${other.secret}"}))
    .given("list[1]", json!({"x": "${other.secret}"}));
}

#[test]
fn each_item_has_its_call_and_results_keep_the_order() {
    play(json!({
        "s": {},
        "p": {"foreach": "${s.results}", "params": {"id": "${item.id}", "n": "${index}", "of": "${s.q}"}},
        "last": {"params": {"all": "${p[*].t}", "end": "${p.results[-1].t}"}},
    }))
    .starts("s")
    .ok("s", json!({"q": "x", "results": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}))
    .starts("p[0] p[1] p[2]")
    .given("p[2]", json!({"id": "c", "n": 2, "of": "x"}))
    .ok("p[2]", json!({"t": 3}))
    .ok("p[0]", json!({"t": 1}))
    .starts("")
    .ok("p[1]", json!({"t": 2}))
    .starts("last")
    .given("last", json!({"all": [1, 2, 3], "end": 3}))
    .ok("last", json!(1))
    .ends("s ok, p ok, last ok");
    play(json!({"s": {}, "p": {"foreach": "${s.results}"}}))
        .starts("s")
        .ok("s", json!([]))
        .starts("")
        .answers(json!({
            "results": {"s": [], "p": []},
            "errors": {},
            "tasks": {"s": {"status": "ok", "ms": 0}, "p": {"status": "ok", "ms": 0}},
        }));
}

#[test]
fn an_item_that_fails_ends_the_list_or_leaves_a_hole() {
    let ten: Vec<u8> = (0..10).collect();
    play(json!({"p": {"foreach": ten}, "q": {"after": ["p"]}}))
        .starts("p[0] p[1] p[2] p[3] p[4] p[5] p[6] p[7]")
        .fail("p[3]")
        .starts("")
        .ok("p[0]", json!(1))
        .fail("p[1]")
        .ok("p[2]", json!(1))
        .ok("p[4]", json!(1))
        .ok("p[5]", json!(1))
        .ok("p[6]", json!(1))
        .starts("")
        .ok("p[7]", json!(1))
        .starts("")
        .ends("p error: `p[1]`: no luck; another item failed too, q skipped: skipped because `p` failed");
    play(json!({"p": {"foreach": [0, 1, 2], "on_error": "continue"}, "q": {"params": {"x": "${p}"}}}))
        .starts("p[0] p[1] p[2]")
        .fail("p[1]")
        .ok("p[2]", json!("c"))
        .ok("p[0]", json!("a"))
        .starts("q")
        .given("q", json!({"x": ["a", null, "c"]}))
        .ok("q", json!(1))
        .answers(json!({
            "results": {"p": ["a", null, "c"], "q": 1},
            "errors": {"p[1]": {"code": "failed", "message": "no luck"}},
            "tasks": {"p": {"status": "ok", "ms": 0}, "q": {"status": "ok", "ms": 0}},
        }));
    play(json!({
        "p": {"foreach": [0, 1, 2], "on_error": "continue"},
        "q": {"params": {"x": "${p}"}},
        "r": {"after": ["p"]},
    }))
    .starts("p[0] p[1] p[2]")
    .fail("p[0]")
    .fail("p[1]")
    .fail("p[2]")
    .starts("r")
    .ok("r", json!(1))
    .ends("p error: `p[0]`: no luck; 2 other items failed too, q skipped: skipped because `p` failed, r ok");
}

#[test]
fn when_of_an_item_leaves_that_item_out() {
    play(json!({"p": {"foreach": [1, 2, 3], "when": "${item} != 2", "params": {"i": "${index}"}}}))
        .starts("p[0] p[2]")
        .given("p[2]", json!({"i": 2}))
        .ok("p[2]", json!("c"))
        .ok("p[0]", json!("a"))
        .answers(json!({
            "results": {"p": ["a", "c"]}, "errors": {}, "tasks": {"p": {"status": "ok", "ms": 0}},
        }));
    play(json!({"p": {"foreach": [1, 2], "when": "${index} > 5"}})).starts("").answers(json!({
        "results": {"p": []}, "errors": {}, "tasks": {"p": {"status": "ok", "ms": 0}},
    }));
    // One that speaks of others is asked before the list is looked at.
    play(json!({"a": {}, "p": {"foreach": "${a.list}", "when": "${a.n} > 0"}}))
        .starts("a")
        .ok("a", json!({"n": 0}))
        .starts("")
        .ends("a ok, p skipped");
    play(json!({"p": {"foreach": [1, "x"], "when": "${item} > 0", "on_error": "continue"}}))
        .starts("p[0]")
        .ok("p[0]", json!(1))
        .answers(json!({
            "results": {"p": [1, null]},
            "errors": {"p[1]": {"code": "when", "message": "`when`: a string and a number have no order; < and > compare two numbers or two strings"}},
            "tasks": {"p": {"status": "ok", "ms": 0}},
        }));
}

#[test]
fn what_may_pass_is_tried_again() {
    play(json!({"a": {"retry": {"max": 2}}}))
        .starts("a")
        .at(100)
        .busy("a")
        .starts("")
        .wakes(Some(350))
        .at(349)
        .starts("")
        .at(350)
        .starts("a")
        .wakes(None)
        .at(400)
        .busy("a")
        .wakes(Some(900))
        .at(900)
        .starts("a")
        .at(901)
        .busy("a")
        .wakes(None)
        .starts("")
        .answers(json!({
            "results": {},
            "errors": {"a": {"code": "http_503", "message": "busy"}},
            "tasks": {"a": {"status": "error", "ms": 901}},
        }));
    play(json!({"a": {"retry": {"max": 2}}, "b": {"retry": {"max": 2, "on": [429]}}, "c": {}}))
        .starts("a b c")
        .fail("a")
        .busy("b")
        .busy("c")
        .wakes(None)
        .ends("a error: no luck, b error: busy, c error: busy");
    play(json!({"p": {"foreach": [0, 1], "retry": {"max": 1}, "params": {"i": "${index}"}}}))
        .starts("p[0] p[1]")
        .busy("p[1]")
        .ok("p[0]", json!("a"))
        .at(250)
        .starts("p[1]")
        .given("p[1]", json!({"i": 1}))
        .ok("p[1]", json!("b"))
        .ends("p ok");
}

#[test]
fn an_item_that_waits_is_given_up_with_its_list() {
    play(json!({"p": {"foreach": [0, 1], "retry": {"max": 1}}}))
        .starts("p[0] p[1]")
        .busy("p[1]")
        .fail("p[0]")
        .wakes(None)
        .ends("p error: `p[0]`: no luck");
    play(json!({"p": {"foreach": [0, 1], "retry": {"max": 1}}}))
        .starts("p[0] p[1]")
        .fail("p[0]")
        .busy("p[1]")
        .wakes(None)
        .ends("p error: `p[0]`: no luck");
}

#[test]
fn a_halt_ends_what_has_not_ended() {
    let tasks = json!({"a": {}, "b": {}, "c": {"after": ["b"]}, "d": {"retry": {"max": 1}}});
    let halted = play(tasks.clone())
        .starts("a b d")
        .at(10)
        .ok("a", json!(1))
        .busy("d")
        .at(20)
        .halt(Halt::Cancelled)
        .wakes(None)
        .starts("")
        .ok("b", json!("late"));
    let cancelled = json!({"code": "cancelled", "message": "the batch was cancelled"});
    let is_error = halted.starts("").answers(json!({
        "results": {"a": 1},
        "errors": {"b": cancelled, "c": cancelled, "d": cancelled},
        "tasks": {
            "a": {"status": "ok", "ms": 10},
            "b": {"status": "cancelled", "ms": 20},
            "c": {"status": "cancelled", "ms": 0},
            "d": {"status": "cancelled", "ms": 20},
        },
    }));
    assert!(!is_error);
    play(json!({"a": {}}))
        .starts("a")
        .at(120_000)
        .halt(Halt::OutOfTime)
        .ends("a cancelled: the batch was stopped after 120 s, the time one batch may take");
    let is_error = play(tasks).starts("a b d").halt(Halt::OutOfTime).run.report(Duration::ZERO);
    assert!(is_error.is_error());
}

#[test]
fn an_answer_is_an_error_when_nothing_came_of_it() {
    let check = |play: Play, expected: bool| {
        assert!(play.run.is_done());
        assert_eq!(play.run.report(Duration::ZERO).is_error(), expected);
    };
    check(play(json!({"a": {}, "b": {"after": ["a"]}})).starts("a").fail("a").starts(""), true);
    check(play(json!({"a": {}, "b": {}})).starts("a b").fail("a").fail("b"), true);
    check(play(json!({"a": {}, "b": {}})).starts("a b").fail("a").ok("b", json!(1)), false);
    check(play(json!({"a": {}, "b": {"when": "1 > 2"}})).starts("a").fail("a"), true);
    check(play(json!({"a": {"when": "1 > 2"}, "b": {"params": {"x": "${a}"}}})).starts(""), false);
    check(play(json!({"a": {"foreach": []}})).starts(""), false);
}

#[test]
fn a_job_is_heard_once() {
    let mut play = play(json!({"a": {"retry": {"max": 1}}, "b": {"after": ["a"]}})).starts("a");
    let first = play.open[0].1;
    play = play.busy("a").at(250).starts("a");
    let (now, second) = (play.now, play.open[0].1);
    assert_eq!((first.number(), second.number()), (1, 2));
    play.run.ended(first, Ok(json!("of the first try")), now);
    let stages: Vec<Stage> = play.run.stages().map(|(_, stage)| stage).collect();
    assert_eq!(stages, [Stage::Running { ended: 0, of: 1 }, Stage::Waiting]);
    play = play.ok("a", json!(1));
    play.run.ended(second, Err(Failure::new("x", "again")), now);
    play.starts("b").ok("b", json!(1)).ends("a ok, b ok");
}

#[test]
fn stages_follow_the_run() {
    let stages = |play: &Play| {
        let stages = play.run.stages().map(|(_, stage)| stage);
        stages.collect::<Vec<_>>()
    };
    let play = play(json!({"a": {"foreach": [1, 2]}, "b": {"after": ["a"]}}));
    assert_eq!(stages(&play), [Stage::Waiting, Stage::Waiting]);
    let play = play.starts("a[0] a[1]").ok("a[1]", json!(1));
    let running = Stage::Running { ended: 1, of: 2 };
    assert_eq!(stages(&play), [running, Stage::Waiting]);
    let play = play.fail("a[0]").starts("");
    let ended = [Stage::Ended(Status::Error), Stage::Ended(Status::Skipped)];
    assert_eq!(stages(&play), ended);
}

#[test]
fn what_finds_no_room_still_waits() {
    let tasks: serde_json::Map<String, Value> =
        (0..10).map(|number| (format!("t{number}"), json!({}))).collect();
    let play = play(Value::Object(tasks)).starts("t0 t1 t2 t3 t4 t5 t6 t7");
    let stages = play.run.stages().map(|(_, stage)| stage);
    let waiting = stages.filter(|stage| *stage == Stage::Waiting).count();
    assert_eq!(waiting, 2);
}

#[test]
fn failed_items_are_told_from_results_that_are_null() {
    let run = play(json!({
        "p": {"foreach": [1, 2, 3, 4], "when": "${item} != 1", "on_error": "continue"},
        "q": {},
    }))
    .starts("p[1] p[2] p[3] q")
    .ok("p[1]", json!(null))
    .fail("p[2]")
    .ok("p[3]", json!(3))
    .ok("q", json!(null))
    .run;
    let report = run.report(Duration::ZERO);
    let shown: Vec<_> = report
        .tasks()
        .filter_map(|ended| Some((Value::clone(ended.value?), ended.failed)))
        .collect();
    let expected = [(json!([null, null, 3]), Some([1].as_slice())), (json!(null), None)];
    assert_eq!(shown, expected);
}

#[test]
fn results_are_shown_in_their_form() {
    let run = play(json!({
        "quiet": {"raw_output": false},
        "raw": {},
        "text": {"raw_output": false, "output": true},
        "toon": {"raw_output": false, "output": "toon"},
    }))
    .starts("quiet raw text toon")
    .ok("quiet", json!([1]))
    .ok("raw", json!({"a": [1]}))
    .ok("text", json!({"b": 1}))
    .ok("toon", json!([2]))
    .run;
    let report = run.report(Duration::ZERO);
    let shown: Vec<(&str, &Value)> = report
        .tasks()
        .filter_map(|ended| Some((ended.task.id.as_str(), &**ended.value?)))
        .collect();
    assert_eq!(
        shown,
        [("raw", &json!({"a": [1]})), ("text", &json!({"b": 1})), ("toon", &json!([2]))]
    );
    let mut forms = Map::new();
    forms.insert("toon".to_owned(), json!("[1]: 2"));
    forms.insert("quiet".to_owned(), json!("not asked for"));
    let results = json!({"raw": {"a": [1]}, "text": "{\"b\":1}", "toon": "[1]: 2"});
    assert_eq!(report.answer(forms)["results"], results);
}

/// Small enough that a few hundred characters matter.
fn small_limits() -> PlanLimits {
    PlanLimits { copied_bytes: 1000, argument_bytes: 1000, ..PlanLimits::default() }
}

#[test]
fn references_beyond_the_budget_fail_their_task() {
    let text = "x".repeat(300);
    let check = |params: Value, path: &str, value: &str| {
        let tasks = json!({"a": {}, "b": {"params": params}, "c": {"after": ["b"]}});
        let run = play_within(small_limits(), tasks).starts("a");
        let run = run.ok("a", json!([text, text])).starts("");
        let answer = run.run.report(Duration::ZERO).answer(Map::new());
        let message = format!(
            "`params{path}`: `{value}` does not fit: references may copy at most 1000 bytes into the \
             arguments of one call (limit `result`); refer only to the parts that `b` needs"
        );
        let expected = json!({"code": "too_large", "message": message});
        assert_eq!(answer["errors"]["b"], expected, "{params}");
        assert_eq!(answer["tasks"]["c"]["status"], "skipped");
    };
    check(json!({"v": ["${a[0]}", "${a[1]}", "${a[0]}"]}), ".v[2]", "a[0]");
    check(json!({"v": {"x": "${a}", "y": "${a}"}}), ".v.y", "a");
    check(json!({"v": ["${a[*]}", "${a[*]}"]}), ".v[1]", "a");
    check(json!({"v": "${a[0]} ${a[0]} ${a[0]} ${a[0]}"}), ".v", "a[0]");
    check(json!({"v": ["${json(a)}", "${json(a)}"]}), ".v[1]", "a");
    let default = format!("${{a[9] ?? \"{text}\"}}");
    check(json!({"v": vec![default; 3]}), ".v[2]", "a[9]");
}

#[test]
fn written_params_have_no_budget_of_their_own() {
    let text = "x".repeat(5000);
    let params = json!({"v": text, "w": "${a}"});
    play_within(small_limits(), json!({"a": {}, "b": {"params": params}}))
        .starts("a")
        .ok("a", json!(1))
        .starts("b")
        .given("b", json!({"v": text, "w": 1}));
}

#[test]
fn large_arguments_wait_for_those_of_others() {
    let large = json!({"params": {"v": "x".repeat(600)}});
    let huge = json!({"params": {"v": "x".repeat(2000)}});
    play_within(small_limits(), json!({"a": large, "b": large, "c": huge, "d": large, "e": {}}))
        .starts("a")
        .starts("")
        .ok("a", json!(1))
        .starts("b")
        .ok("b", json!(1))
        .starts("c")
        .ok("c", json!(1))
        .starts("d e")
        .ok("d", json!(1))
        .ok("e", json!(1))
        .ends("a ok, b ok, c ok, d ok, e ok");
}

#[test]
fn items_of_a_foreach_are_not_copied_before_they_are_needed() {
    let text = "x".repeat(900);
    let tasks = json!({
        "a": {},
        "b": {"foreach": "${a}", "params": {"n": "${index}"}},
        "c": {"foreach": ["${a}", {"n": "${a[0]}"}], "params": {"n": "${index}"}},
        "d": {"foreach": [["${a[0]}", "${a[0]}"]]},
        "e": {"foreach": "${a[*]}"},
    });
    play_within(small_limits(), tasks)
        .starts("a")
        .ok("a", json!([text, text]))
        .starts("b[0] b[1] c[0] c[1]")
        .given("b[1]", json!({"n": 1}))
        .ok("b[0]", json!(1))
        .ok("b[1]", json!(1))
        .ok("c[0]", json!(1))
        .ok("c[1]", json!(1))
        .ends(
            "a ok, b ok, c ok, \
             d error: `foreach[0][1]`: `a[0]` does not fit: references may copy at most 1000 bytes into the \
             arguments of one call (limit `result`); refer only to the parts that `d` needs, \
             e error: `foreach`: `a[0]` does not fit: references may copy at most 1000 bytes into the \
             arguments of one call (limit `result`); refer only to the parts that `e` needs",
        );
}
