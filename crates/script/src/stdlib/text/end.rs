//! What an HTML element did is undone, or written, at its end.

use super::html::{Effect, Page};
use super::markdown::fence;

impl Page {
    pub(super) fn leave(&mut self, effect: Effect) {
        let prefix = self.prefix();
        match effect {
            Effect::None | Effect::Row => {}
            Effect::Skip => self.skipping -= 1,
            Effect::Block => self.sheet.block(),
            Effect::Heading => {
                self.sheet.flatten(false);
                self.sheet.block();
            }
            Effect::Mark { mark, at } => self.sheet.close(mark, at, mark.len()),
            Effect::Link { to, at } => self.sheet.close(&format!("]({to})"), at, 1),
            Effect::Code => {
                let code = self.code.take().unwrap_or_default();
                let code = code.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                if !code.is_empty() {
                    let fence = fence(&code, 1);
                    let blank = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
                    let markdown = format!("{fence}{blank}{code}{blank}{fence}");
                    self.sheet.inline(&markdown, &prefix);
                }
            }
            Effect::Pre { language } => {
                let code = self.code.take().unwrap_or_default();
                let code = code.trim_matches('\n');
                let fence = fence(code, 3);
                let first = format!("{fence}{language}");
                let lines =
                    [first.as_str()].into_iter().chain(code.lines()).chain([fence.as_str()]);
                self.sheet.lines(lines, &prefix);
            }
            Effect::Within => {
                self.prefixes.pop();
                if self.prefixes.is_empty() && self.elements.iter().all(|e| !e.is_list()) {
                    self.sheet.block();
                } else {
                    self.sheet.line();
                }
            }
            Effect::List { .. } => {
                if self.prefixes.is_empty() {
                    self.sheet.block();
                } else {
                    self.sheet.line();
                }
            }
            Effect::Cell(page) => {
                let cell = std::mem::replace(&mut self.sheet, *page);
                let text = cell.text.trim().replace('|', "\\|").replace('\n', " ");
                if let Some(row) = self.rows().and_then(|rows| rows.last_mut()) {
                    row.push(text);
                }
            }
            Effect::Table(rows) => {
                self.cells = 0;
                self.table(&rows, &prefix);
            }
        }
    }

    fn table(&mut self, rows: &[Vec<String>], prefix: &str) {
        let mut lines = Vec::new();
        for row in rows.iter().filter(|row| !row.is_empty()) {
            lines.push(format!("| {} |", row.join(" | ")));
            if lines.len() == 1 {
                lines.push(format!("|{}", " --- |".repeat(row.len())));
            }
        }
        if !lines.is_empty() {
            self.sheet.lines(lines.iter().map(String::as_str), prefix);
        }
    }
}
