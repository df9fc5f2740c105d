//! What is found, in which order; and how well, over the corpus.

use super::*;
use crate::corpus;
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// Tools in one module; each is a name and a description.
fn index(tools: &[(&str, &str)]) -> SearchIndex {
    let input = json!({"type": "object"});
    SearchIndex::new(tools.iter().map(|(name, description)| Findable {
        module: "m",
        module_description: "",
        keywords: &[],
        name,
        description,
        input: &input,
        examples: &[],
        questions: &[],
    }))
}

#[track_caller]
fn check(index: &SearchIndex, query: &str, expected: &[usize]) {
    assert_eq!(index.search(query, 10), expected, "{query}");
}

#[test]
fn names_count_most_and_what_does_not_fit_is_not_there() {
    let index = index(&[
        ("close_issue", "Closes it."),
        ("get_weather", "The weather. Nothing about an issue."),
        ("listIssues", "List issues, newest first."),
        ("time", "What time it is."),
    ]);
    check(&index, "issues", &[2, 0, 1]);
    check(&index, "closing an issue", &[0, 2, 1]);
    check(&index, "WEATHER?", &[1]);
    check(&index, "zebra", &[]);
    check(&index, "", &[]);
    check(&index, "the", &[]);
    assert_eq!(index.search("issues", 1), [2]);
}

#[test]
fn other_words_for_it_do_as_well_but_count_less() {
    let index =
        index(&[("list_directory", "Entries."), ("list_folder", "Entries."), ("read", "A file.")]);
    check(&index, "folder", &[1, 0]);
    check(&index, "directory", &[0, 1]);
}

#[test]
fn parameters_keywords_examples_and_questions_are_searched() {
    let input = json!({"type": "object", "properties": {
        "latitude": {"type": "number", "description": "North of the equator"},
    }});
    let plain = json!({"type": "object"});
    let keywords = ["forecast".to_owned()];
    let examples = [json!({"city": "Oslo", "tags": ["rain"]}), json!("is it sunny")];
    let questions = ["do I need an umbrella?".to_owned(), "傘はいりますか".to_owned()];
    let tool = Findable {
        module: "climate",
        module_description: "Weather of the world",
        keywords: &keywords,
        name: "t",
        description: "d",
        input: &input,
        examples: &examples,
        questions: &questions,
    };
    let other = Findable {
        module: "other",
        module_description: "",
        keywords: &[],
        input: &plain,
        examples: &[],
        questions: &[],
        ..tool
    };
    let index = SearchIndex::new([other, tool]);
    for query in [
        "latitude",
        "equator",
        "forecasts",
        "oslo",
        "rain",
        "sunny",
        "umbrella",
        "傘",
        "climate",
        "world",
        "umbrela",
    ] {
        check(&index, query, &[1]);
    }
}

#[test]
fn typing_errors_are_tolerated_in_words_that_no_tool_has() {
    let index = index(&[
        ("list_repositories", "List repositories."),
        ("create_invoice", "Create an invoice."),
        ("voice_call", "Call by voice."),
    ]);
    check(&index, "repostories", &[0]);
    check(&index, "invocie", &[1]);
    check(&index, "voice", &[2]);
    check(&index, "nvoice", &[]);
    check(&index, &"x".repeat(1 << 20), &[]);
    assert_eq!(index.search_similar("nvoice", 5), [1, 2]);
    assert_eq!(index.search_similar("invoicing_system", 5), [1, 2]);
    assert_eq!(index.search_similar("zebra", 5), [0; 0]);
}

#[test]
fn compound_words_are_found_in_one_word_and_in_two() {
    let index = index(&[("list_deals", "Deals of HubSpot."), ("spot", "A place.")]);
    check(&index, "hubspot", &[0]);
    check(&index, "HubSpot", &[0, 1]);
}

#[test]
fn texts_without_spaces_are_searched() {
    let index = index(&[
        ("search", "Notionのページを検索する。設計書も探せる"),
        ("create_page", "新しいページを作成する"),
        ("list_users", "사용자 목록을 가져옵니다"),
        ("query", "查询数据库中的记录"),
    ]);
    check(&index, "ページの検索", &[0, 1]);
    check(&index, "設計", &[0]);
    check(&index, "作成", &[1]);
    check(&index, "사용자", &[2]);
    check(&index, "数据库", &[3]);
    check(&index, "書", &[0]);
}

#[test]
fn equally_good_ones_stay_in_their_order() {
    let same = [("a_page", "A page."); 5];
    check(&index(&same), "page", &[0, 1, 2, 3, 4]);
    check(&SearchIndex::default(), "page", &[]);
}

/// All tools of the corpus by their paths.
fn catalog() -> (Vec<String>, SearchIndex) {
    let servers = corpus::all("tools");
    let tools = servers.iter().flat_map(|(_, server)| {
        let tools = server["tools"].as_array().unwrap();
        tools.iter().map(|tool| (server["server"].as_str().unwrap(), tool))
    });
    let tools: Vec<_> = tools.collect();
    let descriptions: HashMap<&str, &str> = servers
        .iter()
        .map(|(_, server)| {
            let text = |key: &str| server[key].as_str().unwrap_or_default();
            (text("server"), text("description"))
        })
        .collect();
    let paths =
        tools.iter().map(|(server, tool)| format!("{server}.{}", tool["name"].as_str().unwrap()));
    let index = SearchIndex::new(tools.iter().map(|(server, tool)| Findable {
        module: server,
        module_description: descriptions[server],
        keywords: &[],
        name: tool["name"].as_str().unwrap(),
        description: tool["description"].as_str().unwrap_or_default(),
        input: &tool["inputSchema"],
        examples: &[],
        questions: &[],
    }));
    (paths.collect(), index)
}

/// The requests of the corpus, each with the tools that fit it.
fn requests(paths: &[String]) -> Vec<(String, Vec<usize>)> {
    let requests = corpus::read("queries.json");
    let position = |tool: &serde_json::Value| {
        let found = paths.iter().position(|path| tool == path);
        found.unwrap_or_else(|| panic!("the corpus has no tool {tool}"))
    };
    let request = |request: &serde_json::Value| {
        let fitting = request["relevant"].as_array().unwrap();
        assert!(!fitting.is_empty(), "{request}");
        let query = request["query"].as_str().unwrap().to_owned();
        (query, fitting.iter().map(position).collect())
    };
    requests.as_array().unwrap().iter().map(request).collect()
}

#[test]
fn corpus_has_its_size_and_no_tool_or_request_twice() {
    let (paths, _) = catalog();
    let requests = requests(&paths);
    let servers: HashSet<&str> = paths.iter().filter_map(|p| p.split('.').next()).collect();
    assert_eq!((servers.len(), requests.len()), (14, 60));
    assert!((290..=330).contains(&paths.len()), "{} tools", paths.len());
    assert_eq!(paths.iter().collect::<HashSet<_>>().len(), paths.len());
    let queries: HashSet<&String> = requests.iter().map(|(query, _)| query).collect();
    assert_eq!(queries.len(), requests.len());
}

/// A response shows thirty tools, the first five with their signatures.
#[test]
fn nine_of_ten_requests_find_their_tool_and_three_of_four_among_the_first_five() {
    let (paths, index) = catalog();
    let requests = requests(&paths);
    let found = |top| {
        let asked = requests.iter();
        let answered = asked.filter(|(query, fitting)| {
            index.search(query, top).iter().any(|tool| fitting.contains(tool))
        });
        answered.count() * 100 / requests.len()
    };
    println!("{} % first, {} % in ten", found(1), found(10));
    for (query, fitting) in &requests {
        let first = index.search(query, 30);
        if !first.iter().any(|tool| fitting.contains(tool)) {
            let first: Vec<&str> = first.iter().take(5).map(|tool| paths[*tool].as_str()).collect();
            println!("not found: {query}: {first:?}");
        }
    }
    assert!(found(5) >= 75, "{} % in five", found(5));
    assert!(found(30) >= 90, "{} % in thirty", found(30));
}

#[test]
fn every_tool_is_found_by_its_own_name() {
    let (paths, index) = catalog();
    for (tool, path) in paths.iter().enumerate() {
        // Two, since there are names that differ by an ending only.
        assert!(index.search(path, 2).contains(&tool), "{path}");
    }
}

#[test]
fn the_index_is_smaller_than_what_it_is_about() {
    let (_, index) = catalog();
    let places: usize = index.words.values().map(Vec::len).sum();
    let words: usize = index.words.keys().map(|word| word.len() + 48).sum();
    let definitions: usize =
        corpus::all("tools").iter().map(|(_, s)| s["tools"].to_string().len()).sum();
    println!(
        "{} words at {places} places, about {} bytes for {definitions}",
        index.words.len(),
        places * 8 + words
    );
    assert!(places * 8 + words < definitions);
}
