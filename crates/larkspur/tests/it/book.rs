//! The book says what the code says: pages that are made from it, limits, and a table of contents.

use crate::documents::workspace;
use crate::room::Room;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What each row of the page about limits follows from: the line that says it in the code.
const LIMITS: [(&str, &str, &str); 19] = [
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
    (
        " in 10,000 keys |",
        "store/src/limits.rs",
        "const KEYS_PER_MODULE: u64 = 10_000;",
    ),
    (
        "| `re` | a pattern | 16 KiB,",
        "script/src/stdlib/re/pattern.rs",
        "const LONGEST_PATTERN: usize = 1 << 14;",
    ),
    (
        ", 50 groups |",
        "script/src/stdlib/re/pattern.rs",
        "const MOST_GROUPS: usize = 50;",
    ),
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
        "| `parallel` | threads | 8 |",
        "script/src/stdlib/parallel.rs",
        "const MOST_THREADS: usize = 8;",
    ),
    (
        "| `parallel` | items | 10,000 |",
        "script/src/stdlib/parallel.rs",
        "const MOST_ITEMS: usize = 10_000;",
    ),
    (
        "| all | one text | 64 MiB |",
        "script/src/gauge.rs",
        "const LARGEST_TEXT: usize = 64 << 20;",
    ),
    (
        "| all | elements of one value | 8,000,000 |",
        "script/src/gauge.rs",
        "const LARGEST_SEQUENCE: usize = 8_000_000;",
    ),
];

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
fn pages_about_libraries_are_what_the_code_says() {
    let room = Room::new();
    room.run(&["doc", "--book", "."])
        .exits(0)
        .says("pages in ./src/libraries");
    let (fresh, ours) = (
        room.path().join("src/libraries"),
        workspace().join("book/src/libraries"),
    );
    let how = "renew them with `cargo run -p larkspur -- doc --book book`";
    assert_eq!(pages(&fresh), pages(&ours), "{how}");
    for page in pages(&fresh) {
        let same = read(&fresh.join(&page)) == read(&ours.join(&page));
        assert!(
            same,
            "book/src/libraries/{page} is not what the code says; {how}"
        );
    }
    let errors = "src/errors.md";
    let same = read(&room.path().join(errors)) == read(&workspace().join("book").join(errors));
    assert!(same, "book/{errors} is not what the code says; {how}");
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
