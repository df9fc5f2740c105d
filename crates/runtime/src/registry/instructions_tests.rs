//! The generated instructions: what they say, and that they stay short.

use super::*;

fn lines(modules: &[(&'static str, &'static str)]) -> Vec<ModuleLine<'static>> {
    let modules = modules.iter();
    modules.map(|&(name, about)| ModuleLine { name, about }).collect()
}

#[test]
fn modules_come_first_and_usage_follows() {
    let modules = lines(&[("github", "Issues and pull requests"), ("greet", "")]);
    assert_eq!(
        instructions(None, &modules, true),
        format!("Modules:\n- github: Issues and pull requests\n- greet\n{META_TOOLS}")
    );
    assert_eq!(
        instructions(None, &modules, false),
        format!("Modules:\n- github: Issues and pull requests\n- greet\n{LISTED_TOOLS}")
    );
    assert_eq!(instructions(None, &[], true), "This server has no modules yet.");
    let own = Some("Ask before you close an issue.\n");
    assert_eq!(
        instructions(own, &modules[1..], true),
        format!("Ask before you close an issue.\n\nModules:\n- greet\n{META_TOOLS}")
    );
}

#[test]
fn instructions_stay_short_at_any_number_of_modules() {
    for (about, count) in [0, 1, 10, 40, 41, 200, 400, 5_000]
        .into_iter()
        .flat_map(|count| [("", count), ("Issues, pull requests and workflow runs", count)])
    {
        let names: Vec<String> = (0..count).map(|n| format!("module_{n:04}")).collect();
        let modules = names.iter().map(|name| ModuleLine { name, about });
        let modules: Vec<ModuleLine<'_>> = modules.collect();
        for own in [String::new(), "あ".repeat(1_000)] {
            let text = instructions(Some(&own), &modules, true);
            assert!(text.chars().count() <= MOST_CHARACTERS, "{count} {text}");
            let generated = text.strip_prefix(&own).unwrap();
            assert!(count_tokens(generated) <= MOST_TOKENS, "{count} {text}");
            assert!(count == 0 || generated.ends_with(META_TOOLS), "{text}");
            assert_eq!(generated.contains("module_0000"), count > 0, "{text}");
        }
    }
}

#[test]
fn one_more_module_takes_one_description_at_most_a_few() {
    let names: Vec<String> = (0..60).map(|n| format!("module_{n:04}")).collect();
    let about = "Issues, pull requests and workflow runs";
    let described = |count: usize| {
        let modules = names[..count].iter().map(|name| ModuleLine { name, about });
        let modules: Vec<ModuleLine<'_>> = modules.collect();
        let text = instructions(None, &modules, true);
        text.matches(about).count()
    };
    for count in 1..names.len() {
        assert!(described(count + 1) + 2 >= described(count), "{count}");
    }
    assert!(described(60) > 0);
}

#[test]
fn names_that_are_cut_are_counted() {
    let names: Vec<String> = (0..400).map(|n| format!("module_{n:04}")).collect();
    let modules = names.iter().map(|name| ModuleLine { name, about: "x" });
    let modules: Vec<ModuleLine<'_>> = modules.collect();
    let text = instructions(None, &modules, true);
    let named = text.matches("module_0").count();
    assert!(text.starts_with("Modules: module_0000, module_0001, "), "{text}");
    assert!(text.contains(&format!(" and {} more\n", 400 - named)), "{text}");
}
