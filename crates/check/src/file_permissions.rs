//! What a single file does against its `permissions(…)`.

use crate::Finding;
use crate::declare::declare;
use crate::fix::Fix;
use crate::inspection::{Inspection, SourceFile};
use crate::permissions::{
    MISSING, UNUSED, called, denial, is_used, permission, refusal, uncallable, ungranted_key,
};
use model::{Fault, ModuleName, Permission, Permissions, Rights};
use runtime::{Catalog, Surveyed};
use script::{Declared, PermissionCall, Script, Use};
use std::path::Path;

/// `permissions(…)` that has no effect.
const MISPLACED: &str = "E0304";

/// A file that declares its permissions, and what it loads.
struct DeclaringFile<'a> {
    name: &'a ModuleName,
    file: &'a str,
    source: &'a str,
    declared: &'a Declared,
    permissions: Permissions,
    rights: Rights,
}

pub(super) fn check(
    inspection: &Inspection<'_>,
    name: &ModuleName,
    module: &Surveyed,
    script: &Script,
    findings: &mut Vec<Finding>,
) {
    let (declared, file) = (&script.declared, module.file.as_str());
    let rights = declared.rights(name, None);
    let mut folders = inspection.runtime.folders().iter();
    let Some(folder) = folders.find(|folder| folder.path(&script.file) == Path::new(file)) else {
        return;
    };
    // What it loads runs with its permissions.
    let mut own = vec![Path::new(file).to_owned()];
    own.extend(script.loads.iter().map(|load| folder.path(load)));
    let files = inspection.sources(|path| own.iter().any(|one| one == path));
    let source = files.iter().find(|one| one.shown == file);
    let declaring = DeclaringFile {
        name,
        file,
        source: source.and_then(|one| one.text.as_deref().ok()).unwrap_or_default(),
        declared,
        permissions: declared.permissions.clone().unwrap_or_default(),
        rights,
    };
    for used_in in &files {
        let uses = used_in.facts.uses.iter();
        let found =
            uses.filter_map(|used| declaring.missing(&inspection.catalog, &used_in.shown, used));
        findings.extend(found);
    }
    for (call, place) in source.into_iter().flat_map(|one| &one.facts.declarations) {
        if call.in_function {
            let says = "permissions(…) inside a function has no effect";
            let fault =
                Fault::new(says).help("call it at the top of the file, outside of functions");
            findings.push(Finding::new(file, fault.code(MISPLACED).at(place.clone())));
        } else {
            findings.extend(declaring.unused(call, place, &files));
        }
    }
}

impl DeclaringFile<'_> {
    /// What a use lacks, with the fix where the source tells what it is.
    fn missing(&self, catalog: &Catalog, used_in: &str, used: &Use) -> Option<Finding> {
        if let Some(tool) = called(catalog, used) {
            let fault = uncallable(&tool, used, &self.rights)?;
            return Some(self.declaring(used_in, fault, (Permission::Calls, tool.to_string())));
        }
        if used.library == "ctx" {
            return None;
        }
        let Some((why, wanted)) = denial(used, &self.rights) else {
            let fault = self.ungranted(used)?;
            return Some(Finding::new(used_in, fault));
        };
        let fault = refusal(&why).code(MISSING).at(used.place.clone());
        let wanted = (permission(used)?, wanted);
        if !self.would_help(used, &wanted) {
            return Some(Finding::new(used_in, fault));
        }
        Some(self.declaring(used_in, fault, wanted))
    }

    /// A finding that is fixed by a declaration.
    fn declaring(&self, used_in: &str, fault: Fault, wanted: (Permission, String)) -> Finding {
        if self.declared.is_extension {
            return Finding::new(used_in, fault);
        }
        let (_, done) = declare(self.source, std::slice::from_ref(&wanted));
        if done.is_empty() {
            let help = fault.help.clone().unwrap_or_default();
            let fault = fault.help(format!(
                "{help}, by hand: `--fix` adds only to one call at the top with plain lists"
            ));
            return Finding::new(used_in, fault);
        }
        let file = self.file.to_owned();
        Finding::new(used_in, fault).fixed_by(Fix::Declare { file, wanted })
    }

    /// Is the use allowed once this is declared?
    fn would_help(&self, used: &Use, (permission, name): &(Permission, String)) -> bool {
        let mut more = self.permissions.clone();
        if more.declare(*permission, name).is_err() {
            return false;
        }
        let (name, exec) = (self.name.as_str(), &self.declared.allowed_exec);
        let rights = Rights::of_file(name, Some(&more), exec, None);
        denial(used, &rights).is_none()
    }

    /// It uses a library of which it declares nothing, and the source does not tell what it asks for.
    fn ungranted(&self, used: &Use) -> Option<Fault> {
        let needs_exec = permission(used) == Some(Permission::Exec);
        if self.declared.is_extension || needs_exec && !self.declared.allowed_exec.is_empty() {
            return None;
        }
        let key = ungranted_key(used, &self.permissions)?;
        let says = format!(
            "module `{}` uses {}.{}, and its file declares no `{key}`",
            self.name, used.library, used.function
        );
        let help = match self.declared.permissions {
            Some(_) => format!("add {key} = [\"…\"] to permissions(…) in its file"),
            None => format!("add permissions({key} = [\"…\"]) at the top of its file"),
        };
        let help = format!("{help}; the source does not tell what it asks for");
        let fault = Fault::new(says).code(MISSING).help(help);
        Some(fault.at(used.place.clone()))
    }

    fn unused(
        &self,
        call: &PermissionCall,
        place: &model::Place,
        files: &[&SourceFile],
    ) -> Vec<Finding> {
        let unused = |permission: &Permission| {
            let is_written = call.keys.iter().any(|key| key.name == permission.key());
            let is_declared = !self.permissions.get(*permission).is_empty();
            is_written && is_declared && !is_used(*permission, files)
        };
        let all = Permission::ALL.into_iter().filter(unused);
        let all = all.map(|permission| {
            let says = format!("`{}` is declared, and nothing uses it", permission.key());
            let help = "delete it: what a module may do should be what it does";
            let fault = Fault::new(says).code(UNUSED).help(help);
            Finding::new(self.file, fault.at(place.clone()))
        });
        all.collect()
    }
}
