//! `questions` of a tool: read at load, in both forms of declaration.

use super::*;

/// A typed tool with these questions.
fn typed(questions: &str) -> String {
    format!("def stock():\n    return []\n\ntool(stock, questions = {questions})\n")
}

/// The same tool as starlark-mcp declares it.
fn described(questions: &str) -> String {
    format!(
        "def describe_extension():\n    return Extension(name = \"a\", tools = [Tool(name = \"stock\", \
         handler = lambda params: [], questions = {questions})])\n"
    )
}

#[test]
fn both_forms_declare_questions() {
    for (given, expected) in [
        (r#"["what is left?", " 在庫は? "]"#, vec!["what is left?", "在庫は?"]),
        (r#"("what is left?",)"#, vec!["what is left?"]),
        (r#"["x" * 200] * 50"#, vec![&*"x".repeat(200); 50]),
        ("[]", vec![]),
        ("None", vec![]),
    ] {
        for source in [typed(given), described(given)] {
            let script = load(&source).unwrap();
            assert_eq!(script.tools[0].tool.questions, expected, "{source}");
        }
    }
    let dict = "def describe_extension():\n    return {\"name\": \"a\", \"tools\": [{\"name\": \"stock\", \
                \"handler\": lambda params: [], \"questions\": [\"what is left?\"]}]}\n";
    assert_eq!(load(dict).unwrap().tools[0].tool.questions, ["what is left?"]);
}

#[test]
fn wrong_questions_are_rejected_with_their_place() {
    for (given, expected) in [
        (
            r#""who?""#,
            "`questions` is a list of strings such as [\"who is on call?\"], not a string",
        ),
        (r#"["who?", 3]"#, "`questions[1]` must be a string, not a int"),
        (r#"["who?", "  "]"#, "`questions[1]` is empty; remove it"),
        (r#"["x" * 201]"#, "`questions[0]` has 201 characters; at most 200 are allowed"),
        (r#"["x"] * 51"#, "`questions` has 51 entries; at most 50 are allowed"),
    ] {
        for source in [typed(given), described(given)] {
            let fault = load(&source).err().expect("wrong questions");
            assert_eq!(fault.message, format!("tool `stock`: {expected}"));
            assert!(fault.place.is_some(), "{source}");
        }
    }
}
