"""Runs the scenarios S1 to S12 on Stickslip and on other engines, and writes one table for each.

    pip install numpy scipy mujoco pybullet drake dartpy    # those that are there are used
    apt install python3-siconos; Rapier is built where cargo is
    pip install ./python                                    # Stickslip itself
    python3 bench/peers/engines.py --out docs/peers.md [--only S1,S6a] [--seconds 60]

What is being done and how long each scenario took is told on standard error. The page is written
after every scenario, so that a run that is ended leaves what it found; with --keep it goes on there.
Accuracy comes from the trajectories, by the same function for every engine; times are CPU times of
the steps in the same sitting. Engines that are not installed are named and left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import os
import platform
import sys
import time

import numpy as np

from adapters import ENGINES, Stickslip, version
from runner import Outside
from scenarios import Path, Scenario, every


def simulate(engine, variant: str, scene, seconds: float, partial: bool):
    """The path, and the CPU time of all steps [s]. Long runs are given up, or kept as far as they came."""
    times = 1 if engine is Stickslip else scene.fine
    scene = dataclasses.replace(scene, step=scene.step / times)
    sim = engine(scene, variant, seconds) if issubclass(engine, Outside) else engine(scene, variant)
    try:
        states, total = [sim.state()], 0.0
        for _ in range(round(scene.duration / (scene.step * times))):
            start = time.process_time()
            try:
                for _ in range(times):
                    sim.step()
                    total += sim.cost() if isinstance(sim, Outside) else 0.0
            except TimeoutError:
                if partial:
                    break
                raise
            total += 0.0 if isinstance(sim, Outside) else time.process_time() - start
            states.append(sim.state())
            if not np.isfinite(states[-1]).all():
                raise FloatingPointError("the state is not finite")
            if scene.until is not None and moved(states) > scene.until:
                break
            if total > seconds:
                if partial:
                    break
                raise TimeoutError(f"more than {seconds:.0f} s")
        return Path(dataclasses.replace(scene, step=scene.step * times), np.array(states)), total
    finally:
        if hasattr(sim, "close"):
            sim.close()


def moved(states) -> float:
    """How far any body is from where it was [m]."""
    return float(np.linalg.norm(states[-1][:, :3] - states[0][:, :3], axis=1).max())


def figure(x: float) -> str:
    return f"{x:.3g}"


class Kept:
    """Rows found so far, in a file, so that a run that was ended goes on where it was."""

    def __init__(self, file: str | None) -> None:
        self.file, self.rows, self.used = file, {}, 0
        if file and os.path.exists(file):
            with open(file) as text:
                self.rows = json.load(text)

    def get(self, scenario: str, label: str):
        """The row of an earlier sitting, if there is one."""
        row = self.rows.get(f"{scenario} {label}")
        self.used += row is not None
        return row

    def put(self, scenario: str, row) -> None:
        self.rows[f"{scenario} {row[0]}"] = list(row)
        if self.file:
            with open(self.file, "w") as text:
                json.dump(self.rows, text, indent=1)


def tell(text: str, end: str = "\n") -> None:
    """Progress, beside the page."""
    print(text, end=end, file=sys.stderr, flush=True)


def rows(scenario: Scenario, seconds: float, kept: Kept) -> list[tuple[str, float | None, float | None, str, dict]]:
    """Engine, accuracy, microseconds per step, note, more figures."""
    out = []
    for name, engine in ENGINES.items():
        if version(engine) is None:
            continue
        offers = getattr(engine, "offers", lambda variant, scenario: True)
        for variant in (v for v in engine.variants if offers(v, scenario.name)):
            label = name if variant == "default" else f"{name}, {variant}"
            if known := kept.get(scenario.name, label):
                out.append(tuple(known))
                continue
            begin = time.monotonic()
            tell(f"  {scenario.name} {label} ... ", end="")
            try:
                runs = [simulate(engine, variant, scene, seconds, scenario.partial) for scene in scenario.scenes]
                paths = [path for path, _ in runs]
                cost = sum(total for _, total in runs) / sum(len(path.states) - 1 for path in paths)
                more = scenario.more(paths) if scenario.more else {}
                out.append((label, scenario.measure(paths), 1e6 * cost, "", more))
            except Exception as error:  # noqa: BLE001: what an engine cannot do is a result
                note = str(error).splitlines()[0] if str(error) else type(error).__name__
                out.append((label, None, None, note[:80], {}))
            kept.put(scenario.name, out[-1])
            _, value, cost, note, _ = out[-1]
            told = note if value is None else f"{figure(value)} {scenario.unit}, {figure(cost)} µs per step"
            tell(f"{told} ({time.monotonic() - begin:.1f} s)")
    return out


def table(scenario: Scenario, found) -> str:
    ours = [r[2] for r in found if r[0] == "Stickslip" and r[2]]
    lines = [f"## {scenario.name}: {scenario.title}", "", f"Right: {scenario.right}.", ""]
    names = next((list(r[4]) for r in found if r[4]), [])
    head = ["engine", scenario.unit, *names, "µs per step", "time against Stickslip"]
    lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for label, value, cost, note, more in found:
        cells = [label, note, *("-" for _ in head[2:])]
        if value is not None:
            ratio = figure(cost / ours[0]) if ours else "-"
            cells = [label, figure(value), *(figure(more[n]) for n in names), figure(cost), ratio]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


#: Errors below this are round-off: engines there are tied.
ROUND_OFF = 1e-9
#: And so are those whose errors differ by less than this factor.
TIED = 1.01


def behind(scenario: Scenario, found) -> str | None:
    """A line where another engine is more accurate than the best of Stickslip."""
    ours = [r for r in found if r[0].startswith("Stickslip") and r[1] is not None]
    others = [r for r in found if not r[0].startswith("Stickslip") and r[1] is not None]
    if not ours or not others:
        return None
    single = [r for r in ours if not r[0].endswith("substeps")]
    mine, best = min(single, key=lambda r: r[1]), min(others, key=lambda r: r[1])
    enough = max(TIED * best[1], ROUND_OFF)
    if mine[1] <= enough:
        return None
    short = [r for r in ours if r not in single and r[1] <= enough]
    if not short:
        return f"- {scenario.name}: {best[0]} {figure(best[1])}, {mine[0]} {figure(mine[1])} ({scenario.unit})"
    tied = short[0]
    return (
        f"- {scenario.name}: with one step at a time ({mine[0]} {figure(mine[1])}, {best[0]} {figure(best[1])}, {scenario.unit}). "
        f"{tied[0]}: {figure(tied[1])}, tied or better, in {figure(tied[2] / best[2])} times the time of {best[0]}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="the Markdown file to write; otherwise printed")
    parser.add_argument("--only", help="names of scenarios, separated by commas")
    parser.add_argument("--engines", help="names of engines, separated by commas")
    parser.add_argument("--seconds", type=float, default=60.0, help="give up a run after this much CPU time")
    parser.add_argument("--keep", help="a JSON file of the rows found, to go on from after an interruption")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else None
    scenarios = [s for s in every() if wanted is None or s.name in wanted]
    if options.engines:
        chosen = options.engines.split(",")
        for name in [n for n in ENGINES if n not in chosen]:
            del ENGINES[name]
    versions = {name: version(engine) for name, engine in ENGINES.items()}
    there = ", ".join(f"{name} {v}" for name, v in versions.items() if v)
    missing = [name for name, v in versions.items() if v is None]
    parts = ["# Other engines", "", f"Made by `bench/peers/engines.py` on {datetime.date.today()} with {there} (Python {platform.python_version()})."]
    if missing:
        parts.append(f"Not installed, left out: {', '.join(missing)}.")
    parts += ["", INTRO]
    tables, worse, spent, kept = [], [], [], Kept(options.keep)
    for k, scenario in enumerate(scenarios):
        tell(f"[{k + 1}/{len(scenarios)}] {scenario.name}: {scenario.title}")
        begin = time.monotonic()
        found = rows(scenario, options.seconds, kept)
        spent.append((scenario.name, time.monotonic() - begin))
        tell(f"[{k + 1}/{len(scenarios)}] {scenario.name}: {spent[-1][1]:.0f} s, {sum(t for _, t in spent):.0f} s in all")
        tables.append(table(scenario, found))
        worse.append(behind(scenario, found))
        behinds = [line for line in worse if line] or ["- Nowhere in this run."]
        head = [*parts, sitting(options.seconds, spent, kept), "", "## Where Stickslip is not the most accurate", "", *behinds]
        text = "\n".join([*head, "", *tables])
        # After every scenario, so that a run that is ended early leaves what it found.
        if options.out:
            with open(options.out, "w") as file:
                file.write(text)
    if not options.out:
        print(text)


def sitting(limit: float, spent: list[tuple[str, float]], kept: Kept) -> str:
    """How the page was made: limit, times, and rows of earlier sittings."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    longest = sorted(spent, key=lambda s: -s[1])[:3]
    text = (
        f"A run was ended after {limit:.0f} s of CPU time. This page took {sum(t for _, t in spent):.0f} s, longest "
        + ", ".join(f"{name} {t:.0f} s" for name, t in longest)
        + f"; at its end {busy:.1f} programs wanted the {os.cpu_count()} cores."
    )
    if kept.used:
        text += f" {kept.used} of its rows are of earlier sittings, which the times do not count."
    return text


INTRO = """Every engine gets the same scene. Accuracy is computed from the trajectories by one function per scenario; the
number is an error, so that smaller is better. Times are CPU times of the steps, mean over the run, all in one sitting on
one machine; the calls from Python are included. Friction coefficients are those of the pair in every engine. "accurate" and
"dantzig" are settings that a user who cares for accuracy would choose; they were set once for each engine by us, not tuned for
each scenario, and a specialist may do better.

"50 substeps" makes 50 short steps for each step of the scene, which is what the 50 iterations of Rapier ("accurate") are; its time
is that of all of them. It is shown where the error is that of the scheme (S6c). "16 substeps" is the same with the default settings
but `rotation_tolerance = 1e-7` and a sixteenth of the step, for piles. What depth a pile has by default comes from few steps, those of
hard impacts: bodies turn so far that the passes which choose the contacts are cut short (12 passes, steps halved down to a tenth). In
shorter steps they come to an end, and each of these costs less; what is then left is what `rotation_tolerance` allows.

What the tables do not say: depth and overlap of the piles (S10) come from the shapes and places alone, at 100 moments of a run (50
with 500 bodies); a run that takes longer than the limit of CPU time is measured as far as it came. The distance of S6c has
the error of the semi-implicit scheme, `v h / 2` or 0.98 % at this step, in most engines: it goes down with the substep alone. With
one step at a time Stickslip has exactly that error; others come out up to 0.03 % nearer because they sink or hop. Joints are
in joint coordinates in MuJoCo, PyBullet, Drake, Rapier ("accurate") and, where nothing touches them, Stickslip, with the
loop of S5b closed by a constraint. DART gets no joints, hulls and
meshes, Drake no loops, Siconos no joints. MuJoCo and Drake (default) collide meshes as their hulls: S3m is a height
field in MuJoCo. Siconos' contacts come from Bullet with its margins, in a set-up of ours that its authors might better.
"""


if __name__ == "__main__":
    main()
