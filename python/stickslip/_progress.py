"""A progress bar, where there is something to draw it with and someone to see it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, Protocol

from .view import in_notebook


class Bar(Protocol):
    """What is needed of a bar."""

    def update(self, n: int) -> Any:
        """So many more steps."""


class _Silent:
    def update(self, n: int) -> None:
        pass


@contextlib.contextmanager
def bar(total: int, wanted: bool | None) -> Iterator[Bar]:
    """A bar of ``total`` steps; ``None``: if tqdm is installed and someone looks."""
    if wanted is False or (wanted is None and not _seen()):
        yield _Silent()
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _Silent()
        return
    with tqdm(total=total, unit="step", leave=False) as shown:
        yield shown


def _seen() -> bool:
    return in_notebook() or bool(getattr(sys.stderr, "isatty", lambda: False)())
