//! Leads operations that can blow up, or that the engine writes floats with, through natives of our own:
//! the source is edited at `x.join(…)`, `x.replace(…)`, `x.format(…)`, `x *= …`, `x += …`, `x %= …`,
//! f-strings, keys of dicts, `a | b`, `a ^ b` and calls of built-in types such as `list(…)`, which cannot
//! be shadowed.
//! The edits add no lines, and positions are mapped back, so that authors never see them.

mod extent;

use crate::coverage::{Marks, RAN};
use extent::Extents;
use model::Fault;
use starlark_syntax::codemap::Span;
use starlark_syntax::syntax::AstModule;
use starlark_syntax::syntax::ast::{
    ArgumentP, AssignOp, AssignTargetP, AstAssignTarget, AstExpr, AstNoPayload, AstStmt, BinOp,
    CallArgsP, ExprP, ForP, StmtP,
};

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

/// Built-in types that make a value from another one.
const TYPES: [&str; 5] = ["list", "tuple", "set", "dict", "int"];

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
        };
        guard.stmt(ast.statement())?;
        if guard.edits.is_empty() {
            return Ok(None);
        }
        let mut edits = guard.edits;
        // Stable: of several openings at one place the outer one was noted first.
        edits.sort_by_key(|edit| (edit.at, edit.opens));
        Ok(Some(Self {
            source: apply(source, &edits),
            edits,
        }))
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
                return edit.at;
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
}

impl Guard<'_> {
    fn stmt(&mut self, stmt: &AstStmt) -> Result<(), Fault> {
        self.mark(stmt);
        if let StmtP::AssignModify(target, op, value) = &stmt.node {
            self.assign(target, *op, value)?;
        }
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
                if let ExprP::Identifier(name) = &callee.node
                    && TYPES.contains(&name.node.ident.as_str())
                {
                    self.conversion(&name.node.ident, args);
                }
            }
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
        let breaks: String = self.source[point..end]
            .chars()
            .filter(|c| *c == '\n')
            .collect();
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
        let mut kinds = reprs
            .match_indices('{')
            .map(|(i, _)| reprs[i..].starts_with("{!r"));
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
        });
    }

    fn close(&mut self, at: usize, text: &str) {
        self.edits.push(Edit {
            at,
            opens: false,
            remove: 0,
            insert: text.to_owned(),
        });
    }

    fn replace(&mut self, at: usize, end: usize, insert: String) {
        self.edits.push(Edit {
            at,
            opens: false,
            remove: end - at,
            insert,
        });
    }
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
        Dialect {
            enable_f_strings: true,
            ..Dialect::AllOptionsInternal
        }
    }

    #[test]
    fn operations_that_blow_up_are_checked() {
        check("x = a + b", "x = a + b");
        check("x = s.join(xs)", "x = __join(s,xs)");
        check("x = s.upper().join(xs)", "x = __join(s.upper(),xs)");
        check("x = (a + b).join(xs)", "x = __join((a + b),xs)");
        check(
            "x = ((a + b) ).join(xs) + (c)",
            "x = __join(((a + b) ),xs) + (c)",
        );
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
        check(
            "x = map(','.join, xs)",
            "x = map(__partial(__join,','), xs)",
        );
        check("x = (a\n  .join(xs))", "x = (__join(a\n  ,xs))");
        check("x = list(range(n))", "x = list(__bounded_list((range(n))))");
        check(
            "def f(x: list[str]) -> str:\n    return list(x)",
            "def f(x: list[str]) -> str:\n    return list(__bounded_list((x)))",
        );
        check("x = f(a, *xs)", "x = f(a, *__bounded_list((xs)))");
        check("x = {a: 1, 'b': 2}", "x = {__key((a)): 1, 'b': 2}");
        check("x = {(a, b): 1}", "x = {(__key((a, b))): 1}");
        check("x = {f'a': 1}", "x = {f'a': 1}");
        check(
            "x = {s.join(a): b for a in c}",
            "x = {__key((__join(s,a))): b for a in c}",
        );
        check("x = xs[1:]", "x = __copied((xs))[1:]");
        check("x = (a + b)[:n]", "x = (__copied((a + b)))[:n]");
        check("xs.extend(ys)", "__extend(xs,ys)");
        check("x *= n", "x *= __grow_mul(x,(n))");
        check("x %= n", "x = __mod(x,(n))");
        check("x[0] %= (a, b)", "x[0] = (__mod(x[0],(a, b)))");
        check("(x)[0]%=(n)", "(x)[0]=(__mod((x)[0],(n)))");
        check("x = f'{1.5} {x!r}'", "x = f'{__str(1.5)} {__repr(x)}'");
        check(
            "x[i] += y.join(z)",
            "x[i] += __grow_add(x[i],(__join(y,z)))",
        );
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
    fn multiplying_what_a_call_chose_is_refused() {
        let source = "x[f()] *= 2";
        let ast = AstModule::parse("a.star", source.to_owned(), &dialect()).unwrap();
        let fault = Guarded::new("a.star", source, &ast, None).unwrap_err();
        assert_eq!(
            fault.one_line(),
            "a.star:1 this target of `*=` or `%=` calls a function"
        );
    }

    #[test]
    fn positions_lead_back() {
        let source = "x = s.join(xs)\ny = bad";
        let ast = AstModule::parse("a.star", source.to_owned(), &dialect()).unwrap();
        let guarded = Guarded::new("a.star", source, &ast, None).unwrap().unwrap();
        for word in ["s", "xs", "bad"] {
            let there = guarded.source.rfind(word).unwrap();
            assert_eq!(
                guarded.original(there),
                source.rfind(word).unwrap(),
                "{word}"
            );
        }
    }
}
