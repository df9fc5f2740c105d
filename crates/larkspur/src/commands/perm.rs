//! `larkspur perm explain`: may somebody use this, and which line says so?

use crate::args::{Explained, Format, Global, Perm};
use crate::commands::missing::missing;
use crate::compose;
use crate::terminal::{BAD, GOOD, say, styled};
use model::Caller;
use runtime::Catalog;
use serde_json::json;
use settings::Policy;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, perm: &Perm) -> anyhow::Result<ExitCode> {
    let Perm::Explain(asked) = perm;
    let runtime = compose::look(global)?;
    let catalog = runtime.catalog();
    let names = names(&catalog);
    let Some((module, name)) = asked.tool.split_once('.').filter(|_| names.contains(&asked.tool))
    else {
        return Ok(missing(&runtime, "tool, prompt or resource", &asked.tool, &names));
    };
    let policy = &catalog.rules.policy;
    let caller = caller(asked);
    let roles = policy.roles_of(&caller);
    let verdict = policy.decide(&roles, module, name);
    let missing = policy.missing_scope(&caller, module, name);
    let is_allowed = verdict.is_yes() && missing.is_none();
    match asked.format {
        Format::Json => say(&json!({
            "user": asked.user,
            "tool": asked.tool,
            "allowed": is_allowed,
            "roles": policy.role_names(&roles),
            "because": verdict.to_string(),
            "missing_scope": missing,
        })
        .to_string()),
        Format::Text => tell(asked, policy, &caller, is_allowed),
    }
    Ok(ExitCode::from(u8::from(!is_allowed)))
}

fn tell(asked: &Explained, policy: &Policy, caller: &Caller, is_allowed: bool) {
    let (module, name) = asked.tool.split_once('.').unwrap_or_default();
    let roles = policy.roles_of(caller);
    let may = if is_allowed { styled(GOOD, "may use") } else { styled(BAD, "may not use") };
    say(&format!("{} {may} {}", asked.user, asked.tool));
    let names = policy.role_names(&roles);
    if !names.is_empty() {
        say(&format!("  roles: {}", names.join(", ")));
    }
    say(&format!("  {}", policy.decide(&roles, module, name)));
    if let Some(scope) = policy.missing_scope(caller, module, name) {
        say(&format!("  the token lacks the scope `{scope}`, which [scope.\"{scope}\"] asks for"));
    }
}

/// Somebody whose token is not described has one that lacks nothing.
fn caller(asked: &Explained) -> Caller {
    if asked.user == Caller::default().name {
        return Caller::default();
    }
    let caller = Caller::named(asked.user.clone());
    if asked.scope.is_none() && asked.claims.is_none() {
        return caller;
    }
    let scopes = asked.scope.as_deref().unwrap_or_default();
    let scopes = scopes.split_whitespace().map(str::to_owned).collect();
    caller.with_token(scopes, asked.claims.clone().unwrap_or_default())
}

fn names(catalog: &Catalog) -> Vec<String> {
    let modules = catalog.modules();
    let all = modules.flat_map(|module| {
        let tools = module.tools.iter().map(|one| one.tool.name.to_string());
        let resources = module.resources.iter().map(|one| one.resource.name.clone());
        let prompts = module.prompts.iter().map(|one| one.prompt.name.to_string());
        let names = tools.chain(resources).chain(prompts);
        names.map(move |name| format!("{}.{name}", module.name))
    });
    all.collect()
}
