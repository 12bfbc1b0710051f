//! WebDriver backend.
