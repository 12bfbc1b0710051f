//! Texts that break parsers and shells.

/// The labels of the screen `zoo`: ids and the exact texts. Every body shows these.
#[must_use]
pub fn zoo() -> Vec<(&'static str, String)> {
    let fixed = [
        ("zoo-emoji", "🎉 Party 👩‍👩‍👧‍👦"),
        ("zoo-cjk", "確認する 确认 확인"),
        ("zoo-rtl", "שמור שינויים ثم تابع"),
        ("zoo-bidi", "left \u{202E}thgir\u{202C} left"),
        ("zoo-combining", "Cafe\u{301} Zo\u{308}e\u{328}"),
        ("zoo-composed", "Café Zöę"),
        ("zoo-double-quotes", r#"Say "hello""#),
        ("zoo-single-quotes", "It's Bob's"),
        ("zoo-pipes", "this || that"),
        ("zoo-selector", r#"role=button && label="x" || id='y'"#),
        ("zoo-shell", r#"$(reboot); `id` "x" 'y' \ > /tmp/z & ~"#),
        ("zoo-markup", "<b>&amp;</b> ]]> <!-- -->"),
        ("zoo-nul", "NUL\u{0}inside"),
        (
            "zoo-controls",
            "bell\u{7} escape\u{1b}[31m unit\u{1f} delete\u{7f}",
        ),
        ("zoo-lines", "two\nlines\tand a tab"),
        (
            "zoo-separators",
            "line\u{2028}paragraph\u{2029}nbsp\u{a0}zwsp\u{200b}end",
        ),
    ];
    let fixed = fixed.map(|(id, label)| (id, label.to_owned()));
    let long = ("zoo-long", "0123456789".repeat(1000));
    fixed.into_iter().chain([long]).collect()
}
