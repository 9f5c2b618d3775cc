"""Engines that run outside this process: a scene as JSON in, numbers out.

The scene: variant, step, steps, seconds (CPU time after which to stop), gravity, bodies (position,
quaternion w x y z, velocity, spin, mass (0: static), principal inertia, friction, and half sizes, or
points of a hull, or points and triangles of a mesh), joints (parent or -1, child, anchor, axis). The
numbers: for the start and after every step the CPU seconds of the step, then for every moving body
its place, quaternion, velocity and angular velocity, as little-endian doubles.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

#: One thread, as everywhere in these tables.
ALONE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def payload(scene, variant: str, seconds: float) -> str:
    """The scene as JSON."""
    zero = np.zeros(3)

    def item(body):
        out = {
            "position": body.position.tolist(), "quaternion": list(map(float, body.quaternion)),
            "velocity": list(map(float, body.velocity)), "spin": list(map(float, body.spin)),
            "mass": float(body.mass), "friction": float(body.friction),
            "inertia": np.array(body.inertia if body.inertia is not None else zero).tolist(),
        }
        if body.half is not None:
            out["half"] = body.half.tolist()
        else:
            out["points"] = np.array(body.points).tolist()
        if body.triangles is not None:
            out["triangles"] = np.array(body.triangles).tolist()
        return out

    joints = [{"parent": j.parent, "child": j.child, "anchor": list(map(float, j.anchor)), "axis": list(j.axis)} for j in scene.joints]
    return json.dumps({
        "variant": variant, "step": scene.step, "steps": round(scene.duration / scene.step),
        "seconds": seconds, "gravity": list(scene.gravity),
        "bodies": [item(b) for b in scene.bodies], "joints": joints,
    })


class Outside:
    """Runs the whole scene at once, then plays it back step by step."""

    variants: tuple[str, ...] = ("default",)

    @classmethod
    def command(cls) -> list[str] | None:
        """What to call, or None where it is not there."""
        raise NotImplementedError

    def __init__(self, scene, variant: str, seconds: float = 60.0) -> None:
        command = self.command()
        if command is None:
            raise NotImplementedError("not installed")
        done = subprocess.run(command, input=payload(scene, variant, seconds).encode(), capture_output=True, timeout=60 * seconds + 60, env=ALONE)
        if done.returncode != 0:
            last = done.stderr.decode(errors="replace").strip().splitlines()
            raise RuntimeError(last[-1] if last else f"ended with {done.returncode}")
        moving = sum(b.mass > 0 for b in scene.bodies)
        rows = np.frombuffer(done.stdout, "<f8").reshape(-1, 1 + 13 * moving)
        self.times, self.states, self.at = rows[:, 0], rows[:, 1:].reshape(-1, moving, 13), 0

    def step(self) -> None:
        if self.at + 1 >= len(self.states):
            raise TimeoutError("stopped after its time")
        self.at += 1

    def cost(self) -> float:
        """CPU seconds of the last step."""
        return float(self.times[self.at])

    def state(self) -> np.ndarray:
        return self.states[self.at]


class Rapier(Outside):
    """Defaults; and 50 solver iterations (which are substeps), stiff contacts, joint coordinates."""

    package = "rapier3d-f64"
    variants = ("default", "accurate")

    @classmethod
    def command(cls) -> list[str] | None:
        return _rapier()

    @classmethod
    def version(cls) -> str | None:
        return "0.36.1" if cls.command() else None


@functools.cache
def _rapier() -> list[str] | None:
    """Builds the runner where cargo and the crates are there."""
    if shutil.which("cargo") is None:
        return None
    target = os.environ.get("RAPIER_TARGET", str(HERE / "rapier" / "target"))
    built = subprocess.run(
        ["cargo", "build", "--release", "--quiet"], cwd=HERE / "rapier",
        env={**os.environ, "CARGO_TARGET_DIR": target}, check=False, capture_output=True,
    )
    program = Path(target) / "release" / "rapier-runner"
    return [str(program)] if built.returncode == 0 and program.exists() else None


class Siconos(Outside):
    """Debian's package: Moreau-Jean, Bullet's collision detection; joints are not translated."""

    package = "siconos"
    variants = ("default", "accurate")

    @classmethod
    def command(cls) -> list[str] | None:
        return _siconos()[0]

    @classmethod
    def version(cls) -> str | None:
        return _siconos()[1]


@functools.cache
def _siconos() -> tuple[list[str] | None, str | None]:
    python = "/usr/bin/python3"
    if not Path(python).exists():
        return None, None
    ask = "import siconos.kernel, siconos.mechanics.collision.bullet as b; from importlib import metadata; import siconos; print(getattr(siconos, '__version__', ''))"
    found = subprocess.run([python, "-c", ask], capture_output=True, check=False)
    if found.returncode != 0:
        return None, None
    listed = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"], capture_output=True, check=False)
    name = found.stdout.decode().strip().splitlines()[-1:] or [""]
    return [python, str(HERE / "siconos_runner.py")], listed.stdout.decode() or name[0] or "installed"
