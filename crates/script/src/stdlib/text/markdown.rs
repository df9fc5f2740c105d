//! Markdown as it is written: blocks apart from each other, lines begun as lists and quotes want them,
//! blanks where they mean something.

/// A page may have so many bytes; whoever asks for its length hears of more.
const LONGEST: usize = 64 << 20;

/// Writing on one sheet: the page, or a cell of a table.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that are due or not, apart from each other"
)]
pub(super) struct Sheet {
    pub(super) text: String,
    /// Line breaks that are due before the next word.
    gap: usize,
    /// A blank that is due.
    space: bool,
    /// Nothing stands on this line yet but what began it.
    begun: bool,
    /// Nothing has been written since a list item, quote or page began.
    fresh: bool,
    /// A mark was just opened: no blank and no break after it.
    glued: bool,
    /// Everything on one line: in headings and cells.
    flat: usize,
    /// How long it would have become, if that was too much to write.
    over: usize,
}

impl Sheet {
    pub(super) fn new(flat: bool) -> Self {
        Self {
            text: String::new(),
            gap: 0,
            space: false,
            begun: true,
            fresh: true,
            glued: false,
            flat: usize::from(flat),
            over: 0,
        }
    }

    pub(super) fn length(&self) -> usize {
        self.text.len().max(self.over)
    }

    /// What comes next stands apart by a line, or only on one of its own.
    pub(super) fn block(&mut self) {
        self.gap = 2;
    }

    pub(super) fn line(&mut self) {
        self.gap = self.gap.max(1);
    }

    pub(super) fn flatten(&mut self, yes: bool) {
        self.flat = if yes { self.flat + 1 } else { self.flat.saturating_sub(1) };
    }

    /// Words, with blanks between them as HTML has it.
    pub(super) fn words(&mut self, text: &str, prefix: &str) {
        let blank = |c: char| c.is_ascii_whitespace();
        self.space |= text.starts_with(blank);
        for word in text.split_ascii_whitespace() {
            self.ready(prefix);
            let escaped = escaped(word, self.begun);
            self.put(&escaped);
            self.space = true;
        }
        if !text.is_empty() && !text.ends_with(blank) {
            self.space = false;
        }
    }

    /// Something that is Markdown already.
    pub(super) fn inline(&mut self, markdown: &str, prefix: &str) {
        self.ready(prefix);
        self.put(markdown);
    }

    /// Opens a mark; answers where it stands.
    pub(super) fn open(&mut self, mark: &str, prefix: &str) -> usize {
        self.inline(mark, prefix);
        self.glued = true;
        self.text.len()
    }

    /// Closes a mark that was opened there; around nothing there is no mark.
    pub(super) fn close(&mut self, mark: &str, opened: usize, length: usize) {
        if self.text.len() <= opened {
            self.text.truncate(opened.saturating_sub(length));
        } else {
            self.text.push_str(mark);
        }
        self.glued = false;
    }

    /// Begins a list item or a quote with its mark.
    pub(super) fn begin(&mut self, mark: &str, prefix: &str) {
        self.line();
        self.ready(prefix);
        self.put(mark);
        self.begun = true;
        self.fresh = true;
    }

    /// A break inside a paragraph.
    pub(super) fn line_break(&mut self, prefix: &str) {
        if self.flat > 0 || self.begun || self.gap > 0 {
            self.space = true;
            return;
        }
        self.text.push_str("  \n");
        self.text.push_str(prefix);
        self.begun = true;
        self.space = false;
    }

    /// Lines as they are, each begun as it must be. A short line may have a long beginning, so they
    /// are measured first.
    pub(super) fn lines<'l>(&mut self, lines: impl Iterator<Item = &'l str> + Clone, prefix: &str) {
        let length: usize = lines.clone().map(|line| line.len() + prefix.len() + 1).sum();
        if self.text.len() + length > LONGEST {
            self.over = self.text.len() + length;
            return;
        }
        self.block();
        self.ready(prefix);
        for (i, line) in lines.enumerate() {
            if i > 0 {
                self.text.push('\n');
                self.text.push_str(prefix);
            }
            self.put(line);
        }
        self.block();
    }

    /// Writes the breaks and blanks that are due.
    fn ready(&mut self, prefix: &str) {
        let gap = std::mem::take(&mut self.gap);
        if gap > 0 && !self.fresh && !self.glued {
            if self.flat > 0 {
                self.space = true;
            } else {
                self.text.truncate(self.text.trim_end_matches(' ').len());
                for _ in 1..gap {
                    self.text.push('\n');
                    self.text.push_str(prefix.trim_end());
                }
                self.text.push('\n');
                self.text.push_str(prefix);
                self.begun = true;
            }
        }
        if std::mem::take(&mut self.space) && !self.begun && !self.glued {
            self.text.push(' ');
        }
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.begun = false;
        self.fresh = false;
        self.glued = false;
    }
}

/// A word that says the same in Markdown.
fn escaped(word: &str, begun: bool) -> String {
    let mut out = String::with_capacity(word.len());
    if begun && word.starts_with(['#', '>', '-', '+']) {
        out.push('\\');
    }
    let mut before = ' ';
    for (at, c) in word.char_indices() {
        let after = &word[at + c.len_utf8()..];
        let inside = before.is_alphanumeric() && after.starts_with(char::is_alphanumeric);
        let means = matches!(c, '\\' | '*' | '`' | '[' | ']' | '<')
            || (c == '_' && !inside)
            || (c == '&' && is_reference(after));
        if means {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// Would Markdown take what follows an `&` for a character's name?
fn is_reference(after: &str) -> bool {
    let name = after.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'#');
    let length = name.take(LONGEST_NAME + 1).count();
    (1..=LONGEST_NAME).contains(&length) && after.as_bytes().get(length) == Some(&b';')
}

/// No character's name is longer.
const LONGEST_NAME: usize = 32;

/// The text with another word for each `&` that Markdown would take for something else.
pub(super) fn unmistaken(text: &str, and: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(if is_reference(part) { and } else { "&" });
        out.push_str(part);
    }
    out
}

/// Backticks enough to stand around a text that has some itself.
pub(super) fn fence(text: &str, least: usize) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().map_or(least, |longest| least.max(longest + 1)))
}

/// Schemes of links that bring their own content, or run it.
const DROPPED: [&str; 3] = ["data", "javascript", "vbscript"];

/// Where a link leads, as Markdown takes it; what would run a script leads nowhere.
pub(super) fn target(href: &str) -> Option<String> {
    let href: String = href.chars().filter(|c| !c.is_control()).collect();
    let href = unmistaken(href.trim(), "&amp;");
    let scheme = href.split(':').next().unwrap_or_default();
    if DROPPED.iter().any(|dropped| scheme.eq_ignore_ascii_case(dropped)) {
        return None;
    }
    Some(if href.contains([' ', '(', ')', '<', '>']) {
        format!("<{}>", href.replace('<', "%3C").replace('>', "%3E"))
    } else {
        href
    })
}
