//! The forms of values that a browser takes for fields of a kind.

/// Whether a field of this type takes the value. The browser would drop any other without a word.
pub(super) fn fits(native: &str, value: &str) -> bool {
    if value.is_empty() {
        return !matches!(native, "input.color" | "input.range");
    }
    match native {
        "input.date" => is_date(value),
        "input.month" => value
            .split_once('-')
            .is_some_and(|(y, m)| is_year(y) && within(m, 1, 12)),
        "input.week" => value
            .split_once("-W")
            .is_some_and(|(y, w)| is_year(y) && within(w, 1, 53)),
        "input.time" => is_time(value),
        "input.datetime-local" => value
            .split_once(['T', ' '])
            .is_some_and(|(date, time)| is_date(date) && is_time(time)),
        "input.color" => {
            value.len() == 7
                && value.starts_with('#')
                && value[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        "input.range" => value.parse::<f64>().is_ok_and(f64::is_finite),
        _ => true,
    }
}

fn is_year(text: &str) -> bool {
    (4..=6).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text != "0000"
}

fn within(text: &str, least: u32, most: u32) -> bool {
    text.len() == 2
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && text
            .parse()
            .is_ok_and(|number| (least..=most).contains(&number))
}

fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    if !is_year(year) || !within(month, 1, 12) {
        return false;
    }
    let year: u32 = year.parse().unwrap_or(1);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        "02" if leap => 29,
        "02" => 28,
        "04" | "06" | "09" | "11" => 30,
        _ => 31,
    };
    within(day, 1, last)
}

fn is_time(text: &str) -> bool {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    let parts: Vec<_> = clock.split(':').collect();
    let known = match parts[..] {
        [hour, minute] => fraction.is_none() && within(hour, 0, 23) && within(minute, 0, 59),
        [hour, minute, second] => {
            within(hour, 0, 23) && within(minute, 0, 59) && within(second, 0, 59)
        }
        _ => false,
    };
    known
        && fraction.is_none_or(|fraction| {
            (1..=3).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_in_the_form_of_their_field() {
        for (native, good, bad) in [
            ("input.date", "2024-02-29", "2023-02-29"),
            ("input.date", "2026-11-30", "11/30/2026"),
            ("input.month", "2026-11", "2026-13"),
            ("input.week", "2026-W49", "2026-49"),
            ("input.time", "23:59:59.5", "24:00"),
            ("input.datetime-local", "2026-11-30T09:00", "2026-11-30"),
            ("input.color", "#ff8800", "#ff88é"),
            ("input.range", "-3.5", "NaN"),
        ] {
            assert!(fits(native, good), "{native} {good}");
            assert!(!fits(native, bad), "{native} {bad}");
        }
        assert!(fits("input.date", ""));
        assert!(!fits("input.color", ""));
    }
}
