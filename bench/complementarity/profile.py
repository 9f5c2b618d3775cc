"""Tables and performance profiles from results.csv; needs nothing but Python.

The profile of a method is the share of problems that it solves within t times the time of the best
method on each problem (Dolan and More 2002). Times below a millisecond count as one: the clock ticks
no finer.
"""

from __future__ import annotations

import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"
TICK = 1e-3
COLORS = ["#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#6a4c93", "#00798c", "#8d5524", "#555555"]


def read(name: str) -> list[dict[str, str]]:
    path = HERE / name
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def times(rows: list[dict[str, str]]) -> dict[tuple[str, str], dict[str, float]]:
    """Seconds by problem and method; infinite where not solved."""
    out: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        seconds = max(float(row["seconds"]), TICK) if row["solved"] == "1" else math.inf
        out[row["family"], row["problem"]][row["solver"]] = seconds
    return out


def profile(table: dict[tuple[str, str], dict[str, float]], method: str) -> list[float]:
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


def table_of(table: dict[tuple[str, str], dict[str, float]], methods: list[str], limit: str) -> str:
    """Problems solved and the time for all of them, family by family."""
    families: dict[str, list[dict[str, float]]] = defaultdict(list)
    for (family, _), by_method in table.items():
        families[family].append(by_method)
    head = "| family (problems) | " + " | ".join(f"`{m}`" for m in methods) + " |"
    lines = [head, "| --- " * (len(methods) + 1) + "|"]
    for family, rows in families.items():
        cells = []
        for method in methods:
            found = [row.get(method, math.inf) for row in rows]
            solved = [s for s in found if math.isfinite(s)]
            whole = f", {sum(solved):.2g} s" if len(solved) == len(found) else ""
            cells.append(f"{len(solved)}{whole}")
        lines.append(f"| {family} ({len(rows)}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def growth(rows: list[dict[str, str]]) -> str:
    """Times by size, and the exponent between the first and the last."""
    by_family: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row in rows:
        if row["solver"] == "auto" and row["family"] in ("obstacle", "bearing", "option"):
            by_family[row["family"]].append((int(row["size"]), float(row["seconds"])))
    lines = ["| family | unknowns and seconds | growth |", "| --- | --- | --- |"]
    for family, points in by_family.items():
        shown = ", ".join(f"{n:,}: {s:.2g}" for n, s in points)
        (n0, s0), (n1, s1) = points[0], points[-1]
        exponent = math.log(s1 / max(s0, 1e-6)) / math.log(n1 / n0)
        lines.append(f"| {family} | {shown} | n^{exponent:.2f} |")
    return "\n".join(lines)


def main() -> None:
    limit = sys.argv[1] if len(sys.argv) > 1 else "5"
    table = times(read("results.csv") + read("peers.csv"))
    methods = list(dict.fromkeys(m for row in table.values() for m in row))
    counted = {m: sum(math.isfinite(r) for r in profile(table, m)) for m in methods}
    methods.sort(key=lambda m: -counted[m])
    shown = [m for m in methods if counted[m] >= 0.25 * len(table)]
    images = DOCS / "images" / "complementarity"
    images.mkdir(parents=True, exist_ok=True)
    curves = {m: profile(table, m) for m in shown}
    (images / "profile.svg").write_text(svg(curves, f"All {len(table)} problems"))
    sparse = {k: v for k, v in table.items() if k[0] in ("obstacle", "bearing", "option")}
    picture = svg({m: profile(sparse, m) for m in shown}, f"Sparse M-matrices, {len(sparse)} problems")
    (images / "sparse.svg").write_text(picture)
    page = f"""# Profiles of the solvers

Made by `bench/complementarity.sh`, which keeps its measurements in `bench/complementarity/results.csv`.
Problems and seeds: `bench/complementarity/families.rs`. Processor time on one core, at most {limit} s a solve;
solved means a natural residual below `residual::target` at 1e-8. Measurements of other programs can be put
beside them as `bench/complementarity/peers.csv`.

![Share of problems solved within t times the best time](images/complementarity/profile.svg)

![The same for obstacles, bearings and options](images/complementarity/sparse.svg)

## Problems solved, and the time for all of them

{table_of(table, shown, limit)}

No time is given where not all were solved. Methods that solve less than a quarter of all problems are left
out: {", ".join(f"`{m}`" for m in methods if m not in shown) or "none"}.

## Growth of `auto` with the size

{growth(read("growth.csv"))}
"""
    (DOCS / "complementarity-profiles.md").write_text(page)


if __name__ == "__main__":
    main()
