//! Secrets: which a module asks for, and to whom they may be sent.

use super::Permit;
use model::{HostError, Site, did_you_mean};

impl Permit {
    /// Does the manifest ask for it?
    pub(crate) fn secret(&self, name: &str) -> Result<(), HostError> {
        if self.secrets.contains_key(name) {
            return Ok(());
        }
        let module = self.rights.module();
        let near = did_you_mean(name, self.secrets.keys().map(String::as_str));
        let way_out = near.map_or_else(
            || {
                format!(
                    "add {name} = {{ hosts = [\"api.example.org\"] }} to [secrets] in module.toml"
                )
            },
            |near| format!("did you mean `{near}`?"),
        );
        Err(HostError(format!("module `{module}` has no secret `{name}`; {way_out}")))
    }

    /// May it be sent there?
    pub(crate) fn send(&self, secret: &str, url: &str) -> Result<(), HostError> {
        self.secret(secret)?;
        let Some(site) = Site::read(url) else {
            return Err(HostError(format!("`{url}` is not a URL")));
        };
        let hosts = self.secrets.get(secret).map(|spec| spec.hosts.as_slice());
        let hosts = hosts.unwrap_or_default();
        let fitting = hosts.iter().filter(|pattern| site.matches(pattern));
        let fitting: Vec<&String> = fitting.collect();
        if fitting.is_empty() {
            return Err(not_for(secret, &site));
        }
        // Whoever writes a port knows what listens there; elsewhere everybody on the way could read it.
        let knows_port = || fitting.iter().any(|pattern| Site::has_port(pattern));
        if !Site::is_encrypted(url) && !knows_port() {
            return Err(HostError(format!(
                "the secret `{secret}` is not sent to `{site}` without encryption; use https, or write \
                 the port in its `hosts`"
            )));
        }
        Ok(())
    }

    /// May a command have it in its environment?
    pub(crate) fn tell(&self, secret: &str, command: &str) -> Result<(), HostError> {
        self.secret(secret)?;
        let spec = self.secrets.get(secret);
        if spec.is_some_and(|spec| spec.exec.iter().any(|known| known == command)) {
            return Ok(());
        }
        Err(HostError(format!(
            "the secret `{secret}` is not for the command `{command}`; add exec = [\"{command}\"] to it \
             under [secrets] in module.toml"
        )))
    }

    /// May this database be asked, whose connection string is the secret?
    pub(crate) fn connect(&self, secret: &str, connection: &str) -> Result<(), HostError> {
        let site = Site::of_database(connection).ok_or_else(|| {
            HostError(format!(
                "the secret `{secret}` is no connection string; set it to postgres://user:password@host/name"
            ))
        })?;
        let spec = self.secrets.get(secret);
        if spec.is_some_and(|spec| spec.hosts.iter().any(|host| site.matches(host))) {
            return Ok(());
        }
        Err(not_for(secret, &site))
    }
}

fn not_for(secret: &str, site: &Site) -> HostError {
    HostError(format!(
        "the secret `{secret}` is not for `{site}`; add \"{site}\" to its `hosts` under [secrets] \
         in module.toml"
    ))
}
