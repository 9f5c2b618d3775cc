"""Pictures and films without a browser."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _check, _core
from .errors import ModelError

if TYPE_CHECKING:
    from .handle import BodyHandle

Floats: TypeAlias = NDArray[np.float64]
#: A camera: what it says, or a body that it follows.
Camera: TypeAlias = "Mapping[str, Any] | BodyHandle | str | None"

_CAMERA = ("position", "target", "fov", "height", "follow")


def _camera(camera: Camera) -> _core._Camera:
    if camera is None:
        return (None, None, None, None, None)
    if not isinstance(camera, Mapping):
        camera = {"follow": camera}
    for key in camera:
        if key not in _CAMERA:
            raise ModelError(f"a camera has no {key!r}; it has: {', '.join(_CAMERA)}")
    points = [_check.vector(k, camera[k]) if k in camera else None for k in ("position", "target")]
    sizes = [_check.number(k, camera[k]) if k in camera else None for k in ("fov", "height")]
    follow = camera.get("follow")
    name = None if follow is None else str(getattr(follow, "name", follow))
    return (points[0], points[1], sizes[0], sizes[1], name)


def look(
    size: tuple[int, int], camera: Camera, marks: tuple[bool, bool, bool, bool], pace: tuple[int, float, float]
) -> _core._Look:
    """How pictures are made, as the extension takes it."""
    width, height = (_check.count(key, value, 1) for key, value in zip(("width", "height"), size))
    return (width, height), _camera(camera), marks, pace


class Pictured:
    """What can be drawn at its present state."""

    _engine: _core.Engine

    def render(
        self,
        width: int = 640,
        height: int = 480,
        *,
        camera: Camera = None,
        forces: bool = False,
        joints: bool = False,
        shadows: bool = True,
        dark: bool = False,
        samples: int = 4,
    ) -> NDArray[np.uint8]:
        """A picture of the present state: an array of ``height`` rows, ``width`` columns and red,
        green, blue. No browser and no graphics card are needed.

        ``camera`` says any of ``position`` [m], ``target`` [m], ``fov`` [degrees], ``height`` [m]
        (2D) and ``follow`` (a body); a body alone is followed. What is left open shows all bodies,
        and changes with them: give ``position`` and ``target`` for pictures in a row. ``forces``
        and ``joints`` draw those of the last step; ``samples`` is 4, or 16 for smoother edges.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(1, color=(1, 0, 0)))
        >>> picture = sim.render(64, 48, camera={"position": (5, 0, 0), "target": (0, 0, 0)})
        >>> picture.shape, picture.dtype.name
        ((48, 64, 3), 'uint8')
        >>> red, green, blue = picture[24, 32].tolist()
        >>> red > 100 and green < 50 and blue < 50
        True
        """
        marks = (bool(forces), bool(joints), bool(shadows), bool(dark))
        return self._engine.render(look((width, height), camera, marks, (int(samples), 30.0, 1.0)))


class Filmed:
    """What can be drawn as a film."""

    #: The scene when the run began; none for a log that was pickled.
    _scenery: _core.Scenery | None = None

    def _samples(self) -> tuple[Floats, list[Floats]]:
        raise NotImplementedError

    def _film(self, path: str, how: _core._Look) -> None:
        if self._scenery is None:
            text = "this log does not know its scene any more; record the run and film `ss.load(file)`"
            raise ModelError(text)
        if how[2][0]:
            text = "contact forces are not in a log; use run(..., record=file) and film `ss.load(file)`"
            raise ModelError(text)
        self._scenery.film(self._samples(), path, how)

    def video(
        self,
        path: str | os.PathLike[str],
        *,
        fps: float = 30.0,
        speed: float = 1.0,
        width: int = 1280,
        height: int = 720,
        camera: Camera = None,
        forces: bool = False,
        joints: bool = False,
        shadows: bool = True,
        dark: bool = False,
    ) -> None:
        """Writes the run as a film (``.mp4``, ``.gif``) or its end as a picture (``.png``).

        ``fps`` are frames per second of the film, ``speed`` seconds of the run in one of them. The
        camera is as in `Simulator.render`; what is left open shows the whole motion. ``forces``
        needs a recording.

        >>> import stickslip as ss, tempfile, os
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(1, velocity=(1, 0, 0)))
        >>> path = os.path.join(tempfile.mkdtemp(), "ball.gif")
        >>> sim.run(0.5).video(path, fps=10, width=64, height=48)
        >>> open(path, "rb").read(6)
        b'GIF89a'
        """
        marks = (bool(forces), bool(joints), bool(shadows), bool(dark))
        pace = (4, _check.number("fps", fps), _check.number("speed", speed))
        self._film(os.fspath(path), look((width, height), camera, marks, pace))
