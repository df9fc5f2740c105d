//! Folders that were read and loaded once, for several runtimes: each starts the modules afresh, and
//! none reads a file again.

use crate::attempt::Attempt;
use crate::ground::Ground;
use crate::library::Library;
use crate::name_record::NameRecord;
use crate::project::ProjectFile;
use crate::runtime::Settings;
use model::Permission;
use script::Engine;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where a played connection leads, before its name.
pub const PRETENDED: &str = "postgres://pretended/";

pub struct Loaded {
    pub(crate) engine: Arc<Engine>,
    pub(crate) attempts: Vec<Attempt>,
}

impl Loaded {
    /// What lies in the folders of these settings now; nothing is started.
    pub fn new(settings: &Settings) -> Self {
        let limits = settings.project.project().bounds.limits();
        let engine = Arc::new(Engine::counting(limits, settings.coverage.clone()));
        let library = Library::new(
            Arc::new(Ground::new(settings)),
            Arc::clone(&engine),
            settings.project.clone(),
            settings.overrides.clone(),
            NameRecord::default(),
        );
        let found = library.scan().into_keys().collect();
        let attempts = library.load(&found, &settings.project);
        Self { engine, attempts }
    }

    /// A project without any settings, in which every connection that a manifest names leads to a
    /// place by that name: for those who play the databases.
    pub fn pretended_project(&self, played: &[(String, Value)]) -> ProjectFile {
        let manifests = self.attempts.iter().filter_map(|a| a.manifest.as_ref());
        let names: BTreeSet<String> = manifests
            .flat_map(|manifest| {
                let mut config = manifest.config.defaults();
                let own = played.iter().filter_map(|(target, value)| {
                    let key = target.strip_prefix(manifest.name.as_str())?;
                    Some((key.strip_prefix('.')?.to_owned(), value.clone()))
                });
                config.extend(own);
                let permissions = manifest.permissions.under(&config).unwrap_or_default();
                permissions.get(Permission::Postgres).to_vec()
            })
            .collect();
        ProjectFile::with_connections(names.into_iter().map(|name| {
            let url = format!("{PRETENDED}{name}");
            (name, url)
        }))
    }
}
