//! What a file names, read off its source: for editors, which ask before anything runs.

use crate::engine::Engine;
use crate::nesting::{self, place};
use model::{Fault, Limits, Place};
use starlark_syntax::codemap::Span;
use starlark_syntax::syntax::ast::{
    AssignTargetP, AstAssignTarget, AstLiteral, AstStmt, DefP, ExprP, StmtP,
};

/// The names at the top of a file, and the files it loads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    pub names: Vec<Named>,
    pub loads: Vec<Loaded>,
}

/// A function or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub place: Place,
    /// As it is written: `def f(x: int) -> str`; nothing for a value.
    pub signature: Option<String>,
    pub docs: String,
}

/// One `load`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// What stands there for the file.
    pub target: String,
    pub place: Place,
    /// Each name here, the name there, and where both stand.
    pub names: Vec<(String, String, Place)>,
}

/// Reads a source; one that cannot be parsed is a fault.
pub fn outline(file: &str, source: &str) -> Result<Outline, Fault> {
    nesting::check(file, source, &Limits::default())?;
    let ast = Engine::parse(file, source)?;
    let mut reading = Reading { file, source, outline: Outline::default() };
    reading.statement(ast.statement());
    Ok(reading.outline)
}

struct Reading<'a> {
    file: &'a str,
    source: &'a str,
    outline: Outline,
}

impl Reading<'_> {
    fn statement(&mut self, statement: &AstStmt) {
        match &statement.node {
            StmtP::Statements(all) => all.iter().for_each(|one| self.statement(one)),
            StmtP::If(_, then) => self.statement(then),
            StmtP::IfElse(_, both) => {
                self.statement(&both.0);
                self.statement(&both.1);
            }
            StmtP::Def(def) => {
                let begin = statement.span.begin().get() as usize;
                let head = &self.source[begin..def.body.span.begin().get() as usize];
                let head = head.trim_end().trim_end_matches(':').trim_end();
                self.name(&def.name.ident, def.name.span, Some(head.into()), docs(def));
            }
            StmtP::Assign(assign) => self.target(&assign.lhs),
            StmtP::Load(load) => {
                let names = load.args.iter().map(|arg| {
                    let (local, their) = (&arg.local.ident, &arg.their.node);
                    (local.clone(), their.clone(), self.place(arg.span()))
                });
                let loaded = Loaded {
                    target: load.module.node.clone(),
                    place: self.place(load.module.span),
                    names: names.collect(),
                };
                self.outline.loads.push(loaded);
            }
            _ => {}
        }
    }

    fn target(&mut self, target: &AstAssignTarget) {
        match &target.node {
            AssignTargetP::Tuple(all) => all.iter().for_each(|one| self.target(one)),
            AssignTargetP::Identifier(name) => {
                self.name(&name.node.ident, name.span, None, String::new());
            }
            AssignTargetP::Index(_) | AssignTargetP::Dot(..) => {}
        }
    }

    fn name(&mut self, name: &str, span: Span, signature: Option<String>, docs: String) {
        let named = Named { name: name.to_owned(), place: self.place(span), signature, docs };
        self.outline.names.push(named);
    }

    fn place(&self, span: Span) -> Place {
        let (begin, end) = (span.begin().get() as usize, span.end().get() as usize);
        place(self.file, self.source, begin, end)
    }
}

/// The text a function begins with.
fn docs<P: starlark_syntax::syntax::ast::AstPayload>(def: &DefP<P>) -> String {
    let first = match &def.body.node {
        StmtP::Statements(all) => all.first(),
        _ => Some(&*def.body),
    };
    let Some(StmtP::Expression(expression)) = first.map(|statement| &statement.node) else {
        return String::new();
    };
    match &expression.node {
        ExprP::Literal(AstLiteral::String(text)) => dedented(&text.node),
        _ => String::new(),
    }
}

/// Without the indent that its lines have in the source.
fn dedented(text: &str) -> String {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default();
    let rest: Vec<&str> = lines.collect();
    let used = rest.iter().filter(|line| !line.trim().is_empty());
    let indent = used.map(|line| line.len() - line.trim_start().len()).min();
    let rest = rest.iter().map(|line| line.get(indent.unwrap_or(0)..).unwrap_or(""));
    let lines: Vec<&str> = std::iter::once(first).chain(rest).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_loads_are_read_off() {
        let source = "load(\"lib.star\", \"a\", b = \"c\")\n\
                      X, Y = 1, 2\n\
                      if X:\n    Z = 3\n\
                      def f(x: int = 1) -> str:\n    \"\"\"Greets.\n\n    Args:\n      More.\n    \"\"\"\n    return \"é\"\n\
                      f()\n";
        let outline = outline("m.star", source).unwrap();
        let names = outline.names.iter();
        let names: Vec<_> = names
            .map(|n| (n.name.as_str(), n.place.line, n.place.column, n.signature.as_deref()))
            .collect();
        let signature = Some("def f(x: int = 1) -> str");
        let expected = [("X", 2, 1, None), ("Y", 2, 4, None), ("Z", 4, 5, None)];
        assert_eq!(names[..3], expected);
        assert_eq!(names[3], ("f", 5, 5, signature));
        assert_eq!(outline.names[3].docs, "Greets.\n\nArgs:\n  More.");
        let load = &outline.loads[0];
        assert_eq!((load.target.as_str(), load.place.column), ("lib.star", 6));
        let names = load.names.iter().map(|(own, their, _)| (own.as_str(), their.as_str()));
        assert_eq!(names.collect::<Vec<_>>(), [("a", "a"), ("b", "c")]);
        assert!(super::outline("m.star", "def f(:\n").is_err());
    }
}
