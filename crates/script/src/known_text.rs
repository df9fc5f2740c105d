//! What the source alone tells of a string: all of it, or how it begins.

use starlark_syntax::syntax::ast::{AstExpr, AstLiteral, BinOp, ExprP};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownText {
    start: Start,
    /// Does nothing follow it?
    is_whole: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    Text(String),
    /// A name that may stand for a constant.
    Name(String),
}

impl KnownText {
    pub(crate) fn read(expr: &AstExpr) -> Option<Self> {
        let known = |start, is_whole| Some(Self { start, is_whole });
        match &expr.node {
            ExprP::Literal(AstLiteral::String(text)) => known(Start::Text(text.node.clone()), true),
            ExprP::Identifier(name) => known(Start::Name(name.ident.clone()), true),
            ExprP::Op(left, BinOp::Add, _) => Some(Self { is_whole: false, ..Self::read(left)? }),
            ExprP::Op(left, BinOp::Percent, _) => known(Start::Text(before(left, '%')?), false),
            ExprP::FString(text) => known(Start::Text(cut(&text.format.node, '{')), false),
            ExprP::Call(callee, _) => match &callee.node {
                ExprP::Dot(of, method) if method.node == "format" => {
                    known(Start::Text(before(of, '{')?), false)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The text, if it is whole; of a URL also its beginning, if that has all of the host.
    pub(crate) fn resolve(self, constants: &BTreeMap<String, String>) -> Option<String> {
        let text = match self.start {
            Start::Text(text) => text,
            Start::Name(name) => constants.get(&name)?.clone(),
        };
        let has_host = || {
            let rest = text.split_once("://").map_or("", |(_, rest)| rest);
            rest.contains(['/', '?', '#'])
        };
        (self.is_whole || has_host()).then_some(text)
    }
}

fn before(expr: &AstExpr, mark: char) -> Option<String> {
    match &expr.node {
        ExprP::Literal(AstLiteral::String(text)) => Some(cut(&text.node, mark)),
        _ => None,
    }
}

fn cut(text: &str, mark: char) -> String {
    text.split(mark).next().unwrap_or_default().to_owned()
}
