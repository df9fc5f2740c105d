//! Questions in MCP's words.

use model::{Ability, Sample, Topic};
use rmcp::model::{ClientCapabilities, InputRequest};
use serde_json::{Value, json};

pub(crate) fn can(capabilities: &ClientCapabilities, ability: Ability) -> bool {
    let elicitation = capabilities.elicitation.as_ref();
    match ability {
        // Whoever names no mode means forms.
        Ability::Elicit => {
            elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
        }
        Ability::ElicitUrl => elicitation.is_some_and(|modes| modes.url.is_some()),
        Ability::Sample => capabilities.sampling.is_some(),
        Ability::Roots => capabilities.roots.is_some(),
    }
}

/// What a client would have to declare.
pub(crate) fn capability(ability: Ability) -> Value {
    match ability {
        Ability::Elicit => json!({"elicitation": {"form": {}}}),
        Ability::ElicitUrl => json!({"elicitation": {"url": {}}}),
        Ability::Sample => json!({"sampling": {}}),
        Ability::Roots => json!({"roots": {}}),
    }
}

/// The question; `note` is what was wrong with an earlier answer.
pub(crate) fn question(topic: &Topic, note: Option<&str>) -> Result<InputRequest, String> {
    let (method, params) = match topic {
        Topic::Form { message, schema } => {
            let message = match note {
                Some(note) => format!("{message}\n\n({note})"),
                None => message.clone(),
            };
            let form = json!({"mode": "form", "message": message, "requestedSchema": with_properties(schema)});
            ("elicitation/create", form)
        }
        Topic::Page { message, url } => {
            let id = super::random_name()?;
            let page = json!({"mode": "url", "message": message, "url": url, "elicitationId": id});
            ("elicitation/create", page)
        }
        Topic::Sample(sample) => ("sampling/createMessage", sampling(sample)),
        Topic::Roots => ("roots/list", json!({})),
    };
    let json = json!({"method": method, "params": params});
    serde_json::from_value(json).map_err(|_| match topic {
        Topic::Form { .. } => {
            "MCP has no words for this form: look at the types, choices and defaults of its fields"
                .into()
        }
        Topic::Sample(_) => {
            "MCP has no words for these messages: a model is sent text, images and audio".into()
        }
        Topic::Page { .. } | Topic::Roots => format!("MCP has no words for this {method}"),
    })
}

fn with_properties(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if schema.get("properties").is_none() {
        schema["properties"] = json!({});
    }
    schema
}

fn sampling(sample: &Sample) -> Value {
    let mut params = json!({"messages": sample.messages, "maxTokens": sample.max_tokens});
    let mut add = |key: &str, value: Value| params[key] = value;
    if let Some(system) = &sample.system {
        add("systemPrompt", json!(system));
    }
    if let Some(temperature) = sample.temperature {
        add("temperature", json!(temperature));
    }
    if !sample.stop.is_empty() {
        add("stopSequences", json!(sample.stop));
    }
    if !sample.models.is_empty() {
        let hints: Vec<Value> = sample.models.iter().map(|name| json!({"name": name})).collect();
        add("modelPreferences", json!({"hints": hints}));
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abilities_are_read_from_capabilities() {
        let check = |capabilities: Value, expected: &[&str]| {
            let read: ClientCapabilities = serde_json::from_value(capabilities.clone()).unwrap();
            let able = Ability::ALL.into_iter().filter(|ability| can(&read, *ability));
            let able: Vec<&str> = able.map(Ability::name).collect();
            assert_eq!(able, expected, "{capabilities}");
        };
        check(json!({}), &[]);
        check(json!({"elicitation": {}}), &["elicit"]);
        check(json!({"elicitation": {"form": {}}}), &["elicit"]);
        check(json!({"elicitation": {"url": {}}}), &["elicit_url"]);
        check(
            json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {"listChanged": true}}),
            &["elicit", "elicit_url", "sample", "roots"],
        );
        for ability in Ability::ALL {
            check(capability(ability), &[ability.name()]);
        }
    }

    /// What authors may write as a field arrives as it was written.
    #[test]
    fn a_form_keeps_its_fields() {
        for field in [
            json!({"type": "string", "title": "T", "description": "d", "minLength": 1, "maxLength": 9, "format": "email", "default": "a@b.c"}),
            json!({"type": "number", "minimum": 0.5, "maximum": 9.5, "default": 1.25}),
            json!({"type": "integer", "minimum": 0, "maximum": 150, "default": 30}),
            json!({"type": "boolean", "default": true}),
            json!({"type": "string", "enum": ["a", "b"], "default": "a"}),
            json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]}),
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "a"}),
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1, "default": ["a"]}),
            json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}),
        ] {
            let schema = json!({"type": "object", "properties": {"x": field}, "required": ["x"]});
            let topic = Topic::Form { message: "?".into(), schema: schema.clone() };
            let asked = serde_json::to_value(question(&topic, None).unwrap()).unwrap();
            assert_eq!(asked["params"]["requestedSchema"], schema);
        }
        let topic = Topic::Form { message: "?".into(), schema: json!({"type": "object"}) };
        let asked = serde_json::to_value(question(&topic, Some("no")).unwrap()).unwrap();
        assert_eq!(asked["params"]["message"], "?\n\n(no)");
    }
}
