//! How much of the server one caller, or one module, may take: who has had his share is told when to come
//! back.

mod limited;
mod places;
mod rates;

pub use limited::Limited;
pub(crate) use places::Held;
pub(crate) use rates::Single;

use crate::catalog::{Catalog, Module};
use crate::overload::Overload;
use crate::runtime::Runtime;
use crate::stats::Stats;
use limited::Limit;
use model::{Caller, ModuleName};
use parking_lot::Mutex;
use places::Places;
use rates::Keyed;
use settings::{Bounds, Rate};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::Instant;

/// What has been used up of everything.
#[derive(Default)]
pub(crate) struct Used {
    callers: Option<Keyed>,
    modules: Option<Keyed>,
    /// Of modules that have a rate of their own; one that is set anew begins anew.
    own: Mutex<HashMap<ModuleName, (Rate, Arc<Single>)>>,
    caller_places: Option<Places>,
    module_places: Option<Places>,
}

impl Used {
    pub(crate) fn new(quotas: &Bounds, queue: usize) -> Self {
        let places = |limit, most: Option<usize>| Some(Places::new(limit, most?, queue));
        Self {
            callers: quotas.caller_rate.map(Keyed::new),
            modules: quotas.module_rate.map(Keyed::new),
            own: Mutex::default(),
            caller_places: places("caller_calls", quotas.caller_calls),
            module_places: places("module_calls", quotas.module_calls),
        }
    }

    /// How many wait for a place of their caller's or their module's.
    pub(crate) fn waiting(&self) -> usize {
        let places = [&self.caller_places, &self.module_places];
        places.into_iter().flatten().map(Places::waiting).sum()
    }

    /// Places of his and of the module's. Whoever waits for one holds none of those that all share.
    pub(crate) async fn enter(
        &self,
        caller: &Caller,
        module: &ModuleName,
        until: Instant,
    ) -> Result<[Option<Held>; 2], Overload> {
        let of_caller = match &self.caller_places {
            Some(places) => Some(places.enter(spoken(caller), until).await?),
            None => None,
        };
        let of_module = match &self.module_places {
            Some(places) => Some(places.enter(module.to_string(), until).await?),
            None => None,
        };
        Ok([of_caller, of_module])
    }

    fn own(&self, module: &ModuleName, rate: Rate) -> Arc<Single> {
        let mut all = self.own.lock();
        match all.get(module) {
            Some((known, single)) if *known == rate => Arc::clone(single),
            _ => {
                let single = Arc::new(Single::new(rate));
                all.insert(module.clone(), (rate, Arc::clone(&single)));
                single
            }
        }
    }
}

/// Who has logged in under the name of whoever runs the server is not him.
fn spoken(caller: &Caller) -> String {
    let kind = if caller.is_local() { "local" } else { "named" };
    format!("{kind} {}", caller.name)
}

impl Runtime {
    /// Counts a request of a caller, whatever it is about.
    pub fn charge_caller(&self, caller: &Caller) -> Result<(), Limited> {
        let Some(callers) = &self.used().callers else {
            return Ok(());
        };
        callers
            .take(&(caller.is_local(), &caller.name))
            .map_err(|retry_after| self.limited(Limit::Caller, callers.rate, retry_after))
    }

    pub(crate) fn charge_module(&self, catalog: &Catalog, module: &Module) -> Result<(), Limited> {
        let name = &module.name;
        if let Some(rate) = catalog.rules.rates.get(name) {
            let taken = self.used().own(name, *rate).take();
            taken.map_err(|after| self.limited(Limit::Own(name), *rate, after))?;
        }
        let Some(modules) = &self.used().modules else {
            return Ok(());
        };
        let taken = modules.take(&name.as_str());
        taken.map_err(|after| self.limited(Limit::Module(name), modules.rate, after))
    }

    fn limited(&self, limit: Limit<'_>, rate: Rate, retry_after: std::time::Duration) -> Limited {
        Stats::add(self.stats().limited.of(limit.name()));
        Limited::new(limit, rate, retry_after)
    }
}
