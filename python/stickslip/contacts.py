"""Contacts as structured arrays, and one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from .errors import DetectError

if TYPE_CHECKING:
    from .handle import BodyHandle

#: A structured array with one row per contact; see `dtype` for its fields.
Contacts: TypeAlias = NDArray[np.void]

_KINDS = np.array(["vertex", "edge", "face", "smooth"])
_COLUMNS = 24


@dataclass
class Contact:
    """A contact as a detector of one's own returns it.

    ``a`` and ``b`` are bodies by handle or name, ``normal`` points from A to B, and the gap is
    positive apart. Without ``gap`` it is measured between the points along the normal.

    >>> import stickslip as ss
    >>> touch = ss.Contact("floor", "ball", (0, 0, 0), (0, 0, 0.1), normal=(0, 0, 1))
    >>> touch.gap is None  # measured: 0.1 along the normal
    True
    """

    a: BodyHandle | str
    b: BodyHandle | str
    point_a: ArrayLike
    point_b: ArrayLike
    normal: ArrayLike
    gap: float | None = None
    part_a: int = 0
    part_b: int = 0
    feature_a: tuple[str, int] = ("smooth", 0)
    feature_b: tuple[str, int] = ("smooth", 0)
    applicability: float = 1.0
    primary: bool = True


def dtype(dimension: int, name_length: int = 16) -> np.dtype[np.void]:
    """The fields of a row.

    Bodies ``a`` and ``b`` by name; ``point_a`` and ``point_b`` on them [m]; ``normal`` from A to
    B; ``gap`` [m]; the features in contact (``feature_a`` is vertex, edge, face or smooth,
    ``index_a`` its number, ``part_a`` the convex part); ``applicability`` and ``primary``
    (whether a force may arise); ``normal_impulse`` and ``friction_impulse`` on B [N s].

    >>> dtype(3).names[:4]
    ('a', 'b', 'point_a', 'point_b')
    """
    vector = (np.float64, (dimension,))
    word = f"U{max(1, name_length)}"
    fields: list[Any] = [
        ("a", word),
        ("b", word),
        ("point_a", *vector),
        ("point_b", *vector),
        ("normal", *vector),
        ("gap", np.float64),
        ("normal_impulse", np.float64),
        ("friction_impulse", *vector),
        ("feature_a", "U6"),
        ("feature_b", "U6"),
        ("index_a", np.int64),
        ("index_b", np.int64),
        ("part_a", np.int64),
        ("part_b", np.int64),
        ("applicability", np.float64),
        ("primary", np.bool_),
    ]
    return np.dtype(fields)


def from_table(table: NDArray[np.float64], names: Sequence[str], dimension: int) -> Contacts:
    """The engine's table as a structured array."""
    known = np.array(names, dtype=np.str_) if names else np.array([""], dtype=np.str_)
    out = np.zeros(len(table), dtype=dtype(dimension, known.dtype.itemsize // 4))
    d = dimension
    whole = table[:, :8].astype(np.int64)
    out["a"], out["b"] = known[whole[:, 0]], known[whole[:, 1]]
    out["part_a"], out["part_b"] = whole[:, 2], whole[:, 3]
    out["feature_a"], out["feature_b"] = _KINDS[whole[:, 4]], _KINDS[whole[:, 5]]
    out["index_a"], out["index_b"] = whole[:, 6], whole[:, 7]
    out["point_a"], out["point_b"] = table[:, 8 : 8 + d], table[:, 11 : 11 + d]
    out["normal"] = table[:, 14 : 14 + d]
    out["gap"], out["applicability"] = table[:, 17], table[:, 18]
    out["primary"] = table[:, 19] != 0
    out["normal_impulse"] = table[:, 20]
    out["friction_impulse"] = table[:, 21 : 21 + d]
    return out


def to_table(contacts: Any, index: dict[str, int]) -> NDArray[np.float64]:
    """What a detector returned, as the engine's table."""
    if contacts is None:
        contacts = []
    if not isinstance(contacts, np.ndarray):
        contacts = list(contacts)
        if contacts and isinstance(contacts[0], np.void):
            contacts = np.array(contacts, dtype=contacts[0].dtype)
    if isinstance(contacts, np.ndarray):
        return _from_array(contacts, index)
    return _from_list(contacts, index)


def _body(name: object, index: dict[str, int]) -> int:
    key = str(getattr(name, "name", name))
    if key not in index:
        raise DetectError(f"a contact names the body {key!r}, which does not exist")
    return index[key]


def _kind(name: str) -> int:
    found = np.flatnonzero(_KINDS == name)
    if not found.size:
        raise DetectError(f"no feature is named {name!r}; there are: {', '.join(_KINDS)}")
    return int(found[0])


def _from_array(rows: Contacts, index: dict[str, int]) -> NDArray[np.float64]:
    if rows.dtype.names is None or "normal_impulse" not in rows.dtype.names:
        raise DetectError("a detector returns rows of `sim.detect()` or `stickslip.Contact`s")
    out = np.zeros((len(rows), _COLUMNS))
    for k, side in enumerate("ab"):
        out[:, k] = [_body(name, index) for name in rows[side]]
        out[:, 2 + k] = rows[f"part_{side}"]
        out[:, 4 + k] = [_kind(name) for name in rows[f"feature_{side}"]]
        out[:, 6 + k] = rows[f"index_{side}"]
    d = rows["normal"].shape[1]
    out[:, 8 : 8 + d], out[:, 11 : 11 + d] = rows["point_a"], rows["point_b"]
    out[:, 14 : 14 + d] = rows["normal"]
    out[:, 17], out[:, 18], out[:, 19] = rows["gap"], rows["applicability"], rows["primary"]
    return out


def _from_list(rows: Iterable[Any], index: dict[str, int]) -> NDArray[np.float64]:
    rows = list(rows)
    out = np.zeros((len(rows), _COLUMNS))
    for k, c in enumerate(rows):
        if not isinstance(c, Contact):
            raise DetectError(f"a detector returns stickslip.Contact, not {type(c).__name__}")
        a, b = np.array(_check.vector("point_a", c.point_a)), np.array(
            _check.vector("point_b", c.point_b)
        )
        n = np.array(_check.vector("normal", c.normal))
        gap = float((b - a) @ n) if c.gap is None else float(c.gap)
        out[k, :8] = [
            *(_body(c.a, index), _body(c.b, index), c.part_a, c.part_b),
            *(_kind(c.feature_a[0]), _kind(c.feature_b[0]), c.feature_a[1], c.feature_b[1]),
        ]
        out[k, 8:17] = [*a, *b, *n]
        out[k, 17:20] = [gap, c.applicability, c.primary]
    return out
