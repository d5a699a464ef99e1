//! The log for a fleet's collector: OTLP over HTTP as JSON (OpenTelemetry Protocol 1.x, `/v1/logs`). Off unless
//! an endpoint is configured. What is sent is what is stored: redacted.

use crate::audit::otlp_settings::{Collector, ExportSettings, ExportSettingsError};
use crate::audit::{AuditError, AuditPlaces, AuditReader, Record};
use rusqlite::params;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Records in one request.
const BATCH: usize = 512;
/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks for records that were not sent.
const PAUSE: Duration = Duration::from_secs(15);

/// Sends records in order, and remembers how far it came.
#[derive(Debug)]
pub struct Exporter {
    client: reqwest::Client,
    collector: Collector,
    places: AuditPlaces,
    progress: PathBuf,
}

/// Records that were not sent; they stay in the log and are sent next time.
#[derive(Debug, thiserror::Error)]
pub enum OtlpError {
    /// The log can't be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The collector can't be reached or refused.
    #[error("send the audit records: {0}")]
    Send(String),
    /// How far it came can't be kept.
    #[error("keep how far the export came: {0}")]
    Progress(#[from] io::Error),
}

impl Exporter {
    /// An exporter of the log at `places`.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(places: AuditPlaces, collector: Collector) -> Result<Self, OtlpError> {
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| OtlpError::Send(error.without_url().to_string()))?;
        let progress = places.data.join("audit-otlp");
        Ok(Self { client, collector, places, progress })
    }

    /// Sends everything that wasn't sent yet; returns how many records, none while another process sends. A
    /// collector that failed gets the same records again, so it may see some twice: each has its sequence.
    ///
    /// # Errors
    /// When the log can't be read, the collector doesn't take the records, or progress can't be kept.
    pub async fn send(&self) -> Result<usize, OtlpError> {
        let Some(_turn) = self.turn()? else { return Ok(0) };
        let mut sent = 0;
        loop {
            let after = self.sent_up_to()?;
            let places = self.places.clone();
            let batch = tokio::task::spawn_blocking(move || read(&places, after))
                .await
                .map_err(|error| OtlpError::Send(error.to_string()))??;
            let Some(last) = batch.last().map(|record| record.seq) else { return Ok(sent) };
            self.post(&batch).await?;
            self.keep(last)?;
            sent += batch.len();
        }
    }

    /// One process sends at a time: its turn ends with the file, or with the process.
    fn turn(&self) -> io::Result<Option<File>> {
        let path = self.progress.with_extension("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    async fn post(&self, records: &[Record]) -> Result<(), OtlpError> {
        let address = format!("{}/v1/logs", self.collector.endpoint.trim_end_matches('/'));
        let mut request = self.client.post(address).json(&payload(records));
        for (name, value) in &self.collector.headers {
            request = request.header(name, value);
        }
        // The address may hold a key: it stays out of the text.
        let response =
            request.send().await.map_err(|error| OtlpError::Send(error.without_url().to_string()))?;
        let status = response.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(OtlpError::Send(format!("the collector answered {status}")))
        }
    }

    fn sent_up_to(&self) -> io::Result<i64> {
        match fs::read_to_string(&self.progress) {
            Ok(text) => Ok(text.trim().parse().unwrap_or(0)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }

    fn keep(&self, seq: i64) -> io::Result<()> {
        let fresh = self.progress.with_extension("new");
        fs::write(&fresh, seq.to_string())?;
        fs::rename(fresh, &self.progress)
    }
}

/// The export as the settings have it: their file is read again before each sending.
pub struct Export {
    places: AuditPlaces,
    config: PathBuf,
    variable: fn(&str) -> Option<String>,
    /// Who is sent to, and what the settings said then.
    current: Option<(ExportSettings, Exporter)>,
}

/// Nothing could be exported just now; nothing is lost.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The settings can't be followed.
    #[error(transparent)]
    Settings(#[from] ExportSettingsError),
    /// They were followed, and the records could not be sent.
    #[error(transparent)]
    Send(#[from] OtlpError),
}

impl Export {
    /// The export of the log at `places` by `settings.toml` in `config`; `variable` looks up the environment.
    #[must_use]
    pub fn new(places: AuditPlaces, config: PathBuf, variable: fn(&str) -> Option<String>) -> Self {
        Self { places, config, variable, current: None }
    }

    /// Sends what wasn't sent yet to whom the settings name now; returns how many records.
    ///
    /// # Errors
    /// When the settings can't be followed or the records can't be sent.
    pub async fn send(&mut self) -> Result<usize, ExportError> {
        let Some(settings) = ExportSettings::read(&self.config)? else {
            self.current = None;
            return Ok(0);
        };
        let current = match self.current.take() {
            Some((known, exporter)) if known == settings => (known, exporter),
            Some(_) | None => {
                let exporter = Exporter::new(self.places.clone(), settings.collector(self.variable)?)?;
                (settings, exporter)
            }
        };
        let (_, exporter) = self.current.insert(current);
        Ok(exporter.send().await?)
    }

    /// Sends every now and then, for as long as it is awaited. What fails is told to the log of the program and
    /// tried again; the audit itself knows nothing of it and waits for nothing.
    pub async fn keep_sending(&mut self) {
        let mut trouble = None;
        loop {
            let now = self.send().await.err().map(|error| error.to_string());
            if let Some(error) = now.as_ref().filter(|_| now != trouble) {
                tracing::warn!(error, "the audit export is behind; nothing is lost");
            }
            trouble = now;
            tokio::time::sleep(PAUSE).await;
        }
    }
}

fn read(places: &AuditPlaces, after: i64) -> Result<Vec<Record>, AuditError> {
    let Some(reader) = AuditReader::open(places)? else { return Ok(Vec::new()) };
    let load = || -> rusqlite::Result<Vec<Record>> {
        reader
            .connection
            .prepare(&format!(
                "SELECT {} FROM records WHERE seq > ?1 ORDER BY seq LIMIT ?2",
                crate::audit::record::COLUMNS
            ))?
            .query_map(params![after, i64::try_from(BATCH).unwrap_or(i64::MAX)], Record::from_row)?
            .collect()
    };
    load().map_err(|error| reader.error(&error))
}

/// An `ExportLogsServiceRequest` in OTLP's JSON form.
#[must_use]
pub fn payload(records: &[Record]) -> Value {
    let logs: Vec<Value> = records.iter().map(log_record).collect();
    json!({
        "resourceLogs": [{
            "resource": { "attributes": [attribute("service.name", "assent")] },
            "scopeLogs": [{
                "scope": { "name": "assent.audit", "version": env!("CARGO_PKG_VERSION") },
                "logRecords": logs,
            }],
        }],
    })
}

fn log_record(record: &Record) -> Value {
    // Severity numbers of the OpenTelemetry log data model: 9 is INFO, 13 is WARN.
    let (number, text) = if record.behavior == "deny" { (13, "WARN") } else { (9, "INFO") };
    let nanoseconds = i128::from(record.time_ms) * 1_000_000;
    let attributes: Vec<Value> = [
        ("assent.phase", &record.phase),
        ("assent.session", &record.session),
        ("assent.run", &record.run),
        ("assent.call", &record.call),
        ("assent.tool", &record.tool),
        ("assent.behavior", &record.behavior),
        ("assent.source", &record.source),
        ("assent.risk", &record.risk),
        ("assent.digest", &record.digest),
        ("assent.approver", &record.approver),
        ("assent.surface", &record.surface),
        ("assent.policy_version", &record.policy_version),
        ("assent.sandbox", &record.sandbox),
        ("assent.targets", &record.targets),
        ("assent.arguments", &record.arguments),
        ("assent.outcome", &record.outcome),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| attribute(name, value))
    .chain([
        json!({ "key": "assent.seq", "value": { "intValue": record.seq.to_string() } }),
        json!({ "key": "assent.duration_ms", "value": { "intValue": record.duration_ms.to_string() } }),
        attribute("assent.mac", &record.mac.to_hex()),
    ])
    .collect();
    json!({
        "timeUnixNano": nanoseconds.to_string(),
        "severityNumber": number,
        "severityText": text,
        "body": { "stringValue": if record.reason.is_empty() { &record.phase } else { &record.reason } },
        "attributes": attributes,
    })
}

fn attribute(name: &str, value: &str) -> Value {
    json!({ "key": name, "value": { "stringValue": value } })
}

#[cfg(test)]
mod tests {
    use super::{Collector, Export, Exporter};
    use crate::audit::AuditLog as _;
    use crate::audit::fixture::World;
    use crate::audit::fixture::begun;
    use serde_json::Value;
    use wiremock::matchers::{header, method, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    async fn sequences(server: &MockServer) -> Vec<i64> {
        let mut out = Vec::new();
        for request in server.received_requests().await.unwrap() {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            for record in body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap() {
                let attributes = record["attributes"].as_array().unwrap();
                let seq = attributes.iter().find(|it| it["key"] == "assent.seq").unwrap();
                out.push(seq["value"]["intValue"].as_str().unwrap().parse().unwrap());
            }
        }
        out
    }

    /// R44: every record once and in order; a collector that fails gets them again; nothing secret is sent.
    #[tokio::test]
    async fn records_are_sent_in_order_and_again_after_a_failure() {
        let world = World::with_calls(3);
        let server = MockServer::start().await;
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(503))
            .up_to_n_times(1)
            .mount(&server)
            .await;
        Mock::given(method("POST"))
            .and(path("/v1/logs"))
            .and(header("x-key", "k"))
            .respond_with(ResponseTemplate::new(200))
            .mount(&server)
            .await;
        let collector = Collector {
            endpoint: format!("{}/", server.uri()),
            headers: vec![("x-key".to_owned(), "k".to_owned())],
        };
        let exporter = Exporter::new(world.places.clone(), collector).unwrap();
        let error = exporter.send().await.unwrap_err().to_string();
        assert!(error.contains("503") && !error.contains(&server.uri()), "{error}");
        server.reset().await;
        Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
        assert_eq!(exporter.send().await.unwrap(), 13);
        assert_eq!(exporter.send().await.unwrap(), 0);
        assert_eq!(sequences(&server).await, (1..=13).collect::<Vec<_>>());
        let requests = server.received_requests().await.unwrap();
        assert!(!String::from_utf8_lossy(&requests[0].body).contains("my-own-key"));
        // A new exporter goes on where the last one stopped.
        let next =
            Exporter::new(world.places.clone(), Collector { endpoint: server.uri(), headers: Vec::new() });
        assert_eq!(next.unwrap().send().await.unwrap(), 0);
    }

    /// R41, R44: a collector that never answers, or is not there, neither stops nor slows what is recorded.
    #[tokio::test]
    async fn a_dead_collector_changes_nothing_here() {
        let world = World::with_calls(1);
        let config = world.folder.path();
        let settings = "[audit_export]\nendpoint = \"http://127.0.0.1:9\"\n";
        std::fs::write(config.join("settings.toml"), settings).unwrap();
        let mut export = Export::new(world.places.clone(), config.to_owned(), |_| None);
        assert!(export.send().await.is_err());
        let store = world.open();
        tokio::select! {
            () = export.keep_sending() => unreachable!("it goes on for ever"),
            stored = async { store.append(&begun(7)) } => stored.unwrap(),
        }
        assert!(!world.places.data.join("audit-otlp").exists());
    }

    /// R44: the settings count from the next sending on: switched on, to another collector, broken, off.
    #[tokio::test]
    async fn changed_settings_count_while_it_runs() {
        let world = World::with_calls(1);
        let (one, other) = (MockServer::start().await, MockServer::start().await);
        for server in [&one, &other] {
            Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).mount(server).await;
        }
        let config = world.folder.path();
        let write = |text: &str| std::fs::write(config.join("settings.toml"), text).unwrap();
        let to = |server: &MockServer| write(&format!("[audit_export]\nendpoint = \"{}\"\n", server.uri()));
        let mut export = Export::new(world.places.clone(), config.to_owned(), |_| None);
        assert_eq!(export.send().await.unwrap(), 0, "off");
        to(&one);
        assert_eq!(export.send().await.unwrap(), 5);
        let store = world.open();
        store.append(&begun(7)).unwrap();
        to(&other);
        assert_eq!(export.send().await.unwrap(), 3);
        store.append(&begun(8)).unwrap();
        write("[audit_export]\nurl = 1\n");
        assert!(export.send().await.is_err(), "nobody is guessed");
        write("[audit_export]\nendpoint = \"http://c.example\"\n");
        assert!(export.send().await.is_err());
        write("");
        assert_eq!(export.send().await.unwrap(), 0);
        assert_eq!((sequences(&one).await, sequences(&other).await), ((1..=5).collect(), (6..=8).collect()));
    }

    /// One process sends at a time.
    #[tokio::test]
    async fn two_exporters_take_turns() {
        let world = World::with_calls(1);
        let server = MockServer::start().await;
        Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
        let collector = Collector { endpoint: server.uri(), headers: Vec::new() };
        let exporter = Exporter::new(world.places.clone(), collector.clone()).unwrap();
        let turn = Exporter::new(world.places.clone(), collector).unwrap().turn().unwrap();
        assert!(turn.is_some());
        assert_eq!(exporter.send().await.unwrap(), 0);
        drop(turn);
        assert_eq!(exporter.send().await.unwrap(), 5);
    }
}
