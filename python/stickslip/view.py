"""Pictures in the browser."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import webbrowser
from pathlib import Path


class View:
    """A page that holds the viewer and the data; it needs no network.

    In a notebook it shows itself inline.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(1))
    >>> sim.view(open=False).page[:15].lower()
    '<!doctype html>'
    """

    def __init__(self, page: str, height: int = 600) -> None:
        #: The page as HTML.
        self.page = page
        self._height = height

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a file.

        >>> import stickslip as ss, tempfile
        >>> sim = ss.Simulator()
        >>> path = sim.view(open=False).save(tempfile.mkdtemp() + "/scene.html")
        >>> path.name
        'scene.html'
        """
        out = Path(path)
        out.write_text(self.page, encoding="utf-8")
        return out

    def open(self) -> Path:
        """Writes the page to a temporary file and shows it in a browser tab.

        >>> import stickslip as ss
        >>> import webbrowser
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(1))
        >>> sim.view(open=False).open().name  # doctest: +SKIP
        'view.html'
        """
        path = self.save(Path(tempfile.mkdtemp(prefix="stickslip-")) / "view.html")
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        page = html.escape(self.page)
        style = f"width: 100%; height: {self._height}px; border: 0"
        return f'<iframe style="{style}" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"<view of {len(self.page) // 1024} kB>"


def in_notebook() -> bool:
    """Whether a notebook will show what a cell returns."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")
