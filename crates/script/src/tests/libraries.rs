//! What the libraries do at their edges, and what they refuse; the plain cases are the examples in
//! their documentation.

use super::*;

#[track_caller]
fn check(expression: &str, expected: &str) {
    let got = eval(&format!("repr({expression})"), json!(null));
    let got = got.unwrap_or_else(|error| format!("error: {error}"));
    assert_eq!(got, expected, "{expression}");
}

/// Ends well before a call would, with a sentence.
#[track_caller]
fn stopped(expression: &str, expected: &str) {
    let started = std::time::Instant::now();
    let got = eval(expression, json!(null)).unwrap_err();
    assert!(got.contains(expected), "{expression}: {got}");
    assert!(started.elapsed() < Duration::from_secs(15), "{expression}: {:?}", started.elapsed());
}

/// Goes on for as long as it may, and ends soon after.
#[track_caller]
fn ended(expression: &str) {
    let script = load(&format!("def f():\n    return {expression}\ntool(f)")).unwrap();
    let limits = Limits { time: Duration::from_secs(1), ..quick() };
    let host = Notebook::default();
    let started = std::time::Instant::now();
    let result = script.call(&script.tools[0], &Args::new(), &Turn::new(&host, &limits));
    let stop = match result {
        Err(CallFailure::Stopped { stop, .. }) => stop,
        other => panic!("{expression}: {:?}", other.map(|(output, _)| output)),
    };
    assert_eq!(stop, model::Stop::Deadline, "{expression}");
    assert!(started.elapsed() < Duration::from_secs(15), "{expression}: {:?}", started.elapsed());
}

#[test]
fn math() {
    check("math.floor(1e20)", "100000000000000000000");
    check("math.ceil(-0.5)", "0");
    check("math.floor(12345678901234567890123)", "12345678901234567890123");
    check("math.ceil(float('inf'))", "error: math.ceil(inf) has no value");
    check("math.floor(float('nan'))", "error: math.floor(nan) has no value");
    check("math.abs(-12345678901234567890) == 12345678901234567890.0", "True");
    check("math.sqrt(1 << 100) == 1 << 50", "True");
    check("math.sqrt(1 << 2000)", "error: an integer of 2001 bits is too large for a float");
    check("math.sqrt('4')", "error: math works on numbers, not on a string");
    check("math.abs(True)", "error: math works on numbers, not on a bool");
    check("math.pow(10, 400)", "error: math.pow(10.0, 400.0) is too large for a float");
    check("math.pow(float('inf'), 2) == float('inf')", "True");
    check("math.round(-2.5)", "-3.0");
    check("math.round(2.5, 400)", "2.5");
    check("math.round(2.5, -400)", "0.0");
    check("math.round(1e308, 10)", "1e+308");
    check("math.round(2.5, -2147483647 - 1)", "0.0");
    check("math.round(float('inf'), -1) == float('inf')", "True");
    check("math.log(100, 10)", "2.0");
    check("math.log(8, 1)", "error: math.log needs a base above 0 that is not 1, not 1.0");
    check("math.sqrt(x = 9)", "3.0");
    check("[math.floor(math.pi * 1000), math.floor(math.e * 1000)]", "[3141, 2718]");
}

#[test]
fn regular_expressions() {
    check("re.match('b', 'ab')", "None");
    check(
        "re.search('(?P<a>x)?b', 'äb')",
        r#"{"text": "b", "groups": [None], "named": {"a": None}, "start": 1, "end": 2}"#,
    );
    check("re.match('(?x) a # letter', 'a')['end']", "1");
    check("re.find_all('', 'äb')", r#"["", "", ""]"#);
    check("re.find_all('(a)|b', 'ab')", r#"["a", None]"#);
    check("re.replace('', 'ab', '-')", r#""-a-b-""#);
    check("re.replace('a', 'aa', '$$1')", r#""$1$1""#);
    check("re.replace('(?P<n>a)', 'a', '${n}$n$0')", r#""aaa""#);
    check("re.split('', 'ab')", r#"["", "a", "b", ""]"#);
    check(
        "re.search(r'(a)\\1', 'aa')",
        r#"error: re: in the pattern "(a)\1": backreferences are not supported"#,
    );
    check(
        "re.search('a(?=b)', 'ab')",
        r#"error: re: in the pattern "a(?=b)": look-around, including look-ahead and look-behind, is not supported"#,
    );
}

#[test]
fn replacements_refer_to_groups_that_exist() {
    let none = "error: re.replace: the pattern has no group";
    for (call, expected) in [
        (
            "'(a)', 'xax', '$1b'",
            format!(
                "{none} `1b`: it has $1, and `$0` is the whole match; write `${{1}}b` for group 1 followed by `b`"
            ),
        ),
        ("'(a)', 'xax', '${1}b'", "\"xabx\"".into()),
        (
            "'a', 'xax', '$x'",
            format!(
                "{none} `x`: it has none, and `$0` is the whole match; a dollar sign itself is `$$`: `$$x`"
            ),
        ),
        (
            "'(a)(?P<n>b)?', 'a', '$9'",
            format!(
                "{none} `9`: it has $1, $2, ${{n}}, and `$0` is the whole match; a dollar sign itself is `$$`: `$$9`"
            ),
        ),
        (
            "'(?P<n>a)', 'a', '${m}'",
            format!("{none} `m`: it has $1, ${{n}}, and `$0` is the whole match"),
        ),
        (
            "'a', 'none of these', '$1'",
            format!(
                "{none} `1`: it has none, and `$0` is the whole match; a dollar sign itself is `$$`: `$$1`"
            ),
        ),
        ("'(a)(b)?', 'a', '<$2>'", "\"<>\"".into()),
        ("'a', 'a', '$$1 $ 5 $'", "\"$1 $ 5 $\"".into()),
        ("'a', 'a', '${1'", "\"${1\"".into()),
        (
            "'(a)', 'a', r'\\1'",
            "error: re.replace: `\\1` is text here; write `${1}` for what the group took".into(),
        ),
        (
            "'(?P<n>a)', 'a', r'\\g<n>'",
            "error: re.replace: `\\g<n>` is text here; write `${n}` for what the group took".into(),
        ),
        ("'a', 'a', r'C:\\1'", "\"C:\\\\1\"".into()),
        ("'(a)', 'a', r'\\\\1'", "\"\\\\\\\\1\"".into()),
        ("'(a)', 'a', r'\\n\\0\\x'", "\"\\\\n\\\\0\\\\x\"".into()),
    ] {
        check(&format!("re.replace({call})"), &expected);
    }
}

#[test]
fn zones_by_name_are_refused() {
    const NO_ZONES: &str = "zones are not known by name; give the offset, as in `2026-07-28T12:00:00+02:00` or with `%z`";
    for (text, format, expected) in [
        ("2026-07-28T12:00:00[Europe/Paris]", None, NO_ZONES),
        ("2026-07-28[Europe/Paris]", None, NO_ZONES),
        ("2026-07-28T12:00[u-ca=hebrew]", None, NO_ZONES),
        ("2026-07-28T12:00:00+02:00[Europe/Paris]", None, "1785232800"),
        ("2026-07-28T12:00:00Z[Europe/Paris]", None, "1785240000"),
        ("2026-07-28 12:00 Europe/Paris", Some("%Y-%m-%d %H:%M %Q"), NO_ZONES),
        ("2026-07-28 12:00 +0200", Some("%Y-%m-%d %H:%M %Q"), "1785232800"),
        ("2026-07-28 12:00 Europe/Paris +0200", Some("%Y-%m-%d %H:%M %Q %z"), "1785232800"),
        ("2026-07-28 CEST", Some("%Y-%m-%d %Z"), "%Z"),
        ("2026-07-28", Some("%x"), "%x"),
        ("2026-07-28 :30", Some("%Y-%m-%d :%M"), "hour"),
        ("2026-07-28 and more", Some("%Y-%m-%d"), "and more"),
        ("2026-07-28T12:00:00Z and more", None, "and more"),
        ("Mon 2026-07-28", Some("%a %Y-%m-%d"), "weekday"),
        ("12:00", Some("%H:%M"), "year"),
        ("28.07.2026", Some("%d.%m.%Y"), "1785196800"),
        ("2026-07-28 12:00:00.25", Some("%Y-%m-%d %H:%M:%S.%f"), "1785240000.25"),
        ("1969-12-31T23:59:59.75Z", None, "-0.25"),
        ("2026-07-28T12:00:00.123456789Z", None, "1785240000.1234567"),
    ] {
        let format = format.map_or("None".to_owned(), |format| format!("'{format}'"));
        let expression = format!("str(time.parse('{text}', {format}))");
        let got = eval(&expression, json!(1)).unwrap_or_else(|error| error);
        assert!(got.contains(expected), "{expression}: {got}");
    }
}

#[test]
fn times_are_formatted_as_in_python() {
    for (call, expected) in [
        ("0, '%c'", "\"Thu Jan  1 00:00:00 1970\""),
        ("0, '%x %X'", "\"01/01/70 00:00:00\""),
        ("0, '%f'", "\"000000\""),
        ("0.25, '%S.%f %%f %3f %Z %z'", "\"00.250000 %f 250 UTC +0000\""),
    ] {
        check(&format!("time.format({call})"), expected);
    }
}

#[test]
fn regular_expressions_take_no_more_than_their_time() {
    // Backtracking engines never come back from this one.
    check("re.match('(a+)+$', 'a' * 5000 + '!')", "None");
    stopped("re.search('(?:a{1000}){1000}', 'a')", "is too large once");
    stopped("re.search('(' * 3000 + ')' * 3000, 'a')", "re: in the pattern");
    stopped("re.search('a' * 20000, 'a')", "a pattern of 20000 bytes");
    stopped("re.search('a', 'a' * 9000000)", "a text of 9000000 bytes");
    stopped("re.replace('a+', 'a' * 1000000, '$0' * 1000000)", "a text of");
    stopped("re.replace('', 'a' * 1000000, 'b' * 1000)", "a text of");
    stopped("re.search('(?:[ab]?){3000}[cd]', 'ab' * 100000)", "it may for 671");
    stopped("re.search('(a)' * 60, 'a')", "a pattern with 60 groups");
    // Each match looks through the whole rest: a square, which only the deadline ends.
    ended("re.find_all('.*[^A-Z]|[A-Z]', 'A' * 4000000)");
}

#[test]
fn urls() {
    check(
        "url.parse('postgres://u:p%20w@db:5432/x')",
        r#"{"scheme": "postgres", "username": "u", "password": "p%20w", "host": "db", "port": 5432, "path": "/x", "query": {}, "fragment": None}"#,
    );
    check("url.parse('mailto:ada@example.org')['host']", "None");
    check("url.parse('https://[::1]:8443/')['host']", r#""[::1]""#);
    check("url.parse('http://127.1/')['host']", r#""127.0.0.1""#);
    check(
        "url.parse('http:// /')",
        r#"error: url.parse: "http:// /" is not a URL: invalid international domain name"#,
    );
    check("url.join('https://a.org/b?q=1#f', '?q=2')", r#""https://a.org/b?q=2""#);
    check(
        "url.join('b', 'c')",
        r#"error: url.join: "b" has no scheme; write https://… or join it to one with url.join"#,
    );
    check("url.encode('-._~aZ9+&=%')", r#""-._~aZ9%2B%26%3D%25""#);
    check("url.decode('%zz%4')", r#""%zz%4""#);
    check("url.query({})", r#""""#);
    check("url.query({1: 1234567.5, 'a&b': ['=', None]})", r#""1=1234567.5&a%26b=%3D""#);
    stopped("url.parse('https://a/' + 'a' * 2000000)", "an address may have");
    stopped("url.query({'a': ['b' * 1000000] * 100})", "a query of");
}

#[test]
fn base64_and_hex() {
    check("base64.encode('')", r#""""#);
    check("base64.encode('a')", r#""YQ==""#);
    check("base64.encode('a', url_safe = True)", r#""YQ""#);
    check("base64.decode('YQ')", r#""a""#);
    check("base64.decode('YQ==', url_safe = True)", r#""a""#);
    check("base64.decode('Y!==')", "error: base64.decode: invalid symbol 33, offset 1.");
    check("hex.decode('')", r#""""#);
    check("hex.decode('abc')", "error: hex.decode: 3 digits, and a byte has two");
    check("hex.decode('aé')", "error: hex.decode: 3 digits, and a byte has two");
    stopped("hex.encode('a' * 40000000)", "hex of 80000000 bytes");
    stopped("base64.encode('a' * 60000000)", "base64 of 80000000 bytes");
}

/// The host's bytes count up from 0, and its clock stands at 0.
#[test]
fn chance() {
    check("uuid.v4()", r#""00010203-0405-4607-8809-0a0b0c0d0e0f""#);
    check("uuid.v7()", r#""019fa898-99e7-7001-8203-040506070809""#);
    check("random.bytes(4)", r#""00010203""#);
    check("random.bytes(0)", r#""""#);
    check("random.bytes(65537)", "error: random.bytes gives 0 to 65536 bytes, not 65537");
    check("random.int(7, 7)", "7");
    check("-10 <= random.int(-10, 10) and random.int(-10, 10) <= 10", "True");
    check("random.int(-9223372036854775807 - 1, 9223372036854775807) != 0", "True");
    check("random.int(2, 1)", "error: random.int(2, 1): the first must not be above the second");
    check("random.choice((5,))", "5");
    check("random.choice(range(3)) < 3", "True");
    check("random.choice([])", "error: random.choice of nothing: give it an element");
}

#[test]
fn csv() {
    check("csv.decode('')", "[]");
    check("csv.decode('a,b')", "[]");
    check("csv.decode('\u{feff}a\\n1\\n')", r#"[{"a": "1"}]"#);
    check("csv.decode('a\\r\\n\"x\\ny\"\\r\\n')", r#"[{"a": "x\ny"}]"#);
    check(
        "csv.decode('a,a\\n1,2')",
        r#"error: csv.decode: two columns are called "a"; read them with header = False"#,
    );
    check(
        "csv.decode('a', delimiter = ';;')",
        r#"error: csv: a delimiter is one character such as "," or "\t", not ";;""#,
    );
    check("csv.encode([])", r#""""#);
    check("csv.encode([{'a': 1}], header = False)", r#""1\n""#);
    check("csv.encode([(1, [2, {'b': 3}]), ['']])", r#""1,\"[2,{\"\"b\"\":3}]\"\n\"\"\n""#);
    check(
        "csv.encode([{'a': 1}, [2]])",
        "error: csv.encode: rows are all dicts or all lists; here is a list among them",
    );
    check("csv.encode([{1: 1}])", "error: csv.encode: a column's name must be a string, not a int");
    check("csv.decode(csv.encode([{'a': 'x\"y', 'b': ' '}]))", r#"[{"a": "x\"y", "b": " "}]"#);
    stopped("csv.decode(',' * 30000000, header = False)", "CSV of");
    stopped("csv.encode([['a' * 1000000] * 10] * 10)", "CSV of");
    stopped("csv.encode([{str(i): 1} for i in range(10000)])", "CSV of");
}

#[test]
fn yaml() {
    check("yaml.decode('')", "None");
    check(
        "yaml.decode('- 007\\n- 0x1F\\n- 0o17\\n- +12\\n- 1e3\\n- .5\\n- 1_000\\n-')",
        r#"[7, 31, 15, 12, 1000.0, 0.5, "1_000", None]"#,
    );
    check(
        "yaml.decode('[1.2.3, 2024-05-01, \"1\", !!str 1, !mine 3, 12345678901234567890]')",
        r#"["1.2.3", "2024-05-01", "1", "1", 3, 12345678901234567890]"#,
    );
    check("yaml.decode('1: a\\ntrue: b\\n~: c')", r#"{"1": "a", "true": "b", "null": "c"}"#);
    check(
        "yaml.decode('a: |\\n  x\\n  y\\nb: >\\n  x\\n  y\\n')",
        r#"{"a": "x\ny\n", "b": "x y\n"}"#,
    );
    check(
        "yaml.decode('a: 1\\n---\\nb: 2')",
        "error: yaml.decode: the text has 2 documents; yaml.decode_all gives a list of them",
    );
    check(
        "yaml.decode('? [a]\\n: b')",
        "error: yaml.decode: line 1: a key must be a text, not a list or a map",
    );
    check(
        "yaml.decode('a: &x [*x]')",
        "error: yaml.decode: line 1: an alias inside what it stands for",
    );
    check(
        "yaml.decode('a: *x')",
        "error: yaml.decode: line 1: while parsing node, found unknown anchor",
    );
    check(
        "yaml.decode('a: [1')",
        "error: yaml.decode: line 2: while parsing a flow sequence, expected ',' or ']'",
    );
    check(
        "yaml.decode('.inf')",
        "error: yaml.decode: line 1: .inf is no number that can be passed on",
    );
    check("yaml.decode('1e999')", "error: yaml.decode: line 1: 1e999 is too large for a number");
    check("yaml.decode('\"<<\": 1')", r#"{"<<": 1}"#);
    check("yaml.encode(None)", r#""null\n""#);
    check(
        "yaml.encode([[1, [2]], {'a': [{'b': 1, 'c': None}]}, [], {}])",
        r#""- - 1\n  - - 2\n- a:\n    - b: 1\n      c: null\n- []\n- {}\n""#,
    );
    for text in [
        "no",
        "~",
        "1",
        "a: b",
        "- a",
        "",
        " a",
        "a ",
        "#",
        "a\nb",
        "ü",
        "\u{85}\u{2028}",
        "x/y.z",
        "@a",
        "null",
        "<<",
    ] {
        let there = format!(
            "yaml.decode(yaml.encode({{{text:?}: [{text:?}]}})) == {{{text:?}: [{text:?}]}}"
        );
        let there = there.replace("\\u{85}\\u{2028}", "\\u0085\\u2028");
        check(&there, "True");
    }
}

#[test]
fn yaml_that_would_take_the_machine() {
    let lines = |line: fn(i32, i32) -> String| {
        let lines: Vec<String> = (1..30).map(|i| line(i, i - 1)).collect();
        lines.join("\\n")
    };
    let laughs = lines(|i, p| format!("a{i}: &a{i} [*a{p}, *a{p}]"));
    stopped(&format!("yaml.decode('a0: &a0 [x]\\n{laughs}')"), "with its aliases written out");
    let merges = lines(|i, p| format!("a{i}: &a{i} {{<<: [*a{p}, *a{p}], k{i}: 1}}"));
    stopped(&format!("yaml.decode('a0: &a0 {{x: 1}}\\n{merges}')"), "with its aliases written out");
    stopped("yaml.decode('[' * 1000000)", "recursion limit exceeded");
    stopped("yaml.decode('- ' * 1000000)", "nested deeper than 100");
    stopped("yaml.decode('{a: ' * 100000)", "recursion limit exceeded");
    stopped("yaml.decode('a' * 9000000)", "it reads 8388608");
    stopped("yaml.decode('1' * 5000)", "a number of 5000 digits");
    stopped("yaml.decode('- a\\n' * 2000000)", "values");
    stopped("[yaml.decode('&a ' * 100000), fail('done')]", "");
    stopped("[yaml.decode('? ' * 100000), fail('done')]", "");
    stopped("[yaml.decode('\"' + 'a\\n' * 1000000), fail('done')]", "");
}

#[test]
fn toml() {
    check("toml.decode('')", "{}");
    check("toml.decode('z = 1\\na = 2')", r#"{"z": 1, "a": 2}"#);
    check("toml.decode('a = 0x10\\nb = 1_000\\nc = 1e3')", r#"{"a": 16, "b": 1000, "c": 1000.0}"#);
    check("toml.decode('a = inf')", "error: toml.decode: line 1: a number must be finite");
    check("toml.decode('a = 1\\na = 2')", "error: toml.decode: line 2: duplicate key");
    check("toml.encode({'a': None, 'b': {'c': None}})", r#""[b]\n""#);
    check(
        "toml.encode({'a b': {'c.d': ['x', 1.0, True, {'e': 1}]}})",
        r#""[\"a b\"]\n\"c.d\" = [\"x\", 1.0, true, { e = 1 }]\n""#,
    );
    stopped("toml.decode('a = ' + '[' * 100000)", "toml.decode: line 1");
    stopped("toml.decode('#' * 9000000)", "it reads 8388608");
}

#[test]
fn texts() {
    check("text('a')", r#"content({"type":"text","text":"a"})"#);
    check("text(1)", "error: text() takes a string, not a int");
    check("text.table([])", r#""""#);
    check("text.table([['a', 'bb'], [1]])", r#""a  bb\n1\n""#);
    check(
        "text.table([{'a': 1.5, 'b': None}, {'a': 10, 'b': 'x\\ny'}, {'c': [1]}])",
        r#""  a  b    c\n---  ---  ---\n1.5\n 10  x y\n          [1]\n""#,
    );
    check("text.table([1])", "error: text.table: a row is a dict or a list, not a int");
    check("text.truncate('äöü', 2)", r#""\xe4\u2026""#);
    check("text.truncate('äöü', 3)", r#""\xe4\xf6\xfc""#);
    check("text.truncate('abcdef', 4, end = '...')", r#""a...""#);
    check(
        "text.truncate('abcdef', 2, end = '...')",
        "error: text.truncate: an end of 3 characters does not fit into 2",
    );
    check("text.truncate('a', 0)", "error: text.truncate: n must be at least 1, not 0");
    check("text.wrap('a bb  ccc\\n\\ndddddd 日本', 3)", r#""a\nbb\nccc\n\nddd\nddd\n日\n本""#);
    check("text.dedent('\\n\\ta\\n\\t  b\\n   \\n')", r#""\na\n  b\n\n""#);
    check("text.dedent(' a\\nb')", r#"" a\nb""#);
    check("text.template('{ a }{a}', a = [1])", r#""[1][1]""#);
    check("text.template('{s} {this}', s = 1, this = 2)", r#""1 2""#);
    check(
        "text.template('{}')",
        "error: text.template: `{}` is no place such as {name}; a brace itself is written twice",
    );
    check(
        "text.template('a } b')",
        "error: text.template: `} b` is no place such as {name}; a brace itself is written twice",
    );
    stopped("text.table([['a' * 1000000]] + [['b']] * 1000)", "a table of");
    stopped("text.template('{a}' * 1000, a = 'a' * 1000000)", "a text of");
}

#[track_caller]
fn markdown(html: &str, expected: &str) {
    assert_eq!(eval("text.html_to_markdown(x)", json!(html)), Ok(expected.to_owned()), "{html}");
}

#[test]
fn pages_become_markdown() {
    markdown("", "");
    markdown("a  b\n c", "a b c\n");
    markdown("<p>a<p>b<br>c<hr>d", "a\n\nb  \nc\n\n---\n\nd\n");
    markdown("<h2>A <em>b</em></h2><div>c</div>", "## A *b*\n\nc\n");
    markdown("<b> a </b>b <i></i><strong>c</strong>", "**a** b **c**\n");
    markdown(
        "<a href='x'></a><a>t</a> <a href='a b'>u</a> <a href='JavaScript:x()'>v</a>",
        "t [u](<a b>) v\n",
    );
    markdown("<img src=a.png alt='A b'><img>", "![A b](a.png)\n");
    markdown(
        "<ul><li>a<ul><li>b</ul><li><p>c</p></ul><ol start=9><li>d<li>e</ol>f",
        "- a\n  - b\n- c\n\n9. d\n10. e\n\nf\n",
    );
    markdown("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc\n");
    markdown("x <code>a  b</code> <code>`c`</code>", "x `a b` `` `c` ``\n");
    markdown(
        "<pre><code class='hl language-rust'>fn a() {\n\n    b\n}</code></pre>",
        "```rust\nfn a() {\n\n    b\n}\n```\n",
    );
    markdown("<li><pre>a\nb</pre>", "- ```\n  a\n  b\n  ```\n");
    markdown(
        "<table><tr><th>a<th>b|c<tr><td>1<td><p>2</p><p>3</p></table>d",
        "| a | b\\|c |\n| --- | --- |\n| 1 | 2 3 |\n\nd\n",
    );
    markdown(
        "<title>t</title><style>p{}</style><script>if (a<b) '</p>'</script>x<!-- c -->y<!doctype z>",
        "xy\n",
    );
    markdown(
        "&lt;b&gt; &amp;amp; &#228;&#xe4;&auml; &bogus; & &#0;",
        "\\<b> \\&amp; äää \\&bogus; & \u{fffd}\n",
    );
    markdown(
        "Informaci&oacute;n &iacute;ndice &alpha; &Lstrok; &ccaron; a&nbsp;b R&amp D &notin; <a href='/?a=1&copy=2'>l</a>",
        "Información índice α Ł č a b R& D ∉ [l](/?a=1&copy=2)\n",
    );
    markdown("1*2_3 a_b _c [d] # e", "1\\*2_3 a_b \\_c \\[d\\] # e\n");
    markdown("<p># a</p><p>- b</p>", "\\# a\n\n\\- b\n");
}

#[test]
fn links_that_run_scripts_lead_nowhere() {
    for href in [
        "javascript:x()",
        " JaVaScRiPt:x()",
        "java\nscript:x()",
        "java\tscript:x()",
        "\u{1}javascript:x()",
        "javascript&colon;x()",
        "java&NewLine;script:x()",
        "&#106;avascript:x()",
        "&#x6A;avascript&#58;x()",
        "vbscript:x",
        "data:text/html,x",
    ] {
        markdown(&format!("<a href=\"{href}\">a</a><img src=\"{href}\">"), "a\n");
    }
    // What is left of a name that nobody knows stays text for whoever reads the Markdown.
    markdown(
        "<a href='javascript&bogus;x'>a</a> <a href='/?a=1&b=2'>b</a>",
        "[a](javascript&amp;bogus;x) [b](/?a=1&b=2)\n",
    );
    markdown("&amp;lt;script&amp;gt; a&b; AT&T", "\\&lt;script\\&gt; a\\&b; AT&T\n");
}

#[test]
fn broken_pages_are_read_to_their_end() {
    markdown("a < b <3 <", "a \\< b \\<3 \\<\n");
    markdown("<b>a", "**a**\n");
    markdown("<a href='x'>a", "[a](x)\n");
    markdown("</p></b></table>a", "a\n");
    markdown("<p <b>a</p>", "a\n");
    markdown("a<!-- b", "a\n");
    markdown("a<script>b", "a\n");
    markdown("a<b href=\"x", "a\n");
    markdown("<table><td>a</table>", "| a |\n| --- |\n");
    markdown("<table><tr><td>a</div></table>", "| a |\n| --- |\n");
    markdown("<b><p>a</p></b>c", "**a**\n\nc\n");
}

#[test]
fn pages_that_would_take_the_machine() {
    for part in [
        "<div>",
        "<ul><li>",
        "<blockquote>",
        "<b>",
        "<a href=x>",
        "<table><tr><td>",
        "<",
        "</",
        "<a ",
        "<!--",
        "&",
        "<script>",
        "<pre>",
        "</p>",
        "<br>",
        "<p>",
    ] {
        let times = 1_000_000 / part.len();
        let page = format!("[text.html_to_markdown({part:?} * {times} + 'x'), fail('done')]");
        stopped(&page, "done");
    }
}

#[test]
fn fuzzy() {
    check("fuzzy.search('b', ['ab', 'cb', 'b', 'db'])", r#"["b", "ab", "cb", "db"]"#);
    check("fuzzy.search('', ['a', 'b'])", r#"["a", "b"]"#);
    check("fuzzy.search('a', [1, None, {'x': 1}, 'a'])", r#"["a"]"#);
    check("fuzzy.search('a', ['a', 'a', 'a'], limit = 2)", r#"["a", "a"]"#);
    check("fuzzy.search('a', ['a', 'ab'], None, None, 0)", r#"["a", "ab"]"#);
    check(
        "fuzzy.search('heal', [{'name': 'Potion', 'desc': 'Heals HP'}, {'name': 'x'}], keys = ['name', 'desc'])",
        r#"[{"name": "Potion", "desc": "Heals HP"}]"#,
    );
    check(
        "fuzzy.search('a', [], key = 'a', keys = ['b'])",
        "error: fuzzy: give either key or keys, not both",
    );
    check("fuzzy.search('AB', ['ab', 'AB'])", r#"["AB"]"#);
    stopped("fuzzy.search('a' * 300, ['a'])", "a query of 300 bytes");
    ended("fuzzy.search('ab' * 100, ['ab' * 1000000] * 3000)");
}
