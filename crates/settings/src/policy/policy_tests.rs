//! Who may do what, as tables.

use super::*;
use crate::Project;
use serde_json::json;

const POLICY: &str = r#"
[role.reader]
users = ["*"]
allow = ["*.get_*", "*.list_*", "notion.search"]

[role.writer]
users = ["ada"]
scopes = ["mcp:write"]
allow = ["*"]
deny = ["*.delete_*", "shop.list_prices"]

[role.admin]
claims = { groups = ["ops", "root"], "realm.level" = 3 }
allow = ["*.delete_*"]

[scope."notion:read"]
tools = ["notion.get_*", "notion.search"]

[scope."notion:write"]
tools = ["notion.create_*", "notion.update_*"]
implies = ["notion:read"]

[scope."all"]
tools = ["shop.*"]
implies = ["notion:write"]
"#;

fn policy() -> Policy {
    Project::parse("larkspur.toml", POLICY).unwrap().policy
}

fn somebody(name: &'static str, scopes: &[&str], claims: &serde_json::Value) -> Caller {
    let scopes = scopes.iter().copied().map(str::to_owned).collect();
    Caller::named(name).with_token(scopes, claims.as_object().unwrap().clone())
}

#[test]
fn deny_wins_and_no_match_is_no() {
    let policy = policy();
    let none = json!({});
    let ops = json!({"groups": ["dev", "ops"], "realm": {"level": 3}});
    for (caller, path, expected) in [
        (
            somebody("bob", &[], &none),
            "shop.get_item",
            "allowed: `*.get_*` in `allow` of [role.reader]",
        ),
        (somebody("bob", &[], &none), "shop.buy", "denied: no role of this caller allows it"),
        (somebody("ada", &[], &none), "shop.buy", "allowed: `*` in `allow` of [role.writer]"),
        (
            somebody("bob", &["mcp:write"], &none),
            "shop.buy",
            "allowed: `*` in `allow` of [role.writer]",
        ),
        // Another role allows it: deny wins all the same.
        (
            somebody("ada", &[], &none),
            "shop.list_prices",
            "denied: `shop.list_prices` in `deny` of [role.writer]",
        ),
        (
            somebody("ada", &[], &ops),
            "shop.delete_all",
            "denied: `*.delete_*` in `deny` of [role.writer]",
        ),
        (
            somebody("bob", &[], &ops),
            "shop.delete_all",
            "allowed: `*.delete_*` in `allow` of [role.admin]",
        ),
        (
            somebody("bob", &[], &json!({"groups": "root", "realm.level": 3})),
            "shop.delete_all",
            "allowed: `*.delete_*` in `allow` of [role.admin]",
        ),
        (
            somebody("bob", &[], &json!({"groups": ["ops"]})),
            "shop.delete_all",
            "denied: no role of this caller allows it",
        ),
        (somebody("local", &[], &none), "shop.buy", "denied: no role of this caller allows it"),
        (Caller::default(), "shop.delete_all", "allowed: no role restricts this caller"),
    ] {
        let (module, name) = path.split_once('.').unwrap();
        let verdict = policy.decide(&policy.roles_of(&caller), module, name);
        assert_eq!(verdict.to_string(), expected, "{} {path}", caller.name);
    }
}

#[test]
fn without_roles_all_is_open_and_a_role_can_bind_whoever_runs_the_server() {
    let open = Policy::default();
    assert_eq!(open.roles_of(&Caller::named("bob")), Roles::All);
    let text = "role.x.users = ['local']\nrole.x.allow = ['a.b']";
    let bound = Project::parse("larkspur.toml", text).unwrap().policy;
    let roles = bound.roles_of(&Caller::default());
    assert!(bound.decide(&roles, "a", "b").is_yes());
    assert!(!bound.decide(&roles, "a", "c").is_yes());
}

#[test]
fn the_first_scope_that_would_open_it_is_missing() {
    let policy = policy();
    for (scopes, path, missing) in [
        (&[][..], "notion.search", Some("notion:read")),
        (&["notion:read"], "notion.search", None),
        (&["notion:read"], "notion.create_page", Some("notion:write")),
        (&["notion:write"], "notion.search", None),
        (&["all"], "notion.get_page", None),
        (&["other"], "shop.buy", Some("all")),
        (&[], "jira.search", None),
    ] {
        let caller = somebody("bob", scopes, &json!({}));
        let (module, name) = path.split_once('.').unwrap();
        assert_eq!(policy.missing_scope(&caller, module, name), missing, "{scopes:?} {path}");
    }
    // Who has no token has nothing that could lack a scope.
    assert_eq!(policy.missing_scope(&Caller::default(), "notion", "search"), None);
}
