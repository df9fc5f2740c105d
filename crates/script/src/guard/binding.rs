//! Names that a file binds anywhere: by assignments, parameters, loops and loads.

use starlark_syntax::syntax::ast::{
    AssignTargetP, AstAssignTarget, AstExpr, AstNoPayload, AstStmt, ClauseP, ExprP, ForClauseP,
    ParameterP, StmtP,
};
use starlark_syntax::syntax::uniplate::Visit;
use std::collections::HashSet;

/// Those of the wanted names that are bound somewhere.
pub(super) fn bound_names(stmt: &AstStmt, wanted: &[&str]) -> HashSet<String> {
    let mut found = Binder { wanted, names: HashSet::new() };
    found.stmt(stmt);
    found.names
}

struct Binder<'a> {
    wanted: &'a [&'a str],
    names: HashSet<String>,
}

impl Binder<'_> {
    fn stmt(&mut self, stmt: &AstStmt) {
        match &stmt.node {
            StmtP::Assign(assign) => self.target(&assign.lhs),
            StmtP::For(each) => self.target(&each.var),
            StmtP::Def(def) => {
                self.name(&def.name.node.ident);
                def.params.iter().for_each(|param| self.param(&param.node));
            }
            StmtP::Load(load) => load.args.iter().for_each(|arg| self.name(&arg.local.node.ident)),
            _ => {}
        }
        stmt.visit_children(|child| match child {
            Visit::Stmt(child) => self.stmt(child),
            Visit::Expr(child) => self.expr(child),
        });
    }

    fn expr(&mut self, expr: &AstExpr) {
        match &expr.node {
            ExprP::Lambda(lambda) => {
                (lambda.params.iter()).for_each(|param| self.param(&param.node));
            }
            ExprP::ListComprehension(_, each, clauses)
            | ExprP::DictComprehension(_, each, clauses) => self.clauses(each, clauses),
            _ => {}
        }
        expr.visit_expr(|child| self.expr(child));
    }

    fn clauses(&mut self, each: &ForClauseP<AstNoPayload>, clauses: &[ClauseP<AstNoPayload>]) {
        self.target(&each.var);
        for clause in clauses {
            if let ClauseP::For(each) = clause {
                self.target(&each.var);
            }
        }
    }

    fn target(&mut self, target: &AstAssignTarget) {
        match &target.node {
            AssignTargetP::Identifier(name) => self.name(&name.node.ident),
            AssignTargetP::Tuple(parts) => parts.iter().for_each(|part| self.target(part)),
            AssignTargetP::Index(_) | AssignTargetP::Dot(..) => {}
        }
    }

    fn param(&mut self, param: &ParameterP<AstNoPayload>) {
        if let ParameterP::Normal(name, ..)
        | ParameterP::Args(name, _)
        | ParameterP::KwArgs(name, _) = param
        {
            self.name(&name.node.ident);
        }
    }

    fn name(&mut self, name: &str) {
        if self.wanted.contains(&name) {
            self.names.insert(name.to_owned());
        }
    }
}
