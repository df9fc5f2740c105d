//! The book says what the code says: pages that are made from it, limits, and a table of contents.

use crate::documents::workspace;
use crate::room::Room;
use crate::web::Web;
use runtime::ProjectFile;
use settings::{AuditSettings, PROJECT};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What each row of the page about limits follows from: the line that says it in the code.
const LIMITS: [(&str, &str, &str); 18] = [
    (
        "| `http` | redirects | 5 |",
        "model/src/host/redirect.rs",
        "const MOST_REDIRECTS: usize = 5;",
    ),
    (
        "| `http` | tries, where asking twice does no harm | 3 |",
        "model/src/host/http.rs",
        "const MOST_TRIES: u32 = 3;",
    ),
    (
        "| `postgres` | connections of one kind | 8 |",
        "outside/src/sql/postgres/pool.rs",
        "const MOST: usize = 8;",
    ),
    (
        "| `ctx.state` | a key | 512 bytes |",
        "store/src/limits.rs",
        "const LONGEST_KEY: usize = 512;",
    ),
    (
        "| `ctx.state` | a value | 256 KiB |",
        "store/src/limits.rs",
        "const LARGEST_VALUE: usize = 256 << 10;",
    ),
    (
        "| `ctx.state` | all a module keeps | 16 MiB in",
        "store/src/limits.rs",
        "const LARGEST_MODULE: u64 = 16 << 20;",
    ),
    (" in 10,000 keys |", "store/src/limits.rs", "const KEYS_PER_MODULE: u64 = 10_000;"),
    (
        "| `re` | a pattern | 16 KiB,",
        "script/src/stdlib/re/pattern.rs",
        "const LONGEST_PATTERN: usize = 1 << 14;",
    ),
    (", 50 groups |", "script/src/stdlib/re/pattern.rs", "const MOST_GROUPS: usize = 50;"),
    (
        "| `re` | a text that is searched | 4 MiB |",
        "script/src/stdlib/re/pattern.rs",
        "const LONGEST_TEXT: usize = 4 << 20;",
    ),
    (
        "| `yaml`, `toml` | a text that is read | 8 MiB |",
        "script/src/stdlib/yaml/read.rs",
        "const LONGEST_TEXT: usize = 8 << 20;",
    ),
    (
        "| `yaml` | values, aliases written out | 1,000,000 |",
        "script/src/stdlib/yaml/read.rs",
        "const MOST_VALUES: usize = 1_000_000;",
    ),
    (
        "| `fuzzy` | a query | 256 bytes |",
        "script/src/stdlib/fuzzy.rs",
        "const LONGEST_QUERY: usize = 256;",
    ),
    (
        "| `url` | an address | 1 MiB |",
        "script/src/stdlib/url.rs",
        "const LONGEST: usize = 1 << 20;",
    ),
    (
        "| `random` | bytes at once | 65,536 |",
        "script/src/stdlib/random.rs",
        "const MOST_BYTES: usize = 1 << 16;",
    ),
    (
        "| `parallel` | items | 10,000 |",
        "script/src/stdlib/parallel.rs",
        "const MOST_ITEMS: usize = 10_000;",
    ),
    ("| all | one text | 64 MiB |", "script/src/gauge.rs", "const LARGEST_TEXT: usize = 64 << 20;"),
    (
        "| all | elements of one value | 8,000,000 |",
        "script/src/gauge.rs",
        "const LARGEST_SEQUENCE: usize = 8_000_000;",
    ),
];

const HELLO: &str = "\
def hello() -> str:
    \"\"\"Greet.\"\"\"
    return \"hello\"

tool(hello)
";

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files in a folder of pages.
fn pages(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "libraries").collect()
}

#[test]
fn made_pages_are_what_the_code_says() {
    let room = Room::new();
    room.run(&["doc", "--book", "."]).exits(0).says("pages in ./src/libraries");
    let (fresh, ours) = (room.path().join("src/libraries"), workspace().join("book/src/libraries"));
    let how = "renew them with `cargo run -p larkspur -- doc --book book`";
    assert_eq!(pages(&fresh), pages(&ours), "{how}");
    for page in pages(&fresh) {
        let same = read(&fresh.join(&page)) == read(&ours.join(&page));
        assert!(same, "book/src/libraries/{page} is not what the code says; {how}");
    }
    let made = pages(&room.path().join("src"));
    assert!(made.contains("errors.md") && made.len() == 5, "{made:?}");
    for page in made {
        let page = Path::new("src").join(page);
        let same = read(&room.path().join(&page)) == read(&workspace().join("book").join(&page));
        assert!(same, "{page:?} is not what the code says; {how}");
    }
}

/// The words between backticks that begin the rows of a page's tables.
fn rows(page: &str) -> BTreeSet<String> {
    let text = read(&workspace().join("book/src").join(page));
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned()));
    names.collect()
}

#[test]
fn a_server_has_the_metrics_of_the_page() {
    let room = Room::new();
    room.write("hello.star", HELLO).project("[audit]\n");
    let web = Web::start(room, &[]);
    let shown = web.get("/metrics").is(200).body.clone();
    let types = shown.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let named = types.filter_map(|line| Some(line.split_once(' ')?.0.to_owned()));
    assert_eq!(named.collect::<BTreeSet<_>>(), rows("metrics.md"));
    // And nothing is counted that has no name.
    let lines = shown.lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let name = line.split(['{', ' ']).next().unwrap();
        let parts = ["_bucket", "_sum", "_count"].iter();
        let whole = parts.fold(name, |name, part| name.strip_suffix(part).unwrap_or(name));
        assert!(rows("metrics.md").contains(whole), "{line}");
    }
}

#[test]
fn what_is_decided_late_is_what_is_stated() {
    let default = |section: &str, key: &str| {
        let mut sections = PROJECT.iter();
        let section = sections.find(|known| known.name == section).unwrap();
        let mut keys = section.keys.iter();
        keys.find(|known| known.name == key).unwrap().default.clone()
    };
    let file = ProjectFile::default();
    let data_dir = file.data_dir().display().to_string();
    let audit = file.audit_file(&AuditSettings::default());
    let audit = audit.display().to_string();
    for (section, key, holds) in [("server", "data_dir", data_dir), ("audit", "file", audit)] {
        assert_eq!(default(section, key), Some(format!("{holds:?}")), "{key}");
    }
}

/// Texts of the sources that are names of variables of ours, or are asked of the environment.
fn variables(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            variables(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = read(&path);
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let mut before = "";
            for part in code.split('"') {
                let is_name = |b: u8| b.is_ascii_uppercase() || b == b'_';
                let is_ours = part.starts_with("LARKSPUR_") && !part.ends_with('_');
                let is_asked = before.ends_with("env::var(") || before.ends_with("env::var_os(");
                if part.bytes().all(is_name) && (is_ours || is_asked) {
                    found.insert(part.to_owned());
                }
                before = part;
            }
        }
    }
}

#[test]
fn every_variable_that_is_read_is_on_the_page() {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(workspace().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        if !["agents", "bench", "cluster", "minimal", "standins", "xtask"]
            .iter()
            .any(|tool| path.ends_with(tool))
        {
            variables(&path.join("src"), &mut found);
        }
    }
    let page = rows("configuration.md");
    let missing: Vec<_> = found.difference(&page).collect();
    assert!(missing.is_empty() && found.len() > 8, "{missing:?} of {found:?}");
    let ours = page.iter().filter(|name| name.starts_with("LARKSPUR_"));
    for name in ours {
        assert!(found.contains(name), "nobody reads {name}");
    }
}

/// As mdBook names a heading.
fn anchor(heading: &str) -> String {
    let is_kept = |c: &char| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_';
    let kept: String = heading.trim().chars().filter(is_kept).collect();
    kept.to_lowercase().replace(' ', "-")
}

#[test]
fn links_between_pages_lead_somewhere() {
    let source = workspace().join("book/src");
    for page in pages(&source) {
        let text = read(&source.join(&page));
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            if link.contains("://") || link.contains('`') || link.contains(' ') {
                continue;
            }
            let target = if file.is_empty() { source.join(&page) } else { source.join(file) };
            assert!(target.exists(), "{page}: {link}");
            if part.is_empty() {
                continue;
            }
            let text = read(&target);
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let mut anchors = headings.map(|line| anchor(line.trim_start_matches('#')));
            assert!(anchors.any(|anchor| anchor == part), "{page}: {link}");
        }
    }
}

#[test]
fn the_summary_names_every_page_and_no_other() {
    let source = workspace().join("book/src");
    let summary = read(&source.join("SUMMARY.md"));
    let named = summary.lines().filter_map(|line| line.split_once("]("));
    let named = named.map(|(_, rest)| rest.trim_end_matches(')').to_owned());
    let named: BTreeSet<String> = named.collect();
    let libraries = pages(&source.join("libraries")).into_iter();
    let libraries = libraries.map(|page| format!("libraries/{page}"));
    let mut there: BTreeSet<String> = libraries.chain(pages(&source)).collect();
    there.remove("SUMMARY.md");
    assert_eq!(named, there);
}

#[test]
fn the_page_about_limits_follows_from_the_code() {
    let page = read(&workspace().join("book/src/limits.md"));
    for (stated, file, line) in LIMITS {
        assert!(page.contains(stated), "the page does not say {stated}");
        let code = read(&workspace().join("crates").join(file));
        assert!(code.contains(line), "{stated}: {file} does not say {line}");
    }
}
