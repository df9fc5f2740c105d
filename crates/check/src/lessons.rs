//! What each code means, at length: one page, of which `larkspur explain` shows a part.

use model::did_you_mean;

/// The whole page, as the book has it.
pub const PAGE: &str = include_str!("lessons.md");

pub struct Lesson {
    pub code: &'static str,
    pub title: &'static str,
    /// With its heading.
    pub text: &'static str,
}

pub fn lessons() -> impl Iterator<Item = Lesson> {
    let mut starts: Vec<usize> = PAGE.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    starts.push(PAGE.len());
    let parts: Vec<&str> = starts.windows(2).map(|pair| &PAGE[pair[0]..pair[1]]).collect();
    parts.into_iter().filter_map(|text| {
        let heading = text.lines().next()?.strip_prefix("## ")?;
        let (code, title) = heading.split_once(' ')?;
        Some(Lesson { code, title, text: text.trim_end() })
    })
}

/// The lesson of a code, or the code that may have been meant.
pub fn lesson(code: &str) -> Result<Lesson, Option<&'static str>> {
    let code = code.to_ascii_uppercase();
    let found = lessons().find(|lesson| lesson.code == code);
    found.ok_or_else(|| did_you_mean(&code, lessons().map(|lesson| lesson.code)))
}
