//! A function's types and docstring as parameters and JSON Schema.

use crate::docstring::Docstring;
use crate::kinds::OneOf;
use crate::stdlib::checked::annotations::declared_type;
use crate::stdlib::prelude::*;
use crate::stdlib::show;
use model::{Field, Schema};
use serde_json::Value as Json;
use starlark::docs::{DocItem, DocMember, DocParam};
use starlark::typing::{Ty, TyBasic};
use starlark::values::OwnedFrozenValue;
use starlark::values::typing::TypeCompiled;
use std::collections::HashMap;

/// How JSON becomes the value a parameter's type asks for.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Plain,
    Float,
    List(Box<Kind>),
    Dict(Box<Kind>),
    Tuple(Vec<Kind>),
    Enum(OwnedFrozenValue),
    Record(OwnedFrozenValue, Vec<(String, Kind)>),
    Union(Vec<(Schema, Kind)>),
}

impl Kind {
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Self::Plain => true,
            Self::List(inner) | Self::Dict(inner) => inner.is_plain(),
            Self::Tuple(_) | Self::Float | Self::Enum(_) | Self::Record(..) => false,
            Self::Union(all) => all.iter().all(|(_, kind)| kind.is_plain()),
        }
    }
}

/// What a typed function takes and gives.
pub(crate) struct Signature {
    pub(crate) description: String,
    pub(crate) takes_ctx: bool,
    pub(crate) fields: Vec<Field>,
    pub(crate) kinds: Vec<Kind>,
    /// How many of the fields go by position.
    pub(crate) positional: usize,
    /// Takes `**kwargs`: undeclared arguments are let through.
    pub(crate) open: bool,
    pub(crate) output: Option<Schema>,
}

/// The types that a file and the files it loads have named.
pub(crate) struct Types<'v> {
    heap: Heap<'v>,
    known: Vec<(Ty, OwnedFrozenValue, Value<'v>)>,
    /// Entries of `field(…)`, to find a field's type and default.
    fields: Vec<Value<'v>>,
}

impl<'v> Types<'v> {
    pub(crate) fn new(ledgers: &[OwnedFrozenValue], heap: Heap<'v>) -> Self {
        let mut types = Self { heap, known: Vec::new(), fields: Vec::new() };
        for owner in ledgers {
            let ledger = heap.access_owned_frozen_value(owner);
            for entry in
                DictRef::from_value(ledger).iter().flat_map(|d| d.values().collect::<Vec<_>>())
            {
                types.add(owner, entry);
            }
        }
        types
    }

    fn add(&mut self, owner: &OwnedFrozenValue, entry: Value<'v>) {
        match get(entry, "kind").and_then(Value::unpack_str) {
            Some("field") => self.fields.push(entry),
            Some("record" | "enum" | "one_of") => {
                let Some(named) = get(entry, "type") else {
                    return;
                };
                if let (Ok(compiled), Some(frozen)) =
                    (TypeCompiled::new(named, self.heap), named.unpack_frozen())
                {
                    self.known.push((compiled.as_ty().clone(), owner.map(|_| frozen), entry));
                }
            }
            _ => {}
        }
    }

    pub(crate) fn heap(&self) -> Heap<'v> {
        self.heap
    }

    pub(crate) fn schema(&self, ty: &Ty) -> (Schema, Kind) {
        let ty = declared_type(ty).unwrap_or(ty);
        match ty.iter_union() {
            [] => (Schema::Any, Kind::Plain),
            [one] => self.basic(one),
            several => {
                let all: Vec<(Schema, Kind)> =
                    several.iter().map(|basic| self.basic(basic)).collect();
                if all.iter().any(|(schema, _)| *schema == Schema::Any) {
                    return (Schema::Any, Kind::Plain);
                }
                // `str | None` reads better than `None | str`, which is how the engine sorts them.
                let (nulls, mut rest): (Vec<_>, Vec<_>) =
                    all.into_iter().partition(|(s, _)| *s == Schema::Null);
                rest.extend(nulls);
                (Schema::Union(rest.iter().map(|(s, _)| s.clone()).collect()), Kind::Union(rest))
            }
        }
    }

    fn basic(&self, basic: &TyBasic) -> (Schema, Kind) {
        // Types are equal by identity, so two records of one name are told apart.
        let is_it = |known: &Ty| known.iter_union() == std::slice::from_ref(basic);
        if let Some((_, constructor, entry)) = self.known.iter().find(|(known, _, _)| is_it(known))
        {
            return self.named(constructor, *entry);
        }
        match basic {
            TyBasic::List(item) | TyBasic::Set(item) | TyBasic::Iter(item) => {
                let (schema, kind) = self.schema(item);
                (Schema::List(Box::new(schema)), Kind::List(Box::new(kind)))
            }
            TyBasic::Dict(_, value) => {
                let (schema, kind) = self.schema(value);
                (Schema::Dict(Box::new(schema)), Kind::Dict(Box::new(kind)))
            }
            TyBasic::Tuple(_) => (Schema::List(Box::new(Schema::Any)), Kind::Tuple(Vec::new())),
            TyBasic::StarlarkValue(_) => match basic.to_string().as_str() {
                "str" | "string" => (Schema::Str, Kind::Plain),
                "int" => (Schema::Int, Kind::Plain),
                "float" => (Schema::Number, Kind::Float),
                "bool" => (Schema::Bool, Kind::Plain),
                "None" | "NoneType" => (Schema::Null, Kind::Plain),
                _ => (Schema::Any, Kind::Plain),
            },
            TyBasic::Any | TyBasic::Callable(_) | TyBasic::Type | TyBasic::Custom(_) => {
                (Schema::Any, Kind::Plain)
            }
        }
    }

    fn named(&self, constructor: &OwnedFrozenValue, entry: Value<'v>) -> (Schema, Kind) {
        let kind = get(entry, "kind").and_then(Value::unpack_str);
        match kind {
            Some("one_of") => {
                let choices =
                    get(entry, "type").and_then(OneOf::from_value).map(|o| o.choices.clone());
                (Schema::OneOf(choices.unwrap_or_default()), Kind::Plain)
            }
            Some("enum") => {
                let values = get(entry, "values").and_then(ListRef::from_value);
                let values = values
                    .into_iter()
                    .flat_map(ListRef::iter)
                    .filter_map(|v| self.json(v))
                    .collect();
                (Schema::OneOf(values), Kind::Enum(constructor.clone()))
            }
            _ => self.record(constructor, entry),
        }
    }

    fn record(&self, constructor: &OwnedFrozenValue, entry: Value<'v>) -> (Schema, Kind) {
        let name = self
            .known
            .iter()
            .find(|(_, _, known)| known.ptr_eq(entry))
            .map_or_else(|| "record".to_owned(), |(ty, _, _)| ty.to_string());
        let mut fields = Vec::new();
        let mut kinds = Vec::new();
        let declared = get(entry, "fields").and_then(DictRef::from_value);
        for (field_name, declared) in declared.iter().flat_map(|d| d.iter().collect::<Vec<_>>()) {
            let field_name = show::plain(field_name);
            let (typ, default) = self.field(declared);
            let (schema, kind) = match TypeCompiled::new(typ, self.heap) {
                Ok(compiled) => self.schema(compiled.as_ty()),
                Err(_) => (Schema::Any, Kind::Plain),
            };
            fields.push(match default {
                Some(default) => Field::optional(&field_name, schema, self.json(default)),
                None => Field::required(&field_name, schema),
            });
            kinds.push((field_name, kind));
        }
        (Schema::Record { name, fields }, Kind::Record(constructor.clone(), kinds))
    }

    /// A record's field as declared: a bare type, or `field(type, default)`.
    fn field(&self, declared: Value<'v>) -> (Value<'v>, Option<Value<'v>>) {
        let made = |entry: &&Value<'v>| get(**entry, "field").is_some_and(|f| f.ptr_eq(declared));
        let Some(entry) = self.fields.iter().find(made) else {
            return (declared, None);
        };
        let has_default = get(*entry, "has_default").is_some_and(Value::to_bool);
        (get(*entry, "type").unwrap_or(declared), get(*entry, "default").filter(|_| has_default))
    }

    pub(crate) fn json(&self, value: Value<'v>) -> Option<Json> {
        to_json(value, self.heap, Budget { depth: 32, bytes: 64 << 10 }).ok()
    }

    /// Reads a function's signature, or says what about it cannot be a tool.
    pub(crate) fn signature(&self, function: Value<'v>) -> Result<Signature, String> {
        self.signature_of("tool", function)
    }

    /// The same for a resource, a prompt or a completion.
    pub(crate) fn signature_of(
        &self,
        what: &str,
        function: Value<'v>,
    ) -> Result<Signature, String> {
        let DocItem::Member(DocMember::Function(doc)) = function.documentation() else {
            return Err(format!("a built-in function cannot be a {what}; wrap it in a def"));
        };
        if doc.params.args.is_some() {
            return Err(format!("a {what} cannot take *args; give every parameter a name"));
        }
        let defaults = self.defaults(function);
        let docstring = Docstring::of(&doc);
        let mut signature = Signature {
            description: docstring.description,
            takes_ctx: false,
            fields: Vec::new(),
            kinds: Vec::new(),
            positional: 0,
            open: doc.params.kwargs.is_some(),
            output: self.output(&doc.ret.typ),
        };
        let all = doc
            .params
            .pos_only
            .iter()
            .chain(&doc.params.pos_or_named)
            .chain(&doc.params.named_only);
        for (i, param) in all.enumerate() {
            if i == 0 && param.name == "ctx" {
                signature.takes_ctx = true;
                continue;
            }
            if i < doc.params.pos_only.len() {
                signature.positional += 1;
            }
            let (mut field, kind) = self.param(param, &defaults)?;
            let described = docstring.parameters.get(&param.name);
            field.description = described.filter(|text| !text.is_empty()).cloned();
            signature.fields.push(field);
            signature.kinds.push(kind);
        }
        Ok(signature)
    }

    fn param(
        &self,
        param: &DocParam,
        defaults: &HashMap<String, Json>,
    ) -> Result<(Field, Kind), String> {
        let (schema, kind) = self.schema(&param.typ);
        let field = match (&param.default_value, defaults.get(&param.name)) {
            (None, _) => Field::required(&param.name, schema),
            (Some(_), default) => Field::optional(&param.name, schema, default.cloned()),
        };
        if let Some(default) = &field.default {
            let mut wrong = Vec::new();
            field.schema.accept(default.clone(), &param.name, &mut wrong);
            if let Some(wrong) = wrong.first() {
                return Err(format!(
                    "the default of `{}` does not fit its type: {}",
                    wrong.path, wrong.message
                ));
            }
        }
        Ok((field, kind))
    }

    /// Defaults as JSON; one that JSON cannot carry is left to the function itself.
    fn defaults(&self, function: Value<'v>) -> HashMap<String, Json> {
        let Some(spec) = function.parameters_spec() else {
            return HashMap::new();
        };
        let budget = Budget { depth: 32, bytes: 64 << 10 };
        let written = |v: &Value<'v>| {
            crate::convert::write_json(*v, self.heap, budget).unwrap_or_else(|_| "?".into())
        };
        let docs = spec.documentation_with_default_value_formatter(
            vec![Ty::any(); spec.len()],
            HashMap::new(),
            written,
        );
        let all = docs.pos_only.into_iter().chain(docs.pos_or_named).chain(docs.named_only);
        all.filter_map(|p| {
            let json = serde_json::from_str(p.default_value.as_deref()?).ok()?;
            Some((p.name, json))
        })
        .collect()
    }

    fn output(&self, ty: &Ty) -> Option<Schema> {
        match self.schema(ty).0 {
            Schema::Any | Schema::Null => None,
            schema => Some(schema),
        }
    }
}

pub(crate) fn get<'v>(entry: Value<'v>, key: &str) -> Option<Value<'v>> {
    DictRef::from_value(entry)?.get_str(key)
}
