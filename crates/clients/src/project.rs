//! The project that an entry of a client's file serves, told by the paths in it.

use crate::launch::Launch;
use std::path::Path;

/// Flags that a folder of modules follows.
const FOLDERS: [&str; 3] = ["--modules", "--extensions-dir", "-e"];
/// The longest name that is made of a folder's; clients put it before the names of tools.
const LONGEST_NAME: usize = 32;

/// Absolute paths, as `install` writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectPaths {
    pub folders: Vec<String>,
    pub config: Option<String>,
}

impl ProjectPaths {
    /// None if another program is started.
    pub fn of(launch: &Launch) -> Option<Self> {
        let pairs = || launch.args.windows(2);
        let folders = pairs().filter(|pair| FOLDERS.contains(&pair[0].as_str()));
        let config = pairs().find(|pair| pair[0] == "--config");
        launch.is_larkspur().then(|| Self {
            folders: folders.map(|pair| pair[1].clone()).collect(),
            config: config.map(|pair| pair[1].clone()),
        })
    }

    /// One project has one `larkspur.toml`; where one of the two is without it, a folder in common
    /// decides.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.config, &other.config) {
            (Some(own), Some(others)) => own == others,
            _ => self.folders.iter().any(|folder| other.folders.contains(folder)),
        }
    }

    /// Is nothing left of it on the disk?
    pub(crate) fn is_gone(&self) -> bool {
        let mut paths = self.folders.iter().chain(&self.config);
        paths.all(|path| !Path::new(path).exists())
    }
}

/// What a client calls the project in a folder of this name.
pub fn entry_name(folder: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }
    };
    let text: String = folder.chars().map(plain).collect();
    let words: Vec<&str> = text.split('-').filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(LONGEST_NAME);
    match name.trim_matches(['-', '_']) {
        "" => "larkspur".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(line: &str) -> Launch {
        let mut words = line.split_whitespace().map(str::to_owned);
        Launch { command: words.next().unwrap(), args: words.collect(), always_load: false }
    }

    #[test]
    fn a_project_is_known_by_its_file_or_its_folders() {
        let shop = "/bin/larkspur serve --modules /shop/modules";
        for (one, other, is_same) in [
            (shop, shop, true),
            (shop, "larkspur serve -e /shop/modules", true),
            (shop, "larkspur serve --extensions-dir /x -e /shop/modules", true),
            (shop, "larkspur serve --modules /shop/modules --config /shop/l.toml", true),
            (shop, "larkspur serve --modules /blog/modules", false),
            (shop, "larkspur serve", false),
            (
                "larkspur serve --modules /m --config /a/larkspur.toml",
                "larkspur serve --modules /m --config /b/larkspur.toml",
                false,
            ),
        ] {
            let paths = |line| ProjectPaths::of(&launch(line)).unwrap();
            assert_eq!(paths(one).is_same(&paths(other)), is_same, "{other}");
        }
        assert_eq!(ProjectPaths::of(&launch("npx -e /shop/modules")), None);
    }

    #[test]
    fn names_are_made_of_folders() {
        for (folder, expected) in [
            ("shop", "shop"),
            ("My Shop (2)", "My-Shop-2"),
            ("日本", "larkspur"),
            (".config", "config"),
            ("", "larkspur"),
            ("a-very-long-name-of-a-folder-that-goes-on", "a-very-long-name-of-a-folder-tha"),
        ] {
            assert_eq!(entry_name(folder), expected, "{folder}");
        }
    }
}
