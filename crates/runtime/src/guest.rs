//! Somebody who is no call, and has a module's rights: a test that uses the module's functions itself.

use crate::catalog::Module;
use crate::gate::Gate;
use crate::permit::Permit;
use crate::runtime::Runtime;
use model::{Asker, Host, Rights};
use std::sync::Arc;

/// What the guest of no module is called.
const NOBODY: &str = "test";

/// Whose rights a guest has.
pub enum Guest<'a> {
    Of(&'a Arc<Module>),
    /// Those of a single file that lies there: by its folder's place, and the path below that.
    At(usize, &'a str),
}

impl Runtime {
    /// Works with the host as a module has it.
    pub fn receive<T>(
        &self,
        guest: &Guest<'_>,
        asker: &dyn Asker,
        work: impl FnOnce(&dyn Host) -> T,
    ) -> T {
        let ground = self.ground();
        match guest {
            Guest::Of(module) => {
                let folder = &ground.folders[module.folder];
                let permit = &module.life.permit;
                work(&Gate {
                    asker: Some(asker),
                    ..Gate::new(module.name.as_str(), folder, permit, ground)
                })
            }
            Guest::At(index, below) => {
                let folder = &ground.folders[*index];
                let rights = Rights::of_extension(NOBODY, &[], None);
                let permit = Permit::new(folder.path(below), rights, &ground.own);
                work(&Gate { asker: Some(asker), ..Gate::new(NOBODY, folder, &permit, ground) })
            }
        }
    }
}
