//! Renews the table in the book.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

const PAGE: &str = "book/src/clients-measured.md";
const BEGIN: &str = "<!-- Table: cargo xtask clients --write -->\n";
const END: &str = "<!-- End of the table -->\n";

pub(crate) fn write(root: &Path, table: &str) -> Result<()> {
    let file = root.join(PAGE);
    let page = fs::read_to_string(&file)?;
    let page =
        replace(&page, table).with_context(|| format!("{PAGE} has no place for the table"))?;
    Ok(fs::write(file, page)?)
}

/// The page with another table between the marks.
fn replace(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_table_is_replaced() {
        let page = format!("a\n{BEGIN}\nold\n\n{END}b\n");
        let expected = format!("a\n{BEGIN}\nnew\n\n{END}b\n");
        assert_eq!(replace(&page, "new\n"), Some(expected));
        assert_eq!(replace("a", "new\n"), None);
    }
}
