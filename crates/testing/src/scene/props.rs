//! What a test has put on the stage, and what was asked of it.

use model::{Fault, Place, nearest};
use script::{Exchange, Kind, Need, Prop};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Default)]
pub(super) struct Props {
    exchanges: Vec<Played>,
    pub(super) files: BTreeMap<PathBuf, Given>,
    pub(super) env: BTreeMap<String, Given>,
    pub(super) secrets: BTreeMap<String, Given>,
    pub(super) config: Vec<(String, Value, Option<Place>)>,
    /// What comes next is first.
    pub(super) answers: Vec<(Value, Option<Place>)>,
    /// Was there ever one? Then there is somebody who can be asked.
    pub(super) has_answers: bool,
    /// The time that the clock was stopped at.
    pub(super) stands: Option<i64>,
    /// So much has gone by besides.
    pub(super) gone_by: i64,
    asked: Vec<(Kind, Value)>,
    /// What was answered, as far as it is text.
    pub(super) sent: Vec<String>,
    /// Requests that nothing here answers.
    pub(super) unanswered: Vec<String>,
}

/// A text that is there, and whether somebody looked.
pub(super) struct Given {
    pub(super) text: String,
    pub(super) shown: String,
    pub(super) place: Option<Place>,
    pub(super) used: bool,
}

struct Played {
    exchange: Exchange,
    need: Need,
    place: Option<Place>,
    used: bool,
}

impl Given {
    pub(super) fn new(shown: String, text: String, place: Option<Place>) -> Self {
        Self { text, shown, place, used: false }
    }

    pub(super) fn take(&mut self) -> String {
        self.used = true;
        self.text.clone()
    }
}

impl Props {
    pub(super) fn add(&mut self, exchange: Exchange, need: Need, place: Option<Place>) {
        self.exchanges.push(Played { exchange, need, place, used: false });
    }

    pub(super) fn plays(&self, kind: Kind) -> bool {
        self.any(|exchange| exchange.kind() == kind)
    }

    pub(super) fn any(&self, fits: impl Fn(&Exchange) -> bool) -> bool {
        self.exchanges.iter().any(|played| fits(&played.exchange))
    }

    /// The next answer: each that fits in turn, and the last of them from then on. Also whether
    /// another one waits for its turn.
    pub(super) fn next(&mut self, fits: impl Fn(&Exchange) -> bool) -> Option<(Exchange, bool)> {
        let fitting = |(_, played): &(usize, &Played)| fits(&played.exchange);
        let all: Vec<usize> =
            self.exchanges.iter().enumerate().filter(fitting).map(|(at, _)| at).collect();
        let mut fresh = all.iter().copied().filter(|at| !self.exchanges[*at].used);
        let at = fresh.next().or(all.last().copied())?;
        let more = fresh.next().is_some();
        self.exchanges[at].used = true;
        Some((self.exchanges[at].exchange.clone(), more))
    }

    pub(super) fn note(&mut self, kind: Kind, request: Value) {
        self.asked.push((kind, request));
    }

    pub(super) fn asked(&self, kind: Kind) -> Vec<Value> {
        let of_kind = self.asked.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, request)| request.clone()).collect()
    }

    /// The line that came nearest to a request.
    pub(super) fn nearest(&self, kind: Kind, request: &str) -> Option<String> {
        let of_kind = self.exchanges.iter().filter(|p| p.exchange.kind() == kind);
        let all: Vec<(String, &Played)> = of_kind.map(|p| (asks_for(&p.exchange), p)).collect();
        let name = *nearest(request, all.iter().map(|(name, _)| name.as_str())).first()?;
        let (_, played) = all.iter().find(|(known, _)| known == name)?;
        Some(format!("{}{}", line(&played.exchange), at(played.place.as_ref())))
    }

    /// What was given and never used.
    pub(super) fn unused(&self, was_called: bool) -> Option<Fault> {
        let exchanges = self
            .exchanges
            .iter()
            .filter(|p| !p.used && p.need == Need::Used)
            .map(|p| (line(&p.exchange), p.place.as_ref()));
        let texts = [&self.env, &self.secrets].into_iter().flat_map(BTreeMap::values);
        let texts = texts.chain(self.files.values());
        let texts = texts.filter(|given| !given.used);
        let texts = texts.map(|given| (given.shown.clone(), given.place.as_ref()));
        let answers = self.answers.iter();
        let answers = answers.map(|(value, place)| (format!("t.answer({value})"), place.as_ref()));
        let config = self.config.iter().filter(|_| !was_called);
        let config =
            config.map(|(key, _, place)| (format!("t.config(\"{key}\", …)"), place.as_ref()));
        let mut all: Vec<_> = exchanges.chain(texts).chain(answers).chain(config).collect();
        all.sort_by_key(|(_, place)| place.map(|place| place.line));
        let ((first, place), others) = all.split_first()?;
        let mut lines = vec![format!("{first} was never used")];
        let others = others.iter();
        lines.extend(others.map(|(other, place)| format!("nor was {other}{}", at(*place))));
        let fault = Fault { place: place.cloned(), ..Fault::new(lines.join("\n")) };
        let is_exchange = self.exchanges.iter().any(|p| line(&p.exchange) == *first);
        Some(if is_exchange {
            fault.help("take it out, or say `optional = True` where it need not be asked")
        } else {
            fault.help("take it out")
        })
    }

    /// Keeps what needs no other care.
    pub(super) fn put(&mut self, prop: Prop, place: Option<Place>) {
        match prop {
            Prop::Exchange(exchange, need) => self.add(exchange, need, place),
            Prop::Env { name, value } => {
                let shown = format!("t.env(\"{name}\", …)");
                self.env.insert(name, Given::new(shown, value, place));
            }
            Prop::Secret { name, value } => {
                let shown = format!("t.secret(\"{name}\", …)");
                self.secrets.insert(name, Given::new(shown, value, place));
            }
            // Where it lies is for those to say who know the folder.
            Prop::File { .. } => {}
            Prop::Config { key, value } => self.config.push((key, value, place)),
            Prop::Clock(time) => (self.stands, self.gone_by) = (Some(time), 0),
            Prop::Advance(millis) => self.gone_by += millis,
            Prop::Answer(answer) => {
                self.has_answers = true;
                self.answers.push((answer, place));
            }
        }
    }
}

fn at(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!(" ({}:{})", place.file, place.line))
}

/// The request that an exchange waits for, as requests are written.
fn asks_for(exchange: &Exchange) -> String {
    match exchange {
        Exchange::Http { method, url, .. } => format!("{method} {url}"),
        Exchange::Exec { command, args, .. } => {
            format!("{command} {}", args.clone().unwrap_or_default().join(" "))
        }
        Exchange::Sqlite(sql) | Exchange::Postgres(sql) => sql.sql.clone(),
    }
}

/// The line that gave an exchange.
fn line(exchange: &Exchange) -> String {
    match exchange {
        Exchange::Http { method, url, .. } => format!("t.http.on(\"{method}\", \"{url}\")"),
        Exchange::Exec { command, args: None, .. } => format!("t.exec.on(\"{command}\")"),
        Exchange::Exec { command, args: Some(args), .. } => {
            format!("t.exec.on(\"{command}\", {args:?})")
        }
        Exchange::Sqlite(sql) => format!("t.sqlite.on(\"{}\")", sql.sql),
        Exchange::Postgres(sql) => format!("t.postgres.on(\"{}\")", sql.sql),
    }
}
