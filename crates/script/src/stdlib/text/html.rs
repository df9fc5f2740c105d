//! HTML into Markdown, tag by tag. It keeps a bounded pile of open elements; what is deeper is still
//! read, as plain text of what it lies in.

use super::entities::decoded;
use super::markdown::{Sheet, fence, target};
use super::tokens::{Tag, Token, Tokens};

const DEEPEST: usize = 100;
/// Lists and quotes begin every line inside them, so fewer of these are drawn.
const DEEPEST_BLOCK: usize = 16;

/// The page as Markdown; `check` is told its length at every tag, and may end it.
pub(super) fn to_markdown(
    html: &str,
    check: &dyn Fn(usize) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let mut page = Page::new();
    for token in Tokens::of(html) {
        match token {
            Token::Text(text) => page.text(text),
            Token::Open(tag) => page.open(&tag),
            Token::Close(name) => page.close(&name),
        }
        check(page.sheet.text.len())?;
    }
    while let Some(element) = page.elements.pop() {
        page.leave(element.effect);
    }
    let text = page.sheet.text.trim_end();
    Ok(if text.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    })
}

struct Element {
    name: String,
    effect: Effect,
}

/// What an element does to what lies in it, and what it has to undo at its end.
enum Effect {
    None,
    Block,
    Heading,
    Mark { mark: &'static str, at: usize },
    Link { to: String, at: usize },
    Code,
    Pre { language: String },
    Within,
    List { next: Option<u64> },
    Table(Vec<Vec<String>>),
    Row,
    Cell(Box<Sheet>),
    Skip,
}

struct Page {
    sheet: Sheet,
    elements: Vec<Element>,
    /// What begins a line inside the lists and quotes that are open.
    prefixes: Vec<String>,
    /// The text of a code element, kept as it is.
    code: Option<String>,
    skipping: usize,
}

const VOID: [&str; 12] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr",
];
const SKIPPED: [&str; 9] = [
    "script", "style", "title", "iframe", "template", "svg", "object", "noscript", "select",
];
const BLOCKS: [&str; 20] = [
    "address",
    "article",
    "aside",
    "body",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "main",
    "nav",
    "p",
    "section",
];

impl Page {
    fn new() -> Self {
        Self {
            sheet: Sheet::new(false),
            elements: Vec::new(),
            prefixes: Vec::new(),
            code: None,
            skipping: 0,
        }
    }

    fn prefix(&self) -> String {
        self.prefixes.concat()
    }

    fn text(&mut self, text: &str) {
        if self.skipping > 0 {
            return;
        }
        let text = decoded(text);
        match &mut self.code {
            Some(code) => code.push_str(&text),
            None => self.sheet.words(&text, &self.prefixes.concat()),
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        if self.skipping == 0 {
            self.end_before(name);
        }
        if VOID.contains(&name) {
            if self.skipping == 0 {
                self.void(tag);
            }
            return;
        }
        if self.elements.len() == DEEPEST {
            return;
        }
        let effect = match self.skipping {
            0 => self.effect(tag),
            _ => Effect::None,
        };
        self.elements.push(Element {
            name: name.to_owned(),
            effect,
        });
    }

    /// Ends what a tag ends without saying so: a `<li>` the item before it, a `<td>` the cell.
    fn end_before(&mut self, name: &str) {
        let (ended, within): (&[&str], &[&str]) = match name {
            "li" => (&["li"], &["ul", "ol"]),
            "td" | "th" => (&["td", "th"], &["tr", "table"]),
            "tr" => (&["tr"], &["table"]),
            "dt" | "dd" => (&["dt", "dd"], &["dl"]),
            "option" => (&["option"], &["select"]),
            name if name != "body" && (BLOCKS.contains(&name) || is_block(name)) => {
                (&["p"], &["td", "li"])
            }
            _ => return,
        };
        let mut open = self.elements.iter().rev();
        let found =
            open.find(|e| ended.contains(&e.name.as_str()) || within.contains(&e.name.as_str()));
        if let Some(element) = found.filter(|e| ended.contains(&e.name.as_str())) {
            let name = element.name.clone();
            self.close(&name);
        }
    }

    fn void(&mut self, tag: &Tag<'_>) {
        let prefix = self.prefix();
        match (tag.name.as_str(), &mut self.code) {
            ("br", Some(code)) => code.push('\n'),
            ("br", None) => self.sheet.line_break(&prefix),
            ("hr", None) => self.sheet.lines(["---"].into_iter(), &prefix),
            ("img", None) => {
                let alt = tag.attribute("alt").unwrap_or_default();
                let alt = alt.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                let source = tag.attribute("src").and_then(|source| target(&source));
                if let Some(source) = source.filter(|source| !source.starts_with("data:")) {
                    let alt = alt.replace(['[', ']'], "");
                    self.sheet.inline(&format!("![{alt}]({source})"), &prefix);
                }
            }
            _ => {}
        }
    }

    /// What an element does, begun.
    fn effect(&mut self, tag: &Tag<'_>) -> Effect {
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
                self.sheet
                    .inline(&format!("{} ", "#".repeat(level)), &prefix);
                self.sheet.flatten(true);
                Effect::Heading
            }
            "b" | "strong" => self.mark("**"),
            "i" | "em" => self.mark("*"),
            "del" | "s" | "strike" => self.mark("~~"),
            "a" => match tag.attribute("href").and_then(|href| target(&href)) {
                Some(to) => Effect::Link {
                    to,
                    at: self.sheet.open("[", &prefix),
                },
                None => Effect::None,
            },
            "code" | "kbd" | "samp" | "tt" => {
                self.code = Some(String::new());
                Effect::Code
            }
            "pre" => {
                self.code = Some(String::new());
                Effect::Pre {
                    language: language(tag),
                }
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
        if let Some(Element {
            effect: Effect::Pre { language },
            ..
        }) = self.elements.last_mut()
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
                let mut lists = self
                    .elements
                    .iter_mut()
                    .rev()
                    .map(|element| &mut element.effect);
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
        let tables = self
            .elements
            .iter()
            .filter(|e| matches!(e.effect, Effect::Table(_)));
        let in_cell = self
            .elements
            .iter()
            .any(|e| matches!(e.effect, Effect::Cell(_)));
        match (name, tables.count()) {
            ("table", 0) => Effect::Table(Vec::new()),
            ("tr", 1) if !in_cell => {
                if let Some(rows) = self.rows() {
                    rows.push(Vec::new());
                }
                Effect::Row
            }
            ("td" | "th", 1) if !in_cell => {
                let page = std::mem::replace(&mut self.sheet, Sheet::new(true));
                Effect::Cell(Box::new(page))
            }
            _ => {
                self.sheet.block();
                Effect::Block
            }
        }
    }

    fn rows(&mut self) -> Option<&mut Vec<Vec<String>>> {
        self.elements
            .iter_mut()
            .rev()
            .find_map(|element| match &mut element.effect {
                Effect::Table(rows) => Some(rows),
                _ => None,
            })
    }

    /// Ends an element and all that was left open in it; an end of nothing is no end.
    fn close(&mut self, name: &str) {
        let Some(place) = self
            .elements
            .iter()
            .rposition(|element| element.name == name)
        else {
            if name == "p" && self.skipping == 0 {
                self.sheet.block();
            }
            return;
        };
        // A cell is left by its own end or its table's, not by a stray one inside it.
        let cell = self
            .elements
            .iter()
            .rposition(|e| matches!(e.effect, Effect::Cell(_)));
        let leaves_cell = cell.is_some_and(|cell| place < cell);
        if leaves_cell && !matches!(name, "table" | "tr" | "tbody" | "thead" | "tfoot") {
            return;
        }
        while self.elements.len() > place {
            let Some(element) = self.elements.pop() else {
                return;
            };
            self.leave(element.effect);
        }
    }

    fn leave(&mut self, effect: Effect) {
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
                    let blank = if code.starts_with('`') || code.ends_with('`') {
                        " "
                    } else {
                        ""
                    };
                    let markdown = format!("{fence}{blank}{code}{blank}{fence}");
                    self.sheet.inline(&markdown, &prefix);
                }
            }
            Effect::Pre { language } => {
                let code = self.code.take().unwrap_or_default();
                let code = code.trim_matches('\n');
                let fence = fence(code, 3);
                let first = format!("{fence}{language}");
                let lines = [first.as_str()]
                    .into_iter()
                    .chain(code.lines())
                    .chain([fence.as_str()]);
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
            Effect::Table(rows) => self.table(&rows, &prefix),
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

impl Element {
    fn is_list(&self) -> bool {
        matches!(self.effect, Effect::List { .. })
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "ul" | "ol"
            | "table"
            | "pre"
            | "blockquote"
            | "hr"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
    )
}

/// `rust` of `class="language-rust"`.
fn language(tag: &Tag<'_>) -> String {
    let classes = tag.attribute("class").unwrap_or_default();
    let mut found = classes.split_ascii_whitespace().filter_map(|class| {
        class
            .strip_prefix("language-")
            .or_else(|| class.strip_prefix("lang-"))
    });
    let plain = |name: &&str| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-#_.".contains(c))
    };
    found.find(plain).unwrap_or_default().to_owned()
}
