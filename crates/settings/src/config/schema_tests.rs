//! What is said about a `[config]` that is not a schema.

use crate::Manifest;
use expect_test::{Expect, expect};

#[track_caller]
fn check(lines: &str, expected: &Expect) {
    let text = format!("name = 'a'\nversion = '1.0.0'\ndescription = 'a'\n{lines}");
    let manifest = Manifest::parse("module.toml", &text, "0.1.0");
    let fault = manifest.expect_err("this is in order");
    expected.assert_eq(&fault.to_string());
}

#[test]
fn config_must_be_a_schema() {
    check(
        "config.size = 3",
        &expect![[r"
            `config.size` must be a table, got the integer 3
              ┌ module.toml:4:15
            4 │ config.size = 3
              │               ^"]],
    );
    check(
        "config.size = { type = 'int' }",
        &expect![[r"
            `int` is not a type
              ┌ module.toml:4:24
            4 │ config.size = { type = 'int' }
              │                        ^^^^^
              = help: did you mean `integer`?"]],
    );
    check(
        "config.size = { type = ['string', 'nul'] }",
        &expect![[r"
            `nul` is not a type
              ┌ module.toml:4:35
            4 │ config.size = { type = ['string', 'nul'] }
              │                                   ^^^^^
              = help: did you mean `null`?"]],
    );
    check(
        "config.size = { type = 'zebra' }",
        &expect![[r"
            `zebra` is not a type
              ┌ module.toml:4:24
            4 │ config.size = { type = 'zebra' }
              │                        ^^^^^^^
              = help: there are `string`, `integer`, `number`, `boolean`, `array`, `object`, `null`"]],
    );
    check(
        "config.size = { type = 'integer', minimum = 'x' }",
        &expect![[r#"
            the schema of `size` is not valid: "x" is not of type "number"
              ┌ module.toml:4:45
            4 │ config.size = { type = 'integer', minimum = 'x' }
              │                                             ^^^"#]],
    );
    check(
        "config.size = { type = 'integer', defualt = 3 }",
        &expect![[r"
            `defualt` is not a word of JSON Schema
              ┌ module.toml:4:35
            4 │ config.size = { type = 'integer', defualt = 3 }
              │                                   ^^^^^^^
              = help: did you mean `default`?"]],
    );
    check(
        "config.size = { type = 'integer', zebra = 3 }",
        &expect![[r"
            `zebra` is not a word of JSON Schema
              ┌ module.toml:4:35
            4 │ config.size = { type = 'integer', zebra = 3 }
              │                                   ^^^^^
              = help: what is your own begins with `x-`"]],
    );
    check(
        "config.size = { type = 'string', pattern = '(' }",
        &expect![[r#"
            the schema of `size` is not valid: "(" is not a "regex"
              ┌ module.toml:4:44
            4 │ config.size = { type = 'string', pattern = '(' }
              │                                            ^^^"#]],
    );
    check(
        "config.size = { '$ref' = 'http://x.org/y' }",
        &expect![[r"
            the schema of `size` is not valid: `$ref` leads nowhere; it can point only into the same key
              ┌ module.toml:4:15
            4 │ config.size = { '$ref' = 'http://x.org/y' }
              │               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"]],
    );
    check(
        "[config.point]\ntype = 'object'\n[config.point.properties]\nx = { type = 'float' }",
        &expect![[r"
            `float` is not a type
              ┌ module.toml:7:14
            7 │ x = { type = 'float' }
              │              ^^^^^^^
              = help: did you mean `number`?"]],
    );
}

#[test]
fn a_default_fits_its_own_schema() {
    check(
        "config.size = { type = 'integer', default = 'x' }",
        &expect![[r#"
            the default of `size` does not fit: "x" is not of type "integer"
              ┌ module.toml:4:45
            4 │ config.size = { type = 'integer', default = 'x' }
              │                                             ^^^"#]],
    );
    check(
        "config.tags = { items = { type = 'string' }, default = ['a', 3] }",
        &expect![[r#"
            the default of `tags` does not fit: 3 is not of type "string"
              ┌ module.toml:4:62
            4 │ config.tags = { items = { type = 'string' }, default = ['a', 3] }
              │                                                              ^"#]],
    );
}

#[test]
fn a_key_can_be_spelt_everywhere() {
    check(
        "config.'a.b' = { type = 'string' }",
        &expect![[r"
            config key `a.b` cannot be set
              ┌ module.toml:4:8
            4 │ config.'a.b' = { type = 'string' }
              │        ^^^^^
              = help: begin with a letter; use letters, digits, `-` and single `_`"]],
    );
    check(
        "config.a__b = { type = 'string' }",
        &expect![[r"
            config key `a__b` cannot be set
              ┌ module.toml:4:8
            4 │ config.a__b = { type = 'string' }
              │        ^^^^
              = help: begin with a letter; use letters, digits, `-` and single `_`"]],
    );
    check(
        "config.a_b = {}\nconfig.a-b = {}",
        &expect![[r"
            `a_b` and `a-b` are both A_B in the environment
              ┌ module.toml:5:8
            5 │ config.a-b = {}
              │        ^^^
              = help: rename one of them"]],
    );
}
