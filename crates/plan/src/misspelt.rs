//! References in another notation than `${id.path}`: found when a plan is read, since a tool would get
//! them as text.

use super::cursor::Slip;
use super::reference::Reference;
use super::scope::is_of_item;
use model::select::Step;
use model::shorten;
use serde_json::Value;

/// The words that a reference in the texts of one task can begin with.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Names<'n> {
    /// Of all tasks.
    pub(super) ids: &'n [&'n str],
    /// Whether `item` and `index` are such words.
    pub(super) of_item: bool,
}

/// A text that looks like a reference and is none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Misspelling<'t> {
    /// The text up to it.
    before: &'t str,
    written: &'t str,
    meant: Reference,
}

/// A path at the beginning of a text, and the text after it.
type Read<'t> = Option<(Reference, &'t str)>;

/// Words that other notations have before a task's id.
const PREFIXES: [&str; 4] = ["tasks.", "steps.", "results.", "outputs."];

/// Bytes between two marks.
const LONGEST: usize = 300;

/// The characters that the notations begin with.
pub(super) const MARKS: [char; 4] = ['$', '{', '<', '['];

impl Names<'_> {
    /// The first misspelling in a text that holds no references.
    pub(super) fn find<'t>(&self, text: &'t str) -> Option<Misspelling<'t>> {
        let marks = text.match_indices(MARKS);
        marks.into_iter().find_map(|(at, _)| self.find_at(text, at))
    }

    /// The misspelling that a whole text is. Without other text around it, an id alone is enough, and a
    /// path without any mark if it has a place in brackets.
    pub(super) fn find_whole<'t>(&self, text: &'t str) -> Option<Misspelling<'t>> {
        let written = text.trim();
        let marked = strip_marks(written).and_then(|inner| {
            let (meant, rest) = self.path(inner)?;
            rest.is_empty().then_some(meant)
        });
        let bare = || {
            let (meant, rest) = self.path(written)?;
            let has_place = meant.steps.iter().any(|step| !matches!(step, Step::Key(_)));
            (rest.is_empty() && has_place).then_some(meant)
        };
        let meant = marked.or_else(bare)?;
        let before = &text[..text.len() - text.trim_start().len()];
        Some(Misspelling { before, written, meant })
    }

    /// What a condition begins with where a reference or a literal is expected: any notation, or a path.
    pub(super) fn find_first<'t>(&self, text: &'t str) -> Option<Misspelling<'t>> {
        self.find_at(text, 0).or_else(|| {
            let inner = text.strip_prefix("$.").or(text.strip_prefix('$'));
            let (meant, rest) = self.path(inner.unwrap_or(text))?;
            let written = &text[..text.len() - rest.len()];
            Some(Misspelling { before: "", written, meant })
        })
    }

    /// The first misspelling in any text inside a value.
    pub(super) fn find_in<'v>(&self, value: &'v Value) -> Option<Misspelling<'v>> {
        match value {
            Value::String(text) => self.find_whole(text).or_else(|| self.find(text)),
            Value::Array(items) => items.iter().find_map(|item| self.find_in(item)),
            Value::Object(map) => map.values().find_map(|value| self.find_in(value)),
            _ => None,
        }
    }

    /// The reference that the text of a `$ref` means: `s.results[0].id` or `#/s/results/0/id`.
    pub(super) fn read_pointer(&self, text: &str) -> Option<Reference> {
        let inner = text.trim().trim_start_matches(['#', '/', '$', '.', '{']);
        let inner = inner.trim_end_matches('}');
        if let Some((meant, "")) = self.path(inner) {
            return Some(meant);
        }
        let pointer = inner.replace('/', ".");
        let prefix = PREFIXES.iter().find(|prefix| pointer.starts_with(**prefix));
        let mut parts = inner.split('/').skip(prefix.iter().count());
        let root = parts.next().filter(|root| self.has(root))?;
        let step = |part: &str| match part.parse() {
            Ok(index) => Step::At(index),
            Err(_) => Step::Key(part.to_owned()),
        };
        Some(Reference::to(root, parts.map(step).collect()))
    }

    /// The reference that is meant by what follows `${`, where that is none: `{s.x}}`, `$s.x}`, or `s.x`
    /// without an end.
    pub(super) fn read_inside(&self, text: &str) -> Option<Reference> {
        if let Some(inner) = text.strip_prefix('{') {
            return self.in_double_braces(inner).map(|(meant, _)| meant);
        }
        let text = text.trim();
        let inner = text.strip_prefix("$.").or(text.strip_prefix('$'));
        let (meant, rest) = self.path(inner.unwrap_or(text))?;
        matches!(rest, "" | "}").then_some(meant)
    }

    /// How a text is sent that is meant as it stands, though it begins with this word.
    fn otherwise(&self, root: &str) -> String {
        if self.is_item(root) {
            return "put the text into the `foreach` list if it is meant".to_owned();
        }
        format!("give task `{root}` another id if the text is meant")
    }

    pub(super) fn has(&self, root: &str) -> bool {
        self.ids.contains(&root) || self.of_item && is_of_item(root)
    }

    fn is_item(&self, root: &str) -> bool {
        self.of_item && is_of_item(root)
    }

    fn find_at<'t>(&self, text: &'t str, at: usize) -> Option<Misspelling<'t>> {
        let (before, here) = text.split_at(at);
        let (meant, rest) = match here.chars().next()? {
            '$' => self.after_dollar(&here[1..])?,
            '{' if here.starts_with("{{") => {
                self.in_double_braces(&here[2..]).or_else(|| self.in_braces(&here[1..]))?
            }
            '{' => self.in_braces(&here[1..])?,
            '<' => self.between(&here[1..], ">")?,
            '[' => self.between(here.strip_prefix("[[")?, "]]")?,
            _ => return None,
        };
        let written = &here[..here.len() - rest.len()];
        Some(Misspelling { before, written, meant })
    }

    /// `$s.x`, `$.s.x`, `$(s.x)`, `$[s.x]`; `$item`, for which a path is not needed.
    fn after_dollar<'t>(&self, text: &'t str) -> Read<'t> {
        if let Some(inner) = text.strip_prefix('(') {
            return self.between(inner, ")");
        }
        if let Some(inner) = text.strip_prefix('[') {
            return self.between(inner, "]");
        }
        let (meant, rest) = self.path(text.strip_prefix('.').unwrap_or(text))?;
        let is_enough = !meant.steps.is_empty() || self.is_item(&meant.root);
        is_enough.then_some((meant, rest))
    }

    /// `{{s.x}}`, `{{ s }}`, `{{$s.x | upper}}`, to the closing braces.
    fn in_double_braces<'t>(&self, text: &'t str) -> Read<'t> {
        let (inner, rest) = split_near(text, "}}")?;
        let inner = inner.trim();
        let inner = inner.strip_prefix("$.").unwrap_or(inner);
        let (meant, more) = self.path(inner.trim_start_matches(['$', '.', '#', '=']))?;
        let more = more.trim_start_matches('#').trim();
        let is_enough = more.is_empty() || !meant.steps.is_empty() && is_filter(more);
        is_enough.then_some((meant, rest))
    }

    /// `{s.x}`, `{s.x:.2f}`; `{item}`, for which a path is not needed.
    fn in_braces<'t>(&self, text: &'t str) -> Read<'t> {
        let (inner, rest) = split_near(text, "}")?;
        let (meant, more) = self.path(inner.trim().trim_start_matches('$'))?;
        let has_path = !meant.steps.is_empty();
        let is_enough = match more.trim() {
            "" => has_path || self.is_item(&meant.root),
            more => has_path && is_filter(more),
        };
        is_enough.then_some((meant, rest))
    }

    /// A path that is all there is before the closing mark.
    fn between<'t>(&self, text: &'t str, close: &str) -> Read<'t> {
        let (meant, rest) = self.path(text.trim_start())?;
        let rest = rest.trim_start().strip_prefix(close)?;
        (!meant.steps.is_empty()).then_some((meant, rest))
    }

    /// A word of this task's, and the steps that follow it.
    fn path<'t>(&self, text: &'t str) -> Read<'t> {
        let below = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix));
        let below = below.and_then(|below| self.path_of(below));
        below.or_else(|| self.path_of(text))
    }

    fn path_of<'t>(&self, text: &'t str) -> Read<'t> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        // A hyphen may belong to the id, or to the text after it.
        let ends = text[..end].match_indices('-').map(|(at, _)| at);
        let mut ends: Vec<usize> = ends.chain([end]).collect();
        ends.reverse();
        let end = ends.into_iter().find(|end| self.has(&text[..*end]))?;
        let (root, mut rest) = text.split_at(end);
        if rest.starts_with(char::is_alphanumeric) {
            return None;
        }
        let mut steps = Vec::new();
        while let Some((step, after)) = step(rest) {
            steps.push(step);
            rest = after;
        }
        // `$1.50` and `{1}` are no references, also where a task has the id 1.
        let is_number = root.starts_with(|c: char| c.is_ascii_digit());
        let has_name = matches!(steps.first(), Some(Step::Key(name)) if !name.starts_with(|c: char| c.is_ascii_digit()));
        if is_number && !has_name {
            return None;
        }
        Some((Reference::to(root, steps), rest))
    }
}

/// What stands between the marks of a text that has nothing around them.
fn strip_marks(text: &str) -> Option<&str> {
    if let Some(inner) = text.strip_prefix("$.").or(text.strip_prefix('$')) {
        return Some(inner);
    }
    let text = text.strip_prefix(['%', '#', '@']).unwrap_or(text);
    Some(text.strip_prefix('{')?.strip_suffix('}')?.trim())
}

/// Whether a text in braces goes on after a path: a filter, a default, a format.
fn is_filter(text: &str) -> bool {
    text.starts_with(['|', '?', ':', '!']) && !text.contains(['{', '\n'])
}

/// What stands before and after a closing mark. It is looked for where it can be expected: a text may have
/// many opening marks, and no closing one to its end.
fn split_near<'t>(text: &'t str, close: &str) -> Option<(&'t str, &'t str)> {
    let near = &text[..text.floor_char_boundary(LONGEST)];
    let at = near.find(close)?;
    Some((&text[..at], &text[at + close.len()..]))
}

/// One step, also in notations that references do not have: `?.name`, `['name']`.
fn step(text: &str) -> Option<(Step, &str)> {
    let dotted = text.strip_prefix("?.").or(text.strip_prefix('.'));
    if let Some(after) = dotted {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let end = after.find(|c| !is_part(c)).unwrap_or(after.len());
        let (name, rest) = after.split_at(end);
        return (!name.is_empty()).then(|| (Step::Key(name.to_owned()), rest));
    }
    let (inner, rest) = split_near(text.strip_prefix('[')?, "]")?;
    let quoted = |mark: char| inner.strip_prefix(mark)?.strip_suffix(mark);
    let step = match (inner.parse(), quoted('"').or(quoted('\''))) {
        (Ok(index), _) => Step::At(index),
        (_, Some(name)) => Step::Key(name.to_owned()),
        _ if inner == "*" => Step::Each,
        _ => return None,
    };
    Some((step, rest))
}

impl Misspelling<'_> {
    /// The report, for a text that begins at this column.
    pub(super) fn slip(&self, column: usize, names: &Names<'_>) -> Slip {
        let (written, correction) = (shorten(self.written), self.meant.correction(names));
        self.slip_with(column, format!("`{written}` is not a reference: {correction}"))
    }

    /// The report where no reference can be.
    pub(super) fn slip_in_key(&self, column: usize, names: &Names<'_>) -> Slip {
        let (written, otherwise) = (shorten(self.written), names.otherwise(&self.meant.root));
        self.slip_with(
            column,
            format!("a key cannot hold a reference such as `{written}`; {otherwise}"),
        )
    }

    pub(super) fn written(&self) -> &str {
        self.written
    }

    fn slip_with(&self, column: usize, message: String) -> Slip {
        let column = column + self.before.chars().count();
        Slip { column, message }
    }
}

impl Reference {
    /// What to write for this reference, and what if the text is meant as it stands.
    pub(super) fn correction(&self, names: &Names<'_>) -> String {
        format!("write {}, or {}", self.spelling(), names.otherwise(&self.root))
    }

    /// `${s.results[0].id}`.
    pub(super) fn spelling(&self) -> String {
        match self.to_string() {
            path if path.len() > LONGEST => format!("${{{}}}", shorten(&path)),
            path => format!("${{{path}}}"),
        }
    }
}

#[cfg(test)]
#[path = "misspelt_tests.rs"]
mod tests;
