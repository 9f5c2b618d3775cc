"""Pages as HTML: one file each, with the list of pages beside it; no script, no network."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path
from typing import Any

import latex2mathml.converter
from markdown_it import MarkdownIt
from notebooks import Notebook
from pages import MARKDOWN, ROOT, Book, Page, plain, slug
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

STYLE = """
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: #1b1f24; display: flex }
nav { width: 17rem; height: 100vh; position: sticky; top: 0; overflow: auto; flex: none;
      box-sizing: border-box; padding: 1.2rem; background: #f4f5f7; font-size: 14px }
nav a, nav b { display: block; padding: .15rem 0; color: inherit; text-decoration: none }
nav b { margin-top: .8rem } nav a.here { color: #0b57d0; font-weight: 600 }
main { max-width: 52rem; padding: 1rem 2.5rem 4rem; min-width: 0 }
pre { background: #f6f8fa; padding: .8rem 1rem; overflow-x: auto; font-size: 13.5px; line-height: 1.4 }
pre.output { border-left: 3px solid #c9d1d9 } code { font-size: .92em }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 14.5px }
th, td { border: 1px solid #d5d9df; padding: .25rem .6rem; text-align: left; vertical-align: top }
img { max-width: 100% } a { color: #0b57d0 } .turn { display: flex; justify-content: space-between }
math[display=block] { margin: 1rem 0; font-size: 1.1em }
@media (max-width: 800px) { body { display: block } nav { width: auto; height: auto; position: static } }
"""


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


class Site:
    """Where things lie in the built book."""

    def __init__(self, book: Book, out: Path) -> None:
        self.book, self.out = book, out
        self.places = {page.path.resolve(): page.path.stem + ".html" for page in book.pages}
        self.places |= {path: path.stem + ".html" for path in book.notebooks}
        first = next(path for _, path in book.entries if path is not None)
        self.places[book.summary.path.resolve()] = self.places[first]
        self.front = self.places[first]

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

    def body(self, page: Page) -> str:
        """The HTML of a page, with anchors and links that fit."""
        tokens = page.tokens
        for token, after in zip(tokens, [*tokens[1:], tokens[-1]]):
            if token.type == "heading_open":
                token.attrSet("id", slug(plain(after)))
            for part in token.children or []:
                for key in ("href", "src"):
                    target = part.attrGet(key)
                    if target:
                        part.attrSet(key, self.moved(page.path, str(target)))
        renderer: MarkdownIt = MARKDOWN
        return str(renderer.renderer.render(tokens, renderer.options, {}))

    def write(self, path: Path, title: str, body: str) -> None:
        """One file, with the list of pages and the way to the next."""
        items, flow = [], []
        for name, target in self.book.entries:
            if target is None:
                items.append(f"<b>{html.escape(name)}</b>")
                continue
            place = self.places[target]
            here = ' class="here"' if target == path else ""
            items.append(f'<a{here} href="{place}">{html.escape(name)}</a>')
            flow.append((target, place, name))
        at = next(k for k, entry in enumerate(flow) if entry[0] == path)
        turns = [flow[k] if 0 <= k < len(flow) else None for k in (at - 1, at + 1)]
        ways = [f'<a href="{t[1]}">{html.escape(t[2])}</a>' if t else "<span></span>" for t in turns]
        text = (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
            '<meta name="viewport" content="width=device-width">'
            f'<link rel="stylesheet" href="style.css"><nav><a href="{self.front}">'
            f'<b>{html.escape(self.book.title)}</b></a>{"".join(items)}</nav>'
            f'<main>{body}<hr><div class="turn">{"".join(ways)}</div></main></html>\n'
        )
        (self.out / self.places[path]).write_text(text, encoding="utf-8")


def write(book: Book, executed: dict[Path, Notebook], out: Path) -> None:
    """The whole book."""
    out.mkdir(parents=True)
    site = Site(book, out)
    colors = HtmlFormatter(style="friendly").get_style_defs("pre")
    (out / "style.css").write_text(colors + STYLE)
    for page in book.pages:
        title = page.headings[0][1] if page.headings else page.path.stem
        site.write(page.path.resolve(), f"{title} - {book.title}", site.body(page))
    for path, notebook in executed.items():
        site.write(path, f"{path.stem} - {book.title}", notebook.html(code))
        (out / "files").mkdir(exist_ok=True)
        shutil.copyfile(path, out / "files" / path.name)
    shutil.copyfile(out / site.front, out / "index.html")
