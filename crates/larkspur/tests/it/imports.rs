//! `load("@module", …)` from another folder, which is followed as it changes.

use crate::fixture::Server;
use crate::folder::{answering, manifest, needs};
use serde_json::json;

const UTILS: &str =
    "load(\"deep/words.star\", \"word\")\ndef get_json(url):\n    return {word: url}\n";

#[test]
fn also_across_folders() {
    let mut server = Server::start();
    let second = server.room.path().join("second");
    std::fs::create_dir_all(second.join("http-utils/deep")).unwrap();
    let write = |file: &str, text: &str| std::fs::write(second.join("http-utils").join(file), text);
    write("module.toml", &manifest("http-utils", "")).unwrap();
    write("main.star", UTILS).unwrap();
    write("deep/words.star", "word = \"got\"\n").unwrap();
    server.flags = vec!["--modules".into(), second.display().to_string()];
    let user =
        format!("load(\"@http-utils\", \"get_json\")\n{}", answering("fetch", "get_json(\"u\")"));
    server
        .folder_module("a", &manifest("a", &needs("http-utils")), &user)
        .call("fetch", json!({}))
        .text(r#"{"got":"u"}"#);
    write("deep/words.star", "word = \"renewed\"\n").unwrap();
    server.until("fetch", json!({}), r#"{"renewed":"u"}"#);
}
