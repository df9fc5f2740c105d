//! A TOML text whose values know their places, so that every complaint can point at one.

mod item;
mod json;
mod plain;
mod source;
mod spans;
mod table;

pub(crate) use item::Item;
pub use plain::{read_toml, write_toml};
pub(crate) use source::Source;
pub(crate) use spans::Spans;
pub(crate) use table::Table;

use model::Fault;
use std::cell::RefCell;
use std::ops::Range;
use toml::de::DeTable;

/// A parsed text, and what its readers had to say against it.
pub(crate) struct Document<'t> {
    source: &'t Source,
    root: DeTable<'t>,
    complaints: RefCell<Vec<Complaint>>,
}

/// A fault, and how far down the page its reader would meet it.
struct Complaint {
    offset: usize,
    fault: Fault,
}

impl<'t> Document<'t> {
    pub(crate) fn parse(source: &'t Source) -> Result<Self, Fault> {
        let root = DeTable::parse(&source.text).map_err(|error| {
            let fault = Fault::new(format!("not valid TOML: {}", error.message()));
            fault.at(source.place(&error.span().unwrap_or_default()))
        })?;
        Ok(Self { source, root: root.into_inner(), complaints: RefCell::default() })
    }

    /// The whole, as a table.
    pub(crate) fn table(&self) -> Table<'_> {
        Table::new(self, &self.root, String::new(), 0..0)
    }

    pub(crate) fn spans(&self) -> Spans {
        Spans::of(self.source.clone(), &self.root)
    }

    /// What was read, unless there were complaints: then the one highest on the page.
    pub(crate) fn finish<T>(self, read: Option<T>) -> Result<T, Fault> {
        let complaints = self.complaints.into_inner();
        let first = complaints.into_iter().min_by_key(|c| c.offset);
        match (first, read) {
            (Some(complaint), _) => Err(complaint.fault),
            (None, Some(read)) => Ok(read),
            (None, None) => Err(Fault::new(format!("{} is not complete", self.source.file))),
        }
    }

    fn complain(&self, span: &Range<usize>, fault: Fault) {
        self.complain_at(span.start, span, fault);
    }

    /// A complaint that is met elsewhere than where it points.
    fn complain_at(&self, offset: usize, span: &Range<usize>, fault: Fault) {
        let fault = fault.at(self.source.place(span));
        self.complaints.borrow_mut().push(Complaint { offset, fault });
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
