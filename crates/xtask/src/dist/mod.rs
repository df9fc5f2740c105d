//! An archive to install from: the binary, its completions and man pages, the modules we ship.

mod build;
mod stage;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::command;
use crate::workspace::Workspace;

const USAGE: &str = "cargo xtask dist [--target TRIPLE]";

/// Leaves `target/dist/larkspur-VERSION-TARGET.tar.gz` with its sum, and says how large they are.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<()> {
    let target = match args {
        [] => build::usual_target()?,
        [flag, target] if flag == "--target" => target.clone(),
        _ => bail!("{USAGE}"),
    };
    let program = build::binary(workspace, &target)?;
    let linked = build::linked(&program, &target)?;
    let dist = workspace.root.join("target/dist");
    let name = format!("larkspur-{}-{target}", env!("CARGO_PKG_VERSION"));
    stage::fill(workspace, &program, &dist.join(&name))?;
    let archive = format!("{name}.tar.gz");
    command::run(&dist, "tar", &["-czf", &archive, &name])?;
    let sum = sum(&dist, &archive)?;
    fs::write(dist.join(format!("{archive}.sha256")), &sum)?;
    println!("larkspur  {}, {linked}", size(&dist.join(&name).join("larkspur"))?);
    println!("target/dist/{archive}  {}", size(&dist.join(&archive))?);
    print!("{sum}");
    Ok(())
}

/// As `sha256sum` writes it, so that it can check it.
fn sum(folder: &Path, archive: &str) -> Result<String> {
    let (program, args): (_, &[&str]) = if command::answers("sha256sum", &["--version"]) {
        ("sha256sum", &[archive])
    } else {
        ("shasum", &["-a", "256", archive])
    };
    Ok(String::from_utf8(command::output(folder, program, args)?)?)
}

fn size(file: &Path) -> Result<String> {
    let bytes = fs::metadata(file).with_context(|| format!("no {}", file.display()))?;
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let megabytes = bytes.len() as f64 / 1e6;
    Ok(format!("{megabytes:.1} MB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_and_toolchain_file_have_the_rust_version_of_cargo_toml() {
        let root = Workspace::read().unwrap().root;
        let toolchain = fs::read_to_string(root.join("rust-toolchain.toml")).unwrap();
        let channel = concat!("\nchannel = \"", env!("CARGO_PKG_RUST_VERSION"), ".");
        assert!(toolchain.contains(channel), "{toolchain}");
        let image = fs::read_to_string(root.join("Dockerfile")).unwrap();
        let first = image.lines().find(|line| line.starts_with("FROM ")).unwrap();
        let expected = concat!("FROM rust:", env!("CARGO_PKG_RUST_VERSION"), "-");
        assert!(first.starts_with(expected), "{first}");
    }

    #[test]
    fn what_is_asked_for_in_a_wrong_way_is_told_the_right_one() {
        let workspace = Workspace::read().unwrap();
        let refused = run(&workspace, &["--musl".to_owned()]).unwrap_err();
        assert_eq!(refused.to_string(), USAGE);
    }
}
