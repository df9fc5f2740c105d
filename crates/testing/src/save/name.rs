//! What a saved test is called.

/// The name that is wanted, or `test_TOOL_N` with the first number that is free.
pub(super) fn choose(
    tool: &str,
    wanted: Option<&str>,
    is_taken: impl Fn(&str) -> bool,
) -> Result<String, String> {
    let Some(wanted) = wanted else {
        let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let tool: String = tool.chars().map(safe).collect();
        let mut numbered = (1..).map(|n: u32| format!("test_{tool}_{n}"));
        let free = numbered.find(|name| !is_taken(name));
        return free.ok_or_else(|| "there is no name left".into());
    };
    let name =
        if wanted.starts_with("test_") { wanted.to_owned() } else { format!("test_{wanted}") };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(format!("`{wanted}` is no name for a test (letters, digits and `_`)"));
    }
    if is_taken(&name) {
        return Err(format!("there is a `{name}` already"));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let taken = ["test_stock_1", "test_mine"];
        for (tool, wanted, expected) in [
            ("stock", None, Ok("test_stock_2")),
            ("get-it", None, Ok("test_get_it_1")),
            ("stock", Some("yours"), Ok("test_yours")),
            ("stock", Some("test_yours"), Ok("test_yours")),
            ("stock", Some("mine"), Err("there is a `test_mine` already")),
            ("stock", Some("a b"), Err("`a b` is no name for a test (letters, digits and `_`)")),
        ] {
            let chosen = choose(tool, wanted, |name| taken.contains(&name));
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(chosen, expected);
        }
    }
}
