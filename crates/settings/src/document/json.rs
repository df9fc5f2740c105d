//! TOML values in JSON's words, and in a sentence's.

use super::Item;
use serde_json::{Map, Number, Value};
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

impl Item<'_> {
    /// The value as JSON: integers exact, dates as text; JSON has no infinity, so neither have we.
    pub(crate) fn json(&self) -> Option<Value> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(Value::String(text.to_string())),
            DeValue::Boolean(yes) => Some(Value::Bool(*yes)),
            DeValue::Datetime(date) => Some(Value::String(date.to_string())),
            DeValue::Integer(digits) => self.integer(digits),
            DeValue::Float(digits) => self.float(digits),
            DeValue::Array(_) => {
                let items = self.items();
                let items: Option<Vec<Value>> = items.iter().map(Item::json).collect();
                items.map(Value::Array)
            }
            DeValue::Table(table) => {
                let entries = in_order(table).map(|(key, value)| self.entry(key, value));
                let pairs = entries.map(|entry| Some((entry.key().to_owned(), entry.json()?)));
                pairs.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
        }
    }

    fn integer(&self, digits: &DeInteger<'_>) -> Option<Value> {
        let number = i128::from_str_radix(digits.as_str(), digits.radix());
        let number = number.ok().and_then(Number::from_i128);
        if number.is_none() {
            self.complain(format!("`{}` is too large an integer", self.name()));
        }
        number.map(Value::Number)
    }

    fn float(&self, digits: &DeFloat<'_>) -> Option<Value> {
        let number: Option<f64> = digits.as_str().parse().ok();
        let number = number.and_then(Number::from_f64);
        if number.is_none() {
            self.complain(format!("`{}` must be a finite number", self.name()));
        }
        number.map(Value::Number)
    }
}

/// `the integer 3`, `a list`.
pub(super) fn spoken(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {text:?}"),
        DeValue::Integer(digits) => format!("the integer {digits}"),
        DeValue::Float(digits) => format!("the float {digits}"),
        DeValue::Boolean(yes) => yes.to_string(),
        DeValue::Datetime(date) => format!("the date {date}"),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

pub(super) type Key<'d> = &'d toml::Spanned<toml::de::DeString<'d>>;
pub(super) type Held<'d> = &'d toml::Spanned<DeValue<'d>>;

/// The entries as the author wrote them down; the table itself sorts by name.
pub(super) fn in_order<'d>(table: &'d DeTable<'d>) -> impl Iterator<Item = (Key<'d>, Held<'d>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries.into_iter()
}
