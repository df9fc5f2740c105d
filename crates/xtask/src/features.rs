//! Checks features of foreign crates, which cargo chooses anew for each selection of packages.

use std::collections::BTreeSet;

use crate::command::output;
use crate::workspace::Workspace;

/// Foreign crates of a package's build with their features, one `name version features` each. For one platform,
/// so that the lists are the same wherever they are compared.
fn foreign_crates(package: &str) -> BTreeSet<String> {
    let args = [
        "tree",
        "--locked",
        "--package",
        package,
        "--edges=normal,no-proc-macro",
        "--target=x86_64-unknown-linux-gnu",
        "--prefix=none",
        "--no-dedupe",
        "--format={p} {f}",
    ];
    let root = Workspace::read().unwrap().root;
    let lines = String::from_utf8(output(&root, "cargo", &args).unwrap()).unwrap();
    let ours = root.to_string_lossy();
    let foreign = lines.lines().filter(|line| !line.contains(&*ours));
    foreign.map(str::to_owned).collect()
}

#[test]
fn xtask_and_larkspur_share_every_crate() {
    let xtask = foreign_crates("xtask");
    assert!(xtask.iter().any(|line| line.starts_with("serde_json ")));
    let larkspur = foreign_crates("larkspur");
    let twice: Vec<_> = xtask.difference(&larkspur).collect();
    assert!(
        twice.is_empty(),
        "`cargo xtask demo` compiles these for xtask alone, with other features than larkspur's: {twice:#?}\n\
         give them the same features in crates/xtask/Cargo.toml"
    );
}

#[test]
fn the_minimal_server_has_plain_serde_json() {
    let crates = foreign_crates("minimal");
    let serde_json: Vec<_> = crates.iter().filter(|line| line.starts_with("serde_json ")).collect();
    assert_eq!(serde_json.len(), 1, "{serde_json:?}");
    assert!(!serde_json[0].contains("arbitrary_precision"), "{serde_json:?}");
}
