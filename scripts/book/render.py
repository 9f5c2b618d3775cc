"""Pages as HTML: one file each, with search, contents and light or dark; no network."""

from __future__ import annotations

import html
import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import api
import latex2mathml.converter
from markdown_it import MarkdownIt
from markdown_it.token import Token
from notebooks import Notebook
from pages import MARKDOWN, ROOT, Book, Page, plain, slug
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

ASSETS = Path(__file__).parent / "assets"
LOGO = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 21 22 13v8z" fill="#8a94a6"/><rect x="6.6" y="6.6" '
    'width="8.2" height="8.2" rx="1.1" transform="rotate(-21.8 10.7 10.7)" fill="#3b6fe0"/></svg>'
)


def code(text: str, language: str) -> str:
    """A block of code in colors."""
    try:
        lexer = get_lexer_by_name({"sh": "bash"}.get(language, language))
    except ClassNotFound:
        return f'<pre class="{html.escape(language)}"><code>{html.escape(text)}</code></pre>\n'
    shown: str = highlight(text, lexer, HtmlFormatter(nowrap=True))
    return f"<pre><code>{shown}</code></pre>\n"


def _fence(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    language = re.split(r"[ ,]", token.info.strip())[0]
    if language == "math":
        return latex2mathml.converter.convert(token.content, display="block") + "\n"
    if language in ("text", "output"):
        return f'<pre class="{language}"><code>{html.escape(token.content)}</code></pre>\n'
    lines = token.content.splitlines(keepends=True)
    if language == "rust":
        # Lines that only the compiler needs.
        lines = [line for line in lines if not line.startswith("# ")]
    return code("".join(lines), language)


MARKDOWN.add_render_rule("fence", _fence)


def inline_math(token: Token) -> None:
    """Turns `$` + code + `$`, the inline formulas of code hosts, into MathML."""
    parts = token.children or []
    for before, middle, after in zip(parts, parts[1:], parts[2:]):
        formula = (
            middle.type == "code_inline"
            and before.type == after.type == "text"
            and before.content.endswith("$")
            and after.content.startswith("$")
        )
        if formula:
            before.content, after.content = before.content[:-1], after.content[1:]
            middle.type, middle.content = "html_inline", latex2mathml.converter.convert(middle.content)


@dataclass
class Entry:
    """A section as the search knows it."""

    file: str
    page: str
    title: str
    anchor: str
    text: str = ""


@dataclass
class Sections:
    """Headings of a page with their anchors, and the text below each."""

    title: str
    headings: list[tuple[int, str, str]] = field(default_factory=list)

    def entries(self, file: str, body: str) -> list[Entry]:
        """What the search finds on the page: its sections."""
        out = []
        for piece in re.split(r"(?=<h[23] id=)", body):
            found = re.match(r'<h[23] id="([^"]*)"[^>]*>(.*?)</h[23]>', piece, re.DOTALL)
            anchor = found[1] if found else ""
            title = _words(found[2]).rstrip("#").strip() if found else self.title
            out.append(Entry(file, self.title, title, anchor, _words(piece[found.end() :] if found else piece)))
        return out


def _words(markup: str) -> str:
    """The text of some HTML; formulas and long outputs are left out."""
    markup = re.sub(r"<(math|svg|script|iframe).*?</\1>", " ", markup, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup))).strip()[:6000]


class Site:
    """Where things lie in the built book."""

    def __init__(self, book: Book, out: Path) -> None:
        self.book, self.out = book, out
        self.places = {page.path.resolve(): page.path.stem + ".html" for page in book.pages}
        # A notebook may have the name of a page.
        self.places |= {path: f"notebook-{path.stem}.html" for path in book.notebooks}
        self.places[book.summary.path.resolve()] = "index.html"
        #: Title and place of everything in the list of pages; a heading has no place.
        self.list: list[tuple[str, str | None]] = [
            (name, None if path is None else self.places[path]) for name, path in book.entries
        ]
        self.index: list[Entry] = []

    def moved(self, page: Path, target: str) -> str:
        """Where a link of a page leads in the built book."""
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        file, mark, anchor = target.partition("#")
        path = (page.parent / file).resolve()
        if path in self.places:
            return self.places[path] + mark + anchor
        if not path.exists() or not path.is_relative_to(ROOT):
            return target
        # Files of the repository are copied beside the pages.
        name = Path("files") / path.relative_to(ROOT)
        if path.is_file():
            (self.out / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, self.out / name)
        return name.as_posix() + mark + anchor

    def body(self, page: Page) -> tuple[str, Sections]:
        """The HTML of a page, with anchors and links that fit, and its headings."""
        tokens = page.tokens
        sections = Sections(page.headings[0][1] if page.headings else page.path.stem)
        for token, after in zip(tokens, [*tokens[1:], tokens[-1]]):
            if token.type == "heading_open":
                anchor = slug(plain(after))
                token.attrSet("id", anchor)
                sections.headings.append((int(token.tag[1]), plain(after), anchor))
            if token.type == "inline":
                inline_math(token)
            for part in token.children or []:
                for key in ("href", "src"):
                    target = part.attrGet(key)
                    if target:
                        part.attrSet(key, self.moved(page.path, str(target)))
        renderer: MarkdownIt = MARKDOWN
        return str(renderer.renderer.render(tokens, renderer.options, {})), sections

    def pages_list(self, here: str) -> str:
        items = []
        for name, place in self.list:
            if place is None:
                items.append(f"<b>{html.escape(name)}</b>")
                continue
            mark = ' class="here" aria-current="page"' if place == here else ""
            items.append(f'<a{mark} href="{place}">{html.escape(name)}</a>')
        return f'<nav class="pages" aria-label="Pages">{"".join(items)}</nav>'

    def shell(self, title: str, here: str, content: str) -> str:
        """A whole file around some content."""
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            '<link rel="stylesheet" href="assets/site.css"><link rel="icon" href="assets/logo.svg">'
            '<script>document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches'
            ' ? "dark" : "light"</script></head><body><a class="skip" href="#content">To the text</a>'
            f'<header class="top"><details class="menu"><summary aria-label="Pages">☰</summary>{self.pages_list(here)}'
            f'</details><a class="brand" href="index.html">{LOGO}<span>{html.escape(self.book.title)}</span></a>'
            '<div class="search"><input type="search" placeholder="Search ( / )" aria-label="Search the book">'
            '<ul class="found" hidden></ul></div>'
            '<button class="theme" aria-label="Light or dark" title="Light or dark">◐</button></header>'
            f'{content}<script src="assets/search.js"></script><script src="assets/site.js"></script>'
            '<script src="assets/figures.js"></script></body></html>\n'
        )

    def write(self, here: str, body: str, sections: Sections) -> None:
        """One page, with the list of pages, its contents and the way to the next."""
        self.index += sections.entries(here, body)
        body = re.sub(r'(<h[23] id="([^"]*)"[^>]*>)(.*?)(</h[23]>)', _anchored, body, flags=re.DOTALL)
        toc = "".join(
            f'<a class="level{level}" href="#{anchor}">{html.escape(text)}</a>'
            for level, text, anchor in sections.headings
            if level in (2, 3)
        )
        flow = [entry for entry in self.list if entry[1] is not None]
        at = next(k for k, entry in enumerate(flow) if entry[1] == here)
        turns = [flow[k] if 0 <= k < len(flow) else None for k in (at - 1, at + 1)]
        ways = [f'<a href="{t[1]}">{html.escape(t[0])}</a>' if t else "<span></span>" for t in turns]
        content = (
            f'<div class="columns">{self.pages_list(here)}<main id="content">{body}<hr>'
            f'<div class="turn">{"".join(ways)}</div></main>'
            f'<nav class="toc" aria-label="On this page">{"<b>On this page</b>" + toc if toc else ""}</nav></div>'
        )
        (self.out / here).write_text(self.shell(f"{sections.title} - {self.book.title}", here, content), "utf-8")


def _anchored(found: re.Match[str]) -> str:
    return f'{found[1]}{found[3]}<a class="anchor" href="#{found[2]}" aria-label="Link to this section">#</a>{found[4]}'


def _assets(out: Path, index: list[Entry]) -> None:
    folder = out / "assets"
    folder.mkdir(exist_ok=True)
    light = HtmlFormatter(style="friendly").get_style_defs("pre")
    dark = HtmlFormatter(style="monokai").get_style_defs(':root[data-theme="dark"] pre')
    rules = "\n".join(line for line in f"{light}\n{dark}".splitlines() if "background" not in line)
    (folder / "site.css").write_text(rules + "\n" + (ASSETS / "site.css").read_text(), "utf-8")
    for name in ("site.js", "figures.js"):
        shutil.copyfile(ASSETS / name, folder / name)
    (folder / "logo.svg").write_text(LOGO.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"'))
    rows = json.dumps([vars(entry) for entry in index], ensure_ascii=False, separators=(",", ":"))
    (folder / "search.js").write_text("window.BOOK_INDEX = " + rows.replace("</", "<\\/") + ";\n", "utf-8")


def _references(site: Site, packages: list[str], rust: Path | None) -> dict[str, str]:
    """Lists the references of Python and Rust; the files of those of Python."""
    places = {package: f"python-{package}.html" for package in packages}
    if packages:
        site.list.append(("API", None))
        site.list += [(f"Python: {package}", place) for package, place in places.items()]
    if rust is not None and (rust / "stickslip/index.html").exists():
        shutil.copytree(rust, site.out / "rust", dirs_exist_ok=True)
        site.list.append(("Rust: all crates", "rust/stickslip/index.html"))
    return places


def write(
    book: Book, executed: dict[Path, Notebook], out: Path, packages: list[str] | None = None, rust: Path | None = None
) -> Site:
    """The whole book."""
    out.mkdir(parents=True)
    site = Site(book, out)
    playground = ROOT / "out/playground"
    if (playground / "index.html").exists():
        shutil.copytree(playground, out / "playground")
    for package, place in _references(site, packages or [], rust).items():
        body, headings = api.page(package, code)
        site.write(place, body, Sections(f"Python: {package}", headings))
    for page in book.pages:
        body, sections = site.body(page)
        site.write(site.places[page.path.resolve()], body, sections)
    for path, notebook in executed.items():
        name = next(name for name, entry in book.entries if entry == path)
        body, headings = notebook.html(code, out)
        site.write(site.places[path], body, Sections(name, headings))
        (out / "files").mkdir(exist_ok=True)
        shutil.copyfile(path, out / "files" / path.name)
    _assets(out, site.index)
    _front(site)
    return site


def _front(site: Site) -> None:
    """The first page: what it is, with moving pictures; a book without them begins with its first page."""
    template = ASSETS / "landing.html"
    films = ROOT / "docs/images/films"
    first = next(place for _, place in site.list if place is not None)
    if not films.exists():
        shutil.copyfile(site.out / first, site.out / "index.html")
        return
    (site.out / "films").mkdir(exist_ok=True)
    for film in films.iterdir():
        shutil.copyfile(film, site.out / "films" / film.name)
    text = template.read_text("utf-8").replace("<!--pages-->", site.pages_list("index.html"))
    if not (site.out / "playground/index.html").exists():
        text = re.sub(r"<!--playground-->.*?<!--end-->", "", text, flags=re.DOTALL)
    (site.out / "index.html").write_text(site.shell(site.book.title, "index.html", text), "utf-8")
