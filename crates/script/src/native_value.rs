//! Rust types whose values scripts hold.

/// Makes a struct a type of scripts: its name there, how its values are shown, and, if it has any, its
/// methods and what else `StarlarkValue` asks. The file needs `#![expect(unsafe_code)]`, since starlark's
/// derives write unsafe impls.
macro_rules! native_value {
    (
        $item:item
        $name:ident: $type:tt, $shown:expr
        $(, $methods:ident = $module:path)?
        $(; $($member:tt)+)?
    ) => {
        #[derive(
            Debug,
            starlark::any::ProvidesStaticType,
            starlark::values::NoSerialize,
            allocative::Allocative,
            starlark::values::StarlarkPagablePanic,
        )]
        #[allocative(skip)]
        $item

        starlark::starlark_simple_value!($name);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let show: fn(&Self, &mut std::fmt::Formatter<'_>) -> std::fmt::Result = $shown;
                show(self, f)
            }
        }

        $(starlark::methods_static!($methods = $module);)?

        #[starlark::values::starlark_value(type = $type)]
        impl<'v> starlark::values::StarlarkValue<'v> for $name {
            $(fn get_methods() -> Option<&'static starlark::environment::Methods> {
                Some($methods.methods())
            })?
            $($($member)+)?
        }
    };
}
