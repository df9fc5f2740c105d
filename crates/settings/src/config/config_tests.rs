//! Layers over layers, text by type, and everything that can be wrong at once.

use super::*;
use crate::{Manifest, Project};
use expect_test::{Expect, expect};
use model::{Fault, ModuleName};

const CRYPTO: &str = r#"
name = "crypto-tools"
version = "1.0.0"
description = "hashes"

[config]
algorithm = { type = "string", default = "sha256", enum = ["sha256", "sha512"] }
rounds = { type = "integer", required = true, minimum = 1 }
loud = { type = "boolean" }
ratio = { type = "number" }
salts = { type = "array", items = { type = "integer" } }
page-size = { type = ["integer", "string", "null"] }
mode = { enum = ["fast", 7, true, "fastest"] }
either = { anyOf = [{ type = "boolean" }, { type = "array", items = { type = "string" } }] }
free = {}

[config.server]
type = "object"
default = { host = "localhost", port = 80 }
properties = { host = { type = "string" }, port = { type = "integer" }, retry-after = { type = "number" } }
additionalProperties = false
"#;

fn crypto() -> (ModuleName, ConfigSchema) {
    let manifest =
        Manifest::parse("module.toml", CRYPTO, "0.1.0").unwrap_or_else(|f| panic!("{f}"));
    (manifest.name, manifest.config)
}

fn pairs(list: &[&str]) -> Vec<(String, String)> {
    let pairs = list.iter().map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
}

/// What the module named first in the file, or in its default, is told.
fn resolved(
    schema: &(ModuleName, ConfigSchema),
    file: &str,
    env: &[&str],
    set: &[&str],
) -> Result<Config, Fault> {
    let project = Project::parse("larkspur.toml", file).unwrap_or_else(|f| panic!("{f}"));
    let layers = Layers {
        file: project.modules.get(&schema.0),
        environment: &pairs(env),
        set: &pairs(set),
        played: &[],
    };
    resolve(&schema.0, &schema.1, &layers)
}

fn shown(result: Result<Config, Fault>) -> String {
    let line = |s: &Setting| format!("{} = {} ({})", s.key, s.value, s.origin);
    match result {
        Ok(config) => config.settings.iter().map(line).collect::<Vec<_>>().join("\n"),
        Err(fault) => fault.to_string(),
    }
}

#[track_caller]
fn check(file: &str, env: &[&str], set: &[&str], expected: &Expect) {
    expected.assert_eq(&shown(resolved(&crypto(), file, env, set)));
}

#[track_caller]
fn check_open(file: &str, env: &[&str], set: &[&str], expected: &Expect) {
    let module = ("hello".parse().unwrap(), ConfigSchema::open());
    expected.assert_eq(&shown(resolved(&module, file, env, set)));
}

#[test]
fn later_layers_win() {
    let file = "[module.crypto-tools.config]\nrounds = 1\nalgorithm = 'sha512'";
    let env = ["CRYPTO_TOOLS__ROUNDS=2"];
    let set = ["crypto-tools.rounds=3", "other.rounds=9"];
    check(
        "module.crypto-tools.config.rounds = 1",
        &[],
        &[],
        &expect![[r#"
            algorithm = "sha256" (default (module.toml:7))
            rounds = 1 (larkspur.toml:1)
            server = {"host":"localhost","port":80} (default (module.toml:19))"#]],
    );
    check(
        file,
        &[],
        &[],
        &expect![[r#"
            algorithm = "sha512" (larkspur.toml:3)
            rounds = 1 (larkspur.toml:2)
            server = {"host":"localhost","port":80} (default (module.toml:19))"#]],
    );
    check(
        file,
        &env,
        &[],
        &expect![[r#"
            algorithm = "sha512" (larkspur.toml:3)
            rounds = 2 (CRYPTO_TOOLS__ROUNDS)
            server = {"host":"localhost","port":80} (default (module.toml:19))"#]],
    );
    check(
        file,
        &env,
        &set,
        &expect![[r#"
            algorithm = "sha512" (larkspur.toml:3)
            rounds = 3 (--set)
            server = {"host":"localhost","port":80} (default (module.toml:19))"#]],
    );
}

#[test]
fn objects_merge_by_key() {
    let file = "[module.crypto-tools.config]\nrounds = 1\n[module.crypto-tools.config.server]\nhost = 'a.org'";
    check(
        file,
        &["CRYPTO_TOOLS__SERVER__PORT=81"],
        &["crypto-tools.server.retry-after=2"],
        &expect![[r#"
            algorithm = "sha256" (default (module.toml:7))
            rounds = 1 (larkspur.toml:2)
            server = {"host":"a.org","port":81,"retry-after":2} (--set)"#]],
    );
    check(
        file,
        &["CRYPTO_TOOLS__SERVER__RETRY_AFTER=5", "CRYPTO_TOOLS__SERVER={\"port\": 1}"],
        &[],
        &expect![[r#"
            algorithm = "sha256" (default (module.toml:7))
            rounds = 1 (larkspur.toml:2)
            server = {"host":"a.org","port":1,"retry-after":5} (CRYPTO_TOOLS__SERVER__RETRY_AFTER)"#]],
    );
    check(
        file,
        &["CRYPTO_TOOLS__SERVER=x"],
        &["crypto-tools.server.port=1"],
        &expect![[r#"
            algorithm = "sha256" (default (module.toml:7))
            rounds = 1 (larkspur.toml:2)
            server = {"port":1} (--set)"#]],
    );
}

#[test]
fn text_is_read_by_type() {
    let read = |text: &str, expected: &Expect| {
        let (key, _) = text.split_once('=').unwrap();
        let set = ["crypto-tools.rounds=1", &format!("crypto-tools.{text}")];
        let got = resolved(&crypto(), "", &[], &set).map(|c| c.to_json()[key].to_string());
        expected.assert_eq(&got.unwrap_or_else(|fault| fault.message));
    };
    read("algorithm=sha512", &expect![[r#""sha512""#]]);
    read("rounds=12345678901234567890", &expect!["12345678901234567890"]);
    read("rounds= 5 ", &expect!["5"]);
    read(
        "rounds=5.5",
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              rounds = 5.5 (--set): 5.5 is not of type "integer""#]],
    );
    read(
        "rounds=many",
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              rounds = "many" (--set): "many" is not of type "integer""#]],
    );
    read(
        "rounds=",
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              rounds = "" (--set): "" is not of type "integer""#]],
    );
    read("loud=yes", &expect!["true"]);
    read("loud=0", &expect!["false"]);
    read("loud=TRUE", &expect!["true"]);
    read(
        "loud=loud",
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              loud = "loud" (--set): "loud" is not of type "boolean""#]],
    );
    read("ratio=5", &expect!["5"]);
    read("ratio=1.50", &expect!["1.50"]);
    read("salts=1, 2,3", &expect!["[1,2,3]"]);
    read("salts=[1, 2]", &expect!["[1,2]"]);
    read("salts=", &expect!["[]"]);
    read(
        "salts=1,x",
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              salts[1] = "x" (--set): "x" is not of type "integer""#]],
    );
    read("page-size=5", &expect!["5"]);
    read("page-size=5 lines", &expect![[r#""5 lines""#]]);
    read("page-size=null", &expect!["null"]);
    read("mode=fast", &expect![[r#""fast""#]]);
    read("mode=7", &expect!["7"]);
    read(
        "mode=slow",
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              mode = "slow" (--set): "slow" is not one of "fast", 7, true or "fastest""#]],
    );
    read("either=false", &expect!["false"]);
    read("either=a,b", &expect![[r#"["a","b"]"#]]);
    read("free={\"a\": 1}", &expect![[r#"{"a":1}"#]]);
    read("free=hello", &expect![[r#""hello""#]]);
    read("server={\"port\": 5}", &expect![[r#"{"host":"localhost","port":5}"#]]);
}

#[test]
fn every_problem_is_listed() {
    check(
        "",
        &[],
        &[],
        &expect![[r"
            configuration of module `crypto-tools` is not right
              rounds: is required
              = help: set `rounds` in larkspur.toml under [module.crypto-tools.config], as CRYPTO_TOOLS__ROUNDS, or with --set crypto-tools.rounds=…"]],
    );
    check(
        "\n\n[module.crypto-tools.config]\nalgorithm = 5\nalgoritm = 'x'\nserver = { port = 'x' }\nsalts = [1, 'two']",
        &["CRYPTO_TOOLS__LOUD=maybe", "CRYPTO_TOOLS__NOTHING=1"],
        &["crypto-tools.zebra=1", "crypto-tools.ratio=x"],
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              algorithm = 5 (larkspur.toml:4): 5 is not of type "string"
              rounds: is required
              loud = "maybe" (CRYPTO_TOOLS__LOUD): "maybe" is not of type "boolean"
              ratio = "x" (--set): "x" is not of type "number"
              salts[1] = "two" (larkspur.toml:7): "two" is not of type "integer"
              server.port = "x" (larkspur.toml:6): "x" is not of type "integer"
              algoritm = "x" (larkspur.toml:5): is not a key; did you mean `algorithm`?
              zebra = 1 (--set): is not a key; there are algorithm, rounds, loud, ratio, salts, page-size, mode, either, free, server
              ┌ larkspur.toml:4:13
            4 │ algorithm = 5
              │             ^
              = help: set `rounds` in larkspur.toml under [module.crypto-tools.config], as CRYPTO_TOOLS__ROUNDS, or with --set crypto-tools.rounds=…"#]],
    );
    check(
        "module.crypto-tools.config = { rounds = 0 }",
        &[],
        &[],
        &expect![[r"
            configuration of module `crypto-tools` is not right
              rounds = 0 (larkspur.toml:1): 0 is less than the minimum of 1
              ┌ larkspur.toml:1:41
            1 │ module.crypto-tools.config = { rounds = 0 }
              │                                         ^"]],
    );
    check(
        "",
        &["CRYPTO_TOOLS__ROUNDS=0"],
        &[],
        &expect![[r"
            configuration of module `crypto-tools` is not right
              rounds = 0 (CRYPTO_TOOLS__ROUNDS): 0 is less than the minimum of 1
              = help: change or unset CRYPTO_TOOLS__ROUNDS"]],
    );
    check(
        "",
        &[],
        &["crypto-tools.rounds=0"],
        &expect![[r"
            configuration of module `crypto-tools` is not right
              rounds = 0 (--set): 0 is less than the minimum of 1
              = help: change --set crypto-tools.rounds=…"]],
    );
    check(
        "module.crypto-tools.config = { rounds = 0 }",
        &["CRYPTO_TOOLS__ROUNDS=-1"],
        &[],
        &expect![[r"
            configuration of module `crypto-tools` is not right
              rounds = -1 (CRYPTO_TOOLS__ROUNDS): -1 is less than the minimum of 1
              = help: change or unset CRYPTO_TOOLS__ROUNDS"]],
    );
    check(
        "module.crypto-tools.config = { rounds = 1, server.hots = 'x' }",
        &[],
        &[],
        &expect![[r#"
            configuration of module `crypto-tools` is not right
              server.hots = "x" (larkspur.toml:1): is not a key; did you mean `host`?
              ┌ larkspur.toml:1:51
            1 │ module.crypto-tools.config = { rounds = 1, server.hots = 'x' }
              │                                                   ^^^^"#]],
    );
}

#[test]
fn a_module_without_keys_takes_none() {
    let module = ("hello".parse().unwrap(), ConfigSchema::default());
    let got = shown(resolved(&module, "module.hello.config.a = 1", &[], &[]));
    expect![[r"
        configuration of module `hello` is not right
          a = 1 (larkspur.toml:1): is not a key; there are none
          ┌ larkspur.toml:1:21
        1 │ module.hello.config.a = 1
          │                     ^"]]
    .assert_eq(&got);
}

#[test]
fn a_module_without_manifest_takes_anything() {
    let file = "module.hello.config = { Big-Name = 'x', list = [1], deep = { a = 1 } }";
    check_open("", &[], &[], &expect![[""]]);
    check_open(
        file,
        &["HELLO__BIG_NAME=5", "HELLO__DEEP__B=true", "HELLO__NEW=hi", "HELLO____ODD=1"],
        &["hello.list=a,b"],
        &expect![[r#"
            Big-Name = 5 (HELLO__BIG_NAME)
            list = "a,b" (--set)
            deep = {"a":1,"b":true} (HELLO__DEEP__B)
            new = "hi" (HELLO__NEW)"#]],
    );
}

#[test]
fn the_schema_can_be_shown() {
    let text = "name = 'a'\nversion = '1.0.0'\ndescription = 'x'\n[config]\nb = { type = 'string', required = true }\na = { type = 'object', required = ['x'], default = { x = 1 } }";
    let schema = Manifest::parse("module.toml", text, "0.1.0").unwrap().config;
    expect![[r#"{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"object","required":["x"],"default":{"x":1}}},"required":["b"],"additionalProperties":false}"#]].assert_eq(&schema.to_json_schema().to_string());
    expect![[r#"{"type":"object"}"#]].assert_eq(&ConfigSchema::open().to_json_schema().to_string());
}

#[test]
fn variables_that_nearly_configure_are_noted() {
    let (crypto, schema) = crypto();
    let (hello, open): (ModuleName, _) = ("hello".parse().unwrap(), ConfigSchema::open());
    let (quiet, none): (ModuleName, _) = ("quiet".parse().unwrap(), ConfigSchema::default());
    let modules = [(&crypto, &schema), (&hello, &open), (&quiet, &none)];
    let notes = near_misses(
        &modules,
        &pairs(&[
            "CRYPTO_TOOLS__ROUNDS=1",
            "CRYPTO_TOOLS__SERVER__PORT=1",
            "CRYPTO_TOOLS__ROUND=1",
            "CRYPTO_TOOLS__ZEBRA=1",
            "CRYPTO_TOLS__ROUNDS=1",
            "CRYPTO_TOOL__SERVER__PORT=1",
            "hello__greeting=1",
            "HELLO__ANYTHING=1",
            "HELO__GREETING=1",
            "QUIET__X=1",
            "MANGOHUD__X=1",
            "_HELLO__X=1",
            "LARKSPUR_HELO__X=1",
            "PATH=1",
        ]),
    );
    expect![[r"
        CRYPTO_TOLS__ROUNDS is set, but there is no module `crypto-tols`; did you mean CRYPTO_TOOLS__ROUNDS?
        CRYPTO_TOOLS__ROUND is set, but module `crypto-tools` has no config key `round`; did you mean CRYPTO_TOOLS__ROUNDS?
        CRYPTO_TOOLS__ZEBRA is set, but module `crypto-tools` has no config key `zebra`; there are ALGORITHM, ROUNDS, LOUD, RATIO, SALTS, PAGE_SIZE, MODE, EITHER, FREE, SERVER
        CRYPTO_TOOL__SERVER__PORT is set, but there is no module `crypto-tool`; did you mean CRYPTO_TOOLS__SERVER__PORT?
        HELO__GREETING is set, but there is no module `helo`; did you mean HELLO__GREETING?
        QUIET__X is set, but module `quiet` has no config key `x`; it has none
        hello__greeting is set, but not in capitals; did you mean HELLO__GREETING?"]].assert_eq(&notes.join("\n"));
}

#[test]
fn an_object_says_who_said_each_part() {
    let parts = |env: &[&str]| {
        let file = "[module.crypto-tools.config]\nrounds = 1";
        let config = resolved(&crypto(), file, env, &[]).unwrap_or_else(|f| panic!("{f}"));
        let server = config.settings.into_iter().find(|s| s.key == "server");
        let parts = server.unwrap().parts.into_iter();
        parts.map(|(part, origin)| format!("{part}: {origin}")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(parts(&[]), "");
    assert_eq!(parts(&["CRYPTO_TOOLS__SERVER={\"host\": \"h\", \"port\": 1}"]), "");
    expect![[r"
        host: default (module.toml:19)
        port: CRYPTO_TOOLS__SERVER__PORT"]]
    .assert_eq(&parts(&["CRYPTO_TOOLS__SERVER__PORT=81"]));
}

#[test]
fn what_is_set_names_a_module_and_a_key() {
    let parse = |typed: &str, expected: Result<(&str, &str), &str>| {
        let got = parse_set(typed);
        let expected = expected.map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(got, expected.map_err(str::to_owned));
    };
    parse("a.b=c=d", Ok(("a.b", "c=d")));
    parse("a.b.c=", Ok(("a.b.c", "")));
    parse("a=b", Err("`a=b` sets nothing; write it as `--set module.key=value`"));
    parse("a.b", Err("`a.b` sets nothing; write it as `--set module.key=value`"));
    let (crypto, _) = crypto();
    let check = |set: &str, expected: &Expect| {
        let fault = check_set(&[&crypto], &pairs(&[set])).unwrap_err();
        expected.assert_eq(&fault.to_string());
    };
    check(
        "crypto-tool.rounds=1",
        &expect![[r"
            `--set crypto-tool.rounds`: there is no module `crypto-tool`
              = help: did you mean `crypto-tools`?"]],
    );
    check("zebra.rounds=1", &expect!["`--set zebra.rounds`: there is no module `zebra`"]);
    check(
        "rounds=1",
        &expect![[r"
            `--set rounds` names no key
              = help: write it as `--set module.key=value`"]],
    );
    assert_eq!(check_set(&[&crypto], &pairs(&["crypto-tools.x=1"])), Ok(()));
}
