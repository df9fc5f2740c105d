//! A `PostgreSQL` for tests and the bench: a fresh cluster in a temporary folder, gone with its value.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "it ships to nobody, and whoever cannot have a server can only stop and say so"
)]

mod programs;
mod server;

pub use programs::assert_test_is_marked;

use server::{prepare, serve};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command};
use tempfile::TempDir;

/// Characters that a URL has to write in another way.
pub const PASSWORD: &str = "pa@ss/w:rd";
pub const PASSWORD_IN_URL: &str = "pa%40ss%2Fw%3Ard";

pub struct Cluster {
    folder: TempDir,
    server: Child,
    pub port: u16,
}

impl Cluster {
    /// Starts a server for a test that is marked as needing one.
    #[track_caller]
    pub fn start() -> Self {
        assert_test_is_marked("PostgreSQL");
        Self::start_for_bench()
    }

    /// A port that was free may be taken a moment later, so this is tried more than once.
    pub fn start_for_bench() -> Self {
        let folder = tempfile::tempdir().unwrap();
        prepare(folder.path());
        let mut heard = String::new();
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
            let port = port.unwrap().port();
            match serve(folder.path(), port) {
                Ok(server) => {
                    return Self { folder, server, port };
                }
                Err(lines) => heard = lines,
            }
        }
        panic!("PostgreSQL does not start:\n{heard}");
    }

    /// Over TCP, with more settings such as `sslmode=disable`.
    pub fn url(&self, settings: &str) -> String {
        let port = self.port;
        format!("postgres://tester:{PASSWORD_IN_URL}@localhost:{port}/postgres?{settings}")
    }

    /// Over a socket, as `key=value` pairs.
    pub fn socket(&self) -> String {
        let (folder, port) = (self.folder.path().display(), self.port);
        format!("host={folder} port={port} user=tester password='{PASSWORD}' dbname=postgres")
    }

    /// The certificate that the server shows: for `localhost`, signed by itself.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("server.crt")
    }
}

impl Drop for Cluster {
    /// At once, without writing anything down: nobody will read it.
    fn drop(&mut self) {
        let pid = self.server.id().to_string();
        let told = Command::new("kill").args(["-QUIT", &pid]).status();
        if !told.is_ok_and(|status| status.success()) {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}
