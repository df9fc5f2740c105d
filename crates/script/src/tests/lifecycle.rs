//! `start`, `stop`, `status`, and what `ctx` gives a started module.

use super::*;
use crate::{Hook, Started, ToolChange};
use expect_test::{Expect, expect};

struct Life {
    script: Script,
    started: Started,
    tools: Vec<String>,
    host: Notebook,
}

/// Loads and starts a module with this configuration and one dependency `base`, an instance of 7.
fn start(source: &str, config: Value) -> Result<Life, String> {
    let script = load(source).map_err(|fault| fault.to_string())?;
    script.check_hooks().map_err(|fault| fault.to_string())?;
    let base = {
        let script = load("def start(deps, config):\n    return 7").unwrap();
        script.start(&Turn::new(&Notebook::default(), &QUICK)).unwrap().0
    };
    let Value::Object(config) = config else { panic!("configuration is an object") };
    let started = Started::new(&[("base", Some(&base)), ("absent", None)], &config).unwrap();
    let host = Notebook::default();
    let turn = Turn { started: &started, ..Turn::new(&host, &QUICK) };
    let (started, changes) = script.start(&turn).map_err(sentence)?;
    let tools = changes.iter().map(shown).collect();
    Ok(Life { script, started, tools, host })
}

fn sentence(failure: CallFailure) -> String {
    match failure {
        CallFailure::Failed { fault, raised } => match raised {
            Some(raised) => format!("{} [{} {}]", fault.message, raised.kind, raised.data),
            None => fault.message,
        },
        other => format!("{other:?}"),
    }
}

fn shown(change: &ToolChange) -> String {
    match change {
        ToolChange::Add(tool) => format!("+ {}", tool.tool.signature()),
        ToolChange::Remove(name) => format!("- {name}"),
    }
}

impl Life {
    fn call(&self, name: &str) -> Result<(String, Vec<String>), String> {
        let tool = self.script.tools.iter().find(|t| t.tool.name.as_str() == name).unwrap();
        let turn = Turn { started: &self.started, ..Turn::new(&self.host, &QUICK) };
        let (output, changes) = self.script.call(tool, &Args::new(), &turn).map_err(sentence)?;
        Ok((output.plain_text(), changes.iter().map(shown).collect()))
    }

    fn turn(&self) -> Turn<'_> {
        Turn { started: &self.started, ..Turn::new(&self.host, &QUICK) }
    }
}

/// `f` returns the expression, which may use `ctx`.
#[track_caller]
fn check(start_body: &str, expression: &str, expected: Expect) {
    let source = format!(
        "def start(deps, config):\n    {start_body}\ndef f(ctx):\n    return {expression}\ntool(f)"
    );
    let got = start(&source, json!({"greeting": "Hi", "n": 3}))
        .and_then(|life| life.call("f").map(|(text, _)| text));
    expected.assert_eq(&got.unwrap_or_else(|error| format!("error: {error}")));
}

#[test]
fn what_start_gets_and_gives_reaches_handlers() {
    check("return deps", "ctx.instance", expect![[r#"{"base":7,"absent":null}"#]]);
    check("return config", "ctx.instance", expect![[r#"{"greeting":"Hi","n":3}"#]]);
    check(
        "return config['greeting'] + '!'",
        "[ctx.instance, ctx.config['n'], ctx.deps['base']]",
        expect![[r#"["Hi!",3,7]"#]],
    );
    check("pass", "ctx.instance", expect!["null"]);
    check("return struct(twice = lambda x: x * 2)", "ctx.instance.twice(21)", expect!["42"]);
    check("pass", "ctx.caller['name']", expect!["local"]);
    check(
        "return [1]",
        "ctx.instance.append(2)",
        expect![
            "error: this value cannot change: what a module keeps, and what it is given, is frozen"
        ],
    );
    check(
        "config['greeting'] = 'Yo'",
        "1",
        expect![
            "error: this value cannot change: what a module keeps, and what it is given, is frozen"
        ],
    );
    check("fail('no api key')", "1", expect!["error: no api key"]);
    check(
        "error('config-error', 'missing api-key', missing = ['api-key'])",
        "1",
        expect![[r#"error: missing api-key [config-error {"missing":["api-key"]}]"#]],
    );
}

#[test]
fn without_a_start_there_is_still_a_configuration() {
    let life = start(
        "def f(ctx):\n    return [ctx.config['n'], ctx.deps, ctx.instance]\ntool(f)",
        json!({"n": 1}),
    )
    .unwrap();
    assert_eq!(life.call("f").unwrap().0, r#"[1,{"base":7,"absent":null},null]"#);
    let script =
        load("def f(ctx):\n    return [ctx.config, ctx.deps, ctx.instance]\ntool(f)").unwrap();
    assert_eq!(call_script(&script, "f", json!({}), &Notebook::default()).unwrap(), "[{},{},null]");
}

#[test]
fn stop_and_status_get_the_instance() {
    let life = start(
        "def start(deps, config):\n    return {'n': config['n']}\n\
         def stop(instance):\n    log.info('stopped', n = instance['n'])\n\
         def status(instance):\n    return {'status': 'degraded', 'n': instance['n']}",
        json!({"n": 3}),
    )
    .unwrap();
    assert_eq!(
        life.script.status(&life.turn()).unwrap(),
        Some(json!({"status": "degraded", "n": 3}))
    );
    life.script.stop(&life.turn()).unwrap();
    assert_eq!(*life.host.lines.lock().unwrap(), ["Info stopped {\"n\":3}"]);

    let silent = start("x = 1", json!({})).unwrap();
    assert_eq!(silent.script.status(&silent.turn()).unwrap(), None);
    assert!(!silent.script.has(Hook::Stop) && silent.script.stop(&silent.turn()).is_ok());

    let odd = start("def status(instance):\n    return 'fine'", json!({})).unwrap();
    assert_eq!(
        sentence(odd.script.status(&odd.turn()).unwrap_err()),
        r#"status() must return a dict with "status": "ok", "degraded" or "error", not "fine""#
    );
}

#[test]
fn a_hook_that_is_a_tool_is_no_hook() {
    let script = load("def start(timer: str):\n    return timer\ntool(start)").unwrap();
    assert!(!script.has(Hook::Start));
}

#[test]
fn a_hook_has_its_form() {
    let check = |source: &str, expected: Expect| {
        let script = load(source).unwrap();
        let got = script.check_hooks().map_err(|fault| fault.to_string());
        expected.assert_eq(&got.err().unwrap_or_default());
    };
    check("def start(deps, config, ctx):\n    pass\ndef stop(i, ctx):\n    pass", expect![""]);
    check(
        "def start():\n    pass",
        expect![[r"
        `start` takes 0 parameters; write `def start(deps, config):`
          ┌ a.star:1:1
        1 │ def start():
          │ ^^^^^^^^^
          = help: a last parameter may take ctx; a function that is no hook needs another name than `start`"]],
    );
    check(
        "x = 1\ndef status(a, b, c):\n    pass",
        expect![[r"
        `status` takes 3 parameters; write `def status(instance):`
          ┌ a.star:2:1
        2 │ def status(a, b, c):
          │ ^^^^^^^^^^
          = help: a last parameter may take ctx; a function that is no hook needs another name than `status`"]],
    );
}

#[test]
fn tools_come_and_go() {
    let source = "\
def hello(name: str) -> str:
    return 'hello ' + name
def start(deps, config, ctx):
    ctx.tools.add(hello)
    for n in ['a', 'b']:
        ctx.tools.add(lambda ctx: n, name = 'say_' + n, description = 'Says ' + n)
    return 5
def more(ctx):
    def made(x: int = 1) -> int:
        return x + ctx.instance
    ctx.tools.add(made)
    ctx.tools.remove('say_a')
def fails(ctx):
    ctx.tools.add(hello)
    fail('no')
def heavy(ctx):
    ctx.tools.add(hello)
    big = [x for x in range(500000)]
def wrong(ctx):
    ctx.tools.add(hello, nam = 'x')
tool(more)
tool(fails)
tool(heavy)
tool(wrong)
";
    let life = start(source, json!({})).unwrap();
    assert_eq!(life.tools, ["+ hello(name: str) -> str", "+ say_a()", "+ say_b()"]);
    let (_, changes) = life.call("more").unwrap();
    assert_eq!(changes, ["+ made(x: int = 1) -> int", "- say_a"]);
    assert_eq!(life.call("fails"), Err("no".into()));
    assert_eq!(life.call("heavy"), Err("a call that adds or removes tools may use 4 MiB".into()));
    assert_eq!(
        life.call("wrong"),
        Err("ctx.tools.add() has no `nam`; did you mean `name`?".into())
    );
}

#[test]
fn state_is_kept() {
    let source = "\
def f(ctx):
    s = ctx.state
    seen = [s.get('n'), s.get('n', 0)]
    s.set('n', {'big': 12345678901234567890})
    seen.append(s.get('n'))
    seen.append(s.update('count', lambda old: old + 1, default = 41))
    s.set('nested', [1, None, 1.5])
    seen.append(s.list())
    seen.append(s.list('n'))
    seen.append([s.delete('n'), s.delete('n')])
    return seen
tool(f)
";
    let life = start(source, json!({})).unwrap();
    assert_eq!(
        life.call("f").unwrap().0,
        r#"[null,0,{"big":12345678901234567890},42,["count","n","nested"],["n","nested"],[true,false]]"#
    );
}

#[test]
fn other_tools_can_be_called() {
    check("pass", "ctx.call('other.echo', {'a': [1, 'x']})", expect![[r#"{"a":[1,"x"]}"#]]);
    check("pass", "ctx.call('other.echo')", expect!["{}"]);
    check("pass", "ctx.call('other.fails', {})", expect!["error: other.fails: it failed"]);
    check(
        "pass",
        "attempt(ctx.call, 'nowhere.x', {}).error.message",
        expect!["there is no tool `nowhere.x`"],
    );
}
