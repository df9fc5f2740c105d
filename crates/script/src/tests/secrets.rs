//! A secret is handed over whole: text that can be sent holds neither it nor its name.

use super::*;

const REFUSED: &str = "the secret `token` cannot become text: a script has its name, not its value";

fn load_using(expression: &str) -> Script {
    let source = format!(
        "Point = record(a = typing.Any)\ndef f(ctx):\n    s = ctx.secret('token')\n    return {expression}\ntool(f)"
    );
    load(&source).unwrap()
}

#[test]
fn secrets_do_not_become_text() {
    for expression in [
        "'Bot %s' % s",
        "'%s' % (s,)",
        "'%r' % s",
        "'%s' % [s]",
        "'Bot {}'.format(s)",
        "'{a!r}'.format(a = s)",
        "f'Bot {s}'",
        "f'{s!r}'",
        "str(s)",
        "repr(s)",
        "debug(s)",
        "map(str, [s])",
        "str([s])",
        "str({'a': s})",
        "str((1, s))",
        "str(struct(a = s))",
        "str(Point(a = s))",
        "'Bot ' + s",
        "s + ''",
        "','.join(['a', s])",
        "text.template('Bot {s}', s = s)",
        "text.table([[s]])",
    ] {
        let script = load_using(expression);
        let got = call_script(&script, "f", json!({}), &Notebook::default());
        assert_eq!(got, Err(REFUSED.to_owned()), "{expression}");
    }
}

#[test]
fn appending_a_secret_is_refused() {
    for statement in ["x += s", "x %= s"] {
        let source = format!(
            "def f(ctx):\n    s = ctx.secret('token')\n    x = 'Bot %s'\n    {statement}\n    return x\ntool(f)"
        );
        let got = call_script(&load(&source).unwrap(), "f", json!({}), &Notebook::default());
        assert_eq!(got, Err(REFUSED.to_owned()), "{statement}");
    }
}

#[test]
fn a_misplaced_secret_comes_with_what_to_write() {
    for (expression, message) in [
        ("'Bot %s' % s", REFUSED),
        ("json.encode([s])", "a secret cannot be written as JSON"),
        ("csv.encode([[s]])", "a secret cannot be written as JSON"),
        ("s", "a secret cannot be written as JSON"),
        (
            "http.get('https://a.test/', params = {'key': s})",
            "`key` in `params` is text or a number, not a secret",
        ),
        (
            "base64.encode(s)",
            "Type of parameter `s` doesn't match, expected `str`, actual `secret (repr: <secret token>)`",
        ),
    ] {
        let script = load_using(expression);
        let host = Notebook::default();
        let result = script.call(&script.tools[0], &Args::new(), &Turn::new(&host, &QUICK));
        let Err(CallFailure::Failed { fault, .. }) = result else {
            panic!("{expression}: {:?}", result.map(|(output, _)| output));
        };
        assert_eq!(fault.message, message, "{expression}");
        let help = fault.help.unwrap_or_default();
        for way in ["auth = secret", "headers = {\"Authorization\": secret}", "`Bot ` included"] {
            assert!(help.contains(way), "{expression}: {help}");
        }
    }
}

/// The way that the help names.
#[test]
fn a_whole_header_can_be_a_secret() {
    let host = Notebook {
        web: Some(Box::new(|request| {
            let sent = format!("{:?} {:?}", request.headers, request.credentials);
            Ok(http::response(200, &[], sent.as_bytes()))
        })),
        ..Notebook::default()
    };
    let script = load_using("http.get('https://a.test/', headers = {'Authorization': s})['body']");
    assert_eq!(
        call_script(&script, "f", json!({}), &host).unwrap(),
        r#"[] [Header { header: "Authorization", secret: "token" }]"#
    );
}

#[test]
fn lines_for_people_name_the_secret() {
    let script = load("def f(ctx):\n    s = ctx.secret('token')\n    print('uses', s, [s])\n    log.info({'a': s}, b = s)\n    fail('cannot use', s)\ntool(f)").unwrap();
    let host = Notebook::default();
    let got = call_script(&script, "f", json!({}), &host);
    assert_eq!(got, Err("cannot use <secret token>".to_owned()));
    assert_eq!(
        *host.lines.lock().unwrap(),
        [
            "Info uses <secret token> [<secret token>] null",
            "Info {\"a\": <secret token>} {\"b\":\"<a secret cannot be written as JSON>\"}",
        ]
    );
}
