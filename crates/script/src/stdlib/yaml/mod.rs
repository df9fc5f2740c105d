//! `yaml`: YAML 1.2 as data, read and written.

mod read;
mod write;

use super::checked::size::gauge;
use crate::stdlib::prelude::*;

fn documents<'v>(s: &str, eval: &Evaluator<'v, '_, '_>) -> anyhow::Result<Vec<Value<'v>>> {
    let gauge = gauge(eval)?;
    gauge.text(s.len(), "YAML")?;
    let documents = read::documents(s, &|| gauge.in_time())?;
    let mut receiver = Receiver::new(eval.heap());
    let made = documents.iter().map(|json| Ok(receiver.list_item(json)?));
    let made: anyhow::Result<Vec<Value>> = made.collect();
    gauge.memory(eval)?;
    made
}

/// YAML 1.2 as data, read and written.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The value of a YAML text with one document, or with none, which is None.
    ///
    /// This is YAML 1.2 by its core schema: `no` and `on` are texts, `007` is a number. Keys become
    /// strings; `<<` merges; tags of one's own are ignored. A key that stands there twice is an
    /// error, and so is `.inf`, which JSON has no word for. Aliases are followed: written out, a
    /// text may have 1,000,000 values.
    ///
    /// Examples:
    /// ```python
    /// >>> yaml.decode("a: [1, 2.5, no]\nb: &x {c: ~}\nd: *x")
    /// {"a": [1, 2.5, "no"], "b": {"c": None}, "d": {"c": None}}
    /// >>> yaml.decode("base: &b {x: 1, y: 2}\nother:\n  <<: *b\n  y: 3")["other"]
    /// {"x": 1, "y": 3}
    /// >>> yaml.decode("a: 1\na: 2")
    /// error: yaml.decode: line 2: the key "a" is there twice
    /// ```
    fn decode<'v>(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let documents = documents(s, eval)?;
        match documents[..] {
            [] => Ok(Value::new_none()),
            [only] => Ok(only),
            _ => bail!(
                "yaml.decode: the text has {} documents; yaml.decode_all gives a list of them",
                documents.len()
            ),
        }
    }

    /// The values of all documents in a YAML text.
    ///
    /// Examples:
    /// ```python
    /// >>> yaml.decode_all("a: 1\n---\n- b\n")
    /// [{"a": 1}, ["b"]]
    /// ```
    fn decode_all<'v>(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let documents = documents(s, eval)?;
        Ok(eval.heap().alloc(AllocList(documents)))
    }

    /// A value as YAML text, over several lines.
    ///
    /// Examples:
    /// ```python
    /// >>> yaml.encode({"name": "web", "ports": [80, 443], "env": {}, "note": "a: b"})
    /// "name: web\nports:\n  - 80\n  - 443\nenv: {}\nnote: \"a: b\"\n"
    /// ```
    fn encode<'v>(
        #[starlark(require = pos)] x: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let gauge = gauge(eval)?;
        let json = to_json(x, eval.heap(), super::json::budget(eval)?).or_else(|error| {
            gauge.leave_trial()?;
            Err(anyhow::Error::from(error))
        })?;
        write::document(&json, gauge.text_budget()).or_else(|error| {
            gauge.leave_trial()?;
            Err(error)
        })
    }
}
