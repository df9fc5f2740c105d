//! Crates that promise no stability between releases are pinned exactly.

use crate::workspace::Package;

const PINNED: [&str; 4] = ["starlark", "starlark_syntax", "rmcp", "toon-format"];

pub(super) fn problems(packages: &[Package]) -> Vec<String> {
    packages.iter().flat_map(problems_of).collect()
}

fn problems_of(package: &Package) -> Vec<String> {
    let pinned = package
        .dependencies
        .iter()
        .filter(|to| PINNED.contains(&to.name.as_str()));
    pinned
        .filter(|to| !to.req.starts_with('='))
        .map(|to| {
            format!(
                "`{}` asks for {} {}, not one version",
                package.name, to.name, to.req
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::package;

    #[test]
    fn a_loose_version_is_named() {
        let packages = [
            package("script", &["starlark@=0.14.2", "serde@^1"]),
            package("server", &["rmcp@^3.8.0"]),
        ];
        assert_eq!(
            problems(&packages),
            ["`server` asks for rmcp ^3.8.0, not one version"]
        );
    }
}
