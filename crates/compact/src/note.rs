//! The one line that goes with an answer: its format, what is not in it, and how to get that.

use super::columns::NullColumns;
use super::{Format, Ways};
use model::Grouped;
use model::select::Path;
use std::fmt::{self, Display, Formatter};

/// What a reader should know about an answer beyond its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    pub(super) layout: Layout,
    /// The tool's own `compact` made it.
    pub(super) by_tool: bool,
    /// How many of how many fields were not selected.
    pub(super) left_out: (usize, usize),
    /// Paths that lead nowhere, and what was perhaps meant.
    pub(super) nowhere: Vec<(String, Option<String>)>,
    /// Columns that were null in every row, and are dropped.
    pub(super) null: Vec<NullColumns>,
    /// Why it is not in the format that was asked for.
    pub(super) instead: Option<String>,
    pub(super) cuts: Vec<Cut>,
}

/// How an answer's results stand in its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// There is one.
    #[default]
    Single,
    /// Results of a `foreach`, as a list.
    List,
    /// Results of a `foreach`, each after a line with its index.
    Sections,
}

/// Where an answer was cut for its budget, or because some of it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) unit: Unit,
    pub(super) from: usize,
    pub(super) kept: usize,
    pub(super) of: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unit {
    Items,
    Lines,
    /// Items or lines of each result of a `foreach`, of which the longest is counted.
    InEach(&'static str),
    /// Results of a `foreach`.
    Results,
    /// Of something inside, which `select` cannot be asked to go on with.
    Within(String, &'static str),
}

/// The line about a result, if there is more to say than its notation.
pub(super) fn note(format: Format, facts: &Facts, ways: Ways<'_>) -> Option<String> {
    let mut parts = facts.parts(ways);
    if parts.is_empty() {
        return None;
    }
    parts.insert(0, format.to_string());
    Some(format!("({})", parts.join("; ")))
}

impl Facts {
    pub(super) fn by_tool() -> Self {
        Self { by_tool: true, ..Self::default() }
    }

    fn parts(&self, ways: Ways<'_>) -> Vec<String> {
        let mut parts: Vec<String> = self.instead.iter().cloned().collect();
        if self.layout == Layout::Sections {
            parts.push("each result after its index".to_owned());
        }
        let whole = ways.whole.map(|whole| format!(", all with {whole}"));
        let whole = whole.unwrap_or_default();
        let (out, all) = self.left_out;
        if out > 0 {
            parts.push(format!("{out} of {all} fields left out{whole}"));
        }
        if self.by_tool {
            parts.push(format!("shortened by the tool{whole}"));
        }
        parts.extend(self.null.iter().map(NullColumns::to_string));
        for (path, near) in &self.nowhere {
            let near = near.iter().map(|near| format!(", perhaps `{near}`"));
            parts.push(format!("no `{path}`{}", near.collect::<String>()));
        }
        let (inside, cuts): (Vec<&Cut>, Vec<&Cut>) =
            self.cuts.iter().partition(|cut| cut.is_inside());
        parts.extend(cuts.iter().filter_map(|cut| cut.part(ways)));
        match inside.as_slice() {
            [cut] => parts.extend(cut.part(ways)),
            [] => {}
            many => parts.push(format!("cut in {} places, more with a narrower call", many.len())),
        }
        parts
    }
}

impl Cut {
    fn is_inside(&self) -> bool {
        matches!(self.unit, Unit::Within(..))
    }

    fn part(&self, ways: Ways<'_>) -> Option<String> {
        let (from, to, all) = (self.from, self.from + self.kept, self.of);
        if from == 0 && to >= all {
            return None;
        }
        let shown = match (&self.unit, self.kept) {
            (Unit::Within(path, unit), kept) => {
                let rest = format!("{} more with a narrower call", Grouped(all - kept));
                let what = match path.as_str() {
                    "" => String::new(),
                    path => format!("`{path}` "),
                };
                let kept = Grouped(kept);
                return Some(format!("{what}cut after {kept} {unit}, {rest}"));
            }
            (unit, 0) => format!("no {unit} from {} on", Grouped(from)),
            (unit, _) => format!("{unit} {} to {}", Grouped(from + 1), Grouped(to)),
        };
        let (shown, rest) = (format!("{shown} of "), Grouped(all.saturating_sub(to)));
        let (shown, rest) = match self.unit {
            Unit::InEach(_) => {
                (format!("{shown}up to {} in each result", Grouped(all)), format!("up to {rest}"))
            }
            _ => (format!("{shown}{}", Grouped(all)), rest.to_string()),
        };
        if to >= all {
            return Some(shown);
        }
        let way = match (&self.unit, ways.items) {
            (Unit::Results, _) => "a shorter `foreach`".to_owned(),
            (_, Some((before, after))) => format!("{before}[{to}:]{after}"),
            (_, None) => "a narrower call".to_owned(),
        };
        Some(format!("{shown}, {rest} more with {way}"))
    }
}

/// `null in issues[*]: closed_at, user.name`, with which a reader can put the fields back: each is null in
/// every object that the first path leads to. `null: closed_at` is of the result itself. Paths are written as
/// in `select`.
impl Display for NullColumns {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let columns: Vec<String> = self.columns.iter().map(Path::to_string).collect();
        let columns = columns.join(", ");
        match self.rows.to_string().as_str() {
            "" => write!(f, "null: {columns}"),
            rows => write!(f, "null in {rows}: {columns}"),
        }
    }
}

impl Display for Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Items => "items",
            Self::Lines => "lines",
            Self::Results => "results",
            Self::InEach(unit) | Self::Within(_, unit) => unit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        Path::parse(text).unwrap()
    }

    #[track_caller]
    fn check(format: Format, facts: &Facts, expected: Option<&str>) {
        assert_eq!(note(format, facts, Ways::CALL).as_deref(), expected);
    }

    #[test]
    fn a_notation_alone_has_no_line() {
        for format in [Format::Json, Format::Text, Format::Toon, Format::Markdown] {
            check(format, &Facts::default(), None);
        }
    }

    #[test]
    fn a_line_names_only_what_its_reader_can_use() {
        let facts = Facts {
            left_out: (2, 5),
            by_tool: true,
            cuts: vec![Cut { unit: Unit::Items, from: 0, kept: 1, of: 3 }],
            ..Facts::default()
        };
        for (ways, expected) in [
            (
                Ways::FIELDS,
                "(toon; 2 of 5 fields left out, all with fields: [\"*\"]; shortened by the tool, all with fields: [\"*\"]; items 1 to 1 of 3, 2 more with fields: [\"[1:]\"])",
            ),
            (
                Ways::NONE,
                "(toon; 2 of 5 fields left out; shortened by the tool; items 1 to 1 of 3, 2 more with a narrower call)",
            ),
        ] {
            assert_eq!(note(Format::Toon, &facts, ways).as_deref(), Some(expected));
        }
    }

    #[test]
    fn each_fact_has_its_words() {
        let facts = Facts {
            left_out: (26, 30),
            nowhere: vec![("nme".into(), Some("name".into())), ("x.y".into(), None)],
            null: vec![
                NullColumns { rows: Path(Vec::new()), columns: vec![path("z"), path("y.x")] },
                NullColumns {
                    rows: path("[*]"),
                    columns: vec![path("a"), path("b.c"), path("[\"d, e; (f)\"]")],
                },
            ],
            ..Facts::default()
        };
        check(
            Format::Toon,
            &facts,
            Some(
                "(toon; 26 of 30 fields left out, all with output: \"json\"; null: z, y.x; null in [*]: a, b.c, [\"d, e; (f)\"]; no `nme`, perhaps `name`; no `x.y`)",
            ),
        );
        let facts = Facts { by_tool: true, instead: Some("why".into()), ..Facts::default() };
        check(
            Format::Json,
            &facts,
            Some("(json; why; shortened by the tool, all with output: \"json\")"),
        );
    }

    #[test]
    fn cuts_say_what_remains_and_how_to_get_it() {
        let cut = |unit: Unit, from, kept, of| {
            let cut = Cut { unit, from, kept, of };
            cut.part(Ways::CALL)
        };
        for (part, expected) in [
            (cut(Unit::Items, 0, 3, 3), None),
            (
                cut(Unit::Items, 0, 120, 3000),
                Some("items 1 to 120 of 3,000, 2,880 more with select \"[120:]\""),
            ),
            (cut(Unit::Items, 2900, 100, 3000), Some("items 2,901 to 3,000 of 3,000")),
            (cut(Unit::Items, 50, 0, 30), Some("no items from 50 on of 30")),
            (
                cut(Unit::Lines, 10, 5, 20),
                Some("lines 11 to 15 of 20, 5 more with select \"[15:]\""),
            ),
            (
                cut(Unit::Results, 0, 2, 3),
                Some("results 1 to 2 of 3, 1 more with a shorter `foreach`"),
            ),
            (cut(Unit::InEach("items"), 0, 9, 9), None),
            (
                cut(Unit::InEach("items"), 0, 5, 30),
                Some("items 1 to 5 of up to 30 in each result, up to 25 more with select \"[5:]\""),
            ),
            (cut(Unit::InEach("lines"), 2, 7, 9), Some("lines 3 to 9 of up to 9 in each result")),
            (
                cut(Unit::Within("a.b".into(), "characters"), 0, 1000, 91000),
                Some("`a.b` cut after 1,000 characters, 90,000 more with a narrower call"),
            ),
        ] {
            assert_eq!(part.as_deref(), expected);
        }
    }
}
