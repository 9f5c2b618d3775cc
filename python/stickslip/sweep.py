"""A scene over a grid of settings and seeds, on any executor."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import _check, _core
from .errors import ModelError
from .simulator import toml_text

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = dict[str, Any]

#: Keys with a value each as TOML, and a seed.
_Point: TypeAlias = tuple[list[tuple[str, str]], int]

#: How often a run is given to another worker after its own died.
_RETRIES = 3


class _Done(dict[int, str]):
    """Results by number; each is kept in a folder, if there is one, as soon as it is there."""

    def __init__(self, folder: str | None, known: Mapping[int, str], progress: Callable[[int], None]) -> None:
        super().__init__(known)
        self.folder, self.progress = folder, progress

    def __setitem__(self, k: int, result: str) -> None:
        super().__setitem__(k, result)
        if self.folder is not None:
            _core.sweep_keep(self.folder, k, result)
        self.progress(len(self))


@dataclass(frozen=True)
class Sweep:
    """What `sweep` returns: one entry per run, the last key of the grid changing fastest, seeds faster still.

    >>> import stickslip as ss
    >>> found = ss.sweep("hello-world", {"step": [0.02, 0.01]}, executor="serial")
    >>> [(row["step"], row["steps"]) for row in found.rows]
    [('0.02', 50), ('0.01', 100)]
    """

    #: Settings, seed and what was measured, run by run; ``error`` says why a run ended early.
    rows: list[Row]
    #: The whole summary of each run, as ``log.summary``.
    summaries: list[dict[str, Any]]
    _results: list[tuple[_Point, str]] = field(repr=False)

    def to_dataframe(self) -> pd.DataFrame:
        """The rows as a table (needs pandas).

        >>> import stickslip as ss
        >>> found = ss.sweep("hello-world", {}, executor="serial")
        >>> found.to_dataframe().shape[0]
        1
        """
        import pandas as pd

        return pd.DataFrame(self.rows)

    def csv(self) -> str:
        """The rows as CSV text, as ``stickslip sweep`` writes them.

        >>> import stickslip as ss
        >>> ss.sweep("hello-world", {}, executor="serial").csv().splitlines()[0][:10]
        'seed,steps'
        """
        return _core.sweep_csv(self._results)


@dataclass(frozen=True)
class _Run:
    scene: str
    point: _Point
    jitter: float


def _one(run: _Run) -> str:
    """One run: its result as JSON. It is the code of the command line that makes it."""
    return _core.sweep_run(run.scene, run.point, run.jitter)


def _processes(workers: int | None) -> ProcessPoolExecutor:
    # Workers start afresh: a fork of a process with threads may hang.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def _ray_results(runs: list[_Run], left: list[int], done: _Done) -> None:
    import ray  # type: ignore[import-not-found, unused-ignore]

    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    work = ray.remote(max_retries=_RETRIES)(_one)
    futures = [(k, work.remote(runs[k])) for k in left]
    for k, future in futures:
        done[k] = ray.get(future)


def _attempt(executor: Any, runs: list[_Run], left: list[int], done: _Done) -> list[int]:
    """Runs what is left; returns those whose worker died."""
    futures = []
    for k in left:
        try:
            futures.append((k, executor.submit(_one, runs[k])))
        except BrokenExecutor:
            break
    for k, future in futures:
        try:
            done[k] = future.result()
        except BrokenExecutor:
            pass
        except Exception as error:
            # Other executors have their own word for a worker that died.
            if type(error).__name__ not in ("KilledWorker", "CommClosedError", "WorkerCrashedError"):
                raise
    return [k for k in left if k not in done]


def _alone(runs: list[_Run], left: list[int], done: _Done) -> None:
    """Each of the last runs in a process of its own: one that kills its worker is told."""
    for k in left:
        with _processes(1) as executor:
            try:
                done[k] = executor.submit(_one, runs[k]).result()
            except BrokenExecutor:
                point = dict(runs[k].point[0])
                lost = {"settings": point, "seed": runs[k].point[1], "error": "the process of this run died"}
                done[k] = json.dumps({**lost, "summary": {}})


def _work(runs: list[_Run], left: list[int], done: _Done, executor: Any, workers: int | None) -> None:
    if executor == "serial":
        for k in left:
            done[k] = _one(runs[k])
        return
    if executor == "ray":
        _ray_results(runs, left, done)
        return
    if executor is not None:
        # A client of Dask gives an executor.
        given = executor.get_executor(pure=False) if hasattr(executor, "get_executor") else executor
        if not hasattr(given, "submit"):
            raise ModelError(f"executor = {executor!r}, but it must have submit, as those of concurrent.futures")
        left = _attempt(given, runs, left, done)
    for _ in range(_RETRIES):
        if not left:
            return
        with _processes(workers) as own:
            left = _attempt(own, runs, left, done)
    _alone(runs, left, done)


def sweep(
    scene: str | os.PathLike[str],
    grid: Mapping[str, Sequence[Any]] | None = None,
    seeds: Sequence[int] = (0,),
    *,
    jitter: float = 1e-6,
    executor: Executor | Any | None = None,
    workers: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Runs a scene for every combination of the values in ``grid`` and every seed.

    Keys of the grid are those of ``--set`` (``"step"``, ``"body.peg.friction"``); a seed other than 0 shifts every
    moving body by up to ``jitter`` [m] along each axis. Runs, numbers and table are those of ``stickslip sweep``, by
    the same code. With ``out`` every result goes to a file of that folder as soon as it is there, and runs whose file
    is there are not done again; it may be a folder of ``stickslip sweep --out``.

    ``executor`` is any executor of ``concurrent.futures``, a client of Dask, ``"ray"``, or ``"serial"`` for this
    process; without it ``workers`` processes of this machine do the work (default: one per core). A run whose
    worker dies is given to another; one that kills its workers again and again is told as an error. A
    scene must be a file that the workers can read, or a built-in scene.

    >>> import stickslip as ss
    >>> found = ss.sweep("hello-world", {"step": [0.02]}, seeds=[0, 1], executor="serial")
    >>> [row["seed"] for row in found.rows]
    [0, 1]
    """
    path = os.fspath(scene)
    path = os.path.abspath(path) if os.path.isfile(path) else path
    shift = _check.number("jitter", jitter)
    if not (shift >= 0.0 and np.isfinite(shift)):
        raise ModelError(f"jitter = {jitter}, but it must be 0 or more")
    chosen = [_check.count("seed", seed, 0) for seed in seeds]
    values = dict(grid or {})
    for key, each in values.items():
        if isinstance(each, (str, bytes)) or not hasattr(each, "__iter__"):
            raise ModelError(f"grid[{key!r}] must be a list of values")
    points = _core.sweep_points([(key, [toml_text(x) for x in each]) for key, each in values.items()], chosen)
    if points:
        # What is wrong with the scene or a key shows before anything runs.
        _core.sweep_check(path, points[0])
    runs = [_Run(path, point, shift) for point in points]
    folder = None if out is None else os.fspath(out)
    found = [None] * len(runs) if folder is None else _core.sweep_finished(folder, points)
    known = {k: result for k, result in enumerate(found) if result is not None}
    told = progress or (lambda *_: None)
    done = _Done(folder, known, lambda n: told(n, len(runs)))
    _work(runs, [k for k in range(len(runs)) if k not in known], done, executor, workers)
    results = [(point, done[k]) for k, point in enumerate(points)]
    rows = [dict(json.loads(_core.sweep_row(*result))) for result in results]
    swept = Sweep(rows, [json.loads(text)["summary"] for _, text in results], results)
    if folder is not None:
        with open(os.path.join(folder, "sweep.csv"), "w", encoding="utf-8") as file:
            file.write(swept.csv())
    return swept
