//! `larkspur test`, and `-t`: runs `*_test.star`.

use crate::args::{Coverage, Global, Test, TestFormat};
use crate::chosen::Chosen;
use crate::commands::watch;
use crate::compose;
use crate::data_folder;
use crate::exit::{INTERRUPTED, wrong_usage};
use crate::given;
use crate::keys;
use crate::scaffold;
use crate::terminal::{error, note, say};
use anyhow::Context;
use compact::TOKENS_ARE_COUNTED;
use model::World;
use outside::Outside;
use runtime::{AbandonedThreads, Folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testing::{Covered, Event, Format, Keeping, Options, Report, Summary};

pub(crate) fn run(global: &Global, test: &Test) -> anyhow::Result<ExitCode> {
    given::folders(global)?;
    let (chosen, global) = Chosen::new(global, &test.paths).map_err(wrong_usage)?;
    if test.format == TestFormat::Tap {
        return Err(wrong_usage(
            "--format tap is no longer there: --format junit is for build servers, json for other programs",
        ));
    }
    if test.tokens && test.format == TestFormat::Junit {
        return Err(wrong_usage("--tokens is told as a table, or with --format json"));
    }
    if test.watch {
        return watch::run(&global, test, &chosen);
    }
    let passed = once(&global, test, &chosen, None)?;
    Ok(ExitCode::from(u8::from(!passed)))
}

/// Ends the commands that tests have started, and the process, when a signal interrupts the run. Sets
/// `interrupted` first, because tests go on when their commands end.
fn end_on_signal(world: &Arc<dyn World>, interrupted: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let (world, interrupted) = (Arc::clone(world), Arc::clone(interrupted));
    let end = move || {
        interrupted.store(true, Ordering::SeqCst);
        world.close();
        std::process::exit(INTERRUPTED.into());
    };
    compose::on_signal(end).context("cannot listen to signals")
}

/// Runs all tests, or those of some files, and tells whether all is well.
pub(crate) fn once(
    global: &Global,
    test: &Test,
    chosen: &Chosen,
    only: Option<BTreeSet<PathBuf>>,
) -> anyhow::Result<bool> {
    let format = match test.format {
        TestFormat::Pretty if test.tokens => Format::Tokens,
        TestFormat::Pretty => Format::Pretty,
        TestFormat::Json => Format::Json,
        TestFormat::Junit | TestFormat::Tap => Format::Junit,
    };
    let mut report = Report::new(format);
    let mut options = options(global, test)?;
    options.only = chosen_of(&options.folders, chosen, only);
    let interrupted = Arc::new(AtomicBool::new(false));
    if !test.watch {
        end_on_signal(&options.world, &interrupted)?;
    }
    let summary = testing::run(&options, &mut |event| {
        if format == Format::Tokens && matches!(event, Event::Failed { .. }) {
            note(&testing::pretty(&event));
        }
        if let Some(lines) = report.tell(event) {
            say(&lines);
        }
    });
    options.world.close();
    if interrupted.load(Ordering::SeqCst) {
        std::process::exit(INTERRUPTED.into());
    }
    if summary.total == 0 {
        let why = match &test.filter {
            Some(part) => format!("no test has `{part}` in its name"),
            None => "there are no tests; they go into files named `*_test.star`".into(),
        };
        note(&why);
    }
    let counted = options.coverage.as_ref();
    let covered = counted.map(|counted| {
        let mut covered = Covered::of(&options.folders, counted);
        (covered.files).retain(|file| chosen.has(Path::new(&file.path)));
        covered
    });
    if let Some(covered) = &covered {
        report.cover(covered.clone());
    }
    if let Some(lines) = report.end(&summary) {
        say(&lines);
    }
    if test.tokens && !TOKENS_ARE_COUNTED {
        note("tokens are estimated");
    }
    if format != Format::Pretty {
        if let Some(covered) = &covered {
            note(&covered.to_string());
        }
        note(&summary.to_string());
    }
    let enough = covered.map_or(Ok(true), |covered| is_enough(&test.coverage, &covered))?;
    // A typo in `-k` must not look like success.
    let ran_nothing = summary.total == 0 && test.filter.is_some() && !test.watch;
    Ok(summary.failed == 0 && enough && !ran_nothing)
}

/// The test files that were asked for, of those that a change reaches.
fn chosen_of(
    folders: &[Folder],
    chosen: &Chosen,
    only: Option<BTreeSet<PathBuf>>,
) -> Option<BTreeSet<PathBuf>> {
    if chosen.is_everything() {
        return only;
    }
    let tests = folders.iter().flat_map(|folder| {
        let tests = folder.tests().into_iter();
        tests.map(|file| folder.path(&file))
    });
    let reached = |path: &PathBuf| only.as_ref().is_none_or(|only| only.contains(path));
    Some(tests.filter(|path| reached(path) && chosen.has_tests(path)).collect())
}

/// Writes down what ran, and tells whether that is as much as was asked for.
fn is_enough(asked: &Coverage, covered: &Covered) -> anyhow::Result<bool> {
    if let Some(file) = &asked.lcov {
        scaffold::write(file, &covered.to_lcov())?;
    }
    let Some(min) = asked.min.filter(|min| !covered.reaches(*min)) else {
        return Ok(true);
    };
    let percent = covered.percent();
    error(&format!("{percent:.1} % of the lines ran, and --coverage-min asks for {min} %"));
    Ok(false)
}

/// Runs all tests and gives every line of the report as it comes.
pub(crate) fn run_tests(
    global: &Global,
    abandoned: &Arc<AbandonedThreads>,
    line: &mut dyn FnMut(&str),
) -> Summary {
    let mut report = Report::new(Format::Pretty);
    let Ok(mut options) = options(global, &Test::default()) else {
        return Summary::default();
    };
    options.abandoned = Arc::clone(abandoned);
    testing::run(&options, &mut |event| {
        if let Some(lines) = report.tell(event) {
            line(&lines);
        }
    })
}

fn options(global: &Global, test: &Test) -> anyhow::Result<Options> {
    let folders = compose::folders(global).into_iter().map(Folder::new);
    let mut options = Options::new(folders.collect());
    options.filter.clone_from(&test.filter);
    options.jobs = test.jobs.map_or(1, usize::from);
    options.fail_fast = test.fail_fast;
    options.coverage = test.coverage.is_wanted().then(Arc::default);
    options.tokens = test.tokens;
    options.world = Arc::new(Outside::default());
    if test.reach.record && compose::is_unattended() {
        anyhow::bail!(
            "--record writes files, and nobody looks at them where CI is set: record on your own \
             machine, and commit what is written"
        );
    }
    options.record = test.reach.record;
    if test.reach.live || test.reach.record {
        // Whoever reaches the world is who he is there; without this no test knows of any vault.
        let live = compose::live(global)?;
        data_folder::settle(global, &live.project)?;
        let vault = Arc::new(keys::vault(&live.project));
        options.world = Arc::new(Outside::default().with_secrets(vault));
        options.live = Some(live);
    }
    if let Some(time) = test.timeout {
        options.limits.time = time;
    }
    options.snapshots = match (test.update, compose::is_unattended()) {
        (true, _) => Keeping::All,
        (false, true) => Keeping::Nothing,
        (false, false) => Keeping::New,
    };
    Ok(options)
}
