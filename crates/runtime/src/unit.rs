//! Takes what was built, unit by unit: modules that a change ties together are replaced together. If
//! one that is served cannot follow, the whole unit stays as it was.

use crate::assembly::Candidate;
use crate::catalog::Module;
use crate::event::{Change, Event};
use crate::library::{Entry, Key, Kind, Library, Trouble};
use model::{Fault, ModuleName};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Library {
    pub(crate) fn take(
        &mut self,
        built: Vec<Candidate>,
        changed: &BTreeSet<Key>,
        told: &dyn Fn(&Event),
    ) {
        let units = self.units(&built, changed);
        let mut members: BTreeMap<usize, BTreeSet<Key>> = BTreeMap::new();
        let mut refused: BTreeMap<usize, Refusal> = BTreeMap::new();
        for (built, unit) in built.iter().zip(&units) {
            let key = &built.attempt.key;
            members.entry(*unit).or_default().insert(key.clone());
            let served = self.entries.get(key).is_some_and(|e| e.module.is_some());
            if let Err(trouble) = &built.outcome
                && served
                && !trouble.kind.is_wanted()
            {
                refused.entry(*unit).or_insert_with(|| Refusal {
                    name: built.name.clone(),
                    trouble: trouble.clone(),
                });
            }
        }
        for (built, unit) in built.into_iter().zip(units) {
            let is_wanted = |trouble: &Trouble| trouble.kind.is_wanted();
            let goes = built.outcome.as_ref().is_err_and(is_wanted);
            match refused.get(&unit) {
                Some(refusal) if !goes => {
                    let unit = members.get(&unit).cloned().unwrap_or_default();
                    self.hold_back(built, refusal, unit, told);
                }
                _ => self.take_one(built, told),
            }
        }
    }

    /// For each of the built, the number of its unit.
    fn units(&self, built: &[Candidate], changed: &BTreeSet<Key>) -> Vec<usize> {
        let provided: BTreeSet<&ModuleName> =
            built.iter().filter_map(|built| built.name.as_ref()).collect();
        let mut ties: BTreeMap<Tie, Vec<usize>> = BTreeMap::new();
        for (i, built) in built.iter().enumerate() {
            let attempt = &built.attempt;
            for file in attempt.touched.keys().filter(|file| changed.contains(*file)) {
                ties.entry(Tie::File(file)).or_default().push(i);
            }
            let old = self.entries.get(&attempt.key);
            let names = [built.name.as_ref(), old.and_then(|e| e.name.as_ref())];
            let next = attempt.manifest.iter().flat_map(|m| m.dependencies());
            let past = old.into_iter().flat_map(Entry::dependencies);
            let needs = next.map(|(name, _)| name).chain(past);
            let needs = needs.filter(|name| provided.contains(name));
            for name in names.into_iter().flatten().chain(needs) {
                ties.entry(Tie::Name(name)).or_default().push(i);
            }
        }
        let mut unit: Vec<usize> = (0..built.len()).collect();
        for tied in ties.into_values() {
            for pair in tied.windows(2) {
                let (a, b) = (root(&mut unit, pair[0]), root(&mut unit, pair[1]));
                unit[a.max(b)] = a.min(b);
            }
        }
        (0..built.len()).map(|i| root(&mut unit, i)).collect()
    }

    fn take_one(&mut self, built: Candidate, told: &dyn Fn(&Event)) {
        let (module, trouble) = match built.outcome {
            Ok(module) => (module, None),
            Err(trouble) => (None, Some(trouble)),
        };
        let module = module.map(|module| self.numbered(&module));
        let attempt = built.attempt;
        let old = self.entries.remove(&attempt.key);
        let (old, old_trouble) = old.map_or((None, None), |e| (e.module, e.trouble));
        let change = match (&module, &trouble, old.is_some()) {
            (Some(module), _, true) => Some(Change::Reloaded(module.offers())),
            (Some(module), _, false) => Some(Change::Loaded(module.offers())),
            (None, Some(trouble), true) if trouble.kind.is_wanted() => Some(Change::Removed),
            (None, Some(_), false) if !built.planned => None,
            (None, Some(trouble), false) if trouble.is_known(old_trouble.as_ref()) => None,
            (None, Some(trouble), _) => Change::of(trouble, false),
            (None, None, true) => Some(Change::Removed),
            (None, None, false) => None,
        };
        let about = module.as_deref().or(old.as_deref());
        self.tell(&attempt, about, change, told);
        let invalid = module.as_ref().and_then(|module| module.invalid_tools());
        let partial = invalid.map(|fault| Change::Partial { fault });
        self.tell(&attempt, about, partial, told);
        self.retiring.extend(old.map(|old| Arc::clone(&old.life)));
        let entry = Entry {
            touched: attempt.touched,
            name: built.name,
            manifest: attempt.manifest,
            script: attempt.result.ok(),
            module,
            trouble,
            unit: BTreeSet::new(),
        };
        self.entries.insert(attempt.key, entry);
    }

    /// What is served stays; what was started aside is ended again.
    fn hold_back(
        &mut self,
        built: Candidate,
        refusal: &Refusal,
        unit: BTreeSet<Key>,
        told: &dyn Fn(&Event),
    ) {
        let attempt = built.attempt;
        let old = self.entries.remove(&attempt.key);
        let (old_module, old_name, old_trouble) =
            old.map_or((None, None, None), |e| (e.module, e.name, e.trouble));
        let trouble = match built.outcome {
            Err(trouble) => Some(trouble),
            Ok(None) => None,
            Ok(Some(module)) => {
                self.retiring.push(Arc::clone(&module.life));
                Some(refusal.for_another(&module.name))
            }
        };
        let served = old_module.is_some();
        let news = trouble.as_ref();
        let news = news.filter(|trouble| !trouble.is_known(old_trouble.as_ref()));
        let news = news.filter(|_| served || built.planned);
        let change = news.and_then(|trouble| Change::of(trouble, served));
        self.tell(&attempt, old_module.as_deref(), change, told);
        let entry = Entry {
            touched: attempt.touched,
            name: old_name.or(built.name),
            manifest: attempt.manifest,
            script: attempt.result.ok(),
            module: old_module,
            trouble,
            unit,
        };
        self.entries.insert(attempt.key, entry);
    }

    fn numbered(&mut self, module: &Module) -> Arc<Module> {
        let generation = self.generations.entry(module.name.clone()).or_default();
        *generation += 1;
        Arc::new(Module { generation: *generation, ..module.clone() })
    }
}

impl Trouble {
    /// Somebody else's change was reason to try again, and it is as it was: that was told before.
    pub(crate) fn is_known(&self, before: Option<&Trouble>) -> bool {
        let of_others = [Kind::Waiting, Kind::Misplaced].contains(&self.kind);
        of_others && before.is_some_and(|before| before.fault == self.fault)
    }
}

/// What ties modules into one unit.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Tie<'a> {
    File(&'a Key),
    Name(&'a ModuleName),
}

fn root(unit: &mut [usize], mut i: usize) -> usize {
    while unit[i] != i {
        unit[i] = unit[unit[i]];
        i = unit[i];
    }
    i
}

/// Why a unit stays as it was.
struct Refusal {
    name: Option<ModuleName>,
    trouble: Trouble,
}

impl Refusal {
    /// The same for a module that could have been replaced.
    fn for_another(&self, module: &ModuleName) -> Trouble {
        let because = self.name.as_ref().filter(|name| *name != module);
        let fault = match because {
            None => self.trouble.fault.clone(),
            Some(name) => Fault {
                message: format!(
                    "kept as it was, since `{name}` cannot follow: {}",
                    self.trouble.fault.message
                ),
                ..self.trouble.fault.clone()
            },
        };
        Trouble { kind: self.trouble.kind, fault }
    }
}
