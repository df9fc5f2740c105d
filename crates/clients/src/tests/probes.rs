//! Programs that answer, and those that do not.

use crate::{Launch, probe};
use std::path::Path;
use std::time::Duration;

fn ask(script: &str, patience: Duration) -> Result<(String, usize), String> {
    let launch = Launch {
        command: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        always_load: false,
    };
    let answer = probe(&launch, Path::new("/"), patience)?;
    Ok((format!("{} {}", answer.name, answer.version), answer.tools))
}

const ANSWERS: &str = r#"
read line
echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
echo '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"a","version":"2"}}}'
read line; read line
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{},{}]}}'
"#;

#[test]
fn a_server_tells_what_it_has() {
    assert_eq!(ask(ANSWERS, Duration::from_mins(1)), Ok(("a 2".into(), 2)));
}

#[test]
fn why_there_is_no_answer_is_told() {
    let check = |script: &str, patience: u64, expected: &str| {
        let said = ask(script, Duration::from_millis(patience)).unwrap_err();
        assert!(said.starts_with(expected), "{script}: {said}");
    };
    check("read line; echo oops >&2", 60_000, "it ended before it answered\n  oops");
    check("echo hello; read line", 60_000, "it said `hello`, which is no message");
    check("cat", 60_000, "it answered without a result");
    check(
        r#"echo '{"id":1,"error":{"message":"not today"}}'; read line"#,
        60_000,
        "it answered with an error: not today",
    );
    check("read line; read line", 1, "it did not answer in time");
    let gone = Launch { command: "/no/such".into(), args: Vec::new(), always_load: false };
    let said = probe(&gone, Path::new("/"), Duration::from_secs(1)).unwrap_err();
    assert!(said.starts_with("cannot start /no/such: "), "{said}");
}
