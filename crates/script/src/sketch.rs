//! What a source says without being run: the tools it declares, what it wants of the world, and
//! what it loads.

use crate::engine::Engine;
use crate::nesting;
use model::{Fault, Limits, Place};
use starlark_syntax::syntax::ast::{
    ArgumentP, AstExpr, AstLiteral, AstNoPayload, AstParameterP, AstStmt, CallArgsP, DefP, ExprP,
    ParameterP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;

/// Libraries that a permission stands before.
const GUARDED: [&str; 6] = ["env", "exec", "files", "http", "postgres", "sqlite"];

#[derive(Debug, Default)]
pub struct Sketch {
    /// Calls of `http.get` and the like.
    pub uses: Vec<Use>,
    /// By the name that the file gives them, where their function stands.
    pub tools: Vec<(String, Place)>,
    /// Of tools: parameters that have no type.
    pub untyped: Vec<Untyped>,
    /// The files that it loads.
    pub loads: Vec<String>,
}

/// A call of a library's function, or of `ctx.secret`.
#[derive(Debug)]
pub struct Use {
    pub library: String,
    pub function: String,
    /// The first argument, when it is a plain text.
    pub first: Option<String>,
    pub place: Place,
}

#[derive(Debug)]
pub struct Untyped {
    pub tool: String,
    pub parameter: String,
    /// What its default looks like.
    pub guess: &'static str,
    pub place: Place,
}

impl Sketch {
    /// Fails where the source is no Starlark.
    pub fn read(file: &str, source: &str) -> Result<Self, Fault> {
        nesting::check(file, source, &Limits::default())?;
        let ast = Engine::parse(file, source)?;
        let mut reader = Reader {
            file,
            source,
            sketch: Self::default(),
            functions: Vec::new(),
            declared: Vec::new(),
        };
        reader.stmt(ast.statement());
        Ok(reader.finish())
    }
}

struct Reader<'s> {
    file: &'s str,
    source: &'s str,
    sketch: Sketch,
    functions: Vec<Function>,
    /// The tool's name, the function behind it if it is one by name, and the call.
    declared: Vec<(String, Option<String>, Place)>,
}

struct Function {
    name: String,
    place: Place,
    untyped: Vec<(String, &'static str, Place)>,
}

impl Reader<'_> {
    fn stmt(&mut self, stmt: &AstStmt) {
        match &stmt.node {
            StmtP::Def(def) => self.def(def),
            StmtP::Load(load) => self.sketch.loads.push(load.module.node.clone()),
            _ => {}
        }
        stmt.visit_children(|child| match child {
            Visit::Stmt(child) => self.stmt(child),
            Visit::Expr(child) => self.expr(child),
        });
    }

    fn def(&mut self, def: &DefP<AstNoPayload>) {
        let untyped = def.params.iter().filter_map(|param| self.untyped(param));
        let function = Function {
            name: def.name.ident.clone(),
            place: self.place(def.name.span),
            untyped: untyped.filter(|(name, _, _)| name != "ctx").collect(),
        };
        self.functions.push(function);
    }

    fn untyped(
        &self,
        param: &AstParameterP<AstNoPayload>,
    ) -> Option<(String, &'static str, Place)> {
        let ParameterP::Normal(name, None, default) = &param.node else {
            return None;
        };
        let guess = default.as_ref().map_or("str", |default| kind(default));
        Some((name.ident.clone(), guess, self.place(name.span)))
    }

    fn expr(&mut self, expr: &AstExpr) {
        if let ExprP::Call(callee, args) = &expr.node {
            self.call(expr, callee, args);
        }
        expr.visit_expr(|child| self.expr(child));
    }

    fn call(&mut self, call: &AstExpr, callee: &AstExpr, args: &CallArgsP<AstNoPayload>) {
        match &callee.node {
            ExprP::Dot(of, function) => {
                let library = name(of).unwrap_or_default();
                let is_secret = library == "ctx" && function.node == "secret";
                if is_secret || GUARDED.contains(&library) {
                    let found = Use {
                        library: library.to_owned(),
                        function: function.node.clone(),
                        first: first(args),
                        place: self.place(callee.span),
                    };
                    self.sketch.uses.push(found);
                }
            }
            ExprP::Identifier(name) if matches!(name.ident.as_str(), "tool" | "Tool") => {
                let place = self.place(call.span);
                self.declares(args, place);
            }
            _ => {}
        }
    }

    fn declares(&mut self, args: &CallArgsP<AstNoPayload>, place: Place) {
        let behind = args.args.iter().find_map(|arg| match &arg.node {
            ArgumentP::Positional(expr) => name(expr).map(str::to_owned),
            _ => None,
        });
        let given = args.args.iter().find_map(|arg| match &arg.node {
            ArgumentP::Named(key, value) if key.node == "name" => text(value),
            _ => None,
        });
        if let Some(name) = given.or_else(|| behind.clone()) {
            self.declared.push((name, behind, place));
        }
    }

    fn finish(mut self) -> Sketch {
        for (tool, behind, call) in self.declared {
            let function = behind.and_then(|name| self.functions.iter().find(|f| f.name == name));
            let place = function.map_or(call, |function| function.place.clone());
            for (parameter, guess, place) in function.into_iter().flat_map(|f| &f.untyped) {
                self.sketch.untyped.push(Untyped {
                    tool: tool.clone(),
                    parameter: parameter.clone(),
                    guess,
                    place: place.clone(),
                });
            }
            self.sketch.tools.push((tool, place));
        }
        self.sketch
    }

    fn place(&self, span: starlark::codemap::Span) -> Place {
        let (begin, end) = (span.begin().get() as usize, span.end().get() as usize);
        nesting::place(self.file, self.source, begin, end)
    }
}

fn name(expr: &AstExpr) -> Option<&str> {
    match &expr.node {
        ExprP::Identifier(name) => Some(&name.ident),
        _ => None,
    }
}

fn text(expr: &AstExpr) -> Option<String> {
    match &expr.node {
        ExprP::Literal(AstLiteral::String(text)) => Some(text.node.clone()),
        _ => None,
    }
}

fn first(args: &CallArgsP<AstNoPayload>) -> Option<String> {
    let arg = args.args.first()?;
    match &arg.node {
        ArgumentP::Positional(expr) => text(expr),
        ArgumentP::Named(key, value) if ["url", "command", "name"].contains(&key.node.as_str()) => {
            text(value)
        }
        _ => None,
    }
}

/// The type that a default has.
fn kind(default: &AstExpr) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
load("client.star", "ask")

def list_issues(ctx, repo, labels = [], limit: int = 3):
    token = ctx.secret("token")
    http.get("https://api.example.org/x", auth = token)
    exec.run(command = "git", args = ["log"])
    http.post(repo)
    return [env.get("HOME") for _ in labels]

def find(params):
    return None

tool(list_issues, name = "issues")
tool(lambda x: x, name = "odd")
Tool(name = "old", handler = find)
"#;

    #[test]
    fn a_source_is_read_without_being_run() {
        let sketch = Sketch::read("a.star", SOURCE).unwrap();
        let uses = sketch.uses.iter();
        let uses: Vec<String> = uses
            .map(|u| {
                let first = u.first.as_deref().unwrap_or("?");
                format!("{} {}.{} {first}", u.place.line, u.library, u.function)
            })
            .collect();
        assert_eq!(
            uses,
            [
                "5 ctx.secret token",
                "6 http.get https://api.example.org/x",
                "7 exec.run git",
                "8 http.post ?",
                "9 env.get HOME",
            ]
        );
        let tools = sketch.tools.iter();
        let tools: Vec<String> = tools.map(|(n, p)| format!("{} {n}", p.line)).collect();
        assert_eq!(tools, ["4 issues", "15 odd", "16 old"]);
        let untyped = sketch.untyped.iter();
        let untyped: Vec<String> = untyped
            .map(|u| {
                format!(
                    "{}({}: {}) {}",
                    u.tool, u.parameter, u.guess, u.place.column
                )
            })
            .collect();
        assert_eq!(
            untyped,
            ["issues(repo: str) 22", "issues(labels: list[str]) 28"]
        );
        assert_eq!(sketch.loads, ["client.star"]);
    }

    #[test]
    fn what_is_no_starlark_has_no_outline() {
        let fault = Sketch::read("a.star", "def f(:").unwrap_err();
        assert_eq!(fault.place.unwrap().line, 1);
    }
}
