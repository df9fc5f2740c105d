//! Characters by their names in HTML: those that pages use, and all by number.

/// The text with its references replaced; what is none stays as it is.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let from = &rest[at + 1..];
        if let Some((c, length)) = reference(from) {
            out.push(c);
            rest = &from[length..];
        } else {
            out.push('&');
            rest = from;
        }
    }
    out.push_str(rest);
    out
}

/// No name or number is longer.
const LONGEST: usize = 10;

/// The character, and how many bytes after the `&` named it.
fn reference(from: &str) -> Option<(char, usize)> {
    let end = from.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = &from[..end];
    let c = match name.strip_prefix('#') {
        Some(number) => by_number(number)?,
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((c, end + 1))
}

fn by_number(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|c| *c != '\0')
}

const NAMES: [(&str, char); 65] = [
    ("colon", ':'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("hellip", '…'),
    ("mdash", '—'),
    ("ndash", '–'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
    ("cent", '¢'),
    ("sect", '§'),
    ("para", '¶'),
    ("deg", '°'),
    ("times", '×'),
    ("divide", '÷'),
    ("plusmn", '±'),
    ("minus", '−'),
    ("frac12", '½'),
    ("frac14", '¼'),
    ("sup2", '²'),
    ("sup3", '³'),
    ("micro", 'µ'),
    ("rarr", '→'),
    ("larr", '←'),
    ("uarr", '↑'),
    ("darr", '↓'),
    ("ne", '≠'),
    ("le", '≤'),
    ("ge", '≥'),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("szlig", 'ß'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("ecirc", 'ê'),
    ("agrave", 'à'),
    ("acirc", 'â'),
    ("ccedil", 'ç'),
    ("ocirc", 'ô'),
    ("ntilde", 'ñ'),
    ("oslash", 'ø'),
    ("aring", 'å'),
];
