//! Built-in types as values that check what they convert, under any name: `f = int`, `{"list": list}`.

#![expect(unsafe_code, reason = "starlark's derives write unsafe impls")]

use super::conversions::Conversion;
use allocative::Allocative;
use starlark::any::ProvidesStaticType;
use starlark::docs::DocItem;
use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use starlark::eval::{Arguments, Evaluator};
use starlark::starlark_simple_value;
use starlark::typing::Ty;
use starlark::values::typing::TypeCompiled;
use starlark::values::{
    FrozenValue, Heap, NoSerialize, StarlarkPagablePanic, StarlarkValue, Value, ValueLike,
    starlark_value,
};
use std::fmt;
use std::sync::LazyLock;

/// A built-in type of the engine that looks at the value to convert before the engine does.
#[derive(Debug, ProvidesStaticType, NoSerialize, Allocative, StarlarkPagablePanic)]
pub(crate) struct CheckedType {
    conversion: Conversion,
    #[allocative(skip)]
    engine: FrozenValue,
    #[allocative(skip)]
    ty: Ty,
}

starlark_simple_value!(CheckedType);

impl fmt::Display for CheckedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.conversion.name())
    }
}

#[starlark_value(type = "function")]
impl<'v> StarlarkValue<'v> for CheckedType {
    fn invoke(
        &self,
        _me: Value<'v>,
        args: &Arguments<'v, '_>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let first = args.positions(eval.heap())?.next();
        if let Some(first) = first {
            self.conversion.check(first, eval)?;
        }
        self.engine.to_value().invoke(args, eval)
    }

    fn eval_type(&self) -> Option<Ty> {
        Some(self.ty.clone())
    }

    fn typechecker_ty(&self) -> Option<Ty> {
        Some(Ty::of_value(self.engine.to_value()))
    }

    fn documentation(&self) -> DocItem {
        self.engine.to_value().documentation()
    }

    fn get_attr(&self, attribute: &str, heap: Heap<'v>) -> Option<Value<'v>> {
        let attribute = self.engine.to_value().get_attr(attribute, heap);
        attribute.ok().flatten()
    }
}

static ENGINE: LazyLock<Globals> = LazyLock::new(|| {
    GlobalsBuilder::standard().with(|builder| LibraryExtension::SetType.add(builder)).build()
});

/// `int` replaces the engine's own. The engine compares `dict` and `tuple` by identity where they are
/// type annotations, so the containers keep their names, and `guard` renames other mentions of them.
pub(super) fn add(builder: &mut GlobalsBuilder) {
    for conversion in Conversion::ALL {
        let name = match conversion {
            Conversion::Int => conversion.name().to_owned(),
            _ => format!("__{}", conversion.name()),
        };
        if let Some(checked) = CheckedType::new(conversion) {
            builder.set(&name, checked);
        }
    }
}

impl CheckedType {
    fn new(conversion: Conversion) -> Option<Self> {
        let (_, engine) = ENGINE.iter().find(|(name, _)| *name == conversion.name())?;
        let ty = Heap::temp(|heap| {
            let compiled = TypeCompiled::new(engine.to_value(), heap).ok()?;
            Some(compiled.as_ty().clone())
        })?;
        Some(Self { conversion, engine, ty })
    }
}
