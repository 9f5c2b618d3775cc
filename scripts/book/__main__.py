"""Builds the book: `python scripts/book --out out/book` renders docs/ and checks all it says.

A page is built only if its links and pictures exist, its Python runs and prints what the page says,
its scenes are read without a complaint, its Rust is a compiled example or a doctest, and the
commands it shows are commands. `--pages NAME...` checks some pages only; `--render` checks nothing.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import blocks
import notebooks
import render
import views
from pages import ROOT, Book, Page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "out/book")
    parser.add_argument("--stickslip", type=Path, default=ROOT / "target/debug/stickslip")
    parser.add_argument("--pages", nargs="*", help="names of the pages to check (default: all)")
    parser.add_argument("--render", action="store_true", help="only render")
    parser.add_argument("--fix", action="store_true", help="put files into the blocks that show them")
    given = parser.parse_args()

    book = Book(ROOT / "docs")
    if given.fix:
        for page in book.pages:
            page.path.write_text(blocks.refreshed(page))
        book = Book(ROOT / "docs")
    # The files people read first are held to the same rules.
    extra = [Page(ROOT / "README.md"), Page(ROOT / "python/README.md")]
    complaints = book.complaints()
    for page in (*book.pages, *extra):
        complaints += page.broken_links()
    executed: dict[Path, notebooks.Notebook] = {}
    if not given.render:
        chosen = [p for p in (*book.pages, *extra) if not given.pages or p.path.stem in given.pages]
        checker = blocks.Checker(given.stickslip)
        with ThreadPoolExecutor(2) as pool:
            for page, found in zip(chosen, pool.map(checker.complaints, chosen), strict=True):
                print(f"{page.name}: {len(page.blocks)} blocks" + (", WRONG" if found else ""))
                complaints += found
    for path in book.notebooks:
        book_run = not given.render and (not given.pages or path.stem in given.pages)
        executed[path] = notebooks.read(path, execute=book_run)
        complaints += executed[path].complaints
        print(f"{path.name}: {len(executed[path].cells)} cells")

    shutil.rmtree(given.out, ignore_errors=True)
    render.write(book, executed, given.out, ["stickslip", "complementarity"], ROOT / "target/doc")
    views.write(given.stickslip, given.out / "views")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{len(book.pages)} pages and {len(executed)} notebooks in {given.out}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
