"""How deep convex bodies sit in each other, from their shapes and places alone.

Depth is the shortest way out: the least overlap along the normals of the faces and the cross products
of the edges. The shared volume is that of the intersection of their half-spaces.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError
from scipy.spatial.transform import Rotation

#: Depths below this are left out of the shared volume [m].
LEAST = 1e-6


class Hull:
    """Corners, face planes (n, -d) and edge directions in the body frame."""

    def __init__(self, body) -> None:
        if body.half is not None:
            self.corners = np.array(list(itertools.product(*((-h, h) for h in body.half))))
            self.edges = np.eye(3)
            self.planes = np.vstack([np.c_[np.eye(3), -body.half], np.c_[-np.eye(3), -body.half]])
            return
        self.corners = np.array(body.points)
        hull = ConvexHull(self.corners)
        self.planes = np.unique(np.round(hull.equations, 9), axis=0)
        sides: dict[tuple[int, int], list[np.ndarray]] = {}
        for simplex, plane in zip(hull.simplices, hull.equations):
            for a, b in ((0, 1), (1, 2), (0, 2)):
                sides.setdefault(tuple(sorted((simplex[a], simplex[b]))), []).append(plane[:3])
        bent = [pair for pair, normals in sides.items() if normals[0] @ normals[-1] < 1 - 1e-9]
        edges = np.array([self.corners[b] - self.corners[a] for a, b in bent])
        self.edges = edges / np.linalg.norm(edges, axis=1)[:, None]


class Placed:
    """A hull in the world."""

    def __init__(self, hull: Hull, position: np.ndarray, quaternion: np.ndarray) -> None:
        w, x, y, z = quaternion
        turn = Rotation.from_quat([x, y, z, w]).as_matrix()
        self.corners = hull.corners @ turn.T + position
        self.edges = hull.edges @ turn.T
        normals = hull.planes[:, :3] @ turn.T
        self.planes = np.c_[normals, hull.planes[:, 3] - normals @ position]
        self.low, self.high = self.corners.min(axis=0), self.corners.max(axis=0)


def _least(a: Placed, b: Placed, axes: np.ndarray) -> float:
    x, y = a.corners @ axes.T, b.corners @ axes.T
    ways = np.minimum(x.max(axis=0) - y.min(axis=0), y.max(axis=0) - x.min(axis=0))
    return float(ways.min()) if len(ways) else np.inf


def depth(a: Placed, b: Placed) -> float:
    """The shortest way out [m]; zero or less when they are apart."""
    found = _least(a, b, np.vstack([a.planes[:, :3], b.planes[:, :3]]))
    if found <= 0:
        return found
    across = np.cross(a.edges[:, None], b.edges[None]).reshape(-1, 3)
    length = np.linalg.norm(across, axis=1)
    kept = length > 1e-7
    return min(found, _least(a, b, across[kept] / length[kept][:, None]))


def volume(a: Placed, b: Placed) -> float:
    """What two hulls share [m³]."""
    planes = np.vstack([a.planes, b.planes])
    # The middle of the largest ball inside both.
    size = np.linalg.norm(planes[:, :3], axis=1)
    ball = linprog([0, 0, 0, -1], A_ub=np.c_[planes[:, :3], size], b_ub=-planes[:, 3], bounds=[(None, None)] * 3 + [(0, None)])
    if ball.status != 0 or ball.x[3] < 1e-9:
        return 0.0
    try:
        return float(ConvexHull(HalfspaceIntersection(planes, ball.x[:3]).intersections).volume)
    except QhullError:
        return 0.0


def overlap(scene, state: np.ndarray, volumes: bool = False) -> tuple[float, float]:
    """Largest depth [m] and total shared volume [m³] of all pairs with a moving body."""
    hulls = scene.__dict__.setdefault("hulls", [Hull(b) for b in scene.bodies])
    moving = iter(state)
    placed = []
    for body, hull in zip(scene.bodies, hulls):
        row = next(moving) if body.mass > 0 else np.concatenate([body.position, body.quaternion])
        placed.append(Placed(hull, row[:3], row[3:7]))
    low, high = np.array([p.low for p in placed]), np.array([p.high for p in placed])
    deepest, total = 0.0, 0.0
    for i, a in enumerate(placed):
        near = (low[i] < high[i + 1 :]).all(axis=1) & (low[i + 1 :] < high[i]).all(axis=1)
        for j in np.flatnonzero(near) + i + 1:
            if scene.bodies[i].mass == 0 and scene.bodies[j].mass == 0:
                continue
            found = depth(a, placed[j])
            deepest = max(deepest, found)
            if volumes and found > LEAST:
                total += volume(a, placed[j])
    return deepest, total
