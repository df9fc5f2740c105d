//! Resources read, prompts got, arguments completed: down the same road as a tool's call, always on
//! a thread.

use crate::answers::{Kept, Key, PendingResult, ResultTracker, Who};
use crate::argument::Argument;
use crate::audit::{Entry, Receipt, Trail, Unwritten};
use crate::call::{Lines, Progress, Within};
use crate::catalog::{Catalog, Module};
use crate::errand::Errand;
use crate::gate::Gate;
use crate::life::Visit;
use crate::prompts::{PromptHandle, PromptLookup};
use crate::quota::{Limited, RateCharge};
use crate::request::{RequestError, RequestErrorKind};
use crate::runtime::Runtime;
use crate::scopes::check_scope_of;
use crate::stats::Stats;
use model::{Args, Asker, Caller, Completion, Contents, Conversation};
use script::{CallFailure, ScriptResource, Turn};
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// How something is asked for: who hears of progress, lines and questions, and who may take it back.
#[derive(Clone, Default)]
pub struct Asking {
    pub progress: Option<Progress>,
    pub lines: Option<Lines>,
    pub asker: Option<Arc<dyn Asker>>,
    pub cancel: CancellationToken,
    pub caller: Caller,
    pub trail: Trail,
    /// What rate limits have counted of it where it came in.
    pub charged: RateCharge,
}

/// Whose argument is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A prompt, as listed or as `module.prompt`.
    Prompt(String),
    /// A resource, by its template or URI as listed.
    Resource(String),
}

impl Runtime {
    /// Reads a resource by its URI. Dropping the future, or its token, ends the script.
    pub async fn read(&self, uri: &str, asking: Asking) -> Result<Vec<Contents>, RequestError> {
        let mut entry = self.enter_read("resources/read", &shown_uri(uri), &asking)?;
        let reading = Box::pin(self.read_inner(uri, asking, &mut entry));
        let result = self.counted(reading).await;
        recorded(uri, entry.end(&result)).await?;
        result
    }

    /// The messages of a prompt. Texts among the arguments are read by type.
    pub async fn prompt(
        &self,
        name: &str,
        args: Args,
        asking: Asking,
    ) -> Result<Conversation, RequestError> {
        let mut entry = self.enter_read("prompts/get", name, &asking)?;
        let getting = Box::pin(self.prompt_inner(name, args, asking, &mut entry));
        let result = self.counted(getting).await;
        recorded(name, entry.end(&result)).await?;
        result
    }

    /// What an argument may become; `given` are the others, as far as they are known.
    pub async fn complete(
        &self,
        of: &Reference,
        argument: &str,
        value: &str,
        given: Args,
        asking: Asking,
    ) -> Result<Completion, RequestError> {
        let name = match of {
            Reference::Prompt(name) => name.clone(),
            Reference::Resource(uri) => shown_uri(uri),
        };
        let mut entry = self.enter_read("completion/complete", &name, &asking)?;
        let completing =
            Box::pin(self.complete_inner(of, argument, value, given, asking, &mut entry));
        let result = self.counted(completing).await;
        recorded(&name, entry.end(&result)).await?;
        result
    }

    fn enter_read(
        &self,
        method: &'static str,
        wanted: &str,
        asking: &Asking,
    ) -> Result<Entry, RequestError> {
        let audit = self.audit();
        let begun = audit.begin(method, &asking.caller, &asking.trail, wanted, None);
        begun.map_err(|unwritten| RequestErrorKind::from(unwritten).of(wanted))
    }

    async fn counted<T>(
        &self,
        reading: impl Future<Output = Result<T, RequestError>>,
    ) -> Result<T, RequestError> {
        let stats = self.stats();
        Stats::add(&stats.calls);
        let result = reading.await;
        if let Err(error) = &result
            && !error.is_question()
        {
            stats.add_failure(error.stop());
        }
        result
    }

    async fn read_inner(
        &self,
        uri: &str,
        mut asking: Asking,
        entry: &mut Entry,
    ) -> Result<Vec<Contents>, RequestError> {
        let charged = self.charge_reader(&asking);
        charged.map_err(|limited| RequestErrorKind::from(limited).of(uri))?;
        let stay = self.stay(&asking.caller, |catalog| {
            let found = catalog.resources.find(uri);
            let found = found.ok_or_else(|| unknown_resource(catalog, uri))?;
            let name = &found.0.resource().resource.name;
            let module = found.0.module.name.as_str();
            check_scope_of(catalog, &asking.caller, (module, name), || uri.to_owned())?;
            Ok((Arc::clone(&found.0.module), found))
        });
        let whole = || {
            let catalog = self.catalog();
            let (handle, _) = catalog.resources.find(uri)?;
            let name = handle.resource().resource.name.clone();
            Some((catalog, handle.module, name))
        };
        let (mut stay, (handle, variables)) = stay.inspect_err(|_| entry.missing(whole))?;
        let name = &handle.resource().resource.name;
        entry.found(&stay.catalog, &stay.module, name);
        let charged = self.charge_read(&asking, &stay);
        charged.map_err(|limited| RequestErrorKind::from(limited).of(uri))?;
        let of = uri.to_owned();
        let input = &handle.resource().resource.input;
        let args = input
            .accept(input.read_text(variables))
            .map_err(|rejected| RequestErrorKind::rejected(rejected).of(of))?;
        let keeping = match self.kept(uri, &mut stay, handle.resource(), &mut asking) {
            Ok(contents) => {
                entry.cached();
                return Ok(contents);
            }
            Err(keeping) => keeping,
        };
        let started = entry.start().await;
        started.map_err(|unwritten| RequestErrorKind::from(unwritten).of(uri))?;
        // The URI says what was asked for; whoever is called on the way is told who calls.
        let name = format!("{}.{name}", stay.module.name);
        let uri = uri.to_owned();
        let reading = self.evaluate(uri.clone(), name, stay, asking, move |module, turn| {
            module.script.read(handle.resource(), &uri, &args, turn)
        });
        let contents = reading.await?;
        if let Some(keeping) = keeping {
            keeping.put(self.answers(), Kept::Read(contents.clone()));
        }
        Ok(contents)
    }

    /// What was read before, if that holds; else how what is read now may be kept, if it may be.
    fn kept(
        &self,
        uri: &str,
        stay: &mut Stay,
        resource: &ScriptResource,
        asking: &mut Asking,
    ) -> Result<Vec<Contents>, Option<PendingResult>> {
        let cache = resource.resource.cache;
        let Some(cache) = cache.filter(|_| self.answers().has_room()) else {
            return Err(None);
        };
        let who = Who::of(&asking.caller, &stay.catalog);
        let (what, shape) = (uri.to_owned(), "read".to_owned());
        let key = Key::new(&stay.module, what, &Args::new(), shape, &who, cache);
        if let Some(found) = self.answers().get(&key, &who, &*self.ground().world)
            && let Kept::Read(contents) = &found.kept
        {
            return Ok(contents.clone());
        }
        let pending = PendingResult::begin(key, who, cache, None, &mut asking.asker);
        stay.tracker = Some(pending.tracker.clone());
        Err(Some(pending))
    }

    async fn prompt_inner(
        &self,
        name: &str,
        args: Args,
        asking: Asking,
        entry: &mut Entry,
    ) -> Result<Conversation, RequestError> {
        let charged = self.charge_reader(&asking);
        charged.map_err(|limited| RequestErrorKind::from(limited).of(name))?;
        let stay = self.stay(&asking.caller, |catalog| {
            let handle = find_prompt(catalog, name)?;
            let (module, own) = (handle.module.name.as_str(), &handle.prompt().prompt.name);
            check_scope_of(catalog, &asking.caller, (module, own.as_str()), || {
                name.to_owned()
            })?;
            Ok((Arc::clone(&handle.module), handle))
        });
        let whole = || {
            let catalog = self.catalog();
            let handle = find_prompt(&catalog, name).ok()?;
            let own = handle.prompt().prompt.name.to_string();
            Some((catalog, handle.module, own))
        };
        let (stay, handle) = stay.inspect_err(|_| entry.missing(whole))?;
        entry.found(
            &stay.catalog,
            &stay.module,
            handle.prompt().prompt.name.as_str(),
        );
        let charged = self.charge_read(&asking, &stay);
        charged.map_err(|limited| RequestErrorKind::from(limited).of(name))?;
        let of = handle.path().to_string();
        let input = &handle.prompt().prompt.input;
        let args = input.accept(input.read_text(args));
        let args = args.map_err(|rejected| RequestErrorKind::rejected(rejected).of(&of))?;
        let started = entry.start().await;
        started.map_err(|unwritten| RequestErrorKind::from(unwritten).of(name))?;
        self.evaluate(of.clone(), of, stay, asking, move |module, turn| {
            module.script.get_prompt(handle.prompt(), &args, turn)
        })
        .await
    }

    async fn complete_inner(
        &self,
        of: &Reference,
        argument: &str,
        value: &str,
        given: Args,
        asking: Asking,
        entry: &mut Entry,
    ) -> Result<Completion, RequestError> {
        let charged = self.charge_reader(&asking);
        charged.map_err(|limited| RequestErrorKind::from(limited).of(argument_of(of)))?;
        let stay = self.stay(&asking.caller, |catalog| {
            let argument = Argument::find(catalog, of, argument)?;
            let module = argument.module.name.as_str();
            check_scope_of(catalog, &asking.caller, (module, &argument.name), || {
                argument.of.clone()
            })?;
            Ok((Arc::clone(&argument.module), argument))
        });
        let whole = || {
            let catalog = self.catalog();
            let found = Argument::find(&catalog, of, argument).ok()?;
            Some((catalog, found.module, found.name))
        };
        let (stay, argument) = stay.inspect_err(|_| entry.missing(whole))?;
        entry.found(&stay.catalog, &stay.module, &argument.name);
        let charged = self.charge_read(&asking, &stay);
        charged.map_err(|limited| RequestErrorKind::from(limited).of(argument_of(of)))?;
        let Some(completer) = argument.completer else {
            return Ok(Completion::new(argument.choices(value)));
        };
        let started = entry.start().await;
        started.map_err(|unwritten| RequestErrorKind::from(unwritten).of(argument_of(of)))?;
        let value = value.to_owned();
        let name = format!("{}.{}", stay.module.name, argument.name);
        self.evaluate(argument.of, name, stay, asking, move |module, turn| {
            module.script.complete(&completer, &value, &given, turn)
        })
        .await
    }

    fn charge_reader(&self, asking: &Asking) -> Result<(), Limited> {
        if asking.charged != RateCharge::Nothing {
            return Ok(());
        }
        self.charge_caller(&asking.caller)
    }

    fn charge_read(&self, asking: &Asking, stay: &Stay) -> Result<(), Limited> {
        if asking.charged == RateCharge::CallerAndModule {
            return Ok(());
        }
        self.charge_module(&stay.catalog, &stay.module)
    }

    /// Finds something in the catalog, in the newest if its module has ended since, and keeps that
    /// module from being stopped.
    fn stay<T>(
        &self,
        caller: &Caller,
        find: impl Fn(&Catalog) -> Result<(Arc<Module>, T), RequestError>,
    ) -> Result<(Stay, T), RequestError> {
        loop {
            let catalog = self.view(caller);
            let (module, found) = find(&catalog)?;
            if let Some(visit) = module.life.enter() {
                let stay = Stay {
                    catalog,
                    module,
                    visit: Some(visit),
                    tracker: None,
                };
                return Ok((stay, found));
            }
        }
    }

    /// Runs a script's work on a thread, with the world as its module may use it. `name` is what it is
    /// called wherever something is written down.
    async fn evaluate<T: Send + 'static>(
        &self,
        of: String,
        name: String,
        mut stay: Stay,
        asking: Asking,
        work: impl FnOnce(&Module, &Turn<'_>) -> Result<T, CallFailure> + Send + 'static,
    ) -> Result<T, RequestError> {
        let manifest = stay.module.manifest.as_ref();
        let limits = self.limits_for(manifest.and_then(|m| m.limits.timeout));
        let errand = Errand {
            runtime: self.clone(),
            visit: stay.visit.take(),
            of: Some((asking.caller.clone(), stay.module.name.clone())),
            limits: Arc::clone(&limits),
            name: name.clone(),
            cancel: asking.cancel,
        };
        let life = Arc::clone(&stay.module.life);
        let trail = asking.trail.clone();
        let runtime = self.clone();
        let result = errand.run(move |cancel, thread| {
            let module = &stay.module;
            let ground = runtime.ground();
            let folder = &ground.folders[module.folder];
            let within = Within {
                runtime: &runtime,
                catalog: &stay.catalog,
                caller: &asking.caller,
                asker: asking.asker.as_ref(),
                limits: &limits,
                lines: asking.lines.as_ref(),
                depth: 0,
                thread: Some(thread),
                name: &name,
                permit: &module.life.permit,
                read_only: None,
                trail: &trail,
                tracker: stay.tracker.as_ref(),
                cancel: cancel.clone(),
                until: Instant::now() + limits.time,
            };
            let gate = Gate {
                progress: asking.progress.as_ref(),
                asker: asking.asker.as_deref(),
                lines: asking.lines.as_ref(),
                updates: Some(&ground.updates),
                within: Some(within),
                ..Gate::new(module.name.as_str(), folder, &module.life.permit, ground)
            };
            let turn = Turn {
                cancel,
                memory: Some(&thread.memory),
                caller: &asking.caller,
                started: &module.life.started,
                ..Turn::new(&gate, &limits)
            };
            work(module, &turn)
        });
        let result = result.await;
        result.map_err(|kind| {
            kind.report(&of, &life);
            kind.of(of)
        })
    }
}

/// Waits until the end of a reading is written, where it must be.
async fn recorded(of: &str, ended: Result<Option<Receipt>, Unwritten>) -> Result<(), RequestError> {
    let written = match ended {
        Ok(Some(receipt)) => receipt.written().await,
        Ok(None) => Ok(()),
        Err(unwritten) => Err(unwritten),
    };
    written.map_err(|unwritten| RequestErrorKind::from(unwritten).of(of))
}

/// A module that is used, and the catalog it came from.
struct Stay {
    catalog: Arc<Catalog>,
    module: Arc<Module>,
    /// Keeps the module from being stopped.
    visit: Option<Visit>,
    /// Records what a result relies on that may be cached.
    tracker: Option<ResultTracker>,
}

/// What stands after the scheme is given like arguments, and is written down as little as they are.
fn shown_uri(uri: &str) -> String {
    match uri.split_once(':') {
        Some((scheme, _)) => format!("{scheme}:…"),
        None => "…".into(),
    }
}

pub(crate) fn unknown_resource(catalog: &Catalog, uri: &str) -> RequestError {
    let available = catalog.resources.similar(uri);
    RequestErrorKind::UnknownResource { available }.of(uri)
}

pub(crate) fn find_prompt(catalog: &Catalog, name: &str) -> Result<PromptHandle, RequestError> {
    let lookup = catalog.prompts.lookup(name);
    let kind = match lookup {
        PromptLookup::Found(handle) => return Ok(handle),
        PromptLookup::Ambiguous(paths) => {
            let paths = paths.iter().map(ToString::to_string).collect();
            RequestErrorKind::AmbiguousPrompt { paths }
        }
        PromptLookup::Unknown(available) => RequestErrorKind::UnknownPrompt { available },
    };
    Err(kind.of(name))
}

fn argument_of(of: &Reference) -> &str {
    match of {
        Reference::Prompt(name) => name,
        Reference::Resource(uri) => uri,
    }
}
