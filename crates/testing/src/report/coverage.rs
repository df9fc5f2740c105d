//! Which lines have run, as a table and for programs.

use crate::coverage::{Covered, CoveredFile};
use serde_json::{Value, json};
use std::fmt;

const HEAD: [&str; 4] = ["coverage", "lines", "%", "uncovered"];
const ALL: &str = "all files";

impl fmt::Display for Covered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = vec![HEAD.map(str::to_owned)];
        rows.extend(self.files.iter().map(row));
        rows.push([
            ALL.to_owned(),
            format!("{}/{}", self.covered(), self.total()),
            format!("{:.1}", self.percent()),
            String::new(),
        ]);
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let (names, lines, percents) = (width(0), width(1), width(2));
        for (i, [name, ran, percent, gaps]) in rows.iter().enumerate() {
            let line = format!("{name:names$}  {ran:>lines$}  {percent:>percents$}  {gaps}");
            let end = if i == 0 { "" } else { "\n" };
            write!(f, "{end}{}", line.trim_end())?;
        }
        Ok(())
    }
}

fn row(file: &CoveredFile) -> [String; 4] {
    let gap = |(first, last): (usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    let gaps: Vec<String> = file.gaps().into_iter().map(gap).collect();
    [
        file.name.clone(),
        format!("{}/{}", file.covered(), file.lines.len()),
        format!("{:.1}", file.percent()),
        gaps.join(", "),
    ]
}

impl Covered {
    pub(super) fn to_json(&self) -> Value {
        let files = self.files.iter().map(|file| {
            json!({
                "file": file.name,
                "covered": file.covered(),
                "total": file.lines.len(),
                "percent": file.percent(),
                "uncovered": file.uncovered().collect::<Vec<_>>(),
            })
        });
        json!({
            "covered": self.covered(),
            "total": self.total(),
            "percent": self.percent(),
            "files": files.collect::<Vec<_>>(),
        })
    }
}
