//! Findings about modules, for `larkspur check` and for editors: mistakes, and what a model misunderstands.

mod declare;
mod edit;
mod file_permissions;
mod files;
mod fix;
mod hidden;
mod inspection;
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

pub use files::find_in_text;

use inspection::Inspection;
use model::{Fault, ModuleName};
use runtime::Runtime;
use serde_json::{Value, json};
use std::path::PathBuf;

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

pub struct Findings {
    /// All sources and tests that were checked.
    pub files: Vec<PathBuf>,
    pub all: Vec<Finding>,
    /// Modules in starlark-mcp's form.
    pub extensions: Vec<ModuleName>,
    /// About the project as a whole, such as settings of modules that do not exist.
    pub notes: Vec<String>,
}

impl Findings {
    pub fn errors(&self) -> usize {
        self.all.iter().filter(|finding| finding.is_error()).count()
    }

    pub fn warnings(&self) -> usize {
        self.all.len() - self.errors()
    }
}

/// All findings about these modules, file by file.
pub fn find(runtime: &Runtime) -> Findings {
    let inspection = Inspection::new(runtime);
    let mut all = files::check(&inspection);
    files::add_broken(&inspection, &mut all);
    files::add_unlisted(&inspection, &mut all);
    files::add_broken_tests(&inspection, &mut all);
    for (name, module) in inspection.modules() {
        modules::check(module, &mut all);
        permissions::check(&inspection, name, module, &mut all);
        public_cache::check(&inspection, module, &mut all);
        read_only::check(&inspection, name, module, &mut all);
        tools::check(&inspection, name, module, &mut all);
        undeclared::check(&inspection, module, &mut all);
    }
    similar::check(&inspection, &mut all);
    let place = |finding: &Finding| finding.fault.place.as_ref().map(|p| (p.line, p.column));
    all.sort_by(|a, b| (&a.file, place(a), a.code).cmp(&(&b.file, place(b), b.code)));
    let extensions = inspection.modules().filter(|(_, module)| module.is_extension());
    let extensions = extensions.map(|(name, _)| name.clone()).collect();
    let notes = inspection.catalog.notes.clone();
    Findings {
        files: inspection.files.into_iter().map(|file| file.path).collect(),
        all,
        extensions,
        notes,
    }
}
