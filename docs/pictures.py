"""Draws the pictures of the book into docs/images: `python docs/pictures.py`.

Curves are simulated when the script runs; regions are drawn from the same gaps that the
formulations are written in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

import stickslip as ss  # noqa: E402

OUT = Path(__file__).parent / "images"
BODY, OTHER, FREE = "#b8c4d6", "#e3b98f", "#dff0dd"
plt.rcParams.update({"svg.hashsalt": "stickslip", "font.size": 9, "axes.spines.top": False,
                     "axes.spines.right": False})  # fmt: skip


def save(name: str) -> None:
    """Writes the figure, the same bytes for the same curves."""
    plt.tight_layout()
    plt.savefig(OUT / f"{name}.svg", metadata={"Date": None})
    plt.close()
    print(name)


def polygon(ax: Any, points: Any, color: str, label: str = "") -> None:
    ax.add_patch(plt.Polygon(points, closed=True, facecolor=color, edgecolor="#333", lw=1))
    if label:
        ax.text(*np.mean(points, axis=0), label, ha="center", va="center")


def arrow(ax: Any, start: Any, end: Any, text: str, style: str = "-|>", **where: Any) -> None:
    ax.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": style, "color": "#111"})
    middle = (np.array(start) + end) / 2 + where.pop("shift", (0.04, 0))
    ax.text(*middle, text, **where)


def bare(ax: Any, title: str, x: tuple[float, float], y: tuple[float, float]) -> None:
    ax.set(aspect="equal", xlim=x, ylim=y, xticks=[], yticks=[])
    ax.set_title(title, fontsize=9)
    for side in ax.spines.values():
        side.set_visible(False)


def contact() -> None:
    """Gap, normal, friction directions."""
    _, (left, right) = plt.subplots(1, 2, figsize=(7.5, 2.9))
    polygon(left, [(-1.4, -0.8), (1.4, -0.8), (1.4, 0), (-1.4, 0)], BODY, "A")
    polygon(left, [(0, 0.35), (1.1, 0.75), (0.7, 1.6), (-0.5, 1.25)], OTHER, "B")
    arrow(left, (0, 0), (0, 0.35), "gap ψ", "<->", ha="left", va="center")
    arrow(left, (-0.6, 0), (-0.6, 0.7), "normal n, from A to B", ha="right", shift=(-0.05, 0))
    bare(left, "a contact", (-2.3, 1.6), (-0.9, 1.7))
    turn = np.linspace(0, 2 * math.pi, 200)
    right.plot(np.cos(turn), np.sin(turn), "k", lw=1, label="true cone")
    for n, color in ((4, "#c44"), (7, "#27a")):
        edges = 2 * math.pi * np.arange(n + 1) / n
        right.plot(np.cos(edges), np.sin(edges), color=color, label=f"{n} directions")
    arrow(right, (0, 0), (1, 0), "μ p_n", shift=(-0.1, -0.16))
    right.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    bare(right, "friction impulses, seen along the normal", (-1.2, 1.2), (-1.2, 1.2))
    save("contact")


def region(ax: Any, allowed: Callable[[Any, Any], Any], title: str) -> None:
    """Where a corner may be beside the block [-1, 0] x [-1, 0]."""
    x, y = np.meshgrid(np.linspace(-1, 0.8, 91), np.linspace(-1, 0.8, 91))
    ax.contourf(x, y, allowed(x, y), levels=[-9, 0, 9], colors=["white", FREE])
    polygon(ax, [(-1, -1), (0, -1), (0, 0), (-1, 0)], BODY)
    bare(ax, title, (-1, 0.8), (-1, 0.8))
    ax.plot(0.25, -0.35, "ko", ms=4)


def standard_model() -> None:
    """The poses that each model allows to a corner near another body's corner."""
    _, axes = plt.subplots(1, 4, figsize=(9, 2.9))
    region(axes[0], lambda x, y: np.maximum(x, y), "truth, peg, lnc, separation:\nψ₁ ≥ 0 or ψ₂ ≥ 0")
    region(axes[1], lambda x, y: np.minimum(x, y), "stewart-trinkle-every:\nψ₁ ≥ 0 and ψ₂ ≥ 0")
    region(axes[2], lambda x, y: x, "stewart-trinkle: the face\nit is most in front of now")
    region(axes[3], lambda x, y: np.full_like(x, 1.0), "anitescu-potra, corrective:\nnothing until it touches")
    save("standard-model")


def constraints() -> None:
    """The three kinds of constraints of PEG."""
    _, axes = plt.subplots(1, 3, figsize=(8, 2.4))
    floor = [(-1, -0.7), (1, -0.7), (1, 0), (-1, 0)]
    polygon(axes[0], floor, BODY)
    polygon(axes[0], [(0, 0.2), (0.5, 0.6), (0.1, 1.0), (-0.35, 0.6)], OTHER)
    arrow(axes[0], (0, 0), (0, 0.2), "ψ", "<->", va="center")
    bare(axes[0], "U: one gap", (-1.1, 1.1), (-0.8, 1.2))
    polygon(axes[1], [(-1, -0.7), (0.2, -0.7), (0.2, 0), (-1, 0)], BODY)
    polygon(axes[1], [(0.3, 0.15), (0.9, 0.3), (0.9, 0.9), (0.3, 0.8)], OTHER)
    arrow(axes[1], (0.3, 0), (0.3, 0.15), "ψ₁", "<->", shift=(-0.22, 0), va="center")
    arrow(axes[1], (0.2, 0.12), (0.3, 0.12), "ψ₂", "<->", shift=(0.0, -0.22))
    bare(axes[1], "I: one vertex, max(ψ₁, ψ₂) ≥ 0", (-1.1, 1.1), (-0.8, 1.2))
    polygon(axes[2], [(-1, -0.7), (0, -0.7), (0, 0), (-1, 0)], BODY)
    polygon(axes[2], [(0.1, 0.08), (1.0, 0.08), (1.0, 0.9), (0.1, 0.9)], OTHER)
    arrow(axes[2], (0.0, -0.35), (0.1, -0.35), "ψ_a", "<->", shift=(0.1, -0.05))
    arrow(axes[2], (0.6, 0.0), (0.6, 0.08), "ψ_b", "<->", shift=(0.06, -0.18))
    bare(axes[2], "X: two corners, max(ψ_a, ψ_b) ≥ 0", (-1.1, 1.1), (-0.8, 1.2))
    save("peg-constraints")


def modes() -> None:
    """Separating directions of a pair, and the one that holds."""
    _, ax = plt.subplots(figsize=(6, 2.6))
    polygon(ax, [(-2, -1), (0, -1), (0, 0), (-2, 0)], BODY, "A")
    polygon(ax, [(-0.6, 0.25), (0.6, 0.55), (0.3, 1.5), (-0.9, 1.2)], OTHER, "B")
    ax.plot([-2.2, 1.5], [0, 0], "k--", lw=1)
    ax.text(1.5, 0.03, "direction 1: gap 0.25, parts them", ha="left", va="center")
    ax.plot([0, 0], [-1.1, 1.7], "--", color="#999", lw=1)
    ax.text(1.5, -0.5, "direction 2: gap -0.9, does not", ha="left", va="center", color="#777")
    bare(ax, "two bodies are apart as soon as one direction parts them", (-2.3, 4.2), (-1.2, 1.8))
    save("separation-axes")


def peg_heights() -> None:
    """The peg of edge 0.99999 over the hole, by formulation."""
    for name in ("separation", "peg", "stewart-trinkle", "lnc", "anitescu-potra", "corrective"):
        sim = ss.Simulator(formulation=name)
        for x, y in [(-1, 0), (1, 0), (0, 1), (0, -1)]:
            sim.add(ss.Body.box(1, 1, 1, position=(x, y, 0), static=True))
        peg = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 1.5)).scaled(0.99999))
        log = sim.run(0.8, judge=False)
        style = "--" if name in ("peg", "lnc") else ":" if name == "corrective" else "-"
        plt.plot(log.time, log[peg]["position.z"], style, label=name)
    plt.gcf().set_size_inches(6, 3)
    plt.xlabel("time [s]")
    plt.ylabel("height of the peg [m]")
    plt.legend(frameon=False)
    save("peg-heights")


def landing() -> None:
    """The lowest point of a box that lands flat at 4.4 m/s."""
    _, axes = plt.subplots(1, 2, figsize=(8, 2.8))
    for ax, names in zip(axes, (("separation", "anitescu-potra", "penalty"), ("separation", "corrective"))):
        for name in names:
            sim = ss.Simulator(formulation=name, step=0.004 if name == "penalty" else 0.01)
            sim.add(ss.Body.plane())
            box = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 1.5), velocity=(0, 0, -0.2)))
            log = sim.run(1.2, judge=False)
            ax.plot(log.time, 1e3 * (log[box]["position.z"] - 0.5), label=name)
        ax.axhline(0, color="#999", lw=0.7)
        ax.set(xlabel="time [s]", ylabel="gap to the floor [mm]", xlim=(0.4, 1.2))
        ax.legend(frameon=False)
    axes[0].set_ylim(-60, 40)
    axes[1].set_ylim(-20, 150)
    save("landing")


def relaxed() -> None:
    """The gap that `convex` keeps under a slide; the spin that a ball gets."""
    _, (left, right) = plt.subplots(1, 2, figsize=(8, 2.8))
    speeds, mu, h = np.linspace(0, 3, 7), 0.4, 0.01
    for name in ("convex", "stewart-trinkle"):
        gaps = []
        for v in speeds:
            sim = ss.Simulator(formulation=name, step=h, gravity=(0, 0, -9.81))
            sim.add(ss.Body.plane(friction=mu))
            box = sim.add(ss.Body.box(1, 1, 0.2, position=(0, 0, 0.1), friction=mu))
            for _ in range(30):
                box.velocity = (v, 0, box.velocity[2])
                sim.step()
            gaps.append(1e3 * (box.position[2] - 0.1))
        left.plot(speeds, gaps, "o", ms=4, label=name)
    left.plot(speeds, 1e3 * h * mu * speeds, "k-", lw=0.8, label="h μ v")
    left.set(xlabel="sliding speed [m/s]", ylabel="gap [mm]")
    left.legend(frameon=False)
    for name in ("stewart-trinkle", "no-slip", "particle"):
        sim = ss.Simulator(formulation=name)
        sim.add(ss.Body.plane(friction=0.1))
        ball = sim.add(ss.Body.sphere(0.2, position=(0, 0, 0.2), velocity=(1, 0, 0), friction=0.1))
        log = sim.run(0.5, judge=False)
        right.plot(log.time, 0.2 * log[ball]["angular_velocity.y"], label=name)
    right.axhline(5 / 7, color="#999", lw=0.7)
    right.set(xlabel="time [s]", ylabel="ω r of a ball [m/s]")
    right.legend(frameon=False)
    save("relaxed")


def solver_sets() -> None:
    """What three solvers make of four legs that carry one box."""
    sim = ss.Simulator(formulation="stewart-trinkle", friction="none")
    sim.add(ss.Body.plane())
    sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5)))
    sim.step()
    problem = sim.problem()
    assert problem is not None
    _, ax = plt.subplots(figsize=(5, 2.4))
    names = ("lemke", "pgs", "interior-point")
    for k, name in enumerate(names):
        share = problem.solve(name).z / (9.81 * sim.time_step)
        ax.bar(np.arange(len(share)) + 0.25 * k, share, 0.25, label=name)
    ax.set(xlabel="leg", ylabel="share of the weight", xticks=np.arange(4) + 0.25, xticklabels="1234")
    ax.legend(frameon=False)
    save("four-legs")


def loop() -> None:
    """The stages of a step."""
    _, ax = plt.subplots(figsize=(8.5, 1.7))
    names = ("before_step", "detect", "formulate", "solve", "integrate", "stabilize", "after_step")
    for k, name in enumerate(names):
        color = "#eee" if name.endswith("_step") else BODY if k % 2 else OTHER
        box = {"boxstyle": "round,pad=0.5", "facecolor": color, "edgecolor": "#333"}
        ax.text(k, 0, name, ha="center", va="center", fontsize=8.5, bbox=box)
        if k:
            ax.annotate("", (k - 0.41, 0), (k - 0.6, 0), arrowprops={"arrowstyle": "-|>"})
    back = {"arrowstyle": "-|>", "connectionstyle": "arc3,rad=0.7", "color": "#555"}
    ax.annotate("", (1.9, 0.22), (3.1, 0.22), arrowprops=back)
    ax.text(2.5, 0.9, "another pass", ha="center", fontsize=8)
    ax.set(xlim=(-0.6, 6.6), ylim=(-0.5, 1.2))
    ax.axis("off")
    save("loop")


def paths() -> None:
    """Iterates of solvers on a problem of two unknowns."""
    A, b = np.array([[2.0, 1.6], [1.6, 2.0]]), np.array([-1.0, -1.1])
    problem, start = ss.lcp.Problem(A, b), np.array([0.0, 1.2])
    _, axes = plt.subplots(1, 4, figsize=(9.5, 2.7), sharey=True)
    names = ("pgs", "jacobi", "fixed-point", "fischer-newton")
    for ax, name in zip(axes, names):
        x = np.array([-0.1, 0.8])
        for row, constant in zip(A, b):
            ax.plot(x, (-constant - row[0] * x) / row[1], color="#aaa", lw=0.8)
        points = np.vstack([start, problem.iterates(name, z0=start)])
        ax.plot(*points.T, "o-", ms=3, lw=0.8)
        ax.set(title=f"{name}: {len(points) - 1}", xlim=(-0.1, 0.8), ylim=(-0.1, 1.3), xlabel="z₁")
    axes[0].set_ylabel("z₂")
    save("paths")


def choice() -> None:
    """Gaps of a box against a block over a step: how `separation` chooses its axis."""
    _, axes = plt.subplots(1, 2, figsize=(8, 2.7), sharey=True)
    t = np.array([0.0, 1.0])
    cases = {
        "past a corner: side, then top": {"side": (0.30, -0.65), "top": (-0.35, 0.25)},
        "landing: top fails last": {"top": (0.45, -0.40), "side": (-0.60, -0.75), "face of B": (0.20, -0.55)},
    }
    for ax, (title, lines) in zip(axes, cases.items()):
        chosen = "top"
        for name, ends in lines.items():
            on = name == chosen
            ax.plot(t, ends, lw=2.6 if on else 1.2, ls="-" if on else "--", label=name)
            if on and ends[1] < 0:
                fails = ends[0] / (ends[0] - ends[1])
                ax.plot(fails, 0, "o", color="#333")
                ax.annotate("fails last", (fails, 0), (fails + 0.03, 0.13), fontsize=8)
        ax.axhline(0, color="#333", lw=0.8)
        ax.set(title=title, xlabel="t / h", xlim=(0, 1))
        ax.legend(frameon=False, fontsize=8, loc="lower left")
    axes[0].set_ylabel("gap $s_k$")
    save("separation-choice")


if __name__ == "__main__":
    drawings = (contact, standard_model, constraints, modes, choice, peg_heights, landing, relaxed, solver_sets, paths, loop)
    for draw in drawings:
        draw()
