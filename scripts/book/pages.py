"""The pages: their order, links, headings and code blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        return re.split(r"[ ,]", self.info.strip())[0]

    @property
    def words(self) -> list[str]:
        return self.info.split()[1:]

    def says(self, what: str) -> str:
        """A complaint about this block."""
        return f"{self.page.relative_to(ROOT)}:{self.line}: {what}"


def slug(heading: str) -> str:
    """The anchor of a heading, as code hosts make it."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.strip().replace(" ", "-")


def plain(token: Token) -> str:
    """The text of an inline token without its markup."""
    parts = token.children or []
    return "".join(t.content for t in parts if t.type in ("text", "code_inline"))


class Page:
    """A page of Markdown."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @cached_property
    def tokens(self) -> list[Token]:
        return MARKDOWN.parse(self.text)

    @cached_property
    def headings(self) -> list[tuple[int, str]]:
        """Level and text."""
        out = []
        for here, after in zip(self.tokens, self.tokens[1:]):
            if here.type == "heading_open":
                out.append((int(here.tag[1]), plain(after)))
        return out

    @cached_property
    def blocks(self) -> list[Block]:
        return [
            Block(self.path, (t.map or [0])[0] + 1, t.info, t.content)
            for t in self.tokens
            if t.type == "fence"
        ]

    def targets(self) -> list[str]:
        """Where the links and pictures of the page lead."""
        out = []
        for token in self.tokens:
            for part in token.children or []:
                target = part.attrGet("href") or part.attrGet("src")
                if target:
                    out.append(str(target))
        return out

    def broken_links(self) -> list[str]:
        """Links to files or headings that are not there."""
        out = []
        for target in self.targets():
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            path = (self.path.parent / file).resolve() if file else self.path
            if not path.exists() or not path.is_relative_to(ROOT):
                out.append(f"{self.name}: the link {target} leads nowhere")
            elif anchor and anchor not in {slug(text) for _, text in Page(path).headings}:
                out.append(f"{self.name}: {target} names a heading that is not there")
        return out


class Book:
    """The pages in the order of SUMMARY.md, and the notebooks it lists."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.summary = Page(folder / "SUMMARY.md")
        #: Title and path of every entry; a heading has no path.
        self.entries: list[tuple[str, Path | None]] = []
        self.pages: list[Page] = []
        self.notebooks: list[Path] = []
        for token in self.summary.tokens:
            if token.type != "inline":
                continue
            links = [t for t in token.children or [] if t.type == "link_open"]
            path = None
            if links:
                path = (folder / str(links[0].attrGet("href"))).resolve()
            self.entries.append((plain(token), path))
        self.title = self.entries.pop(0)[0]
        for _, path in self.entries:
            if path is None or not path.exists():
                continue
            if path.suffix == ".ipynb":
                self.notebooks.append(path)
            else:
                self.pages.append(Page(path))

    def complaints(self) -> list[str]:
        """Pages that are listed but missing, or there but not listed."""
        out = self.summary.broken_links()
        listed = {page.path for page in self.pages} | {self.summary.path}
        for path in sorted(self.folder.glob("*.md")):
            if path.resolve() not in listed:
                out.append(f"docs/SUMMARY.md does not list {path.name}")
        return out
