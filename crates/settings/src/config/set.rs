//! `--set module.key=value`.

use super::path::Path;
use model::{Fault, ModuleName, did_you_mean};

const FORM: &str = "write it as `--set module.key=value`";

/// Splits what was typed into target and text: `crypto-tools.algorithm` and `sha512`.
pub fn parse_set(typed: &str) -> Result<(String, String), String> {
    let pair = typed.split_once('=');
    match pair.filter(|(target, _)| split(target.trim()).is_some()) {
        Some((target, text)) => Ok((target.trim().to_owned(), text.to_owned())),
        None => Err(format!("`{typed}` sets nothing; {FORM}")),
    }
}

/// Is each target a module that exists? What it says about the module, `resolve` checks.
pub fn check_set(modules: &[&ModuleName], set: &[(String, String)]) -> Result<(), Fault> {
    for (target, _) in set {
        let Some((module, _)) = split(target) else {
            return Err(Fault::new(format!("`--set {target}` names no key")).help(FORM));
        };
        if !modules.iter().any(|name| name.as_str() == module) {
            let fault = Fault::new(format!("`--set {target}`: there is no module `{module}`"));
            let near = did_you_mean(module, modules.iter().map(|name| name.as_str()));
            return Err(match near {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            });
        }
    }
    Ok(())
}

/// `crypto-tools.algorithm`: the module, and the way to the value.
pub(super) fn split(target: &str) -> Option<(&str, Path)> {
    let (module, path) = target.split_once('.')?;
    let path: Path = path.split('.').map(str::to_owned).collect();
    let whole = !module.is_empty() && path.iter().all(|step| !step.is_empty());
    whole.then_some((module, path))
}
