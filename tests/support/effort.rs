//! How many cases a property test tries that usually tries fewer, or more, than proptest's own default.

use proptest::test_runner::Config;

/// `usual` cases; with `PROPTEST_CASES`, as under `cargo xtask soak`, as many more as that is more than the default of
/// 256. Never fewer than `usual`.
pub fn cases(usual: u32) -> Config {
    const DEFAULT: u32 = 256;
    let config = Config::default();
    let scaled = u64::from(usual) * u64::from(config.cases) / u64::from(DEFAULT);
    Config { cases: u32::try_from(scaled).unwrap_or(u32::MAX).max(usual), ..config }
}
