"""Notebooks: executed, and shown as pages."""

from __future__ import annotations

import base64
import html
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from pages import MARKDOWN, ROOT, plain, slug

#: Outputs that a committed notebook may carry: none. They are made when the book is built.
LIMIT = 0


@dataclass
class Notebook:
    """A notebook and what is wrong with it."""

    path: Path
    cells: list[Any]
    complaints: list[str] = field(default_factory=list)

    def html(self, code: Callable[[str, str], str], out: Path) -> tuple[str, list[tuple[int, str, str]]]:
        """Its cells with their outputs, and its headings (level, text, anchor); views become files."""
        parts: list[str] = []
        headings: list[tuple[int, str, str]] = []
        views = 0
        for cell in self.cells:
            if cell.cell_type == "markdown":
                tokens = MARKDOWN.parse(cell.source)
                for token, after in zip(tokens, tokens[1:]):
                    if token.type == "heading_open":
                        token.attrSet("id", slug(plain(after)))
                        headings.append((int(token.tag[1]), plain(after), slug(plain(after))))
                parts.append(MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}))
                continue
            parts.append(code(cell.source, "python"))
            for output in cell.outputs:
                page = _view(output)
                if page is None:
                    parts.append(_output(output))
                    continue
                views += 1
                name = f"views/{self.path.stem}-{views}.html"
                (out / "views").mkdir(exist_ok=True)
                (out / name).write_text(page, encoding="utf-8")
                parts.append(f'<iframe class="view" src="{name}" title="The simulation, to play and turn" loading="lazy"></iframe>')
        name = html.escape(self.path.name)
        return "".join(parts) + f'<p>The notebook: <a href="files/{name}">{name}</a></p>', headings


def _view(output: Any) -> str | None:
    """The page that a cell shows inline, if it shows one."""
    found = re.search(r'<iframe[^>]*srcdoc="([^"]*)"', str(output.get("data", {}).get("text/html", "")), re.DOTALL)
    return html.unescape(found[1]) if found else None


def _output(output: Any) -> str:
    if output.output_type == "stream":
        return f'<pre class="output">{html.escape(output.text)}</pre>' if output.name == "stdout" else ""
    data = output.get("data", {})
    if "image/png" in data:
        picture = "".join(data["image/png"].split())
        base64.b64decode(picture, validate=True)
        return f'<p><img alt="The plot that the cell above draws" src="data:image/png;base64,{picture}"></p>'
    if "text/html" in data and "<iframe" not in data["text/html"]:
        return str(data["text/html"])
    if "text/plain" in data:
        return f'<pre class="output">{html.escape(data["text/plain"])}</pre>'
    return ""


def read(path: Path, *, execute: bool) -> Notebook:
    """A notebook, run from the first cell to the last if wanted."""
    book = nbformat.read(path, as_version=4)
    name = path.relative_to(ROOT)
    complaints = []
    nbformat.validate(book)
    stored = sum(len(cell.get("outputs", [])) for cell in book.cells)
    if stored > LIMIT:
        complaints.append(f"{name}: has {stored} outputs; clear them before committing")
    if execute:
        client = NotebookClient(book, timeout=300, kernel_name="python3")
        try:
            # What goes wrong in a cell comes back with it; the kernel's own remarks do not matter.
            client.execute(cwd=str(path.parent), stderr=subprocess.DEVNULL)
        except CellExecutionError as error:
            complaints.append(f"{name}: {error}")
    return Notebook(path, book.cells, complaints)
