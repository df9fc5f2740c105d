//! Whose files they are: the home folder, the project's folder, and the variables that move files.

use crate::trouble::Trouble;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Home {
    folder: PathBuf,
    project: PathBuf,
    variables: BTreeMap<String, String>,
}

impl Home {
    /// For somebody with these variables, in the folder of a project.
    pub fn new(variables: BTreeMap<String, String>, project: PathBuf) -> Result<Self, Trouble> {
        let folder = variables.get("HOME").map(PathBuf::from);
        let folder = folder.filter(|folder| folder.is_absolute());
        let folder = folder
            .ok_or_else(|| Trouble::Other("HOME does not name your home folder; set it".into()))?;
        Ok(Self { folder, project, variables })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where people keep clients of their own.
    pub fn clients(&self) -> Result<PathBuf, Trouble> {
        self.place("${XDG_CONFIG_HOME:-~/.config}/larkspur/clients.toml")
    }

    pub(crate) fn in_project(&self, place: &str) -> PathBuf {
        self.project.join(place)
    }

    /// A place as the table writes it: `${NAME:-other}` and `~` at its beginning stand for folders.
    pub(crate) fn place(&self, place: &str) -> Result<PathBuf, Trouble> {
        let wrong = || Trouble::Other(format!("`{place}` in the table of clients is no place"));
        let text = match place.strip_prefix("${") {
            None => place.to_owned(),
            Some(rest) => {
                let (inside, after) = rest.split_once('}').ok_or_else(wrong)?;
                let (name, other) = inside.split_once(":-").unwrap_or((inside, ""));
                let said = self.variables.get(name).filter(|value| !value.is_empty());
                format!("{}{after}", said.map_or(other, String::as_str))
            }
        };
        let path = match text.strip_prefix('~') {
            Some("") => self.folder.clone(),
            Some(rest) if rest.starts_with('/') => self.folder.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(text),
        };
        if path.is_absolute() { Ok(path) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_the_home_and_the_variables() {
        let variables = [("HOME", "/srv/ada"), ("MOVED", "/else"), ("EMPTY", "")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let home = Home::new(variables.into(), "/work".into()).unwrap();
        let check = |place: &str, expected: Option<&str>| {
            let found = home.place(place).ok();
            assert_eq!(found.as_deref(), expected.map(Path::new), "{place}");
        };
        check("~/.x.json", Some("/srv/ada/.x.json"));
        check("/etc/x", Some("/etc/x"));
        check("${MOVED:-~/.x}/c", Some("/else/c"));
        check("${EMPTY:-~/.x}/c", Some("/srv/ada/.x/c"));
        check("${NEVER:-~}/.c", Some("/srv/ada/.c"));
        check("${MOVED}/c", Some("/else/c"));
        check("${NEVER}/c", Some("/c"));
        check("~else/c", None);
        check("${MOVED", None);
        check("c", None);
    }

    #[test]
    fn somebody_without_a_home_is_told() {
        for home in [None, Some("relative")] {
            let variables = home.map(|home| ("HOME".to_owned(), home.to_owned()));
            let refused = Home::new(variables.into_iter().collect(), "/work".into());
            assert_eq!(
                refused.unwrap_err().to_string(),
                "HOME does not name your home folder; set it"
            );
        }
    }
}
