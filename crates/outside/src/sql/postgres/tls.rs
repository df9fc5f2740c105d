//! Which servers are believed to be who they say, as libpq has it: `sslmode` `prefer` and `require`
//! encrypt, `verify-ca` and `verify-full` ask for a certificate as well.

use crate::sql::failed;
use model::HostError;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::borrow::Cow;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Anyone,
    /// Whom the system trusts.
    System,
    /// Whom the certificates in this file vouch for.
    File(String),
}

impl Trust {
    /// Takes what `tokio-postgres` does not know out of a connection string: `sslmode=verify-…`,
    /// for which it gets `require`, and `sslrootcert`.
    pub(super) fn split(url: &str) -> (Cow<'_, str>, Self) {
        let is_url = url.contains("://");
        let separator = if is_url { '&' } else { ' ' };
        let (head, settings) = match url.split_once('?') {
            Some((head, settings)) if is_url => (format!("{head}?"), settings),
            None if is_url => return (url.into(), Self::Anyone),
            _ => (String::new(), url),
        };
        let (mut verify, mut file, mut kept) = (false, None, Vec::new());
        for setting in settings.split(separator) {
            match setting.split_once('=') {
                Some(("sslmode", "verify-ca" | "verify-full")) => {
                    verify = true;
                    kept.push("sslmode=require");
                }
                Some(("sslrootcert", path)) => file = Some(path.trim_matches('\'')),
                _ => kept.push(setting),
            }
        }
        if !verify && file.is_none() {
            return (url.into(), Self::Anyone);
        }
        let trust = match file {
            // As libpq: whoever names a certificate wants it looked at.
            Some(path) if path != "system" => Self::File(path.replace("%2F", "/")),
            _ => Self::System,
        };
        let separator = separator.to_string();
        (format!("{head}{}", kept.join(&separator)).into(), trust)
    }

    fn roots(&self) -> Result<RootCertStore, HostError> {
        let mut roots = RootCertStore::empty();
        let unreadable = |why: String| HostError(format!("sslrootcert cannot be read: {why}"));
        match self {
            Self::Anyone => {}
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
        if roots.is_empty() && *self != Self::Anyone {
            return failed("there are no certificates to verify the server with: set sslrootcert");
        }
        Ok(roots)
    }
}

pub(super) fn connector(trust: &Trust) -> Result<MakeRustlsConnect, HostError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| HostError(error.to_string()))?;
    let config = match trust {
        Trust::Anyone => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Unverified(provider)))
            .with_no_client_auth(),
        trust => builder
            .with_root_certificates(trust.roots()?)
            .with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

/// Takes any certificate, but only from who has its key.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
