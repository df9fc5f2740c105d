//! Which servers are believed to be who they say, as libpq has it: `sslmode` `prefer` and `require`
//! encrypt, `verify-ca` asks who signed a certificate, `verify-full` for whom as well.

use super::settings::Settings;
use crate::sql::failed;
use model::HostError;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Anyone,
    Signed {
        by: Signer,
        /// The certificate must be for the host that was asked for.
        for_host: bool,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Signer {
    /// Whom the system trusts.
    System,
    /// Whom the certificates in this file vouch for.
    File(String),
}

impl Trust {
    /// Takes what `tokio-postgres` does not know out of a connection string: `sslmode=verify-…`,
    /// for which it gets `require`, and `sslrootcert`.
    pub(super) fn split(url: &str) -> (String, Self) {
        let settings = Settings::of(url);
        let last = |key: &str| {
            let found = settings.iter().filter(|setting| setting.key == key);
            found.last().map(|setting| setting.value.as_str())
        };
        let is_full = last("sslmode") == Some("verify-full");
        let trust = match last("sslrootcert") {
            // As libpq: whoever names a certificate wants it looked at.
            Some(path) if path != "system" => {
                Self::Signed { by: Signer::File(path.to_owned()), for_host: is_full }
            }
            // Of all that the system trusts, only the host itself is meant.
            Some(_) => Self::system(),
            None if is_full || last("sslmode") == Some("verify-ca") => Self::system(),
            None => return (url.to_owned(), Self::Anyone),
        };
        let rest = settings.written(|setting| match (&*setting.key, &*setting.value) {
            ("sslmode", "verify-ca" | "verify-full") => Some("sslmode=require"),
            ("sslrootcert", _) => None,
            _ => Some(setting.as_it_is()),
        });
        (rest, trust)
    }

    fn system() -> Self {
        Self::Signed { by: Signer::System, for_host: true }
    }
}

impl Signer {
    pub(super) fn roots(&self) -> Result<RootCertStore, HostError> {
        let mut roots = RootCertStore::empty();
        let unreadable = |why: String| HostError(format!("sslrootcert cannot be read: {why}"));
        match self {
            Self::System => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            Self::File(path) => {
                let found = CertificateDer::pem_file_iter(path);
                for certificate in found.map_err(|error| unreadable(error.to_string()))? {
                    let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
                    let added = roots.add(certificate);
                    added.map_err(|error| unreadable(error.to_string()))?;
                }
            }
        }
        if roots.is_empty() {
            return failed("there are no certificates to verify the server with: set sslrootcert");
        }
        Ok(roots)
    }
}
