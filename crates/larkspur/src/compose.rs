//! The only place that knows everyone: folders and limits become a runtime.

use crate::args::Global;
use crate::data_folder;
use crate::given;
use crate::keys;
use crate::variables;
use anyhow::Context;
use clients::Home;
use model::{Fault, World};
use outside::Outside;
use runtime::{Overrides, ProjectFile, Runtime, Settings};
use settings::{Project, Surface};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use testing::Recorder;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The project's file, unless `--config` names another.
pub(crate) const PROJECT: &str = "larkspur.toml";

/// `larkspur.toml` cannot be used.
#[derive(Debug)]
pub(crate) struct BadProject(Fault);

impl From<BadProject> for Fault {
    fn from(bad: BadProject) -> Self {
        bad.0
    }
}

impl std::fmt::Display for BadProject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for BadProject {}

/// The folders that were named, or the usual ones. Where neither of those exists yet, both are
/// waited for.
pub(crate) fn folders(global: &Global) -> Vec<PathBuf> {
    let wanted = wanted_folders(global);
    if !global.modules.is_empty() {
        return wanted;
    }
    let is_there = |folder: &&PathBuf| folder.is_dir();
    let there: Vec<PathBuf> = wanted.iter().filter(is_there).cloned().collect();
    if there.is_empty() { wanted } else { there }
}

/// Those that were named, or the usual ones, there or not; each once, however often it is named.
pub(crate) fn wanted_folders(global: &Global) -> Vec<PathBuf> {
    if global.modules.is_empty() {
        return vec![PathBuf::from("modules"), PathBuf::from("extensions")];
    }
    let mut seen = BTreeSet::new();
    let named = global.modules.iter();
    let mut is_new = |folder: &&PathBuf| {
        seen.insert(folder.canonicalize().unwrap_or_else(|_| (*folder).clone()))
    };
    named.filter(|folder| is_new(folder)).cloned().collect()
}

pub(crate) fn project(global: &Global) -> Result<ProjectFile, BadProject> {
    if let Some(named) = &global.config
        && !named.exists()
    {
        let fault = Fault::new(format!("there is no {}", named.display()))
            .help("`larkspur new --project` writes a larkspur.toml to start from");
        return Err(BadProject(fault));
    }
    let project = ProjectFile::open(project_path(global)).map_err(BadProject)?;
    let project = project.or_in(data_folder::home(global));
    Ok(match keys::named_file() {
        Some(file) => project.with_key_file(file),
        None => project,
    })
}

/// The same for commands that use its data.
pub(crate) fn project_with_data(global: &Global) -> anyhow::Result<ProjectFile> {
    let project = project(global)?;
    data_folder::settle(global, &project)?;
    Ok(project)
}

pub(crate) fn project_path(global: &Global) -> PathBuf {
    let named = global.config.clone();
    named.unwrap_or_else(|| PathBuf::from(PROJECT))
}

pub(crate) fn settings(global: &Global) -> Result<Settings, BadProject> {
    // Commands that scripts run must not find our token beside them.
    vault::guard();
    let project = project(global)?;
    let bounds = project.project().bounds;
    let vault = keys::vault(&project);
    Ok(Settings {
        folders: folders(global),
        project,
        overrides: Overrides {
            environment: environment(),
            set: global.set.clone(),
            ..Overrides::default()
        },
        world: Arc::new(Outside::new(&bounds).with_secrets(Arc::new(vault))),
        bounds,
        ..Settings::default()
    })
}

/// What lies outside, within the bounds of this project.
pub(crate) fn world(project: &Project) -> Arc<dyn World> {
    Arc::new(Outside::new(&project.bounds))
}

/// The variables that may configure modules: `MODULE__KEY`.
pub(crate) fn environment() -> Vec<(String, String)> {
    variables().filter(|(name, _)| name.contains("__")).collect()
}

/// Those that are text.
#[expect(clippy::disallowed_methods, reason = "this is where the environment becomes settings")]
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text)
}

/// Whose clients they are: the user of this process, in this folder.
pub(crate) fn home() -> anyhow::Result<Home> {
    let here = std::env::current_dir().context("cannot tell which folder this is")?;
    Ok(Home::new(variables().collect(), here)?)
}

/// The folders in which commands are looked for.
#[expect(clippy::disallowed_methods, reason = "this is where the environment becomes settings")]
pub(crate) fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// Is this a build server, where nobody looks at what is written?
#[expect(clippy::disallowed_methods, reason = "this is where the environment becomes settings")]
pub(crate) fn is_unattended() -> bool {
    std::env::var(variables::CI).is_ok_and(|value| !value.is_empty() && value != "false")
}

/// What configures modules in tests that reach the world.
pub(crate) fn live(global: &Global) -> Result<testing::Live, BadProject> {
    vault::guard();
    Ok(testing::Live {
        project: project(global)?,
        environment: environment(),
        set: global.set.clone(),
    })
}

/// Everything loaded and started, once.
pub(crate) fn open(global: &Global) -> anyhow::Result<Runtime> {
    given::folders(global)?;
    project_with_data(global)?;
    let runtime = Runtime::open(settings(global)?);
    match given::settings(global, &runtime) {
        Ok(()) => Ok(runtime),
        Err(wrong) => {
            runtime.close();
            Err(wrong)
        }
    }
}

/// The same for who uses one thing of it, and is told of nothing else but what concerns him.
pub(crate) fn open_to_use(global: &Global) -> anyhow::Result<Runtime> {
    let runtime = open(global)?;
    given::tell_stray_variables(&runtime);
    Ok(runtime)
}

/// Works with such a runtime, and closes it: commands that scripts have started do not hear the terminal.
pub(crate) fn with_runtime<T>(
    global: &Global,
    work: impl FnOnce(&Runtime) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let runtime = open_to_use(global)?;
    let done = work(&runtime);
    runtime.close();
    done
}

/// Waits for this, or for a signal: then there is nothing.
pub(crate) fn until_signal<T>(work: impl Future<Output = T>) -> anyhow::Result<Option<T>> {
    executor()?.block_on(async {
        let mut signals = Signals::listen()?;
        Ok(tokio::select! {
            done = work => Some(done),
            () = signals.next() => None,
        })
    })
}

/// The same, with somebody who writes down what the world answers.
pub(crate) fn open_recorded(global: &Global) -> anyhow::Result<(Runtime, Arc<Recorder>)> {
    given::folders(global)?;
    project_with_data(global)?;
    let mut settings = settings(global)?;
    let folders = settings.folders.iter().map(PathBuf::as_path);
    let recorder = Arc::new(Recorder::new(Arc::clone(&settings.world), folders));
    settings.world = Arc::clone(&recorder) as Arc<dyn World>;
    Ok((Runtime::open(settings), recorder))
}

/// Everything loaded and checked, nothing started.
pub(crate) fn look(global: &Global) -> anyhow::Result<Runtime> {
    given::folders(global)?;
    let runtime = look_anyway(global)?;
    given::settings(global, &runtime)?;
    Ok(runtime)
}

/// The same, whether what was typed can be meant or not.
pub(crate) fn look_anyway(global: &Global) -> Result<Runtime, BadProject> {
    Ok(Runtime::open(Settings { asleep: true, ..settings(global)? }))
}

/// One folder with one module, as it would look wherever it is put.
pub(crate) fn look_at(folder: PathBuf) -> Runtime {
    Runtime::open(Settings {
        folders: vec![folder],
        asleep: true,
        forgets: true,
        ..Settings::default()
    })
}

/// Begins to build what all scripts share, while something else is done.
pub(crate) fn prepare_engine() {
    // Without the thread it is built when it is needed.
    let _ = std::thread::Builder::new().name("engine".into()).spawn(script::prepare);
}

/// The same settings, with tools shown as a flag says.
pub(crate) fn settings_with_surface(
    global: &Global,
    surface: Option<Surface>,
) -> Result<Settings, BadProject> {
    let mut settings = settings(global)?;
    settings.overrides.surface = surface;
    Ok(settings)
}

/// Threads for waiting; scripts have their own.
pub(crate) fn executor() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(Settings::default().threads)
        // Short calls run where they arrive; a script may nest its calls two hundred deep.
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
}

/// What the process is told by a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalOrder {
    /// SIGTERM, SIGINT, or a SIGHUP of the terminal on which the process reports.
    End,
    /// A SIGHUP of a process without one: read the configuration again.
    Reread,
}

/// SIGTERM, SIGINT (ctrl-c) and SIGHUP, received from `listen` on. Work starts after that, because until then either of
/// them kills the process: its commands would stay behind and its results would be lost.
///
/// A SIGINT that is ignored at the start, as it is in the background of a script, is received too: ctrl-c of that
/// script, or `kill -INT`, ends the process in order instead of leaving it behind.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Listens from outside of an executor.
    pub(crate) fn listen_on(executor: &tokio::runtime::Runtime) -> std::io::Result<Self> {
        let _inside = executor.enter();
        Self::listen()
    }

    /// Waits for any of them.
    pub(crate) async fn next(&mut self) {
        self.next_order().await;
    }

    pub(crate) async fn next_order(&mut self) -> SignalOrder {
        tokio::select! {
            _ = self.terminate.recv() => SignalOrder::End,
            _ = self.interrupt.recv() => SignalOrder::End,
            // Its terminal was closed, and nobody could end it with ctrl-c any more.
            _ = self.hang_up.recv() => if std::io::stderr().is_terminal() {
                SignalOrder::End
            } else {
                SignalOrder::Reread
            },
        }
    }
}

/// Runs `end` on a thread of its own at the first signal; listens from the return on.
pub(crate) fn on_signal(end: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let executor = executor()?;
    let mut signals = Signals::listen_on(&executor)?;
    let wait = move || {
        executor.block_on(signals.next());
        end();
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(wait).map(drop)
}
