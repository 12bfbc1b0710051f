//! Values of attributes: references, rectangles, booleans.

use memchr::memchr;

/// Whether the value is the word `true`.
pub(super) fn truth(value: &str) -> bool {
    value == "true"
}

/// Whether a text shows nothing.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A rectangle by its edges. Empty ones are kept as they are: where they lie still says something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

impl Edges {
    /// Reads `[left,top][right,bottom]`.
    pub(super) fn parse(value: &str) -> Option<Self> {
        let bytes = value.as_bytes();
        let mut at = 0;
        let expect = |at: &mut usize, wanted: u8| {
            let found = bytes.get(*at) == Some(&wanted);
            *at += 1;
            found.then_some(())
        };
        let number = |at: &mut usize| {
            let negative = bytes.get(*at) == Some(&b'-');
            *at += usize::from(negative);
            let start = *at;
            let mut number = 0_i32;
            while let Some(digit) = bytes.get(*at).filter(|byte| byte.is_ascii_digit()) {
                number = number
                    .checked_mul(10)?
                    .checked_add(i32::from(digit - b'0'))?;
                *at += 1;
            }
            (*at > start).then_some(if negative { -number } else { number })
        };
        expect(&mut at, b'[')?;
        let left = number(&mut at)?;
        expect(&mut at, b',')?;
        let top = number(&mut at)?;
        expect(&mut at, b']')?;
        expect(&mut at, b'[')?;
        let right = number(&mut at)?;
        expect(&mut at, b',')?;
        let bottom = number(&mut at)?;
        expect(&mut at, b']')?;
        (at == bytes.len()).then_some(Self {
            left,
            top,
            right,
            bottom,
        })
    }

    pub(super) fn width(self) -> i64 {
        (i64::from(self.right) - i64::from(self.left)).max(0)
    }

    pub(super) fn height(self) -> i64 {
        (i64::from(self.bottom) - i64::from(self.top)).max(0)
    }

    pub(super) fn area(self) -> i64 {
        self.width().saturating_mul(self.height())
    }

    pub(super) fn is_empty(self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    /// The common part; empty when there is none.
    pub(super) fn intersection(self, other: Self) -> Self {
        let common = Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        if common.is_empty() {
            Self::default()
        } else {
            common
        }
    }

    /// The smallest rectangle around both. An empty one counts for nothing.
    pub(super) fn union(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (_, true) => self,
            (true, false) => other,
            (false, false) => Self {
                left: self.left.min(other.left),
                top: self.top.min(other.top),
                right: self.right.max(other.right),
                bottom: self.bottom.max(other.bottom),
            },
        }
    }

    /// Whether they share a point; touching edges count, as they do in the core.
    pub(super) fn touches(self, other: Self) -> bool {
        self.left <= other.right
            && other.left <= self.right
            && self.top <= other.bottom
            && other.top <= self.bottom
    }

    pub(super) fn rect(self) -> agent_device_core::geometry::Rect {
        let size = |size: i64| u32::try_from(size).map_or(f64::from(u32::MAX), f64::from);
        agent_device_core::geometry::Rect::new(
            f64::from(self.left),
            f64::from(self.top),
            size(self.width()),
            size(self.height()),
        )
    }
}

/// Appends a value with its references resolved. One that is invalid stays as it is written.
pub(super) fn unescape(value: &str, out: &mut String) {
    let mut rest = value;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match reference(from) {
            Some((character, length)) => {
                out.push(character);
                rest = &from[length..];
            }
            None => {
                out.push('&');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
}

/// The reference at the start of the text, and its length.
fn reference(text: &str) -> Option<(char, usize)> {
    // The longest one that means something: `&#x0010FFFF;`, with room for more zeros.
    let end = text.bytes().take(16).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => (digits, 16),
                None => (digits, 10),
            };
            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            let code = u32::from_str_radix(digits, radix).ok()?;
            char::from_u32(code).filter(|character| *character != '\0')?
        }
    };
    Some((character, end + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(value: &str) -> String {
        let mut out = String::new();
        unescape(value, &mut out);
        out
    }

    #[test]
    fn references_are_resolved_and_invalid_ones_stay() {
        for (value, wanted) in [
            ("", ""),
            ("a", "a"),
            ("&lt;&amp;&gt;&quot;&apos;", "<&>\"'"),
            ("a&#10;b&#x41;&#X1F600;", "a\nbA😀"),
            ("&", "&"),
            ("&amp", "&amp"),
            ("&nbsp;&;&#;&#x;", "&nbsp;&;&#;&#x;"),
            (
                "&#0;&#xD800;&#x110000;&#-1;&#+1;",
                "&#0;&#xD800;&#x110000;&#-1;&#+1;",
            ),
            ("&amp;lt;", "&lt;"),
            ("&é;", "&é;"),
            ("&aaaaaaaaaaaaaaé;", "&aaaaaaaaaaaaaaé;"),
        ] {
            assert_eq!(plain(value), wanted);
        }
    }

    #[test]
    fn rectangles_are_whole_numbers_in_one_form_only() {
        let edges = Edges::parse("[-1,2][30,-40]").unwrap();
        assert_eq!(
            (edges.left, edges.top, edges.right, edges.bottom),
            (-1, 2, 30, -40)
        );
        assert_eq!((edges.width(), edges.height()), (31, 0));
        for bad in [
            "",
            "[",
            "[1,2][3,4",
            "[1,2][3,4]]",
            "[1,2] [3,4]",
            "[1.5,2][3,4]",
            "[-,2][3,4]",
            "[99999999999,0][1,1]",
            "1,2,3,4",
        ] {
            assert_eq!(Edges::parse(bad), None, "{bad}");
        }
        let extreme = Edges::parse("[-2147483647,-2147483647][2147483647,2147483647]").unwrap();
        assert!(extreme.area() > 0 && extreme.rect().is_usable());
    }

    proptest! {
        #[test]
        fn any_value_is_read_without_a_panic(value in "[\\[\\]&#;,x0-9-]{0,40}|\\PC{0,40}") {
            Edges::parse(&value);
            plain(&value);
        }

        #[test]
        fn what_a_helper_escapes_comes_back(text in "\\PC{0,40}") {
            let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            prop_assert_eq!(plain(&escaped), text);
        }
    }
}
