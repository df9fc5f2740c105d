//! Refuses sources that are too long or too deeply nested before the parser, which recurses, sees them.

use model::{Fault, Limits, Place};

/// Operators and the like in one expression; each makes the tree one level deeper.
const LONGEST_CHAIN: usize = 2_000;

pub(crate) fn check(file: &str, source: &str, limits: &Limits) -> Result<(), Fault> {
    if source.len() > limits.source_bytes {
        return Err(Fault::new(format!(
            "{file} has {} bytes; a source file may have {}",
            source.len(),
            limits.source_bytes
        ))
        .help("keep data in a .json file and read it with data.load_json"));
    }
    Scan::new(file, source, limits).run()
}

struct Scan<'a> {
    file: &'a str,
    source: &'a str,
    deepest: usize,
    brackets: usize,
    /// Length of the expression at each bracket level.
    chain: Vec<usize>,
}

impl<'a> Scan<'a> {
    fn new(file: &'a str, source: &'a str, limits: &Limits) -> Self {
        Self { file, source, deepest: limits.source_depth, brackets: 0, chain: vec![0] }
    }

    fn run(mut self) -> Result<(), Fault> {
        let bytes = self.source.as_bytes();
        let mut indents: Vec<usize> = vec![0];
        let mut at = 0;
        let mut line_start = true;
        while at < bytes.len() {
            if line_start && self.brackets == 0 {
                self.indent(&mut indents, at)?;
            }
            line_start = false;
            match bytes[at] {
                b'#' => at = end_of_line(bytes, at),
                b'"' | b'\'' => {
                    at = end_of_string(bytes, at);
                    continue;
                }
                b'\n' => {
                    line_start = true;
                    if self.brackets == 0 {
                        self.chain = vec![0];
                    }
                }
                b'(' | b'[' | b'{' => self.open(at)?,
                b')' | b']' | b'}' => self.close(),
                b',' | b':' => self.rest(),
                b if b.is_ascii_whitespace() => {}
                b if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 => {
                    at = end_of_word(bytes, at);
                    self.count(at)?;
                    continue;
                }
                _ => self.count(at)?,
            }
            at += 1;
        }
        Ok(())
    }

    fn open(&mut self, at: usize) -> Result<(), Fault> {
        self.brackets += 1;
        self.chain.push(0);
        if self.brackets > self.deepest {
            return Err(self.fault(at, format!("brackets nested deeper than {}", self.deepest)));
        }
        Ok(())
    }

    fn close(&mut self) {
        self.brackets = self.brackets.saturating_sub(1);
        if self.chain.len() > 1 {
            self.chain.pop();
        }
    }

    fn rest(&mut self) {
        if let Some(length) = self.chain.last_mut() {
            *length = 0;
        }
    }

    fn count(&mut self, at: usize) -> Result<(), Fault> {
        let Some(length) = self.chain.last_mut() else {
            return Ok(());
        };
        *length += 1;
        if *length > LONGEST_CHAIN {
            return Err(self.fault(at, format!("an expression of more than {LONGEST_CHAIN} parts")));
        }
        Ok(())
    }

    fn indent(&self, indents: &mut Vec<usize>, at: usize) -> Result<(), Fault> {
        let line = &self.source.as_bytes()[at..];
        let width = line.iter().take_while(|b| **b == b' ' || **b == b'\t').count();
        if line.get(width).is_none_or(|b| *b == b'\n' || *b == b'#' || *b == b'\r') {
            return Ok(());
        }
        while indents.last().is_some_and(|last| *last > width) {
            indents.pop();
        }
        if indents.last().is_some_and(|last| *last < width) {
            indents.push(width);
        }
        if indents.len() > self.deepest {
            return Err(
                self.fault(at + width, format!("blocks nested deeper than {}", self.deepest))
            );
        }
        Ok(())
    }

    fn fault(&self, at: usize, message: String) -> Fault {
        Fault::new(message).at(place(self.file, self.source, at, at + 1))
    }
}

/// The place of a byte range, in lines and columns.
pub(crate) fn place(file: &str, source: &str, begin: usize, end: usize) -> Place {
    let begin = floor(source, begin);
    let end = floor(source, end.max(begin));
    let start = source[..begin].rfind('\n').map_or(0, |i| i + 1);
    let stop = source[begin..].find('\n').map_or(source.len(), |i| begin + i);
    Place {
        file: file.to_owned(),
        line: source[..start].matches('\n').count() + 1,
        column: source[start..begin].chars().count() + 1,
        width: source[begin..end.min(stop).max(begin)].chars().count().max(1),
        excerpt: shorten(source[start..stop].trim_end()),
    }
}

/// A report is read on a terminal: a line of a megabyte helps nobody.
fn shorten(line: &str) -> String {
    if line.chars().count() <= 240 {
        return line.to_owned();
    }
    line.chars().take(237).chain("...".chars()).collect()
}

fn floor(source: &str, at: usize) -> usize {
    (0..=at.min(source.len())).rev().find(|i| source.is_char_boundary(*i)).unwrap_or(0)
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    let length = bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
    (at + length).saturating_sub(1).max(at)
}

fn end_of_word(bytes: &[u8], at: usize) -> usize {
    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
    at + bytes[at..].iter().take_while(|b| word(b)).count()
}

/// Behind the closing quote; an unclosed string ends with its line, or with the file if tripled.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let triple = bytes.get(at..at + 3).is_some_and(|q| q == [quote; 3]);
    let width = if triple { 3 } else { 1 };
    let mut i = at + width;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 1,
            b'\n' if !triple => return i,
            b if b == quote && !triple => return i + 1,
            b if b == quote && bytes.get(i..i + 3).is_some_and(|q| q == [quote; 3]) => {
                return i + 3;
            }
            _ => {}
        }
        i += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: Result<(), &str>) {
        let got = super::check("a.star", source, &Limits::default()).map_err(|f| f.one_line());
        assert_eq!(got, expected.map_err(str::to_owned));
    }

    #[test]
    fn ordinary_sources_pass() {
        check("", Ok(()));
        check("x = [\n  {'a': (1, 2)},\n]\n", Ok(()));
        check(&format!("x = '{}'", "(".repeat(5_000)), Ok(()));
        check(&format!("# {}\nx = 1", "(".repeat(5_000)), Ok(()));
        check(&format!("x = '''\n{}\n'''", "(".repeat(5_000)), Ok(()));
        check(&format!("x = [{}]", "1 + 2, ".repeat(20_000)), Ok(()));
        check("x = 'unclosed\ny = (1)", Ok(()));
    }

    #[test]
    fn deep_and_long_ones_do_not() {
        check(
            &format!("\nx = {}1{}", "(".repeat(20_000), ")".repeat(20_000)),
            Err("a.star:2 brackets nested deeper than 100"),
        );
        check(
            &format!("x = {}1", "-".repeat(20_000)),
            Err("a.star:1 an expression of more than 2000 parts"),
        );
        check(
            &format!("x = 1{}", "+1".repeat(20_000)),
            Err("a.star:1 an expression of more than 2000 parts"),
        );
        check(
            &format!("x = {}1", "not ".repeat(20_000)),
            Err("a.star:1 an expression of more than 2000 parts"),
        );
        let ifs: Vec<String> = (0..1_000).map(|i| " ".repeat(i) + "if x:").collect();
        let ifs = ifs.join("\n");
        check(&ifs, Err("a.star:101 blocks nested deeper than 100"));
        check(
            &"x".repeat(2 << 20),
            Err("a.star has 2097152 bytes; a source file may have 1048576"),
        );
    }
}
