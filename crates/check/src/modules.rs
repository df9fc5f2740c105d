//! What a module has besides its code.

use crate::Finding;
use crate::fix::Fix;
use crate::readme;
use model::Fault;
use runtime::Surveyed;

pub(super) fn check(module: &Surveyed, findings: &mut Vec<Finding>) {
    let Some(home) = &module.home else {
        return;
    };
    let path = home.join(readme::FILE);
    if path.exists() {
        return;
    }
    let shown = path.display().to_string();
    let fault = Fault::new("the module has no README: nobody can tell what it is for")
        .code("W0403")
        .help("`larkspur doc --readme MODULE --write` makes one from its manifest and tools");
    let finding = Finding::new(&shown, fault);
    findings.push(match readme::page(module) {
        Ok(text) => finding.fixed_by(Fix::Write { text }),
        Err(_) => finding,
    });
}
