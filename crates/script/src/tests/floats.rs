//! Text made of floats reads back as the same number, whichever way it is made.

use super::*;
use crate::stdlib::show::write_float;

/// Floats of random bits, and as many of the sizes that people write, which random bits seldom have.
struct Floats(u64);

impl Floats {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

impl Iterator for Floats {
    type Item = f64;

    #[expect(clippy::cast_precision_loss, reason = "any float will do")]
    fn next(&mut self) -> Option<f64> {
        let kind = self.bits() % 4;
        let bits = self.bits();
        Some(match kind {
            0 => (bits >> 11) as f64 / 1000.0,
            1 => -((bits >> 20) as f64),
            _ => f64::from_bits(bits),
        })
    }
}

const HARD: [f64; 14] = [
    0.0,
    -0.0,
    1e6,
    1_234_567.89,
    7_999_999.92,
    9_999_999.9,
    99_999_999.0,
    999_999_999_999_999.0,
    1_763_319_600.5,
    1e16,
    1e-5,
    5e-324,
    f64::MIN,
    f64::MAX,
];

fn sample(count: usize) -> Vec<f64> {
    let finite = Floats(0x2026).filter(|float| float.is_finite());
    HARD.into_iter().chain(finite.take(count)).collect()
}

fn text(float: f64) -> String {
    let mut out = String::new();
    write_float(&mut out, float);
    out
}

#[test]
fn float_text_reads_back() {
    for float in sample(200_000) {
        let text = text(float);
        let back: f64 = text.parse().unwrap();
        assert_eq!(back.to_bits(), float.to_bits(), "{text}");
        let digits = |text: &str| {
            let digits = text.split('e').next().unwrap_or_default();
            let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
            digits.trim_matches('0').len()
        };
        assert_eq!(digits(&text), digits(&format!("{float:e}")), "{text} is the shortest");
    }
}

/// What a tool makes of many floats at once; each answer is a text.
#[track_caller]
fn texts(source: &str, floats: &[f64]) -> Vec<String> {
    let answer = call(source, "f", json!({"xs": floats})).unwrap();
    serde_json::from_str(&answer).unwrap()
}

#[track_caller]
fn check(source: &str, floats: &[f64], before: &str, after: &str) {
    let texts = texts(source, floats);
    for (float, got) in floats.iter().zip(texts) {
        assert_eq!(got, format!("{before}{}{after}", text(*float)), "{source}");
    }
}

#[test]
fn every_way_to_text_writes_floats_right() {
    let floats = sample(2_000);
    for (expression, before, after) in [
        ("str(x)", "", ""),
        ("repr(x)", "", ""),
        ("debug(x)", "float: ", ""),
        ("'%s' % x", "", ""),
        ("'<%s>' % (x,)", "<", ">"),
        ("'%r' % x", "", ""),
        ("'%g' % x", "", ""),
        ("'{}'.format(x)", "", ""),
        ("'{0!r}'.format(x)", "", ""),
        ("'{a}'.format(a = x)", "", ""),
        ("f'{x}'", "", ""),
        ("f'{x!r}'", "", ""),
        ("f'a {x}' + ''", "a ", ""),
        ("text.template('{x} EUR', x = x)", "", " EUR"),
        ("text.template('{x}', x = {'a': [x]})", "{\"a\": [", "]}"),
        ("','.join([str(x)])", "", ""),
        ("str([1, x])", "[1, ", "]"),
        ("'%s' % [x]", "[", "]"),
        ("str({'a': x})", "{\"a\": ", "}"),
        ("str({x: 1})", "{", ": 1}"),
        ("str((x,))", "(", ",)"),
        ("str((1, x))", "(1, ", ")"),
        ("str(struct(a = x))", "struct(a=", ")"),
        ("str(set([x]))", "set([", "])"),
        ("str(Point(a = x))", "record[Point](a=", ")"),
        ("str([{'a': (x,)}])", "[{\"a\": (", ",)}]"),
        ("write(x)", "", ""),
        ("map(str, [x])[0]", "", ""),
        ("map(repr, [x])[0]", "", ""),
        ("attempt(str, x).value", "", ""),
        ("attempt(fail, 'sum is', x).error.message", "sum is ", ""),
        ("filled(x)", "", " EUR"),
        ("added(x)", "a=", ""),
        ("[write(y) for y in [x]][0]", "", ""),
        ("partial('{}'.format)(x)", "", ""),
        ("(lambda f: f(x))(str)", "", ""),
        ("{'f': str}['f'](x)", "", ""),
        ("f\"{'<%s>' % x}\"", "<", ">"),
        ("f\"{'<{}>'.format(x)}\"", "<", ">"),
        ("(lambda s = 'a%s' % 1: s % ())() and '%s' % (lambda: x)()", "", ""),
        ("(lambda x, g = '{}'.format: g(x))(x)", "", ""),
        ("'%s' % x if '%s' % x else 0", "", ""),
        ("[s for s in ['%s' % x] if s == str(x)][0]", "", ""),
        ("{'%s' % x: 1}.keys()[0]", "", ""),
        ("('%s' % x)[:]", "", ""),
        ("str(*[x])", "", ""),
        ("'{}'.format(*[x])", "", ""),
        ("'{a}'.format(**{'a': x})", "", ""),
        ("sorted([x], key = str) and str(x)", "", ""),
    ] {
        let source = format!(
            "Point = record(a = float)\nwrite = str\nfill = '{{}} EUR'.format\n\
             def filled(x):\n    return fill(x)\n\
             def added(x):\n    s = 'a=%s'\n    s %= x\n    return s\n\
             def f(xs: list[float]):\n    return [{expression} for x in xs]\ntool(f)"
        );
        check(&source, &floats, before, after);
    }
}

#[test]
fn float_reads_its_own_text() {
    let source = "def f(xs: list[float]):\n    \
                  return [str(x) for x in xs if float(str(x)) != x or json.decode(str(x)) != x]\ntool(f)";
    assert_eq!(texts(source, &sample(2_000)), Vec::<String>::new());
}

#[test]
fn floats_of_a_module_are_written_right() {
    let source = "XS = [9999999.9]\nD = {'a': XS, 1e15: (5e-324,)}\nS = struct(a = D, b = set([1e6]))\n\
                  def f():\n    return [str(XS), '%s' % D, '{}'.format(S), f'{9999999.9} {1e6!r}']\ntool(f)";
    assert_eq!(
        call(source, "f", json!({})).unwrap(),
        r#"["[9999999.9]","{\"a\": [9999999.9], 1000000000000000.0: (5e-324,)}","struct(a={\"a\": [9999999.9], 1000000000000000.0: (5e-324,)}, b=set([1000000.0]))","9999999.9 1000000.0"]"#
    );
}

#[test]
fn log_lines_have_floats_that_read_back() {
    let source = "def f(x: float):\n    print('sum is', x, [x])\n    log.info(x)\n    log.info({'a': x}, b = x)\ntool(f)";
    let script = load(source).unwrap();
    let host = Notebook::default();
    call_script(&script, "f", json!({"x": 9_999_999.9}), &host).unwrap();
    assert_eq!(
        *host.lines.lock().unwrap(),
        [
            "Info sum is 9999999.9 [9999999.9] null",
            "Info 9999999.9 {}",
            "Info {\"a\": 9999999.9} {\"b\":9999999.9}"
        ]
    );
}

#[test]
fn encoders_write_floats_that_read_back() {
    let floats = sample(2_000);
    for (expression, before) in [
        ("json.encode(x)", ""),
        ("json.encode([x])[1:-1]", ""),
        ("json.encode_indent(x)", ""),
        ("json.encode({x: 1}).split('\"')[1]", ""),
        ("csv.encode([[x]]).strip()", ""),
        ("yaml.encode(x).strip()", ""),
        ("yaml.encode({'a': x}).strip()", "a: "),
        ("toml.encode({'a': x}).strip()", "a = "),
        ("text.table([[x]]).strip()", ""),
        ("url.decode(url.query({'a': x}))", "a="),
        ("exec.run('echo', args = [x])['stdout']", ""),
    ] {
        let source =
            format!("def f(xs: list[float]):\n    return [{expression} for x in xs]\ntool(f)");
        for (float, got) in floats.iter().zip(texts(&source, &floats)) {
            let number = got.strip_prefix(before).unwrap();
            let back: f64 = number.parse().unwrap_or_else(|_| panic!("{expression}: {got}"));
            assert_eq!(back.to_bits(), float.to_bits(), "{expression}: {got}");
        }
    }
    for round in [
        "json.decode(json.encode(x))",
        "yaml.decode(yaml.encode(x))",
        "toml.decode(toml.encode({'a': x}))['a']",
        "float(csv.decode(csv.encode([[x]]), header = False)[0][0])",
    ] {
        let source = format!(
            "def f(xs: list[float]):\n    return [str(x) for x in xs if {round} != x]\ntool(f)"
        );
        assert_eq!(texts(&source, &floats), Vec::<String>::new(), "{round}");
    }
}

/// Readers of YAML 1.1 take `1e16` for a text.
#[test]
fn yaml_floats_have_a_point_and_a_signed_exponent() {
    assert_eq!(
        eval("yaml.encode([1e16, 1.5e-7, 5e-324, 1.5, 12])", json!(1)).unwrap(),
        "- 1.0e+16\n- 1.5e-7\n- 5.0e-324\n- 1.5\n- 12\n"
    );
}

#[test]
fn percent_places_take_numbers_of_any_size() {
    for (expression, expected) in [
        ("'%d' % 1e10", "10000000000"),
        ("'%d' % 1e22", "10000000000000000000000"),
        ("'%d' % 2.9", "2"),
        ("'%d' % -2.9", "-2"),
        ("'%d' % -0.5", "0"),
        ("'%d' % (1 << 70)", "1180591620717411303424"),
        ("'%d %x %X %o' % (-255, -255, 255, 8)", "-255 -ff FF 10"),
        ("'%x' % (1 << 70)", "400000000000000000"),
        ("'%e' % 9999999.9", "1.000000e+07"),
        ("'%E' % 5e-324", "4.940656E-324"),
        ("'%f' % 9999999.9", "9999999.900000"),
        ("'%f' % 12", "12.000000"),
        ("'%g' % 1e16", "1e+16"),
        ("'%G' % 1e16", "1E+16"),
        ("'100%% %s' % 'x'", "100% x"),
        ("'%s%s' % ('a', [1])", "a[1]"),
        ("'%s' % ()", "!`%`: the text has more places than values; 0 given"),
        ("'%s %s' % 'a'", "!`%`: the text has more places than values; 1 given"),
        ("'a' % 'b'", "!`%`: the text has no place for 1 of 1 values"),
        ("'%s' % (1, 2)", "!`%`: the text has no place for 1 of 2 values"),
        (
            "'%.2f' % 1.0",
            "!`%.` is no place; there are %s %r %d %x %X %o %e %f %g, and %% for a percent sign",
        ),
        ("'100%' % 1", "!`%` at the end of the text; write `%%`"),
        ("'%d' % 'a'", "!`%d` needs a whole number, not a string"),
        ("'%d' % True", "!`%d` needs a whole number, not a bool"),
        ("'%d' % float('inf')", "!`%d` needs a whole number, not inf"),
        ("'%x' % 1.0", "!`%x` needs a whole number, not a float"),
        ("'%e' % 'a'", "!`%e` needs a number, not a string"),
        ("'%f' % (1 << 2000)", "!`%f`: the number is too large for a float"),
        ("str(7 % 4) + str(7.5 % 2)", "31.5"),
    ] {
        let got = eval(expression, json!(1)).unwrap_or_else(|error| format!("!{error}"));
        assert_eq!(got, expected, "{expression}");
    }
}

#[test]
fn format_places_are_filled_as_before() {
    for (expression, expected) in [
        ("'a{x}b{y}c{}'.format(1, x = 2, y = 3)", "a2b3c1"),
        ("'{1}{0}{{}}'.format('a', 'b')", "ba{}"),
        ("'{!r}'.format('a')", "\"a\""),
        ("'{}{}'.format(1)", "!format: the text has more places than values; 1 given"),
        ("'{}{0}'.format(1)", "!format: write either {} or {0} for all places, not both"),
        ("'{a}'.format(b = 1)", "!format: there is no value for {a}"),
        ("'{:.2f}'.format(1.0)", "!format: `:` in {:.2f}; a place is {}, {0} or {name}"),
        ("struct(format = lambda x: x + 1).format(1)", "2"),
    ] {
        let got = eval(expression, json!(1)).unwrap_or_else(|error| format!("!{error}"));
        assert_eq!(got, expected, "{expression}");
    }
}

/// The engine's own messages quote values, whose floats nobody can correct.
#[test]
fn messages_of_the_engine_have_no_wrong_floats() {
    for (expression, expected) in [
        ("{}[9999999.9]", "Key `<float>` was not found"),
        ("{}['9e+06']", "Key `\"9e+06\"` was not found"),
        (
            "'a'.count(9999999.9)",
            "Type of parameter `needle` doesn't match, expected `str`, actual `float (repr: <float>)`",
        ),
        ("','.join(['a', 9999999.9])", "join needs texts; here is a float: write str(x)"),
        (
            "'a'.startswith([9999999.9, 1.5])",
            "Type of parameter `prefix` doesn't match, expected `str | tuple[str, ...]`, actual `list (repr: [<float>, 1.5])`",
        ),
        ("math.sqrt(-9999999.9)", "math.sqrt needs a number of at least 0, not -9999999.9"),
        ("time.format([9999999.9])", "time.format: [9999999.9] is no number of seconds"),
    ] {
        assert_eq!(eval(expression, json!(1)).unwrap_err(), expected, "{expression}");
    }
}

#[test]
fn values_without_floats_are_written_as_the_engine_does() {
    for (expression, expected) in [
        ("str('a')", "a"),
        ("repr('a\"\\n\\t\\\\ü\\u200b')", "\"a\\\"\\n\\t\\\\\\xfc\\u200b\""),
        ("str([None, True, 1 << 70, -1, ''])", "[None, True, 1180591620717411303424, -1, \"\"]"),
        ("str(())", "()"),
        ("str((1,))", "(1,)"),
        ("str({})", "{}"),
        ("str(set())", "set([])"),
        ("str(struct())", "struct()"),
        ("str(range(3))", "range(3)"),
        ("str(str)", "str"),
        ("str(len)", "len"),
        ("str(Color('red'))", "Color(\"red\")"),
        ("str(Color)", "enum(\"red\", \"green\")"),
        ("str(f)", "a.star.f"),
        ("str(partial(len, [9999999.9]))", "partial(...)"),
        ("str(Point)", "record(...)"),
        ("str([Point(a = 1)])", "[record[Point](a=1)]"),
        ("str([].append)", "append"),
        ("str(list[int])", "list[int]"),
    ] {
        let source = format!(
            "Color = enum('red', 'green')\nPoint = record(a = field(int, 1))\n\
             def f(x):\n    return {expression}\ntool(f)"
        );
        let got = call(&source, "f", json!({"x": 1})).unwrap_or_else(|error| format!("!{error}"));
        assert_eq!(got, expected, "{expression}");
    }
}

#[test]
fn values_in_messages_are_short() {
    let got = eval("time.format(['ab' * 1000])", json!(1)).unwrap_err();
    assert!(got.starts_with("time.format: [\"abab"), "{got}");
    assert!(got.ends_with("…") || got.contains("… is no"), "{got}");
    assert!(got.len() < 300, "{got}");
}
