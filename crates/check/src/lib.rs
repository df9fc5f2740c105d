//! Findings about modules, for `larkspur check` and for editors: mistakes, and what a model misunderstands.

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
pub mod readme;
mod schemas;
mod similar;
mod tools;
mod undeclared;

pub use fix::{Fix, Mended, mend};
pub use lessons::{PAGE, lesson, lessons};
pub use permissions::MISSING;

use model::{Fault, ModuleName};
use runtime::Runtime;
use serde_json::{Value, json};

/// One thing to know about one file.
#[derive(Debug, Clone)]
pub struct Finding {
    pub code: &'static str,
    /// As people gave its folder.
    pub file: String,
    pub fault: Fault,
    pub fix: Option<fix::Fix>,
}

/// For a fault that has no code of its own.
const NOT_LOADED: &str = "E0500";

impl Finding {
    pub fn new(file: &str, fault: Fault) -> Self {
        let code = fault.code.unwrap_or(NOT_LOADED);
        Self { code, file: file.to_owned(), fix: fix::Fix::of(code, &fault), fault }
    }

    #[must_use]
    pub fn fixed_by(self, fix: fix::Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    /// Does it keep a module from working, or is it advice?
    pub fn is_error(&self) -> bool {
        self.code.starts_with('E')
    }

    pub fn level(&self) -> &'static str {
        if self.is_error() { "error" } else { "warning" }
    }

    pub fn to_json(&self) -> Value {
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
pub struct Findings {
    pub files: usize,
    pub all: Vec<Finding>,
    /// Modules in starlark-mcp's form.
    pub extensions: Vec<ModuleName>,
}

impl Findings {
    pub fn errors(&self) -> usize {
        self.all.iter().filter(|finding| finding.is_error()).count()
    }

    pub fn warnings(&self) -> usize {
        self.all.len() - self.errors()
    }
}

/// Everything about these modules, file by file.
pub fn find(runtime: &Runtime) -> Findings {
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
    Findings { files, all, extensions: extensions.map(|(name, _)| name.clone()).collect() }
}
