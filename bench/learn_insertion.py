#!/usr/bin/env python3
"""A policy learns to put a peg into a hole with 0.5 mm of clearance.

    pip install gymnasium matplotlib numpy
    python bench/learn_insertion.py [--seed 1] [--minutes 20] [--workers 2] [--figure docs/images/learning.svg]

The policy is `action = tanh(W o + b)`: 30 numbers, all zero at the start. CMA-ES (Hansen 2016, with its usual constants, below)
changes them; the fitness is the mean return of four episodes with the same random starts for all policies of a generation.
After every fifth generation the mean policy is tried on 50 starts that are never learned from. Ends when it puts the peg in from
all but one of them three times in a row, or when the process time is over. The last policy is then judged on 500 starts that
nothing before depended on. Prints one line per trial, and the part of those that succeed with its standard error.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import pathlib
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NAME = "stickslip/PegInsertion-v0"
OBSERVED, ACTIONS = 9, 3
#: Seeds of the starts that are never learned from.
HELD_OUT = range(10**6, 10**6 + 50)
#: Trials in a row that must go well, and how well: one good trial is chance while the search is wide.
STEADY, GOOD = 3, 0.98
#: Seeds of the starts that judge the policy: it is neither learned nor chosen by them.
LAST = range(2 * 10**6, 2 * 10**6 + 500)

_env: Any = None


def episode(job: tuple[Floats, int]) -> tuple[float, bool, int, float]:
    """Return, success, steps and process time of one episode."""
    global _env
    begin = time.process_time()
    if _env is None:
        import gymnasium

        import stickslip.gym  # noqa: F401

        _env = gymnasium.make(NAME)
    weights, seed = job
    matrix = weights.reshape(ACTIONS, OBSERVED + 1)
    observed, _ = _env.reset(seed=seed)
    total, steps, done, cut = 0.0, 0, False, False
    while not (done or cut):
        action = np.tanh(matrix[:, :-1] @ observed + matrix[:, -1])
        observed, reward, done, cut, _ = _env.step(action)
        total, steps = total + float(reward), steps + 1
    return total, bool(done), steps, time.process_time() - begin


class CmaEs:
    """Evolution strategy with covariance matrix adaptation; it looks for the largest fitness."""

    def __init__(self, start: Floats, sigma: float, rng: np.random.Generator) -> None:
        n = len(start)
        self.mean, self.sigma, self.rng = start.copy(), sigma, rng
        self.size = 4 + int(3 * math.log(n))
        raw = math.log((self.size + 1) / 2) - np.log(np.arange(1, self.size // 2 + 1))
        self.weights = raw / raw.sum()
        self.mu = float(1 / (self.weights**2).sum())
        self.c_sigma = (self.mu + 2) / (n + self.mu + 5)
        self.damping = 1 + 2 * max(0.0, math.sqrt((self.mu - 1) / (n + 1)) - 1) + self.c_sigma
        self.c_c = (4 + self.mu / n) / (n + 4 + 2 * self.mu / n)
        self.c_1 = 2 / ((n + 1.3) ** 2 + self.mu)
        self.c_mu = min(1 - self.c_1, 2 * (self.mu - 2 + 1 / self.mu) / ((n + 2) ** 2 + self.mu))
        self.expected = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        self.p_c, self.p_sigma, self.covariance = np.zeros(n), np.zeros(n), np.eye(n)
        self.generation = 0

    def ask(self) -> Floats:
        values, self.basis = np.linalg.eigh(self.covariance)
        self.scales = np.sqrt(np.maximum(values, 1e-20))
        z = self.rng.standard_normal((self.size, len(self.mean)))
        self.steps = (z * self.scales) @ self.basis.T
        return self.mean + self.sigma * self.steps

    def tell(self, fitness: Floats) -> None:
        self.generation += 1
        best = self.steps[np.argsort(-fitness, kind="stable")[: len(self.weights)]]
        step = self.weights @ best
        self.mean = self.mean + self.sigma * step
        white = self.basis @ ((self.basis.T @ step) / self.scales)
        self.p_sigma = (1 - self.c_sigma) * self.p_sigma
        self.p_sigma += math.sqrt(self.c_sigma * (2 - self.c_sigma) * self.mu) * white
        length = float(np.linalg.norm(self.p_sigma))
        fading = math.sqrt(1 - (1 - self.c_sigma) ** (2 * self.generation))
        fast = length / fading < (1.4 + 2 / (len(step) + 1)) * self.expected
        self.p_c = (1 - self.c_c) * self.p_c
        if fast:
            self.p_c += math.sqrt(self.c_c * (2 - self.c_c) * self.mu) * step
        old = 1 - self.c_1 - self.c_mu + (0.0 if fast else self.c_1 * self.c_c * (2 - self.c_c))
        self.covariance = old * self.covariance + self.c_1 * np.outer(self.p_c, self.p_c)
        self.covariance += self.c_mu * (best.T * self.weights) @ best
        self.sigma *= math.exp(self.c_sigma / self.damping * (length / self.expected - 1))


def learn(seed: int, minutes: float, workers: int) -> tuple[list[tuple[float, float, float, float, int]], Floats]:
    """Wall time [s], process time [s], part of the held-out starts that succeed, mean return and episodes, trial by trial."""
    rng = np.random.default_rng(seed)
    strategy = CmaEs(np.zeros(ACTIONS * (OBSERVED + 1)), 0.5, rng)
    begin, spent, episodes = time.time(), 0.0, 0
    course: list[tuple[float, float, float, float, int]] = []
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        while True:
            if strategy.generation % 5 == 0:
                tried = pool.map(episode, [(strategy.mean, k) for k in HELD_OUT])
                spent += sum(t[3] for t in tried)
                succeeded = sum(t[1] for t in tried) / len(tried)
                returned = sum(t[0] for t in tried) / len(tried)
                course.append((time.time() - begin, spent, succeeded, returned, episodes))
                row = f"{strategy.generation:4} generations, {episodes:6} episodes, {course[-1][0]:6.0f} s, {spent:6.0f} CPU s:"
                print(f"{row} {100 * succeeded:3.0f} % succeed, mean return {returned:.2f}", flush=True)
                steady = len(course) >= STEADY and all(c[2] >= GOOD for c in course[-STEADY:])
                if steady or spent > 60 * minutes * workers:
                    last = pool.map(episode, [(strategy.mean, k) for k in LAST])
                    part = sum(t[1] for t in last) / len(last)
                    error = math.sqrt(part * (1 - part) / len(last))
                    said = f"{100 * part:.1f} % +- {100 * error:.1f} % of {len(last)} other starts succeed"
                    print(said, flush=True)
                    return course, strategy.mean
            starts = [int(s) for s in rng.integers(10**5, size=4)]
            policies = strategy.ask()
            found = pool.map(episode, [(p, s) for p in policies for s in starts])
            spent += sum(f[3] for f in found)
            episodes += len(found)
            strategy.tell(np.array([f[0] for f in found]).reshape(len(policies), -1).mean(axis=1))


def draw(course: list[tuple[float, float, float, float, int]], file: pathlib.Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "stickslip"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.2))
    minutes = [c[1] / 120 for c in course]
    axes.plot(minutes, [100 * c[2] for c in course], "o-", color="#1f6fb4")
    axes.set_xlabel("process time on two cores [min]")
    axes.set_ylabel("held-out starts that succeed [%]")
    axes.set_ylim(-3, 103)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20.0, help="process time of each worker")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--figure", type=pathlib.Path)
    parser.add_argument("--policy", type=pathlib.Path, help="where the numbers of the policy go (.npy)")
    given = parser.parse_args()
    # Workers do not use more cores than they are.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    course, policy = learn(given.seed, given.minutes, given.workers)
    if given.figure:
        draw(course, given.figure)
    if given.policy:
        np.save(given.policy, policy)


if __name__ == "__main__":
    main()
