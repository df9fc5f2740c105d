//! Secrets on their way out: each is put where it belongs here, behind the script's back, and only if
//! it may go there.

use super::Gate;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::{Credential, ExecRequest, HostError, HttpRequest, Leash, Secret, SecretName, Source};

impl Gate<'_> {
    pub(super) fn secret_name<'s>(&'s self, name: &'s str) -> SecretName<'s> {
        let user = self.within.as_ref().map(|within| &*within.caller.name);
        SecretName { module: self.module, name, user: user.unwrap_or_default() }
    }

    /// A result that may be cached is valid as long as this secret stays as it is.
    pub(super) fn record(&self, wanted: &SecretName<'_>) {
        let tracker = self.within.as_ref().and_then(|within| within.tracker);
        if let Some(tracker) = tracker {
            tracker.record_secret(wanted, self.world);
        }
    }

    fn reveal(&self, name: &str, leash: &Leash) -> Result<Secret, HostError> {
        let wanted = self.secret_name(name);
        self.record(&wanted);
        self.world.secret(&wanted, leash)
    }

    /// The request with the secrets in it, if it goes where they may go.
    pub(super) fn with_credentials(
        &self,
        request: &HttpRequest,
        leash: &Leash,
    ) -> Result<HttpRequest, HostError> {
        let mut request = request.clone();
        for credential in std::mem::take(&mut request.credentials) {
            let (header, value) = self.header(&credential, &request.url, leash)?;
            request.private.push(header.clone());
            request.headers.push((header, value));
        }
        Ok(request)
    }

    fn header(
        &self,
        credential: &Credential,
        url: &str,
        leash: &Leash,
    ) -> Result<(String, String), HostError> {
        let (Credential::Bearer(name)
        | Credential::Basic { secret: name, .. }
        | Credential::Header { secret: name, .. }) = credential;
        self.permit.send(name, url)?;
        let secret = self.reveal(name, leash)?;
        let secret = secret.expose();
        let authorization = |value| ("authorization".to_owned(), value);
        Ok(match credential {
            Credential::Bearer(_) => authorization(format!("Bearer {secret}")),
            Credential::Basic { user, .. } => {
                let both = BASE64_STANDARD.encode(format!("{user}:{secret}"));
                authorization(format!("Basic {both}"))
            }
            Credential::Header { header, .. } => (header.clone(), secret.to_owned()),
        })
    }

    /// What a child is told, if its command may know it.
    pub(super) fn secret_variables(
        &self,
        request: &ExecRequest,
        leash: &Leash,
    ) -> Result<Vec<(String, String)>, HostError> {
        let asked = request.secret_env.iter().map(|(variable, name)| {
            self.permit.tell(name, &request.command)?;
            let secret = self.reveal(name, leash)?;
            Ok((variable.clone(), secret.expose().to_owned()))
        });
        asked.collect()
    }

    /// A connection string that is a secret, if it leads where the secret may go.
    pub(super) fn secret_connection(&self, name: &str, leash: &Leash) -> Result<Source, HostError> {
        self.permit.secret(name)?;
        let secret = self.reveal(name, leash)?;
        let url = secret.expose();
        self.permit.connect(name, url)?;
        Ok(Source::Postgres { url: url.to_owned() })
    }
}
