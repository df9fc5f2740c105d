//! What a started module keeps between its calls: its instance, its dependencies' and its
//! configuration, frozen, so that any number of calls can share them.

use crate::convert::Receiver;
use model::Fault;
use serde_json::{Map, Value as Json};
use starlark::environment::Module;
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::{Heap, OwnedFrozenValue, Value};

/// A clone shares.
#[derive(Debug, Clone, Default)]
pub struct Started {
    instance: Option<OwnedFrozenValue>,
    deps: Option<OwnedFrozenValue>,
    config: Option<OwnedFrozenValue>,
}

impl Started {
    /// What `start` gets. An optional dependency that is not there is None.
    pub fn new(
        deps: &[(&str, Option<&Started>)],
        config: &Map<String, Json>,
    ) -> Result<Self, Fault> {
        let unable = |why: String| Fault::new(format!("cannot prepare the module: {why}"));
        Module::with_temp_heap(|module| {
            let heap = module.heap();
            let mut receiver = Receiver::new(heap);
            let config = config
                .iter()
                .map(|(key, value)| Ok((key.as_str(), receiver.field(value)?)))
                .collect::<Result<Vec<_>, crate::convert::Unwritable>>()
                .map_err(|why| unable(why.to_string()))?;
            let deps = deps.iter().map(|(name, started)| {
                let instance = started.map_or_else(Value::new_none, |s| s.instance(heap));
                (*name, instance)
            });
            let both =
                [("deps", heap.alloc(AllocDict(deps))), ("config", heap.alloc(AllocDict(config)))];
            module.set_extra_value(heap.alloc(AllocDict(both)));
            let frozen = module.freeze().map_err(|error| unable(format!("{error:?}")))?;
            let part = |name| part(frozen.owned_extra_value(), name);
            Ok(Self { instance: None, deps: part("deps"), config: part("config") })
        })
    }

    pub(crate) fn with_instance(self, instance: Option<OwnedFrozenValue>) -> Self {
        Self { instance, ..self }
    }

    /// What `start` returned.
    pub(crate) fn instance<'v>(&self, heap: Heap<'v>) -> Value<'v> {
        access(self.instance.as_ref(), heap).unwrap_or_else(Value::new_none)
    }

    pub(crate) fn deps<'v>(&self, heap: Heap<'v>) -> Value<'v> {
        access(self.deps.as_ref(), heap).unwrap_or_else(|| heap.alloc(AllocDict::EMPTY))
    }

    pub(crate) fn config<'v>(&self, heap: Heap<'v>) -> Value<'v> {
        access(self.config.as_ref(), heap).unwrap_or_else(|| heap.alloc(AllocDict::EMPTY))
    }
}

fn access<'v>(owned: Option<&OwnedFrozenValue>, heap: Heap<'v>) -> Option<Value<'v>> {
    owned.map(|owned| heap.access_owned_frozen_value(owned))
}

/// One value of a frozen dict, living as long as its owner.
pub(crate) fn part(owner: Option<OwnedFrozenValue>, name: &str) -> Option<OwnedFrozenValue> {
    let owner = owner?;
    let found = DictRef::from_value(owner.value())?.get_str(name)?.unpack_frozen()?;
    Some(owner.map(|_| found))
}
