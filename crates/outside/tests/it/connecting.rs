//! Connection strings: where they lead, whom they trust, and that they are never repeated.

use crate::postgres::asked;
use cluster::{Cluster, PASSWORD, PASSWORD_IN_URL};
use serde_json::json;

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn connecting_is_as_the_string_says() {
    let cluster = Cluster::start();
    let secure = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let certificate = cluster.certificate();
    let certificate = certificate.to_str().unwrap();
    let verified = format!("sslmode=verify-full&sslrootcert={certificate}");
    let encoded = verified.replace('/', "%2f").replace(".crt", "%2Ecrt");
    let required = format!("sslrootcert={certificate}&sslmode=require");
    for (settings, encrypted) in [
        ("sslmode=disable", false),
        ("sslmode=prefer", true),
        ("sslmode=require", true),
        ("", true),
        ("channel_binding=require", true),
        (&verified, true),
        (&encoded, true),
        (&required, true),
    ] {
        let server = asked(&cluster.url(settings));
        assert_eq!(server.value(secure, json!([])), json!(encrypted), "{settings}");
    }
    let socket = asked(&cluster.socket());
    assert_eq!(socket.value(secure, json!([])), json!(false));
    // `verify-ca` asks who signed it, not for whom.
    let by_address =
        cluster.url(&verified.replace("-full", "-ca")).replace("localhost", "127.0.0.1");
    assert_eq!(asked(&by_address).value(secure, json!([])), json!(true));
    let pairs = format!(
        "host=localhost port={} user = tester\tpassword='{PASSWORD}' dbname=postgres \
         sslmode = 'verify-full' sslrootcert='{certificate}'",
        cluster.port
    );
    assert_eq!(asked(&pairs).value(secure, json!([])), json!(true));

    let port = cluster.port;
    let good = cluster.url("");
    let not_trusted = format!(
        "no connection to localhost:{port}: error performing TLS handshake: \
         invalid peer certificate: UnknownIssuer"
    );
    let other_host = cluster.url(&verified).replace("localhost", "127.0.0.1");
    let not_there = "postgres://tester@nobody.invalid/x";
    let unreadable = "the connection string cannot be read: ";
    for (url, expected) in [
        (
            good.replace("pa%40", "wrong%40"),
            format!("no connection to localhost:{port}: password authentication failed for user \"tester\""),
        ),
        (
            good.replace("/postgres?", "/none?"),
            format!("no connection to localhost:{port}: database \"none\" does not exist"),
        ),
        (
            "postgres://u:secret@127.0.0.1:1/x".into(),
            "no connection to 127.0.0.1:1: error connecting to server: Connection refused (os error 111)".into(),
        ),
        (cluster.url("sslmode=verify-full"), not_trusted),
        (
            "postgres://u:secret@localhost:x/".into(),
            format!("{unreadable}its `port` cannot be used here"),
        ),
        (
            cluster.url("sslcert=x"),
            format!("{unreadable}its `sslcert` cannot be used here"),
        ),
        (
            format!("host=localhost password={PASSWORD} secret=1"),
            format!(
                "{unreadable}write postgres://user:password@host:5432/database, \
                 with %40 for an @ in the password"
            ),
        ),
        (
            "user=u".into(),
            "the connection string names no host: \
             write postgres://user:password@host:5432/database".into(),
        ),
        (
            cluster.url("sslmode=verify-full&sslrootcert=/none.crt"),
            "sslrootcert cannot be read: I/O error: No such file or directory (os error 2)".into(),
        ),
    ] {
        let refused = asked(&url).query("SELECT 1", json!([]));
        assert_eq!(refused, Err(expected), "{url}");
    }
    for url in [not_there, &other_host] {
        let refused = asked(url).query("SELECT 1", json!([])).unwrap_err();
        assert!(refused.starts_with("no connection to "), "{refused}");
    }
}

/// Strings with a password in them that nobody can read, or that lead nowhere.
const WITH_PASSWORDS: &[&str] = &[
    "postgres://u:hunter2@localhost:1/x",
    "postgres://u:hunter2@nobody.invalid/x",
    "postgres://u:hunter2@localhost:x/x",
    "postgres://u:hunter2@localhost:99999/x",
    "postgres://u:hunter2",
    "postgres://u:hun@hunter2@localhost:1/x",
    "postgres://u:hun@hunter2@nobody.invalid/x",
    "postgres://u:hunter2%@localhost:1/x",
    "postgres://u:%68unter2%zz@localhost:1/x",
    "postgres://u:hunter2@localhost:1/x?sslmode=hunter2",
    "postgres://u@localhost:1/x?password=hunter2&nonsense=hunter2",
    "postgres://u@localhost:1/x?hunter2",
    "postgres://u:hunter2@localhost:1/x?sslmode=verify-full&sslrootcert=none",
    "postgres:/u:hunter2@localhost/x",
    "mysql://u:hunter2@localhost:1/x",
    "host=localhost port=1 password=hunter2",
    "host=localhost port=1 password=hun hunter2",
    "host=localhost port=1 password='hunter2",
    "host=localhost port=hunter2 password=hunter2",
    "host=localhost port=1 password='a sslmode=verify-full hunter2'",
    "host=localhost password=hunter2 pasword=hunter2",
    "password=hunter2",
    "user:hunter2@localhost",
];

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test"]
fn no_error_repeats_a_password() {
    for url in WITH_PASSWORDS {
        let said = asked(url).query("SELECT 1", json!([])).unwrap_err();
        assert!(!said.contains("hunter2"), "{url}: {said}");
        let known = ["no connection to ", "the connection string ", "sslrootcert "];
        assert!(known.iter().any(|begin| said.starts_with(begin)), "{url}: {said}");
    }
    let cluster = Cluster::start();
    let good = cluster.url("sslmode=disable");
    for (right, wrong) in [
        ("tester:", "nobody:"),
        ("/postgres?", "/none?"),
        ("localhost", "127.0.0.1:1,localhost"),
        (PASSWORD_IN_URL, &PASSWORD_IN_URL[1..]),
        (PASSWORD_IN_URL, PASSWORD),
    ] {
        let said = asked(&good.replace(right, wrong)).query("SELECT x", json!([]));
        let said = said.unwrap_err();
        for password in [PASSWORD, PASSWORD_IN_URL, &PASSWORD[3..], &PASSWORD_IN_URL[5..]] {
            assert!(!said.contains(password), "{wrong}: {said}");
        }
    }
}
