//! What of a project made for version 0.1 breaks in this version.

use crate::args::{Global, Serve};
use crate::data_folder::Misplaced;
use crate::doors;
use check::{Finding, Findings, Fix, MISSING};
use model::{Fault, Permission, Permissions};
use runtime::{ProjectFile, Runtime, Surveyed};
use serde_json::{Value, json};
use std::path::Path;

/// One thing that breaks.
pub(crate) struct Break {
    pub(crate) area: &'static str,
    pub(crate) what: String,
    /// What to do about it.
    pub(crate) help: Option<String>,
    pub(crate) repair: Repair,
}

/// How `--fix` goes about it.
pub(crate) enum Repair {
    Edit(Box<Finding>),
    MoveData,
    ByHand,
}

impl Break {
    pub(crate) fn is_fixable(&self) -> bool {
        !matches!(self.repair, Repair::ByHand)
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "area": self.area,
            "what": self.what,
            "fix": self.help,
            "fixable": self.is_fixable(),
        })
    }

    /// A finding, with the place it is about.
    fn in_file(area: &'static str, finding: Finding) -> Self {
        let place = finding.fault.place.as_ref();
        let line = place.map_or_else(String::new, |place| format!(":{}", place.line));
        Self {
            area,
            what: format!("{}{line}: {}", finding.file, finding.fault.message),
            help: finding.fault.help.clone(),
            repair: match finding.fix {
                Some(_) => Repair::Edit(Box::new(finding)),
                None => Repair::ByHand,
            },
        }
    }
}

/// Everything that breaks, by area.
pub(crate) fn breaks(
    global: &Global,
    project: &ProjectFile,
    runtime: &Runtime,
    findings: Findings,
) -> Vec<Break> {
    let survey = runtime.survey();
    let files: Vec<&Surveyed> = survey.modules.iter().filter(|one| one.home.is_none()).collect();
    let in_folder = |file: &str| {
        let mut homes = survey.modules.iter().filter_map(|one| one.home.as_ref());
        homes.any(|home| Path::new(file).starts_with(home))
    };
    let missing = findings.all.into_iter().filter(|one| one.code == MISSING);
    let (calls, others): (Vec<Finding>, Vec<Finding>) = missing.partition(is_call);
    let undeclared = others.into_iter().filter(|one| !in_folder(&one.file));
    let undeclared: Vec<Finding> = undeclared.collect();
    let mut all = Vec::new();
    for module in &files {
        let widened = widened(module, project).into_iter();
        let is_new = |one: &Finding| !undeclared.iter().any(|other| other.fix == one.fix);
        all.extend(widened.filter(is_new));
    }
    all.extend(undeclared);
    let all = all.into_iter();
    let mut all: Vec<Break> = all.map(|one| Break::in_file("permissions", one)).collect();
    all.extend(calls.into_iter().map(|one| Break::in_file("calls", one)));
    all.extend(early(runtime));
    all.extend(untrusted(&files, project));
    all.extend(data(global, project));
    all
}

/// Is it about a tool that a script calls, and may not?
fn is_call(finding: &Finding) -> bool {
    match &finding.fix {
        Some(Fix::AddCall { .. }) => true,
        Some(Fix::Declare { wanted, .. }) => wanted.0 == Permission::Calls,
        _ => finding.fault.message.contains(" is not among the tools module "),
    }
}

/// What an operator granted to a file that does not declare it: a grant no longer widens.
fn widened(module: &Surveyed, project: &ProjectFile) -> Vec<Finding> {
    let (Some(name), Some(script)) = (&module.name, &module.script) else {
        return Vec::new();
    };
    let settings = project.project().modules.get(name);
    let grant = settings.and_then(|settings| settings.grant.as_ref());
    let Some(grant) = grant.filter(|_| !script.declared.is_extension) else {
        return Vec::new();
    };
    let none = Permissions::default();
    let declared = script.declared.permissions.as_ref().unwrap_or(&none);
    let wanted = Permission::ALL.into_iter().flat_map(|permission| {
        let names = grant.get(permission).unwrap_or_default().iter();
        let missing = names.filter(move |name| !declared.get(permission).contains(name));
        missing.map(move |name| (permission, name.clone()))
    });
    let one = |(permission, granted): (Permission, String)| {
        let key = permission.key();
        let fault = Fault::new(format!(
            "[module.{name}.grant] names \"{granted}\" as `{key}`, and a grant no longer gives what the \
             file does not declare"
        ));
        let fault =
            fault.help(format!("add \"{granted}\" to `{key}` of permissions(…) in its file"));
        let fix = Fix::Declare { file: module.file.clone(), wanted: (permission, granted) };
        Finding::new(&module.file, fault).fixed_by(fix)
    };
    wanted.map(one).collect()
}

/// Files that read variables while they load.
fn early(runtime: &Runtime) -> Vec<Break> {
    let catalog = runtime.catalog();
    let early = catalog.broken.iter();
    let early = early.filter(|(file, broken)| {
        !file.ends_with("module.toml") && broken.fault.message == script::ENV_WHILE_LOADING
    });
    let early = early.map(|(file, broken)| {
        let help =
            "read it inside the function that needs it, and declare permissions(env = [\"…\"])";
        Break::in_file("permissions", Finding::new(file, broken.fault.clone().help(help)))
    });
    early.collect()
}

/// Files in starlark-mcp's form, where the server listens for others.
fn untrusted(files: &[&Surveyed], project: &ProjectFile) -> Option<Break> {
    let plan = doors::plan(&Serve::default(), project).ok()?;
    let names = files.iter().filter(|module| module.is_extension());
    let names: Vec<&str> = names.filter_map(|one| Some(one.name.as_ref()?.as_str())).collect();
    (plan.refuses_extensions && !names.is_empty()).then(|| Break {
        area: "trust",
        what: format!("{} in starlark-mcp's form: not loaded on {}", names.join(", "), plan.host),
        help: Some("start the server with --trust-folder or LARKSPUR_TRUST_FOLDER=1".to_owned()),
        repair: Repair::ByHand,
    })
}

fn data(global: &Global, project: &ProjectFile) -> Option<Break> {
    let misplaced = Misplaced::find(global, project)?;
    Some(Break {
        area: "data folder",
        what: misplaced.what(),
        help: Some(misplaced.fix()),
        repair: if misplaced.is_certain() { Repair::MoveData } else { Repair::ByHand },
    })
}
