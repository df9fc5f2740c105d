//! `text`: texts cut, laid out and filled in. Called like a function, `text("…")` is a block of an answer.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

mod begin;
mod end;
mod html;
mod lines;
mod markdown;
mod table;
mod template;
mod tokens;

use super::checked::size::{gauge, items};
use super::content::Block;
use crate::stdlib::prelude::*;
use serde_json::json;
use starlark::eval::Arguments;

native_value! {
    pub(crate) struct Text();
    Text: "text", |_, f| f.write_str("text"), METHODS = methods;

    /// `text("…")`: a block of an answer.
    fn invoke(
        &self,
        _me: Value<'v>,
        args: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        args.no_named_args()?;
        let given = args.positional1(eval.heap())?;
        match given.unpack_str() {
            Some(text) => Ok(eval.heap().alloc(Block(json!({"type": "text", "text": text})))),
            None => {
                Err(anyhow::anyhow!("text() takes a string, not a {}", given.get_type()).into())
            }
        }
    }
}

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    builder.set("text", Text());
}

fn at_least_one(function: &str, n: i32) -> anyhow::Result<usize> {
    match usize::try_from(n) {
        Ok(n) if n > 0 => Ok(n),
        _ => anyhow::bail!("text.{function}: n must be at least 1, not {n}"),
    }
}

/// Texts cut, laid out, filled in, and made from HTML.
#[starlark_module]
fn methods(builder: &mut MethodsBuilder) {
    /// Rows as an aligned table in plain text; columns of nothing but numbers stand to the right.
    ///
    /// Rows are dicts, whose keys become the header, or lists, with `header` if one is wanted.
    ///
    /// Examples:
    /// ```python
    /// >>> text.table([{"name": "screws", "pieces": 3}, {"name": "nuts", "pieces": 12}])
    /// "name    pieces\n------  ------\nscrews       3\nnuts        12\n"
    /// >>> text.table([["日本", 1], ["a", 2]], header = ["where", "n"])
    /// "where  n\n-----  -\n日本   1\na      2\n"
    /// ```
    fn table<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] rows: Value<'v>,
        header: Option<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<String> {
        let rows = items(rows, "text.table", eval)?;
        let header = header.map(|header| items(header, "text.table", eval)).transpose()?;
        Ok(table::Table::of(&rows, header, eval)?.render(gauge(eval)?)?)
    }

    /// A text of at most `n` characters; a longer one is cut, with `end` at its end.
    ///
    /// What counts is characters, not bytes; `end` is among them, and is `…` unless given.
    ///
    /// Examples:
    /// ```python
    /// >>> text.truncate("a long sentence", 9, end = "...")
    /// "a long..."
    /// >>> text.truncate("日本語の文", 3, end = "")
    /// "日本語"
    /// >>> text.truncate("short", 7)
    /// "short"
    /// ```
    fn truncate(
        #[starlark(this)] _this: Value<'_>,
        #[starlark(require = pos)] s: &str,
        #[starlark(require = pos)] n: i32,
        #[starlark(default = "…")] end: &str,
    ) -> anyhow::Result<String> {
        lines::truncate(s, at_least_one("truncate", n)?, end)
    }

    /// A text in lines of at most `n` columns, broken between words; a longer word is cut.
    ///
    /// Line breaks that are there stay.
    ///
    /// Examples:
    /// ```python
    /// >>> text.wrap("the quick brown fox", 9)
    /// "the quick\nbrown fox"
    /// ```
    fn wrap<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        #[starlark(require = pos)] n: i32,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let gauge = gauge(eval)?;
        gauge.text(s.len().saturating_mul(2), "a text")?;
        lines::wrap(s, at_least_one("wrap", n)?, &|| gauge.in_time())
    }

    /// A text without the indentation that all its lines share.
    ///
    /// Examples:
    /// ```python
    /// >>> text.dedent("  a\n    b\n\n  c")
    /// "a\n  b\n\nc"
    /// ```
    fn dedent<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let gauge = gauge(eval)?;
        gauge.text(s.len(), "a text")?;
        lines::dedent(s, &|| gauge.in_time())
    }

    /// A text with each `{name}` filled in; `{{` and `}}` stand for braces.
    ///
    /// Examples:
    /// ```python
    /// >>> text.template("Dear {name}, {{{count}}}", name = "Ada", count = 3)
    /// "Dear Ada, {3}"
    /// >>> text.template("{a} {b} {c}", b = 1)
    /// error: text.template: there is no value for `a`, `c`
    /// ```
    fn template<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        #[starlark(kwargs)] values: DictRef<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        template::fill(s, &values, eval)
    }

    /// A page of HTML as Markdown: headings, lists, links, tables, code. Scripts and styles are left out.
    ///
    /// Examples:
    /// ```python
    /// >>> text.html_to_markdown("<h1>Hi</h1><p>See <a href='/x'>this <b>page</b></a>.<ul><li>one<li>two")
    /// "# Hi\n\nSee [this **page**](/x).\n\n- one\n- two\n"
    /// ```
    fn html_to_markdown<'v>(
        #[starlark(this)] _this: Value<'v>,
        #[starlark(require = pos)] s: &str,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<String> {
        let gauge = gauge(eval)?;
        gauge.text(s.len(), "HTML")?;
        let markdown = html::to_markdown(s, &|length| {
            gauge.text(length, "Markdown")?;
            gauge.in_time()
        })?;
        Ok(markdown)
    }
}
