"""The papers' experiments, repeated and judged.

>>> "rotation" in list()
True
"""

from __future__ import annotations

import builtins
import os
from dataclasses import dataclass
from pathlib import Path

from . import _core


@dataclass(frozen=True)
class Claim:
    """A claim of a paper beside what was measured.

    >>> Claim("order 1", "order 0.99", True).reproduced
    True
    """

    paper: str
    ours: str
    reproduced: bool


@dataclass(frozen=True)
class Report:
    """What an experiment found; its page is ``folder / "index.html"``.

    >>> Report("rotation", Path("report/rotation"), [], 0.1).folder.name
    'rotation'
    """

    name: str
    folder: Path
    claims: builtins.list[Claim]
    seconds: float


def list() -> dict[str, str]:  # noqa: A001
    """The experiments by name, with their titles and sources.

    >>> "momentum" in list()
    True
    """
    return {name: f"{title} ({source})" for name, title, source in _core.experiments()}


def run(name: str, quick: bool = True, out: str | os.PathLike[str] = "report") -> Report:
    """Runs one experiment and writes tables, plots and a page into ``out/name``.

    >>> import tempfile
    >>> report = run("rotation", out=tempfile.mkdtemp())
    >>> all(claim.reproduced for claim in report.claims)
    True
    """
    folder = Path(out) / name
    claims, seconds = _core.run_experiment(name, quick, os.fspath(folder))
    return Report(name, folder, [Claim(*claim) for claim in claims], seconds)
