//! What nearly every library needs of the engine and of this crate.

pub(crate) use crate::convert::{Budget, Receiver, from_json, to_json};
pub(crate) use crate::cx::Cx;
pub(crate) use anyhow::bail;
pub(crate) use starlark::environment::{GlobalsBuilder, MethodsBuilder};
pub(crate) use starlark::eval::Evaluator;
pub(crate) use starlark::starlark_module;
pub(crate) use starlark::values::dict::{AllocDict, DictRef};
pub(crate) use starlark::values::list::{AllocList, ListRef, UnpackList};
pub(crate) use starlark::values::none::{NoneOr, NoneType};
pub(crate) use starlark::values::tuple::{TupleRef, UnpackTuple};
pub(crate) use starlark::values::{Heap, UnpackValue, Value, ValueLike};
