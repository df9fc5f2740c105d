//! Built-ins and operators that look at sizes before they work, so that one expression cannot take
//! the machine. None is speculative: the compiler must not run them while it loads a file.

pub(crate) mod annotations;
mod comparisons;
mod conversions;
mod format;
pub(crate) mod keys;
mod methods;
mod operators;
mod percent;
mod sequences;
pub(super) mod size;
mod types;

use starlark::environment::GlobalsBuilder;

pub(crate) fn add(builder: &mut GlobalsBuilder) {
    operators::add(builder);
    methods::add(builder);
    sequences::add(builder);
    conversions::add(builder);
    comparisons::add(builder);
    keys::add(builder);
    types::add(builder);
    annotations::add(builder);
}
