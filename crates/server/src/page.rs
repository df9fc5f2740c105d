//! Long lists, a page at a time. A page begins after the name that the one before ended with, so that
//! nothing is shown twice or left out when the list changes in between.

use model::{hex_digits, read_hex};
use rmcp::ErrorData;

/// Most servers show all they have in one answer, since many clients ask only once.
const LONGEST: usize = 1000;

pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Where the next one begins, if there is one.
    pub(crate) next: Option<String>,
}

/// The page that was asked for, of a list in the order of its names.
pub(crate) fn page<T>(
    list: &str,
    cursor: Option<String>,
    all: impl Iterator<Item = T>,
    name: impl Fn(&T) -> &str,
) -> Result<Page<T>, ErrorData> {
    let after = match cursor {
        Some(cursor) => Some(read(list, &cursor).ok_or_else(|| unknown(list))?),
        None => None,
    };
    let is_seen = |item: &T| after.as_deref().is_some_and(|after| name(item) <= after);
    let mut rest = all.skip_while(is_seen).peekable();
    let items: Vec<T> = rest.by_ref().take(LONGEST).collect();
    let last = items.last().filter(|_| rest.peek().is_some());
    let next = last.map(|last| write(list, name(last)));
    Ok(Page { items, next })
}

fn write(list: &str, name: &str) -> String {
    hex_digits(format!("{list}\n{name}").as_bytes())
}

/// The name, if this is a cursor of ours, and of this list.
fn read(list: &str, cursor: &str) -> Option<String> {
    let text = String::from_utf8(read_hex(cursor)?).ok()?;
    let (of, name) = text.split_once('\n')?;
    (of == list).then(|| name.to_owned())
}

fn unknown(list: &str) -> ErrorData {
    let why = format!("this is no cursor of {list}; ask without one for the first page");
    ErrorData::invalid_params(why, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("tool-{n:05}")).collect()
    }

    fn ask(all: &[String], cursor: Option<&str>) -> Result<Page<String>, String> {
        let cursor = cursor.map(str::to_owned);
        let page = page("tools/list", cursor, all.iter().cloned(), |name| name);
        page.map_err(|error| format!("{} {}", error.code.0, error.message))
    }

    /// Every page from the first to the last.
    fn walk(all: &[String]) -> Vec<Vec<String>> {
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let page = ask(all, cursor.as_deref()).unwrap();
            pages.push(page.items);
            match page.next {
                Some(next) => cursor = Some(next),
                None => return pages,
            }
        }
    }

    #[test]
    fn pages_together_are_the_list() {
        let cases: [(usize, &[usize]); 5] =
            [(0, &[0]), (1, &[1]), (1000, &[1000]), (1001, &[1000, 1]), (2500, &[1000, 1000, 500])];
        for (count, expected) in cases {
            let pages = walk(&names(count));
            let lengths: Vec<usize> = pages.iter().map(Vec::len).collect();
            assert_eq!(lengths, expected, "{count}");
            assert_eq!(pages.concat(), names(count), "{count}");
        }
    }

    #[test]
    fn a_change_in_between_hides_nothing() {
        let mut all = names(1500);
        let first = ask(&all, None).unwrap();
        all.remove(999);
        all.remove(3);
        let second = ask(&all, first.next.as_deref()).unwrap();
        assert_eq!(second.items, names(1500)[1000..]);
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let other = write("prompts/list", "a");
        for cursor in ["", "x", "0", "zz", "+1", "ff", "616263", "ä", &other] {
            let refusal = ask(&names(3), Some(cursor)).map(|page| page.items);
            let expected =
                "-32602 this is no cursor of tools/list; ask without one for the first page";
            assert_eq!(refusal, Err(expected.into()), "{cursor:?}");
        }
    }
}
