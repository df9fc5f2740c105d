//! Tokens renewed before they end: by one caller of one process, and stored before anybody uses them.

use crate::cipher::random;
use crate::opened::Content;
use crate::row::spoken;
use crate::token_request;
use crate::tokens::Tokens;
use crate::vault::{Kind, Vault, told};
use model::{Cancel, HostError, Leash, Secret, World};
use std::time::{Duration, Instant};
use store::{Place, Wrote};

/// A token server may take so long, whoever has given up waiting for it: a refresh token that was
/// sent may be used up, so that its answer must be heard.
const TIME: Duration = Duration::from_secs(20);
/// Another process takes over only from one that must have ended.
const LEASE_MS: i64 = 30_000;
/// How often somebody looks whether another process is done.
const LOOK: Duration = Duration::from_millis(50);

impl Vault {
    /// A token that can be used now.
    pub(crate) fn fresh(
        &self,
        place: &Place<'_>,
        version: u64,
        tokens: &Tokens,
        world: &dyn World,
        leash: &Leash,
    ) -> Result<Secret, HostError> {
        let (mut version, mut tokens) = (version, tokens.clone());
        loop {
            let now = world.now_ms();
            if let Some(token) = tokens.fresh(now) {
                return Ok(Secret::new(token));
            }
            let usable = tokens.usable(now).map(Secret::new);
            let failure = self.flights.failure(place, version);
            if let Some(why) = failure {
                return usable.ok_or_else(|| ended(place, &why));
            }
            match self.renew(place, version, &tokens, world) {
                Step::Renewed(token) => return Ok(token),
                Step::Failed(why) => return usable.ok_or_else(|| ended(place, &why)),
                Step::Changed => {}
                Step::Busy(who) => {
                    // Whoever has a token that still holds does not wait for the next.
                    if let Some(token) = usable {
                        return Ok(token);
                    }
                    self.wait(place, who, leash)?;
                }
            }
            match self.content(place).map_err(|error| told(&error))? {
                None => return Err(HostError(format!("`{}` is gone", spoken(place)))),
                Some((_, Content::Text(text))) => return Ok(text),
                Some((now_there, Content::Tokens(now_held))) => {
                    (version, tokens) = (now_there, *now_held);
                }
            }
        }
    }

    /// Until whoever is at it is done, or it is time to look again.
    fn wait(&self, place: &Place<'_>, who: Who, leash: &Leash) -> Result<(), HostError> {
        match who {
            Who::Us => self.flights.wait(place, leash),
            Who::AnotherProcess => leash.wait(LOOK),
        }
        if leash.left().is_zero() || leash.cancel.is_cancelled() {
            return Err(late(place));
        }
        Ok(())
    }

    fn renew(&self, place: &Place<'_>, version: u64, tokens: &Tokens, world: &dyn World) -> Step {
        let Some(turn) = self.flights.enter(place) else {
            return Step::Busy(Who::Us);
        };
        let holder = match random::<8>() {
            Ok(bytes) => format!("{}-{}", std::process::id(), u64::from_le_bytes(bytes)),
            Err(error) => return Step::Failed(error.to_string()),
        };
        let now = world.now_ms();
        let times = [now, now.saturating_add(LEASE_MS)];
        match self.store.lease_secret(place, version, &holder, times) {
            Ok(true) => {}
            Ok(false) => {
                let there = self.store.secret_version(place);
                let is_same = matches!(there, Ok(Some(there)) if there == version);
                return if is_same { Step::Busy(Who::AnotherProcess) } else { Step::Changed };
            }
            Err(error) => return Step::Failed(told(&error.into()).0),
        }
        let leash = Leash { until: Instant::now() + TIME, cancel: Cancel::default() };
        let renewed = token_request::renew(tokens, world, &leash);
        match renewed.and_then(|renewed| self.store_renewed(place, version, &renewed)) {
            Ok(step) => step,
            Err(why) => {
                let what = spoken(place);
                tracing::warn!("the token of `{what}` could not be renewed: {why}");
                let _ = self.store.release_secret(place, &holder);
                turn.fail(version, &why);
                Step::Failed(why)
            }
        }
    }

    /// Nobody gets a token before the one that brings the next is safe.
    fn store_renewed(
        &self,
        place: &Place<'_>,
        version: u64,
        renewed: &Tokens,
    ) -> Result<Step, String> {
        let key = self.keychain.current(&self.store, &self.sources);
        let key = key.map_err(|error| told(&error).0)?.key;
        let kind = Kind::OAuth2.name();
        let wrote = self.put(&key, place, kind, &renewed.to_bytes(), Some(version));
        match wrote.map_err(|error| told(&error).0)? {
            Wrote::Done => {
                tracing::info!("renewed the token of `{}`", spoken(place));
                let token = renewed.access_token.clone().unwrap_or_default();
                Ok(Step::Renewed(Secret::new(token)))
            }
            // Somebody has set it meanwhile: that is newer than what was asked for.
            Wrote::Stale => Ok(Step::Changed),
            Wrote::OtherKey => {
                self.keychain.forget();
                Err("the vault has changed its key meanwhile".into())
            }
        }
    }
}

/// What came of one try.
enum Step {
    Renewed(Secret),
    Failed(String),
    /// Another version is there now.
    Changed,
    Busy(Who),
}

/// Who is at it.
#[derive(Clone, Copy)]
enum Who {
    Us,
    AnotherProcess,
}

fn ended(place: &Place<'_>, why: &str) -> HostError {
    let Place { module, name, owner } = place;
    let user = if owner.is_empty() { String::new() } else { format!(" --user {owner}") };
    HostError(format!(
        "the token in the secret `{name}` of module `{module}` has ended and could not be renewed: {why}; \
         `larkspur secret set {module}.{name} --oauth2{user}` sets it anew"
    ))
}

fn late(place: &Place<'_>) -> HostError {
    let Place { module, name, .. } = place;
    HostError(format!(
        "the token in the secret `{name}` of module `{module}` is being renewed, and that takes too long; \
         try again"
    ))
}
