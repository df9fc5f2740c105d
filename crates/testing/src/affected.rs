//! Which tests a change reaches, as far as that is easy to know.

use model::ModuleName;
use runtime::{Folder, Homes};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What belongs together: a module with a manifest, or all that lies beside such modules in a folder.
#[derive(Default)]
struct Group {
    name: Option<ModuleName>,
    texts: Vec<String>,
    tests: Vec<PathBuf>,
}

impl Group {
    /// Whoever needs a module names it: in `depends_on`, in a `load`, or in a call.
    fn mentions(&self, names: &BTreeSet<ModuleName>) -> bool {
        let mention =
            |name: &ModuleName| self.texts.iter().any(|text| text.contains(name.as_str()));
        names.iter().any(mention)
    }
}

/// The test files that a change of these files reaches; nothing, if that may be any.
pub fn affected(folders: &[Folder], changed: &[PathBuf]) -> Option<BTreeSet<PathBuf>> {
    let homes = Homes::scan(folders);
    let mut tests = BTreeSet::new();
    let mut names = BTreeSet::new();
    for path in changed {
        let mut folders = folders.iter().enumerate();
        let (index, file) = folders.find_map(|(i, folder)| Some((i, folder.id(path)?)))?;
        if file.ends_with("_test.star") {
            tests.insert(path.clone());
        } else if file.ends_with("module.toml") {
            return None;
        } else {
            names.insert(homes.place(index, &file).1?.clone());
        }
    }
    let mut waiting = groups(folders, &homes);
    while let Some(at) = waiting.iter().position(|group| group.mentions(&names)) {
        let reached = waiting.swap_remove(at);
        // What lies beside modules may be several, under names of their own.
        names.insert(reached.name?);
        tests.extend(reached.tests);
    }
    Some(tests)
}

fn groups(folders: &[Folder], homes: &Homes) -> Vec<Group> {
    let mut groups: BTreeMap<(usize, Option<String>), Group> = BTreeMap::new();
    for (index, folder) in folders.iter().enumerate() {
        for file in folder.scan().into_keys() {
            let (below, name) = homes.place(index, &file);
            let key = (index, name.map(|_| below.to_owned()));
            let group = groups.entry(key).or_default();
            group.name = name.cloned();
            group.texts.extend(folder.read_text(&file));
            if file.ends_with("_test.star") {
                group.tests.push(folder.path(&file));
            }
        }
    }
    groups.into_values().collect()
}
