//! One reference, `${search.results[0].id ?? "x"}`: its grammar.

use super::cursor::{Cursor, Slip};
use model::select::Step;
use serde_json::Value;
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reference {
    /// A task's id, or `item` or `index`.
    pub(super) root: String,
    pub(super) steps: Vec<Step>,
    /// Boxed because a request may hold very many references.
    pub(super) default: Option<Box<Value>>,
    /// Is the value wanted as JSON text?
    pub(super) json: bool,
}

impl Reference {
    /// A reference without default, to a value with its type.
    pub(super) fn to(root: &str, steps: Vec<Step>) -> Self {
        Self { root: root.to_owned(), steps, default: None, json: false }
    }

    /// Reads what follows `${`, to the closing brace.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Slip> {
        let open = cursor.column().saturating_sub(2);
        cursor.skip_space();
        let json = cursor.eat("json(");
        let mut reference = Self::path(cursor)?;
        cursor.skip_space();
        if cursor.eat("??") {
            cursor.skip_space();
            reference.default = Some(Box::new(cursor.literal(&['}', ')'])?));
            cursor.skip_space();
        }
        if json {
            if !cursor.eat(")") {
                return Err(cursor.expected("`)`"));
            }
            cursor.skip_space();
        }
        reference.json = json;
        if cursor.is_at_end() {
            return Err(Slip {
                column: open,
                message: "this `${` is never closed by `}`".to_owned(),
            });
        }
        if !cursor.eat("}") {
            return Err(reference.unclosed(cursor));
        }
        Ok(reference)
    }

    fn path(cursor: &mut Cursor<'_>) -> Result<Self, Slip> {
        cursor.skip_space();
        let starts = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !cursor.rest().starts_with(starts) {
            return Err(cursor.expected("the id of a task"));
        }
        let root = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let mut steps = Vec::new();
        while let Some(step) = read_step(cursor)? {
            steps.push(step);
        }
        Ok(Self::to(root, steps))
    }

    /// What stands where the closing brace should.
    fn unclosed(&self, cursor: &Cursor<'_>) -> Slip {
        if self.json {
            return cursor.expected("`}`; a default stands inside, as in json(id.path ?? [])");
        }
        if self.default.is_some() {
            return cursor.expected("`}`");
        }
        cursor.expected("`.`, `[`, `??` or `}`")
    }
}

fn read_step(cursor: &mut Cursor<'_>) -> Result<Option<Step>, Slip> {
    if cursor.eat(".") {
        let name = cursor.take_while(is_plain);
        if name.is_empty() {
            return Err(cursor.expected("a name (an unusual one is written as [\"na me\"])"));
        }
        return Ok(Some(Step::Key(name.to_owned())));
    }
    if !cursor.eat("[") {
        return Ok(None);
    }
    let step = in_brackets(cursor)?;
    if !cursor.eat("]") {
        return Err(cursor.expected("`]`"));
    }
    Ok(Some(step))
}

fn in_brackets(cursor: &mut Cursor<'_>) -> Result<Step, Slip> {
    if cursor.eat("*") {
        return Ok(Step::Each);
    }
    let before = cursor.slip("");
    let expected = cursor.expected("a whole number, \"name\" or * in the brackets");
    if !cursor.rest().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        return Err(expected);
    }
    let inner = cursor.rest().split([']', '}']).next().unwrap_or_default();
    if inner.contains(':') && !inner.starts_with('"') {
        let message = "a reference takes one item, [0], or each of them, [*], and no slice";
        return Err(Slip { message: message.to_owned(), ..before });
    }
    match cursor.literal(&[']', '}'])? {
        Value::String(name) => Ok(Step::Key(name)),
        Value::Number(number) => match number.as_i64() {
            Some(index) => Ok(Step::At(index)),
            None => Err(Slip {
                message: format!(
                    "`[{}]` is no place in a list",
                    model::shorten(&number.to_string())
                ),
                ..before
            }),
        },
        _ => Err(expected),
    }
}

/// What a name after a dot may hold; letters of any language.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// `.name`, or `["na me"]` where a dot would not do.
pub(super) fn show_name(name: &str) -> String {
    if !name.is_empty() && name.chars().all(is_plain) {
        format!(".{name}")
    } else {
        format!("[{}]", Value::from(name))
    }
}

/// A step as references write it; a name that `select` takes as it stands may need quotes here.
pub(super) fn show_step(step: &Step) -> String {
    match step {
        Step::Key(name) => show_name(name),
        Step::At(index) => format!("[{index}]"),
        Step::Each => "[*]".to_owned(),
    }
}

impl fmt::Display for Reference {
    /// The path alone: `search.results[0]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.steps.iter().try_for_each(|step| f.write_str(&show_step(step)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path, then the default and what else there is.
    fn spoken(reference: &Reference) -> String {
        let default = reference.default.as_ref();
        let default = default.map(|value| format!(" ?? {value}"));
        let json = if reference.json { "json " } else { "" };
        format!("{json}{reference}{}", default.unwrap_or_default())
    }

    #[track_caller]
    fn check(text: &str, expected: Result<&str, (usize, &str)>) {
        let mut cursor = Cursor::new(text);
        assert!(cursor.eat("${"));
        let got = Reference::read(&mut cursor);
        let got = got.map(|reference| spoken(&reference));
        let expected = expected
            .map(str::to_owned)
            .map_err(|(column, message)| Slip { column, message: message.to_owned() });
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn every_form() {
        check("${a}", Ok("a"));
        check("${a-b_1}", Ok("a-b_1"));
        check("${a.results[0].id}", Ok("a.results[0].id"));
        check("${ a.b }", Ok("a.b"));
        check("${a[-1]}", Ok("a[-1]"));
        check("${a[*].b[*]}", Ok("a[*].b[*]"));
        check("${a.content-type.0.名前}", Ok("a.content-type.0.名前"));
        check(r#"${a["b"]}"#, Ok("a.b"));
        check(r#"${a["b c"][""]["}"]}"#, Ok(r#"a["b c"][""]["}"]"#));
        check(r#"${a["\u00e9\""]}"#, Ok(r#"a["é\""]"#));
        check(r#"${a??"x"}"#, Ok(r#"a ?? "x""#));
        check(r#"${a.b ?? "}" }"#, Ok(r#"a.b ?? "}""#));
        check("${a ?? 5}", Ok("a ?? 5"));
        check("${a ?? null}", Ok("a ?? null"));
        check(r#"${a ?? {"b":[1,{}]}}"#, Ok(r#"a ?? {"b":[1,{}]}"#));
        check("${json(a.b)}", Ok("json a.b"));
        check("${ json( a.b ?? [] ) }", Ok("json a.b ?? []"));
        check("${json}", Ok("json"));
        check("${json.path}", Ok("json.path"));
    }

    #[test]
    fn every_slip_has_its_column() {
        let never = "this `${` is never closed by `}`";
        check("${a", Err((1, never)));
        check("${a.b ?? 1", Err((1, never)));
        check("${json(a)", Err((1, never)));
        check("${}", Err((3, "expected the id of a task, found `}`")));
        check("${", Err((3, "expected the id of a task, found the end")));
        check("${-a}", Err((3, "expected the id of a task, found `-`")));
        let slice = "a reference takes one item, [0], or each of them, [*], and no slice";
        check("${a[0:2]}", Err((5, slice)));
        check("${ü}", Err((3, "expected the id of a task, found `ü`")));
        check("${a!}", Err((4, "expected `.`, `[`, `??` or `}`, found `!`")));
        check("${a b}", Err((5, "expected `.`, `[`, `??` or `}`, found `b`")));
        let name = "expected a name (an unusual one is written as [\"na me\"]), found";
        check("${a.}", Err((5, &format!("{name} `}}`"))));
        check("${a..b}", Err((5, &format!("{name} `.`"))));
        check("${a. b}", Err((5, &format!("{name} ` `"))));
        let brackets = "expected a whole number, \"name\" or * in the brackets, found";
        check("${a[]}", Err((5, &format!("{brackets} `]`"))));
        check("${a[b]}", Err((5, &format!("{brackets} `b`"))));
        check("${a['b']}", Err((5, &format!("{brackets} `'`"))));
        check("${a[ 0]}", Err((5, &format!("{brackets} ` `"))));
        check("${a[1.5]}", Err((5, "`[1.5]` is no place in a list")));
        let long = "`[99999999999999999999]` is no place in a list";
        check("${a[99999999999999999999]}", Err((5, long)));
        check("${a[0}", Err((6, "expected `]`, found `}`")));
        check("${a[**]}", Err((6, "expected `]`, found `*`")));
        let not = "is not a JSON literal; text stands in double quotes";
        check("${a[-]}", Err((5, &format!("`-` {not}"))));
        check("${a ?? b}", Err((8, &format!("`b` {not}"))));
        check("${a ?? }", Err((8, "expected a JSON literal, found `}`")));
        check("${a ?? 1 2}", Err((10, "expected `}`, found `2`")));
        check("${json(a}", Err((9, "expected `)`, found `}`")));
        check("${json()}", Err((8, "expected the id of a task, found `)`")));
        let inside = "expected `}`; a default stands inside, as in json(id.path ?? []), found `?`";
        check("${json(a) ?? 1}", Err((11, inside)));
    }
}
