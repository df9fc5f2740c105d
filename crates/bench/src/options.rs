//! What was asked for on the command line, and how much work it means.

use anyhow::{Context, Result, bail, ensure};

use super::subjects::Subject;
use std::path::PathBuf;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Options {
    pub(super) write: bool,
    pub(super) check: bool,
    pub(super) subjects: Vec<Subject>,
    /// Folder of a corpus other than the repository's own.
    pub(super) corpus: Option<PathBuf>,
    /// Folders of public benchmarks, for `search`.
    pub(super) live_mcp: Option<PathBuf>,
    pub(super) meta_tool: Option<PathBuf>,
    pub(super) effort: Effort,
}

/// How often each thing is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Effort {
    pub(super) rounds: u32,
    pub(super) calls: u32,
    pub(super) starts: u32,
    pub(super) reloads: u32,
}

impl Options {
    pub(super) fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter().map(String::as_str);
        while let Some(arg) = args.next() {
            match arg {
                "--only" => {
                    let name = args.next().context("`--only` needs a name")?;
                    options.subjects.push(name.parse()?);
                }
                "--corpus" => {
                    let folder = args.next().context("`--corpus` needs a folder")?;
                    options.corpus = Some(folder.into());
                }
                "--live-mcp-bench" => {
                    let folder = args.next().context("`--live-mcp-bench` needs a folder")?;
                    options.live_mcp = Some(folder.into());
                }
                "--meta-tool" => {
                    let folder = args.next().context("`--meta-tool` needs a folder")?;
                    options.meta_tool = Some(folder.into());
                }
                "--quick" => options.effort.shorten(),
                "--write" => options.write = true,
                "--check" => options.check = true,
                _ => bail!("unknown option `{arg}`; see `cargo xtask bench --help`"),
            }
        }
        ensure!(
            options.corpus.is_none() || !options.write,
            "`--write` records the table of tests/corpus: leave out `--corpus`"
        );
        if options.subjects.is_empty() {
            let has_sets = options.live_mcp.is_some() || options.meta_tool.is_some();
            let subjects = Subject::ALL.into_iter();
            let subjects = subjects.filter(|subject| has_sets || *subject != Subject::Search);
            options.subjects = subjects.collect();
        }
        Ok(options)
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self { rounds: 9, calls: 20_000, starts: 21, reloads: 40 }
    }
}

impl Effort {
    fn shorten(&mut self) {
        *self = Self { rounds: 5, calls: 8_000, starts: 7, reloads: 10 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let args: Vec<String> = line.split_whitespace().map(String::from).collect();
        Options::parse(&args).map_err(|error| error.to_string())
    }

    #[test]
    fn no_option_means_every_subject_but_search_which_needs_folders() {
        let subjects = |line| parse(line).map(|options| options.subjects);
        let all = Subject::ALL.to_vec();
        assert_eq!(subjects("--meta-tool sets"), Ok(all.clone()));
        let others = all.into_iter().filter(|one| *one != Subject::Search);
        assert_eq!(subjects(""), Ok(others.collect()));
    }

    #[test]
    fn subjects_are_picked_by_name() {
        let subjects = parse("--only calls --quick --only rss").map(|options| options.subjects);
        assert_eq!(subjects, Ok(vec![Subject::Calls, Subject::Rss]));
    }

    #[test]
    fn another_corpus_is_named_by_its_folder() {
        let corpus = |line| parse(line).map(|options| options.corpus);
        assert_eq!(corpus("--corpus more/tools"), Ok(Some("more/tools".into())));
        assert_eq!(corpus("--only tokens"), Ok(None));
    }

    #[test]
    fn help_lists_every_subject_in_order() {
        let subjects = include_str!("help.txt").split_once("Subjects:\n");
        let (subjects, _) = subjects.unwrap().1.split_once("\n\n").unwrap();
        let names = subjects.lines().filter_map(|line| line.strip_prefix("  "));
        let names = names.filter_map(|line| line.split_once(' '));
        let names: Vec<&str> = names.map(|(name, _)| name).filter(|n| !n.is_empty()).collect();
        assert_eq!(names, Subject::ALL.map(|subject| subject.to_string()));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, error) in [
            ("--fast", "unknown option `--fast`; see `cargo xtask bench --help`"),
            ("--only", "`--only` needs a name"),
            ("--corpus", "`--corpus` needs a folder"),
            (
                "--write --corpus more",
                "`--write` records the table of tests/corpus: leave out `--corpus`",
            ),
            (
                "--only disk",
                "no subject `disk`: there are calls, instructions, start, rss, reload, mcp-http, tokens, search, conversations, attacks",
            ),
        ] {
            assert_eq!(parse(line), Err(error.to_owned()));
        }
    }
}
