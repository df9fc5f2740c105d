//! `toml`: the format of configuration files, read and written.

use super::checked::size::gauge;
use crate::stdlib::prelude::*;

const LONGEST: usize = 8 << 20;

/// The format of configuration files, read and written.
#[starlark_module]
pub(super) fn natives(builder: &mut GlobalsBuilder) {
    /// The dict that a TOML text stands for. Dates and times become strings.
    ///
    /// Examples:
    /// ```python
    /// >>> toml.decode("name = \"web\"\nsince = 2024-05-01\n[server]\nports = [80, 443]")
    /// {"name": "web", "since": "2024-05-01", "server": {"ports": [80, 443]}}
    /// >>> toml.decode("a = 1\nb = ")
    /// error: toml.decode: line 2: string values must be quoted, expected literal string
    /// ```
    fn decode<'v>(
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let gauge = gauge(eval)?;
        gauge.text(s.len(), "TOML")?;
        if s.len() > LONGEST {
            bail!("toml.decode: {} bytes; it reads {LONGEST}", s.len());
        }
        let json = settings::read_toml(s).map_err(|fault| {
            let line = fault.place.map_or(0, |place| place.line);
            anyhow::anyhow!("toml.decode: line {line}: {}", fault.message)
        })?;
        let value = from_json(&json, eval.heap())?;
        gauge.memory(eval)?;
        Ok(value)
    }

    /// A dict as TOML text. Entries that are None are left out: TOML has no word for nothing.
    ///
    /// Examples:
    /// ```python
    /// >>> toml.encode({"server": {"ports": [80, 443]}, "name": "web", "users": [{"id": 1}]})
    /// "name = \"web\"\n\n[server]\nports = [80, 443]\n\n[[users]]\nid = 1\n"
    /// >>> toml.encode([1])
    /// error: toml.encode: a TOML text is a dict, not a list
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
        settings::write_toml(&json, gauge.text_budget()).or_else(|why| {
            gauge.leave_trial()?;
            bail!("toml.encode: {why}")
        })
    }
}
