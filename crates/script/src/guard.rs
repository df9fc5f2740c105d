//! Leads operations that can blow up, or that the engine writes floats with, through natives of our own:
//! the source is edited at `x.join(…)`, `x.replace(…)`, `x.format(…)`, `x *= …`, `x += …`, `x %= …`,
//! f-strings, keys of dicts, `a | b`, `a ^ b`, built-in types such as `list`, type annotations, and values
//! that have one. Positions are mapped back, so that authors never see the edits.

mod annotation;
mod binding;
mod extent;

use crate::coverage::{Marks, RAN};
use crate::docstring::{MARKED_LINE_END, is_markable};
use binding::bound_names;
use extent::Extents;
use model::Fault;
use starlark_syntax::codemap::Span;
use starlark_syntax::syntax::AstModule;
use starlark_syntax::syntax::ast::{
    ArgumentP, AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload,
    AstStmt, BinOp, CallArgsP, ExprP, ForP, StmtP,
};
use std::collections::HashSet;

/// Methods whose result can be larger than what went in, that take in a whole sequence, or that
/// make a list of a text.
pub(crate) const METHODS: [&str; 12] = [
    "join",
    "replace",
    "format",
    "split",
    "rsplit",
    "splitlines",
    "extend",
    "update",
    "union",
    "intersection",
    "difference",
    "symmetric_difference",
];

/// Built-in types that make a container from another value; `int` checks its values itself.
const TYPES: [&str; 4] = ["list", "tuple", "set", "dict"];

/// `|` and `^` are wrapped instead, outside annotations: types are written with `|`.
/// Binary operators that go through checked natives; the compiler would fold them while loading.
pub(crate) const OPERATORS: [(&str, &str); 12] = [
    ("*", "__mul"),
    ("+", "__add"),
    ("%", "__mod"),
    ("<<", "__shl"),
    ("==", "__eq"),
    ("!=", "__ne"),
    ("<", "__lt"),
    ("<=", "__le"),
    (">", "__gt"),
    (">=", "__ge"),
    ("in", "__in"),
    ("not in", "__not_in"),
];

#[derive(Debug, Clone)]
struct Edit {
    at: usize,
    /// Closing texts come before opening ones at the same place.
    opens: bool,
    remove: usize,
    insert: String,
    /// Where the inserted text stands in the author's source, if it is a copy from another place.
    copied_from: Option<(usize, usize)>,
}

/// The edited source, and the way back to positions in the author's own.
#[derive(Debug, Default, Clone)]
pub(crate) struct Guarded {
    pub(crate) source: String,
    edits: Vec<Edit>,
}

impl Guarded {
    /// `None` when there is nothing to guard. With marks, statements tell that they run.
    pub(crate) fn new(
        file: &str,
        source: &str,
        ast: &AstModule,
        marks: Option<Marks<'_>>,
    ) -> Result<Option<Self>, Fault> {
        let mut guard = Guard {
            file,
            source,
            extents: Extents::new(source, &crate::engine::dialect()),
            edits: Vec::new(),
            marks,
            bound: bound_names(ast.statement(), &TYPES),
            top_level: 0,
            annotations: 0,
            returns: Vec::new(),
        };
        guard.top_level(ast.statement())?;
        if guard.edits.is_empty() {
            return Ok(None);
        }
        let mut edits = guard.edits;
        // Stable: of several openings at one place the outer one was noted first.
        edits.sort_by_key(|edit| (edit.at, edit.opens));
        Ok(Some(Self { source: apply(source, &edits), edits }))
    }

    /// Where a position of the edited source stands in the author's.
    pub(crate) fn original(&self, position: usize) -> usize {
        let mut shift: isize = 0;
        for edit in &self.edits {
            let start = edit.at.saturating_add_signed(shift);
            if position < start {
                break;
            }
            if position < start + edit.insert.len() {
                return match edit.copied_from {
                    Some((begin, end)) => (begin + position - start).min(end),
                    None => edit.at,
                };
            }
            shift += edit.insert.len().cast_signed() - edit.remove.cast_signed();
        }
        position.saturating_add_signed(-shift)
    }
}

fn apply(source: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(source.len() + edits.len() * 12);
    let mut done = 0;
    for edit in edits {
        out.push_str(&source[done.min(edit.at)..edit.at]);
        out.push_str(&edit.insert);
        done = edit.at + edit.remove;
    }
    out.push_str(&source[done.min(source.len())..]);
    out
}

struct Guard<'a> {
    file: &'a str,
    source: &'a str,
    extents: Extents,
    edits: Vec<Edit>,
    marks: Option<Marks<'a>>,
    /// Those of `TYPES` that the file uses as names of its own.
    bound: HashSet<String>,
    /// Where the statement of the file begins that is being edited.
    top_level: usize,
    /// How many type annotations have been edited.
    annotations: usize,
    /// The declared return types of the functions around, innermost last, by their names in the edits.
    returns: Vec<Option<String>>,
}

impl Guard<'_> {
    fn top_level(&mut self, stmt: &AstStmt) -> Result<(), Fault> {
        if let StmtP::Statements(statements) = &stmt.node {
            return statements.iter().try_for_each(|one| self.top_level(one));
        }
        self.top_level = stmt.span.begin().get() as usize;
        self.stmt(stmt)
    }

    fn stmt(&mut self, stmt: &AstStmt) -> Result<(), Fault> {
        self.mark(stmt);
        match &stmt.node {
            StmtP::AssignModify(target, op, value) => self.assign(target, *op, value)?,
            StmtP::Assign(assign) => self.declared_variable(assign),
            StmtP::Return(Some(value)) => self.returned(value),
            StmtP::Def(def) => {
                self.docstring(&def.body);
                let declared = self.declared_function(def);
                self.returns.push(declared);
            }
            _ => {}
        }
        let result = self.children(stmt);
        if matches!(stmt.node, StmtP::Def(_)) {
            self.returns.pop();
        }
        result
    }

    /// Marks the line ends of a docstring that the engine would look for sections in. An escaped one is left
    /// alone: its text is not its value.
    fn docstring(&mut self, body: &AstStmt) {
        if let StmtP::Statements(statements) = &body.node
            && let Some(first) = statements.first()
            && let StmtP::Expression(expr) = &first.node
            && let ExprP::Literal(AstLiteral::String(text)) = &expr.node
        {
            let begin = text.span.begin().get() as usize;
            let literal = &self.source[begin..text.span.end().get() as usize];
            if literal.contains('\\') || !is_markable(&text.node) {
                return;
            }
            for (at, _) in literal.match_indices('\n') {
                self.replace(begin + at, begin + at + 1, MARKED_LINE_END.to_owned());
            }
        }
    }

    fn children(&mut self, stmt: &AstStmt) -> Result<(), Fault> {
        let types = annotations(stmt);
        let mut result = Ok(());
        stmt.visit_children(|child| {
            if result.is_err() {
                return;
            }
            match child {
                starlark_syntax::syntax::uniplate::Visit::Stmt(child) => result = self.stmt(child),
                starlark_syntax::syntax::uniplate::Visit::Expr(child)
                    if types.contains(&child.span) => {}
                starlark_syntax::syntax::uniplate::Visit::Expr(child) => self.expr(child),
            }
        });
        result
    }

    /// `x = 1` becomes `__ran(7,0);x = 1`, and `if x:` becomes `if __ran(7,(x)):`.
    fn mark(&mut self, stmt: &AstStmt) {
        let looks_at = match &stmt.node {
            StmtP::If(condition, _) | StmtP::IfElse(condition, _) => Some(condition),
            StmtP::For(ForP { over, .. }) => Some(over),
            StmtP::Expression(expr) if matches!(expr.node, ExprP::Literal(_)) => return,
            StmtP::Statements(_) | StmtP::Def(_) | StmtP::Load(_) => return,
            _ => None,
        };
        let Some(marks) = &mut self.marks else { return };
        let begin = first_paren(self.source, stmt.span.begin().get() as usize);
        let Some(point) = marks.at(begin) else { return };
        match looks_at {
            Some(value) => self.around(&format!("{RAN}({point},"), value),
            None => self.insert(begin, &format!("{RAN}({point},0);")),
        }
    }

    fn expr(&mut self, expr: &AstExpr) {
        match &expr.node {
            ExprP::Call(callee, args) => {
                self.splats(args);
                if let ExprP::Dot(_, name) = &callee.node
                    && METHODS.contains(&name.node.as_str())
                {
                    self.method(callee, name, true);
                    self.children_of_callee(expr, callee);
                    return;
                }
                if let Some(name) = built_in_type(callee) {
                    self.conversion(name, args);
                    self.children_of_callee(expr, callee);
                    return;
                }
            }
            ExprP::Index(parts) if built_in_type(&parts.0).is_some() => {
                self.children_of_callee(expr, &parts.0);
                return;
            }
            ExprP::Index2(parts) if built_in_type(&parts.0).is_some() => {
                self.children_of_callee(expr, &parts.0);
                return;
            }
            ExprP::Identifier(_) => self.mention(expr),
            ExprP::Dot(_, name) if METHODS.contains(&name.node.as_str()) => {
                self.method(expr, name, false);
            }
            ExprP::Slice(whole, ..) => self.wrap("__copied", whole),
            ExprP::Op(_, BinOp::BitOr | BinOp::BitXor, _) => self.wrap("__copied", expr),
            ExprP::Dict(entries) => entries.iter().for_each(|(key, _)| self.key(key)),
            ExprP::DictComprehension(entry, ..) => self.key(&entry.0),
            ExprP::FString(parts) => self.fstring(&parts.node.format.node, &parts.node.expressions),
            _ => {}
        }
        expr.visit_expr(|child| self.expr(child));
    }

    /// The callee itself is already edited; what stands inside it and the arguments are not.
    fn children_of_callee(&mut self, call: &AstExpr, callee: &AstExpr) {
        call.visit_expr(|child| {
            if std::ptr::eq(child, callee) {
                child.visit_expr(|inner| self.expr(inner));
            } else {
                self.expr(child);
            }
        });
    }

    /// `e.join(xs)` becomes `__join(e, xs)`; a bare `e.join` becomes `__partial(__join, e)`.
    fn method(
        &mut self,
        dot: &AstExpr,
        name: &starlark_syntax::syntax::ast::AstString,
        called: bool,
    ) {
        let end = name.span.end().get() as usize;
        let Some(point) = (self.extents).token_before(name.span.begin().get() as usize) else {
            return;
        };
        let (begin, _) = self.extents.of(dot);
        let method = name.node.as_str();
        // Line breaks are kept, so that line numbers stay true.
        let breaks: String = self.source[point..end].chars().filter(|c| *c == '\n').collect();
        let open_paren = self.source[end..]
            .find('(')
            .filter(|gap| called && self.source[end..end + gap].trim().is_empty());
        match open_paren {
            Some(gap) => {
                self.insert(begin, &format!("__{method}("));
                self.replace(point, end + gap + 1, format!(",{breaks}"));
            }
            None => {
                self.insert(begin, &format!("__partial(__{method},"));
                self.replace(point, end, format!("{breaks})"));
            }
        }
    }

    /// `{x: 1}` becomes `{__key((x)): 1}`, which looks into the key and gives it back.
    fn key(&mut self, key: &AstExpr) {
        if !matches!(key.node, ExprP::Literal(_) | ExprP::FString(_)) {
            self.wrap("__key", key);
        }
    }

    /// `f = list` becomes `f = __list`, which looks at what it converts.
    fn mention(&mut self, expr: &AstExpr) {
        if built_in_type(expr).is_some_and(|name| !self.bound.contains(name)) {
            let (begin, _) = self.extents.of(expr);
            // An opening text stays behind those of the expressions around it.
            self.insert(begin, "__");
        }
    }

    /// `list(xs)` becomes `list(__bounded_list((xs)))`, which looks at the size and gives back `xs`.
    fn conversion(&mut self, name: &str, args: &CallArgsP<AstNoPayload>) {
        if let [first, ..] = args.args.as_slice()
            && let ArgumentP::Positional(value) = &first.node
            && !matches!(value.node, ExprP::Literal(_))
        {
            self.wrap(&format!("__bounded_{name}"), value);
        }
    }

    /// `f(*xs)` lays out every element before the call.
    fn splats(&mut self, args: &CallArgsP<AstNoPayload>) {
        for argument in &args.args {
            if let ArgumentP::Args(value) = &argument.node {
                self.wrap("__bounded_list", value);
            }
        }
    }

    fn wrap(&mut self, native: &str, value: &AstExpr) {
        self.around(&format!("{native}("), value);
    }

    fn around(&mut self, opening: &str, value: &AstExpr) {
        let (begin, end) = self.extents.of(value);
        self.insert(begin, &format!("{opening}("));
        self.close(end, "))");
    }

    fn fstring(&mut self, format: &str, expressions: &[AstExpr]) {
        let reprs = format.replace("{{", "").replace("}}", "");
        let mut kinds = reprs.match_indices('{').map(|(i, _)| reprs[i..].starts_with("{!r"));
        for expression in expressions {
            let repr = kinds.next().unwrap_or(false);
            let (begin, end) = self.extents.of(expression);
            self.insert(begin, if repr { "__repr(" } else { "__str(" });
            self.close(end, ")");
            if repr && let Some(mark) = self.source[end..].find("!r") {
                self.replace(end + mark, end + mark + 2, String::new());
            }
        }
    }

    /// `x *= n` becomes `x *= __grow_mul(x, (n))`, which looks at both sides and gives back `n`;
    /// `x %= n` becomes `x = __mod(x, (n))`.
    fn assign(
        &mut self,
        target: &AstAssignTarget,
        op: AssignOp,
        value: &AstExpr,
    ) -> Result<(), Fault> {
        let native = match op {
            AssignOp::Add => "__grow_add",
            AssignOp::Multiply => "__grow_mul",
            AssignOp::Percent => "__mod",
            _ => return Ok(()),
        };
        let (begin, end) = self.extents.of_target(target);
        if !is_repeatable(target) {
            // Adding grows by what is added; multiplying by what nobody knows.
            if matches!(op, AssignOp::Add) {
                return Ok(());
            }
            return Err(Fault::new("this target of `*=` or `%=` calls a function")
                .at(crate::nesting::place(self.file, self.source, begin, end))
                .help("give the element a name first: `i = f()`, then `xs[i] *= 2`"));
        }
        if matches!(op, AssignOp::Percent)
            && let Some((sign, end)) = self.extents.operator_after(end)
        {
            self.replace(sign, end, "=".to_owned());
        }
        let target = self.source[begin..end].replace('\n', " ");
        self.around(&format!("{native}({target},"), value);
        Ok(())
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.edits.push(Edit {
            at,
            opens: true,
            remove: 0,
            insert: text.to_owned(),
            copied_from: None,
        });
    }

    fn close(&mut self, at: usize, text: &str) {
        self.edits.push(Edit {
            at,
            opens: false,
            remove: 0,
            insert: text.to_owned(),
            copied_from: None,
        });
    }

    fn replace(&mut self, at: usize, end: usize, insert: String) {
        self.edits.push(Edit { at, opens: false, remove: end - at, insert, copied_from: None });
    }
}

/// The name of the type in `TYPES` that the expression is.
fn built_in_type(expr: &AstExpr) -> Option<&'static str> {
    let ExprP::Identifier(name) = &expr.node else {
        return None;
    };
    TYPES.into_iter().find(|one| *one == name.node.ident)
}

/// The types that a statement itself is annotated with; the engine reads them by rules of their own.
fn annotations(stmt: &AstStmt) -> Vec<Span> {
    let mut types = Vec::new();
    match &stmt.node {
        StmtP::Def(def) => {
            let params = def.params.iter().filter_map(|param| param.split().1);
            types.extend(params.map(|ty| ty.expr.span));
            types.extend(def.return_type.iter().map(|ty| ty.expr.span));
        }
        StmtP::Assign(assign) => types.extend(assign.ty.iter().map(|ty| ty.expr.span)),
        _ => {}
    }
    types
}

/// Where a statement begins: the parser's spans leave out parentheses around its first part, which
/// may stand on lines above it.
fn first_paren(source: &str, begin: usize) -> usize {
    let is_open = |text: &str| text.chars().all(|c| c == '(' || c.is_whitespace());
    let mut line = source[..begin].rfind('\n').map_or(0, |end| end + 1);
    let kept = source[line..begin].trim_end_matches(['(', ' ', '\t']);
    let mut first = line + kept.len();
    first += source[first..begin].find('(').unwrap_or(begin - first);
    if !kept.is_empty() {
        return first;
    }
    for above in source[..line].split_inclusive('\n').rev() {
        line -= above.len();
        let code = above.split('#').next().unwrap_or(above);
        if !is_open(code) {
            break;
        }
        first = code.find('(').map_or(first, |paren| line + paren);
    }
    first
}

/// Can the target be read twice without anything happening twice?
fn is_repeatable(target: &AstAssignTarget) -> bool {
    fn pure(expr: &AstExpr) -> bool {
        let mut all = !matches!(expr.node, ExprP::Call(..));
        expr.visit_expr(|child| all &= pure(child));
        all
    }
    match &target.node {
        AssignTargetP::Identifier(_) => true,
        AssignTargetP::Index(parts) => pure(&parts.0) && pure(&parts.1),
        AssignTargetP::Dot(object, _) => pure(object),
        AssignTargetP::Tuple(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlark_syntax::syntax::Dialect;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let ast = AstModule::parse("a.star", source.to_owned(), &dialect()).unwrap();
        let guarded = Guarded::new("a.star", source, &ast, None).unwrap();
        let got = guarded.map_or_else(|| source.to_owned(), |g| g.source);
        assert_eq!(got, expected);
        AstModule::parse("a.star", got, &dialect()).unwrap();
    }

    fn dialect() -> Dialect {
        Dialect { enable_f_strings: true, ..Dialect::AllOptionsInternal }
    }

    #[test]
    fn operations_that_blow_up_are_checked() {
        check("x = a + b", "x = a + b");
        check("x = s.join(xs)", "x = __join(s,xs)");
        check("x = s.upper().join(xs)", "x = __join(s.upper(),xs)");
        check("x = (a + b).join(xs)", "x = __join((a + b),xs)");
        check("x = ((a + b) ).join(xs) + (c)", "x = __join(((a + b) ),xs) + (c)");
        check(
            "x = a.replace('x', 'y').replace('y', z)",
            "x = __replace(__replace(a,'x', 'y'),'y', z)",
        );
        check(
            "x = (s or '').replace('a', 'b').replace('c', 'd')",
            "x = __replace(__replace((s or ''),'a', 'b'),'c', 'd')",
        );
        check(
            "x = (s if b else '').split('b')[0].replace('c', 'd')",
            "x = __replace(__split((s if b else ''),'b')[0],'c', 'd')",
        );
        check("x = f'{(a or b).c}'", "x = f'{__str((a or b).c)}'");
        check("(x)[0] += (1)", "(x)[0] += (__grow_add((x)[0],(1)))");
        check("x = '{}'.format(y)", "x = __format('{}',y)");
        check("x = (s.join)(xs)", "x = (__partial(__join,s))(xs)");
        check("x = map(','.join, xs)", "x = map(__partial(__join,','), xs)");
        check("x = (a\n  .join(xs))", "x = (__join(a\n  ,xs))");
        check("x = list(range(n))", "x = list(__bounded_list((range(n))))");
        check(
            "x = {'a': list, 'b': [tuple, dict[str, int], set]}",
            "x = {'a': __list, 'b': [__tuple, dict[str, int], __set]}",
        );
        check("x = f(dict)\nset = 1", "x = f(__dict)\nset = 1");
        check("x = f(set)\nset = 1", "x = f(set)\nset = 1");
        check("x = dict | None", "x = __copied((__dict | None))");
        check("x = {list: 1}", "x = {__key((__list)): 1}");
        check("x = f(a, *xs)", "x = f(a, *__bounded_list((xs)))");
        check("x = {a: 1, 'b': 2}", "x = {__key((a)): 1, 'b': 2}");
        check("x = {(a, b): 1}", "x = {(__key((a, b))): 1}");
        check("x = {f'a': 1}", "x = {f'a': 1}");
        check("x = {s.join(a): b for a in c}", "x = {__key((__join(s,a))): b for a in c}");
        check("x = xs[1:]", "x = __copied((xs))[1:]");
        check("x = (a + b)[:n]", "x = (__copied((a + b)))[:n]");
        check("xs.extend(ys)", "__extend(xs,ys)");
        check("x *= n", "x *= __grow_mul(x,(n))");
        check("x %= n", "x = __mod(x,(n))");
        check("x[0] %= (a, b)", "x[0] = (__mod(x[0],(a, b)))");
        check("(x)[0]%=(n)", "(x)[0]=(__mod((x)[0],(n)))");
        check("x = f'{1.5} {x!r}'", "x = f'{__str(1.5)} {__repr(x)}'");
        check("x[i] += y.join(z)", "x[i] += __grow_add(x[i],(__join(y,z)))");
        check("x += 1, 2", "x += __grow_add(x,(1, 2))");
        check("x[f()] += 1", "x[f()] += 1");
        check(
            "x = f'{a} {b!r} {{}} {c.join(d)}'",
            "x = f'{__str(a)} {__repr(b)} {{}} {__str(__join(c,d))}'",
        );
        check(
            "def f(s):\n    if s:\n        return s.join([])",
            "def f(s):\n    if s:\n        return __join(s,[])",
        );
    }

    #[test]
    fn values_are_checked_against_annotations() {
        check(
            "def f(x: list[str]) -> str:\n    return list(x)",
            "__t0=__declare(\"argument `x`\",list[str])\n__t1=__declare(\"return type\",str)\n\
             def f(x: __t0) -> __t1:\n    __typed(__t0,x);return __typed(__t1,(list(__bounded_list((x)))))",
        );
        check(
            "def f(x: None | (int, str), y):\n    'Doc.'\n    if x:\n        return x\n    return y, 1",
            "__t0=__declare(\"argument `x`\",[None,(int,str,)])\n\
             def f(x: __t0, y):\n    'Doc.'\n    __typed(__t0,x)\n    if x:\n        return x\n    return y, 1",
        );
        check(
            "def f():\n    def g(*a: T) -> U: return (1), a\n    return g",
            "__t0=__declare(\"argument `a`\",T)\n__t1=__declare(\"return type\",U)\n\
             def f():\n    def g(*a: __t0) -> __t1: __typed(__t0,a);return __typed(__t1,((1), a))\n    return g",
        );
        check(
            "a = 1; x: T = y.join(z)",
            "a = 1; __t0=__declare(\"variable `x`\",T)\nx: __t0 = __typed(__t0,(__join(y,z)))",
        );
    }

    #[test]
    fn docstrings_with_sections_are_marked() {
        for (docstring, expected) in [
            (
                "'''A.\n\n    Args:\n    '''",
                "'''A.\u{f8ff}\n\u{f8ff}\u{f8ff}\n\u{f8ff}    Args:\u{f8ff}\n\u{f8ff}    '''",
            ),
            ("'''A\n    b.'''", "'''A\n    b.'''"),
            ("'''A.\n\n    \\'b'.'''", "'''A.\n\n    \\'b'.'''"),
        ] {
            let function = |docstring| format!("def f():\n    {docstring}\n    pass");
            check(&function(docstring), &function(expected));
        }
    }

    #[test]
    fn multiplying_what_a_call_chose_is_refused() {
        let source = "x[f()] *= 2";
        let ast = AstModule::parse("a.star", source.to_owned(), &dialect()).unwrap();
        let fault = Guarded::new("a.star", source, &ast, None).unwrap_err();
        assert_eq!(fault.one_line(), "a.star:1 this target of `*=` or `%=` calls a function");
    }

    #[test]
    fn positions_lead_back() {
        let source = "x = s.join(xs)\ny = bad";
        let ast = AstModule::parse("a.star", source.to_owned(), &dialect()).unwrap();
        let guarded = Guarded::new("a.star", source, &ast, None).unwrap().unwrap();
        for word in ["s", "xs", "bad"] {
            let there = guarded.source.rfind(word).unwrap();
            assert_eq!(guarded.original(there), source.rfind(word).unwrap(), "{word}");
        }
    }
}
