//! Reads what a client sends, as long as a message may be.

use super::response::{ServerResponse, refused, rpc_error};
use crate::rpc::IdScanner;
use bytes::Bytes;
use http::StatusCode;
use http::header::{EXPECT, HeaderMap};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use rmcp::ErrorData;
use rmcp::model::RequestId;
use std::time::Duration;

const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Bytes beyond the limit that are read and dropped: a client that is still writing when its connection is
/// closed does not see the response.
const MOST_DISCARDED: usize = 64 << 20;
const LONGEST_DISCARD: Duration = Duration::from_secs(5);

pub(super) enum MessageBody {
    Whole(Bytes),
    /// It is longer than a message may be; the id of its request, if it has one.
    TooLong(Option<RequestId>),
}

pub(super) async fn read(
    headers: &HeaderMap,
    body: Incoming,
    limit: usize,
) -> Result<MessageBody, ServerResponse> {
    // Said at once, so that a client that waits for leave does not send it at all.
    let announced = body.size_hint().lower();
    let is_hopeless = announced > (limit + MOST_DISCARDED) as u64;
    if is_hopeless || headers.contains_key(EXPECT) && announced > limit as u64 {
        return Ok(MessageBody::TooLong(None));
    }
    match tokio::time::timeout(LONGEST_WAIT, read_all(body, limit)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) => {
            let why = format!("the body cannot be read: {error}");
            Err(refused(StatusCode::BAD_REQUEST, &why))
        }
        Err(_) => {
            let seconds = LONGEST_WAIT.as_secs();
            let why = format!("the body did not arrive within {seconds} s");
            Err(refused(StatusCode::REQUEST_TIMEOUT, &why))
        }
    }
}

async fn read_all(mut body: Incoming, limit: usize) -> hyper::Result<MessageBody> {
    let mut whole = Vec::new();
    let mut first = Bytes::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        if whole.len() + first.len() + data.len() > limit {
            let mut scanner = IdScanner::default();
            for piece in [&first[..], &whole, &data] {
                scanner.read(piece);
            }
            let rest = discard(body, &mut scanner);
            // A client that stalls gets its response all the same.
            let _ = tokio::time::timeout(LONGEST_DISCARD, rest).await;
            return Ok(MessageBody::TooLong(scanner.request_id()));
        }
        // Most messages arrive in one piece, which need not be copied.
        if whole.is_empty() && first.is_empty() {
            first = data;
        } else {
            whole.extend_from_slice(&std::mem::take(&mut first));
            whole.extend_from_slice(&data);
        }
    }
    Ok(MessageBody::Whole(if whole.is_empty() { first } else { whole.into() }))
}

async fn discard(mut body: Incoming, scanner: &mut IdScanner) {
    let mut discarded = 0;
    while let Some(Ok(frame)) = body.frame().await
        && discarded <= MOST_DISCARDED
    {
        if let Ok(data) = frame.into_data() {
            discarded += data.len();
            scanner.read(&data);
        }
    }
}

pub(super) fn too_long(limit: usize, id: Option<&RequestId>) -> ServerResponse {
    let why = format!("a message may have {limit} bytes (`message_bytes` under [server])");
    let error = ErrorData::invalid_request(why, None);
    rpc_error(StatusCode::PAYLOAD_TOO_LARGE, id, &error)
}

/// The body of a response that holds no stream.
pub(super) async fn collect(response: ServerResponse) -> Option<Bytes> {
    let whole = response.into_body().collect().await.ok()?.to_bytes();
    (!whole.is_empty()).then_some(whole)
}
