//! What to say after an unknown name.

use stickslip::complementarity::suggest;

/// The known name that a wrong one was meant to be: one whose first word it is, one that differs in few
/// letters, or the first one that begins with it or holds it.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let part = |found: &dyn Fn(&str) -> bool| {
        known.iter().copied().find(|name| word.len() >= 3 && found(name))
    };
    let first_word = |name: &str| name.strip_prefix(word).is_some_and(|rest| rest.starts_with('-'));
    part(&first_word)
        .or_else(|| suggest::closest(word, known.iter().copied()))
        .or_else(|| part(&|name| name.starts_with(word)))
        .or_else(|| part(&|name| name.contains(word)))
}

/// What to say after an unknown name: the closest one, or all of them.
pub(crate) fn remedy(word: &str, known: &[&str], what: &str) -> String {
    match closest(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => format!("there are no {what}"),
        None => format!("{what}: {}", list(known)),
    }
}

/// The first words of a list, and how many more there are.
pub(crate) fn list(words: &[&str]) -> String {
    const SHOWN: usize = 24;
    let shown: Vec<String> = words.iter().take(SHOWN).map(|w| format!("`{w}`")).collect();
    let rest = words.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
