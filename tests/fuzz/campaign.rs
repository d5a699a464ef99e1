//! One target's run: its corpus first, then inputs made from it, either a fixed few or for as long as
//! `ASSENT_FUZZ_SECONDS` says.
//!
//! Whatever gives a kind of answer that no input before gave joins the pool that further inputs are made from. Nothing but
//! the seed decides what is made, so `ASSENT_FUZZ_SEED` with a printed seed repeats a run.

use crate::mutation::{Random, mutated, words};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Inputs that are made from each corpus where no time is given.
const FEW: u64 = 200;
/// The seed of these few.
const FIXED_SEED: u64 = 1;
/// Inputs that are kept for their new kind of answer.
const POOL: usize = 4096;
/// One input that takes longer than this is a hang.
const HANG: Duration = Duration::from_secs(60);

/// Runs `target` over `tests/corpora/NAME` and what is made from it. It panics where a promise is broken, and gives the kind
/// of answer in words.
pub fn run(name: &str, mut target: impl FnMut(&[u8]) -> String) {
    let seeds = corpus(name);
    let words = words(&seeds);
    let time = std::env::var("ASSENT_FUZZ_SECONDS").ok().map(|text| {
        Duration::from_secs(
            text.parse().unwrap_or_else(|_| panic!("ASSENT_FUZZ_SECONDS is no number: {text}")),
        )
    });
    let seed = time.map_or(FIXED_SEED, |_| given_seed());
    let watch = time.map(|_| Watch::start(name, seed));
    let began = Instant::now();
    let mut slowest = Duration::ZERO;
    let mut kinds = HashSet::new();
    let mut pool = seeds.clone();
    let mut random = Random::new(seed);
    let mut made = 0;
    let mut from_corpus = seeds.into_iter();
    loop {
        let input = if let Some(input) = from_corpus.next() {
            input
        } else if time.map_or(made < FEW, |time| began.elapsed() < time) {
            made += 1;
            mutated(&mut random, &pool, &words)
        } else {
            break;
        };
        let started = Instant::now();
        if let Some(watch) = &watch {
            watch.begin(&input, started);
        }
        let kind = catch_unwind(AssertUnwindSafe(|| target(&input))).unwrap_or_else(|panic| {
            eprintln!("{name}, seed {seed}, input {made}: \"{}\"", input.escape_ascii());
            resume_unwind(panic)
        });
        slowest = slowest.max(started.elapsed());
        if kinds.insert(hash(&kind)) && made > 0 && pool.len() < POOL {
            pool.push(input);
        }
    }
    println!(
        "{name}: {made} inputs in {} s, {} kinds of answer, slowest {} ms, seed {seed}",
        began.elapsed().as_secs(),
        kinds.len(),
        slowest.as_millis()
    );
}

/// Every file of the target's corpus, by name.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.into_iter().map(|file| std::fs::read(file).expect("a readable seed")).collect()
}

fn given_seed() -> u64 {
    match std::env::var("ASSENT_FUZZ_SEED") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("ASSENT_FUZZ_SEED is no number: {text}")),
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).map_or(FIXED_SEED, |since| since.as_secs()),
    }
}

fn hash(kind: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    kind.hash(&mut hasher);
    hasher.finish()
}

/// Ends the process, with the input, where one input takes too long.
struct Watch {
    current: Arc<Mutex<(Vec<u8>, Instant)>>,
    /// Its end ends the watching thread.
    _running: mpsc::Sender<()>,
}

impl Watch {
    fn start(name: &str, seed: u64) -> Self {
        let current = Arc::new(Mutex::new((Vec::new(), Instant::now())));
        let (running, ended) = mpsc::channel();
        let (seen, name) = (Arc::clone(&current), name.to_owned());
        std::thread::spawn(move || {
            while ended.recv_timeout(HANG / 4) == Err(mpsc::RecvTimeoutError::Timeout) {
                let (input, since) = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if since.elapsed() > HANG {
                    eprintln!("{name}, seed {seed}, hangs: \"{}\"", input.escape_ascii());
                    std::process::exit(1);
                }
            }
        });
        Self { current, _running: running }
    }

    fn begin(&self, input: &[u8], at: Instant) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.0.clear();
        current.0.extend_from_slice(input);
        current.1 = at;
    }
}
