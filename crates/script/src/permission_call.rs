//! A call of `permissions(…)` as it stands in a source, for those who add to it.

use starlark::codemap::Span;
use starlark_syntax::syntax::ast::{ArgumentP, AstExpr, AstNoPayload, CallArgsP, ExprP};
use std::ops::Range;

/// All ranges are bytes of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionCall {
    /// What is between the parentheses.
    pub inside: Range<usize>,
    pub arguments: Vec<Range<usize>>,
    pub keys: Vec<PermissionKey>,
    /// Does it have arguments without a name, such as `**entries`?
    pub has_unnamed: bool,
    /// Inside a function it has no effect.
    pub in_function: bool,
}

/// `key = […]` in such a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionKey {
    pub name: String,
    /// What is between the brackets, and each item there; nothing if the value is not a plain list.
    pub list: Option<(Range<usize>, Vec<Range<usize>>)>,
}

impl PermissionCall {
    pub(crate) fn read(
        call: &AstExpr,
        callee: &AstExpr,
        args: &CallArgsP<AstNoPayload>,
        in_function: bool,
        source: &str,
    ) -> Option<Self> {
        let (start, end) = (range(callee.span).end, range(call.span).end);
        let open = start + source.get(start..end)?.find('(')?;
        let keys = args.args.iter().filter_map(|argument| match &argument.node {
            ArgumentP::Named(name, value) => {
                Some(PermissionKey { name: name.node.clone(), list: list(value) })
            }
            _ => None,
        });
        let keys: Vec<PermissionKey> = keys.collect();
        Some(Self {
            inside: open + 1..end.checked_sub(1)?,
            arguments: args.args.iter().map(|argument| range(argument.span)).collect(),
            has_unnamed: keys.len() < args.args.len(),
            keys,
            in_function,
        })
    }
}

fn list(value: &AstExpr) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let ExprP::List(items) = &value.node else {
        return None;
    };
    let whole = range(value.span);
    let items = items.iter().map(|item| range(item.span)).collect();
    Some((whole.start + 1..whole.end.checked_sub(1)?, items))
}

pub(crate) fn range(span: Span) -> Range<usize> {
    span.begin().get() as usize..span.end().get() as usize
}
