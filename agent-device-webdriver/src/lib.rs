//! WebDriver backend.

mod page;
