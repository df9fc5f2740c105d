//! Keys that an issuer publishes: fetched when they are needed, kept for a while, and used on when the
//! issuer is away. A flood of tokens with unknown keys leads to one question, not to many.

use super::KeySet;
use model::{Cancel, Egress, HttpRequest, Leash, Permission, Permissions, Rights, Site, World};
use parking_lot::RwLock;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// What was fetched is good for so long.
const FRESH: Duration = Duration::from_mins(10);
/// And so long, if nobody answers.
const STALE: Duration = Duration::from_hours(24);
/// Nobody is asked more often.
const PAUSE: Duration = Duration::from_secs(30);
const LONGEST: usize = 256 << 10;
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Jwks {
    url: String,
    world: Arc<dyn World>,
    egress: Egress,
    known: RwLock<Option<(Instant, Arc<KeySet>)>>,
    /// When it was asked for last; whoever asks holds it.
    asked: Mutex<Option<Instant>>,
}

impl Jwks {
    pub fn new(url: &str, world: Arc<dyn World>) -> Self {
        let site = Site::read(url).map(|site| site.to_string());
        let named = site.as_deref().unwrap_or_default();
        let permissions = Permissions::from([(Permission::Http, &[named][..])]);
        Self {
            url: url.to_owned(),
            world,
            egress: Rights::of_folder("auth", &permissions, None).egress(),
            known: RwLock::default(),
            asked: Mutex::default(),
        }
    }

    /// Can they be had, within this time? Why not, if they cannot.
    pub fn try_out(&self, patience: Duration) -> Result<(), String> {
        fetch(&*self.world, &self.egress, self.url.clone(), patience).map(drop)
    }

    /// The keys, with one of this id if it can be had.
    pub(super) async fn keys(&self, kid: Option<&str>) -> Option<Arc<KeySet>> {
        if let Some(keys) = self.known(FRESH, kid) {
            return Some(keys);
        }
        let mut asked = self.asked.lock().await;
        // Somebody else may have asked meanwhile.
        if let Some(keys) = self.known(FRESH, kid) {
            return Some(keys);
        }
        if asked.is_none_or(|asked| asked.elapsed() >= PAUSE) {
            *asked = Some(Instant::now());
            self.fetch().await;
        }
        drop(asked);
        self.known(STALE, kid)
    }

    fn known(&self, age: Duration, kid: Option<&str>) -> Option<Arc<KeySet>> {
        let known = self.known.read();
        let (since, keys) = known.as_ref()?;
        let is_fit = since.elapsed() < age && keys.find(kid).is_some();
        is_fit.then(|| Arc::clone(keys))
    }

    async fn fetch(&self) {
        let (world, egress) = (Arc::clone(&self.world), self.egress.clone());
        let url = self.url.clone();
        let fetched =
            tokio::task::spawn_blocking(move || fetch(&*world, &egress, url, PATIENCE)).await;
        let keys = match fetched {
            Ok(Ok(keys)) => keys,
            Ok(Err(why)) => {
                return tracing::warn!(target: "auth", "no keys from {}: {why}", self.url);
            }
            Err(error) => {
                return tracing::warn!(target: "auth", "no keys from {}: {error}", self.url);
            }
        };
        let mut known = self.known.write();
        *known = Some((Instant::now(), Arc::new(keys)));
    }
}

fn fetch(
    world: &dyn World,
    egress: &Egress,
    url: String,
    patience: Duration,
) -> Result<KeySet, String> {
    let request = HttpRequest {
        method: "GET".into(),
        url,
        headers: vec![("accept".into(), "application/json".into())],
        credentials: Vec::new(),
        private: Vec::new(),
        body: Vec::new(),
        timeout: Some(patience),
        redirects: false,
        retries: false,
    };
    let leash = Leash { until: Instant::now() + patience, cancel: Cancel::default() };
    let answer = world.http(&request, egress, &leash);
    let answer = answer.map_err(|error| error.to_string())?;
    if answer.status != 200 {
        return Err(format!("it answered {}", answer.status));
    }
    if answer.body.len() > LONGEST {
        return Err(format!("it sent {} bytes; {LONGEST} are taken", answer.body.len()));
    }
    KeySet::jwks(&answer.body).map_err(|error| error.to_string())
}
