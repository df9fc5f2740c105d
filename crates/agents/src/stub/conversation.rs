//! The scripted conversation: which tool the stub model calls next, and what it read of each result.

use serde_json::Value;

use super::turn::{Reply, Turn};

/// One thing that the model wants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wish {
    /// Calls a tool of the server.
    Call(ToolCall),
    /// Searches tools in clients that defer them.
    Find(OwnCall),
}

/// A call of a tool by the name that the client gives it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// Search by which a client that defers tools loads it.
    pub(crate) load: Option<OwnCall>,
    /// The call of it, in a client that keeps tools hidden after the search.
    pub(crate) forward: Option<OwnCall>,
}

/// A call of one of the client's own tools.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OwnCall {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
}

/// What became of a wish.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The conversation ended before.
    NotReached,
    /// The client neither lists the tool nor finds it by its own search.
    NotListed,
    /// The text that the model reads.
    Read(String),
}

pub(crate) struct Conversation {
    wishes: Vec<Wish>,
    outcomes: Vec<Outcome>,
    /// Tools in the first request that lists any.
    listed: Vec<String>,
    next: usize,
    asked: Vec<Asked>,
    /// Result of the last search that loads a tool.
    loaded: String,
    repeated: usize,
}

/// A call of the model, and the wish that its result belongs to.
struct Asked {
    reply: Reply,
    /// `None` for a search that only loads a tool.
    wish: Option<usize>,
    is_answered: bool,
}

/// How often a client may send the same request again.
const MAX_REPEATS: usize = 3;

impl Conversation {
    pub(crate) fn new(wishes: Vec<Wish>) -> Self {
        let outcomes = vec![Outcome::NotReached; wishes.len()];
        Self {
            wishes,
            outcomes,
            listed: Vec::new(),
            next: 0,
            asked: Vec::new(),
            loaded: String::new(),
            repeated: 0,
        }
    }

    pub(crate) fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    pub(crate) fn listed(&self) -> &[String] {
        &self.listed
    }

    /// The next reply. Requests without tools are side requests of the client, for a title for example.
    pub(crate) fn answer(&mut self, turn: &Turn) -> Reply {
        if turn.tools.is_empty() {
            return Reply::Text("ok".to_owned());
        }
        if self.listed.is_empty() {
            self.listed.clone_from(&turn.tools);
        }
        self.record(&turn.results);
        let pending = self.asked.last().filter(|asked| !asked.is_answered);
        if let Some(pending) = pending.filter(|_| self.repeated < MAX_REPEATS) {
            self.repeated += 1;
            return pending.reply.clone();
        }
        self.repeated = 0;
        self.ask(&turn.tools)
    }

    /// Takes results that this request has for the first time.
    fn record(&mut self, results: &[String]) {
        for (asked, result) in self.asked.iter_mut().zip(results) {
            if asked.is_answered {
                continue;
            }
            asked.is_answered = true;
            match asked.wish {
                Some(wish) => self.outcomes[wish] = Outcome::Read(result.clone()),
                None => self.loaded.clone_from(result),
            }
        }
    }

    fn ask(&mut self, tools: &[String]) -> Reply {
        while let Some(wish) = self.wishes.get_mut(self.next) {
            let Some((reply, is_load)) = step(wish, tools, &self.loaded) else {
                self.outcomes[self.next] = Outcome::NotListed;
                self.next += 1;
                continue;
            };
            self.asked.push(Asked {
                reply: reply.clone(),
                wish: (!is_load).then_some(self.next),
                is_answered: false,
            });
            self.next += usize::from(!is_load);
            return reply;
        }
        Reply::Text("done".to_owned())
    }
}

/// The next reply for a wish, and whether it only loads the tool; `None` if there is no way to it.
fn step(wish: &mut Wish, tools: &[String], loaded: &str) -> Option<(Reply, bool)> {
    let has = |name: &str| tools.iter().any(|tool| tool == name);
    let own = |call: OwnCall| has(&call.tool).then(|| reply(call.tool, call.arguments));
    let call = match wish {
        Wish::Find(search) => return Some((own(search.clone())?, false)),
        Wish::Call(call) => call,
    };
    if has(&call.tool) {
        return Some((reply(call.tool.clone(), call.arguments.clone()), false));
    }
    if let Some(load) = call.load.take() {
        return Some((own(load)?, true));
    }
    let forward = call.forward.take().filter(|_| loaded.contains(&call.tool))?;
    Some((own(forward)?, false))
}

fn reply(tool: String, arguments: Value) -> Reply {
    Reply::Call { tool, arguments }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn turn(tools: &[&str], results: &[&str]) -> Turn {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Turn { tools: owned(tools), results: owned(results) }
    }

    fn call(tool: &str) -> Reply {
        Reply::Call { tool: tool.to_owned(), arguments: json!({}) }
    }

    fn own(tool: &str) -> OwnCall {
        OwnCall { tool: tool.to_owned(), arguments: json!({}) }
    }

    fn wish(tool: &str) -> Wish {
        Wish::Call(ToolCall {
            tool: tool.to_owned(),
            arguments: json!({}),
            load: Some(own("search")),
            forward: Some(own("forward")),
        })
    }

    fn done() -> Reply {
        Reply::Text("done".to_owned())
    }

    #[test]
    fn listed_tools_are_called_in_turn() {
        let mut script = Conversation::new(vec![wish("a"), wish("b")]);
        let tools = ["a", "b"];
        assert_eq!(script.answer(&turn(&[], &[])), Reply::Text("ok".to_owned()));
        assert_eq!(script.answer(&turn(&tools, &[])), call("a"));
        assert_eq!(script.answer(&turn(&tools, &[])), call("a"), "sent again");
        assert_eq!(script.answer(&turn(&tools, &["1"])), call("b"));
        assert_eq!(script.answer(&turn(&tools, &["1", "2"])), done());
        let read = |text: &str| Outcome::Read(text.to_owned());
        assert_eq!(script.outcomes(), [read("1"), read("2")]);
        assert_eq!(script.listed(), tools);
    }

    #[test]
    fn a_deferred_tool_is_loaded_first_and_one_that_is_not_found_is_reported() {
        let mut script = Conversation::new(vec![wish("a"), wish("b")]);
        assert_eq!(script.answer(&turn(&["search"], &[])), call("search"));
        let loaded = ["search", "a"];
        assert_eq!(script.answer(&turn(&loaded, &["found"])), call("a"));
        assert_eq!(script.answer(&turn(&loaded, &["found", "1"])), call("search"));
        assert_eq!(script.answer(&turn(&loaded, &["found", "1", "none"])), done());
        let read = Outcome::Read("1".to_owned());
        assert_eq!(script.outcomes(), [read, Outcome::NotListed]);
    }

    #[test]
    fn a_tool_that_stays_hidden_is_called_through_another() {
        let mut script = Conversation::new(vec![wish("a"), wish("b")]);
        let tools = ["search", "forward"];
        assert_eq!(script.answer(&turn(&tools, &[])), call("search"));
        assert_eq!(script.answer(&turn(&tools, &["tool a"])), call("forward"));
        assert_eq!(script.answer(&turn(&tools, &["tool a", "1"])), call("search"));
        assert_eq!(script.answer(&turn(&tools, &["tool a", "1", "none"])), done());
        let read = Outcome::Read("1".to_owned());
        assert_eq!(script.outcomes(), [read, Outcome::NotListed]);
    }

    #[test]
    fn a_request_that_is_repeated_forever_ends() {
        let mut script = Conversation::new(vec![wish("a")]);
        let replies: Vec<Reply> = (0..5).map(|_| script.answer(&turn(&["a"], &[]))).collect();
        assert_eq!(replies[4], done());
        assert_eq!(script.outcomes(), [Outcome::NotReached]);
    }

    #[test]
    fn searches_need_a_client_that_has_one() {
        let mut script = Conversation::new(vec![Wish::Find(own("search"))]);
        assert_eq!(script.answer(&turn(&["a"], &[])), done());
        assert_eq!(script.outcomes(), [Outcome::NotListed]);
    }
}
