//! Refuses sources that are too long or too deeply nested before the parser, which recurses, sees them.

use crate::engine::dialect;
use model::{Fault, Limits, Place};
use starlark_syntax::codemap::CodeMap;
use starlark_syntax::lexer::{Lexer, Token};

/// Operators, calls and the like in one expression, or branches of one `if`: each makes the tree one
/// level deeper.
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
    let codemap = CodeMap::new(file.to_owned(), source.to_owned());
    let mut lexer = Lexer::new(source, &dialect(), codemap);
    let mut scan = Scan::new(limits.source_depth);
    // What cannot be read as tokens, the parser refuses at the same place.
    while let Some(Ok((begin, token, _))) = lexer.next() {
        let taken = scan.take(&token);
        taken.map_err(|why| Fault::new(why).at(place(file, source, begin, begin + 1)))?;
    }
    Ok(())
}

/// How deep the tree is that the tokens so far make.
struct Scan {
    deepest: usize,
    /// One for each bracket that is open, after that of the statement itself.
    expressions: Vec<Expression>,
    /// The branches of the last `if` in each block that is open.
    branches: Vec<usize>,
    begins_statement: bool,
}

#[derive(Default)]
struct Expression {
    parts: usize,
    /// A `lambda` whose `:` has not come: commas stand between its parameters.
    open_lambdas: usize,
}

impl Scan {
    fn new(deepest: usize) -> Self {
        let expressions = vec![Expression::default()];
        Self { deepest, expressions, branches: vec![0], begins_statement: true }
    }

    fn take(&mut self, token: &Token) -> Result<(), String> {
        let begins_statement = std::mem::take(&mut self.begins_statement);
        match token {
            Token::Comment(_) => self.begins_statement = begins_statement,
            Token::String(_) | Token::FStringText(_) => {}
            Token::Newline => {
                self.begins_statement = true;
                self.expressions.clear();
                self.expressions.push(Expression::default());
            }
            Token::Indent => {
                self.begins_statement = true;
                self.branches.push(0);
                if self.branches.len() > self.deepest {
                    return Err(format!("blocks nested deeper than {}", self.deepest));
                }
            }
            Token::Dedent => {
                self.begins_statement = true;
                self.branches.pop();
            }
            Token::OpeningRound
            | Token::OpeningSquare
            | Token::OpeningCurly
            | Token::FStringExprStart => self.open()?,
            Token::ClosingRound
            | Token::ClosingSquare
            | Token::ClosingCurly
            | Token::FStringExprEnd => {
                self.expressions.pop();
            }
            Token::If if begins_statement => self.branch(|_| 1)?,
            Token::Elif => self.branch(|branches| branches + 1)?,
            token => self.part(token)?,
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), String> {
        self.part(&Token::OpeningRound)?;
        self.expressions.push(Expression::default());
        if self.expressions.len() > self.deepest + 1 {
            return Err(format!("brackets nested deeper than {}", self.deepest));
        }
        Ok(())
    }

    fn part(&mut self, token: &Token) -> Result<(), String> {
        let Some(expression) = self.expressions.last_mut() else {
            return Ok(());
        };
        match token {
            Token::Lambda => expression.open_lambdas += 1,
            Token::Colon => expression.open_lambdas = expression.open_lambdas.saturating_sub(1),
            Token::Comma if expression.open_lambdas == 0 => expression.parts = 0,
            _ => {}
        }
        expression.parts += 1;
        if expression.parts > LONGEST_CHAIN {
            return Err(format!("an expression of more than {LONGEST_CHAIN} parts"));
        }
        Ok(())
    }

    fn branch(&mut self, count: fn(usize) -> usize) -> Result<(), String> {
        let Some(branches) = self.branches.last_mut() else {
            return Ok(());
        };
        *branches = count(*branches);
        if *branches > LONGEST_CHAIN {
            return Err(format!("an `if` of more than {LONGEST_CHAIN} branches"));
        }
        Ok(())
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
        check(&format!("x = [{}]", "lambda a, b: a + b, ".repeat(5_000)), Ok(()));
        check(&"if x:\n  y = 1 if x else 2\nelif y:\n  y = 2\n".repeat(5_000), Ok(()));
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
        for (begin, repeated) in [
            ("f", "()"),
            ("x", "[0]"),
            ("x", ".a"),
            ("", "lambda: "),
            ("", "lambda a, b: "),
            ("f\"{", "-"),
        ] {
            check(
                &format!("x = {begin}{}1", repeated.repeat(20_000)),
                Err("a.star:1 an expression of more than 2000 parts"),
            );
        }
        check(
            &format!("x = f\"{{{}1", "(".repeat(20_000)),
            Err("a.star:1 brackets nested deeper than 100"),
        );
        check(
            &format!("def f(x):\n if x: 1\n{}", " elif x if x else 0: 1\n".repeat(20_000)),
            Err("a.star:2002 an `if` of more than 2000 branches"),
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
