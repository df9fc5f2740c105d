//! Files as people keep them: what is put in, what stays, and what is refused.
#![expect(clippy::disallowed_methods, reason = "tests look at the files that were written")]

mod files;
mod probes;
mod texts;

use crate::{Client, Home, Launch, Table};
use std::path::Path;

fn home(folder: &Path) -> Home {
    let variables = [("HOME".to_owned(), folder.display().to_string())];
    Home::new(variables.into(), folder.join("project")).unwrap()
}

fn client(name: &str) -> Client {
    let table = Table::load(&home(Path::new("/nowhere"))).unwrap();
    table.get(name).unwrap().clone()
}

fn launch() -> Launch {
    Launch {
        command: "/bin/larkspur".into(),
        args: vec!["serve".into(), "--modules".into(), "/m".into()],
        always_load: false,
    }
}
