//! Judgements of bash texts: what is refused, what runs without a question, what never panics.

#[cfg(test)]
mod denials;
#[cfg(test)]
#[path = "../../../../../tests/support/effort.rs"]
mod effort;
#[cfg(test)]
mod read_only;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod setting;
#[cfg(test)]
mod world;
