//! One line of `logcat -v threadtime -v epoch -v uid`, and what other variants of it look like.

use std::time::Duration;

/// How serious a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// `V`
    Verbose,
    /// `D`
    Debug,
    /// `I`
    Info,
    /// `W`
    Warn,
    /// `E`
    Error,
    /// `F`
    Fatal,
}

impl LogLevel {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "V" => Self::Verbose,
            "D" => Self::Debug,
            "I" => Self::Info,
            "W" => Self::Warn,
            "E" => Self::Error,
            "F" | "A" => Self::Fatal,
            _ => return None,
        })
    }
}

/// One line of the device's log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// Since 1970, by the device's clock. `None`: the device only tells the time of day.
    pub time: Option<Duration>,
    /// Who wrote it: a name or a number, on Android 7 and later.
    pub user: Option<String>,
    /// The process that wrote it.
    pub pid: u32,
    /// The thread that wrote it.
    pub tid: u32,
    /// How serious it is.
    pub level: LogLevel,
    /// The part of the program that wrote it.
    pub tag: String,
    /// What it says.
    pub message: String,
}

/// Reads a line. `None`: it is none, but a headline of a buffer or the rest of another.
pub(super) fn parse(line: &str) -> Option<LogLine> {
    let mut rest = line.trim_end_matches(['\r', '\n']);
    let first = word(&mut rest)?;
    let time = match seconds(first) {
        Some(time) => Some(time),
        // `11-30 18:45:23.143`: this device does not know the year, so that it has no point in time.
        None if is_day(first) => {
            word(&mut rest)?;
            None
        }
        None => return None,
    };
    let mut words = Vec::with_capacity(3);
    let level = loop {
        let next = word(&mut rest)?;
        match LogLevel::of(next) {
            // A user may be called by a letter, too: the level comes after two numbers.
            Some(level) if words.len() >= 2 => break level,
            _ if words.len() == 3 => return None,
            _ => words.push(next),
        }
    };
    let (user, pid, tid) = match words[..] {
        [pid, tid] => (None, pid, tid),
        [user, pid, tid] => (Some(user.to_owned()), pid, tid),
        _ => return None,
    };
    let (tag, message) = rest.split_once(": ").or_else(|| {
        // A line without a message.
        Some((rest.strip_suffix(':')?, ""))
    })?;
    Some(LogLine {
        time,
        user,
        pid: pid.parse().ok()?,
        tid: tid.parse().ok()?,
        level,
        tag: tag.trim().to_owned(),
        message: message.to_owned(),
    })
}

/// The next word; the rest begins behind the spaces after it.
fn word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let text = rest.trim_start_matches(' ');
    let end = text.find(' ').unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    *rest = behind.trim_start_matches(' ');
    (!word.is_empty()).then_some(word)
}

/// `1764529523.143`, with any number of digits behind the point.
fn seconds(word: &str) -> Option<Duration> {
    let (whole, part) = word.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let nanos = format!("{part:0<9}").parse().ok()?;
    Some(Duration::new(whole.parse().ok()?, nanos))
}

fn is_day(word: &str) -> bool {
    let day = word.rsplit('-').take(2);
    word.contains('-')
        && day
            .into_iter()
            .all(|part| part.len() == 2 && part.parse::<u8>().is_ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_read_in_the_forms_of_every_android() {
        let line = parse(
            "  1764529523.143  u0_a100  1234  1240 E AndroidRuntime: FATAL EXCEPTION: main\r\n",
        )
        .unwrap();
        assert_eq!(line.time, Some(Duration::from_millis(1_764_529_523_143)));
        assert_eq!(line.user.as_deref(), Some("u0_a100"));
        assert_eq!(
            (line.pid, line.tid, line.level),
            (1234, 1240, LogLevel::Error)
        );
        assert_eq!(
            (line.tag.as_str(), line.message.as_str()),
            ("AndroidRuntime", "FATAL EXCEPTION: main")
        );
        for (text, user, time) in [
            (
                "1764529523.143456 10100 7 8 I My tag  : x: y",
                Some("10100"),
                true,
            ),
            ("1764529523.1 7 8 W T: ", None, true),
            ("11-30 18:45:23.143    7     8 W T: m", None, false),
            ("2026-11-30 18:45:23.143 root 7 8 D T:", Some("root"), false),
            ("1764529523.1 D 7 8 D T: m", Some("D"), true),
        ] {
            let line = parse(text).unwrap();
            assert_eq!(
                (line.user.as_deref(), line.time.is_some()),
                (user, time),
                "{text}"
            );
            assert_eq!((line.pid, line.tid), (7, 8), "{text}");
        }
        for none in [
            "--------- beginning of main",
            "",
            "\tat java.lang.Thread.run(Thread.java:1)",
            "1764529523.1 7 8 Q T: m",
            "1764529523.1 a b I T: m",
            "1764529523.1 1 2 3 4 I T: m",
        ] {
            assert_eq!(parse(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(1764529523\\.1 |11-30 )?[0-9a-z ]{0,20}[VDIWEFA: ]{0,6}\\PC*") {
            parse(&text);
        }
    }
}
