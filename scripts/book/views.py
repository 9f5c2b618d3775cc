"""The runs that the first page shows: as pages to play and turn, and as films.

`python scripts/book/views.py` makes the films in docs/images/films anew (Node and Chromium needed).
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from pages import ROOT

#: Scene and number of pictures of its film.
RUNS = {
    "peg-in-hole": 36, "arm": 48, "arch-falls": 36, "ragdolls": 40, "cascading-polyhedra": 40, "seams": 36,
}  # fmt: skip
SIZE = (560, 350)
#: Milliseconds of a picture.
PACE = 70

FLOOR = """
[[body]]
name = "floor"
shape = { type = "plane", normal = [0, 0, 1] }
position = [0, 0, -0.12]
friction = 0.7
"""


def _scene(name: str, folder: Path) -> str:
    """The arch that falls has too little friction, and a floor to fall on."""
    if name != "arch-falls":
        return name
    text = (ROOT / "scenes/arch.toml").read_text()
    path = folder / "arch-falls.toml"
    path.write_text(text.replace("friction = 0.7", "friction = 0.25").replace("27 dry stones in a half circle stand", "27 dry stones with too little friction fall") + FLOOR)
    return str(path)


def write(stickslip: Path, out: Path) -> None:
    """A page of each run."""
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in RUNS:
            command = [stickslip, "run", _scene(name, Path(folder)), "-q", "--no-oracle", "--html", out / f"{name}.html"]
            subprocess.run(command, check=True, capture_output=True)


def films(pages: Path) -> None:
    """A film of each page."""
    from PIL import Image

    target = ROOT / "docs/images/films"
    target.mkdir(parents=True, exist_ok=True)
    for name, count in RUNS.items():
        folder = pages / name
        arguments = [pages / f"{name}.html", folder, str(count), str(SIZE[0]), str(SIZE[1])]
        subprocess.run(["node", ROOT / "viewer/test/frames.mjs", *arguments], check=True)
        pictures = [Image.open(path).convert("RGB") for path in sorted(folder.glob("*.png"))]
        pauses = [PACE] * (count - 1) + [12 * PACE]
        path = target / f"{name}.webp"
        pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=pauses, loop=0, quality=55, method=6)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        write(ROOT / "target/debug/stickslip", Path(place))
        films(Path(place))
