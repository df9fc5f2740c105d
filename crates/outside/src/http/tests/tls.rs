//! https: a certificate that is trusted, one that is not, and a server that has none.

use super::server::{Server, answer};
use super::{Net, egress, text};
use reqwest::Certificate;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// For `tls.test`, signed by itself, until 2126.
const CERTIFICATE: &[u8] = include_bytes!("fixture/certificate.pem");
const KEY: &[u8] = include_bytes!("fixture/key.pem");

/// Answers every connection with "safe"; the port it listens on.
fn serve(net: &Net) -> u16 {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let started = net.executor.wait(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            loop {
                let (connection, _) = listener.accept().await.unwrap();
                let Ok(mut stream) = acceptor.accept(connection).await else {
                    continue;
                };
                let mut head = [0; 4096];
                let _ = stream.read(&mut head).await;
                let _ = stream.write_all(&answer(200, "", "safe")).await;
                let _ = stream.shutdown().await;
            }
        });
        port
    });
    started.unwrap()
}

fn net(names: &[&str]) -> Net {
    Net::granted(names).names(|_| vec!["127.0.0.1"])
}

#[test]
fn a_trusted_certificate_is_enough() {
    let mut net = net(&[]);
    net.http.clients.certificates = vec![Certificate::from_pem(CERTIFICATE).unwrap()];
    let port = serve(&net);
    let mut ask = |name: &str| {
        net.egress = egress(&[&format!("{name}:{port}")], false);
        net.get(&format!("https://{name}:{port}/")).map(text)
    };
    assert_eq!(ask("tls.test"), Ok("safe".into()));
    // The certificate is for another name.
    let words = ask("other.test").unwrap_err();
    assert!(words.contains("no safe connection: invalid peer certificate"), "{words}");
}

#[test]
fn a_certificate_that_nobody_trusts_is_an_error() {
    let mut net = net(&[]);
    let port = serve(&net);
    net.egress = egress(&[&format!("tls.test:{port}")], false);
    let words = net.get(&format!("https://tls.test:{port}/")).unwrap_err();
    assert!(words.contains("no safe connection: invalid peer certificate"), "{words}");
}

#[test]
fn a_server_without_tls_is_an_error() {
    let server = Server::start(|_, _| Ok(()));
    let net = Net::granted(&[&server.site()]);
    let url = server.url("/").replace("http:", "https:");
    let words = net.get(&url).unwrap_err();
    assert!(words.contains("no safe connection"), "{words}");
}
