//! Words on their way to the client while its request is answered: how far it has come, and what the
//! scripts log. In order, and before the answer.

#![expect(
    deprecated,
    reason = "the protocol keeps logging until 2027 at least, and clients use it"
)]

use crate::http::Aside;
use crate::wire;
use model::Level;
use rmcp::model::{LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use runtime::{Lines, Progress};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Words that a client does not read fast enough are dropped, not kept.
const BUFFER: usize = 1024;

enum Word {
    Progress(ProgressNotificationParam),
    Line(LoggingMessageNotificationParam),
}

type Sender = mpsc::Sender<Option<Word>>;

pub(crate) struct Words {
    pub(crate) progress: Option<Progress>,
    pub(crate) lines: Option<Lines>,
    send: Sender,
    forward: JoinHandle<()>,
}

impl Words {
    /// Nothing is sent to a client that did not ask for it; `level` is from where on it wants lines.
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
        level: Option<Level>,
        closing: &CancellationToken,
    ) -> Option<Self> {
        let token = context.meta.get_progress_token();
        if token.is_none() && level.is_none() {
            return None;
        }
        let (send, receive) = mpsc::channel(BUFFER);
        let listener = Listener::of(context);
        let forward = forward(receive, listener, closing.clone());
        Some(Self {
            progress: token.map(|token| progress(token, send.clone())),
            lines: level.map(|level| lines(level, send.clone())),
            send,
            forward: tokio::spawn(forward),
        })
    }

    /// All words go out before the answer. A thread that was left behind may still hold the sender,
    /// so the end is said, not waited for.
    pub(crate) async fn finish(self) {
        let _ = self.send.send(None).await;
        let _ = self.forward.await;
    }
}

fn progress(token: ProgressToken, send: Sender) -> Progress {
    Arc::new(move |done, total, message| {
        let mut word = ProgressNotificationParam::new(token.clone(), done);
        word.total = total;
        word.message = message.map(str::to_owned);
        let _ = send.try_send(Some(Word::Progress(word)));
    })
}

fn lines(least: Level, send: Sender) -> Lines {
    Arc::new(move |module, level, message, fields| {
        if level >= least {
            let line = wire::line(module, level, message, fields);
            let _ = send.try_send(Some(Word::Line(line)));
        }
    })
}

async fn forward(
    mut words: mpsc::Receiver<Option<Word>>,
    listener: Listener,
    closing: CancellationToken,
) {
    while let Some(Some(word)) = words.recv().await {
        // After the end of input nobody takes words any more; the answer must not wait for that.
        tokio::select! {
            heard = listener.tell(word) => if heard.is_none() { return },
            () = closing.cancelled() => return,
        }
    }
}

/// Who asked, and the stream on which it waits for the answer.
struct Listener {
    peer: Peer<RoleServer>,
    aside: Option<Aside>,
}

impl Listener {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        let parts = context.extensions.get::<http::request::Parts>();
        let aside = parts.and_then(|parts| parts.extensions.get::<Aside>());
        Self {
            peer: context.peer.clone(),
            aside: aside.cloned(),
        }
    }

    /// `None` when nobody hears any more.
    async fn tell(&self, word: Word) -> Option<()> {
        match (word, &self.aside) {
            (Word::Progress(word), _) => self.peer.notify_progress(word).await.ok(),
            (Word::Line(word), Some(aside)) => {
                aside.notify("notifications/message", &word).await;
                // Whoever has lost the stream may come back to the session for the rest.
                Some(())
            }
            (Word::Line(word), None) => self.peer.notify_logging_message(word).await.ok(),
        }
    }
}
