"""Tables and performance profiles from results.csv; needs nothing but Python.

The profile of a method is the share of problems that it solves within t times the time of the best
method on each problem (Dolan and More 2002). Times below ten microseconds count as ten.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"
TICK = 1e-5
# programs of others, by the beginning of the names of their methods
MAKERS = ["PATH", "Siconos", "Drake"]
COLORS = ["#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#6a4c93", "#00798c", "#8d5524", "#555555"]


Table: TypeAlias = dict[tuple[str, str], dict[str, float]]


def read(name: str) -> list[dict[str, str]]:
    path = HERE / name
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def times(rows: list[dict[str, str]]) -> Table:
    """Seconds by problem and method; infinite where not solved."""
    out: Table = defaultdict(dict)
    for row in rows:
        seconds = max(float(row["seconds"]), TICK) if row["solved"] == "1" else math.inf
        out[row["family"], row["problem"]][row["solver"]] = seconds
    return out


def profile(table: Table, method: str) -> list[float]:
    """Ratios to the best method, sorted; infinite where not solved."""
    ratios = []
    for by_method in table.values():
        best = min(by_method.values())
        mine = by_method.get(method, math.inf)
        ratios.append(mine / best if math.isfinite(mine) else math.inf)
    return sorted(ratios)


def svg(curves: dict[str, list[float]], title: str) -> str:
    """Steps over log2 of the ratio, up to 2^10."""
    width, height, left, top = 640, 360, 50, 30
    wide, high, most = width - left - 150, height - top - 50, 10.0
    x = lambda ratio: left + wide * min(math.log2(max(ratio, 1.0)), most) / most
    y = lambda share: top + high * (1 - share)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="18" font-size="14">{title}</text>',
    ]
    for k in range(0, 11, 2):
        at = x(2.0**k)
        out.append(f'<line x1="{at}" y1="{top}" x2="{at}" y2="{top + high}" stroke="#ddd"/>')
        out.append(f'<text x="{at}" y="{top + high + 16}" text-anchor="middle">{2**k}</text>')
    for k in range(0, 11, 2):
        at = y(k / 10)
        out.append(f'<line x1="{left}" y1="{at}" x2="{left + wide}" y2="{at}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{at + 4}" text-anchor="end">{k / 10:g}</text>')
    middle = left + wide / 2
    below = top + high + 36
    out.append(f'<text x="{middle}" y="{below}" text-anchor="middle">times the best time</text>')
    for k, (name, ratios) in enumerate(curves.items()):
        color = COLORS[k % len(COLORS)]
        points, share = [f"{x(1.0):.1f},{y(0):.1f}"], 0.0
        for i, ratio in enumerate(ratios):
            if not math.isfinite(ratio):
                break
            points.append(f"{x(ratio):.1f},{y(share):.1f}")
            share = (i + 1) / len(ratios)
            points.append(f"{x(ratio):.1f},{y(share):.1f}")
        points.append(f"{x(2**most):.1f},{y(share):.1f}")
        line = " ".join(points)
        dash = ' stroke-dasharray="6 3"' if k >= len(COLORS) else ""
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"{dash}/>')
        at = top + 14 + 18 * k
        out.append(f'<text x="{left + wide + 12}" y="{at}" fill="{color}">{name}</text>')
    return "\n".join([*out, "</svg>\n"])


def families_of(table: Table) -> dict[str, list[dict[str, float]]]:
    """The rows of each family."""
    families: dict[str, list[dict[str, float]]] = defaultdict(list)
    for (family, _), by_method in table.items():
        families[family].append(by_method)
    return families


def table_of(table: Table, methods: list[str]) -> str:
    """Problems solved and the time for all of them, family by family."""
    head = "| family (problems) | " + " | ".join(f"`{m}`" for m in methods) + " |"
    lines = [head, "| --- " * (len(methods) + 1) + "|"]
    for family, rows in families_of(table).items():
        cells = []
        for method in methods:
            found = [row.get(method, math.inf) for row in rows]
            solved = [s for s in found if math.isfinite(s)]
            whole = f", {sum(solved):.2g} s" if len(solved) == len(found) else ""
            cells.append(f"{len(solved)}{whole}")
        lines.append(f"| {family} ({len(rows)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def auto_of(table: Table, own: list[str]) -> str:
    """The time of `auto` against the best of our other methods that solves the whole family."""
    lines = ["| family | `auto` | best of the others | ratio |", "| --- | --- | --- | --- |"]
    for family, rows in families_of(table).items():
        total = {m: sum(row.get(m, math.inf) for row in rows) for m in own}
        mine = total.pop("auto")
        best = min(total, key=lambda m: total[m])
        if math.isfinite(total[best]):
            other, ratio = f"`{best}`, {total[best]:.2g} s", f"{mine / total[best]:.2f}"
        else:
            other, ratio = "none solves all", ""
        lines.append(f"| {family} | {mine:.2g} s | {other} | {ratio} |")
    return "\n".join(lines)


def peers_of(table: Table) -> str:
    """`auto` and the best method of each peer; times over the problems that both solve."""
    makers = [m for m in MAKERS if any(name.startswith(m) for row in table.values() for name in row)]
    lines = ["| family (problems) | `auto` | " + " | ".join(f"best of {m}, `auto` / it" for m in makers) + " |"]
    lines.append("| --- " * (2 + len(makers)) + "|")
    for family, rows in families_of(table).items():
        cells = [f"{sum(math.isfinite(row.get('auto', math.inf)) for row in rows)}"]
        for maker in makers:
            names = sorted({name for row in rows for name in row if name.startswith(maker)})
            count = {name: sum(math.isfinite(row.get(name, math.inf)) for row in rows) for name in names}
            if not names:
                cells.append("")
                continue
            spent = {name: sum(min(row.get(name, 60.0), 60.0) for row in rows) for name in names}
            best = max(names, key=lambda name: (count[name], -spent[name]))
            tried = sum(best in row for row in rows)
            both = [(row["auto"], row[best]) for row in rows if math.isfinite(row.get(best, math.inf))]
            both = [(a, p) for a, p in both if math.isfinite(a)]
            short = best.removeprefix(maker).strip()
            ratio = f", {sum(a for a, _ in both) / sum(p for _, p in both):.2g}" if both else ""
            cells.append(f"{count[best]} of {tried}{f' ({short})' if short else ''}{ratio}")
        lines.append(f"| {family} ({len(rows)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def files_of(rows: list[list[Any]]) -> str:
    """Problem files of others: `auto` and the best method of each peer."""
    if not rows:
        return "Not measured."
    lines = ["| files, residual | `auto` | " + " | ".join(f"best of {m}, `auto` / it" for m in MAKERS) + " |"]
    lines.append("| --- " * (2 + len(MAKERS)) + "|")
    for family, tolerance in dict.fromkeys((row[0], row[3]) for row in rows):
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for f, solver, stem, t, error, seconds in rows:
            if (f, t) == (family, tolerance):
                found[solver][stem] = seconds if error <= tolerance else math.inf
        auto = found["`auto`"]
        cells = [f"{sum(math.isfinite(x) for x in auto.values())} of {len(auto)}"]
        for maker in MAKERS:
            count = {m: sum(math.isfinite(x) for x in t.values()) for m, t in found.items() if m.startswith(maker)}
            if not count:
                cells.append("")
                continue
            best = max(count, key=lambda m: (count[m], -len(found[m])))
            both = [s for s, x in found[best].items() if math.isfinite(x) and math.isfinite(auto[s])]
            ratio = sum(auto[s] for s in both) / max(sum(found[best][s] for s in both), 1e-12)
            short = best.removeprefix(maker).strip()
            cells.append(f"{count[best]} of {len(found[best])}{f' ({short})' if short else ''}, {ratio:.2g}")
        lines.append(f"| {family}, {tolerance:g} | " + " | ".join(cells) + " |")
    tried: dict[str, list[str]] = defaultdict(list)
    for family, solver in dict.fromkeys((row[0], row[1]) for row in rows):
        if is_peer(solver):
            tried[family].append(solver.replace("Siconos LCP_", "Siconos "))
    lines += ["", "Methods of the peers that were run: " + "; ".join(f"{f}: {', '.join(t)}" for f, t in tried.items()) + "."]
    return "\n".join(lines)


def behind(table: Table) -> list[str]:
    """Families of which a peer solves more than `auto`."""
    out = []
    for family, rows in families_of(table).items():
        count = {m: sum(math.isfinite(r.get(m, math.inf)) for r in rows) for r0 in rows for m in r0}
        out += [f"{family} ({m})" for m, c in count.items() if c > count["auto"]]
    return sorted(set(out))


def classics_of(rows: list[dict[str, str]]) -> str:
    """Nonlinear problems: starts solved, and the times over those that both solve."""
    if not rows:
        return "Not measured."
    problems = {row["problem"] for row in rows}
    by: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for row in rows:
        seconds = float(row["seconds"]) if row["solved"] == "1" else math.inf
        by[row["solver"]][row["problem"], row["start"]] = seconds
    lines = [f"{len(problems)} problems, {len(by['complementarity'])} starts in all.", ""]
    lines += ["| method | starts solved | not solved | seconds for those that all solve |", "| --- | --- | --- | --- |"]
    common = [k for k in by["complementarity"] if all(math.isfinite(v.get(k, math.inf)) for v in by.values())]
    for name, found in by.items():
        missed = [f"{p} (start {s})" for (p, s), t in found.items() if not math.isfinite(t)]
        solved = len(found) - len(missed)
        whole = sum(found[k] for k in common)
        lines.append(f"| {name} | {solved} of {len(found)} | {', '.join(missed) or 'none'} | {whole:.2g} |")
    return "\n".join(lines)


def growth(rows: list[dict[str, str]]) -> str:
    """Times by size, and the exponent between the first and the last."""
    by_family: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in rows:
        if row["solver"] == "auto" and row["family"] in ("obstacle", "bearing", "option"):
            by_family[row["family"]].append((int(row["size"]), float(row["seconds"])))
    memory = {(row["family"], int(row["size"])): row.get("megabytes", "") for row in rows}
    lines = ["| family | unknowns: seconds, peak memory | growth |", "| --- | --- | --- |"]
    for family, points in by_family.items():
        megabytes = [f", {m} MB" if (m := memory[family, n]) else "" for n, _ in points]
        shown = "; ".join(f"{n:,}: {s:.2g} s{m}" for (n, s), m in zip(points, megabytes))
        (n0, s0), (n1, s1) = points[0], points[-1]
        exponent = math.log(s1 / max(s0, 1e-6)) / math.log(n1 / n0)
        lines.append(f"| {family} | {shown} | n^{exponent:.2f} |")
    return "\n".join(lines)


def is_peer(method: str) -> bool:
    return any(method.startswith(maker) for maker in MAKERS)


def large(rows: list[dict[str, str]]) -> str:
    """What is hard because it is large: games and semidefinite plus positive."""
    lines = ["| family | size, seed | `auto` |", "| --- | --- | --- |"]
    for row in rows:
        if row["solver"] == "auto" and row["family"] in ("game", "raised"):
            size, seed = row["problem"].strip("()").split("/")
            result = f"{float(row['seconds']):.2g} s" if row["solved"] == "1" else "not solved"
            lines.append(f"| {row['family']} | {size}, {seed} | {result} |")
    return "\n".join(lines)


def main() -> None:
    limit = sys.argv[1] if len(sys.argv) > 1 else "2"
    table = times(read("results.csv") + read("peers.csv"))
    methods = list(dict.fromkeys(m for row in table.values() for m in row))
    counted = {m: sum(math.isfinite(r) for r in profile(table, m)) for m in methods}
    methods.sort(key=lambda m: -counted[m])
    own = [m for m in methods if not is_peer(m)]
    shown = [m for m in own if counted[m] >= 0.25 * len(table)]
    # the best of each program, and the best of ours
    peers = [next((m for m in methods if m.startswith(maker)), None) for maker in MAKERS]
    peers = [m for m in peers if m]
    images = DOCS / "images" / "complementarity"
    images.mkdir(parents=True, exist_ok=True)
    drawn = shown[: len(COLORS) - len(peers)] + peers
    curves = {m: profile(table, m) for m in drawn}
    (images / "profile.svg").write_text(svg(curves, f"All {len(table)} problems"))
    sparse = {k: v for k, v in table.items() if k[0] in ("obstacle", "bearing", "option")}
    picture = svg({m: profile(sparse, m) for m in drawn}, f"Sparse M-matrices, {len(sparse)} problems")
    (images / "sparse.svg").write_text(picture)
    less = behind(table)
    page = f"""# Profiles of the solvers

Made by `bench/complementarity.sh`, which keeps its measurements in `bench/complementarity/`: `results.csv` (our
methods), `peers.csv` (PATH 5.2, Siconos 4.4 and Drake, on the same problems in the same run), `growth.csv` and
`classics.csv` (nonlinear),
`files.json` (files of others). Problems and seeds: `bench/complementarity/families.rs`. At most {limit} s a solve;
solved means a natural residual below `residual::target` at 1e-8, measured by this library for all of them.
Times are of the call alone on one core: the least of a few where they are short, else processor time.

![Share of problems solved within t times the best time](images/complementarity/profile.svg)

![The same for obstacles, bearings and options](images/complementarity/sparse.svg)

## Beside PATH, Siconos and Drake

For each program the method that solves most of the family, how many it solves of those it takes, and the time of
`auto` as a part of its time, over the problems that both solve: below 1 `auto` is faster.

{peers_of(table)}

PATH comes with `pip install gamspy-base`; its demonstration license takes up to 1000 unknowns, so larger problems
were not given to it. It is asked for 1e-9, Siconos too; Siconos and Drake get full matrices, of up to
5000 unknowns, and Drake has nothing for mixed problems. The methods tried are Lemke's, two of Newton's and
Gauss-Seidel (Siconos), and Moby's and Lemke's (Drake), with their own settings but for the tolerance.
{"A peer solves more than `auto` in: " + ", ".join(less) + "." if less else "No peer solves more problems of any family than `auto`."}

### Problem files of others

Collections that are not part of this repository: `lcp`, `mlcp` and `friction` are test problems of Siconos and FCLIB,
`ancestor` comes from the original simulator and its random families, `stacks` holds box stacks and sphere packings with
friction. Residuals as in [Choosing a solver](solvers.md#against-others); of `lcp` one has no solution. A peer is counted
on the files that it takes.

{files_of(json.loads((HERE / "files.json").read_text()) if (HERE / "files.json").exists() else [])}

### Nonlinear problems

The classic problems of `tests/support/classics.rs` from all their starts, with Jacobians by differences for both;
solved means a natural residual below 1e-9 times the largest unknown.

{classics_of(read("classics.csv"))}

## Our own methods: problems solved, and the time for all of them

{table_of(table, shown)}

No time is given where not all were solved. Methods that solve less than a quarter of all problems are left
out: {", ".join(f"`{m}`" for m in own if m not in shown) or "none"}.

### `auto` against the best of them

{auto_of(table, own)}

## Growth of `auto` with the size

{growth(read("growth.csv"))}

Memory is the most that the program had during the solve, the problem included (it alone: 80 bytes an unknown for the
grids).

{large(read("growth.csv"))}

## How to reproduce

```sh
apt-get install python3-siconos
python3 -m venv --system-site-packages peers && peers/bin/pip install drake gamspy-base "numpy<2"
PEERS_PYTHON=peers/bin/python bench/complementarity.sh
```

What is not installed keeps the measurements that are there. GAMS permits the publication of benchmarks of PATH.
"""
    (DOCS / "complementarity-profiles.md").write_text(page)


if __name__ == "__main__":
    main()
