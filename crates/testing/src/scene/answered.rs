//! What a test says that somebody answers, in the form that clients answer in.

use super::world::Played;
use model::{Ability, Asker, HostError, Leash, Question, Topic, Unanswered, Unfit};
use serde_json::{Value, json};

fn whole(topic: &Topic, answer: Value) -> Value {
    match (topic, answer) {
        (Topic::Form { .. } | Topic::Page { .. }, Value::Object(map))
            if map.contains_key("action") =>
        {
            Value::Object(map)
        }
        (Topic::Form { .. } | Topic::Page { .. }, content) => {
            json!({"action": "accept", "content": content})
        }
        (Topic::Sample(_), Value::String(text)) => json!({
            "role": "assistant",
            "model": "test",
            "content": {"type": "text", "text": text},
            "stopReason": "endTurn",
        }),
        (Topic::Roots, Value::Array(roots)) => {
            let root = |root: Value| match root {
                Value::String(uri) => json!({"uri": uri}),
                other => other,
            };
            let roots: Vec<Value> = roots.into_iter().map(root).collect();
            json!({"roots": roots})
        }
        (_, other) => other,
    }
}

impl Asker for Played {
    fn can(&self, _: Ability) -> bool {
        self.props().has_answers
    }

    fn ask(&self, questions: &[Question], _: &Leash) -> Result<Vec<Value>, Unanswered> {
        let mut props = self.props();
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            if props.answers.is_empty() {
                let why = format!(
                    "nothing answers ctx.{}; say what is answered with `t.answer`",
                    question.topic.needs().name()
                );
                props.unanswered.push(why.clone());
                return Err(HostError(why).into());
            }
            let (answer, _) = props.answers.remove(0);
            let answer = whole(&question.topic, answer);
            let read = question.topic.read(&answer);
            answers.push(read.map_err(|unfit| {
                let (Unfit::Shape(why) | Unfit::Content(why)) = unfit;
                HostError(format!("t.answer: {why}"))
            })?);
        }
        Ok(answers)
    }
}
