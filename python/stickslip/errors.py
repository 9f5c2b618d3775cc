"""The exceptions, one family: ``except stickslip.StickslipError`` catches them all.

The texts are those of the command line.
"""

from __future__ import annotations


class StickslipError(Exception):
    """Anything that Stickslip itself complains about."""


class SettingsError(StickslipError, ValueError):
    """A setting, or the name of a stage, that does not exist or is out of its range."""


class ModelError(StickslipError, ValueError):
    """A body or a scene that cannot be simulated."""


class UnknownBodyError(ModelError, KeyError):
    """No body of that name, or a handle of another simulator."""

    def __str__(self) -> str:
        # KeyError would show the text in quotes.
        return Exception.__str__(self)


class SceneError(StickslipError, ValueError):
    """A scene file with mistakes: each with line, key and what would be right."""


class GeometryError(ModelError):
    """A shape that cannot be built."""


class ProblemError(StickslipError, ValueError):
    """A complementarity problem that makes no sense: sizes, NaN, bounds."""


class SolveError(StickslipError, ValueError):
    """A problem that cannot be handed to a solver, or a solver's answer that is none."""


class DetectError(StickslipError, RuntimeError):
    """Contact detection failed."""


class FormulateError(StickslipError, RuntimeError):
    """The problem of a step could not be written."""


class FileError(StickslipError, OSError):
    """A file that cannot be read or written."""


class BusyError(StickslipError, RuntimeError):
    """The simulator is in the middle of a step, in another thread or in a stage of its own."""


class StepError(StickslipError, RuntimeError):
    """A step that could not be done.

    ``step`` is its number, from 1; ``stage`` names the stage that failed.
    """

    def __init__(self, text: str, step: int = 0, stage: str = "") -> None:
        super().__init__(text, step, stage)
        self.step = step
        self.stage = stage

    def __str__(self) -> str:
        return str(self.args[0])
