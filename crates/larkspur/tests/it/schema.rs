//! `get_module_schema` finds tools of shipped modules by plain words.

use crate::documents::workspace;
use crate::room::Room;

/// Requests of users who do not know what the tools are called.
#[test]
fn plain_requests_find_shipped_tools_among_the_first_three() {
    let room = Room::new();
    let folder = workspace().join("modules");
    let folder = folder.to_str().unwrap();
    for (query, tool) in [
        ("what changed in the repo last week", "github.list_commits("),
        ("who am I", "jira.get_myself("),
        ("close a ticket", "jira.transition_issue("),
    ] {
        let query = format!("query={query}");
        let ran = room.run(&["call", "-e", folder, "get_module_schema", &query]);
        let found = &ran.exits(0).stdout;
        let mut first = found.lines().take(3);
        assert!(first.any(|line| line.starts_with(tool)), "{query}: {found}");
    }
}
