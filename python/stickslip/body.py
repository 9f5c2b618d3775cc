"""Bodies, described before they are added to a simulator."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from . import _check
from ._core import Solid
from .errors import ModelError


class BodyFields(TypedDict, total=False):
    """The keywords that every body takes."""

    name: str
    position: ArrayLike
    orientation: _check.Orientation
    velocity: ArrayLike
    angular_velocity: ArrayLike
    mass: float
    density: float
    inertia: ArrayLike
    friction: float
    restitution: float
    rolling_friction: float
    torsional_friction: float
    static: bool
    kinematic: bool
    collides: bool
    ignore: Sequence[str]
    force: ArrayLike
    torque: ArrayLike
    color: str | Sequence[float]
    visible: bool


def _motion(fields: BodyFields) -> str | None:
    if fields.get("static") and fields.get("kinematic"):
        raise ModelError("a body is static or kinematic, not both")
    if fields.get("static"):
        return "static"
    return "kinematic" if fields.get("kinematic") else None


_PLAIN: dict[str, Callable[[str, Any], Any]] = {
    "position": _check.vector,
    "velocity": _check.vector,
    "angular_velocity": _check.spin,
    "mass": _check.number,
    "density": _check.number,
    "inertia": lambda _, value: _check.inertia(value),
    "friction": _check.number,
    "restitution": _check.number,
    "rolling_friction": _check.number,
    "torsional_friction": _check.number,
    "collides": lambda _, value: bool(value),
    "ignore": lambda _, value: [str(getattr(other, "name", other)) for other in value],
    "force": _check.vector,
    "torque": _check.spin,
    "color": lambda _, value: _check.color(value),
    "visible": lambda _, value: bool(value),
    "name": lambda _, value: str(value),
}


def checked(fields: BodyFields) -> dict[str, Any]:
    """The fields as the engine wants them."""
    known = BodyFields.__annotations__
    for key in fields:
        if key not in known:
            raise ModelError(f"a body has no {key!r}; there are: {', '.join(known)}")
    if "mass" in fields and "density" in fields:
        raise ModelError("a body has a mass or a density, not both")
    out = {k: _PLAIN[k](k, value) for k, value in fields.items() if k in _PLAIN}
    out["orientation"], out["angle"] = _check.turn(fields.get("orientation"))
    motion = _motion(fields)
    if motion is not None:
        out["motion"] = motion
    return out


@dataclass(frozen=True)
class Shape:
    """A shape by its kind and numbers; ``scaled`` makes a larger or smaller one."""

    kind: str
    numbers: tuple[Any, ...]
    solid: Solid = field(compare=False, repr=False)

    @staticmethod
    def make(kind: str, *numbers: Any) -> Shape:
        """Builds it, or says why it cannot be built."""
        if kind == "compound":
            parts = [(position, turn, shape.solid) for position, turn, shape in numbers]
            return Shape(kind, numbers, Solid.compound(parts))
        return Shape(kind, numbers, getattr(Solid, kind)(*numbers))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Shape.make, (self.kind, *self.numbers))

    @property
    def dimension(self) -> int:
        """2 or 3: the world it belongs to."""
        if self.kind == "compound":
            return int(self.numbers[0][2].dimension)
        return 2 if self.kind in _PLANAR else 3

    def scaled(self, factor: float) -> Shape:
        """The same shape with every length multiplied."""
        f = _check.number("factor", factor)
        if not f > 0.0:
            raise ModelError(f"factor = {f}, but it must be more than 0")
        if self.kind == "compound":
            parts = [
                (tuple(f * x for x in position), turn, shape.scaled(f))
                for position, turn, shape in self.numbers
            ]
            return Shape.make(self.kind, *parts)
        return Shape.make(self.kind, *_SCALES[self.kind](f, *self.numbers))


_PLANAR = ("polygon", "rectangle", "regular", "disc", "half_plane")


def _all(f: float, *lengths: float) -> tuple[float, ...]:
    return tuple(f * x for x in lengths)


def _rows(f: float, rows: Iterable[Iterable[float]]) -> tuple[Any, ...]:
    return ([tuple(f * x for x in row) for row in rows],)


_SCALES: dict[str, Callable[..., tuple[Any, ...]]] = {
    "box": lambda f, size: (_all(f, *size),),
    "sphere": _all,
    "cylinder": lambda f, radius, height, sides: (f * radius, f * height, sides),
    "cone": lambda f, radius, height, sides: (f * radius, f * height, sides),
    "capsule": _all,
    "tube": _all,
    "bored_box": lambda f, size, radius: (_all(f, *size), f * radius),
    "plane": lambda f, normal: (normal,),
    "half_plane": lambda f, normal: (normal,),
    "tetrahedron": _all,
    "octahedron": _all,
    "dodecahedron": _all,
    "icosahedron": _all,
    "convex": _rows,
    "mesh": lambda f, vertices, triangles, how: (*_rows(f, vertices), triangles, how),
    "heightfield": lambda f, heights, columns, size: (_list(f, heights), columns, _all(f, *size)),
    "polygon": _rows,
    "rectangle": lambda f, size: (_all(f, *size),),
    "regular": lambda f, sides, radius: (sides, f * radius),
    "disc": _all,
}


def _list(f: float, values: Iterable[float]) -> list[float]:
    return [f * x for x in values]


@dataclass(frozen=True)
class Body:
    """A body and how it starts.

    Made by the class methods, one per shape; all take the same keywords (see `BodyFields`):
    ``name``, ``position`` of the centre of mass [m], ``orientation`` (a quaternion w, x, y, z, a
    rotation matrix, ``{"axis": ..., "angle": ...}``, ``{"euler": (roll, pitch, yaw)}``, or in 2D
    an angle) [rad], ``velocity`` [m/s], ``angular_velocity`` [rad/s], ``mass`` [kg] (default 1)
    or ``density``, ``inertia``, ``friction`` (default 0.5), ``restitution`` (default 0),
    ``rolling_friction`` and ``torsional_friction`` [m] (default 0: the largest torque against rolling and
    spinning on a contact, over its normal force), ``static``, ``kinematic``, ``collides``, ``ignore``, ``force`` [N], ``torque`` [N m],
    ``color`` and ``visible``.

    >>> import stickslip as ss
    >>> ss.Body.box(1, 2, 3, density=10, position=(0, 0, 4)).mass
    60.0
    """

    shape: Shape
    fields: dict[str, Any]

    @classmethod
    def _of(cls, fields: BodyFields, kind: str, *numbers: Any) -> Body:
        return cls(Shape.make(kind, *numbers), checked(fields))

    @classmethod
    def box(cls, x: float, y: float, z: float, **fields: Unpack[BodyFields]) -> Body:
        """A box with these edges [m].

        >>> Body.box(1, 1, 1).scaled(0.5).volume
        0.125
        """
        return cls._of(fields, "box", _check.vector("size", (x, y, z)))

    @classmethod
    def sphere(cls, radius: float, **fields: Unpack[BodyFields]) -> Body:
        """A ball.

        >>> round(Body.sphere(1).volume, 6)
        4.18879
        """
        return cls._of(fields, "sphere", _check.number("radius", radius))

    @classmethod
    def cylinder(
        cls, radius: float, height: float, sides: int = 0, **fields: Unpack[BodyFields]
    ) -> Body:
        """A cylinder along z: smooth, or a prism with that many sides.

        >>> Body.cylinder(1, 2, sides=4).volume  # a prism over a square
        4.0
        """
        r, h = _check.number("radius", radius), _check.number("height", height)
        return cls._of(fields, "cylinder", r, h, _check.count("sides", sides))

    @classmethod
    def cone(
        cls, radius: float, height: float, sides: int = 0, **fields: Unpack[BodyFields]
    ) -> Body:
        """A cone along z with its tip up: smooth, or a pyramid with that many sides.

        >>> round(Body.cone(1, 3).volume, 6)  # smooth without sides
        3.141593
        """
        r, h = _check.number("radius", radius), _check.number("height", height)
        return cls._of(fields, "cone", r, h, _check.count("sides", sides))

    @classmethod
    def capsule(cls, radius: float, height: float, **fields: Unpack[BodyFields]) -> Body:
        """A cylinder along z of that height with a half-ball on either end.

        >>> round(Body.capsule(1, 2).volume, 6)  # the caps come on top
        10.471976
        """
        r, h = _check.number("radius", radius), _check.number("height", height)
        return cls._of(fields, "capsule", r, h)

    @classmethod
    def tube(
        cls, inner_radius: float, outer_radius: float, height: float, **fields: Unpack[BodyFields]
    ) -> Body:
        """A cylinder along z with a coaxial hole right through it, both smooth.

        >>> round(Body.tube(0.5, 1, 2).volume, 6)
        4.712389
        """
        names = ("inner_radius", "outer_radius", "height")
        numbers = zip(names, (inner_radius, outer_radius, height), strict=True)
        return cls._of(fields, "tube", *(_check.number(name, x) for name, x in numbers))

    @classmethod
    def bored_box(
        cls, x: float, y: float, z: float, radius: float, **fields: Unpack[BodyFields]
    ) -> Body:
        """A box with these edges [m] and a smooth round hole right through its middle, along z.

        >>> round(Body.bored_box(2, 2, 1, radius=0.5).volume, 6)
        3.214602
        """
        size = _check.vector("size", (x, y, z))
        return cls._of(fields, "bored_box", size, _check.number("radius", radius))

    @classmethod
    def plane(cls, normal: ArrayLike = (0, 0, 1), **fields: Unpack[BodyFields]) -> Body:
        """The half-space behind a plane; static.

        >>> Body.plane().static
        True
        """
        return cls._of(fields, "plane", _check.vector("normal", normal))

    @classmethod
    def tetrahedron(cls, size: float, **fields: Unpack[BodyFields]) -> Body:
        """A regular tetrahedron with that edge [m].

        >>> round(Body.tetrahedron(1).volume, 6)
        0.117851
        """
        return cls._of(fields, "tetrahedron", _check.number("size", size))

    @classmethod
    def octahedron(cls, size: float, **fields: Unpack[BodyFields]) -> Body:
        """A regular octahedron with that edge [m].

        >>> round(Body.octahedron(1).volume, 6)
        0.471405
        """
        return cls._of(fields, "octahedron", _check.number("size", size))

    @classmethod
    def dodecahedron(cls, size: float, **fields: Unpack[BodyFields]) -> Body:
        """A regular dodecahedron with that edge [m].

        >>> round(Body.dodecahedron(1).volume, 6)
        7.663119
        """
        return cls._of(fields, "dodecahedron", _check.number("size", size))

    @classmethod
    def icosahedron(cls, size: float, **fields: Unpack[BodyFields]) -> Body:
        """A regular icosahedron with that edge [m].

        >>> round(Body.icosahedron(1).volume, 6)
        2.181695
        """
        return cls._of(fields, "icosahedron", _check.number("size", size))

    @classmethod
    def convex(cls, points: ArrayLike, **fields: Unpack[BodyFields]) -> Body:
        """The convex hull of points [m], moved so that its centre of mass is the origin.

        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> Body.convex(corners).center.tolist()
        [0.25, 0.25, 0.25]
        """
        return cls._of(fields, "convex", _check.points("points", points))

    @classmethod
    def mesh(
        cls,
        vertices: ArrayLike | str | os.PathLike[str],
        triangles: ArrayLike | None = None,
        scale: float = 1.0,
        decompose: bool = False,
        **fields: Unpack[BodyFields],
    ) -> Body:
        """A mesh from vertices [m] and triangles, or from a file (.obj, .stl, .ply, .off, .dae, .glb, ...).

        A closed convex mesh is one solid; another closed one is cut into convex parts that fill it
        exactly, or stays a surface if the body is static or kinematic. ``decompose`` cuts static
        ones too, and approximately where exact parts are too many.

        >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        >>> faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        >>> round(Body.mesh(corners, faces, scale=2).volume, 6)
        1.333333
        """
        if triangles is None:
            if not isinstance(vertices, (str, os.PathLike)):
                raise ModelError("a mesh needs triangles beside its vertices")
            corners, indices = Solid.read_mesh(os.fspath(vertices))
            faces = np.asarray(indices, dtype=np.int64)
        else:
            corners = _check.array("vertices", vertices)
            faces = np.asarray(triangles, dtype=np.int64)
        moves = not (fields.get("static") or fields.get("kinematic"))
        how = "decompose" if decompose else ("convex" if moves else "surface")
        rows = _check.points("vertices", corners * _check.number("scale", scale))
        if faces.ndim != 2 or faces.shape[1] != 3 or (faces.size and faces.min() < 0):
            raise ModelError("triangles: rows of 3 indices, 0 or more, are needed")
        return cls._of(fields, "mesh", rows, [tuple(t) for t in faces.tolist()], how)

    @classmethod
    def heightfield(
        cls, heights: ArrayLike, size: tuple[float, float], **fields: Unpack[BodyFields]
    ) -> Body:
        """Heights [m] on a grid (rows along y, columns along x) over a rectangle; static.

        >>> Body.heightfield([[0, 0], [1, 1]], size=(4, 4)).static
        True
        """
        grid = _check.array("heights", heights)
        if grid.ndim != 2:
            raise ModelError(f"heights: rows and columns are needed, not {grid.shape}")
        x, y, _ = _check.vector("size", size)
        return cls._of(fields, "heightfield", grid.ravel().tolist(), grid.shape[1], (x, y))

    @classmethod
    def compound(cls, parts: Iterable[Body], **fields: Unpack[BodyFields]) -> Body:
        """Several bodies made into one; each part sits at its own position and orientation.

        The centre of mass of the whole becomes the origin of the body.

        >>> parts = [Body.box(1, 1, 1), Body.box(1, 1, 1, position=(2, 0, 0))]
        >>> Body.compound(parts).volume
        2.0
        """
        parts = list(parts)
        if len({part.shape.dimension for part in parts}) > 1:
            raise ModelError("a compound has parts of 2D or of 3D, not of both")
        placed = tuple(
            (part.fields.get("position", (0.0, 0.0, 0.0)), part.fields["orientation"], part.shape)
            for part in parts
        )
        return cls._of(fields, "compound", *placed)

    @classmethod
    def polygon(cls, points: ArrayLike, **fields: Unpack[BodyFields]) -> Body:
        """A simple polygon (2D) from its corners [m]; it need not be convex.

        >>> Body.polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]).volume
        3.0
        """
        return cls._of(fields, "polygon", _check.points("points", points))

    @classmethod
    def rectangle(cls, x: float, y: float, **fields: Unpack[BodyFields]) -> Body:
        """A rectangle (2D) with these edges [m].

        >>> Body.rectangle(2, 3).volume
        6.0
        """
        size = (_check.number("size", x), _check.number("size", y))
        return cls._of(fields, "rectangle", size)

    @classmethod
    def regular(cls, sides: int, radius: float, **fields: Unpack[BodyFields]) -> Body:
        """A regular polygon (2D) with its corners on a circle.

        >>> round(Body.regular(6, 1).volume, 6)
        2.598076
        """
        n, r = _check.count("sides", sides), _check.number("radius", radius)
        return cls._of(fields, "regular", n, r)

    @classmethod
    def disc(cls, radius: float, **fields: Unpack[BodyFields]) -> Body:
        """A disc (2D).

        >>> round(Body.disc(1).volume, 6)
        3.141593
        """
        return cls._of(fields, "disc", _check.number("radius", radius))

    @classmethod
    def half_plane(cls, normal: ArrayLike = (0, 1), **fields: Unpack[BodyFields]) -> Body:
        """The half-plane behind a line (2D); static.

        >>> Body.half_plane().static
        True
        """
        return cls._of(fields, "half_plane", _check.vector("normal", normal))

    def scaled(self, factor: float) -> Body:
        """The same body with every length of its shape multiplied; its position stays.

        A given mass stays, a given inertia scales by the square, a density makes the mass follow.

        >>> Body.box(1, 1, 1, mass=3).scaled(2).mass
        3.0
        >>> Body.box(1, 1, 1, density=3).scaled(2).mass
        24.0
        """
        fields = dict(self.fields)
        if "inertia" in fields:
            rows = factor**2 * np.asarray(fields["inertia"])
            fields["inertia"] = _check.inertia(rows)
        return Body(self.shape.scaled(factor), fields)

    def with_(self, **fields: Unpack[BodyFields]) -> Body:
        """The same body with other keywords.

        >>> Body.sphere(1, friction=0.1).with_(name="ball").name
        'ball'
        """
        new = checked(fields)
        if "orientation" not in fields:
            del new["orientation"], new["angle"]
        dropped = {"mass": "density", "density": "mass"}
        gone = {dropped[key] for key in new if key in dropped}
        old = {key: value for key, value in self.fields.items() if key not in gone}
        return replace(self, fields={**old, **new})

    @property
    def name(self) -> str:
        """Its name; empty: it gets one when it is added."""
        return str(self.fields.get("name", ""))

    @property
    def volume(self) -> float:
        """Volume [m3], in 2D area [m2]; infinite for planes."""
        return self.shape.solid.volume

    @property
    def center(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Where the centre of mass lies in the frame the points were given in [m]."""
        return self.shape.solid.center

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        if "density" in self.fields:
            return float(self.fields["density"]) * self.volume
        return float(self.fields.get("mass", 1.0))

    @property
    def static(self) -> bool:
        """Whether nothing moves it."""
        motion = self.fields.get("motion")
        return motion == "static" or (motion is None and not self.shape.solid.movable)
