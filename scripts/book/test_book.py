"""The builder of the book finds what is wrong with a page."""

from __future__ import annotations

from pathlib import Path

import blocks
import notebooks
import pages
import pytest
import render

STICKSLIP = pages.ROOT / "target/debug/stickslip"


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Makes a page in a folder of its own."""
    for module in (pages, notebooks):
        monkeypatch.setattr(module, "ROOT", tmp_path)

    def make(text, name="page.md"):
        path = tmp_path / name
        path.write_text(text)
        return pages.Page(path)

    return make


def wrong(page):
    return "\n".join(blocks.Checker(STICKSLIP).complaints(page))


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("```python\n1 / 0\n```", "ZeroDivisionError"),
        ("```python\nprint(2)\n```\n\n```output\n3\n```", "prints\n2"),
        ("```toml\n[simulation]\nstpe = 1\n```", "did you mean `step`"),
        ("```sh\nstickslip rnu x\n```", "no command rnu"),
        ("```sh\nstickslip run x --recrod y\n```", "no flag --recrod"),
        ("```sh\nmake nothing\n```", "no rule nothing"),
        ("```sh run\nfalse\n```", "page.md:1"),
        ("```rust\nfn main() {}\n```", "no doctest compiles this page"),
        ("```rust file=crates/none.rs\n```", "does not exist"),
        ("```python file=python/examples/01_hello_world.py\nx\n```", "differs from"),
        ("```\nwhat am I\n```", "nothing checks unnamed blocks"),
    ],
)
def test_a_wrong_block_is_found(page, text, complaint):
    assert complaint in wrong(page(text))


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 2\n```\n\n```python\nprint(x)\n```\n\n```output\n2\n```",
        "```toml part\n[simulation]\nstep = 0.1\n```",
        "```sh\nstickslip problems convert --local a.dat b.npz  # with a remark\nmake run\n```",
    ],
)
def test_a_right_block_is_right(page, text):
    assert wrong(page(text)) == ""


def test_links_lead_somewhere(page):
    page("# A heading: `one`, two!\n", "other.md")
    text = "[a](other.md) [b](other.md#a-heading-one-two) [c](https://example.org) ![d](no.png)"
    found = page(text + " [e](other.md#none) [f](none.md)").broken_links()
    assert len(found) == 3 and all(any(x in y for y in found) for x in ("no.png", "#none", "none.md"))


def test_every_page_is_listed(page):
    summary = page("# Title\n\n- [One](one.md)\n", "SUMMARY.md")
    page("# One\n", "one.md"), page("# Two\n", "two.md")
    book = pages.Book(summary.path.parent)
    assert book.title == "Title" and [p.path.name for p in book.pages] == ["one.md"]
    assert book.complaints() == ["docs/SUMMARY.md does not list two.md"]


@pytest.mark.parametrize("name", ["formulations", "each-solver"])
def test_every_formulation_and_every_solver_has_its_section(name):
    import stickslip as ss

    here = Path(__file__).resolve().parents[2] / "docs" / f"{name}.md"
    known = ss.formulations() if name == "formulations" else ss.lcp.solvers()
    titles = " ".join(text for _, text in pages.Page(here).headings).replace(",", " ").split()
    # Variants are told beside what they vary.
    variants = {"stewart-trinkle-every", "peg-several", "peg-whole"} & set(known)
    text = here.read_text()
    assert all(f"`{variant}`" in text for variant in variants)
    assert set(known) - variants <= set(titles), set(known) - set(titles)
    assert all(f"`{variant}`" in here.read_text() for variant in variants & set(known))


def test_a_notebook_with_a_mistake_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert 1 == 2")])
    path = Path(tmp_path, "bad.ipynb")
    nbformat.write(book, path)
    assert "AssertionError" in notebooks.read(path, execute=True).complaints[0]


def test_equations_and_code_are_rendered(page, tmp_path):
    summary = page("# Title\n\n- [One](one.md)\n- [Two](two.md)\n", "SUMMARY.md")
    page("# One\n\n```math\n\\frac{1}{2}\n```\n\n[two](two.md#b)\n\n```rust\n# hidden\nfn f() {}\n```\n", "one.md")
    page("# Two\n\n## B\n\n![p](p.png)\n", "two.md")
    (tmp_path / "p.png").write_bytes(b"png")
    out = tmp_path / "out"
    render.write(pages.Book(summary.path.parent), {}, out)
    html = (out / "one.html").read_text()
    assert "<mfrac>" in html and 'href="two.html#b"' in html and "# hidden" not in html
    assert 'id="b"' in (out / "two.html").read_text() and (out / "index.html").exists()
    # Contents of the page, and an index for the search that needs no server.
    assert '<a class="level2" href="#b">B</a>' in (out / "two.html").read_text()
    assert '"anchor":"b"' in (out / "assets/search.js").read_text()


def test_formulas_in_the_text_are_formulas(page, tmp_path):
    summary = page("# Title\n\n- [One](one.md)\n", "SUMMARY.md")
    page("# One\n\nThe gap $`s_k`$ costs $5 and `x`.\n", "one.md")
    render.write(pages.Book(summary.path.parent), {}, tmp_path / "out")
    html = (tmp_path / "out/one.html").read_text()
    assert "<msub>" in html and "costs $5 and <code>x</code>" in html and "$<" not in html


def test_a_notebook_and_a_page_of_one_name_are_two_files_and_views_are_shown(page, tmp_path):
    import nbformat

    v4 = nbformat.v4
    shown = v4.new_output("display_data", {"text/html": '<iframe srcdoc="&lt;p&gt;view"></iframe>', "text/plain": "<view of 9 kB>"})
    cells = [v4.new_markdown_cell("# N\n\n## Part"), v4.new_code_cell("x", outputs=[shown])]
    summary = page("# Title\n\n- [Page](same.md)\n- [Notebook](same.ipynb)\n", "SUMMARY.md")
    path = page("# Same\n", "same.md").path.with_suffix(".ipynb").resolve()
    nbformat.write(v4.new_notebook(cells=cells), path)
    render.write(pages.Book(summary.path.parent), {path: notebooks.Notebook(path, cells)}, tmp_path / "out")
    text = (tmp_path / "out/notebook-same.html").read_text()
    assert (tmp_path / "out/same.html").exists() and "view of" not in text and 'href="#part"' in text
    assert (tmp_path / "out/views/same-1.html").read_text() == "<p>view"


def test_the_reference_has_signatures_examples_and_members():
    import api

    body, headings = api.page("stickslip", render.code)
    assert ("Simulator" in {text for _, text, _ in headings}) and "gravity" in body
    assert "&gt;&gt;&gt;" in body and 'class="member"' in body
