//! `MODULE.NAME`, held against what the manifests ask for.

use model::{ModuleName, did_you_mean};
use runtime::{Survey, Surveyed};
use store::Place;

pub(crate) struct Named {
    module: ModuleName,
    name: String,
}

/// What the modules say about a name.
pub(crate) enum Standing {
    AskedFor,
    /// Nobody can tell: the module is not there, or cannot be loaded.
    Unknown(String),
    /// The module is there, and asks for something else.
    Wrong(String),
}

impl Named {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((module, name)) = text.split_once('.') else {
            return Err(format!("`{text}` names no secret; write MODULE.NAME"));
        };
        let module: ModuleName =
            module.parse().map_err(|error| format!("`{text}` names no secret: {error}"))?;
        if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(format!("`{text}` names no secret; write MODULE.NAME"));
        }
        Ok(Self { module, name: name.to_owned() })
    }

    pub(crate) fn place<'a>(&'a self, user: Option<&'a str>) -> Place<'a> {
        Place { module: self.module.as_str(), name: &self.name, owner: user.unwrap_or_default() }
    }

    /// `github.token`, `github.token for ada`.
    pub(crate) fn of(&self, user: Option<&str>) -> String {
        let Self { module, name } = self;
        match user {
            Some(user) => format!("{module}.{name} for {user}"),
            None => format!("{module}.{name}"),
        }
    }

    pub(crate) fn standing(&self, survey: &Survey) -> Standing {
        let Self { module, name } = self;
        let found = survey.named().find(|(known, _)| *known == module);
        let Some((_, found)) = found else {
            let there = survey.named().map(|(name, _)| name.as_str());
            let near = did_you_mean(module.as_str(), there);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Standing::Unknown(format!(
                "there is no module `{module}` here yet, so that nobody asks for this{near}"
            ));
        };
        let Some(manifest) = &found.manifest else {
            return without_manifest(module, found);
        };
        if manifest.secrets.contains_key(name) {
            return Standing::AskedFor;
        }
        let there: Vec<&str> = manifest.secrets.keys().map(String::as_str).collect();
        let way_out = match did_you_mean(name, there.iter().copied()) {
            Some(near) => format!("did you mean `{module}.{near}`?"),
            None if there.is_empty() => {
                format!("add it to [secrets] in {}", found.file)
            }
            None => format!("it asks for {}", there.join(", ")),
        };
        Standing::Wrong(format!("module `{module}` asks for no secret `{name}`; {way_out}"))
    }
}

fn without_manifest(module: &ModuleName, found: &Surveyed) -> Standing {
    if found.broken.is_some() {
        let why =
            format!("module `{module}` cannot be loaded, so that nobody knows what it asks for");
        return Standing::Unknown(why);
    }
    Standing::Wrong(format!(
        "module `{module}` is a single file, and these have no secrets; make it a folder with [secrets] in \
         its module.toml"
    ))
}
