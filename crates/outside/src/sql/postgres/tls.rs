//! TLS with the certificates that a connection string trusts.

use super::trust::Trust;
use model::HostError;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

pub(super) fn connector(trust: &Trust) -> Result<MakeRustlsConnect, HostError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| HostError(error.to_string()))?;
    let verifier = Verifier::new(trust, provider)?;
    let config = builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// Whatever certificate it takes, it takes from who has its key alone.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// Nothing, if any certificate will do.
    signed: Option<Arc<WebPkiServerVerifier>>,
    for_host: bool,
}

impl Verifier {
    fn new(trust: &Trust, provider: Arc<CryptoProvider>) -> Result<Self, HostError> {
        let (signed, for_host) = match trust {
            Trust::Anyone => (None, false),
            Trust::Signed { by, for_host } => {
                let roots = Arc::new(by.roots()?);
                let builder =
                    WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider));
                let built = builder.build();
                let built = built.map_err(|error| HostError(error.to_string()))?;
                (Some(built), *for_host)
            }
        };
        Ok(Self { provider, signed, for_host })
    }
}

impl ServerCertVerifier for Verifier {
    /// The name is looked at last, so that a wrong one means that all else is right.
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(signed) = &self.signed else {
            return Ok(ServerCertVerified::assertion());
        };
        match signed.verify_server_cert(certificate, between, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.for_host => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
