//! What expressions of a source say without being run.

use crate::known_text::KnownText;
use starlark_syntax::syntax::ast::{ArgumentP, AstArgument, AstExpr, AstLiteral, ExprP};

pub(crate) fn name(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        ExprP::Identifier(name) => Some(&name.ident),
        _ => None,
    }
}

pub(crate) fn text(expr: &AstExpr) -> Option<String> {
    match &expr.node {
        ExprP::Literal(AstLiteral::String(text)) => Some(text.node.clone()),
        _ => None,
    }
}

pub(crate) fn add_named_tools(expr: &AstExpr, found: &mut Vec<String>) {
    if let ExprP::Dict(entries) = &expr.node {
        let get = |wanted: &str| {
            let mut entries = entries.iter();
            entries.find_map(|(key, value)| {
                text(value).filter(|_| text(key).as_deref() == Some(wanted))
            })
        };
        if let (Some(module), Some(tool)) = (get("module"), get("tool")) {
            found.push(format!("{module}.{tool}"));
        }
    }
    expr.visit_expr(|child| add_named_tools(child, found));
}

/// The method of `http.request("POST", …)`.
pub(crate) fn method(args: &[AstArgument]) -> Option<String> {
    let written = args.iter().enumerate().find_map(|(i, arg)| match &arg.node {
        ArgumentP::Named(key, value) if key.node == "method" => Some(value),
        ArgumentP::Positional(value) if i == 0 => Some(value),
        _ => None,
    });
    Some(text(written?)?.to_ascii_uppercase())
}

/// The argument that says what is wanted: by its name, or at its place.
pub(crate) fn wanted(args: &[AstArgument], place: usize) -> Option<KnownText> {
    let named = args.iter().find_map(|arg| match &arg.node {
        ArgumentP::Named(key, value) if ["url", "command", "name"].contains(&key.node.as_str()) => {
            Some(value)
        }
        _ => None,
    });
    let placed = args.get(place).and_then(|arg| match &arg.node {
        ArgumentP::Positional(value) => Some(value),
        _ => None,
    });
    KnownText::read(named.or(placed)?)
}

/// The type that a default has.
pub(crate) fn type_of_default(default: &AstExpr) -> &'static str {
    match &default.node {
        ExprP::Literal(AstLiteral::Int(_)) => "int",
        ExprP::Literal(AstLiteral::Float(_)) => "float",
        ExprP::List(_) => "list[str]",
        ExprP::Dict(_) => "dict",
        ExprP::Identifier(name) => match name.ident.as_str() {
            "True" | "False" => "bool",
            "None" => "str | None",
            _ => "str",
        },
        _ => "str",
    }
}
