//! Lines of standard input, as long as a message may be.

use crate::rpc::IdScanner;
use rmcp::model::RequestId;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Reads lines; dropped between two reads, nothing is lost.
pub(super) struct LineReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// Up to here lines have been taken.
    taken: usize,
    /// Up to here no further line end has been found.
    searched: usize,
    longest: usize,
    /// Set while the rest of a line that is too long is read and dropped.
    skipped: Option<IdScanner>,
}

/// Space for one read: many small lines, or a part of a large one.
const CHUNK: usize = 16 << 10;

pub(super) enum Line {
    Whole(Vec<u8>),
    /// It is longer than a message may be; the id of its request, if it has one.
    TooLong(Option<RequestId>),
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(super) fn new(input: R, longest: usize) -> Self {
        Self { input, buffer: Vec::new(), taken: 0, searched: 0, longest, skipped: None }
    }

    /// None at the end of input.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.take() {
                return Some(line);
            }
            self.buffer.reserve(CHUNK);
            match self.input.read_buf(&mut self.buffer).await {
                Ok(0) | Err(_) => return self.take_last(),
                Ok(_) => {}
            }
        }
    }

    /// The next whole line in the buffer.
    fn take(&mut self) -> Option<Line> {
        let unread = &self.buffer[self.searched..];
        let Some(found) = unread.iter().position(|byte| *byte == b'\n') else {
            self.buffer.drain(..self.taken);
            self.taken = 0;
            self.searched = self.buffer.len();
            if self.buffer.len() > self.longest || self.skipped.is_some() {
                self.skip();
            }
            return None;
        };
        let end = self.searched + found + 1;
        let is_alone = self.taken == 0 && end == self.buffer.len();
        let line = if is_alone && end > CHUNK {
            std::mem::take(&mut self.buffer)
        } else {
            self.buffer[self.taken..end].to_vec()
        };
        self.taken = end.min(self.buffer.len());
        self.searched = self.taken;
        Some(self.judge(line))
    }

    fn take_last(&mut self) -> Option<Line> {
        let line = self.buffer.split_off(self.taken);
        (self.taken, self.searched) = (0, 0);
        self.buffer.clear();
        let is_there = !line.is_empty() || self.skipped.is_some();
        is_there.then(|| self.judge(line))
    }

    fn judge(&mut self, line: Vec<u8>) -> Line {
        match self.skipped.take() {
            Some(mut scanner) => {
                scanner.read(&line);
                Line::TooLong(scanner.request_id())
            }
            None if line.len() > self.longest + 1 => {
                let mut scanner = IdScanner::default();
                scanner.read(&line);
                Line::TooLong(scanner.request_id())
            }
            None => Line::Whole(line),
        }
    }

    fn skip(&mut self) {
        let scanner = self.skipped.get_or_insert_default();
        scanner.read(&self.buffer);
        self.buffer.clear();
        self.searched = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str, longest: usize) -> Vec<String> {
        let executor = tokio::runtime::Builder::new_current_thread().build();
        executor.unwrap().block_on(async {
            let mut lines = LineReader::new(input.as_bytes(), longest);
            let mut found = Vec::new();
            while let Some(line) = lines.next().await {
                found.push(match line {
                    Line::Whole(line) => String::from_utf8(line).unwrap(),
                    Line::TooLong(id) => format!("too long: {:?}", id.map(|id| id.to_string())),
                });
            }
            found
        })
    }

    #[test]
    fn lines_end_at_line_ends_and_at_the_end_of_input() {
        assert_eq!(read("a\n\nb", 9), ["a\n", "\n", "b"]);
        assert_eq!(read("", 9), Vec::<String>::new());
        let lines: Vec<String> = (0..9).map(|n| "x".repeat(n * 4_000) + "\n").collect();
        assert_eq!(read(&lines.concat(), 40_000), lines);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped_to_its_end() {
        let long = format!("{{\"params\":\"{}\",\"id\":7,\"method\":\"m\"}}", "x".repeat(99));
        let input = format!("a\n{long}\nb\n{long}");
        let too_long = "too long: Some(\"7\")";
        assert_eq!(read(&input, 20), ["a\n", too_long, "b\n", too_long]);
    }
}
