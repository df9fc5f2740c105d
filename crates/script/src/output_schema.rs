//! `output_schema` of a tool: JSON Schema as it is, or a type such as a record.

use crate::offer::Reader;
use model::Schema;
use serde_json::Value as Json;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::typing::TypeCompiled;

impl<'v> Reader<'_, 'v> {
    /// Reads a declared result. A record names the fields that callers may rely on; a result may
    /// have more.
    pub(crate) fn output_schema(&self, given: Value<'v>) -> Result<Json, String> {
        let expected = "`output_schema` is a JSON Schema or a type, such as a record";
        if DictRef::from_value(given).is_some() {
            return self.types.json(given).ok_or_else(|| expected.to_owned());
        }
        let compiled = TypeCompiled::new(given, self.types.heap());
        let compiled = compiled.map_err(|_| format!("{expected}, not a {}", given.get_type()))?;
        let mut schema = match self.types.schema(compiled.as_ty()).0 {
            Schema::Any => return Err(format!("{expected}; this type says nothing")),
            schema => schema.to_json(),
        };
        allow_more_fields(&mut schema);
        Ok(schema)
    }
}

fn allow_more_fields(schema: &mut Json) {
    match schema {
        Json::Object(map) => {
            if map.get("additionalProperties") == Some(&Json::Bool(false)) {
                map.shift_remove("additionalProperties");
            }
            map.values_mut().for_each(allow_more_fields);
        }
        Json::Array(items) => items.iter_mut().for_each(allow_more_fields),
        _ => {}
    }
}
