//! HTML into Markdown, tag by tag. It keeps a bounded pile of open elements; what is deeper is still
//! read, as plain text of what it lies in.

use super::markdown::Sheet;
use super::tokens::{Tag, Token, Tokens};

const DEEPEST: usize = 100;
/// Rows and cells of one table; it is kept until its end.
const MOST_CELLS: usize = 200_000;

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
        check(page.sheet.length())?;
        if page.cells > MOST_CELLS {
            anyhow::bail!("text.html_to_markdown: a table of more than {MOST_CELLS} cells");
        }
    }
    while let Some(element) = page.elements.pop() {
        page.leave(element.effect);
    }
    check(page.sheet.length())?;
    let text = page.sheet.text.trim_end();
    Ok(if text.is_empty() { String::new() } else { format!("{text}\n") })
}

pub(super) struct Element {
    name: String,
    pub(super) effect: Effect,
}

/// What an element does to what lies in it, and what it has to undo at its end.
pub(super) enum Effect {
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

pub(super) struct Page {
    pub(super) sheet: Sheet,
    pub(super) elements: Vec<Element>,
    /// What begins a line inside the lists and quotes that are open.
    pub(super) prefixes: Vec<String>,
    /// The text of a code element, kept as it is.
    pub(super) code: Option<String>,
    pub(super) skipping: usize,
    /// Rows and cells of the table that is open.
    pub(super) cells: usize,
}

const VOID: [&str; 12] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"];
pub(super) const BLOCKS: [&str; 20] = [
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
            cells: 0,
        }
    }

    pub(super) fn prefix(&self) -> String {
        self.prefixes.concat()
    }

    fn text(&mut self, text: &str) {
        if self.skipping > 0 {
            return;
        }
        // A space that must not break a line is a space in Markdown.
        let text = htmlize::unescape(text).replace('\u{a0}', " ");
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
        self.elements.push(Element { name: name.to_owned(), effect });
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

    /// Ends an element and all that was left open in it; an end of nothing is no end.
    fn close(&mut self, name: &str) {
        let Some(place) = self.elements.iter().rposition(|element| element.name == name) else {
            if name == "p" && self.skipping == 0 {
                self.sheet.block();
            }
            return;
        };
        // A cell is left by its own end or its table's, not by a stray one inside it.
        let cell = self.elements.iter().rposition(|e| matches!(e.effect, Effect::Cell(_)));
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
}

impl Element {
    pub(super) fn is_list(&self) -> bool {
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
