//! One value of a document, read as what is asked for or complained about.

use super::json::{Held, Key, in_order, spoken};
use super::{Document, Table};
use model::{Fault, Place, parse_duration, parse_size};
use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;
use toml::de::DeValue;

#[derive(Clone)]
pub(crate) struct Item<'d> {
    document: &'d Document<'d>,
    /// `limits.timeout`, `depends_on[1]`.
    name: String,
    key: &'d str,
    key_span: Range<usize>,
    pub(super) value: Held<'d>,
}

impl<'d> Item<'d> {
    pub(super) fn new(document: &'d Document<'d>, path: &str, key: Key<'d>, v: Held<'d>) -> Self {
        let dot = if path.is_empty() { "" } else { "." };
        Self {
            document,
            name: format!("{path}{dot}{}", key.get_ref()),
            key: key.get_ref(),
            key_span: key.span(),
            value: v,
        }
    }

    /// The whole path, as an author would say it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn key(&self) -> &'d str {
        self.key
    }

    pub(crate) fn key_place(&self) -> Place {
        self.document.source.place(&self.key_span)
    }

    pub(crate) fn place(&self) -> Place {
        self.document.source.place(&self.value.span())
    }

    pub(crate) fn complain(&self, message: impl Into<String>) {
        self.report(Fault::new(message));
    }

    pub(crate) fn report(&self, fault: Fault) {
        self.document.complain(&self.value.span(), fault);
    }

    pub(crate) fn report_key(&self, fault: Fault) {
        self.document.complain(&self.key_span, fault);
    }

    /// A fault that makes all others moot.
    pub(crate) fn report_first(&self, fault: Fault) {
        self.document.complain_at(0, &self.value.span(), fault);
    }

    pub(crate) fn string(&self) -> Option<&'d str> {
        let text = self.value.get_ref().as_str();
        text.or_else(|| self.must_be("a string"))
    }

    /// A string with something in it.
    pub(crate) fn text(&self) -> Option<&'d str> {
        let text = self.string()?;
        if text.trim().is_empty() {
            self.complain(format!("`{}` is empty", self.name));
            return None;
        }
        Some(text)
    }

    /// A string that some type of ours reads.
    pub(crate) fn parse<T: FromStr<Err: Display>>(&self) -> Option<T> {
        self.taken(self.string()?.parse())
    }

    /// Whether it says yes, if it says yes or no.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(yes) => Some(*yes),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<Vec<Item<'d>>> {
        match self.value.get_ref() {
            DeValue::Array(_) => Some(self.items()),
            _ => self.must_be("a list"),
        }
    }

    pub(crate) fn table(&self) -> Option<Table<'d>> {
        let (document, span) = (self.document, self.key_span.clone());
        match self.value.get_ref() {
            DeValue::Table(table) => Some(Table::new(document, table, self.name.clone(), span)),
            _ => self.must_be("a table"),
        }
    }

    /// A whole number above zero.
    pub(crate) fn count<T: TryFrom<u64>>(&self) -> Option<T> {
        let DeValue::Integer(digits) = self.value.get_ref() else {
            return self.must_be("a whole number");
        };
        match u64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(0) => self.must_be("above 0"),
            Ok(number) => {
                self.taken(T::try_from(number).map_err(|_| format!("{number} is too large")))
            }
            Err(_) => self.must_be("a whole number above 0"),
        }
    }

    /// `"500ms"`, `"30s"`, `"2m"` or a number of seconds.
    pub(crate) fn duration(&self) -> Option<Duration> {
        let read = match self.value.get_ref() {
            DeValue::String(text) => parse_duration(text),
            DeValue::Integer(number) => parse_duration(&number.to_string()),
            DeValue::Float(number) => parse_duration(number.as_str()),
            _ => return self.must_be("a duration such as `\"30s\"`, or a number of seconds"),
        };
        match read {
            Ok(time) if time.is_zero() => self.must_be("longer than nothing"),
            read => self.taken(read),
        }
    }

    /// `"16MiB"` or a number of bytes.
    pub(crate) fn size(&self) -> Option<usize> {
        match self.value.get_ref() {
            DeValue::String(text) => self.taken(parse_size(text)),
            DeValue::Integer(_) => self.count(),
            _ => self.must_be("a size such as `\"16MiB\"`, or a number of bytes"),
        }
    }

    fn taken<T, E: Display>(&self, read: Result<T, E>) -> Option<T> {
        let complain = |why| self.complain(format!("`{}`: {why}", self.name));
        read.map_err(complain).ok()
    }

    fn must_be<T>(&self, what: &str) -> Option<T> {
        let got = spoken(self.value.get_ref());
        self.complain(format!("`{}` must be {what}, got {got}", self.name));
        None
    }

    pub(super) fn entry(&self, key: Key<'d>, value: Held<'d>) -> Item<'d> {
        Item::new(self.document, &self.name, key, value)
    }

    pub(super) fn items(&self) -> Vec<Item<'d>> {
        let items = self.value.get_ref().as_array().into_iter().flatten();
        let item = |(i, value)| Item { name: format!("{}[{i}]", self.name), value, ..self.clone() };
        items.enumerate().map(item).collect()
    }

    /// The value below, by a path of keys and numbers; itself where the path leads nowhere.
    pub(crate) fn below<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Item<'d> {
        path.into_iter()
            .try_fold(self.clone(), |item, step| item.child(step).ok_or(item))
            .unwrap_or_else(|deepest| deepest)
    }

    fn child(&self, step: &str) -> Option<Item<'d>> {
        match self.value.get_ref() {
            DeValue::Table(table) => in_order(table)
                .find(|(key, _)| key.get_ref() == step)
                .map(|(key, value)| self.entry(key, value)),
            _ => self.items().into_iter().nth(step.parse().ok()?),
        }
    }
}
