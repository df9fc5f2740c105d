//! The edited source means what the author's means: generated expressions, evaluated both ways.

use crate::engine::dialect;
use starlark::environment::{Globals, Module};
use starlark::eval::Evaluator;
use starlark::syntax::AstModule;

/// Expressions that never fail, by kind, out of a fixed sequence of choices.
struct Maker(u64);

impl Maker {
    fn pick(&mut self, among: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % among
    }

    fn text(&mut self, depth: u32) -> String {
        if depth == 0 {
            return ["s", "t", "'a,b'", "(s)", "''"][usize::try_from(self.pick(5)).unwrap()].into();
        }
        let depth = depth - 1;
        match self.pick(17) {
            0 => format!("({} or {})", self.text(depth), self.text(depth)),
            1 => format!("(n or {})", self.text(depth)),
            2 => format!("({} and {})", self.text(depth), self.text(depth)),
            3 => {
                let condition = self.truth(depth);
                format!("({} if {condition} else {})", self.text(depth), self.text(depth))
            }
            4 => format!("({} + {})", self.text(depth), self.text(depth)),
            5 | 6 => format!("{}.replace('a', 'b')", self.primary(depth)),
            7 => format!("{}.replace({}, 'c')", self.primary(depth), self.text(depth)),
            8 => format!("{}.join({})", self.primary(depth), self.list(depth)),
            9 => format!("{}.strip()", self.primary(depth)),
            10 => format!("{}[0]", self.list_primary(depth)),
            11 => format!("{}[:3]", self.primary(depth)),
            12 => format!("f'{{{}}}-{{{}!r}}'", self.quoteless(), self.quoteless()),
            13 => format!("'{{}}'.format({})", self.text(depth)),
            14 => format!("str({})", self.text(depth)),
            15 => format!("(  # a (note\n {})", self.text(depth)),
            _ => format!("(lambda x: {})({})", self.text(depth), self.text(depth)),
        }
    }

    /// What can stand before a dot or a bracket.
    fn primary(&mut self, depth: u32) -> String {
        match self.pick(3) {
            0 => self.text(0),
            1 => format!("({})", self.text(depth)),
            _ => format!("(({}) )", self.text(depth)),
        }
    }

    /// The inside of an f-string, which holds no quotes of its own kind.
    fn quoteless(&mut self) -> &'static str {
        [
            "s",
            "(n or s)",
            "(n or s).strip()",
            "(s)",
            "(s if n else t).replace(s, t).strip()",
            "(n or s)[1:]",
        ][usize::try_from(self.pick(6)).unwrap()]
    }

    fn list(&mut self, depth: u32) -> String {
        if depth == 0 {
            return "xs".into();
        }
        let depth = depth - 1;
        match self.pick(7) {
            0 => format!("{}.split(',')", self.primary(depth)),
            1 => format!("[{}, {}]", self.text(depth), self.text(depth)),
            2 => format!("list({})", self.list(depth)),
            3 => format!("({} + {})", self.list(depth), self.list(depth)),
            4 => format!("{}[:2]", self.list_primary(depth)),
            5 => format!("both(*{})", self.list(depth)),
            _ => format!("[y.replace('a', {}) for y in {}]", self.text(depth), self.list(depth)),
        }
    }

    fn list_primary(&mut self, depth: u32) -> String {
        format!("({})", self.list(depth))
    }

    fn truth(&mut self, depth: u32) -> String {
        match self.pick(4) {
            0 => format!("{} == {}", self.text(depth), self.text(depth)),
            1 => format!("not {}", self.text(depth)),
            2 => format!("({}) in ({})", self.text(depth), self.list(depth)),
            _ => "b".into(),
        }
    }
}

/// The expressions as one list, so that each way evaluates one source.
fn source(expressions: &[String]) -> String {
    format!(
        "def both(*ys):\n    return list(ys)\n\
         def all(s, t, n, b, xs):\n    return [\n{}]\n\
         def f():\n    return repr(all('ab c', 'a,', None, True, ['q', 'ra']))\n",
        expressions.join(",\n")
    )
}

/// What the engine alone makes of it.
fn plain(source: &str) -> String {
    let ast = AstModule::parse("a.star", format!("{source}f()"), &dialect()).unwrap();
    Module::with_temp_heap(|module| {
        let mut eval = Evaluator::new(&module);
        let value = eval.eval_module(ast, &Globals::standard()).unwrap();
        value.unpack_str().unwrap().to_owned()
    })
}

#[test]
fn rewritten_expressions_mean_what_they_meant() {
    let mut maker = Maker(0x2026);
    for round in 0..60 {
        let expressions: Vec<String> = (0..40).map(|i| maker.text(1 + i % 4)).collect();
        let source = source(&expressions);
        let ours = super::call(&format!("{source}tool(f)"), "f", serde_json::json!({}));
        assert_eq!(ours, Ok(plain(&source)), "round {round}:\n{source}");
    }
}

#[test]
fn arguments_reach_the_method_that_they_were_given_to() {
    for (expression, answer) in [
        (r#"(x or "").replace("a", "b").replace("c", "d")"#, "bdb"),
        (r#"(x or "").strip().replace("a", "b")"#, "bcb"),
        (r#"(x or "").split("b")[0].replace("a", "b")"#, "bcb"),
        (r#"(x if x else "").strip().replace("c", "d").replace("a", "b")"#, "bdb"),
        (r#"(x and x).strip().replace("c", "d")"#, "ada"),
    ] {
        let got = super::eval(expression, serde_json::json!("aca"));
        assert_eq!(got.as_deref(), Ok(answer), "{expression}");
    }
}
