//! `larkspur doc --readme` and `larkspur readme`: a module's README, printed or put into its folder.
#![expect(clippy::disallowed_methods, reason = "this command writes the author's files")]

use crate::args::{Global, Readme};
use crate::compose;
use crate::exit::USAGE;
use crate::terminal::{GOOD, error, no_such_module, note, say, styled, tell_nameless};
use anyhow::{Context, bail};
use check::readme;
use runtime::Surveyed;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(global: &Global, args: &Readme) -> anyhow::Result<ExitCode> {
    let survey = compose::look(global)?.survey();
    let found = survey.named().find(|(name, _)| name.as_str() == args.module);
    let Some((_, module)) = found else {
        error(&no_such_module(&args.module, &survey));
        tell_nameless(&survey);
        return Ok(ExitCode::from(USAGE));
    };
    let page = readme::page(module)?;
    if args.write {
        refresh(module, &page)?;
    } else {
        say(page.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn refresh(module: &Surveyed, page: &str) -> anyhow::Result<()> {
    let Some(home) = &module.home else {
        bail!(
            "{} is a single file, which has no README of its own; \
             without --write it is printed",
            module.file
        );
    };
    let path = home.join(readme::FILE);
    let shown = path.display();
    let old = read(&path)?;
    let next = match &old {
        None => page.to_owned(),
        Some(old) => match readme::renewed(old, page) {
            Some(next) => next,
            None => bail!(
                "{shown} has no marks that say what may be changed; nothing was written\n  \
                 = help: `larkspur doc --readme` prints the marks with what belongs between them"
            ),
        },
    };
    if old.as_ref() == Some(&next) {
        note(&format!("{shown} is up to date"));
        return Ok(());
    }
    fs::write(&path, next).with_context(|| format!("cannot write {shown}"))?;
    say(&format!("{} {shown}", styled(GOOD, "wrote")));
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}
