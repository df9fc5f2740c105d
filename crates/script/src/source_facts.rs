//! Facts about a source that is parsed and not run: what it defines and loads, the tools it declares, and the
//! permissions it uses.

use crate::docstring::dedent;
use crate::engine::Engine;
use crate::known_text::KnownText;
use crate::nesting;
use crate::permission_call::{PermissionCall, range};
use crate::source_expr::{add_named_tools, method, name, text, type_of_default, wanted};
use model::{Fault, Limits, Place};
use starlark_syntax::codemap::Span;
use starlark_syntax::syntax::ast::{
    ArgumentP, AssignTargetP, AstArgument, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload,
    AstParameterP, AstStmt, CallArgsP, ClauseP, DefP, ExprP, LoadP, ParameterP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Libraries that need a permission.
const GUARDED: [&str; 6] = ["env", "exec", "files", "http", "postgres", "sqlite"];

#[derive(Debug, Default)]
pub struct SourceFacts {
    /// Functions and values that the file defines at its top.
    pub definitions: Vec<Definition>,
    pub loads: Vec<Load>,
    /// Calls of `http.get` and the like.
    pub uses: Vec<Use>,
    pub tools: Vec<DeclaredTool>,
    /// Every function, also inside of others.
    pub functions: Vec<Function>,
    /// Names of values, and the lines they stand in.
    pub mentions: Vec<(String, usize)>,
    /// Names that the file gives to values of its own.
    pub own: BTreeSet<String>,
    /// Names of arguments, as calls give them.
    pub keywords: BTreeSet<String>,
    /// Every text in it.
    pub texts: BTreeSet<String>,
    /// Calls of `permissions(…)`.
    pub declarations: Vec<(PermissionCall, Place)>,
    /// The byte at which the docstring and the `load`s that the file begins with end.
    pub preamble: Option<usize>,
}

/// A function or a value.
#[derive(Debug, Clone)]
pub struct Definition {
    pub name: String,
    pub place: Place,
    /// As it is written: `def f(x: int) -> str`; nothing for a value.
    pub signature: Option<String>,
    pub docs: String,
}

/// One `load`.
#[derive(Debug, Clone)]
pub struct Load {
    /// The file, as the source names it.
    pub target: String,
    pub place: Place,
    /// Each name here, and the name there.
    pub names: Vec<(String, String)>,
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

/// A call of `tool` or `Tool`.
#[derive(Debug)]
pub struct DeclaredTool {
    pub name: String,
    /// The function behind it, if it is given by name.
    pub function: Option<String>,
    /// Of that function's name; else of the call.
    pub place: Place,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub place: Place,
    pub lines: RangeInclusive<usize>,
    pub untyped: Vec<UntypedParameter>,
}

#[derive(Debug)]
pub struct UntypedParameter {
    pub name: String,
    /// The type that its default has.
    pub guess: &'static str,
    pub place: Place,
}

impl SourceFacts {
    /// Fails where the source is no Starlark.
    pub fn read(file: &str, source: &str) -> Result<Self, Fault> {
        nesting::check(file, source, &Limits::default())?;
        let ast = Engine::parse(file, source)?;
        let lines = source.match_indices('\n').map(|(end, _)| end + 1);
        let mut reader = FactReader {
            file,
            source,
            line_starts: std::iter::once(0).chain(lines).collect(),
            facts: Self::default(),
            bound: BTreeMap::new(),
            constants: BTreeMap::new(),
            asked: Vec::new(),
            depth: 0,
        };
        reader.facts.preamble = preamble(ast.statement());
        reader.stmt(ast.statement());
        Ok(reader.finish())
    }

    /// Is this the name of a value somewhere in it?
    pub fn mentions(&self, name: &str) -> bool {
        self.mentions.iter().any(|(mentioned, _)| mentioned == name)
    }

    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }
}

struct FactReader<'s> {
    file: &'s str,
    source: &'s str,
    /// The byte at which each line begins.
    line_starts: Vec<usize>,
    facts: SourceFacts,
    /// Names that the file gives to values of its own, and how often.
    bound: BTreeMap<String, usize>,
    /// Strings that names at the top stand for.
    constants: BTreeMap<String, String>,
    /// By number of the use: what it is asked for.
    asked: Vec<(usize, KnownText)>,
    /// Functions around what is read.
    depth: usize,
}

impl FactReader<'_> {
    fn stmt(&mut self, stmt: &AstStmt) {
        match &stmt.node {
            StmtP::Def(def) => self.def(stmt, def),
            StmtP::Load(load) => self.load(load),
            StmtP::Assign(assign) => {
                if self.depth == 0 {
                    assign.lhs.visit_lvalue(|name| {
                        let name = Definition {
                            name: name.node.ident.clone(),
                            place: self.place(name.span),
                            signature: None,
                            docs: String::new(),
                        };
                        self.facts.definitions.push(name);
                    });
                }
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

    fn load(&mut self, load: &LoadP<AstNoPayload>) {
        let mut names = Vec::new();
        for arg in &load.args {
            let (own, theirs) = (&arg.local.node.ident, &arg.their.node);
            self.bind(own);
            names.push((own.clone(), theirs.clone()));
        }
        let (target, place) = (load.module.node.clone(), self.place(load.module.span));
        self.facts.loads.push(Load { target, place, names });
    }

    fn def(&mut self, stmt: &AstStmt, def: &DefP<AstNoPayload>) {
        for name in def.params.iter().filter_map(|param| param.node.ident()) {
            self.bind(&name.node.ident);
        }
        let (name, place) = (&def.name.ident, self.place(def.name.span));
        self.bind(name);
        let whole = range(stmt.span);
        if self.depth == 0 {
            let head = self.source[whole.start..range(def.body.span).start].trim_end();
            let head = head.trim_end_matches(':').trim_end();
            self.facts.definitions.push(Definition {
                name: name.clone(),
                place: place.clone(),
                signature: Some(head.to_owned()),
                docs: docs(&def.body),
            });
        }
        let text = self.source[..whole.end.min(self.source.len())].trim_end();
        let untyped = def.params.iter().filter_map(|param| self.untyped(param));
        let function = Function {
            name: name.clone(),
            place,
            lines: self.line(whole.start)..=self.line(text.len()),
            untyped: untyped.collect(),
        };
        self.facts.functions.push(function);
    }

    fn untyped(&self, param: &AstParameterP<AstNoPayload>) -> Option<UntypedParameter> {
        let ParameterP::Normal(name, None, default) = &param.node else {
            return None;
        };
        (name.ident != "ctx").then(|| UntypedParameter {
            name: name.ident.clone(),
            guess: default.as_ref().map_or("str", |default| type_of_default(default)),
            place: self.place(name.span),
        })
    }

    fn expr(&mut self, expr: &AstExpr) {
        match &expr.node {
            ExprP::Call(callee, args) => self.call(expr, callee, args),
            ExprP::Identifier(name) => {
                let line = self.line(range(expr.span).start);
                self.facts.mentions.push((name.ident.clone(), line));
            }
            ExprP::Literal(AstLiteral::String(text)) => {
                self.facts.texts.insert(text.node.clone());
            }
            ExprP::ListComprehension(_, first, more) | ExprP::DictComprehension(_, first, more) => {
                self.binds(&first.var);
                for clause in more {
                    if let ClauseP::For(each) = clause {
                        self.binds(&each.var);
                    }
                }
            }
            // A library's function that is not called here but handed on: `parallel(http.get, urls)`.
            ExprP::Dot(of, function) if name(of).is_some_and(|name| GUARDED.contains(&name)) => {
                let place = self.place(expr.span);
                if !self.facts.uses.iter().any(|used| used.place == place) {
                    self.uses(expr, of, &function.node, &[]);
                }
            }
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
        if let Some(known) = wanted(args, usize::from(function == "request")) {
            self.asked.push((self.facts.uses.len(), known));
        }
        self.facts.uses.push(Use {
            library: library.to_owned(),
            function: function.to_owned(),
            first: None,
            method: (function == "request").then(|| method(args)).flatten(),
            place: self.place(callee.span),
        });
    }

    fn call(&mut self, call: &AstExpr, callee: &AstExpr, args: &CallArgsP<AstNoPayload>) {
        for argument in &args.args {
            if let ArgumentP::Named(key, _) = &argument.node {
                self.facts.keywords.insert(key.node.clone());
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
                self.facts.declarations.extend(read.map(|read| (read, place)));
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
        self.facts.uses.extend(uses);
    }

    fn declares(&mut self, args: &CallArgsP<AstNoPayload>, place: Place) {
        let function = args.args.iter().find_map(|arg| match &arg.node {
            ArgumentP::Positional(expr) => name(expr).map(str::to_owned),
            _ => None,
        });
        let given = args.args.iter().find_map(|arg| match &arg.node {
            ArgumentP::Named(key, value) if key.node == "name" => text(value),
            _ => None,
        });
        if let Some(name) = given.or_else(|| function.clone()) {
            self.facts.tools.push(DeclaredTool { name, function, place });
        }
    }

    fn finish(mut self) -> SourceFacts {
        // A value of the file's own that is called like a library is not that library.
        let (bound, mut facts) = (self.bound, self.facts);
        self.constants.retain(|name, _| bound.get(name) == Some(&1));
        for (at, known) in self.asked {
            facts.uses[at].first = known.resolve(&self.constants);
        }
        facts.uses.retain(|used| used.library == "ctx" || !bound.contains_key(&used.library));
        if bound.contains_key("permissions") {
            facts.declarations.clear();
        }
        facts.own = bound.into_keys().collect();
        let mut tools = std::mem::take(&mut facts.tools);
        for tool in &mut tools {
            if let Some(function) = tool.function.as_ref().and_then(|name| facts.function(name)) {
                tool.place = function.place.clone();
            }
        }
        SourceFacts { tools, ..facts }
    }

    /// The number of the line that a byte is in.
    fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at)
    }

    fn place(&self, span: Span) -> Place {
        let range = range(span);
        nesting::place(self.file, self.source, range.start, range.end)
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

/// The text a function begins with, without the indent that its lines have in the source.
fn docs(body: &AstStmt) -> String {
    let first = match &body.node {
        StmtP::Statements(all) => all.first(),
        _ => Some(body),
    };
    let text = first.and_then(|first| match &first.node {
        StmtP::Expression(expr) => text(expr),
        _ => None,
    });
    let text = text.unwrap_or_default();
    match text.trim().split_once('\n') {
        Some((first, rest)) => {
            format!("{first}\n{}", dedent(&rest.lines().collect::<Vec<_>>()))
        }
        None => text.trim().to_owned(),
    }
}
