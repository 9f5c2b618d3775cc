"""Values from the user, checked: every error names the keyword and what would be right."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ModelError

Triple: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
Orientation: TypeAlias = float | ArrayLike | Mapping[str, Any]

IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)


def number(key: str, value: Any) -> float:
    """A real number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{key} = {value!r}, but it must be a number") from None


def count(key: str, value: Any, least: int = 0) -> int:
    """A whole number."""
    try:
        n = operator.index(value)
    except TypeError:
        n = least - 1
    if n < least:
        raise ModelError(f"{key} = {value!r}, but it must be a whole number, {least} or more")
    return n


def array(key: str, value: Any) -> NDArray[np.float64]:
    """Numbers in any number of dimensions."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{key} = {value!r}, but it must be numbers") from None


def vector(key: str, value: Any) -> Triple:
    """Two or three numbers; a missing third one is zero."""
    numbers = array(key, value)
    if numbers.shape not in ((2,), (3,)):
        raise ModelError(f"{key} = {value!r}, but it must be 3 numbers (2 in 2D)")
    x, y, z = (*numbers.tolist(), 0.0)[:3]
    return (x, y, z)


def spin(key: str, value: Any) -> Triple:
    """An angular velocity or a torque: three numbers, or one about z."""
    numbers = array(key, value)
    if numbers.shape == ():
        return (0.0, 0.0, float(numbers))
    return vector(key, value)


def points(key: str, value: Any) -> list[Triple]:
    """Rows of two or three numbers."""
    numbers = array(key, value)
    if numbers.ndim != 2 or numbers.shape[1] not in (2, 3):
        raise ModelError(f"{key}: rows of 3 numbers (2 in 2D) are needed, not {numbers.shape}")
    return [vector(key, row) for row in numbers]


def quaternion(value: Orientation) -> Quaternion:
    """Turns what describes an orientation in space into (w, x, y, z).

    >>> quaternion({"axis": (0, 0, 1), "angle": 0.0})
    (1.0, 0.0, 0.0, 0.0)
    """
    if isinstance(value, Mapping):
        return _from_mapping(value)
    numbers = array("orientation", value)
    if numbers.shape == (4,):
        w, x, y, z = numbers.tolist()
        return (w, x, y, z)
    if numbers.shape == (3, 3):
        return _from_matrix(numbers)
    raise ModelError(
        f"orientation = {value!r}, but it must be a quaternion (w, x, y, z), a 3x3 rotation "
        "matrix, {'axis', 'angle'}, {'quaternion'} or {'euler'}; in 2D an angle"
    )


def turn(value: Orientation | None) -> tuple[Quaternion, float]:
    """Quaternion and, for the plane, angle."""
    if value is None:
        return IDENTITY, 0.0
    if not isinstance(value, Mapping) and np.ndim(value) == 0:
        angle = number("orientation", value)
        return about((0.0, 0.0, 1.0), angle), angle
    w, x, y, z = q = quaternion(value)
    return q, 2.0 * math.atan2(z, w)


def about(axis: Triple, angle: float) -> Quaternion:
    """The quaternion of a rotation."""
    length = math.sqrt(sum(x * x for x in axis))
    if not length > 0.0:
        raise ModelError(f"axis = {axis!r}, but it must not be zero")
    s = math.sin(0.5 * angle) / length
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """The rotation ``q``, then ``p``."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def _from_mapping(value: Mapping[str, Any]) -> Quaternion:
    if set(value) == {"axis", "angle"}:
        return about(vector("axis", value["axis"]), number("angle", value["angle"]))
    if set(value) == {"quaternion"}:
        return quaternion(value["quaternion"])
    if set(value) == {"euler"}:
        roll, pitch, yaw = vector("euler", value["euler"])
        x, y, z = (about(a, t) for a, t in zip(_AXES, (roll, pitch, yaw)))
        return product(z, product(y, x))
    raise ModelError(
        f"orientation has the keys {sorted(value)}, but it must be {{'axis', 'angle'}}, "
        "{'quaternion'} or {'euler'}"
    )


_AXES: tuple[Triple, Triple, Triple] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _from_matrix(r: NDArray[np.float64]) -> Quaternion:
    if not np.allclose(r @ r.T, np.eye(3), atol=1e-9) or np.linalg.det(r) < 0.0:
        raise ModelError("orientation: the matrix is not a rotation")
    # The largest of the four squares is taken first, so that nothing is divided by zero.
    squares = [
        1 + r[0, 0] + r[1, 1] + r[2, 2],
        1 + r[0, 0] - r[1, 1] - r[2, 2],
        1 - r[0, 0] + r[1, 1] - r[2, 2],
        1 - r[0, 0] - r[1, 1] + r[2, 2],
    ]
    k = int(np.argmax(squares))
    s = 0.5 / math.sqrt(squares[k])
    table = [
        (squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]),
        (r[2, 1] - r[1, 2], squares[1], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]),
        (r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], squares[2], r[1, 2] + r[2, 1]),
        (r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[3]),
    ]
    w, x, y, z = (float(s * v) for v in table[k])
    return (w, x, y, z)


def inertia(value: Any) -> tuple[Triple, Triple, Triple]:
    """A 3x3 matrix from itself, its diagonal, or (2D) its entry about z."""
    numbers = array("inertia", value)
    if numbers.shape == ():
        numbers = np.full(3, float(numbers))
    if numbers.shape == (3,):
        numbers = np.diag(numbers)
    if numbers.shape != (3, 3):
        raise ModelError(f"inertia = {value!r}, but it must be 3 numbers or a 3x3 matrix")
    a, b, c = (vector("inertia", row) for row in numbers)
    return (a, b, c)


def color(value: str | Sequence[float]) -> Triple:
    """Red, green, blue in 0 to 1 from ``"#rrggbb"`` or three numbers."""
    if isinstance(value, str):
        digits = value.removeprefix("#")
        try:
            if len(digits) != 6 or not value.startswith("#"):
                raise ValueError
            r, g, b = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
        except ValueError:
            raise ModelError(f'color = {value!r}, but it must be like "#4477aa"') from None
        return (r, g, b)
    return vector("color", value)
