//! The modules for Notion, GitHub and Jira against stand-ins of the three, by both doors, with Python's
//! client: a batch in which tasks hand each other what they found, and tokens that are wrong.

use crate::clients::{installed, run};
use crate::documents::workspace;
use crate::room::Room;
use crate::web::Web;
use standins::{JIRA_EMAIL, Standins};
use std::process::Command;

/// Sealed with it is nothing but what is in this file.
const VAULT_KEY: (&str, &str) =
    ("LARKSPUR_VAULT_KEY", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
const NO_KEYRING: (&str, &str) = ("LARKSPUR_VAULT_KEYRING", "off");

/// All of our modules, told where the stand-ins are.
fn room(standins: &Standins) -> Room {
    let mut room = Room::without("modules");
    room.copy(&workspace().join("modules"));
    let place = |(module, standin): (&str, &standins::Standin)| {
        format!("[module.{module}.config]\nbase_url = '{}'\n", standin.url())
    };
    let places = standins.by_module().map(place).concat();
    room.project(&format!("{places}email = '{JIRA_EMAIL}'\n"));
    room.set_env(VAULT_KEY.0, VAULT_KEY.1);
    room
}

/// Sets the token of each service.
fn set_tokens(room: &Room, standins: &Standins, change: impl Fn(&str) -> String) {
    for (module, standin) in standins.by_module() {
        let name = format!("{module}.token");
        room.run_with(&["secret", "set", &name], &change(standin.token))
            .exits(0)
            .says_only(&format!("set {name}"));
    }
}

/// What Python's client sees there.
#[track_caller]
fn python(room: &Room, tokens: &str, mode: &str, place: &str, facts: &str) {
    let mut python = Command::new(installed("py/bin/python"));
    python
        .arg(workspace().join("crates/larkspur/tests/it/registry.py"))
        .args([tokens, mode, place])
        .envs([VAULT_KEY, NO_KEYRING]);
    let (code, printed) = run(room, &mut python);
    assert_eq!(printed, facts, "{tokens}, {mode}");
    assert_eq!(code, Some(0), "{tokens}, {mode}");
}

const RIGHT: &str = r#"tools: batch, call, call_readonly, get_module_schema
find: "Offline tickets: design",page
page: 25 lines
issues: results[136]{number,title}:
tickets: results[15]{key,type,status,priority,assignee,updated,summary}:
made: TIDE-121
ticket: # TIDE-121 Gate rejects tickets when its clock is behind (pier 1)
issue: # #136 Gate rejects tickets when its clock is behind (pier 1)
minutes: - [ ] TIDE-121: Gate rejects tickets when its clock is behind (pier 1)
summarize_page: Summarize the Notion page "PAGE" for the team.
triage_issues: Triage the open issues of tidewater/ticketing.
triage: Here is the Jira issue TIDE-121.
"#;

const WRONG: &str = "tools: batch, call, call_readonly, get_module_schema
find: Notion answered 401 about the search for `design`: API token is invalid. The token is wrong or was revoked: take the one at notion.so/my-integrations, and set it with `larkspur secret set notion.token`
issues: GitHub does not accept the token (401: Bad credentials): it is wrong, expired or revoked; make a new one under Settings > Developer settings > Personal access tokens, and set it with `larkspur secret set github.token`
tickets: Jira does not know the account: the token is wrong or has expired, or it is not the one of `email`. Make one at https://id.atlassian.com/manage-profile/security/api-tokens and set it with: larkspur secret set jira.token
skipped: page, made, tell, note
not read: Jira does not know the account: the token is wrong or has expired, or it is not the one of `email`. Make one at https://id.atlassian.com/manage-profile/security/api-tokens and set it with: larkspur secret set jira.token
alive: github
";

const PROGRAM: &str = env!("CARGO_BIN_EXE_larkspur");

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn a_batch_goes_through_three_services_over_stdio() {
    for mode in ["legacy", "2026-07-28"] {
        let standins = Standins::start().unwrap();
        let room = room(&standins);
        set_tokens(&room, &standins, str::to_owned);
        standins.github.turn_away(1);
        python(&room, "right", mode, PROGRAM, RIGHT);
        let given = standins.github.given();
        assert_eq!((given[0].status, given[1].status), (429, 200));
    }
}

#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn a_wrong_token_is_told_over_stdio() {
    let standins = Standins::start().unwrap();
    let room = room(&standins);
    set_tokens(&room, &standins, |token| format!("{token}x"));
    python(&room, "wrong", "auto", PROGRAM, WRONG);
}

/// The same server has wrong tokens first, and right ones then.
#[test]
#[ignore = "needs Python packages: cargo xtask test"]
fn a_batch_goes_through_three_services_over_http() {
    let standins = Standins::start().unwrap();
    let room = room(&standins);
    set_tokens(&room, &standins, |_| "wrong".to_owned());
    let web = Web::start(room, &[]);
    let place = format!("http://127.0.0.1:{}/mcp", web.port);
    python(&web.room, "wrong", "auto", &place, WRONG);
    set_tokens(&web.room, &standins, str::to_owned);
    python(&web.room, "right", "auto", &place, RIGHT);
}
