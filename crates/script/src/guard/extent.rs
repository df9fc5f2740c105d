//! How far an expression reaches in the text: the parser's spans leave out parentheses around it,
//! and around what it begins or ends with.

use starlark_syntax::codemap::{CodeMap, Span};
use starlark_syntax::dialect::Dialect;
use starlark_syntax::lexer::{Lexer, Token};
use starlark_syntax::syntax::ast::{AssignTargetP, AstAssignTarget, AstExpr, ExprP, LambdaP};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    Other,
}

/// The tokens of a source, in order, without comments.
pub(super) struct Extents {
    tokens: Vec<(usize, Kind, usize)>,
}

impl Extents {
    pub(super) fn new(source: &str, dialect: &Dialect) -> Self {
        let codemap = CodeMap::new(String::new(), source.to_owned());
        let mut lexer = Lexer::new(source, dialect, codemap);
        let mut tokens = Vec::new();
        while let Some(Ok((begin, token, end))) = lexer.next() {
            let kind = match token {
                Token::OpeningRound => Kind::Open,
                Token::ClosingRound => Kind::Close,
                Token::Comment(_) => continue,
                _ => Kind::Other,
            };
            tokens.push((begin, kind, end));
        }
        Self { tokens }
    }

    /// From its first character to its last, without parentheses around the whole.
    pub(super) fn of(&self, expr: &AstExpr) -> (usize, usize) {
        let (mut begin, mut end) = bytes(expr.span);
        if let Some(first) = first_part(expr) {
            begin = begin.min(self.around(first).0);
        }
        if let Some(last) = last_part(expr) {
            end = end.max(self.around(last).1);
        }
        (begin, end)
    }

    /// The same of what is assigned to.
    pub(super) fn of_target(&self, target: &AstAssignTarget) -> (usize, usize) {
        let (begin, end) = bytes(target.span);
        match &target.node {
            AssignTargetP::Index(parts) => (begin.min(self.around(&parts.0).0), end),
            AssignTargetP::Dot(object, _) => (begin.min(self.around(object).0), end),
            AssignTargetP::Identifier(_) | AssignTargetP::Tuple(_) => (begin, end),
        }
    }

    /// With the parentheses around it, of an expression that a larger one begins or ends with:
    /// only there are they never those of a call.
    pub(super) fn around(&self, part: &AstExpr) -> (usize, usize) {
        let (mut begin, mut end) = self.of(part);
        while let (Some((open, Kind::Open, _)), Some((_, Kind::Close, close))) =
            (self.before(begin), self.after(end))
        {
            (begin, end) = (open, close);
        }
        (begin, end)
    }

    /// The token that ends before a place.
    pub(super) fn token_before(&self, at: usize) -> Option<usize> {
        self.before(at).map(|(begin, ..)| begin)
    }

    /// The assignment operator that follows a target which ends there.
    pub(super) fn operator_after(&self, at: usize) -> Option<(usize, usize)> {
        let index = self.tokens.partition_point(|(begin, ..)| *begin < at);
        let mut after = self.tokens[index..].iter();
        let operator = after.find(|(_, kind, _)| *kind != Kind::Close);
        operator.map(|(begin, _, end)| (*begin, *end))
    }

    fn before(&self, at: usize) -> Option<(usize, Kind, usize)> {
        let count = self.tokens.partition_point(|(begin, ..)| *begin < at);
        count.checked_sub(1).map(|last| self.tokens[last])
    }

    fn after(&self, at: usize) -> Option<(usize, Kind, usize)> {
        let index = self.tokens.partition_point(|(begin, ..)| *begin < at);
        self.tokens.get(index).copied()
    }
}

fn bytes(span: Span) -> (usize, usize) {
    (span.begin().get() as usize, span.end().get() as usize)
}

fn first_part(expr: &AstExpr) -> Option<&AstExpr> {
    match &expr.node {
        ExprP::Dot(first, _)
        | ExprP::Call(first, _)
        | ExprP::Op(first, ..)
        | ExprP::Slice(first, ..) => Some(first),
        ExprP::Index(parts) => Some(&parts.0),
        ExprP::Index2(parts) => Some(&parts.0),
        // Condition, then, else; what stands first in the text is what is taken if it holds.
        ExprP::If(parts) => Some(&parts.1),
        _ => None,
    }
}

fn last_part(expr: &AstExpr) -> Option<&AstExpr> {
    match &expr.node {
        ExprP::Op(.., last) => Some(last),
        ExprP::If(parts) => Some(&parts.2),
        ExprP::Not(last) | ExprP::Minus(last) | ExprP::Plus(last) | ExprP::BitNot(last) => {
            Some(last)
        }
        ExprP::Lambda(LambdaP { body, .. }) => Some(body),
        _ => None,
    }
}
