//! Reading what a client sends, no more and no longer than is decent.

use super::answer::{Answer, refused};
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use std::time::Duration;

/// As long as a line on the other door.
pub(crate) const LONGEST: usize = 4 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) async fn read(body: Incoming) -> Result<Bytes, Answer> {
    // Said at once, so that a client that waits for leave does not send it at all.
    if body.size_hint().lower() > LONGEST as u64 {
        return Err(too_long());
    }
    let whole = Limited::new(body, LONGEST).collect();
    match tokio::time::timeout(PATIENCE, whole).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(error)) => {
            let why = format!("the body cannot be read: {error}");
            Err(refused(StatusCode::BAD_REQUEST, &why))
        }
        Err(_) => {
            let why = format!("the body did not come within {} s", PATIENCE.as_secs());
            Err(refused(StatusCode::REQUEST_TIMEOUT, &why))
        }
    }
}

fn too_long() -> Answer {
    let why = format!("a message may have {LONGEST} bytes");
    refused(StatusCode::PAYLOAD_TOO_LARGE, &why)
}
