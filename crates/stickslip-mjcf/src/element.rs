//! The elements of a file, with included files put in.

use std::path::Path;

use roxmltree::{Document, Node};
use stickslip_urdf::UrdfError;

/// Files within files up to this depth; deeper ones include themselves.
const DEEPEST: usize = 16;

/// An element, its attributes and what is in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub tag: String,
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// Its line in its file, from 1.
    pub line: u32,
}

impl Element {
    /// Reads a file and those it includes.
    pub fn read(path: &Path) -> Result<Self, UrdfError> {
        Self::included(path, path.parent().unwrap_or(Path::new(".")), 0)
    }

    fn included(path: &Path, folder: &Path, depth: usize) -> Result<Self, UrdfError> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| UrdfError::Io { path: path.to_owned(), reason: e.to_string() })?;
        let file = path.display().to_string();
        let document = Document::parse(text.trim_start_matches('\u{feff}'))
            .map_err(|e| UrdfError::Xml { file: file.clone(), reason: e.to_string() })?;
        let from = Origin { document: &document, file: &file, folder, depth };
        from.element(document.root_element())
    }

    /// An attribute.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The children of that tag.
    pub fn all<'a>(&'a self, tag: &'static str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |c| c.tag == tag)
    }

    /// This element and all within.
    pub fn walk(&self) -> Vec<&Element> {
        let mut found = vec![self];
        let mut next = 0;
        while next < found.len() {
            let here: &Element = found[next];
            found.extend(&here.children);
            next += 1;
        }
        found
    }
}

struct Origin<'a> {
    document: &'a Document<'a>,
    file: &'a str,
    /// Folder of the main file, which paths of included files start from.
    folder: &'a Path,
    depth: usize,
}

impl Origin<'_> {
    fn element(&self, node: Node<'_, '_>) -> Result<Element, UrdfError> {
        let line = self.document.text_pos_at(node.range().start).row;
        let attributes =
            node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect();
        let mut children = Vec::new();
        for child in node.children().filter(Node::is_element) {
            if child.tag_name().name() != "include" {
                children.push(self.element(child)?);
                continue;
            }
            let at = || self.document.text_pos_at(child.range().start).row;
            let wrong = |what: &str| UrdfError::At {
                file: self.file.into(),
                line: at(),
                what: what.into(),
            };
            let name = child.attribute("file").ok_or_else(|| wrong("<include> needs a file"))?;
            if self.depth >= DEEPEST {
                return Err(wrong("files include each other without end"));
            }
            // From the folder of the main file, or of the one that includes it.
            let own = Path::new(self.file).parent().unwrap_or(Path::new("."));
            let tried = [self.folder.join(name), own.join(name)];
            let path = tried.iter().find(|p| p.is_file()).unwrap_or(&tried[0]);
            children.extend(Element::included(path, self.folder, self.depth + 1)?.children);
        }
        Ok(Element { tag: node.tag_name().name().to_owned(), attributes, children, line })
    }
}
