//! Model answers on the wire, as data: what is read from each, however its bytes are cut, and what the next request
//! then holds.

#[cfg(test)]
mod cases;
#[cfg(test)]
mod damaged;
#[cfg(test)]
#[path = "../../../../../tests/support/effort.rs"]
mod effort;
#[cfg(test)]
mod history;
#[path = "../../../../../tests/support/strict_api.rs"]
mod strict_api;
#[cfg(test)]
mod variants;
