//! Ten thousand random plans on a fake runtime, beside what must come of each.

use super::dice::Dice;
use super::*;
use model::Hints;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const RETRY_MAX: u64 = 2;

/// One task, as it is meant.
struct Spec {
    needs: Vec<Link>,
    goes_on: bool,
    retries: bool,
    when: Option<bool>,
    list: Option<List>,
    /// A reference in it leads nowhere.
    broken: bool,
    /// Of each item, its failures before it succeeds; `None` if it fails for good.
    luck: Vec<Option<u64>>,
}

struct Link {
    to: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    After,
    Reference,
    WithDefault,
}

#[derive(Clone, Copy)]
struct List {
    items: usize,
    /// Item 1 is not wanted.
    skips_one: bool,
}

impl List {
    fn wants(self, item: usize) -> bool {
        !(self.skips_one && item == 1)
    }
}

impl Spec {
    fn random(dice: &mut Dice, place: usize) -> Self {
        let mut needs = Vec::new();
        for _ in 0..dice.roll(4).min(place) {
            let kind = *dice.pick(&[Kind::After, Kind::Reference, Kind::WithDefault]);
            needs.push(Link { to: dice.roll(place), kind });
        }
        let list =
            dice.percent(30).then(|| List { items: dice.roll(5), skips_one: dice.percent(30) });
        let luck = |dice: &mut Dice| match dice.roll(12) {
            0 => None,
            1 => Some(1),
            2 => Some(2),
            3 => Some(3),
            _ => Some(0),
        };
        let items = list.map_or(1, |list| list.items);
        Self {
            needs,
            goes_on: dice.percent(30),
            retries: dice.percent(50),
            when: dice.percent(20).then(|| dice.percent(50)),
            list,
            broken: dice.percent(4),
            luck: (0..items).map(|_| luck(dice)).collect(),
        }
    }

    fn succeeds(&self, item: usize) -> bool {
        let most = if self.retries { RETRY_MAX } else { 0 };
        self.luck[item].is_some_and(|failures| failures <= most)
    }

    fn to_json(&self, place: usize) -> Value {
        let id = |place: usize| format!("t{place}");
        let with = |kind: Kind| self.needs.iter().filter(move |link| link.kind == kind);
        let mut params: Map<String, Value> = Map::new();
        for link in with(Kind::Reference) {
            params.insert(format!("r{}", link.to), json!(format!("${{{}}}", id(link.to))));
        }
        for link in with(Kind::WithDefault) {
            params.insert(format!("d{}", link.to), json!(format!("${{{} ?? -1}}", id(link.to))));
        }
        let mut task = json!({"id": id(place), "module": "m", "tool": "t", "raw_output": true});
        if let Some(list) = self.list {
            task["foreach"] = (0..list.items).map(|item| json!([item])).collect();
            params.insert("item".into(), json!("${item[0]}"));
            if list.skips_one {
                task["when"] = json!("${index} != 1");
            }
        }
        if self.broken {
            // The reference is to a list or a number, so it is sound and leads nowhere.
            let to = self.needs.iter().find(|link| link.kind == Kind::Reference);
            let path = to.map(|link| format!("${{{}.zebra}}", id(link.to)));
            params.insert("broken".into(), json!(path));
        }
        if let (Some(holds), None) = (self.when, task.get("when")) {
            task["when"] = json!(if holds { "1 < 2" } else { "1 > 2" });
        }
        task["after"] = with(Kind::After).map(|link| json!(id(link.to))).collect();
        task["params"] = Value::Object(params);
        if self.goes_on {
            task["on_error"] = json!("continue");
        }
        if self.retries {
            task["retry"] = json!({"max": RETRY_MAX});
        }
        task
    }

    /// Is there a reference to lead nowhere?
    fn is_broken(&self) -> bool {
        self.broken && self.needs.iter().any(|link| link.kind == Kind::Reference)
    }

    fn is_unwanted(&self) -> bool {
        let of_item = self.list.is_some_and(|list| list.skips_one);
        self.when == Some(false) && !of_item
    }
}

/// What must come of a task.
#[derive(Debug, Clone, PartialEq)]
enum Fate {
    Ok(Value),
    Error,
    Unwanted,
    Skipped,
}

impl Fate {
    fn status(&self) -> &'static str {
        match self {
            Self::Ok(_) => "ok",
            Self::Error => "error",
            Self::Unwanted | Self::Skipped => "skipped",
        }
    }
}

/// Needs come before those that need them.
fn fates(specs: &[Spec]) -> Vec<Fate> {
    let mut fates: Vec<Fate> = Vec::new();
    for (place, spec) in specs.iter().enumerate() {
        let fate = fate(place, spec, specs, &fates);
        fates.push(fate);
    }
    fates
}

fn fate(place: usize, spec: &Spec, specs: &[Spec], fates: &[Fate]) -> Fate {
    let is_cause = |link: &Link| match (&fates[link.to], link.kind) {
        (Fate::Ok(_), _) => false,
        (_, Kind::Reference) => true,
        (Fate::Unwanted, _) => false,
        _ => !specs[link.to].goes_on,
    };
    if spec.needs.iter().any(is_cause) {
        return Fate::Skipped;
    }
    if spec.is_unwanted() {
        return Fate::Unwanted;
    }
    let Some(list) = spec.list else {
        let succeeds = spec.succeeds(0) && !spec.is_broken();
        return if succeeds { Fate::Ok(json!([place, 0])) } else { Fate::Error };
    };
    let wanted: Vec<usize> = (0..list.items).filter(|item| list.wants(*item)).collect();
    let good = |item: &usize| spec.succeeds(*item) && !spec.is_broken();
    let failed = wanted.iter().filter(|item| !good(item)).count();
    if failed > 0 && (!spec.goes_on || failed == wanted.len()) {
        return Fate::Error;
    }
    let result = |item: &usize| {
        if good(item) { json!([place, item]) } else { Value::Null }
    };
    Fate::Ok(wanted.iter().map(result).collect())
}

/// Plays a plan on a clock of its own and watches every rule.
struct Watch<'s> {
    specs: &'s [Spec],
    fates: &'s [Fate],
    run: Run,
    now: Duration,
    /// Calls under way, with the time they end.
    open: Vec<(Duration, usize, Job)>,
    /// How often each item of each task was started.
    tries: BTreeMap<(usize, usize), u64>,
}

impl Watch<'_> {
    fn play(&mut self, dice: &mut Dice, halt_after: Option<usize>) {
        for step in 0.. {
            if self.run.is_done() {
                break;
            }
            if halt_after == Some(step) {
                self.run.halt(Halt::Cancelled, self.now);
                assert_eq!(self.run.start(self.now), []);
                break;
            }
            for start in self.run.start(self.now) {
                self.started(&start, dice);
            }
            assert!(self.open.len() <= 8);
            self.one_ends();
        }
    }

    fn started(&mut self, start: &Start, dice: &mut Dice) {
        let id = self.run.task(start.job).id.as_str();
        let place: usize = id[1..].parse().unwrap();
        let item = start.job.item();
        let spec = &self.specs[place];
        for link in &spec.needs {
            let under_way = self.open.iter().any(|(_, of, _)| *of == link.to);
            assert!(!under_way, "t{place} started before t{} ended", link.to);
        }
        let started = self.tries.keys().map(|(of, _)| *of);
        let late =
            started.filter(|of| self.specs[*of].needs.iter().any(|link| link.to == place)).count();
        assert_eq!(late, 0, "t{place} started after one that needs it");
        assert!(!matches!(self.fates[place], Fate::Unwanted | Fate::Skipped), "t{place} started");
        assert!(spec.list.is_none_or(|list| list.wants(item)));
        self.has_right_args(place, item, start);
        let tries = self.tries.entry((place, item)).or_default();
        *tries += 1;
        assert_eq!(start.job.number(), *tries);
        let time = Duration::from_millis(1 + dice.roll(40) as u64);
        self.open.push((self.now + time, place, start.job));
    }

    fn has_right_args(&self, place: usize, item: usize, start: &Start) {
        let mut expected = Map::new();
        for link in &self.specs[place].needs {
            let result = match &self.fates[link.to] {
                Fate::Ok(result) => result.clone(),
                _ => json!(-1),
            };
            match link.kind {
                Kind::After => {}
                Kind::Reference => drop(expected.insert(format!("r{}", link.to), result)),
                Kind::WithDefault => drop(expected.insert(format!("d{}", link.to), result)),
            }
        }
        if self.specs[place].list.is_some() {
            expected.insert("item".to_owned(), json!(item));
        }
        if self.specs[place].broken {
            expected.insert("broken".to_owned(), Value::Null);
        }
        assert_eq!(start.args, expected, "t{place}");
    }

    fn one_ends(&mut self) {
        let first = (0..self.open.len()).min_by_key(|i| self.open[*i].0);
        let wake = self.run.wake();
        match (first, wake) {
            (None, None) => assert!(self.run.is_done(), "waits for nothing"),
            (None, Some(wake)) => self.now = wake,
            (Some(first), Some(wake)) if wake < self.open[first].0 && wake > self.now => {
                self.now = wake;
            }
            (Some(first), _) => {
                let (time, place, job) = self.open.swap_remove(first);
                self.now = self.now.max(time);
                self.run.ended(job, self.result(place, job), self.now);
            }
        }
    }

    fn result(&self, place: usize, job: Job) -> Result<Value, Failure> {
        match self.specs[place].luck[job.item()] {
            None => Err(Failure::new("failed", "for good")),
            Some(failures) if job.number() <= failures => {
                Err(Failure::new("http_429", "later").passing(Passing::Status(429)))
            }
            Some(_) => Ok(json!([place, job.item()])),
        }
    }

    /// Started as often as its luck made it, and not once more.
    fn has_right_tries(&self) {
        for ((place, item), tries) in &self.tries {
            let spec = &self.specs[*place];
            let most = if spec.retries { RETRY_MAX + 1 } else { 1 };
            let wanted = spec.luck[*item].map_or(1, |failures| most.min(failures + 1));
            assert!(*tries <= wanted, "t{place}[{item}] was tried {tries} times");
            if matches!(self.fates[*place], Fate::Ok(_)) {
                assert_eq!(*tries, wanted, "t{place}[{item}]");
            }
        }
    }
}

fn check(answer: &Value, specs: &[Spec], fates: &[Fate], is_halted: bool) {
    for (place, fate) in fates.iter().enumerate() {
        let id = format!("t{place}");
        let status = answer["tasks"][&id]["status"].as_str().unwrap();
        if is_halted && status == "cancelled" {
            continue;
        }
        assert_eq!(status, fate.status(), "{id}");
        let result = answer["results"].get(&id);
        assert_eq!(result, if let Fate::Ok(value) = fate { Some(value) } else { None }, "{id}");
        let message = answer["errors"][&id]["message"].as_str();
        match fate {
            Fate::Skipped => {
                let causes = specs[place].needs.iter().map(|link| link.to);
                let named =
                    |to: usize| message.unwrap().starts_with(&format!("skipped because `t{to}` "));
                let cause = causes.clone().find(|to| named(*to));
                let cause = cause.unwrap_or_else(|| panic!("{id} names no cause: {message:?}"));
                assert!(!matches!(fates[cause], Fate::Ok(_)));
            }
            Fate::Error => assert!(message.is_some()),
            Fate::Ok(_) | Fate::Unwanted => assert_eq!(message, None),
        }
    }
}

#[test]
fn ten_thousand_plans_go_as_they_must() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let counts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|seed| scope.spawn(move || play_some(2_500, Dice(seed)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for status in counts.into_iter().flatten() {
        *seen.entry(status).or_default() += 1;
    }
    let enough = seen.len() == 3 && seen.values().all(|count| *count > 3_000);
    assert!(enough, "too few of a kind: {seen:?}");
}

/// Gives the status of every task there was.
fn play_some(plans: usize, mut dice: Dice) -> Vec<&'static str> {
    let mut seen = Vec::new();
    for _ in 0..plans {
        let count = 1 + dice.roll(10);
        let specs: Vec<Spec> = (0..count).map(|place| Spec::random(&mut dice, place)).collect();
        let fates = fates(&specs);
        play_one(&specs, &fates, &mut dice);
        seen.extend(fates.iter().map(Fate::status));
    }
    seen
}

fn play_one(specs: &[Spec], fates: &[Fate], dice: &mut Dice) {
    let mut watch = Watch {
        specs,
        fates,
        run: Run::new(plan(specs, dice)),
        now: Duration::ZERO,
        open: Vec::new(),
        tries: BTreeMap::new(),
    };
    let halt_after = dice.percent(10).then(|| dice.roll(20));
    watch.play(dice, halt_after);
    let report = watch.run.clone().report(watch.now);
    if halt_after.is_none() {
        watch.has_right_tries();
        assert_eq!(watch.open, [], "ended with calls under way");
        let none_ok = !fates.iter().any(|fate| matches!(fate, Fate::Ok(_)));
        assert_eq!(report.is_error(), none_ok && fates.contains(&Fate::Error));
    }
    check(&report.answer(Map::new()), specs, fates, halt_after.is_some());
}

/// As written, those that need others may stand before them.
fn plan(specs: &[Spec], dice: &mut Dice) -> Plan {
    let tasks = specs.iter().enumerate();
    let mut tasks: Vec<Value> = tasks.map(|(place, spec)| spec.to_json(place)).collect();
    for i in (1..tasks.len()).rev() {
        tasks.swap(i, dice.roll(i + 1));
    }
    let hints = Hints { idempotent: Some(true), ..Hints::default() };
    let plan = Plan::read(&json!(tasks), PlanLimits::default(), &|_| Ok(hints.into()));
    plan.unwrap_or_else(|refused| panic!("{refused}"))
}
