//! Words that people use for each other when they ask a tool for something.

use super::words::stem;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Each line is one meaning. A question for "what there is" asks for a list.
const MEANINGS: &str = "\
create make new add open write insert
search find look locate query lookup
get read retrieve fetch show view see
list what which there show all
delete remove erase drop clear
update change edit modify patch set rename
send post publish
run execute trigger start rerun
repository repo
pr pull
issue bug ticket defect report task
workflow ci pipeline build job action
comment reply note
log history
error exception failure fail
secret credential password token key
vulnerability vulnerable security alert
folder directory
row record entry
column field
table database base
web internet online
website site page url link
network http
request call
fill form type
click press tap
screenshot picture image photo snapshot capture
message chat
mail email
user person people colleague teammate member who
documentation docs doc manual
library package framework
latest newest recent last
place restaurant shop hotel cafe nearby near location
address location
distance driving travel
directions route";

/// Other words for a word, all of them stems.
pub(super) fn alike(word: &str) -> &'static [String] {
    static ALIKE: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
        let mut alike: HashMap<String, Vec<String>> = HashMap::new();
        for line in MEANINGS.lines() {
            let words: Vec<String> = line.split(' ').map(stem).collect();
            for word in &words {
                let others = words.iter().filter(|other| *other != word).cloned();
                alike.entry(word.clone()).or_default().extend(others);
            }
        }
        alike
    });
    ALIKE.get(word).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_knows_the_others() {
        assert_eq!(alike("repo"), ["repository"]);
        assert_eq!(alike("fold"), [""; 0]);
        assert_eq!(alike("directory"), ["folder"]);
        assert!(alike(&stem("credentials")).contains(&"secret".to_owned()));
        assert!(alike("locat").contains(&"search".to_owned()));
        assert_eq!(alike("zebra"), [""; 0]);
    }
}
