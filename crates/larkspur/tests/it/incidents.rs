//! What has gone wrong elsewhere, class by class, and the tests that show it cannot go wrong here. The
//! ids are those of the incidents that the security model was drawn from; a name that leads to no test
//! fails.

use crate::documents::workspace;
use std::collections::BTreeSet;
use std::fs;

/// A class, and tests as `file::function` below `crates/`.
const CLASSES: &[(&str, &[&str])] = &[
    (
        "I1 pages that reach a local server by another name",
        &[
            "larkspur/tests/it/entrance.rs::only_its_own_names",
            "larkspur/tests/it/entrance.rs::no_page_unless_one_is_named",
        ],
    ),
    (
        "I2 simple requests of foreign pages",
        &[
            "larkspur/tests/it/entrance.rs::a_body_is_json_as_it_is",
            "larkspur/tests/it/entrance.rs::pages_that_are_named",
            "larkspur/tests/it/entrance.rs::an_open_address_needs_a_token",
        ],
    ),
    (
        "I3 open to all machines, without a login",
        &[
            "larkspur/tests/it/entrance.rs::an_open_address_needs_a_token",
            "larkspur/tests/it/auth.rs::a_server_that_cannot_know_its_callers_does_not_start",
        ],
    ),
    ("I4 one route without a guard", &["larkspur/tests/it/auth.rs::every_route_wants_a_token"]),
    (
        "I5 permissions that are read and not held",
        &[
            "runtime/src/view_tests.rs::listed_is_callable_is_found_whatever_the_policy",
            "larkspur/tests/it/gate.rs::what_is_masked_is_not_there",
            "larkspur/tests/it/gate.rs::a_missing_scope_is_asked_for",
        ],
    ),
    (
        "I6 tools that run with the server's identity",
        &[
            "larkspur/tests/it/callers.rs::ten_thousand_calls_of_three_people_carry_their_own_secrets",
        ],
    ),
    (
        "I7 an id taken for a login",
        &[
            "larkspur/tests/it/gate.rs::a_session_belongs_to_its_caller",
            "larkspur/tests/it/owners.rs::a_task_belongs_to_its_caller",
            "larkspur/tests/it/owners.rs::a_request_state_belongs_to_its_caller",
        ],
    ),
    (
        "I8 answers that reach somebody else",
        &["runtime/src/view_tests.rs::nobody_gets_an_answer_of_somebody_else"],
    ),
    ("I9 shared caches", &["larkspur/tests/it/gate.rs::lists_are_private"]),
    (
        "I10 messages that two readers read differently",
        &[
            "larkspur/tests/it/entrance.rs::a_body_is_one_message",
            "larkspur/tests/it/entrance.rs::headers_say_what_the_body_says",
            "larkspur/tests/it/gate.rs::headers_that_differ_are_told_first",
            "larkspur/tests/it/fuzz.rs::fuzzed_lines_neither_end_the_server_nor_get_two_answers",
        ],
    ),
    (
        "I11 commands made of arguments",
        &[
            "larkspur/tests/it/exec.rs::a_folder_runs_what_its_manifest_names",
            "runtime/src/gate_tests.rs::a_script_cannot_turn_a_command_into_another",
        ],
    ),
    (
        "I12 paths that lead out",
        &[
            "larkspur/tests/it/permissions.rs::paths_do_not_lead_out",
            "larkspur/tests/it/imports.rs::nothing_else_is",
        ],
    ),
    (
        "I13 requests to inner addresses",
        &[
            "outside/src/http/tests/vectors.rs::what_is_not_public_is_refused_however_it_is_spelt",
            "outside/src/http/tests/guard.rs::a_name_that_changes_its_address_is_held_to_the_judged_one",
            "outside/src/http/tests/guard.rs::a_redirect_does_not_lead_to_what_may_not_be_reached",
        ],
    ),
    (
        "I14 statements made of arguments",
        &[
            "runtime/src/gate_tests.rs::every_kind_of_request_to_a_database_has_been_judged",
            "larkspur/tests/it/databases.rs::file_and_folder_reach_the_databases_they_declare",
        ],
    ),
    (
        "I16 descriptions that hide instructions",
        &["larkspur/tests/it/check.rs::the_examples_of_every_lesson_are_what_they_say"],
    ),
    (
        "I17 secrets in logs, errors and arguments",
        &[
            "larkspur/tests/it/canary.rs::a_secret_is_seen_where_it_belongs_and_nowhere_else",
            "larkspur/tests/it/auth.rs::the_token_stays_at_the_door",
            "larkspur/tests/it/logs.rs::nobody_can_write_a_line_that_is_not_his",
            "larkspur/tests/it/logs.rs::neither_arguments_nor_results_are_logged",
        ],
    ),
    (
        "I18 a guard on one road only",
        &[
            "runtime/src/view_tests.rs::listed_is_callable_is_found_whatever_the_policy",
            "runtime/src/gate_tests.rs::every_method_of_the_host_has_been_judged",
        ],
    ),
    (
        "I19 input and output without end",
        &[
            "larkspur/tests/it/frames.rs::a_gigabyte_costs_little",
            "larkspur/tests/it/slow.rs::slow_headers_and_slow_bodies_are_closed",
            "larkspur/tests/it/protocol.rs::a_line_without_end_is_refused_and_skipped",
            "outside/src/http/tests/bodies.rs::an_endless_answer_is_not_read_to_the_end",
            "larkspur/tests/it/limits.rs::bombs_are_stopped_below_a_gigabyte",
        ],
    ),
    (
        "I21 tokens that are looked at too little",
        &["larkspur/tests/it/auth.rs::only_tokens_that_hold_are_taken"],
    ),
    (
        "I22 configuration that reaches for the environment",
        &["larkspur/tests/it/permissions.rs::file_reaches_nothing_while_it_loads"],
    ),
    (
        "I23 a panic that takes the process down",
        &[
            "larkspur/tests/it/fuzz.rs::fuzzed_lines_neither_end_the_server_nor_get_two_answers",
            "larkspur/tests/it/frames.rs::fuzzed_requests_do_not_end_the_server",
            "larkspur/tests/it/limits.rs::a_bomb_at_load_stops_nobody",
        ],
    ),
];

#[test]
fn every_class_has_its_tests() {
    for (class, tests) in CLASSES {
        for test in *tests {
            let (file, function) = test.split_once("::").unwrap();
            let path = workspace().join("crates").join(file);
            let source = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{class}: {file}: {error}"));
            let found = source.contains(&format!("fn {function}("));
            assert!(found, "{class}: there is no `{function}` in {file}");
        }
    }
    // I15, what a model is talked into, cannot be shut out by a server; I20 is about servers that hand
    // out tokens, which this one does not.
    let ids: BTreeSet<&str> =
        CLASSES.iter().filter_map(|(class, _)| class.split(' ').next()).collect();
    let missing: Vec<String> = (1..=23)
        .map(|number| format!("I{number}"))
        .filter(|id| !ids.contains(id.as_str()))
        .collect();
    assert_eq!(missing, ["I15", "I20"]);
}
