//! Anthropic's Messages, and the servers that are nearly compatible with it.

mod decode;
mod request;
mod wire;

pub use decode::Reader;
pub use request::request_body;
