//! Every result can be restored from its text and its note, and is never larger than minified JSON.

use super::property_tests::cost_of_json;
use super::*;
use crate::count_tokens;
use model::select::{Path, Step};
use serde_json::{Map, Number, json};
use toon_format::decode_default;

const WISH: Wish<'_> =
    Wish { format: None, select: None, declared: None, budget: usize::MAX, ways: Ways::CALL };

const SECTIONS: &str = "each result after its index";

/// Generates values from a seed.
struct Generator(u64);

const KEYS: [&str; 28] = [
    "id",
    "name",
    "user",
    "closed_at",
    "a",
    "b",
    "a.b",
    "a.",
    ".",
    "[*]",
    "[0]",
    "due date",
    " x ",
    "a, b",
    "a; b",
    "a)",
    "(toon)",
    "null in [*]: x",
    "\"",
    "a\"b",
    "\\",
    "line\nbreak",
    "設計",
    "日本",
    "1",
    "-",
    "",
    "\u{1}",
];

const TEXTS: [&str; 30] = [
    "a",
    "word ",
    "\n",
    "\r\n",
    ",",
    ":",
    "\"",
    "1",
    "-0",
    "true",
    "null",
    "設計",
    "- ",
    "#",
    "\\",
    "é",
    " ",
    "[2]",
    "[2]{a}:",
    "|",
    "{",
    "}",
    "\t",
    "~",
    "(toon)",
    "null in [*]: a",
    "\u{feff}",
    "\u{0}",
    "🙂",
    "---",
];

const NUMBERS: [&str; 30] = [
    "0",
    "-0",
    "-0.0",
    "0.0",
    "7",
    "-7",
    "-1.5",
    "1e3",
    "0.1",
    "1.0",
    "12.50",
    "1e-10",
    "1E-7",
    "1e20",
    "1e21",
    "1.5e300",
    "5e-324",
    "1e999",
    "1e-999",
    "-1e-999",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678901234567890",
    "3.14159265358979323846",
    "0.1000000000000000055",
    "100.000",
];

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn key(&mut self) -> String {
        let plain = self.below(2) == 0;
        self.one(if plain { &KEYS[..6] } else { &KEYS }).to_owned()
    }

    fn text(&mut self) -> String {
        (0..self.below(6)).map(|_| self.one(&TEXTS)).collect()
    }

    fn number(&mut self) -> Value {
        if self.below(3) > 0 {
            return json!(self.below(100_000));
        }
        serde_json::from_str(self.one(&NUMBERS)).unwrap()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 7 } else { 13 }) {
            0 | 1 => Value::Null,
            2 => json!(self.below(2) == 0),
            3 => self.number(),
            4..=6 => json!(self.text()),
            7 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            8..=10 => self.table(depth - 1),
            _ => {
                let entries = (0..self.below(5)).map(|_| (self.key(), self.value(depth - 1)));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Rows with the same fields, some of them null in every row; now and then a row lacks one.
    fn table(&mut self, depth: usize) -> Value {
        let plain = if self.below(3) == 0 { depth } else { 0 };
        let columns: Vec<(String, bool)> =
            (0..=self.below(5)).map(|_| (self.key(), self.below(3) == 0)).collect();
        let is_ragged = self.below(4) == 0;
        let count = [1, 2, 3, 8, 20][self.below(5)];
        let mut row = || {
            let mut row = Map::new();
            for (key, is_null) in &columns {
                if is_ragged && self.below(9) == 0 {
                    continue;
                }
                let cell = if *is_null { Value::Null } else { self.value(plain) };
                row.insert(key.clone(), cell);
            }
            Value::Object(row)
        };
        (0..count).map(|_| row()).collect()
    }
}

/// The value that a text in a notation stands for. A text that is the whole value stands for itself.
fn decode(answer: &Compact, is_text: bool) -> Value {
    let note = answer.note.as_deref().unwrap_or_default();
    match answer.format {
        _ if note.contains(SECTIONS) => decode_sections(answer),
        Format::Json => serde_json::from_str(&answer.body).unwrap(),
        Format::Toon => decode_default(&answer.body).unwrap(),
        Format::Markdown if !is_text => decode_document(&answer.body),
        Format::Markdown | Format::Text => json!(answer.body),
    }
}

/// Results of a `foreach`, each after a line with its index.
fn decode_sections(answer: &Compact) -> Value {
    let mut bodies: Vec<Vec<&str>> = Vec::new();
    for line in answer.body.split('\n') {
        if line == format!("[{}]", bodies.len()) {
            bodies.push(Vec::new());
        } else {
            bodies.last_mut().unwrap().push(line);
        }
    }
    let bodies = bodies.iter().map(|lines| lines.join("\n"));
    let decode = |body: String| match answer.format {
        Format::Toon => decode_default(&body).unwrap(),
        _ => json!(body),
    };
    bodies.map(decode).collect()
}

/// A document: fields in TOON, the name of the text on the last line before the first empty one, the text.
fn decode_document(body: &str) -> Value {
    let (head, text) = body.split_once("\n\n").unwrap();
    let (fields, name) = head.rsplit_once('\n').unwrap_or(("", head));
    let mut document: Map<String, Value> = match fields {
        "" => Map::new(),
        fields => decode_default(fields).unwrap(),
    };
    let name: Map<String, Value> = decode_default(&format!("{name} null")).unwrap();
    for key in name.keys() {
        document.insert(key.clone(), json!(text));
    }
    Value::Object(document)
}

/// Puts the fields back that a note names as null.
fn restore(answer: &Compact, is_text: bool) -> Value {
    let mut value = decode(answer, is_text);
    let note = answer.note.as_deref().unwrap_or("()");
    let note = note.strip_prefix('(').unwrap().strip_suffix(')').unwrap();
    for part in split(note, "; ") {
        let (rows, columns) = if let Some(columns) = part.strip_prefix("null: ") {
            (Path(Vec::new()), columns)
        } else if let Some(rest) = part.strip_prefix("null in ") {
            let (rows, columns) = halves(rest, ": ");
            (Path::parse(rows).unwrap(), columns)
        } else {
            assert!(
                note.is_empty() || part == SECTIONS || part == answer.format.to_string(),
                "{part}"
            );
            continue;
        };
        for column in split(columns, ", ") {
            let path = rows.join(&Path::parse(column).unwrap());
            insert_null(&mut value, &path.0);
        }
    }
    value
}

fn insert_null(value: &mut Value, path: &[Step]) {
    match path {
        [Step::Key(key)] => {
            let before = value.as_object_mut().unwrap().insert(key.clone(), Value::Null);
            assert_eq!(before, None, "{key} was there");
        }
        [Step::Key(key), rest @ ..] => insert_null(&mut value[key], rest),
        [Step::Each, rest @ ..] => {
            for item in value.as_array_mut().unwrap() {
                insert_null(item, rest);
            }
        }
        other => panic!("{other:?} is in no note"),
    }
}

/// The parts of a text between separators that are in no quotes.
fn split<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if !is_quoted && text[at..].starts_with(separator) => {
                parts.push(&text[start..at]);
                start = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn halves<'t>(text: &'t str, separator: &str) -> (&'t str, &'t str) {
    match split(text, separator).as_slice() {
        [one, two] => (one, two),
        other => panic!("{other:?}"),
    }
}

/// Equal as data: the same fields in any order, numbers with the same value and sign.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
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

/// Numbers that no machine type holds have to be written alike.
fn same_number(one: &Number, other: &Number) -> bool {
    let integers = |number: &Number| number.to_string().parse::<i128>().ok();
    let bits = |number: &Number| number.as_f64().map(f64::to_bits);
    one.to_string() == other.to_string()
        || bits(one) == bits(other)
            && match (integers(one), integers(other)) {
                (Some(one), Some(other)) => one == other,
                _ => true,
            }
}

#[track_caller]
fn check(value: &Value, format: Option<Format>) -> Compact {
    let answer = compact(value, None, &Wish { format, ..WISH });
    if let Some(Format::Toon) = format
        && answer.format == Format::Json
    {
        // The note says why there is no TOON.
        let note = answer.note.as_deref().unwrap_or_default();
        assert!(note.contains("TOON cannot hold the number"), "{note}");
        assert_eq!(answer.body, super::lines::break_lines(value.to_string()));
        return answer;
    }
    let restored = restore(&answer, value.is_string());
    assert!(same(&restored, value), "{value}\nas {}\nis {restored}", answer.text());
    answer
}

#[test]
fn text_and_note_restore_the_value() {
    let mut generator = Generator(17);
    let (mut noted, mut formats) = (0, Vec::new());
    for _ in 0..4_000 {
        let value = generator.value(4);
        let answer = check(&value, None);
        let line = answer.first_line.as_deref();
        let cost = count_tokens(&answer.body) + line.map_or(0, count_tokens);
        assert_eq!(answer.tokens, cost);
        assert!(!is_bare_json(&answer.text()), "{}", answer.text());
        assert!(
            answer.tokens <= cost_of_json(&value) || value.is_string(),
            "{value} as {}",
            answer.text()
        );
        noted += usize::from(answer.note.as_deref().is_some_and(|note| note.contains("null in ")));
        formats.push(answer.format);
        check(&value, Some(Format::Json));
        check(&value, Some(Format::Toon));
    }
    let count = |format| formats.iter().filter(|f| **f == format).count();
    let seen = (noted, count(Format::Toon), count(Format::Markdown), count(Format::Text));
    assert!(noted > 100 && seen.1 > 100 && seen.2 > 10 && seen.3 > 10, "{seen:?}");
}

#[test]
fn nulls_of_an_object_are_left_out_and_named() {
    let object = |fields: &[&str]| -> Map<String, Value> {
        fields.iter().map(|key| ((*key).to_owned(), Value::Null)).collect()
    };
    let mut charge = object(&["application", "customer", "description", "dispute"]);
    charge.insert("id".into(), json!("ch_1"));
    let mut card = object(&["address_city", "address_line1", "address_state", "wallet"]);
    card.insert("brand".into(), json!("Visa"));
    charge.insert("card".into(), Value::Object(card));
    let answer = check(&Value::Object(charge), None);
    let note = answer.note.unwrap_or_default();
    assert_eq!(
        note,
        format!(
            "({}; null: application, customer, description, dispute, card.address_city, card.address_line1, card.address_state, card.wallet)",
            answer.format
        )
    );
}

#[test]
fn nulls_stay_where_the_note_would_be_longer() {
    for value in [
        json!([{"id": 1, "closed_at": null}]),
        json!({"items": [{"id": 1, "merged_at": null, "state": "open"}]}),
    ] {
        let answer = check(&value, None);
        assert_eq!(answer.note, None);
    }
}

#[test]
fn text_and_note_restore_the_results_of_a_foreach() {
    let mut generator = Generator(23);
    let mut in_sections = 0;
    for _ in 0..2_000 {
        let results: Vec<Value> = match generator.below(3) {
            0 => (0..generator.below(5)).map(|_| json!(generator.text())).collect(),
            1 => (0..generator.below(5)).map(|_| generator.table(1)).collect(),
            _ => (0..generator.below(5)).map(|_| generator.value(3)).collect(),
        };
        let answer = compact_each(&results, &[], &WISH);
        let (value, restored) = (json!(results), restore(&answer, false));
        assert!(same(&restored, &value), "{value}\nas {}", answer.text());
        assert!(answer.tokens <= cost_of_json(&value), "{value} as {}", answer.text());
        let note = answer.note.unwrap_or_default();
        in_sections += usize::from(note.contains(SECTIONS));
    }
    assert!(in_sections > 50, "{in_sections}");
}
