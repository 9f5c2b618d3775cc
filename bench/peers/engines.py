"""Runs the scenarios S1 to S11 on Stickslip and on other engines, and writes one table for each.

    pip install numpy scipy mujoco pybullet dartpy    # those that are there are used
    python3 bench/peers/engines.py --out docs/peers.md [--only S1,S6a] [--seconds 60]

Accuracy comes from the trajectories, by the same function for every engine; times are CPU times of
the steps in the same sitting. Engines that are not installed are named and left out.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import statistics
import time

import numpy as np

from adapters import ENGINES, UNTRANSLATED, version
from scenarios import Path, Scenario, every


def simulate(engine, variant: str, scene, seconds: float):
    """The path, and the median CPU time of a step [s]."""
    sim = engine(scene, variant)
    try:
        states, times = [sim.state()], []
        begin = time.perf_counter()
        for _ in range(round(scene.duration / scene.step)):
            start = time.process_time()
            sim.step()
            times.append(time.process_time() - start)
            states.append(sim.state())
            if not np.isfinite(states[-1]).all():
                raise FloatingPointError("the state is not finite")
            if time.perf_counter() - begin > seconds:
                raise TimeoutError(f"more than {seconds:.0f} s")
        return Path(scene, np.array(states)), statistics.median(times), sum(times)
    finally:
        if hasattr(sim, "close"):
            sim.close()


def figure(x: float) -> str:
    return f"{x:.3g}"


def rows(scenario: Scenario, seconds: float) -> list[tuple[str, float | None, float | None, str]]:
    """Engine, accuracy, microseconds per step, note."""
    out = []
    for name, engine in ENGINES.items():
        if version(engine) is None:
            continue
        for variant in engine.variants:
            label = name if variant == "default" else f"{name}, {variant}"
            try:
                runs = [simulate(engine, variant, scene, seconds) for scene in scenario.scenes]
                steps = sum(len(path.states) - 1 for path, _, _ in runs)
                cost = sum(total for _, _, total in runs) / steps
                out.append((label, scenario.measure([path for path, _, _ in runs]), 1e6 * cost, ""))
            except Exception as error:  # noqa: BLE001: what an engine cannot do is a result
                out.append((label, None, None, f"{type(error).__name__}: {error}"[:80]))
            print(scenario.name, *out[-1], flush=True)
    return out


def table(scenario: Scenario, found) -> str:
    ours = [r[2] for r in found if r[0] == "Stickslip" and r[2]]
    lines = [f"## {scenario.name}: {scenario.title}", "", f"Right: {scenario.right}.", ""]
    lines += [f"| engine | {scenario.unit} | µs per step | time against Stickslip |", "|---|---|---|---|"]
    for label, value, cost, note in found:
        if value is None:
            lines.append(f"| {label} | {note} | - | - |")
            continue
        ratio = figure(cost / ours[0]) if ours else "-"
        lines.append(f"| {label} | {figure(value)} | {figure(cost)} | {ratio} |")
    return "\n".join([*lines, ""])


#: Errors below this are round-off: engines there are tied.
ROUND_OFF = 1e-9


def behind(scenario: Scenario, found) -> str | None:
    """A line where another engine is more accurate than the best of Stickslip."""
    ours = [r for r in found if r[0].startswith("Stickslip") and r[1] is not None]
    others = [r for r in found if not r[0].startswith("Stickslip") and r[1] is not None]
    if not ours or not others:
        return None
    mine, best = min(ours, key=lambda r: r[1]), min(others, key=lambda r: r[1])
    if mine[1] <= max(best[1], ROUND_OFF):
        return None
    return f"- {scenario.name}: {best[0]} {figure(best[1])}, {mine[0]} {figure(mine[1])} ({scenario.unit})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="the Markdown file to write; otherwise printed")
    parser.add_argument("--only", help="names of scenarios, separated by commas")
    parser.add_argument("--seconds", type=float, default=60.0, help="give up a run after this long")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else None
    scenarios = [s for s in every() if wanted is None or s.name in wanted]
    versions = {name: version(engine) for name, engine in ENGINES.items()}
    there = ", ".join(f"{name} {v}" for name, v in versions.items() if v)
    missing = [name for name, v in versions.items() if v is None]
    parts = ["# Other engines", "", f"Made by `bench/peers/engines.py` on {datetime.date.today()} with {there} (Python {platform.python_version()})."]
    if missing:
        parts.append(f"Not installed, left out: {', '.join(missing)}.")
    parts.append(f"No adapter yet: {', '.join(UNTRANSLATED)}.")
    parts += ["", INTRO]
    tables, worse = [], []
    for scenario in scenarios:
        found = rows(scenario, options.seconds)
        tables.append(table(scenario, found))
        worse.append(behind(scenario, found))
    parts += ["## Where Stickslip is not the most accurate", ""]
    parts += [line for line in worse if line] or ["- Nowhere in this run."]
    text = "\n".join([*parts, "", *tables])
    if options.out:
        with open(options.out, "w") as file:
            file.write(text)
    else:
        print(text)


INTRO = """Every engine gets the same scene. Accuracy is computed from the trajectories by one function per scenario; the
number is an error, so that smaller is better. Times are CPU times of the steps, mean over the run, all in one sitting on
one machine; the calls from Python are included. Friction coefficients are those of the pair in every engine. "accurate" and
"dantzig" are settings that a user who cares for accuracy would choose; they were set once for each engine by us, not tuned for
each scenario, and a specialist may do better.

What the tables do not say: S10 only counts bodies that left the box, so that it tells engines apart by time alone; depth and overlap
are not measured here. S6c shows the error of the semi-implicit scheme at this step, 0.98 %, which most engines share. Joints are
in joint coordinates in MuJoCo, PyBullet and Drake, with the loop of S5b closed by a constraint; Stickslip has all of them as
constraints between free bodies, and with its defaults does not stabilise them. DART gets no joints and no hulls, Drake no loops and no
hulls.
"""


if __name__ == "__main__":
    main()
