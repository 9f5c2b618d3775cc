//! Tables of the implementations of a stage: what a scene file may name.

/// One implementation of a stage.
#[derive(Debug)]
pub struct Entry<T: ?Sized> {
    /// Its name in settings and scene files.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Makes one, with its default settings.
    pub make: fn() -> Box<T>,
}

/// The implementation of that name; else the names that there are, joined by commas.
pub(crate) fn find<'a, T: ?Sized>(
    table: &'a [Entry<T>],
    name: &str,
) -> Result<&'a Entry<T>, String> {
    let found = table.iter().find(|entry| entry.name == name);
    found.ok_or_else(|| names(table).collect::<Vec<_>>().join(", "))
}

/// The names of a table, in its order.
pub fn names<T: ?Sized>(table: &[Entry<T>]) -> impl Iterator<Item = &'static str> {
    table.iter().map(|entry| entry.name)
}
