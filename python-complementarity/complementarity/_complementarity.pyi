from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]
Given: TypeAlias = Floats | tuple[int, int, Floats, Whole, Whole]
Proof: TypeAlias = tuple[Floats | None, tuple[Floats, Floats, float, float] | None]
Parts: TypeAlias = tuple[Given, Floats, tuple[Floats, Floats] | None]

def solver_info() -> list[tuple[str, str, list[str], list[tuple[str, str]]]]: ...
def solve_linear(
    problem_parts: Parts,
    solver: tuple[str, dict[str, object]],
    z0: Floats | None,
    prove: bool,
    callback: Callable[[int, Floats], object] | None,
) -> tuple[Floats, Floats, str, int, str, int, float, Proof]: ...
def residual(problem_parts: Parts, z: Floats, tolerance: float) -> tuple[float, float]: ...
def solve_nonlinear(
    functions: tuple[Callable[[Floats], Floats], Callable[[Floats], Given] | None],
    bounds: tuple[Floats, Floats],
    z0: Floats,
    settings: tuple[float, int, int, int],
    callback: Callable[[int, Floats], object] | None,
) -> tuple[Floats, Floats, str, str, int, int, int, float]: ...
def run_ampl(words: list[str]) -> None: ...
