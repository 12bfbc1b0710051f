//! What a device shows, as the core's snapshot.
