//! The model client against a scripted server on loopback: what is sent, what is tried again, what is waited for,
//! and what a hostile server can't do.

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod plainer;
#[cfg(test)]
mod remarks;
#[cfg(test)]
mod retrying;
#[cfg(test)]
mod server;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod soak;
#[cfg(test)]
#[path = "../../../../../tests/support/strict_api.rs"]
mod strict_api;
#[cfg(test)]
mod tls;
