//! Amounts as files spell them, with their units: `#[serde(with = "Size")]` reads, describes and shows a number of
//! bytes.

use model::{parse_duration, parse_size, show_duration, show_size};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

macro_rules! amount {
    ($name:ident, $inner:ty, $title:literal, $number:literal, $expecting:literal, $parse:expr, $show:expr) => {
        pub(crate) struct $name;

        impl Visitor<'_> for $name {
            type Value = $inner;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($expecting)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<$inner, E> {
                $parse(text).map_err(E::custom)
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<$inner, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<$inner, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<$inner, E> {
                self.visit_str(&format!("{number:?}"))
            }
        }

        impl $name {
            pub(crate) fn deserialize<'de, T: From<$inner>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                deserializer.deserialize_any(Self).map(T::from)
            }

            /// For the defaults in a schema.
            pub(crate) fn serialize<T: Copy + Into<Option<$inner>>, S: Serializer>(
                amount: &T,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                let amount: Option<$inner> = (*amount).into();
                amount.map(|amount| $show(amount).replace(' ', "")).serialize(serializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $title.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": ["string", $number], "title": $title })
            }
        }
    };
}

amount!(
    Size,
    usize,
    "size",
    "integer",
    "a size such as `\"16MiB\"`, or a number of bytes",
    parse_size,
    show_size
);
amount!(
    Time,
    Duration,
    "time",
    "number",
    "a duration such as `\"30s\"`, or a number of seconds",
    |text| match parse_duration(text) {
        Ok(time) if time.is_zero() => Err("a duration must be longer than nothing".to_owned()),
        read => read,
    },
    show_duration
);
