//! Whether the paths of a selection can lead anywhere in results of a declared shape.

use super::{Path, Pick, Selection, Step};
use crate::did_you_mean;
use serde_json::Value;

/// How many fields an error lists.
const MOST_FIELDS: usize = 20;

impl Selection {
    /// Rejects paths that no result of this JSON Schema can have, and says which fields there are.
    pub fn check_matches(&self, schema: &Value) -> Result<(), String> {
        // A text may hold JSON.
        if may_be(schema, "string") {
            return Ok(());
        }
        let rows = rows(schema);
        let can_lead = |pick: &Pick| rows.iter().any(|row| leads(&pick.path.0, row));
        let Some(wrong) = self.picks.iter().find(|pick| !can_lead(pick)) else {
            return Ok(());
        };
        let path = &wrong.path;
        let (key, fields) = fields_beside(path, &rows);
        let near = did_you_mean(key, fields.iter().copied());
        let help = match (fields.as_slice(), near) {
            ([], _) => "no fields are declared there".to_owned(),
            (_, Some(near)) => format!("did you mean `{near}`?"),
            (all, None) if all.len() > MOST_FIELDS => {
                let some = all[..MOST_FIELDS].join(", ");
                format!("there are {some} and {} more", all.len() - MOST_FIELDS)
            }
            (all, None) => format!("there are {}", all.join(", ")),
        };
        Err(format!("`select` names `{path}`, which the declared result does not have; {help}"))
    }
}

/// Where paths may begin: the result, the items of a list, and of each list in an object.
fn rows(schema: &Value) -> Vec<&Value> {
    let mut rows = vec![schema];
    for choice in choices(schema) {
        rows.extend(choice.get("items"));
        let properties = choice.get("properties").and_then(Value::as_object);
        let lists = properties.into_iter().flatten();
        rows.extend(lists.flat_map(|(_, list)| choices(list)).filter_map(|list| list.get("items")));
    }
    rows
}

/// The alternatives of a schema, or the schema itself.
fn choices(schema: &Value) -> Vec<&Value> {
    let any = schema.get("anyOf").or_else(|| schema.get("oneOf"));
    match any.and_then(Value::as_array) {
        Some(all) => all.iter().collect(),
        None => vec![schema],
    }
}

/// Could these steps lead somewhere? What the schema does not rule out, may be.
fn leads(steps: &[Step], schema: &Value) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    choices(schema).into_iter().any(|schema| match step {
        Step::Key(key) if may_be(schema, "object") => {
            match schema.get("properties").and_then(|all| all.get(key)) {
                Some(property) => leads(rest, property),
                None => match schema.get("additionalProperties") {
                    Some(Value::Bool(is_open)) => *is_open,
                    Some(others) => leads(rest, others),
                    None => true,
                },
            }
        }
        Step::Each | Step::At(_) if may_be(schema, "array") => {
            schema.get("items").is_none_or(|items| leads(rest, items))
        }
        _ => false,
    })
}

fn may_be(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        // Unsaid, or said by words that are not followed here.
        _ => !schema.get("enum").is_some_and(Value::is_array),
    }
}

fn fields(schema: &Value) -> Vec<&str> {
    let objects = choices(schema).into_iter();
    let properties = objects.filter_map(|schema| schema.get("properties")?.as_object());
    properties.flat_map(|all| all.keys().map(String::as_str)).collect()
}

/// The key at which a path leaves the declared fields, and the fields that are there.
fn fields_beside<'s>(path: &'s Path, rows: &[&'s Value]) -> (&'s str, Vec<&'s str>) {
    let ends = rows.iter().map(|row| end(&path.0, row));
    let ends: Vec<(usize, Vec<&str>)> = ends.collect();
    let deepest = ends.iter().map(|(depth, _)| *depth).max().unwrap_or_default();
    let ends = ends.into_iter().filter(|(depth, _)| *depth == deepest);
    let key = match path.0.get(deepest) {
        Some(Step::Key(key)) => key.as_str(),
        _ => "",
    };
    (key, ends.flat_map(|(_, fields)| fields).collect())
}

/// How many steps are declared, and the fields where the next one is not.
fn end<'s>(steps: &[Step], schema: &'s Value) -> (usize, Vec<&'s str>) {
    let next = steps.split_first().and_then(|(step, rest)| {
        let mut choices = choices(schema).into_iter();
        let next = choices.find_map(|schema| match step {
            Step::Key(key) => schema.get("properties")?.get(key),
            Step::Each | Step::At(_) => schema.get("items"),
        });
        Some((rest, next?))
    });
    match next {
        Some((rest, next)) => {
            let (depth, fields) = end(rest, next);
            (depth + 1, fields)
        }
        None => (0, fields(schema)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, Schema};
    use serde_json::json;

    fn issue() -> Schema {
        let user = Schema::Record {
            name: "User".into(),
            fields: vec![Field::required("login", Schema::Str)],
        };
        let tags = Schema::List(Box::new(Schema::Str));
        Schema::Record {
            name: "Issue".into(),
            fields: vec![
                Field::required("number", Schema::Int),
                Field::required("user", Schema::Union(vec![user, Schema::Null])),
                Field::required("tags", tags),
                Field::required("more", Schema::Dict(Box::new(Schema::Any))),
            ],
        }
    }

    #[test]
    fn a_path_that_no_result_can_have_is_rejected() {
        let list = Schema::List(Box::new(issue()));
        let page = Schema::Record {
            name: "Page".into(),
            fields: vec![
                Field::required("total", Schema::Int),
                Field::required("issues", list.clone()),
            ],
        };
        let no = |path: &str, help: &str| {
            Err(format!("`select` names `{path}`, which the declared result does not have; {help}"))
        };
        let there = "there are number, user, tags, more";
        for (select, schema, expected) in [
            (json!(["number", "author: user.login", "tags[*]", "more.a.b"]), &issue(), Ok(())),
            (json!(["number"]), &list, Ok(())),
            (json!(["first: [0].number"]), &list, Ok(())),
            (json!(["total", "number", "issues[*].number"]), &page, Ok(())),
            (json!(["title"]), &issue(), no("title", there)),
            (json!(["nmber"]), &list, no("nmber", "did you mean `number`?")),
            (json!(["user.name"]), &issue(), no("user.name", "there are login")),
            (json!(["user.logn"]), &issue(), no("user.logn", "did you mean `login`?")),
            (json!(["tags.name"]), &issue(), no("tags.name", "no fields are declared there")),
            (json!(["a"]), &Schema::Int, no("a", "no fields are declared there")),
            (json!(["a"]), &Schema::Dict(Box::new(Schema::Any)), Ok(())),
            (
                json!(["a.b"]),
                &Schema::Dict(Box::new(Schema::Int)),
                no("a.b", "no fields are declared there"),
            ),
            (json!(["a"]), &Schema::Any, Ok(())),
            (json!(["a"]), &Schema::Str, Ok(())),
            (json!(["[0:5]"]), &list, Ok(())),
            (json!(["*"]), &list, Ok(())),
        ] {
            let selection = Selection::parse(&select).unwrap();
            let schema = schema.to_json();
            assert_eq!(selection.check_matches(&schema), expected, "{select}");
        }
    }

    #[test]
    fn a_long_list_of_fields_is_cut() {
        let fields = (0..30).map(|n| Field::required(format!("field_of_number_{n}"), Schema::Int));
        let wide = Schema::Record { name: "Wide".into(), fields: fields.collect() };
        let selection = Selection::parse(&json!(["x"])).unwrap();
        let said = selection.check_matches(&wide.to_json()).unwrap_err();
        assert!(said.ends_with("field_of_number_19 and 10 more"), "{said}");
    }
}
