//! Inputs made of other inputs: what one number decides, so that a run with the same seed makes the same ones.

/// Longest input that is made, bytes: enough for deep nesting, short enough that a slow reader shows.
const LONGEST: usize = 4096;

/// What no corpus holds and readers trip over.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\t",
    b"\\",
    b"\"",
    b"'",
    b"`",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    "\u{a0}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2019}".as_bytes(),
    "\u{2014}".as_bytes(),
    "\u{ff0f}".as_bytes(),
    "\u{130}".as_bytes(),
    "e\u{301}".as_bytes(),
    "\u{1f468}\u{200d}\u{1f469}".as_bytes(),
    b"-1",
    b"4294967296",
    b"18446744073709551616",
    b"1e999",
    b"((((((((",
    b"))))))))",
    b"[[[[[[[[",
    b"{{{{{{{{",
    b"$($($($(",
    b"<<<<<<<<",
    b"../../../../",
    b"..\\..\\",
];

/// Pseudo-random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or_default()
    }

    fn pick<'a, T: AsRef<[u8]>>(&mut self, from: &'a [T]) -> &'a [u8] {
        let at = self.below(from.len());
        from.get(at).map_or(&[], AsRef::as_ref)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(32) + 1)
    }
}

/// The words and signs of `seeds`, each once: what a grammar's inputs are made of.
pub fn words(seeds: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    for seed in seeds {
        for word in seed.split(u8::is_ascii_whitespace) {
            words.push(word.to_vec());
            words.extend(word.chunk_by(|left, right| part(*left) == part(*right)).map(<[u8]>::to_vec));
        }
    }
    words.extend(ODD.iter().map(|odd| odd.to_vec()));
    words.retain(|word| !word.is_empty() && word.len() <= 64);
    words.sort();
    words.dedup();
    words
}

fn part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// One of `pool`, with one to six changes.
pub fn mutated(random: &mut Random, pool: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut input = random.pick(pool).to_vec();
    for _ in 0..=random.below(6) {
        change(random, &mut input, pool, words);
        input.truncate(LONGEST);
    }
    input
}

fn change(random: &mut Random, input: &mut Vec<u8>, pool: &[Vec<u8>], words: &[Vec<u8>]) {
    let place = random.below(input.len() + 1);
    match random.below(10) {
        0 => {
            let bit = 1 << random.below(8);
            if let Some(byte) = input.get_mut(place) {
                *byte ^= bit;
            }
        }
        1 => input.truncate(place),
        2 => drop(input.drain(random.range(input.len()))),
        3 => {
            let copied = input[random.range(input.len())].to_vec();
            input.splice(place..place, copied);
        }
        4 => {
            let many = random.pick(words).repeat(random.below(200));
            input.splice(place..place, many);
        }
        5 => {
            let tail = random.pick(pool);
            let from = random.below(tail.len() + 1);
            input.truncate(place);
            input.extend_from_slice(&tail[from..]);
        }
        6 => {
            let range = random.range(input.len());
            input.splice(range, random.pick(words).to_vec());
        }
        7 => {
            let spaced = [b" ", random.pick(words), b" "].concat();
            input.splice(place..place, spaced);
        }
        8 | 9 => {
            let word = random.pick(words).to_vec();
            input.splice(place..place, word);
        }
        other => panic!("there is no change {other}"),
    }
}
