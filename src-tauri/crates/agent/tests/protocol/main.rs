//! Model answers on the wire, as data: what is read from each, however its bytes are cut, and what the next request
//! then holds.

mod cases;
mod history;
#[path = "../../../../../tests/support/strict_api.rs"]
mod strict_api;
