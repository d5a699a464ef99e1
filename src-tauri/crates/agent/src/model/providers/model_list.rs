//! Which models a server has.

use crate::model::ModelError;
use crate::model::client::{refusal, request_headers};
use crate::model::decoder::Wire;
use crate::model::errors::FailureCode;
use crate::model::http::{Connection, ConnectionError, endpoint, unreachable};
use futures_util::StreamExt;
use serde_json::Value;
use std::time::Duration;

/// Longest list that is read, bytes.
const MAX_LIST: usize = 8 * 1024 * 1024;

/// How long the list may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The names of the models, in the server's order.
///
/// # Errors
/// When the server can't be reached, refuses, or answers something else.
pub async fn list_models(wire: Wire, connection: &Connection) -> Result<Vec<String>, ModelError> {
    list_models_within(wire, connection, TIMEOUT).await
}

/// The same, within a time limit.
///
/// # Errors
/// As [`list_models`].
pub(super) async fn list_models_within(
    wire: Wire,
    connection: &Connection,
    limit: Duration,
) -> Result<Vec<String>, ModelError> {
    let set_up = |error: ConnectionError| FailureCode::BadRequest.error(&error.to_string());
    let url = match wire {
        Wire::ChatCompletions => endpoint(&connection.base_url, "/models", ""),
        Wire::Messages => endpoint(&connection.base_url, "/models", "/v1"),
    }
    .map_err(set_up)?;
    let key = match &connection.key {
        Some(key) => Some(key.for_request(&url).map_err(set_up)?),
        None => None,
    };
    let headers = request_headers(wire, connection, key).map_err(set_up)?;
    let client = connection.client(&url).map_err(set_up)?;
    let asking = async {
        let response = client
            .get(url.clone())
            .headers(headers)
            .send()
            .await
            .map_err(|error| unreachable(&url, &error))?;
        let status = response.status();
        let answer_headers = response.headers().clone();
        let mut body = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece.map_err(|error| unreachable(&url, &error))?);
            if body.len() > MAX_LIST {
                return Err(FailureCode::BadResponse.error("the list of models is too long"));
            }
        }
        if !status.is_success() {
            return Err(refusal(status.as_u16(), &answer_headers, &body).error);
        }
        read_list(&body)
    };
    let listed = tokio::time::timeout(limit, asking).await;
    let listed =
        listed.unwrap_or_else(|_| Err(FailureCode::UpstreamError.error("it did not answer in time")));
    listed.map_err(|mut error| {
        if let Some(key) = key {
            error.message = key.hide_in(&error.message);
        }
        error
    })
}

/// Reads `{"data":[{"id"}]}`, `{"models":[{"name"}]}` or a plain array of either.
fn read_list(body: &[u8]) -> Result<Vec<String>, ModelError> {
    let value: Value =
        serde_json::from_slice(body).map_err(|_| FailureCode::NotAnApi.error("no list of models"))?;
    let items = ["data", "models"].iter().find_map(|key| value.get(key)).unwrap_or(&value);
    let Value::Array(items) = items else {
        return Err(FailureCode::NotAnApi.error("no list of models"));
    };
    let name = |item: &Value| {
        let of = |key| item.get(key).and_then(Value::as_str);
        let name = item.as_str().or_else(|| of("id")).or_else(|| of("name")).or_else(|| of("model"))?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    Ok(items.iter().filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::read_list;

    #[test]
    fn every_form_of_list_is_read() {
        let cases = [
            (r#"{"object":"list","data":[{"id":"a"},{"id":"models/b"}]}"#, Some(vec!["a", "b"])),
            (r#"{"models":[{"name":"a"},{"model":"b"}]}"#, Some(vec!["a", "b"])),
            (r#"["a"]"#, Some(vec!["a"])),
            (r#"{"data":[]}"#, Some(vec![])),
            (r#"{"hello":1}"#, None),
            ("<html>", None),
        ];
        for (body, expected) in cases {
            let expected = expected.map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(read_list(body.as_bytes()).ok(), expected, "{body}");
        }
    }
}
