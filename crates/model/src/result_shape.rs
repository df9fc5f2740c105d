//! Shape of a tool's result, as signatures show it: `{issues: [{number, title}], total}`.

use crate::Selection;
use crate::schema::type_of_json;
use serde_json::Value;

/// Objects and lists inside each other that are shown at most.
const DEEPEST: usize = 4;
/// Fields of one object that are shown at most.
const MOST_FIELDS: usize = 12;
/// A longer shape is shown with fewer levels.
const LONGEST: usize = 200;

/// Returns the names that a reference to the result can use, as far as the tool declares them.
pub(crate) fn result_shape(output: Option<&Value>, select: Option<&Selection>) -> Option<String> {
    let selected = select.map(|select| braces(select.names())).filter(|s| s != "{}");
    let Some(schema) = output else {
        return selected.map(|fields| somewhere_in_it(&fields));
    };
    let at_depth =
        |depth| Shape { root: schema, selected: selected.as_deref(), depth }.show(schema);
    let mut depths = (1..=DEEPEST).rev().map(at_depth);
    let first = depths.next()?;
    if first.len() <= LONGEST {
        return Some(first);
    }
    let shorter = depths.find(|shape| shape.len() <= LONGEST);
    Some(shorter.unwrap_or(first))
}

/// One schema on its way to a text.
#[derive(Clone, Copy)]
struct Shape<'s> {
    /// The whole schema, for references within it.
    root: &'s Value,
    /// Selected fields, which replace those of the rows.
    selected: Option<&'s str>,
    /// Levels that may still be shown.
    depth: usize,
}

impl Shape<'_> {
    fn show(self, schema: &Value) -> String {
        let schema = self.resolve(schema);
        if let Some(items) = schema.get("items").filter(|_| is_list(schema)) {
            return match self.rows(items) {
                Some(rows) => rows,
                None => type_of_json(schema),
            };
        }
        match (self.fields(schema), self.selected) {
            (Some(fields), _) => fields,
            (None, Some(selected)) if !is_list(schema) => somewhere_in_it(selected),
            (None, Some(selected)) => format!("[{selected}]"),
            (None, None) => type_of_json(schema),
        }
    }

    /// Shows a list of objects, if that is what the items are.
    fn rows(self, items: &Value) -> Option<String> {
        let items = self.resolve(items);
        let is_object = items.get("properties").is_some() || has_type(items, "object");
        let item = match self.selected.filter(|_| is_object) {
            Some(selected) => selected.to_owned(),
            None => self.deeper()?.fields(items)?,
        };
        Some(format!("[{item}]"))
    }

    /// Shows an object by its fields, if it declares some.
    fn fields(self, object: &Value) -> Option<String> {
        let properties = object.get("properties")?.as_object()?;
        if properties.is_empty() {
            return None;
        }
        let lists = properties.values().filter(|field| is_list(self.resolve(field)));
        let is_envelope = lists.count() == 1;
        if self.selected.is_some() && !is_envelope {
            return self.selected.map(str::to_owned);
        }
        let field = |(name, schema): (&String, &Value)| match self.field(schema) {
            Some(shape) => format!("{name}: {shape}"),
            None => name.clone(),
        };
        Some(braces(properties.iter().map(field)))
    }

    /// Shows what is inside a field, if that is not a single value.
    fn field(self, schema: &Value) -> Option<String> {
        let schema = self.resolve(schema);
        let inner = self.deeper()?;
        if !is_list(schema) {
            return Self { selected: None, ..inner }.fields(schema);
        }
        let items = schema.get("items");
        let rows = items.and_then(|items| self.rows(items));
        rows.or_else(|| self.selected.map(|selected| format!("[{selected}]")))
            .or_else(|| Some("[]".to_owned()))
    }

    fn deeper(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1).filter(|depth| *depth > 0)?;
        Some(Self { depth, ..self })
    }

    /// Follows a reference within the schema, and takes what is not null of `X | None`.
    fn resolve<'v>(self, schema: &'v Value) -> &'v Value
    where
        Self: 'v,
    {
        let mut schema = schema;
        for _ in 0..DEEPEST {
            let target = schema.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|uri| self.root.pointer(uri.strip_prefix('#')?));
            let kinds = schema.get("anyOf").or_else(|| schema.get("oneOf"));
            let kinds = kinds.and_then(Value::as_array);
            let kind = kinds.and_then(|kinds| kinds.iter().find(|kind| !has_type(kind, "null")));
            match target.or(kind) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}

fn is_list(schema: &Value) -> bool {
    has_type(schema, "array")
}

fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name) && name != "null",
        Some(kind) => kind == name,
        None => false,
    }
}

/// Shows fields of an undeclared result: they may be those of the result or of the rows in it.
fn somewhere_in_it(fields: &str) -> String {
    format!("…{fields}")
}

fn braces(names: impl IntoIterator<Item = String>) -> String {
    let mut names: Vec<String> = names.into_iter().take(MOST_FIELDS + 1).collect();
    if names.len() > MOST_FIELDS {
        names.truncate(MOST_FIELDS);
        names.push("…".to_owned());
    }
    format!("{{{}}}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(output: Value, select: Option<Value>, expected: &str) {
        let output = Some(output).filter(|output| !output.is_null());
        let select = select.map(|select| Selection::parse(&select).unwrap());
        let shape = result_shape(output.as_ref(), select.as_ref());
        assert_eq!(shape.unwrap_or_default(), expected);
    }

    #[expect(clippy::needless_pass_by_value, reason = "calls nest in each other")]
    fn object(properties: Value) -> Value {
        json!({"type": "object", "properties": properties})
    }

    #[expect(clippy::needless_pass_by_value, reason = "calls nest in each other")]
    fn list(items: Value) -> Value {
        json!({"type": "array", "items": items})
    }

    #[test]
    fn declared_results_are_shown_by_their_names() {
        let text = json!({"type": "string"});
        let user = object(json!({"login": text}));
        let issue = object(json!({"number": {"type": "integer"}, "user": user}));
        let page = object(json!({"issues": list(issue.clone()), "total": {"type": "integer"}}));
        check(Value::Null, None, "");
        check(text.clone(), None, "str");
        check(list(text.clone()), None, "list[str]");
        check(json!({"type": "object"}), None, "dict");
        check(list(issue), None, "[{number, user: {login}}]");
        check(page, None, "{issues: [{number, user: {login}}], total}");
        let labels = object(json!({"labels": list(text), "any": {}}));
        check(labels, None, "{labels: [], any}");
    }

    #[test]
    fn selected_fields_replace_those_of_rows() {
        let select = || Some(json!(["number", "author: user.login"]));
        let row = json!({"type": "object"});
        check(Value::Null, select(), "…{number, author}");
        check(row.clone(), select(), "…{number, author}");
        check(list(row.clone()), select(), "[{number, author}]");
        check(json!({"type": "array"}), select(), "[{number, author}]");
        let page = object(json!({"results": list(row), "next": {}}));
        check(page, select(), "{results: [{number, author}], next}");
        let one = object(json!({"number": {}, "user": {}, "body": {}}));
        check(one, select(), "{number, author}");
        check(json!({"type": "object"}), Some(json!(["*"])), "dict");
    }

    #[test]
    fn references_and_optional_results_are_followed() {
        let schema = json!({
            "anyOf": [{"type": "null"}, {"$ref": "#/$defs/Page"}],
            "$defs": {
                "Page": object(json!({"rows": list(json!({"$ref": "#/$defs/Row"}))})),
                "Row": object(json!({"id": {}, "parent": {"$ref": "#/$defs/Row"}})),
            },
        });
        check(schema, None, "{rows: [{id, parent: {id, parent: {id, parent}}}]}");
        check(json!({"$ref": "#"}), None, "any");
        check(json!({"$ref": "#/nowhere"}), None, "any");
    }

    #[test]
    fn large_results_are_cut() {
        let fields = |count: usize| -> Value {
            let fields = (0..count).map(|i| (format!("field_{i}"), json!({})));
            object(Value::Object(fields.collect()))
        };
        let twelve: Vec<String> = (0..12).map(|i| format!("field_{i}")).collect();
        check(fields(500), None, &format!("{{{}, …}}", twelve.join(", ")));
        let wide = object(json!({"a": fields(12), "b": fields(12), "c": fields(12)}));
        check(wide, None, "{a, b, c}");
    }
}
