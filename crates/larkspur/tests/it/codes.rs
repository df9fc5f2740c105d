//! Error codes: those of JSON-RPC, those that MCP names, and no others but where somebody asked.

use crate::documents::workspace;
use std::collections::BTreeSet;
use std::path::Path;

const KNOWN: [&str; 8] =
    ["-32700", "-32600", "-32601", "-32602", "-32603", "-32020", "-32021", "-32022"];

/// Codes of `errors = "mapped"` and their HTTP statuses, by file.
const MAPPED: [(&str, &[&str]); 2] = [
    ("wire/failure.rs", &["-32000", "-32001", "-32002"]),
    ("http/status.rs", &["-32000", "-32002"]),
];

fn is_known(file: &str, code: &str) -> bool {
    let mapped = MAPPED.iter().filter(|(name, _)| file.ends_with(name));
    KNOWN.contains(&code) || mapped.into_iter().any(|(_, codes)| codes.contains(&code))
}

fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path.display().to_string(), text));
        }
    }
}

#[test]
fn no_code_is_used_that_the_protocol_keeps_for_itself() {
    let mut found = Vec::new();
    sources(&workspace().join("crates/server/src"), &mut found);
    let mut seen = BTreeSet::new();
    for (file, text) in &found {
        // Legacy revisions have -32002 for a resource that is not there, others -32602.
        let names_it = text.contains("RESOURCE_NOT_FOUND") || text.contains("resource_not_found(");
        assert!(!names_it || file.ends_with("wire/failure.rs"), "{file}");
        for (at, _) in text.match_indices("-32") {
            let code: String = text[at..].chars().take(6).collect();
            let is_code = code[1..].chars().all(|c| c.is_ascii_digit());
            if is_code {
                assert!(is_known(file, &code), "{file} has {code}");
                seen.insert(code);
            }
        }
    }
    assert!(seen.contains("-32700"), "nothing was read: {seen:?}");
}
