//! What an author did wrong, with the place and the way out.

use serde::Serialize;
use std::fmt;

/// A place in a source file; line and column count from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// How many characters are marked.
    pub width: usize,
    /// The line itself, so that a report needs no file.
    pub excerpt: String,
}

/// One thing that keeps a file from being loaded or that an author should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// What `larkspur explain` tells more about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Kind and data of the script's `error(…)` that it stands for.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub raised: Option<Box<RaisedError>>,
}

/// What a script said of its own error, for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RaisedError {
    pub kind: String,
    pub data: serde_json::Value,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into(), place: None, help: None, raised: None }
    }

    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    #[must_use]
    pub fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The message with its place on one line, for logs and status.
    pub fn one_line(&self) -> String {
        match &self.place {
            Some(place) => format!("{}:{} {}", place.file, place.line, self.message),
            None => self.message.clone(),
        }
    }
}

impl fmt::Display for Fault {
    /// The whole report: message, excerpt with a marker, help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(place) = &self.place {
            let number = place.line.to_string();
            let gutter = " ".repeat(number.len());
            let indent: String = place
                .excerpt
                .chars()
                .take(place.column.saturating_sub(1))
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            write!(f, "\n{gutter} ┌ {}:{}:{}", place.file, place.line, place.column)?;
            write!(f, "\n{number} │ {}", place.excerpt)?;
            write!(f, "\n{gutter} │ {indent}{}", "^".repeat(place.width.max(1)))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  = help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_report_shows_the_place() {
        let fault = Fault::new("unknown name `htpp`")
            .at(Place {
                file: "modules/a.star".into(),
                line: 14,
                column: 5,
                width: 4,
                excerpt: "    htpp.get(url)".into(),
            })
            .help("did you mean `http`?");
        expect![[r"
            unknown name `htpp`
               ┌ modules/a.star:14:5
            14 │     htpp.get(url)
               │     ^^^^
              = help: did you mean `http`?"]]
        .assert_eq(&fault.to_string());
        assert_eq!(fault.one_line(), "modules/a.star:14 unknown name `htpp`");
    }
}
