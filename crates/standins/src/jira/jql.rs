//! As much of JQL as somebody tries first: conditions joined by AND, and an order that is passed over.

use serde_json::Value;

use super::issues::field;

pub(super) struct Condition {
    field: String,
    operator: Operator,
    value: String,
}

#[derive(Clone, Copy)]
enum Operator {
    Is,
    IsNot,
    Contains,
}

const OPERATORS: [(&str, Operator); 3] =
    [(" != ", Operator::IsNot), (" = ", Operator::Is), (" ~ ", Operator::Contains)];

pub(super) fn read(jql: &str) -> Result<Vec<Condition>, String> {
    let conditions = jql.split(" ORDER BY ").next().unwrap_or_default();
    conditions.split(" AND ").map(condition).collect()
}

fn condition(text: &str) -> Result<Condition, String> {
    let split = OPERATORS.iter().find_map(|(sign, operator)| {
        let (field, value) = text.split_once(sign)?;
        Some((field.trim().to_lowercase(), *operator, value))
    });
    let Some((name, operator, value)) = split else {
        return Err(format!("Error in the JQL Query: expecting operator in '{text}'."));
    };
    if field(&Value::Null, &name).is_none() {
        return Err(format!(
            "Field '{name}' does not exist or you do not have permission to view it."
        ));
    }
    let value = value.trim().trim_matches('"').to_lowercase();
    Ok(Condition { field: name, operator, value })
}

pub(super) fn fits(jql: &[Condition], issue: &Value) -> bool {
    jql.iter().all(|condition| {
        let values = field(issue, &condition.field).unwrap_or_default();
        let mut values = values.iter().map(|value| value.to_lowercase());
        match condition.operator {
            Operator::Is => values.any(|value| value == condition.value),
            Operator::IsNot => values.all(|value| value != condition.value),
            Operator::Contains => values.any(|value| value.contains(&condition.value)),
        }
    })
}
