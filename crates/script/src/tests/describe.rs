//! starlark-mcp's form, unmodified.

use super::*;

const WEATHER: &str = r#"
def get_forecast(params):
    days = params.get("days", 3)
    return {
        "content": [{"type": "text", "text": "%s for %d days, %s" % (params["city"], days, params.get("extra", "-"))}],
        "isError": False,
    }

def describe_extension():
    return Extension(
        name = "weather",
        version = "1.2.0",
        description = "Forecasts",
        allowed_exec = ["curl"],
        tools = [
            Tool(
                name = "get_forecast",
                description = "The forecast for a city",
                parameters = [
                    ToolParameter(name = "city", param_type = "string", required = True, description = "City"),
                    ToolParameter(name = "days", param_type = "integer", required = False, default = "5", description = "Days"),
                    ToolParameter(name = "tags", param_type = "array", required = False, description = ""),
                ],
                handler = get_forecast,
                annotations = {"readOnlyHint": True},
            ),
            Tool(name = "twice", description = "x2", parameters = [], handler = lambda params, ctx: [params["n"] * 2, ctx.cancelled]),
        ],
    )
"#;

#[test]
fn it_is_read_whole() {
    let script = load(WEATHER).unwrap();
    assert_eq!(script.declared.name.as_ref().unwrap().as_str(), "weather");
    assert_eq!(script.declared.version.as_deref(), Some("1.2.0"));
    assert_eq!(script.declared.allowed_exec, ["curl"]);
    let tool = &script.tools[0].tool;
    assert_eq!(
        *tool.input.to_json(),
        json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City"},
                "days": {"type": "integer", "description": "Days", "default": 5},
                "tags": {"type": "array", "items": {}},
            },
            "required": ["city"],
        })
    );
    assert_eq!(tool.hints.read_only, Some(true));
}

#[test]
fn handlers_get_one_dict() {
    assert_eq!(
        call(WEATHER, "get_forecast", json!({"city": "Oslo"})),
        Ok("Oslo for 5 days, -".into())
    );
    assert_eq!(
        call(WEATHER, "get_forecast", json!({"city": "Oslo", "days": 1, "extra": "x"})),
        Ok("Oslo for 1 days, x".into())
    );
    assert_eq!(
        call(WEATHER, "get_forecast", json!({"days": "1"})),
        Err("`city` is required; `days` expected an integer, got the string \"1\"".into())
    );
    assert_eq!(call(WEATHER, "twice", json!({"n": 4})), Ok("[8,false]".into()));
}

#[test]
fn both_forms_in_one_file_and_the_typed_one_wins() {
    let source = format!("{WEATHER}\ndef twice(n: int) -> int:\n    return n * 20\ntool(twice)");
    let script = load(&source).unwrap();
    let names: Vec<&str> = script.tools.iter().map(|t| t.tool.name.as_str()).collect();
    assert_eq!(names, ["get_forecast", "twice"]);
    assert_eq!(call(&source, "twice", json!({"n": 4})), Ok("80".into()));
}

#[test]
fn mistakes_are_named() {
    let check = |source: &str, expected: &str| {
        assert_eq!(load(source).map(|_| ()).unwrap_err().one_line(), expected);
    };
    check(
        "def describe_extension():\n    return 3",
        "a.star:1 describe_extension() must return Extension(name = …, …), not a int",
    );
    check(
        "def describe_extension():\n    return Extension(name = 'a b', tools = [])",
        "a.star:1 module name `a b` may hold only letters, digits, `_` and `-`",
    );
    check(
        "ToolParameter(name = 'x', param_type = 'strin')",
        "a.star:1 param_type of `x` has no `strin`; did you mean `string`?",
    );
    check(
        "Tool(name = 'x', description = '')",
        "a.star:1 Tool `x` has no handler; add handler = my_function",
    );
}
