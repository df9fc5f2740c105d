//! What an HTML element does to what lies in it, begun at its tag.

use super::html::{BLOCKS, Effect, Element, Page};
use super::markdown::{Sheet, target, unmistaken};
use super::tokens::Tag;

/// Lists and quotes begin every line inside them, so fewer of these are drawn.
const DEEPEST_BLOCK: usize = 16;

const SKIPPED: [&str; 9] =
    ["script", "style", "title", "iframe", "template", "svg", "object", "noscript", "select"];

impl Page {
    /// What an element does, begun.
    pub(super) fn effect(&mut self, tag: &Tag<'_>) -> Effect {
        let prefix = self.prefix();
        let name = tag.name.as_str();
        if SKIPPED.contains(&name) {
            self.skipping += 1;
            return Effect::Skip;
        }
        if self.code.is_some() {
            return self.inside_code(tag);
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = usize::from(name.as_bytes()[1] - b'0');
                self.sheet.block();
                self.sheet.inline(&format!("{} ", "#".repeat(level)), &prefix);
                self.sheet.flatten(true);
                Effect::Heading
            }
            "b" | "strong" => self.mark("**"),
            "i" | "em" => self.mark("*"),
            "del" | "s" | "strike" => self.mark("~~"),
            "a" => match tag.attribute("href").and_then(|href| target(&href)) {
                Some(to) => Effect::Link { to, at: self.sheet.open("[", &prefix) },
                None => Effect::None,
            },
            "code" | "kbd" | "samp" | "tt" => {
                self.code = Some(String::new());
                Effect::Code
            }
            "pre" => {
                self.code = Some(String::new());
                Effect::Pre { language: language(tag) }
            }
            "ul" | "ol" | "li" | "blockquote" => self.block_with_prefix(tag, &prefix),
            "table" | "tr" | "td" | "th" => self.of_table(name),
            name if BLOCKS.contains(&name) => {
                self.sheet.block();
                Effect::Block
            }
            _ => Effect::None,
        }
    }

    fn mark(&mut self, mark: &'static str) -> Effect {
        let at = self.sheet.open(mark, &self.prefixes.concat());
        Effect::Mark { mark, at }
    }

    /// In `<pre>`, a `<code>` says the language and nothing else says anything.
    fn inside_code(&mut self, tag: &Tag<'_>) -> Effect {
        let said = self::language(tag);
        if let Some(Element { effect: Effect::Pre { language }, .. }) = self.elements.last_mut()
            && tag.name == "code"
            && language.is_empty()
        {
            *language = said;
        }
        Effect::None
    }

    fn block_with_prefix(&mut self, tag: &Tag<'_>, prefix: &str) -> Effect {
        match tag.name.as_str() {
            _ if self.prefixes.len() == DEEPEST_BLOCK => Effect::Block,
            "blockquote" => {
                self.sheet.block();
                self.sheet.begin("> ", prefix);
                self.prefixes.push("> ".into());
                Effect::Within
            }
            "li" => {
                let mut lists = self.elements.iter_mut().rev().map(|element| &mut element.effect);
                let next = lists.find_map(|effect| match effect {
                    Effect::List { next } => Some(next),
                    _ => None,
                });
                let mark = match next {
                    Some(Some(number)) => {
                        *number = number.saturating_add(1);
                        format!("{}. ", number.saturating_sub(1))
                    }
                    _ => "- ".to_owned(),
                };
                self.sheet.begin(&mark, prefix);
                self.prefixes.push(" ".repeat(mark.len()));
                Effect::Within
            }
            list => {
                // A list in a list stands close to what it belongs to.
                if self.prefixes.is_empty() {
                    self.sheet.block();
                } else {
                    self.sheet.line();
                }
                let first = tag.attribute("start").and_then(|start| start.parse().ok());
                let next = (list == "ol").then(|| first.unwrap_or(1));
                Effect::List { next }
            }
        }
    }

    /// Tables in tables are read as plain blocks.
    fn of_table(&mut self, name: &str) -> Effect {
        let tables = self.elements.iter().filter(|e| matches!(e.effect, Effect::Table(_)));
        let in_cell = self.elements.iter().any(|e| matches!(e.effect, Effect::Cell(_)));
        match (name, tables.count()) {
            ("table", 0) => Effect::Table(Vec::new()),
            ("tr", 1) if !in_cell => {
                self.begin_row(true);
                Effect::Row
            }
            ("td" | "th", 1) if !in_cell => {
                self.begin_row(false);
                let page = std::mem::replace(&mut self.sheet, Sheet::new(true));
                Effect::Cell(Box::new(page))
            }
            _ => {
                self.sheet.block();
                Effect::Block
            }
        }
    }

    /// A row; a cell without one begins the first.
    fn begin_row(&mut self, next: bool) {
        self.cells += 1;
        if let Some(rows) = self.rows()
            && (next || rows.is_empty())
        {
            rows.push(Vec::new());
        }
    }

    pub(super) fn rows(&mut self) -> Option<&mut Vec<Vec<String>>> {
        self.elements.iter_mut().rev().find_map(|element| match &mut element.effect {
            Effect::Table(rows) => Some(rows),
            _ => None,
        })
    }

    pub(super) fn void(&mut self, tag: &Tag<'_>) {
        let prefix = self.prefix();
        match (tag.name.as_str(), &mut self.code) {
            ("br", Some(code)) => code.push('\n'),
            ("br", None) => self.sheet.line_break(&prefix),
            ("hr", None) => self.sheet.lines(["---"].into_iter(), &prefix),
            ("img", None) => {
                let alt = tag.attribute("alt").unwrap_or_default();
                let alt = alt.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                let source = tag.attribute("src").and_then(|source| target(&source));
                if let Some(source) = source {
                    let alt = unmistaken(&alt.replace(['[', ']'], ""), "\\&");
                    self.sheet.inline(&format!("![{alt}]({source})"), &prefix);
                }
            }
            _ => {}
        }
    }
}

/// `rust` of `class="language-rust"`.
fn language(tag: &Tag<'_>) -> String {
    let classes = tag.attribute("class").unwrap_or_default();
    let mut found = classes.split_ascii_whitespace().filter_map(|class| {
        class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-"))
    });
    let plain =
        |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "+-#_.".contains(c));
    found.find(plain).unwrap_or_default().to_owned()
}
