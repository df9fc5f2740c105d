//! Checks values against the types they are declared with, before the engine does: its message prints a
//! value of the wrong type whole, however large or deep it is.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use super::comparisons::is_plain;
use crate::stdlib::show::quoted;
use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::typing::{Ty, TyBasic};
use starlark::values::record::Record;
use starlark::values::structs::StructRef;
use starlark::values::type_repr::StarlarkTypeRepr;
use starlark::values::typing::{StarlarkCallable, TypeCompiled};
use starlark::values::{
    FrozenValue, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, ValueLike, starlark_value,
};
use starlark::{starlark_module, starlark_simple_value};
use std::fmt;

pub(super) fn add(builder: &mut GlobalsBuilder) {
    annotations(builder);
}

/// A type annotation. The engine gets it with everything that holds other values added, so that only
/// `__typed` rejects a container.
#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct DeclaredType {
    /// What is declared: ``argument `x` ``, `return type`.
    role: String,
    #[allocative(skip)]
    declared: TypeCompiled<FrozenValue>,
    #[allocative(skip)]
    widened: Ty,
}

starlark_simple_value!(DeclaredType);

impl fmt::Display for DeclaredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.declared.fmt(f)
    }
}

/// Their type in the engine's messages.
const DECLARED: &str = "declared_type";

#[starlark_value(type = DECLARED)]
impl<'v> StarlarkValue<'v> for DeclaredType {
    fn eval_type(&self) -> Option<Ty> {
        Some(self.widened.clone())
    }
}

/// The type that its author wrote, of one that the engine got from `DeclaredType`.
pub(crate) fn declared_type(widened: &Ty) -> Option<&Ty> {
    let key = DeclaredType::starlark_type_repr();
    widened.iter_union().iter().find_map(|basic| {
        let TyBasic::Iter(item) = basic else {
            return None;
        };
        match item.iter_union() {
            [TyBasic::Dict(mark, declared)] if **mark == key => Some(&**declared),
            _ => None,
        }
    })
}

/// Adds what can hold other values. The item of the iterable carries the type itself: the engine does
/// not look at it.
fn widen(declared: &Ty) -> Ty {
    let carrier = Ty::dict(DeclaredType::starlark_type_repr(), declared.clone());
    Ty::unions(vec![
        declared.clone(),
        Ty::iter(carrier),
        StructRef::starlark_type_repr(),
        Record::starlark_type_repr(),
        StarlarkCallable::<(), FrozenValue>::starlark_type_repr(),
    ])
}

#[starlark_module]
fn annotations(builder: &mut GlobalsBuilder) {
    fn __declare<'v>(
        #[starlark(require = pos)] role: &str,
        #[starlark(require = pos)] ty: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let compiled = TypeCompiled::new(ty, eval.heap())?;
        Ok(eval.heap().alloc(DeclaredType {
            role: role.to_owned(),
            widened: widen(compiled.as_ty()),
            declared: compiled.to_frozen(eval.frozen_heap()),
        }))
    }

    /// Plain values are left to the engine, which checks them in any case.
    fn __typed<'v>(
        #[starlark(require = pos)] ty: Value<'v>,
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if is_plain(value) {
            return Ok(value);
        }
        match ty.downcast_ref::<DeclaredType>() {
            Some(ty) if !ty.declared.matches(value) => Err(ty.mismatch(value, eval)),
            _ => Ok(value),
        }
    }
}

impl DeclaredType {
    /// The engine's words about the beginning of the value. A wrong argument is the caller's.
    fn mismatch<'v>(&self, value: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> starlark::Error {
        let mut error = starlark::Error::new_native(anyhow::anyhow!(
            "Value `{}` of type `{}` does not match the type annotation `{}` for {}",
            quoted(value),
            value.get_type(),
            self.declared,
            self.role
        ));
        let caller = eval.call_stack_nth_location(1);
        if let Some(caller) = caller.filter(|_| self.role.starts_with("argument")) {
            error.set_span(caller.span, &caller.file);
        }
        error
    }
}

/// The engine's message about a plain value, with the type that its author wrote.
pub(crate) fn with_declared_type(message: String) -> String {
    let carrier = format!("typing.Iterable[dict[{DECLARED}, ");
    let found = message.split_once("type annotation `").and_then(|(_, ty)| {
        let (_, declared) = ty.split_once(&carrier)?;
        let (ty, _) = ty.split_once('`')?;
        let mut depth = 0_usize;
        let end = declared.find(|c| {
            depth += usize::from(c == '[');
            let is_end = c == ']' && depth == 0;
            depth = depth.saturating_sub(usize::from(c == ']'));
            is_end
        })?;
        Some((format!("`{ty}`"), format!("`{}`", &declared[..end])))
    });
    match found {
        Some((widened, declared)) => message.replace(&widened, &declared),
        None => message,
    }
}
