//! What an author should know before anybody else does: mistakes, and what a model would stumble over.

mod declare;
mod edit;
mod file_permissions;
mod files;
mod fix;
mod hidden;
mod lessons;
mod modules;
mod permissions;
mod public_cache;
mod read_only;
mod schemas;
mod similar;
mod tools;
mod undeclared;
mod upgrade;

pub(crate) use fix::{Mended, mend};
pub(crate) use lessons::{PAGE, lesson, lessons};
pub(crate) use upgrade::{Break, Repair, breaks};

use model::{Fault, ModuleName};
use runtime::Runtime;
use serde_json::{Value, json};

/// One thing to know about one file.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) code: &'static str,
    /// As people gave its folder.
    pub(crate) file: String,
    pub(crate) fault: Fault,
    pub(crate) fix: Option<fix::Fix>,
}

/// For a fault that has no code of its own.
const NOT_LOADED: &str = "E0500";

impl Finding {
    fn new(file: &str, fault: Fault) -> Self {
        let code = fault.code.unwrap_or(NOT_LOADED);
        Self { code, file: file.to_owned(), fix: fix::Fix::of(code, &fault), fault }
    }

    fn fixed_by(self, fix: fix::Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    /// Does it keep a module from working, or is it advice?
    pub(crate) fn is_error(&self) -> bool {
        self.code.starts_with('E')
    }

    pub(crate) fn level(&self) -> &'static str {
        if self.is_error() { "error" } else { "warning" }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "file": self.file,
            "level": self.level(),
            "code": self.code,
            "fault": self.fault,
            "fixable": self.fix.is_some(),
        })
    }
}

/// What was found, and in how many files.
pub(crate) struct Findings {
    pub(crate) files: usize,
    pub(crate) all: Vec<Finding>,
    /// Modules in starlark-mcp's form.
    pub(crate) extensions: Vec<ModuleName>,
    /// About the project as a whole, such as settings of modules that do not exist.
    pub(crate) notes: Vec<String>,
}

impl Findings {
    pub(crate) fn errors(&self) -> usize {
        self.all.iter().filter(|finding| finding.is_error()).count()
    }

    pub(crate) fn warnings(&self) -> usize {
        self.all.len() - self.errors()
    }
}

/// Everything about these modules, file by file.
pub(crate) fn find(runtime: &Runtime) -> Findings {
    let mut files = 0;
    let mut all = Vec::new();
    for folder in runtime.folders() {
        files += files::read(folder, runtime.limits(), &mut all);
    }
    files::add_broken(runtime, &mut all);
    files::add_unlisted(runtime, &mut all);
    files::add_broken_tests(runtime, &mut all);
    let survey = runtime.survey();
    for (name, module) in survey.named() {
        modules::check(module, &mut all);
        permissions::check(runtime, name, module, &mut all);
        public_cache::check(runtime, module, &mut all);
        read_only::check(runtime, name, module, &mut all);
        tools::check(runtime, name, module, &mut all);
        undeclared::check(runtime, module, &mut all);
    }
    similar::check(runtime, &survey, &mut all);
    let place = |finding: &Finding| finding.fault.place.as_ref().map(|p| (p.line, p.column));
    all.sort_by(|a, b| (&a.file, place(a), a.code).cmp(&(&b.file, place(b), b.code)));
    let extensions = survey.named().filter(|(_, module)| module.is_extension());
    Findings {
        files,
        all,
        extensions: extensions.map(|(name, _)| name.clone()).collect(),
        notes: runtime.catalog().notes.clone(),
    }
}
