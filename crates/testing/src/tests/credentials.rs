//! Secrets on their way out, and permissions that follow the configuration.

use super::check;
use expect_test::expect;

const MANIFEST: &str = r#"
name = "shop"
version = "1.0.0"
description = "d"

[config]
base_url = { type = "string", default = "https://api.example.org/v1" }
commands = { type = "array", default = ["git"] }
databases = { type = "array", default = [] }

[permissions]
http = ["{config.base_url}"]
exec = ["{config.commands}"]
postgres = ["{config.databases}"]

[secrets]
token = { hosts = ["{config.base_url}"], exec = ["git"] }
url = { hosts = ["db.example.org:5432"] }
"#;

const SHOP: &str = r#"
def basic(ctx):
    return http.get(ctx.config["base_url"] + "/me", auth = ("ada", ctx.secret("token")))["status"]

def header(ctx, to: str = ""):
    return http.get(to or ctx.config["base_url"] + "/me", headers = {"x-site": ctx.secret("token"), "accept": "*/*"})["status"]

def child(ctx, command: str = "git"):
    return exec.run(command, ["pull"], env = {"TOKEN": ctx.secret("token"), "PLAIN": "1"})["stdout"]

def rows(ctx, connection: str = ""):
    return postgres.query(connection or ctx.secret("url"), "SELECT 1")

tool(basic)
tool(header)
tool(child)
tool(rows)
"#;

fn check_shop(test: &str, expected: &expect_test::Expect) {
    let files =
        [("shop/module.toml", MANIFEST), ("shop/main.star", SHOP), ("shop/main_test.star", test)];
    check(&files, expected);
}

#[test]
fn a_secret_goes_as_password_as_header_and_to_a_command() {
    check_shop(
        r#"
def test_basic(t):
    t.secret("token", "s3cret")
    t.http.on("GET", "https://api.example.org/v1/me")
    t.call("shop.basic")
    testing.eq(t.http.requests[0]["headers"]["authorization"], "Basic " + base64.encode("ada:s3cret"))

def test_header(t):
    t.secret("token", "s3cret")
    t.http.on("GET", "https://api.example.org/v1/me")
    t.call("shop.header")
    headers = t.http.requests[0]["headers"]
    testing.eq([headers["x-site"], headers["accept"]], ["s3cret", "*/*"])

def test_command(t):
    t.secret("token", "s3cret")
    t.exec.on("git", ["pull"], stdout = "done")
    testing.eq(t.call("shop.child").value, "done")

def test_other_command(t):
    t.config("commands", ["git", "curl"])
    t.secret("token", "s3cret")
    error = t.call("shop.child", {"command": "curl"}).error
    testing.contains(error, "the secret `token` is not for the command `curl`; add exec = [\"curl\"]")

def test_database(t):
    t.secret("url", "postgres://u:p@db.example.org/d")
    t.postgres.on("SELECT 1", rows = [{"one": 1}])
    testing.eq(t.call("shop.rows").value, [{"one": 1}])

def test_other_database(t):
    t.secret("url", "postgres://u:p@evil.example/d")
    error = t.call("shop.rows").error
    testing.contains(error, "the secret `url` is not for `evil.example:5432`")
    testing.is_false("u:p" in error, error)

def test_no_database(t):
    t.secret("url", "host=db.example.org password=p")
    error = t.call("shop.rows").error
    testing.contains(error, "the secret `url` is no connection string")
    testing.is_false("password=p" in error, error)
"#,
        &expect![[r"
            shop/main_test.star: 7 tests
              ✓ test_basic
              ✓ test_header
              ✓ test_command
              ✓ test_other_command
              ✓ test_database
              ✓ test_other_database
              ✓ test_no_database
            Total: 7 | Passed: 7 | Failed: 0
        "]],
    );
}

#[test]
fn permissions_follow_the_configuration() {
    check_shop(
        r#"
def test_elsewhere(t):
    t.config("base_url", "https://ghe.example.org/api")
    t.secret("token", "s3cret")
    t.http.on("GET", "https://ghe.example.org/api/me")
    t.call("shop.basic")
    error = t.call("shop.header", {"to": "https://api.example.org/v1/me"}).error
    testing.contains(error, "`api.example.org` is not among the hosts module `shop` may reach")

def test_named_database(t):
    t.config("databases", ["main"])
    t.postgres.on("SELECT 1", rows = [{"one": 1}])
    testing.eq(t.call("shop.rows", {"connection": "main"}).value, [{"one": 1}])
    testing.contains(t.call("shop.rows", {"connection": "other"}).error, "other")

def test_no_command(t):
    t.config("commands", [])
    t.secret("token", "s3cret")
    testing.contains(t.call("shop.child").error, "git")
"#,
        &expect![[r"
            shop/main_test.star: 3 tests
              ✓ test_elsewhere
              ✓ test_named_database
              ✓ test_no_command
            Total: 3 | Passed: 3 | Failed: 0
        "]],
    );
}

#[test]
fn a_configuration_that_leads_nowhere_is_told() {
    check_shop(
        r#"
def test_nonsense(t):
    t.config("base_url", "no url at all")
    t.call("shop.basic")
"#,
        &expect![[r"
            shop/main_test.star: 1 test
              ✗ test_nonsense
                `shop.basic` failed: module `shop` does not run: config `base_url`: `no url at all` is not a host
            Total: 1 | Passed: 0 | Failed: 1
        "]],
    );
}
