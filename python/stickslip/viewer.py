"""A page in the browser that follows a loop of one's own."""

from __future__ import annotations

import time
import webbrowser
from types import TracebackType
from typing import TYPE_CHECKING

from . import _check, _core

if TYPE_CHECKING:
    from .simulator import Simulator

#: Seconds between two checks of what the user of the page asked for.
_NAP = 0.005


class Viewer:
    """The page of `viewer`.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(1))
    >>> with ss.viewer(sim, open=False, speed=None) as view:
    ...     for _ in range(3):
    ...         report = sim.step()
    ...         view.sync()
    >>> view.is_running()
    False
    """

    def __init__(self, sim: Simulator, port: int, speed: float | None, open: bool) -> None:
        if speed is not None and not _check.number("speed", speed) > 0.0:
            from .errors import SettingsError

            raise SettingsError(f"speed = {speed}, but it must be more than 0, or None")
        self._sim, self._speed = sim, speed
        self._paced: float | None = speed
        self._inner = _core.Viewer(sim._engine, sim.name, _check.count("port", port))
        self._clock = (time.monotonic(), sim.time)
        if open:
            webbrowser.open(self.url)

    @property
    def url(self) -> str:
        """Where the page is: on this machine only, with the word that opens it."""
        return self._inner.url or ""

    def is_running(self) -> bool:
        """Whether the page can still be seen; false once it was closed.

        >>> import stickslip as ss
        >>> with ss.viewer(ss.Simulator(), open=False) as view:
        ...     view.is_running()
        True
        """
        return self._inner.is_open()

    def sync(self) -> None:
        """Shows the present state; then waits while the page is paused, until the clock has come
        as far as the simulation, and adds the pull of the mouse to the forces of the next step.

        Call it after every step: pause, single step and pull act there.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> with ss.viewer(sim, open=False, speed=None) as view:
        ...     report = sim.step()
        ...     view.sync()
        """
        if self._inner.url is None:
            return
        self._inner.show(self._sim._engine)
        leave = self._inner.poll()
        paused = leave is False
        while leave is False:
            time.sleep(_NAP)
            leave = self._inner.poll()
        if paused:
            self._clock = (time.monotonic(), self._sim.time)
        self._keep_pace()
        self._inner.pull(self._sim._engine)

    def _keep_pace(self) -> None:
        # Who looks may have chosen another pace.
        speed = self._inner.speed() or self._speed
        if speed is None:
            return
        if speed != self._paced:
            self._paced, self._clock = speed, (time.monotonic(), self._sim.time)
        begin, start = self._clock
        ahead = (self._sim.time - start) / speed - (time.monotonic() - begin)
        if not -0.5 < ahead < 60.0:
            # Too slow for the clock, or set back: do not try to catch up.
            self._clock = (time.monotonic(), self._sim.time)
        elif ahead > 0.0:
            time.sleep(ahead)

    def wait(self, timeout: float = 30.0) -> bool:
        """Waits until somebody looks at the page; whether somebody does.

        >>> import stickslip as ss
        >>> with ss.viewer(ss.Simulator(), open=False) as view:
        ...     view.wait(timeout=0.0)
        False
        """
        end = time.monotonic() + timeout
        while not self._inner.watched() and time.monotonic() < end:
            time.sleep(_NAP)
        return self._inner.watched()

    def close(self) -> None:
        """Ends the page.

        >>> import stickslip as ss
        >>> view = ss.viewer(ss.Simulator(), open=False)
        >>> view.close()
        """
        self._inner.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<viewer at {self.url}>" if self.url else "<closed viewer>"


def viewer(
    sim: Simulator, *, speed: float | None = 1.0, port: int = 0, open: bool = True
) -> Viewer:
    """Opens a page in the browser that follows a loop of one's own, which steps as it likes.

    The page can pause the loop, let it do single steps, and pull at bodies with the mouse.
    ``speed`` is how many simulated seconds a second of the clock gets at most, until somebody chooses
    another in the page; with None the loop runs as fast as it can. ``port`` 0 takes a free one; ``open`` opens a browser tab.

    >>> import stickslip as ss
    >>> sim = ss.load_scene("box-stack")
    >>> with ss.viewer(sim, open=False, speed=None) as view:
    ...     while view.is_running() and sim.time < 0.05:
    ...         report = sim.step()
    ...         view.sync()
    """
    return Viewer(sim, port, speed, open)
