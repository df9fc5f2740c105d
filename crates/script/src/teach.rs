//! What the engine says, told to somebody who has written Python until now: a sentence, a code for
//! `larkspur explain`, and the line to write instead.

use crate::stdlib::checked::annotations::with_declared_type;
use crate::stdlib::secret::NOT_TEXT;
use model::{Fault, Place, did_you_mean};

/// What stands in the engine's message, and what we say about it.
struct Lesson {
    part: &'static str,
    code: &'static str,
    /// In place of the engine's words.
    says: &'static str,
    help: &'static str,
}

const fn lesson(
    part: &'static str,
    code: &'static str,
    says: &'static str,
    help: &'static str,
) -> Lesson {
    Lesson { part, code, says, help }
}

const NO_EXCEPTIONS: &str = "Starlark has no exceptions";
const ATTEMPT: &str = "write r = attempt(fn, arg), which gives r.ok, r.value and r.error; \
                       or let the call fail: the model gets the message";

const LESSONS: [Lesson; 18] = [
    lesson(
        "keyword `import`",
        "E0101",
        "Starlark has no `import`",
        "libraries such as `json` are already there: delete the line; \
         to use another file, write load(\"other.star\", \"name\")",
    ),
    lesson(
        "keyword `from`",
        "E0101",
        "Starlark has no `from`",
        "to use another file, write load(\"other.star\", \"name\")",
    ),
    lesson("keyword `try`", "E0102", NO_EXCEPTIONS, ATTEMPT),
    lesson("keyword `except`", "E0102", NO_EXCEPTIONS, ATTEMPT),
    lesson("keyword `finally`", "E0102", NO_EXCEPTIONS, ATTEMPT),
    lesson(
        "keyword `raise`",
        "E0102",
        NO_EXCEPTIONS,
        "write fail(\"message\") or error(\"kind\", \"message\")",
    ),
    lesson(
        "input `@`",
        "E0103",
        "Starlark has no decorators",
        "write `tool(my_function)` below the function",
    ),
    lesson(
        "keyword `while`",
        "E0104",
        "Starlark has no `while`",
        "write `for i in range(1000):` and `break` when done",
    ),
    lesson(
        "keyword `class`",
        "E0105",
        "Starlark has no classes",
        "write struct(a = 1), record(a = int) or plain functions",
    ),
    lesson(
        "keyword `with`",
        "E0106",
        "Starlark has no `with`",
        "there are no context managers; call the functions directly",
    ),
    lesson("keyword `is`", "E0106", "Starlark has no `is`", "write `==`, or `x == None`"),
    lesson(
        "keyword `global`",
        "E0106",
        "Starlark has no `global`",
        "values of a module cannot change after loading; return the new value instead",
    ),
    lesson(
        "keyword `async`",
        "E0106",
        "Starlark has no `async`",
        "calls wait by themselves; write a plain `def`",
    ),
    lesson(
        "keyword `await`",
        "E0106",
        "Starlark has no `await`",
        "calls wait by themselves; write the call alone",
    ),
    lesson("keyword `yield`", "E0106", "Starlark has no `yield`", "return a list"),
    lesson(
        "keyword `assert`",
        "E0106",
        "Starlark has no `assert`",
        "write `if not condition: fail(\"message\")`",
    ),
    lesson(
        "call expression is not allowed in type",
        "E0108",
        "a type cannot be made where it is used: name it first",
        "State = one_of(\"open\", \"closed\") above, then `state: State`",
    ),
    lesson(
        "Immutable",
        "E0204",
        "this value cannot change: what a module keeps, and what it is given, is frozen",
        "make a new value and return it; what must last goes into ctx.state",
    ),
];

/// Names that Python has, and what stands for them here.
const PYTHON: [(&str, &str); 24] = [
    ("json.loads", "json.decode"),
    ("json.dumps", "json.encode"),
    ("re.findall", "re.find_all"),
    ("re.sub", "re.replace"),
    ("re.fullmatch", "re.match"),
    ("time.time", "time.now"),
    ("base64.b64encode", "base64.encode"),
    ("base64.b64decode", "base64.decode"),
    ("uuid.uuid4", "uuid.v4"),
    ("random.randint", "random.int"),
    ("csv.reader", "csv.decode"),
    ("yaml.safe_load", "yaml.decode"),
    ("yaml.dump", "yaml.encode"),
    ("toml.loads", "toml.decode"),
    ("requests", "http"),
    ("urllib", "url"),
    ("os", "env"),
    ("subprocess", "exec"),
    ("datetime", "time"),
    ("logging", "log"),
    ("hashlib", "hash"),
    ("open", "files.read"),
    ("isinstance", "type"),
    ("Exception", "fail"),
];

/// What is in messages about a secret in the wrong place.
const SECRET: [&str; 4] =
    [NOT_TEXT, "(repr: <secret ", "not a secret", "a secret cannot be written"];
const WHOLE_SECRET: &str = "hand it over whole: `auth = secret` sends `Authorization: Bearer …`, \
     `headers = {\"x-api-key\": secret}` that header, `env = {\"TOKEN\": secret}` a command's variable; \
     for a prefix, as in `Authorization: Bot …`, store the whole value, `Bot ` included, and write \
     `headers = {\"Authorization\": secret}`";

/// A fault in our words, if these are better than the engine's.
pub(crate) fn fault(message: String, place: Option<Place>) -> Fault {
    let message = shorten_value(with_declared_type(message));
    let told = known(&message)
        .or_else(|| misspelt(&message, place.as_ref()))
        .or_else(|| misplaced_secret(&message));
    let mut fault = told.unwrap_or_else(|| Fault::new(message));
    fault.place = place;
    fault
}

/// Bytes of a value that a message about its type shows.
const SHOWN_VALUE: usize = 200;

/// The engine prints a value of the wrong type whole, however large it is: its beginning is enough.
fn shorten_value(message: String) -> String {
    const BEFORE: &str = "Value `";
    let end = message.rfind("` of type `");
    match (message.strip_prefix(BEFORE), end) {
        (Some(value), Some(end)) if end > BEFORE.len() + SHOWN_VALUE => {
            let shown = &value[..value.floor_char_boundary(SHOWN_VALUE)];
            format!("{BEFORE}{shown}…{}", &message[end..])
        }
        _ => message,
    }
}

fn misplaced_secret(message: &str) -> Option<Fault> {
    let is_about = SECRET.iter().any(|part| message.contains(part));
    is_about.then(|| Fault::new(message).help(WHOLE_SECRET))
}

fn known(message: &str) -> Option<Fault> {
    let lesson = LESSONS.iter().find(|one| message.contains(one.part))?;
    Some(Fault::new(lesson.says).code(lesson.code).help(lesson.help))
}

/// A name or an attribute that is not there.
fn misspelt(message: &str, place: Option<&Place>) -> Option<Fault> {
    if let Some(name) = between(message, "Variable `", "` not found") {
        let near = between(message, "did you mean `", "`");
        return Some(missing(name, near, format!("there is no `{name}`")));
    }
    let name = between(message, "The attribute `", "` is not available")
        .or_else(|| between(message, "has no attribute `", "`"))?;
    let of = place.and_then(owner);
    let whole = of.as_ref().map_or(name.to_owned(), |of| format!("{of}.{name}"));
    let near = between(message, "did you mean `", "`");
    let near = near.or_else(|| did_you_mean(name, attributes(message)));
    let says = match of {
        Some(of) => format!("`{of}` has no `{name}`"),
        None => format!("there is no `{name}` here"),
    };
    Some(missing(&whole, near, says))
}

fn missing(name: &str, near: Option<&str>, says: String) -> Fault {
    let fault = Fault::new(says).code("E0201");
    if let Some((_, ours)) = PYTHON.iter().find(|(python, _)| *python == name) {
        return fault.help(format!("Python's `{name}` is `{ours}` here"));
    }
    match near {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault,
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}

/// The name before the dot that the marked attribute stands behind.
fn owner(place: &Place) -> Option<String> {
    let before: Vec<char> = place.excerpt.chars().take(place.column.checked_sub(1)?).collect();
    let (dot, before) = before.split_last()?;
    if *dot != '.' {
        return None;
    }
    let is_part = |c: &&char| c.is_alphanumeric() || **c == '_';
    let name: String = before.iter().rev().take_while(is_part).collect();
    let name: String = name.chars().rev().collect();
    (!name.is_empty()).then_some(name)
}

/// The attributes that the engine lists with a library's type.
fn attributes(message: &str) -> impl Iterator<Item = &str> {
    let end = message.rfind(" = def(").unwrap_or(0);
    let parts = message[..end].split(" = def(");
    parts.filter_map(|part| part.rsplit([' ', '(']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: &str, line: &str, column: usize) -> String {
        let place =
            Place { file: "a.star".into(), line: 1, column, width: 1, excerpt: line.into() };
        let fault = fault(message.to_owned(), Some(place));
        let help = fault.help.unwrap_or_default();
        format!("{} {} | {help}", fault.code.unwrap_or("-"), fault.message)
    }

    #[test]
    fn what_is_misspelt_is_named_with_what_may_be_meant() {
        let json = "The attribute `loads` is not available on the type \
                    `namespace(decode = def(_: str) -> typing.Any, encode = def(_: str) -> str)`";
        for (message, line, column, expected) in [
            (
                json,
                "v = json.loads(x)",
                10,
                "E0201 `json` has no `loads` | Python's `json.loads` is `json.decode` here",
            ),
            (
                &json.replace("loads", "decod"),
                "json.decod(x)",
                6,
                "E0201 `json` has no `decod` | did you mean `decode`?",
            ),
            (
                "Object of type `namespace` has no attribute `gett`",
                "f(x).gett()",
                1,
                "E0201 there is no `gett` here | ",
            ),
            (
                "Variable `htpp` not found, did you mean `http`?",
                "htpp.get()",
                1,
                "E0201 there is no `htpp` | did you mean `http`?",
            ),
            (
                "Variable `requests` not found",
                "requests.get()",
                1,
                "E0201 there is no `requests` | Python's `requests` is `http` here",
            ),
            ("Something else", "x", 1, "- Something else | "),
        ] {
            assert_eq!(told(message, line, column), expected);
        }
    }
}
