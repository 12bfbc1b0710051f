//! Remote command lines. What may not be here: sockets.
//!
//! A device's `sh` parses whatever is sent to it, so a command line is never put together from strings: it is a program or a
//! fixed script, and [`ShellWord`]s.

use std::fmt;

use agent_device_core::{Error, Result};

/// The longest command line: the adb server takes a request of 65 535 bytes, the name of the service and a legacy wrapper
/// included.
pub const MAX_COMMAND: usize = 0xffff - 256;

/// One word of a remote command line, quoted so that the device's `sh` reads exactly these bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct ShellWord(Vec<u8>);

impl ShellWord {
    /// Quotes `word`.
    ///
    /// # Errors
    ///
    /// It holds a NUL byte, which no argument of a program can.
    pub fn new(word: impl AsRef<[u8]>) -> Result<Self> {
        Ok(Self(quote(Self::checked(word.as_ref())?, false)))
    }

    fn checked(word: &[u8]) -> Result<&[u8]> {
        if word.contains(&0) {
            return Err(Error::invalid(
                "argument",
                "a word of a shell command holds a NUL byte",
            ));
        }
        Ok(word)
    }

    /// What is sent.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The word as `sh` must see it. A word without anything special stays as it is, unless it must be in quotes `always`.
fn quote(word: &[u8], always: bool) -> Vec<u8> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(byte);
    if !always && !word.is_empty() && word.iter().all(plain) {
        return word.to_vec();
    }
    let mut quoted = Vec::with_capacity(word.len() + 2);
    quoted.push(b'\'');
    for &byte in word {
        if byte == b'\'' {
            quoted.extend_from_slice(b"'\\''");
        } else {
            quoted.push(byte);
        }
    }
    quoted.push(b'\'');
    quoted
}

impl fmt::Debug for ShellWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // It may be what somebody types.
        write!(f, "ShellWord({} bytes)", self.0.len())
    }
}

/// A remote command line. `Debug` shows the program only: arguments may be secrets.
///
/// ```
/// use agent_device_android::adb::ShellCommand;
///
/// let command = ShellCommand::new("input")?.arg("text")?.arg("it's; reboot")?;
/// assert_eq!(command.as_bytes(), br"input text 'it'\''s; reboot'");
/// # Ok::<(), agent_device_core::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ShellCommand {
    line: Vec<u8>,
    /// Where the part ends that may be shown.
    name: usize,
}

/// What `sh` would take for more than the name of a program.
const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "in", "select", "function", "time", "coproc",
];

impl ShellCommand {
    /// A program without arguments.
    ///
    /// # Errors
    ///
    /// The name is empty or holds a NUL byte.
    pub fn new(program: &str) -> Result<Self> {
        if program.is_empty() {
            return Err(Error::invalid(
                "program",
                "a shell command without a program",
            ));
        }
        // Else `a=b` is an assignment, and a reserved word a piece of syntax.
        let syntax = program.contains('=') || RESERVED.contains(&program);
        let line = quote(ShellWord::checked(program.as_bytes())?, syntax);
        Ok(Self {
            name: line.len(),
            line,
        })
    }

    /// A script that is part of this program, not of its data: pipes, redirections, several commands. Arguments are its
    /// `"$1"`, `"$2"` and so on; nothing that comes from outside can become syntax.
    pub fn script(script: &'static str) -> Self {
        let mut line = b"sh -c ".to_vec();
        let name = line.len() - 1;
        line.extend_from_slice(&quote(script.as_bytes(), true));
        line.extend_from_slice(b" sh");
        Self { line, name }
    }

    /// Adds an argument.
    ///
    /// # Errors
    ///
    /// It holds a NUL byte, or the line is longer than [`MAX_COMMAND`] bytes.
    pub fn arg(self, argument: impl AsRef<[u8]>) -> Result<Self> {
        self.word(&ShellWord::new(argument)?)
    }

    /// Adds several arguments.
    ///
    /// # Errors
    ///
    /// As [`arg`](Self::arg).
    pub fn args<T: AsRef<[u8]>>(self, arguments: impl IntoIterator<Item = T>) -> Result<Self> {
        arguments.into_iter().try_fold(self, Self::arg)
    }

    /// Adds a word that is quoted already.
    ///
    /// # Errors
    ///
    /// The line is longer than [`MAX_COMMAND`] bytes.
    pub fn word(mut self, word: &ShellWord) -> Result<Self> {
        self.line.push(b' ');
        self.line.extend_from_slice(word.as_bytes());
        if self.line.len() > MAX_COMMAND {
            return Err(Error::invalid(
                "arguments",
                format!("the command line is longer than {MAX_COMMAND} bytes"),
            ));
        }
        Ok(self)
    }

    /// What is sent.
    pub fn as_bytes(&self) -> &[u8] {
        &self.line
    }

    /// The program, for errors and spans.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(self.line.get(..self.name).unwrap_or_default()).into_owned()
    }
}

impl fmt::Debug for ShellCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ShellCommand({} …, {} bytes)",
            self.name(),
            self.line.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> String {
        String::from_utf8(ShellWord::new(text).unwrap().0).unwrap()
    }

    #[test]
    fn only_words_that_no_shell_reads_differently_stay_bare() {
        for bare in ["a", "com.example/.Main", "-n", "a=b", "50%", "x@y:1,2"] {
            assert_eq!(word(bare), bare);
        }
        for (text, quoted) in [
            ("", "''"),
            ("a b", "'a b'"),
            ("$HOME", "'$HOME'"),
            ("it's", r"'it'\''s'"),
            ("~", "'~'"),
            ("a\nb", "'a\nb'"),
            ("é", "'é'"),
            ("*", "'*'"),
        ] {
            assert_eq!(word(text), quoted);
        }
    }

    #[test]
    fn a_nul_byte_and_a_line_without_end_are_refused_before_anything_is_sent() {
        assert!(ShellWord::new("a\0b").unwrap_err().dispatched().is_no());
        let long = ShellCommand::new("echo")
            .unwrap()
            .arg("x".repeat(MAX_COMMAND));
        assert!(long.unwrap_err().dispatched().is_no());
        assert!(ShellCommand::new("").unwrap_err().dispatched().is_no());
    }

    #[test]
    fn a_program_is_never_an_assignment_or_a_piece_of_syntax() {
        let line =
            |program: &str| String::from_utf8(ShellCommand::new(program).unwrap().line).unwrap();
        assert_eq!(line("am"), "am");
        assert_eq!(line("a=b"), "'a=b'");
        assert_eq!(line("if"), "'if'");
        assert_eq!(line("a b"), "'a b'");
    }

    #[test]
    fn arguments_stay_out_of_debug() {
        let command = ShellCommand::new("input").unwrap().arg("hunter2").unwrap();
        assert!(!format!("{command:?}").contains("hunter2"));
        assert_eq!(ShellCommand::script("cat \"$1\"").name(), "sh -c");
    }
}
