//! Texts in, texts out.

use super::{client, launch};
use crate::Launch;
use crate::document;
use expect_test::{Expect, expect};

/// Puts our server in, twice, takes it out again, and answers what it looked like.
#[track_caller]
fn put(name: &str, before: &str) -> String {
    let client = client(name);
    let entry = launch().entry(&client);
    let put = |text: &str| document::put(&client, text, "larkspur", &entry).unwrap();
    let after = put(before);
    assert_eq!(put(&after), after, "the second time changes something");
    let there = document::get(&client, &after, "larkspur").unwrap().unwrap();
    assert_eq!(Launch::of_entry(&there, &client), Some(launch()));
    let gone = document::take(&client, &after, "larkspur").unwrap();
    assert_eq!(document::get(&client, &gone, "larkspur"), Ok(None));
    // Whatever is there besides has not lost or won a character, spaces aside.
    let bare = |text: &str| text.replace([' ', '\n', '\r', '\t', ','], "");
    if before.contains("ervers") && !before.contains("larkspur") {
        assert_eq!(bare(&gone), bare(before));
    }
    after
}

#[track_caller]
fn check(name: &str, before: &str, expected: &Expect) {
    expected.assert_eq(&put(name, before));
}

#[test]
fn json_keeps_its_order_and_its_indent() {
    check(
        "claude-desktop",
        "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"other\": {\"command\": \"x\"}\n    },\n    \"z\": 1\n}",
        &expect![[r#"
            {
                "theme": "dark",
                "mcpServers": {
                    "other": {"command": "x"},
                    "larkspur": {
                        "command": "/bin/larkspur",
                        "args": ["serve", "--modules", "/m"]
                    }
                },
                "z": 1
            }"#]],
    );
    check(
        "claude-code",
        "",
        &expect![[r#"
            {
              "mcpServers": {
                "larkspur": {
                  "type": "stdio",
                  "command": "/bin/larkspur",
                  "args": ["serve", "--modules", "/m"]
                }
              }
            }
        "#]],
    );
    check(
        "claude-desktop",
        "{}\n",
        &expect![[r#"
            {
              "mcpServers": {
                "larkspur": {
                  "command": "/bin/larkspur",
                  "args": ["serve", "--modules", "/m"]
                }
              }
            }
        "#]],
    );
}

#[test]
fn comments_and_trailing_commas_stay() {
    check(
        "vscode",
        "// mine\n{\n\t\"inputs\": [], /* none */\n\t\"servers\": {\n\t\t// the first\n\t\t\"other\": {\n\t\t\t\"command\": \"x\", // why\n\t\t}, // after it\n\t\t// \"off\": {}\n\t},\n}\n// end\n",
        &expect![[r#"
            // mine
            {
            	"inputs": [], /* none */
            	"servers": {
            		// the first
            		"other": {
            			"command": "x", // why
            		}, // after it
            		"larkspur": {
            			"type": "stdio",
            			"command": "/bin/larkspur",
            			"args": ["serve", "--modules", "/m"],
            		},
            		// "off": {}
            	},
            }
            // end
        "#]],
    );
}

#[test]
fn toml_gets_a_table_at_its_end() {
    check(
        "codex",
        "model = \"o3\" # the good one\n\n[mcp_servers.other]\ncommand = \"x\"\n# args = [\"y\"]\n\n[profiles.fast]\nmodel = \"mini\"\n# end",
        &expect![[r#"
            model = "o3" # the good one

            [mcp_servers.other]
            command = "x"
            # args = ["y"]

            [profiles.fast]
            model = "mini"
            # end

            [mcp_servers.larkspur]
            command = "/bin/larkspur"
            args = ["serve", "--modules", "/m"]
        "#]],
    );
    check(
        "codex",
        "",
        &expect![[r#"
            [mcp_servers.larkspur]
            command = "/bin/larkspur"
            args = ["serve", "--modules", "/m"]
        "#]],
    );
    check(
        "codex",
        "mcp_servers = { other = { command = \"x\" } } # all of them\n",
        &expect![[r#"
            mcp_servers = { other = { command = "x" } , larkspur = { command = "/bin/larkspur", args = ["serve", "--modules", "/m"] } } # all of them
        "#]],
    );
    check(
        "codex",
        "mcp_servers.other.command = \"x\"\n[mcp_servers.more]\ncommand = \"y\"\n",
        &expect![[r#"
            mcp_servers.other.command = "x"
            [mcp_servers.more]
            command = "y"

            [mcp_servers.larkspur]
            command = "/bin/larkspur"
            args = ["serve", "--modules", "/m"]
        "#]],
    );
}

#[test]
fn a_text_keeps_its_line_ends_and_its_mark() {
    for (name, before) in [
        ("claude-code", "{\r\n  \"mcpServers\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n"),
        ("codex", "a = 1\r\n\r\n[mcp_servers.b]\r\nc = 2\r\n"),
        ("codex", "mcp_servers = { a = {} }\r\n"),
    ] {
        let after = put(name, before);
        let ends = (after.matches('\n').count(), after.matches("\r\n").count());
        assert_eq!(ends.0, ends.1, "{after:?}");
        let marked = put(name, &format!("\u{feff}{before}"));
        assert_eq!(marked, format!("\u{feff}{after}"));
    }
}

/// What a server's own entry has beside what we say stays, and so does its place.
#[test]
fn an_entry_is_renewed_where_it_stands() {
    check(
        "cursor",
        "{\n  \"mcpServers\": {\n    \"larkspur\": {\n      \"command\": \"/old/larkspur\", // moved\n      \"env\": {\"A\": \"1\"},\n      \"args\": []\n    },\n    \"z\": {}\n  }\n}\n",
        &expect![[r#"
            {
              "mcpServers": {
                "larkspur": {
                  "command": "/bin/larkspur", // moved
                  "env": {"A": "1"},
                  "args": ["serve", "--modules", "/m"]
                },
                "z": {}
              }
            }
        "#]],
    );
    check(
        "codex",
        "[mcp_servers.larkspur]\ncommand = \"/old\" # moved\nstartup_timeout_sec = 20\n\n[mcp_servers.larkspur.env]\nA = \"1\"\n\n[other]\n",
        &expect![[r#"
            [mcp_servers.larkspur]
            command = "/bin/larkspur" # moved
            startup_timeout_sec = 20
            args = ["serve", "--modules", "/m"]

            [mcp_servers.larkspur.env]
            A = "1"

            [other]
        "#]],
    );
}

#[test]
fn toml_tables_leave_with_all_that_is_theirs() {
    let take = |text: &str, expected: &str| {
        let taken = document::take(&client("codex"), text, "larkspur").unwrap();
        assert_eq!(taken, expected, "{text}");
    };
    take(
        "a = 1\n\n# ours\n[mcp_servers.larkspur]\ncommand = \"x\"\nenv.A = \"1\"\n\n[other]\nb = 2\n\n[mcp_servers.larkspur.env2]\nc = 3\n",
        "a = 1\n\n# ours\n\n[other]\nb = 2\n",
    );
    take("[mcp_servers]\nlarkspur = { command = \"x\" }\nb = {}\n", "[mcp_servers]\nb = {}\n");
    take("[mcp_servers.larkspur.env]\na = \"1\"\n", "");
    take("[mcp_servers.larkspur]\ncommand = \"x\"", "");
    take("[[mcp_servers.larkspur.x]]\na = 1\n", "");
    take("mcp_servers.larkspur.command = \"x\"\na = 1\n", "a = 1\n");
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    for (name, text, expected) in [
        ("claude-code", "{\n  \"a\": 1,\n}\n", "2:9: trailing commas are not allowed"),
        ("claude-code", "{\n  // no\n}\n", "2:3: this client reads no comments"),
        ("claude-desktop", "{\"a\": 1", "1:1: unterminated object"),
        (
            "cursor",
            "{\n  \"é\" 1\n}\n",
            "2:7: expected colon after the string or word in object property",
        ),
        ("vscode", "{} {}", "1:4: text cannot contain more than one JSON value"),
        ("vscode", "[]", "it does not hold an object"),
        ("vscode", "{\"servers\": []}", "`servers` does not hold other keys"),
        ("vscode", "{\"servers\": {\"larkspur\": 1}}", "`larkspur` does not hold other keys"),
        ("vscode", "{\"servers\": {}, \"servers\": {}}", "`servers` stands there twice"),
        ("codex", "a = 1\nb = \n", "2:5: string values must be quoted, expected literal string"),
        ("codex", "mcp_servers = 1\n", "`mcp_servers` does not hold other keys"),
        ("codex", "mcp_servers.larkspur = 1\n", "`larkspur` does not hold other keys"),
    ] {
        let client = client(name);
        let wrong = document::put(&client, text, "larkspur", &launch().entry(&client));
        let said = wrong.unwrap_err().to_string();
        let said = said.strip_prefix(':').unwrap().trim_start();
        let (said, _) = said.split_once("; it is left").unwrap();
        assert_eq!(said, expected, "{text}");
    }
}
