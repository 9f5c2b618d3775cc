"""A scene over a grid of settings and seeds, on any executor."""

from __future__ import annotations

import csv
import io
import itertools
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from . import _check
from .errors import ModelError, StepError
from .scene import load_scene
from .simulator import toml_text

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = dict[str, Any]

#: What the table of a sweep shows of each run.
MEASURED = (
    "steps", "max_penetration", "max_overlap", "max_joint_error", "energy.final",
    "energy.max_increase", "solver.failures", "sm_traps",
)  # fmt: skip

#: How often a run is given to another worker after its own died.
_RETRIES = 3


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
        """The rows as CSV text.

        >>> import stickslip as ss
        >>> ss.sweep("hello-world", {}, executor="serial").csv().splitlines()[0][:10]
        'seed,steps'
        """
        out = io.StringIO()
        writer = csv.DictWriter(out, list(self.rows[0]) if self.rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return out.getvalue()


@dataclass(frozen=True)
class _Run:
    scene: str
    changes: tuple[tuple[str, Any], ...]
    seed: int
    jitter: float


def _shifts(seed: int, n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Random shifts of ``n`` bodies, as the command line makes them (xorshift64*)."""
    mask = (1 << 64) - 1
    state = (seed * 0x9E37_79B9_7F4A_7C15 & mask) | 1
    out = np.empty((n, 3))
    for k in range(3 * n):
        state ^= state >> 12
        state ^= state << 25 & mask
        state ^= state >> 27
        out.flat[k] = ((state * 0x2545_F491_4F6C_DD1D & mask) >> 11) / (1 << 52) - 1.0
    return out


def _one(run: _Run) -> tuple[str | None, dict[str, Any]]:
    """One run: why it ended early, and its summary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = load_scene(run.scene, dict(run.changes), threads=1)
    if run.seed:
        state = sim.state[: sim.state_size].copy()
        shifts = _shifts(run.seed, len(sim)) * run.jitter
        if sim.dimension == 2:
            shifts[:, 2] = 0.0
        for k, body in enumerate(sim.bodies):
            if not (body.static or body.kinematic):
                state[3 + 21 * k : 6 + 21 * k] += shifts[k]
        sim.state = state
    error = None
    try:
        sim.run(progress=False)
    except StepError as failure:
        error = str(failure)
    summary = sim.log.summary if sim.log is not None else {}
    return error, summary


def _measured(summary: dict[str, Any]) -> Row:
    diagnostics = summary.get("diagnostics", {})

    def find(path: str) -> Any:
        at: Any = {**diagnostics, "steps": summary.get("steps")}
        for key in path.split("."):
            at = at.get(key) if isinstance(at, dict) else None
        return at

    return {name: find(name) for name in MEASURED}


def _processes(workers: int | None) -> ProcessPoolExecutor:
    # Workers start afresh: a fork of a process with threads may hang.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def _ray_results(runs: list[_Run]) -> list[tuple[str | None, dict[str, Any]]]:
    import ray  # type: ignore[import-not-found, unused-ignore]

    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    work = ray.remote(max_retries=_RETRIES)(_one)
    return list(ray.get([work.remote(run) for run in runs]))


def _attempt(
    executor: Any, runs: list[_Run], left: list[int], done: dict[int, tuple[str | None, dict[str, Any]]]
) -> list[int]:
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


def _alone(runs: list[_Run], left: list[int], done: dict[int, tuple[str | None, dict[str, Any]]]) -> None:
    """Each of the last runs in a process of its own: one that kills its worker is told."""
    for k in left:
        with _processes(1) as executor:
            try:
                done[k] = executor.submit(_one, runs[k]).result()
            except BrokenExecutor:
                done[k] = ("the process of this run died", {})


def _results(
    runs: list[_Run], executor: Any, workers: int | None
) -> dict[int, tuple[str | None, dict[str, Any]]]:
    done: dict[int, tuple[str | None, dict[str, Any]]] = {}
    if executor == "serial":
        return {k: _one(run) for k, run in enumerate(runs)}
    if executor == "ray":
        return dict(enumerate(_ray_results(runs)))
    left = list(range(len(runs)))
    if executor is not None:
        # A client of Dask gives an executor.
        given = executor.get_executor(pure=False) if hasattr(executor, "get_executor") else executor
        if not hasattr(given, "submit"):
            raise ModelError(f"executor = {executor!r}, but it must have submit, as those of concurrent.futures")
        left = _attempt(given, runs, left, done)
    for _ in range(_RETRIES):
        if not left:
            return done
        with _processes(workers) as own:
            left = _attempt(own, runs, left, done)
    _alone(runs, left, done)
    return done


def sweep(
    scene: str | os.PathLike[str],
    grid: Mapping[str, Sequence[Any]] | None = None,
    seeds: Sequence[int] = (0,),
    *,
    jitter: float = 1e-6,
    executor: Executor | Any | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Runs a scene for every combination of the values in ``grid`` and every seed.

    Keys of the grid are those of ``--set`` (``"step"``, ``"body.peg.friction"``); a seed other than 0 shifts every
    moving body by up to ``jitter`` [m] along each axis. The numbers are those of ``stickslip sweep``.

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
    keys = list(grid or {})
    for key in keys:
        if isinstance((grid or {})[key], (str, bytes)) or not hasattr((grid or {})[key], "__iter__"):
            raise ModelError(f"grid[{key!r}] must be a list of values")
    values = [list((grid or {})[key]) for key in keys]
    runs = [
        _Run(path, tuple(zip(keys, point, strict=True)), seed, shift)
        for point in itertools.product(*values)
        for seed in chosen
    ]
    if runs:
        # What is wrong with the scene or a key shows before anything runs.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            load_scene(path, dict(runs[0].changes))
    done = _results(runs, executor, workers)
    rows = []
    for k, run in enumerate(runs):
        error, summary = done[k]
        shown = {key: toml_text(value).strip('"') for key, value in run.changes}
        rows.append({**shown, "seed": run.seed, **_measured(summary), "error": error})
        if progress is not None:
            progress(k + 1, len(runs))
    return Sweep(rows, [done[k][1] for k in range(len(runs))])
