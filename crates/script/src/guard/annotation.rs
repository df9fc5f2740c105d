//! Edits of type annotations: a value is checked against its declared type by a native of ours before
//! the engine checks it, since the engine prints a value of the wrong type whole.
//!
//! `def f(x: list[int]) -> str:` becomes
//!
//! ```text
//! __t0=__declare("argument `x`",list[int])
//! __t1=__declare("return type",str)
//! def f(x: __t0) -> __t1:
//! ```
//!
//! with `__typed(__t0,x)` before its first statement and `return __typed(__t1,(…))` at its ends.

use super::{Edit, Guard, first_paren};
use starlark_syntax::syntax::ast::{
    AssignP, AssignTargetP, AstExpr, AstLiteral, AstNoPayload, AstStmt, BinOp, DefP, ExprP,
    ParameterP, StmtP,
};

impl Guard<'_> {
    /// Checks arguments where the body begins. Gives the name of the declared return type.
    pub(super) fn declared_function(&mut self, def: &DefP<AstNoPayload>) -> Option<String> {
        let mut checks = Vec::new();
        for param in &def.params {
            let (ParameterP::Normal(name, Some(ty), _)
            | ParameterP::Args(name, Some(ty))
            | ParameterP::KwArgs(name, Some(ty))) = &param.node
            else {
                continue;
            };
            let name = &name.node.ident;
            let declared = self.declare(&ty.expr, &format!("argument `{name}`"));
            checks.push(format!("__typed({declared},{name})"));
        }
        self.check_first(&def.body, &checks.join(";"));
        let returned = def.return_type.as_ref()?;
        Some(self.declare(&returned.expr, "return type"))
    }

    /// `x: T = y` becomes `x: __t0 = __typed(__t0,(y))`.
    pub(super) fn declared_variable(&mut self, assign: &AssignP<AstNoPayload>) {
        let Some(ty) = &assign.ty else { return };
        let role = match &assign.lhs.node {
            AssignTargetP::Identifier(name) => format!("variable `{}`", name.node.ident),
            _ => "variable".to_owned(),
        };
        let declared = self.declare(&ty.expr, &role);
        self.around(&format!("__typed({declared},"), &assign.rhs);
    }

    pub(super) fn returned(&mut self, value: &AstExpr) {
        if let Some(Some(declared)) = self.returns.last() {
            let opening = format!("__typed({declared},");
            self.around(&opening, value);
        }
    }

    /// Declares the type before the statement of the file, once, and puts its name where it stood.
    fn declare(&mut self, ty: &AstExpr, role: &str) -> String {
        let name = format!("__t{}", self.annotations);
        self.annotations += 1;
        let (begin, end) = self.extents.of(ty);
        let at = self.top_level;
        self.insert(at, &format!("{name}=__declare({role:?},"));
        self.edits.push(Edit {
            at,
            opens: true,
            remove: 0,
            insert: self.type_text(ty),
            copied_from: Some((begin, end)),
        });
        self.insert(at, ")\n");
        self.replace(begin, end, name.clone());
        name
    }

    /// The type as an expression; a union is a list, since `None | str` is a type and no expression.
    fn type_text(&self, ty: &AstExpr) -> String {
        let all = |parts: &[AstExpr]| {
            let texts: Vec<String> = parts.iter().map(|part| self.type_text(part)).collect();
            texts.join(",")
        };
        match &ty.node {
            ExprP::Op(left, BinOp::BitOr, right) => {
                format!("[{},{}]", self.type_text(left), self.type_text(right))
            }
            ExprP::Index(parts) => {
                let (of, item) = (self.type_text(&parts.0), self.type_text(&parts.1));
                format!("{of}[{item}]")
            }
            ExprP::Index2(parts) => {
                let (of, key) = (self.type_text(&parts.0), self.type_text(&parts.1));
                format!("{of}[{key},{}]", self.type_text(&parts.2))
            }
            ExprP::Tuple(parts) => format!("({},)", all(parts)),
            ExprP::List(parts) => format!("[{}]", all(parts)),
            _ => {
                let (begin, end) = self.extents.of(ty);
                self.source[begin..end].replace('\n', " ")
            }
        }
    }

    /// Puts checks before the first statement that is not the docstring.
    fn check_first(&mut self, body: &AstStmt, checks: &str) {
        let statements = match &body.node {
            StmtP::Statements(statements) => statements.as_slice(),
            _ => std::slice::from_ref(body),
        };
        let Some(first) = statements.iter().find(|stmt| !is_text(stmt)) else {
            return;
        };
        if checks.is_empty() {
            return;
        }
        let begin = first_paren(self.source, first.span.begin().get() as usize);
        let line = self.source[..begin].rfind('\n').map_or(0, |end| end + 1);
        let separator = match &first.node {
            StmtP::If(..) | StmtP::IfElse(..) | StmtP::For(_) | StmtP::Def(_) => {
                format!("\n{}", &self.source[line..begin])
            }
            _ => ";".to_owned(),
        };
        self.insert(begin, &format!("{checks}{separator}"));
    }
}

fn is_text(stmt: &AstStmt) -> bool {
    let StmtP::Expression(expr) = &stmt.node else {
        return false;
    };
    matches!(expr.node, ExprP::Literal(AstLiteral::String(_)))
}
