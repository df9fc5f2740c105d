//! How tests are run: one after the other or some at once, to the end or to the first failure.

use super::*;
use std::process::Stdio;

/// Three files: the second fails in the middle.
fn three() -> TempDir {
    folder(&[
        ("a_test.star", "def test_1():\n    pass\ndef test_2():\n    pass"),
        (
            "b_test.star",
            "def test_3():\n    pass\ndef test_4():\n    fail('four')\ndef test_5():\n    pass",
        ),
        ("c_test.star", "def test_6(:\n"),
        ("d_test.star", "def test_7():\n    pass"),
    ])
}

#[test]
fn at_once_or_not_it_is_told_in_order() {
    let dir = three();
    let told_by = |jobs| {
        let mut options = Options::new(vec![Folder::new(dir.path())]);
        options.jobs = jobs;
        told(&options)
    };
    let (text, summary) = told_by(1);
    assert_eq!(summary.to_string(), "Total: 7 | Passed: 5 | Failed: 2", "{text}");
    for jobs in [2, 3, 8, 100] {
        assert_eq!(told_by(jobs), (text.clone(), summary), "{jobs}");
    }
}

/// With two at once, each of these two waits for a file that the other one writes.
#[test]
fn tests_run_at_once() {
    let meet = "
def test_NAME():
    exec.run('touch', ['NAME'])
    for _ in range(200):
        if exec.run('test', ['-e', 'OTHER'])['success']:
            return
        exec.run('sleep', ['0.02'])
    fail('alone')
";
    let meets = |name: &str, other: &str| meet.replace("NAME", name).replace("OTHER", other);
    let module = "def describe_extension():\n    return Extension(name = 'm', version = '1', description = '', tools = [], allowed_exec = ['touch', 'test', 'sleep'])";
    let dir = folder(&[("m.star", module), ("m_test.star", &(meets("a", "b") + &meets("b", "a")))]);
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    options.jobs = 2;
    options.world = std::sync::Arc::new(Real);
    let (text, summary) = told(&options);
    assert_eq!(summary.passed, 2, "{text}");
}

#[test]
fn the_first_failure_can_be_the_last() {
    let dir = three();
    for jobs in [1, 4] {
        let mut options = Options::new(vec![Folder::new(dir.path())]);
        options.fail_fast = true;
        options.jobs = jobs;
        let (text, summary) = told(&options);
        expect![[r"
            a_test.star: 2 tests
              ✓ test_1
              ✓ test_2
            b_test.star: 3 tests
              ✓ test_3
              ✗ test_4
                four
                  ┌ b_test.star:4:5
                4 │     fail('four')
                  │     ^^^^^^^^^^^^
        "]]
        .assert_eq(&text);
        assert_eq!(summary.to_string(), "Total: 4 | Passed: 3 | Failed: 1", "{jobs}");
    }
}

/// A command that nobody can interrupt holds the test's thread, and the run goes on.
#[test]
fn what_does_not_react_is_left_behind() {
    let module = "def describe_extension():\n    return Extension(name = 'm', version = '1', description = '', tools = [], allowed_exec = ['sleep'])";
    let test = "def test_stuck():\n    exec.run('sleep', ['5'])\ndef test_next():\n    pass";
    let dir = folder(&[("m.star", module), ("m_test.star", test)]);
    let mut options = Options::new(vec![Folder::new(dir.path())]);
    options.limits.time = Duration::from_millis(100);
    options.world = std::sync::Arc::new(Real);
    let (text, _) = told(&options);
    expect![[r"
        m_test.star: 2 tests
          ✗ test_stuck
            did not end within 100 ms, and does not react
          ✓ test_next
    "]]
    .assert_eq(&text);
}

/// Commands, for real.
struct Real;

impl model::World for Real {
    fn now_ms(&self) -> i64 {
        0
    }

    fn random(&self, _: usize) -> Result<Vec<u8>, model::HostError> {
        unreachable!()
    }

    fn http(
        &self,
        _: &model::HttpRequest,
        _: &model::Egress,
        _: &model::Leash,
    ) -> Result<model::HttpResponse, model::HostError> {
        unreachable!()
    }

    fn exec(
        &self,
        request: &model::ExecRequest,
        surroundings: &model::Surroundings,
        _: &model::Leash,
    ) -> Result<model::ExecResult, model::HostError> {
        let status = std::process::Command::new(&request.command)
            .args(&request.args)
            .current_dir(&surroundings.cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        Ok(model::ExecResult {
            stdout: String::new(),
            stderr: String::new(),
            exit_code: status.code().unwrap_or(-1),
        })
    }

    fn sql(
        &self,
        _: &model::Source,
        _: &model::SqlRequest,
        _: &model::Leash,
    ) -> Result<model::SqlAnswer, model::HostError> {
        unreachable!()
    }

    fn env(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn secret(
        &self,
        _: &model::SecretName<'_>,
        _: &model::Leash,
    ) -> Result<model::Secret, model::HostError> {
        unreachable!()
    }

    fn has_secret(&self, _: &model::SecretName<'_>) -> Result<(), model::HostError> {
        unreachable!()
    }

    fn secret_stamp(
        &self,
        _: &model::SecretName<'_>,
    ) -> Result<Option<model::SecretStamp>, model::HostError> {
        unreachable!()
    }

    fn file_read(&self, _: &std::path::Path) -> Result<String, model::HostError> {
        unreachable!()
    }

    fn file_list(&self, _: &std::path::Path) -> Result<Vec<String>, model::HostError> {
        unreachable!()
    }

    fn file_exists(&self, _: &std::path::Path) -> Result<bool, model::HostError> {
        unreachable!()
    }

    fn file_write(&self, _: &std::path::Path, _: &str) -> Result<(), model::HostError> {
        unreachable!()
    }

    fn real_path(&self, path: &std::path::Path) -> Result<std::path::PathBuf, model::HostError> {
        Ok(path.to_path_buf())
    }
}
