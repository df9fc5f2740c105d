//! Text that stays within a number of tokens.

use compact::count_tokens;
use model::Grouped;
use std::fmt::Write;

/// Tokens of `and 1,000 more`, with its line break.
const MORE_TOKENS: usize = 8;

pub(super) struct BudgetedText {
    text: String,
    left: usize,
}

impl BudgetedText {
    pub(super) fn new(tokens: usize) -> Self {
        Self { text: String::new(), left: tokens }
    }

    /// Tokens that are left.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Appends a piece if it fits; returns whether it did.
    pub(super) fn push(&mut self, piece: &str) -> bool {
        let tokens = count_tokens(piece);
        let fits = tokens <= self.left;
        if fits {
            self.left -= tokens;
            self.text.push_str(piece);
        }
        fits
    }

    /// Appends a line with as many of the names as fit, and how many more there are.
    pub(super) fn push_names<'n>(&mut self, label: &str, names: impl IntoIterator<Item = &'n str>) {
        let mut names = names.into_iter().peekable();
        if names.peek().is_none() || !self.push(label) {
            return;
        }
        self.left = self.left.saturating_sub(MORE_TOKENS);
        let mut separator = "";
        while let Some(name) = names.peek() {
            if !self.push(&format!("{separator}{name}")) {
                break;
            }
            separator = ", ";
            names.next();
        }
        let more = Grouped(names.count());
        let _ = match separator {
            _ if more.0 == 0 => Ok(()),
            "" => write!(self.text, "{more} names"),
            _ => write!(self.text, " and {more} more"),
        };
        self.text.push('\n');
    }

    /// Returns the text without the line break at its end.
    pub(super) fn into_text(self) -> String {
        self.text.trim_end().to_owned()
    }
}
