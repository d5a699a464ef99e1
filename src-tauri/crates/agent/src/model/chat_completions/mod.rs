//! OpenAI's Chat Completions, and the many servers that are nearly compatible with it.

mod decode;
mod request;
mod wire;

pub use decode::Reader;
pub use request::request_body;
