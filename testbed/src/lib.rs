//! Real peers for tests: an app to act on and transports that fail on purpose.
//!
//! | peer | what it is |
//! | --- | --- |
//! | [`page::FixtureServer`] | the fixture app as a web page, with an event log that a test reads beside the backend under test |
//! | [`control::Control`] | the way to a fixture app in another process: its event log, its screens |
//! | [`fault::FaultProxy`] | an HTTP/1.1 proxy before a real server that breaks chosen requests in chosen ways and records them all |
//! | [`fault::FaultServer`] | the same without a server behind it: canned replies |
//!
//! Every peer lives on a thread and a clock of its own: a test may pause its time, block its thread or be dropped, and the
//! peer still answers. Dropping a peer stops it and joins its thread, so nothing outlives a test.
//!
//! What may not be here: anything that knows a backend. A peer judges, so it can't share code with what it judges.

mod http;
mod peer;

pub mod control;
pub mod fault;
pub mod page;

#[cfg(test)]
mod tests;
