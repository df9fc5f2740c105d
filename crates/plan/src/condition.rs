//! `when`: one comparison that decides whether a task is wanted.

use super::budget::CopyBudget;
use super::compare::{compare, same};
use super::cursor::{Cursor, Slip};
use super::misspelt::Names;
use super::reference::Reference;
use super::scope::Scope;
use super::template::Findings;
use model::kind_of;
use serde_json::Value;
use std::borrow::Cow;

/// `${search.total} > 0`, or a reference that is true or false by itself.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    left: Operand,
    right: Option<(Operator, Operand)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Reference(Reference),
    Literal(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Less,
    Greater,
}

/// Longer ones before those they begin with.
const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

impl Condition {
    pub(super) fn read(text: &str, findings: &mut Findings<'_>) -> Option<Self> {
        let condition = Self::parse(text, findings);
        let noted = condition.map_err(|slip| findings.slips.push(("when".to_owned(), slip)));
        noted.ok()
    }

    fn parse(text: &str, findings: &mut Findings<'_>) -> Result<Self, Slip> {
        let mut cursor = Cursor::new(text);
        let left = Operand::read(&mut cursor, findings)?;
        if cursor.is_at_end() && matches!(left, Operand::Reference(_)) {
            return Ok(Self { left, right: None });
        }
        let operator = OPERATORS.iter().find(|(sign, _)| cursor.eat(sign));
        let Some((_, operator)) = operator else {
            return Err(cursor.expected("one of ==, !=, <, <=, > and >="));
        };
        let right = Operand::read(&mut cursor, findings)?;
        if !cursor.is_at_end() {
            return Err(cursor.expected("the end (`when` is one comparison)"));
        }
        if let (Operand::Literal(left), Operand::Literal(right)) = (&left, &right) {
            check_constant(&[left, right], &findings.names)?;
        }
        Ok(Self { left, right: Some((*operator, right)) })
    }

    pub(super) fn references(&self) -> impl Iterator<Item = &Reference> {
        let right = self.right.as_ref().map(|(_, right)| right);
        let operands = [Some(&self.left), right].into_iter().flatten();
        operands.filter_map(|operand| match operand {
            Operand::Reference(reference) => Some(reference),
            Operand::Literal(_) => None,
        })
    }

    pub(super) fn holds(
        &self,
        scope: &Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<bool, String> {
        let left = self.left.value(scope, budget)?;
        let Some((operator, right)) = &self.right else {
            let not = || {
                let kind = kind_of(&left);
                format!("{} is {kind}, neither true nor false", self.left.spoken())
            };
            return left.as_bool().ok_or_else(not);
        };
        operator.holds(&left, &*right.value(scope, budget)?)
    }
}

/// A comparison of two literals is always true or always false, so a text that begins with the id of a task
/// is meant as a reference.
fn check_constant(literals: &[&Value], names: &Names<'_>) -> Result<(), Slip> {
    let texts = literals.iter().filter_map(|literal| literal.as_str());
    let mut found = texts.filter_map(|text| names.find_first(text));
    match found.next() {
        Some(found) => Err(found.slip(1, names)),
        None => Ok(()),
    }
}

impl Operand {
    fn read(cursor: &mut Cursor<'_>, findings: &mut Findings<'_>) -> Result<Self, Slip> {
        cursor.skip_space();
        let (column, before) = (cursor.column(), cursor.slip("a reference stands without quotes"));
        let operand = if cursor.eat("${") {
            let reference = Reference::read(cursor)?;
            findings.mention("when".to_owned(), column, &reference);
            Self::Reference(reference)
        } else {
            let (names, text) = (findings.names, cursor.rest());
            let literal = cursor.literal(&['=', '!', '<', '>']);
            let literal = literal.map_err(|slip| match names.find_first(text) {
                Some(found) => found.slip(column, &names),
                None => slip,
            })?;
            if let Some(found) = names.find_in(&literal) {
                return Err(found.slip(column, &names));
            }
            Self::Literal(literal)
        };
        if matches!(&operand, Self::Literal(Value::String(text)) if text.contains("${")) {
            return Err(before);
        }
        cursor.skip_space();
        Ok(operand)
    }

    fn value<'s>(
        &'s self,
        scope: &'s Scope<'_>,
        budget: &mut CopyBudget<'_>,
    ) -> Result<Cow<'s, Value>, String> {
        match self {
            Self::Reference(reference) => scope.value(reference, budget),
            Self::Literal(value) => Ok(Cow::Borrowed(value)),
        }
    }

    fn spoken(&self) -> String {
        match self {
            Self::Reference(reference) => format!("`{reference}`"),
            Self::Literal(value) => value.to_string(),
        }
    }
}

impl Operator {
    fn holds(self, left: &Value, right: &Value) -> Result<bool, String> {
        Ok(match self {
            Self::Equal => same(left, right),
            Self::NotEqual => !same(left, right),
            Self::LessOrEqual => compare(left, right)?.is_le(),
            Self::GreaterOrEqual => compare(left, right)?.is_ge(),
            Self::Less => compare(left, right)?.is_lt(),
            Self::Greater => compare(left, right)?.is_gt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<bool, &str>) {
        let results: Value = serde_json::from_str(
            r#"{"a": {"n": 3, "f": 3.0, "neg": -0.0, "s": "open", "t": true, "none": null,
                "big": 9007199254740993, "list": [1, {"x": 2}]}}"#,
        )
        .unwrap();
        let results = |id: &str| results.get(id);
        let scope = Scope { results: &results, compacts: &|_| None, item: None };
        let mut findings = Findings::default();
        let condition = Condition::read(text, &mut findings);
        let slip = findings.slips.first();
        let slip = slip.map(|(field, slip)| format!("{field} {}: {}", slip.column, slip.message));
        let got = match (condition, slip) {
            (Some(condition), None) => {
                condition.holds(&scope, &mut CopyBudget::new("b", usize::MAX))
            }
            (None, Some(slip)) => Err(slip),
            other => panic!("{other:?}"),
        };
        assert_eq!(got, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn comparisons() {
        for (text, holds) in [
            ("${a.n} == 3", true),
            ("${a.n}==3", true),
            ("${a.n} == 3.0", true),
            ("${a.f} == ${a.n}", true),
            ("${a.n} != 3", false),
            ("${a.n} > 2", true),
            ("${a.n} > 3", false),
            ("${a.n} >= 3", true),
            ("${a.n} < 3.5", true),
            ("${a.n} <= -3", false),
            ("-4 < -3", true),
            ("-10 < -9", true),
            ("9 < 10", true),
            ("0 == -0", true),
            ("${a.neg} == 0", true),
            ("0 <= ${a.neg}", true),
            ("${a.big} == 9007199254740992", false),
            ("${a.big} > 9007199254740992", true),
            ("${a.s} == \"open\"", true),
            ("\"open\" == ${a.s}", true),
            ("${a.s} < \"p\"", true),
            ("${a.s} == 3", false),
            ("${a.t} == true", true),
            ("${a.none} == null", true),
            ("${a.list} == [1.0, {\"x\": 2}]", true),
            ("${a.list} == [1]", false),
            ("${a.list} != []", true),
            ("${a.x ?? 0} > 0", false),
            ("${json(a.list)} == \"[1,{\\\"x\\\":2}]\"", true),
            ("  ${a.t}  ", true),
            ("${a.x ?? false}", false),
        ] {
            check(text, Ok(holds));
        }
    }

    #[test]
    fn what_cannot_be_compared_is_an_error() {
        check("${a.zebra} > 0", Err("`a` has no `zebra`; it has n, f, neg, s, t, none, big, list"));
        let order = "have no order; < and > compare two numbers or two strings";
        check("${a.s} > 0", Err(&format!("a string and a number {order}")));
        check("${a.none} < 1", Err(&format!("null and a number {order}")));
        check("${a.list} < []", Err(&format!("a list and a list {order}")));
        check("${a.n}", Err("`a.n` is a number, neither true nor false"));
    }

    #[test]
    fn what_is_not_one_comparison_is_refused() {
        let not = "is not a JSON literal; text stands in double quotes";
        let sign = "when {}: expected one of ==, !=, <, <=, > and >=, found";
        check("", Err("when 1: expected a JSON literal, found the end"));
        check("a.n > 0", Err(&format!("when 1: `a.n` {not}")));
        check("${a.s} == open", Err(&format!("when 11: `open` {not}")));
        check("${a.s} == 'open'", Err(&format!("when 11: `'open'` {not}")));
        check("${a.s} ==", Err("when 10: expected a JSON literal, found the end"));
        check("${a.s} = 1", Err(&format!("{} `=`", sign.replace("{}", "8"))));
        check("${a.s} in [1]", Err(&format!("{} `i`", sign.replace("{}", "8"))));
        check("true", Err(&format!("{} the end", sign.replace("{}", "5"))));
        check("!${a.t}", Err("when 1: expected a JSON literal, found `!`"));
        let end = "when 14: expected the end (`when` is one comparison), found `&`";
        check("${a.n} == 3  && ${a.t}", Err(end));
        let quotes = "a reference stands without quotes";
        check("\"${a.s}\" == \"x\"", Err(&format!("when 1: {quotes}")));
        check("1 == \"${a.s}\"", Err(&format!("when 6: {quotes}")));
        check(
            "${a. == 1",
            Err("when 5: expected a name (an unusual one is written as [\"na me\"]), found ` `"),
        );
    }
}
