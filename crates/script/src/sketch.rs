//! What a source says without being run: the tools it declares, what it wants of the world, and
//! what it loads.

use crate::engine::Engine;
use crate::known_text::KnownText;
use crate::nesting;
use crate::permission_call::{PermissionCall, range};
use model::{Fault, Limits, Place};
use starlark_syntax::syntax::ast::{
    ArgumentP, AssignTargetP, AstArgument, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload,
    AstParameterP, AstStmt, CallArgsP, ClauseP, DefP, ExprP, ParameterP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Every name that stands for a value somewhere in it.
    pub names: BTreeSet<String>,
    /// Names that the file gives to values of its own.
    pub own: BTreeSet<String>,
    /// Names of arguments, as calls give them.
    pub keywords: BTreeSet<String>,
    /// Every text in it.
    pub texts: BTreeSet<String>,
    /// The lines that each function takes, first and last.
    pub functions: Vec<(String, usize, usize)>,
    /// Tools and the names of the functions behind them, where they have names.
    pub handlers: Vec<(String, String)>,
    /// Names of values, and the lines they stand in.
    pub mentions: Vec<(String, usize)>,
    /// Calls of `permissions(…)`.
    pub declarations: Vec<(PermissionCall, Place)>,
    /// The byte at which the docstring and the `load`s that the file begins with end.
    pub preamble: Option<usize>,
}

/// A call of a library's function, of `ctx.secret` or of `ctx.call`.
#[derive(Debug)]
pub struct Use {
    pub library: String,
    pub function: String,
    /// What it is asked for, such as a URL, as far as the source tells: all of it, or a URL up to its path.
    pub first: Option<String>,
    /// Of `http.request`: the method, where it is written out.
    pub method: Option<String>,
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
            bound: BTreeMap::new(),
            constants: BTreeMap::new(),
            asked: Vec::new(),
            depth: 0,
        };
        reader.sketch.preamble = preamble(ast.statement());
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
    /// Names that the file gives to values of its own, and how often.
    bound: BTreeMap<String, usize>,
    /// Strings that names at the top stand for.
    constants: BTreeMap<String, String>,
    /// By number of the use: what it is asked for.
    asked: Vec<(usize, KnownText)>,
    /// Functions around what is read.
    depth: usize,
}

struct Function {
    name: String,
    place: Place,
    untyped: Vec<(String, &'static str, Place)>,
}

impl Reader<'_> {
    fn stmt(&mut self, stmt: &AstStmt) {
        match &stmt.node {
            StmtP::Def(def) => {
                self.def(def);
                let (first, last) = (self.place(stmt.span), self.last_line(stmt.span));
                let name = def.name.ident.clone();
                self.sketch.functions.push((name, first.line, last));
            }
            StmtP::Load(load) => {
                self.sketch.loads.push(load.module.node.clone());
                for arg in &load.args {
                    self.bind(&arg.local.node.ident);
                }
            }
            StmtP::Assign(assign) => {
                if let (0, AssignTargetP::Identifier(name)) = (self.depth, &assign.lhs.node)
                    && let Some(text) = text(&assign.rhs)
                {
                    self.constants.insert(name.node.ident.clone(), text);
                }
                self.binds(&assign.lhs);
            }
            StmtP::AssignModify(target, ..) => self.binds(target),
            StmtP::For(each) => self.binds(&each.var),
            _ => {}
        }
        let inner = usize::from(matches!(stmt.node, StmtP::Def(_)));
        self.depth += inner;
        stmt.visit_children(|child| match child {
            Visit::Stmt(child) => self.stmt(child),
            Visit::Expr(child) => self.expr(child),
        });
        self.depth -= inner;
    }

    fn binds(&mut self, target: &AstAssignTarget) {
        target.visit_lvalue(|name| self.bind(&name.node.ident));
    }

    fn bind(&mut self, name: &str) {
        *self.bound.entry(name.to_owned()).or_default() += 1;
    }

    fn def(&mut self, def: &DefP<AstNoPayload>) {
        for name in def.params.iter().filter_map(|param| param.node.ident()) {
            self.bind(&name.node.ident);
        }
        self.bind(&def.name.ident);
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
        match &expr.node {
            ExprP::Call(callee, args) => self.call(expr, callee, args),
            ExprP::Identifier(name) => {
                self.sketch.names.insert(name.ident.clone());
                let line = self.place(expr.span).line;
                self.sketch.mentions.push((name.ident.clone(), line));
            }
            ExprP::Literal(AstLiteral::String(text)) => {
                self.sketch.texts.insert(text.node.clone());
            }
            ExprP::ListComprehension(_, first, more) | ExprP::DictComprehension(_, first, more) => {
                self.binds(&first.var);
                for clause in more {
                    if let ClauseP::For(each) = clause {
                        self.binds(&each.var);
                    }
                }
            }
            ExprP::Dot(of, function) => self.mention(expr, of, &function.node),
            ExprP::Lambda(lambda) => {
                for name in lambda.params.iter().filter_map(|param| param.node.ident()) {
                    self.bind(&name.node.ident);
                }
            }
            _ => {}
        }
        let inner = usize::from(matches!(expr.node, ExprP::Lambda(_)));
        self.depth += inner;
        expr.visit_expr(|child| self.expr(child));
        self.depth -= inner;
    }

    fn uses(&mut self, callee: &AstExpr, of: &AstExpr, function: &str, args: &[AstArgument]) {
        let library = name(of).unwrap_or_default();
        let is_of_ctx = library == "ctx" && ["secret", "call"].contains(&function);
        if !is_of_ctx && !GUARDED.contains(&library) {
            return;
        }
        if let Some(known) = first(args, usize::from(function == "request")) {
            self.asked.push((self.sketch.uses.len(), known));
        }
        self.sketch.uses.push(Use {
            library: library.to_owned(),
            function: function.to_owned(),
            first: None,
            method: (function == "request").then(|| method(args)).flatten(),
            place: self.place(callee.span),
        });
    }

    /// A library's function that is not called here but handed on: `attempt(http.get, url)`.
    fn mention(&mut self, expr: &AstExpr, of: &AstExpr, function: &str) {
        let library = name(of).unwrap_or_default();
        let place = self.place(expr.span);
        let is_new = || !self.sketch.uses.iter().any(|used| used.place == place);
        if GUARDED.contains(&library) && is_new() {
            self.sketch.uses.push(Use {
                library: library.to_owned(),
                function: function.to_owned(),
                first: None,
                method: None,
                place,
            });
        }
    }

    fn call(&mut self, call: &AstExpr, callee: &AstExpr, args: &CallArgsP<AstNoPayload>) {
        for argument in &args.args {
            if let ArgumentP::Named(key, _) = &argument.node {
                self.sketch.keywords.insert(key.node.clone());
            }
        }
        match &callee.node {
            ExprP::Dot(of, function) => {
                if name(of) == Some("ctx") && function.node == "call" {
                    self.meta_calls(args, &self.place(callee.span));
                }
                self.uses(callee, of, &function.node, &args.args);
            }
            // The function that it calls, and what it hands on.
            ExprP::Identifier(name) if name.ident == "attempt" => {
                if let Some((function, rest)) = args.args.split_first()
                    && let ArgumentP::Positional(callee) = &function.node
                    && let ExprP::Dot(of, function) = &callee.node
                {
                    self.uses(callee, of, &function.node, rest);
                }
            }
            ExprP::Identifier(name) if name.ident == "permissions" => {
                let in_function = self.depth > 0;
                let read = PermissionCall::read(call, callee, args, in_function, self.source);
                let place = self.place(callee.span);
                self.sketch.declarations.extend(read.map(|read| (read, place)));
            }
            ExprP::Identifier(name) if matches!(name.ident.as_str(), "tool" | "Tool") => {
                let place = self.place(call.span);
                self.declares(args, place);
            }
            _ => {}
        }
    }

    /// Tools that are named as `{"module": …, "tool": …}`, for `call` and `batch`.
    fn meta_calls(&mut self, args: &CallArgsP<AstNoPayload>, place: &Place) {
        let mut found = Vec::new();
        for arg in &args.args {
            add_named_tools(arg.node.expr(), &mut found);
        }
        let uses = found.into_iter().map(|tool| Use {
            library: "ctx".to_owned(),
            function: "call".to_owned(),
            first: Some(tool),
            method: None,
            place: place.clone(),
        });
        self.sketch.uses.extend(uses);
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
        // A value of the file's own that is called like a library is not that library.
        let bound = self.bound;
        self.constants.retain(|name, _| bound.get(name) == Some(&1));
        for (at, known) in self.asked {
            self.sketch.uses[at].first = known.resolve(&self.constants);
        }
        self.sketch.uses.retain(|used| used.library == "ctx" || !bound.contains_key(&used.library));
        if bound.contains_key("permissions") {
            self.sketch.declarations.clear();
        }
        self.sketch.own = bound.into_keys().collect();
        for (tool, behind, call) in self.declared {
            let handler = behind.clone().map(|name| (tool.clone(), name));
            self.sketch.handlers.extend(handler);
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

    fn last_line(&self, span: starlark::codemap::Span) -> usize {
        let end = (span.end().get() as usize).min(self.source.len());
        let text = self.source[..end].trim_end();
        text.matches('\n').count() + 1
    }

    fn place(&self, span: starlark::codemap::Span) -> Place {
        let (begin, end) = (span.begin().get() as usize, span.end().get() as usize);
        nesting::place(self.file, self.source, begin, end)
    }
}

/// Where the docstring and the `load`s at the top end.
fn preamble(statement: &AstStmt) -> Option<usize> {
    let all = flat(statement);
    let is_docstring = |statement: &AstStmt| match &statement.node {
        StmtP::Expression(expr) => text(expr).is_some(),
        _ => false,
    };
    let is_load = |statement: &AstStmt| matches!(statement.node, StmtP::Load(_));
    let numbered = all.into_iter().enumerate();
    let leading = numbered.take_while(|(i, one)| is_load(one) || *i == 0 && is_docstring(one));
    let (_, last) = leading.last()?;
    Some(range(last.span).end)
}

/// Statements one after the other, also those that share a line.
fn flat(statement: &AstStmt) -> Vec<&AstStmt> {
    match &statement.node {
        StmtP::Statements(all) => all.iter().flat_map(flat).collect(),
        _ => vec![statement],
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

fn add_named_tools(expr: &AstExpr, found: &mut Vec<String>) {
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
fn method(args: &[AstArgument]) -> Option<String> {
    let written = args.iter().enumerate().find_map(|(i, arg)| match &arg.node {
        ArgumentP::Named(key, value) if key.node == "method" => Some(value),
        ArgumentP::Positional(value) if i == 0 => Some(value),
        _ => None,
    });
    Some(text(written?)?.to_ascii_uppercase())
}

/// The argument that says what is wanted: by its name, or at its place.
fn first(args: &[AstArgument], place: usize) -> Option<KnownText> {
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
            .map(|u| format!("{}({}: {}) {}", u.tool, u.parameter, u.guess, u.place.column))
            .collect();
        assert_eq!(untyped, ["issues(repo: str) 22", "issues(labels: list[str]) 28"]);
        assert_eq!(sketch.loads, ["client.star"]);
        let lines = |name: &str| sketch.functions.iter().find(|f| f.0 == name).map(|f| (f.1, f.2));
        assert_eq!(lines("list_issues"), Some((4, 9)));
        assert_eq!(lines("find"), Some((11, 12)));
    }

    #[test]
    fn called_tools_are_known_where_they_are_written_out() {
        let source = r#"
def f(ctx, tool):
    ctx.call("files.read", {})
    ctx.call(tool)
    ctx.call("batch", {"tasks": [{"id": "a", "module": "m", "tool": "t"}, {"module": tool, "tool": "t"}]})
"#;
        let sketch = Sketch::read("a.star", source).unwrap();
        let called: Vec<_> = sketch.uses.iter().map(|u| u.first.as_deref()).collect();
        assert_eq!(called, [Some("files.read"), None, Some("m.t"), Some("batch")]);
    }

    #[test]
    fn values_of_its_own_are_no_libraries() {
        let source = "def pick(env, files):\n    return [env.get(\"A\"), files.index(\"x\")]\n";
        assert!(Sketch::read("a.star", source).unwrap().uses.is_empty());
        let source = "def f():\n    http.request(\"GET\", \"https://a.org\")\n    \
                      http.get(headers = {}, url = \"https://b.org\")\n";
        let sketch = Sketch::read("a.star", source).unwrap();
        let asked: Vec<_> = sketch.uses.iter().map(|u| u.first.as_deref()).collect();
        assert_eq!(asked, [Some("https://a.org"), Some("https://b.org")]);
    }

    #[test]
    fn texts_are_known_as_far_as_the_source_tells() {
        for (source, expected) in [
            ("http.get('https://a.org/x')", Some("https://a.org/x")),
            ("http.get('https://a.org/' + x)", Some("https://a.org/")),
            ("http.get('https://a.org/%s' % x)", Some("https://a.org/")),
            ("http.get('https://a.org/{}'.format(x))", Some("https://a.org/")),
            ("http.get(f'https://a.org/{x}')", Some("https://a.org/")),
            ("http.get(BASE + '/' + x)", Some("https://b.org/v1")),
            ("http.get(BASE)", Some("https://b.org/v1")),
            ("attempt(http.get, BASE)", Some("https://b.org/v1")),
            ("attempt(http.request, 'GET', 'https://a.org')", Some("https://a.org")),
            ("exec.run('git')", Some("git")),
            ("files.read('data/' + x)", None),
            ("http.get('https://' + x)", None),
            ("http.get('https://a' + x)", None),
            ("http.get(f'https://{x}.a.org/')", None),
            ("http.get(TWICE + '/')", None),
            ("http.get(x)", None),
        ] {
            let source = format!(
                "BASE = 'https://b.org/v1'\nTWICE = 'https://c.org/'\nTWICE = 'https://d.org/'\n\
                 def f(x):\n    return {source}\n"
            );
            let sketch = Sketch::read("a.star", &source).unwrap();
            let asked: Vec<_> = sketch.uses.iter().map(|u| u.first.as_deref()).collect();
            assert_eq!(asked, [expected], "{source}");
        }
        let handed = "def f(x):\n    return parallel(http.get, [x])\n";
        let uses = Sketch::read("a.star", handed).unwrap().uses;
        assert_eq!((uses.len(), uses[0].first.as_deref()), (1, None));
    }

    #[test]
    fn what_is_no_starlark_has_no_outline() {
        let fault = Sketch::read("a.star", "def f(:").unwrap_err();
        assert_eq!(fault.place.unwrap().line, 1);
    }
}
