//! What holds for every answer: of the corpus, and of thousands made at random.

use super::toon::to_toon;
use super::*;
use crate::{corpus, count_tokens};
use serde_json::{Map, json};
use toon_format::decode_default;

const WISH: Wish<'_> =
    Wish { format: None, select: None, declared: None, budget: usize::MAX, ways: Ways::CALL };

/// Numbers that look random and are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.roll(if depth == 0 { 6 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.roll(2) == 0),
            2 => json!(self.roll(1_000_000)),
            3 => serde_json::from_str(self.one(&["-1.5", "1e3", "0.1", "-7", "1.0", "12.50"]))
                .unwrap(),
            4 | 5 => json!(self.text()),
            6 => (0..self.roll(4)).map(|_| self.value(depth - 1)).collect(),
            7 => self.rows(depth - 1),
            _ => {
                let entries = (0..self.roll(5)).map(|_| (self.key(), self.value(depth - 1)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Rows that are alike, but for some.
    fn rows(&mut self, depth: usize) -> Value {
        let keys: Vec<String> = (0..=self.roll(4)).map(|_| self.key()).collect();
        let plain = if self.roll(3) == 0 { depth } else { 0 };
        let mut row = || {
            let mut row: Map<String, Value> =
                keys.iter().map(|k| (k.clone(), self.value(plain))).collect();
            if self.roll(9) == 0 {
                row.shift_remove(&keys[0]);
            }
            Value::Object(row)
        };
        (0..8).map(|_| row()).collect()
    }

    fn key(&mut self) -> String {
        self.one(&["id", "name", "user", "created_at", "a.b", "due date", "設計", "1", ""])
            .to_owned()
    }

    fn text(&mut self) -> String {
        let parts = [
            "a", "word ", "\n", ",", ":", "\"", "1", "true", "設計", "- ", "#", "\\", "é", " ",
            "[2]", "|",
        ];
        (0..self.roll(6)).map(|_| self.one(&parts)).collect()
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.roll(of.len())]
    }
}

/// The same, whatever way its numbers are written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            let fits =
                |(key, value): (&String, &Value)| other.get(key).is_some_and(|v| same(value, v));
            one.len() == other.len() && one.iter().all(fits)
        }
        (one, other) => one == other,
    }
}

/// What minified JSON costs with what clients need: a line before a list or scalar, and line breaks.
pub(super) fn cost_of_json(value: &Value) -> usize {
    let json = value.to_string();
    let line = if value.is_object() { "" } else { "(json)\n" };
    let breaks = lines::break_lines(json.clone()).len() - json.len();
    // A break may take a comma out of the token that it was in.
    count_tokens(&json) + count_tokens(line) + 2 * breaks
}

#[track_caller]
fn never_larger(name: &str, value: &Value) -> Compact {
    let json = value.to_string();
    let answer = compact(value, None, &WISH);
    let line = answer.first_line.as_deref();
    let cost = count_tokens(&answer.body) + line.map_or(0, count_tokens);
    assert_eq!(cost, answer.tokens);
    assert!(cost <= cost_of_json(value), "{name}: {json} as {}", answer.text());
    answer
}

#[track_caller]
fn comes_back(name: &str, value: &Value) {
    let toon = to_toon(value).unwrap();
    let back: Value = decode_default(&toon).unwrap_or_else(|e| panic!("{name}: {e}: {toon}"));
    assert!(same(&back, value), "{name}: {value} as {toon}");
}

#[test]
fn no_answer_gets_larger_and_toon_comes_back() {
    for (name, payload) in corpus::all("payloads").into_iter().chain(corpus::all("tools")) {
        comes_back(&name, &payload);
        let answer = never_larger(&name, &payload);
        let json = count_tokens(&payload.to_string());
        println!("{name}: {json} tokens, {} as {}", answer.tokens, answer.format);
    }
    let mut dice = Dice(7);
    for _ in 0..1_500 {
        let value = dice.value(4);
        comes_back("dice", &value);
        never_larger("dice", &value);
    }
}

#[test]
fn no_answer_is_over_its_budget_and_json_stays_json() {
    let mut dice = Dice(11);
    for _ in 0..1_000 {
        let value: Value = (0..10).map(|_| dice.value(3)).collect();
        let budget = 100 + dice.roll(200);
        let answer = compact(&value, None, &Wish { budget, ..WISH });
        assert!(answer.tokens <= budget, "{budget}: {value} as {answer:?}");
        let whole = Wish { budget, format: Some(Format::Json), ..WISH };
        let answer = compact(&value, None, &whole);
        assert!(answer.tokens <= budget, "{budget}: {value} as {answer:?}");
        serde_json::from_str::<Value>(&answer.body).unwrap();
    }
}

/// What authors would declare for these services, and what percentage is left; identifiers are dear.
#[test]
fn a_declaration_leaves_little() {
    let jira = json!([
        "key",
        "summary: fields.summary",
        "status: fields.status.name",
        "assignee: fields.assignee.displayName",
    ]);
    let github = json!(["number", "title", "state", "author: user.login"]);
    let notion = json!(["id", "title: properties.title.title[0].plain_text"]);
    for (name, select, bar) in
        [("github_list_issues", github, 2), ("jira_search", jira, 2), ("notion_search", notion, 12)]
    {
        let payload = corpus::read(&format!("payloads/{name}.json"));
        let declared = Selection::parse(&select).unwrap();
        let wish = Wish { declared: Some(&declared), ..WISH };
        let answer = compact(&payload, None, &wish);
        let json = count_tokens(&payload.to_string());
        println!("{name}: {json} tokens, {} as {}", answer.tokens, answer.format);
        assert_eq!(answer.format, Format::Toon, "{name}");
        assert!(answer.tokens * 100 <= json * bar, "{name}: {} of {json}", answer.tokens);
    }
}
