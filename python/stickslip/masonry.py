"""Blocks of stone: arches, vaults, domes, walls and columns from their parameters.

Every builder returns a list of bodies, supports first; `build` makes a simulator of them. x runs
along the span, z up, y along the depth; with ``dimension=2`` the same in the plane (x, y).

>>> import stickslip as ss
>>> sim = build(arch(stones=27, thickness=0.12, friction=0.7))
>>> ss.stability(sim).stands
True
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .body import Body
from .errors import FileError, ModelError
from .simulator import Simulator

__all__ = [
    "arch",
    "barrel_vault",
    "build",
    "column",
    "dome",
    "flat_arch",
    "from_obj",
    "lune",
    "pointed_arch",
    "segmental_arch",
    "wall",
]

_Point = tuple[float, float]
_Floats = NDArray[np.float64]


def build(
    bodies: Iterable[Body],
    *,
    tensile_strength: float | None = None,
    crack_opening: float = 1e-5,
    **settings: Any,
) -> Simulator:
    """A simulator of these bodies; the settings are those of `Simulator`.

    With a ``tensile_strength`` [Pa; N/m in 2D] there is mortar in every joint, see `Simulator.pair`.

    >>> len(build(wall(bricks=3, courses=2), step=0.005))
    8
    >>> thin = arch(27, thickness=0.08, depth=0.3)
    >>> import stickslip as ss
    >>> ss.stability(build(thin)).stands, ss.stability(build(thin, tensile_strength=1e4)).stands
    (False, True)
    """
    all_bodies = list(bodies)
    if all_bodies and "dimension" not in settings:
        settings["dimension"] = all_bodies[0].shape.dimension
    sim = Simulator(**settings)
    handles = [sim.add(body) for body in all_bodies]
    if tensile_strength is not None:
        for i, j in _near(all_bodies):
            sim.pair(
                handles[i],
                handles[j],
                tensile_strength=tensile_strength,
                crack_opening=crack_opening,
            )
    return sim


def _near(bodies: list[Body]) -> list[tuple[int, int]]:
    """Pairs of bodies whose spheres meet, not both of them fixed."""
    place, radius = np.zeros((len(bodies), 3)), np.array([_radius(body) for body in bodies])
    for k, body in enumerate(bodies):
        at = np.asarray(body.fields.get("position", (0.0, 0.0, 0.0)), float)
        place[k, : len(at)] = at
    pairs = []
    for i, body in enumerate(bodies):
        apart = np.linalg.norm(place[i + 1 :] - place[i], axis=1)
        near = np.flatnonzero(~(apart > 1.001 * (radius[i] + radius[i + 1 :]))) + i + 1
        pairs += [(i, int(j)) for j in near if not (body.static and bodies[int(j)].static)]
    return pairs


def _radius(body: Body) -> float:
    """How far a body reaches from its centre of mass [m]; without end where its shape is none of a block."""
    kind, numbers = body.shape.kind, body.shape.numbers
    if kind in ("convex", "polygon"):
        points = np.asarray(numbers[0], float)
        return float(np.linalg.norm(points - body.center[: points.shape[1]], axis=1).max())
    if kind == "box":
        return 0.5 * float(np.linalg.norm(numbers[0]))
    return math.hypot(numbers[0], 0.5 * numbers[1]) if kind == "cylinder" else math.inf


def _positive(**lengths: float) -> None:
    for key, value in lengths.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ModelError(f"{key} = {value!r}, but it must be above 0")


def _least(least: int, **counts: int) -> None:
    for key, value in counts.items():
        if value != int(value) or value < least:
            raise ModelError(f"{key} = {value!r}, but it must be a whole number, {least} or more")


def _hull(points: _Floats, faces: Sequence[Sequence[int]]) -> tuple[float, _Floats]:
    """Volume and centre of mass of a convex body with these faces."""
    middle = points.mean(axis=0)
    volume, moment = 0.0, np.zeros(3)
    for face in faces:
        for k in range(1, len(face) - 1):
            a, b, c = (points[face[i]] - middle for i in (0, k, k + 1))
            part = abs(float(np.dot(a, np.cross(b, c)))) / 6.0
            volume += part
            moment += part * (a + b + c) / 4.0
    if not volume > 0.0:
        raise ModelError("a block without volume")
    return volume, middle + moment / volume


def _center(corners: Sequence[_Point]) -> _Point:
    """Centre of mass of a polygon."""
    x0, y0 = corners[0]
    area = x = y = 0.0
    for (ax, ay), (bx, by) in zip(corners, [*corners[1:], corners[0]], strict=True):
        ax, ay, bx, by = ax - x0, ay - y0, bx - x0, by - y0
        cross = ax * by - bx * ay
        area, x, y = area + 0.5 * cross, x + cross * (ax + bx) / 6.0, y + cross * (ay + by) / 6.0
    if area == 0.0:
        raise ModelError(f"a block without area: {corners}")
    return x0 + x / area, y0 + y / area


class _Prisms:
    """Blocks with a polygon in the plane of the span, as deep as asked for."""

    def __init__(self, dimension: int, depth: float, fields: dict[str, Any]) -> None:
        if dimension not in (2, 3):
            raise ModelError(f"dimension = {dimension!r}, but it must be 2 or 3")
        _positive(depth=depth)
        self.dimension, self.depth, self.fields = dimension, depth, fields

    def block(
        self, name: str, corners: Sequence[_Point], y: float = 0.0, static: bool = False
    ) -> Body:
        fields = dict(self.fields, name=name)
        if static:
            fields["static"] = True
            fields.pop("density", None)
        cx, cz = _center(corners)
        if self.dimension == 2:
            return Body.polygon(corners, position=(cx, cz), **fields)
        half = 0.5 * self.depth
        points = [(x, side * half, z) for side in (-1.0, 1.0) for x, z in corners]
        return Body.convex(points, position=(cx, y, cz), **fields)


def _fields(friction: float, density: float, **fields: Any) -> dict[str, Any]:
    _positive(density=density)
    return dict(fields, friction=friction, density=density)


def _support(inner: _Point, outer: _Point, reach: float) -> list[_Point]:
    """The block behind the joint from ``inner`` to ``outer``, on its right as seen along it."""
    dx, dz = outer[0] - inner[0], outer[1] - inner[1]
    length = math.hypot(dx, dz)
    nx, nz = dz / length * reach, -dx / length * reach
    # a rim around the joint, so that the stone stands within
    ex, ez = 0.5 * dx, 0.5 * dz
    a, b = (inner[0] - ex, inner[1] - ez), (outer[0] + ex, outer[1] + ez)
    return [a, (a[0] + nx, a[1] + nz), (b[0] + nx, b[1] + nz), b]


def _ring(joints: Sequence[tuple[_Point, _Point]], prisms: _Prisms) -> list[Body]:
    """The stones between joints (inner and outer end each) from left to right, with supports."""
    reach = math.dist(*joints[0])
    left = _support(joints[0][1], joints[0][0], reach)
    right = _support(*joints[-1], reach)
    bodies = [prisms.block("left", left, static=True), prisms.block("right", right, static=True)]
    for k, (a, b) in enumerate(zip(joints, joints[1:], strict=False)):
        bodies.append(prisms.block(f"stone-{k + 1}", [a[0], b[0], b[1], a[1]]))
    return bodies


def _polar(radius: float, angle: float, x: float = 0.0, z: float = 0.0) -> _Point:
    """From the left springing (angle pi) to the right one (0); exact at both and at the crown."""
    if angle in (0.0, math.pi):
        return x + math.copysign(radius, 1.0 - angle), z
    return x + radius * math.cos(angle), z + radius * math.sin(angle)


def arch(
    stones: int = 27,
    radius: float = 1.0,
    thickness: float = 0.2,
    depth: float = 0.5,
    *,
    dimension: int = 3,
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """A semicircular arch; ``radius`` is that of its middle line [m].

    >>> bodies = arch(stones=9)
    >>> [b.name for b in bodies[:3]], len(bodies)
    (['left', 'right', 'stone-1'], 11)
    """
    _least(1, stones=stones)
    _positive(radius=radius, thickness=thickness, room=2.0 * radius - thickness)
    angles = [math.pi * (1.0 - k / stones) for k in range(stones + 1)]
    ends = (radius - 0.5 * thickness, radius + 0.5 * thickness)
    joints = [(_polar(ends[0], a), _polar(ends[1], a)) for a in angles]
    return _ring(joints, _Prisms(dimension, depth, _fields(friction, density)))


def segmental_arch(
    stones: int = 15,
    span: float = 2.0,
    rise: float = 0.5,
    thickness: float = 0.2,
    depth: float = 0.5,
    *,
    dimension: int = 3,
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """A part of a circle; span and rise are those of its middle line [m].

    >>> len(segmental_arch(stones=5))
    7
    """
    _least(1, stones=stones)
    _positive(span=span, rise=rise, thickness=thickness)
    radius = (0.25 * span * span + rise * rise) / (2.0 * rise)
    _positive(room=2.0 * radius - thickness)
    half = math.atan2(0.5 * span, radius - rise)
    ends = (radius - 0.5 * thickness, radius + 0.5 * thickness)
    joints = []
    for k in range(stones + 1):
        a = 0.5 * math.pi + half * (1.0 - 2.0 * k / stones)
        joints.append((_polar(ends[0], a, 0.0, rise - radius), _polar(ends[1], a, 0.0, rise - radius)))
    return _ring(joints, _Prisms(dimension, depth, _fields(friction, density)))


def pointed_arch(
    stones: int = 10,
    span: float = 2.0,
    radius: float = 2.0,
    thickness: float = 0.2,
    depth: float = 0.5,
    *,
    dimension: int = 3,
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """Two arcs of that radius that meet at a vertical joint; ``stones`` on either side.

    Span and radius are those of the middle lines; with ``radius = span`` the centres are the
    springings, as in an equilateral arch.

    >>> len(pointed_arch(stones=4))
    10
    """
    _least(1, stones=stones)
    _positive(span=span, radius=radius, thickness=thickness)
    shift = radius - 0.5 * span
    inner, outer = radius - 0.5 * thickness, radius + 0.5 * thickness
    if not 0.0 <= shift < inner:
        raise ModelError(f"radius = {radius!r}, but it must be half the span or more: {0.5 * span}")
    # the left arc has its centre at x = shift, and ends at x = 0
    last = math.acos(-shift / radius)
    left = []
    for k in range(stones):
        a = math.pi + (last - math.pi) * k / stones
        left.append((_polar(inner, a, shift), _polar(outer, a, shift)))
    crown = tuple((0.0, math.sqrt(r * r - shift * shift)) for r in (inner, outer))
    right = [tuple((-x, z) for x, z in joint) for joint in reversed(left)]
    joints = [*left, crown, *right]
    return _ring(joints, _Prisms(dimension, depth, _fields(friction, density)))  # type: ignore[arg-type]


def flat_arch(
    stones: int = 7,
    span: float = 2.0,
    height: float = 0.5,
    depth: float = 0.5,
    *,
    center: float | None = None,
    dimension: int = 3,
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """A level lintel of wedges whose joints meet at a point ``center`` below it [m]; the span by default.

    >>> len(flat_arch(stones=5))
    7
    """
    _least(1, stones=stones)
    below = span if center is None else center
    _positive(span=span, height=height, center=below)
    spread = (below + height) / below
    xs = [span * (k / stones - 0.5) for k in range(stones + 1)]
    joints = [((x, 0.0), (x * spread, height)) for x in xs]
    return _ring(joints, _Prisms(dimension, depth, _fields(friction, density)))


def barrel_vault(
    stones: int = 15,
    rows: int = 4,
    radius: float = 1.0,
    thickness: float = 0.2,
    depth: float = 0.5,
    *,
    bond: str = "running",
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """A semicircular vault of ``rows`` stones along y, each ``depth`` deep.

    With the bond "running" every other course is shifted by half a stone, with half stones at its
    ends; with "stack" the vault is a row of arches.

    >>> len(barrel_vault(stones=5, rows=2)), len(barrel_vault(stones=5, rows=2, bond="stack"))
    (14, 12)
    """
    _least(1, stones=stones, rows=rows)
    _positive(radius=radius, thickness=thickness, room=2.0 * radius - thickness)
    _bond(bond)
    fields = _fields(friction, density)
    ends = (radius - 0.5 * thickness, radius + 0.5 * thickness)
    angles = [math.pi * (1.0 - k / stones) for k in range(stones + 1)]
    joints = [(_polar(ends[0], a), _polar(ends[1], a)) for a in angles]
    whole = _Prisms(3, depth * (rows + 1), fields)
    reach = thickness
    bodies = [
        whole.block("left", _support(joints[0][1], joints[0][0], reach), static=True),
        whole.block("right", _support(*joints[-1], reach), static=True),
    ]
    for k in range(stones):
        a, b = joints[k], joints[k + 1]
        corners = [a[0], b[0], b[1], a[1]]
        for j, (start, end) in enumerate(_spans(rows, bond == "running" and k % 2 == 1)):
            prisms = _Prisms(3, depth * (end - start), fields)
            y = depth * (0.5 * (start + end) - 0.5 * rows)
            bodies.append(prisms.block(f"stone-{k + 1}-{j + 1}", corners, y))
    return bodies


def _bond(bond: str) -> None:
    if bond not in ("running", "stack"):
        raise ModelError(f"bond = {bond!r}, but it must be 'running' or 'stack'")


def _spans(count: int, shifted: bool) -> list[tuple[float, float]]:
    """The stones of a course, in stones from its start."""
    cuts = [0.0, *(k + 0.5 for k in range(count)), float(count)] if shifted else range(count + 1)
    ends = [float(c) for c in cuts]
    return list(zip(ends, ends[1:], strict=False))


def lune(
    courses: int = 20,
    segments: int = 24,
    radius: float = 1.0,
    thickness: float = 0.05,
    *,
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """Two opposite slices of a half sphere that is cut into ``segments`` like an orange, with a stone at the crown.

    A dome that can take no tension around stands as its slices do (Heyman 1977).

    >>> len(lune(courses=3))
    8
    """
    _least(1, courses=courses)
    _least(3, segments=segments)
    _positive(radius=radius, thickness=thickness, room=2.0 * radius - thickness)
    half = math.pi / segments
    ends = (radius - 0.5 * thickness, radius + 0.5 * thickness)

    def corner(r: float, course: int, side: int, across: int) -> tuple[float, float, float]:
        # the crown stone takes the last quarter of a course on either side
        up = 0.5 * math.pi * (1.0 - 0.25 / courses) * course / courses
        flat = r * math.cos(up)
        z = r * math.sin(up) if course else 0.0
        return (side * flat * math.cos(half), across * flat * math.sin(half), z)

    def stone(name: str, points: Sequence[tuple[float, float, float]]) -> Body:
        body = Body.convex(points, name=name, friction=friction, density=density)
        return body.with_(position=tuple(body.center.tolist()))

    base = Body.box(
        4 * ends[1], 4 * ends[1], thickness, name="base", position=(0, 0, -0.5 * thickness),
        friction=friction, static=True,
    )  # fmt: skip
    bodies = [base]
    for side, name in ((-1, "left"), (1, "right")):
        for c in range(courses):
            points = [corner(r, c + i, side, j) for r in ends for i in (0, 1) for j in (-1, 1)]
            bodies.append(stone(f"{name}-{c + 1}", points))
    crown = [corner(r, courses, side, j) for r in ends for side in (-1, 1) for j in (-1, 1)]
    return [*bodies, stone("crown", crown)]


def dome(
    courses: int = 8,
    segments: int = 16,
    radius: float = 1.0,
    thickness: float = 0.2,
    *,
    oculus: float = 0.3,
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """A half sphere with an opening at the top, ``oculus`` radians from its axis, on a ring.

    >>> len(dome(courses=3, segments=8))
    25
    """
    _least(1, courses=courses)
    _least(3, segments=segments)
    _positive(radius=radius, thickness=thickness, oculus=oculus, room=2.0 * radius - thickness)
    if not oculus < 0.5 * math.pi:
        raise ModelError(f"oculus = {oculus!r}, but it must be below pi / 2")
    ends = (radius - 0.5 * thickness, radius + 0.5 * thickness)
    base = Body.box(
        4 * ends[1], 4 * ends[1], thickness, name="base", position=(0, 0, -0.5 * thickness),
        friction=friction, static=True,
    )  # fmt: skip
    bodies = [base]

    def corner(r: float, course: int, segment: int) -> list[float]:
        # height above the springing; the azimuth repeats exactly
        up = (0.5 * math.pi - oculus) * course / courses
        around = 2.0 * math.pi * (segment % segments) / segments
        flat = r * math.cos(up)
        return [flat * math.cos(around), flat * math.sin(around), r * math.sin(up) if course else 0.0]

    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    for c in range(courses):
        for s in range(segments):
            points = [corner(r, c + i, s + j) for r in ends for i in (0, 1) for j in (0, 1)]
            _, center = _hull(np.array(points), faces)
            bodies.append(
                Body.convex(
                    points,
                    name=f"stone-{c + 1}-{s + 1}",
                    position=tuple(center.tolist()),
                    friction=friction,
                    density=density,
                )
            )
    return bodies


def wall(
    bricks: int = 6,
    courses: int = 8,
    brick: tuple[float, float, float] = (0.25, 0.12, 0.06),
    *,
    bond: str = "running",
    dimension: int = 3,
    friction: float = 0.7,
    density: float = 1800.0,
) -> list[Body]:
    """A wall of bricks (length, depth, height) on a floor; the bond is "running" or "stack".

    >>> len(wall(bricks=4, courses=2)), len(wall(bricks=4, courses=2, bond="stack"))
    (10, 9)
    """
    _least(1, bricks=bricks, courses=courses)
    _bond(bond)
    length, depth, height = brick
    _positive(length=length, depth=depth, height=height)
    prisms = _Prisms(dimension, depth, _fields(friction, density))
    if dimension == 2:
        bodies = [Body.half_plane(name="floor", friction=friction)]
    else:
        bodies = [Body.plane(name="floor", friction=friction)]
    for c in range(courses):
        low, high = c * height, (c + 1) * height
        for k, (start, end) in enumerate(_spans(bricks, bond == "running" and c % 2 == 1)):
            a, b = (length * (s - 0.5 * bricks) for s in (start, end))
            corners = [(a, low), (b, low), (b, high), (a, high)]
            bodies.append(prisms.block(f"brick-{c + 1}-{k + 1}", corners))
    return bodies


def column(
    drums: int = 6,
    radius: float = 0.5,
    height: float = 0.8,
    *,
    sides: int = 0,
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """Drums of that height on a floor: smooth cylinders, or prisms with that many sides.

    >>> [b.name for b in column(drums=2)]
    ['floor', 'drum-1', 'drum-2']
    """
    _least(1, drums=drums)
    _positive(radius=radius, height=height)
    bodies = [Body.plane(name="floor", friction=friction)]
    for k in range(drums):
        bodies.append(
            Body.cylinder(
                radius,
                height,
                sides,
                name=f"drum-{k + 1}",
                position=(0, 0, height * (k + 0.5)),
                friction=friction,
                density=density,
            )
        )
    return bodies


def from_obj(
    path: str | os.PathLike[str],
    *,
    scale: float = 1.0,
    static: Sequence[str] = (),
    friction: float = 0.7,
    density: float = 2400.0,
) -> list[Body]:
    """Convex blocks from an OBJ file: every object or group (``o``, ``g``) is one, where it stands.

    >>> import tempfile, pathlib
    >>> text = "o tip\\nv 0 0 0\\nv 1 0 0\\nv 0 1 0\\nv 0 0 1\\nf 1 3 2\\nf 1 2 4\\nf 1 4 3\\nf 2 3 4\\n"
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tip.obj"
    >>> _ = file.write_text(text)
    >>> from_obj(file)[0].name
    'tip'
    """
    _positive(scale=scale)
    vertices: list[list[float]] = []
    parts: dict[str, list[list[int]]] = {}
    name = "block"
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            try:
                if words[:1] == ["v"]:
                    vertices.append([scale * float(x) for x in words[1:4]])
                elif words[:1] in (["o"], ["g"]):
                    name = " ".join(words[1:]) or f"block-{len(parts) + 1}"
                elif words[:1] == ["f"]:
                    indices = [int(w.split("/")[0]) for w in words[1:]]
                    face = [i - 1 if i > 0 else len(vertices) + i for i in indices]
                    if len(face) < 3 or not all(0 <= i < len(vertices) for i in face):
                        raise ValueError("its vertices do not exist")
                    parts.setdefault(name, []).append(face)
            except ValueError as error:
                raise FileError(f"{os.fspath(path)}:{number}: {line.strip()!r}: {error}") from None
    if not parts:
        raise FileError(f"{os.fspath(path)}: no faces, so no blocks")
    unknown = [s for s in static if s not in parts]
    if unknown:
        raise ModelError(f"static = {unknown}, but the blocks are {list(parts)}")
    bodies = []
    for part, faces in parts.items():
        used = sorted({i for face in faces for i in face})
        place = {i: k for k, i in enumerate(used)}
        points = np.array([vertices[i] for i in used])
        _, center = _hull(points, [[place[i] for i in face] for face in faces])
        fields: dict[str, Any] = {"static": True} if part in static else {"density": density}
        body = Body.convex(
            points, name=part, position=tuple(center.tolist()), friction=friction, **fields
        )
        bodies.append(body)
    return bodies
