//! Source → evaluated file → script.

use crate::check::Untyped;
use crate::coverage::{self, Coverage, Marks};
use crate::cx::{Cx, FileLoad};
use crate::error::SourceMap;
use crate::gauge::Gauge;
use crate::guard::{Guarded, OPERATORS};
use crate::loader::{FileId, Loading};
use crate::stdlib::Patterns;
use crate::{nesting, stdlib};
use model::{Fault, Limits};
use starlark::environment::{FrozenModule, Globals, GlobalsBuilder, Module};
use starlark::eval::{Evaluator, ReturnFileLoader};
use starlark::syntax::{AstModule, Dialect, DialectTypes};
use starlark::values::OwnedFrozenValue;
use starlark::values::dict::AllocDict;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

/// Starlark with our libraries and limits. One is enough for a process.
pub struct Engine {
    pub(crate) globals: Globals,
    pub(crate) limits: Limits,
    operators: HashMap<String, String>,
    pub(crate) untyped: Untyped,
    /// Where lines that run are counted.
    coverage: Option<Arc<Coverage>>,
}

/// A file that has run, and all it needs to go on living.
pub(crate) struct Evaluated {
    pub(crate) frozen: FrozenModule,
    pub(crate) sources: SourceMap,
    /// What this file and the files it loads noted: tools and types.
    pub(crate) ledgers: Vec<OwnedFrozenValue>,
    pub(crate) loads: BTreeSet<FileId>,
    /// The folder that paths in it are relative to.
    pub(crate) base: String,
}

/// What scripts can name, unless they are tests or their lines are counted.
static GLOBALS: LazyLock<Globals> = LazyLock::new(|| stdlib::globals(|_| {}));

/// Builds what all scripts share, which takes milliseconds: the engine reads the documentation of every
/// function with regular expressions. A program that begins with it on another thread has it in time.
pub fn prepare() {
    LazyLock::force(&GLOBALS);
}

impl Engine {
    pub fn new(limits: Limits) -> Self {
        Self::with(limits, None, None)
    }

    /// An engine that counts which lines run, where that is wanted.
    pub fn counting(limits: Limits, coverage: Option<Arc<Coverage>>) -> Self {
        Self::with(limits, coverage, None)
    }

    /// An engine whose scripts can assert: tests, and what they load.
    pub fn for_tests(limits: Limits) -> Self {
        Self::for_counting_tests(limits, None)
    }

    /// The same, and lines of what tests load are counted.
    pub fn for_counting_tests(limits: Limits, coverage: Option<Arc<Coverage>>) -> Self {
        Self::with(limits, coverage, Some(stdlib::testing::add))
    }

    fn with(
        limits: Limits,
        coverage: Option<Arc<Coverage>>,
        more: Option<fn(&mut GlobalsBuilder)>,
    ) -> Self {
        let operators =
            OPERATORS.iter().map(|(op, native)| ((*op).to_owned(), (*native).to_owned())).collect();
        let globals = match (&coverage, more) {
            (None, None) => GLOBALS.clone(),
            _ => stdlib::globals(|builder| {
                if let Some(more) = more {
                    more(builder);
                }
                if let Some(coverage) = &coverage {
                    coverage::add(coverage, builder);
                }
            }),
        };
        Self { globals, limits, operators, untyped: Untyped::default(), coverage }
    }

    pub(crate) fn parse(file: &str, source: &str) -> Result<AstModule, Fault> {
        AstModule::parse(file, source.to_owned(), &dialect())
            .map_err(|error| SourceMap::of(file, source.to_owned(), None).fault(&error))
    }

    pub(crate) fn evaluate(
        &self,
        file: &FileId,
        source: String,
        loading: &mut Loading<'_>,
    ) -> Result<Evaluated, Fault> {
        nesting::check(file, &source, &self.limits)?;
        let ast = Self::parse(file, &source)?;
        let coverage = self.coverage.as_ref().filter(|_| Coverage::counts(file));
        let marks = coverage.map(|coverage| {
            let path = loading.sources.path_of(file);
            Marks::new(coverage, path, &source)
        });
        let guarded = Guarded::new(file, &source, &ast, marks)?;
        let loaded = Self::load_needed(file, &source, &ast, loading)?;
        let mut ast = match &guarded {
            Some(guarded) => Self::parse(file, &guarded.source)?,
            None => ast,
        };
        ast.replace_binary_operators(&self.operators);

        let mut sources = SourceMap::of(file, source, guarded);
        let mut ledgers = Vec::new();
        let mut loads = BTreeSet::new();
        for (id, needed) in loaded.values() {
            sources.0.extend(needed.sources.0.clone());
            ledgers.extend(needed.ledgers.iter().cloned());
            loads.insert(id.clone());
            loads.extend(needed.loads.iter().cloned());
        }
        let frozen = self.run(file, ast, &loaded, loading, &sources)?;
        ledgers.extend(frozen.owned_extra_value());
        Ok(Evaluated { frozen, sources, ledgers, loads, base: loading.base(file) })
    }

    /// The files named by `load` statements, by the names used there.
    fn load_needed(
        file: &FileId,
        source: &str,
        ast: &AstModule,
        loading: &mut Loading<'_>,
    ) -> Result<HashMap<String, (FileId, Arc<Evaluated>)>, Fault> {
        let mut loaded = HashMap::new();
        for load in ast.loads() {
            let (begin, end) =
                (load.span.span.begin().get() as usize, load.span.span.end().get() as usize);
            let here = || nesting::place(file, source, begin, end);
            let target = loading.resolve(file, load.module_id).map_err(|why| {
                Fault::new(format!("cannot load \"{}\": {why}", load.module_id)).at(here())
            })?;
            let evaluated = loading.file(&target).map_err(|fault| match fault.place {
                Some(_) => fault,
                None => fault.at(here()),
            })?;
            loaded.insert(load.module_id.to_owned(), (target, evaluated));
        }
        Ok(loaded)
    }

    fn run(
        &self,
        file: &FileId,
        ast: AstModule,
        loaded: &HashMap<String, (FileId, Arc<Evaluated>)>,
        loading: &Loading<'_>,
        sources: &SourceMap,
    ) -> Result<FrozenModule, Fault> {
        let modules: HashMap<&str, &FrozenModule> = loaded
            .iter()
            .map(|(name, (_, evaluated))| (name.as_str(), &evaluated.frozen))
            .collect();
        let loader = ReturnFileLoader { modules: &modules };
        let limits = self.limits.for_loading();
        let base = loading.base(file);
        let progress = loading.progress;
        let gauge = Gauge::new(&limits, progress.cancel.clone(), None, false);
        progress.run();
        Module::with_temp_heap(|module| {
            let cx = Cx {
                host: loading.host,
                gauge: gauge.clone(),
                base: &base,
                loading: Some(FileLoad {
                    file,
                    source: sources.text(file),
                    is_in_folder: loading.sources.home(file).is_some(),
                    progress,
                }),
                patterns: Patterns::default(),
                stage: None,
                sources: None,
            };
            let outcome = {
                let mut eval = Evaluator::new(&module);
                gauge.install(&mut eval).map_err(|e| Fault::new(e.to_string()))?;
                eval.extra = Some(&cx);
                eval.set_loader(&loader);
                eval.eval_module(ast, &self.globals)
                    .and_then(|_| describe(&module, &mut eval))
                    .map_err(|error| load_fault(&error, &gauge, &eval, sources, &limits))
            };
            outcome?;
            module.freeze().map_err(|error| Fault::new(format!("cannot finish loading: {error:?}")))
        })
    }
}

/// Runs starlark-mcp's entry point while its functions can still be frozen, and notes what it gives.
fn describe<'v>(module: &Module<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<()> {
    let Some(function) = module.get("describe_extension") else {
        return Ok(());
    };
    let extension = eval.eval_function(function, &[], &[])?;
    let heap = eval.heap();
    let entry =
        heap.alloc(AllocDict([("kind", heap.alloc("extension")), ("extension", extension)]));
    Ok(crate::kinds::note(entry, eval)?)
}

fn load_fault(
    error: &starlark::Error,
    gauge: &Gauge,
    eval: &Evaluator<'_, '_, '_>,
    sources: &SourceMap,
    limits: &Limits,
) -> Fault {
    let mut fault = sources.fault(error);
    if let Some(stop) = gauge.stopped(eval) {
        fault.message = format!("loading was {}", stop.sentence(limits));
    }
    if fault.place.is_none() {
        fault.place = gauge.last_statement().and_then(|span| sources.place(&span));
    }
    fault
}

/// Everything Starlark can do, except passing on what was loaded.
pub(crate) fn dialect() -> Dialect {
    Dialect {
        enable_def: true,
        enable_lambda: true,
        enable_load: true,
        enable_keyword_only_arguments: true,
        enable_positional_only_arguments: true,
        enable_types: DialectTypes::Enable,
        enable_load_reexport: false,
        enable_top_level_stmt: true,
        enable_f_strings: true,
        ..Dialect::Standard
    }
}
