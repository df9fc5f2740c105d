//! What all tests of a run share: the folders, what lies in them, and the world behind the scenes.

use crate::options::{Live, Options};
use crate::recording::Tape;
use crate::scene::{Part, Played};
use model::{HostError, Level};
use runtime::{
    Catalog, Folder, Homes, Lines, Loaded, Module, Overrides, Reader, Runtime, Settings,
};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub(crate) struct Hall {
    pub(crate) options: Options,
    homes: Homes,
    /// Loaded when the first test needs a runtime, and whether a file looked at the environment.
    loaded: OnceLock<(Arc<Loaded>, bool)>,
}

impl Hall {
    pub(crate) fn new(options: Options) -> Self {
        Self { homes: Homes::scan(&options.folders), options, loaded: OnceLock::new() }
    }

    /// The world of a test with this tape. Behind a recording it is open: nobody is there but the
    /// recording.
    pub(crate) fn world(&self, tape: &Tape) -> Played {
        match tape.world() {
            Some(behind) => Played::new(behind, true),
            None => Played::new(Arc::clone(&self.options.world), self.options.live.is_some()),
        }
    }

    pub(crate) fn tape(&self, part: &Part) -> Tape {
        let roots = self.options.folders.iter().map(Folder::root);
        let real = &self.options.world;
        match (self.options.record, &self.options.live) {
            (true, _) => Tape::record(real, roots),
            (false, Some(_)) => Tape::Blank,
            (false, None) => Tape::of(&part.recordings, &part.test, real, roots),
        }
    }

    pub(crate) fn folders(&self) -> &[Folder] {
        &self.options.folders
    }

    /// What files of a folder can load: the folder, and what their module depends on.
    pub(crate) fn files(&self, folder: usize) -> Reader<'_> {
        Reader::new(&self.options.folders, &self.homes, folder)
    }

    /// The folder that a test's paths begin in, below the one that is served.
    pub(crate) fn below<'a>(&'a self, part: &'a Part) -> &'a str {
        self.homes.place(part.folder, &part.file).0
    }

    pub(crate) fn home(&self, part: &Part) -> PathBuf {
        self.options.folders[part.folder].path(self.below(part))
    }

    /// The module that a test is for: the one it lies in; else the file beside it of the same name,
    /// or one that it loads.
    pub(crate) fn module(
        &self,
        part: &Part,
        catalog: &Catalog,
    ) -> Result<Option<Arc<Module>>, HostError> {
        if let (_, Some(name)) = self.homes.place(part.folder, &part.file) {
            if let Some(module) = catalog.module(name.as_str()) {
                return Ok(Some(Arc::clone(module)));
            }
            let mut broken = catalog.broken.values();
            let broken = broken.find(|broken| broken.name.as_ref() == Some(name));
            let why = broken.map_or("it is not there", |broken| &broken.fault.message);
            return Err(HostError(format!("module `{name}` does not run: {why}")));
        }
        if let Some(manifest) = self.homes.unread(part.folder, &part.file) {
            let shown = self.options.folders[part.folder].path(&manifest);
            let broken = catalog.broken.get(&shown.display().to_string());
            let why = broken.map_or("it cannot be read", |broken| &broken.fault.message);
            return Err(HostError(format!("{manifest} cannot be used: {why}")));
        }
        let of_file = |file: &String| {
            let mut all = catalog.modules();
            all.find(|module| module.folder == part.folder && module.file == *file)
        };
        let beside = part.file.replace("_test.star", ".star");
        let mut files = std::iter::once(&beside).chain(&part.loads);
        Ok(files.find_map(of_file).cloned())
    }

    /// A runtime for one test, in its world.
    pub(crate) fn open(
        &self,
        world: &Arc<Played>,
        part: &Part,
        config: Vec<(String, Value)>,
        plays_env: bool,
    ) -> Runtime {
        let (loaded, reads_env) = self.loaded.get_or_init(|| {
            let world = Arc::new(self.world(&Tape::Blank));
            let loaded = Loaded::new(&self.settings(Arc::clone(&world)));
            (Arc::new(loaded), world.env_was_read())
        });
        let mut settings = self.settings(Arc::clone(world));
        let loaded = if plays_env && *reads_env {
            Arc::new(Loaded::new(&settings))
        } else {
            Arc::clone(loaded)
        };
        let own = config.into_iter();
        let own = own.map(|(key, value)| (self.whole_key(part, &key), value));
        settings.overrides.played.extend(own);
        if self.options.live.is_none() {
            settings.project = loaded.pretended_project(&settings.overrides.played);
        }
        settings.loaded = Some(loaded);
        let heard = Arc::clone(world);
        let hearer = move |_: &str, level: Level, message: &str, fields: &Value| {
            heard.hear(level, message, fields);
        };
        settings.hearer = Some(Arc::new(hearer) as Lines);
        Runtime::open(settings)
    }

    fn settings(&self, world: Arc<Played>) -> Settings {
        let folders = self.options.folders.iter();
        let mut live = self.options.live.clone().unwrap_or_default();
        if self.options.record {
            // What is recorded is played without the project: only its databases are reached.
            live = Live { project: live.project.connections_only(), ..Live::default() };
        }
        Settings {
            folders: folders.map(|folder| folder.root().to_path_buf()).collect(),
            project: live.project,
            overrides: Overrides {
                environment: live.environment,
                set: live.set,
                ..Overrides::default()
            },
            world,
            forgets: true,
            coverage: self.options.coverage.clone(),
            abandoned: Arc::clone(&self.options.abandoned),
            ..Settings::default()
        }
    }

    /// `key` is of the module that the test is for, `module.key` of another one.
    fn whole_key(&self, part: &Part, key: &str) -> String {
        let (_, name) = self.homes.place(part.folder, &part.file);
        let stem = || {
            let file = part.file.rsplit('/').next().unwrap_or(&part.file);
            file.trim_end_matches("_test.star").to_owned()
        };
        let own = name.map_or_else(stem, |name| name.as_str().to_owned());
        if key.contains('.') { key.to_owned() } else { format!("{own}.{key}") }
    }
}
