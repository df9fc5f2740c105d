//! kebab-case, which manifests ask of a module's name.

use crate::{Fault, ModuleName};

/// The name of a module with a manifest, or what is wrong with it and what to write instead.
pub fn kebab_name(given: &str) -> Result<ModuleName, Fault> {
    if is_kebab(given) {
        return given.parse().map_err(|why: crate::BadName| Fault::new(why.to_string()));
    }
    let help = match to_kebab(given) {
        Some(kebab) => format!("write `{kebab}`"),
        None => "small letters, digits and `-`, such as `http-utils`".to_owned(),
    };
    Err(Fault::new(format!("name `{given}` is not kebab-case")).help(help))
}

/// `http-utils`: words of small letters and digits, the first letter a letter.
fn is_kebab(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(|word| {
            let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            !word.is_empty() && word.bytes().all(plain)
        })
}

/// What the author most likely meant: `My_Tool` and `myTool` are `my-tool`. Letters of other alphabets, and
/// those with accents, are nothing to guess from.
fn to_kebab(name: &str) -> Option<String> {
    if name.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()) {
        return None;
    }
    let mut kebab = String::new();
    let mut after_small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && after_small {
            kebab.push('-');
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        let keep = c.is_ascii_alphanumeric();
        kebab.push(if keep { c.to_ascii_lowercase() } else { '-' });
    }
    let words: Vec<&str> = kebab.split('-').filter(|word| !word.is_empty()).collect();
    Some(words.join("-")).filter(|name| is_kebab(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kebab_is_known_or_made() {
        let check = |given: &str, kebab: Option<&str>| {
            assert_eq!(to_kebab(given).as_deref(), kebab, "{given}");
            assert_eq!(is_kebab(given), kebab == Some(given), "{given}");
        };
        check("http-utils", Some("http-utils"));
        check("a1-2b", Some("a1-2b"));
        check("My_Tool", Some("my-tool"));
        check("myTool", Some("my-tool"));
        check("HTTP Utils", Some("http-utils"));
        check("a--b-", Some("a-b"));
        check("1st", None);
        check("", None);
        check("äh", None);
        check("héllo", None);
        check("a→b", Some("a-b"));
    }
}
