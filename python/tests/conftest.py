"""Scenes that several tests use."""

from __future__ import annotations

import matplotlib
import pytest

import stickslip as ss

matplotlib.use("agg")


@pytest.fixture
def sliding() -> ss.Simulator:
    """A cube that slides on a floor with friction 0.5."""
    sim = ss.Simulator(step=0.01)
    sim.add(ss.Body.plane(name="floor"))
    sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 0.5), velocity=(1, 0, 0)))
    return sim


@pytest.fixture
def falling() -> ss.Simulator:
    """A ball in the air."""
    sim = ss.Simulator(step=0.01)
    sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
    return sim
