//! What of a README is ours to write anew: what stands between two marks. The rest is the author's.

use model::ModuleName;

const BEGIN: &str = "<!-- larkspur: ";
const END: &str = "<!-- larkspur: end -->";

/// The text between marks, of which the first says how it is renewed.
pub(super) fn around(name: &ModuleName, text: &str) -> String {
    format!(
        "{BEGIN}what follows, down to the end mark, is made by `larkspur doc --readme {name}` -->\n\n\
         {text}\n{END}\n"
    )
}

/// The old page with what the new one has between its marks; `None` if the old one has no marks.
pub fn renewed(old: &str, new: &str) -> Option<String> {
    let (before, _, after) = split(old)?;
    let (_, between, _) = split(new)?;
    Some(format!("{before}{between}{after}"))
}

fn split(page: &str) -> Option<(&str, &str, &str)> {
    let begin = page.find(BEGIN)?;
    let end = page.find(END).filter(|end| *end > begin)?;
    let (before, rest) = page.split_at(begin);
    let (between, after) = rest.split_at(end - begin);
    Some((before, between, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_author_wrote_stays() {
        let name = "hello".parse().unwrap();
        let page = |text| around(&name, text);
        let old = format!("# Mine\n\n{}\nthanks\n", page("old"));
        let next = format!("# Mine\n\n{}\nthanks\n", page("new"));
        assert_eq!(renewed(&old, &format!("# hello\n\n{}", page("new"))), Some(next));
        for unmarked in ["# Mine\n", END, &format!("{END}\n{BEGIN}")] {
            assert_eq!(renewed(unmarked, &page("new")), None, "{unmarked}");
        }
    }
}
