"""The runs that the first page shows: as pages to play and turn, and as films; and pictures of others.

`python scripts/book/views.py` makes the films and pictures in docs/images anew, with `stickslip render`.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from pages import ROOT

#: Scene and options of its film.
RUNS = {
    "peg-in-hole": "--speed 0.25 --camera 5.5,-9,4.5:0,0,-0.3:28",
    "arm": "--speed 1.75 --camera 1.5,-1.9,1.15:0.14,-0.05,0.34:30",
    "arch-falls": "--speed 0.5",
    "ragdolls": "--speed 0.75",
    "cascading-polyhedra": "--speed 1 --camera 12,-9.5,3.5:3.9,-0.2,-1.5:38",
    "seams": "--speed 1.25",
}
FILM = ["--size", "560x350", "--fps", "24"]

#: The films of the gallery: scene and options, as docs/gallery.md prints them.
GALLERY = {
    "arch": "--set simulation.gravity=[4.5,0,-9.81] --duration 0.5 --speed 0.2 --camera 1.2,-4.2,2:0.1,0,0.35:30",
    "wall": "--set body.brick-3-3.velocity=[0,6,0] --duration 0.5 --speed 0.2",
    "nut-and-bolt": "--speed 1",
    "gears": "--duration 1 --speed 0.3",
    "gear-on-shaft": "--duration 0.12 --speed 0.05",
    "round-peg": "--duration 0.25 --speed 0.08",
    "connector": "--duration 0.12 --speed 0.04",
    "lock": "--speed 0.3",
    "snap-fit": "--set simulation.step=0.0002 --duration 0.04 --speed 0.012",
    "jigsaw-2d": "--duration 0.25 --speed 0.08",
}
SMALL = ["--size", "480x300", "--fps", "24"]

#: Pictures and how they are drawn.
PICTURES = {
    "peg-in-hole": "peg-in-hole --at 0.45 --size 640x360 --camera 4.5,-7,4:0,0,0.25:28",
    "arm": "arm --at 3.2 --size 560x315 --camera 1.5,-1.9,1.15:0.14,-0.05,0.34:25",
    "box-stack": "box-stack --forces --size 360x450",
    "render-arm": "arm --at 3.2 --forces --joints --camera 1.2,-1.4,0.9:0.12,-0.1,0.36:38 --size 480x270",
    "render-arch": "arch --set simulation.gravity=[3.5,0,-9.81] --duration 0.5 --at 0.42"
    " --camera 1.2,-4.2,2:0.1,0,0.35:30 --size 560x315",
}

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


def draw(stickslip: Path) -> None:
    """The films and pictures."""
    images = ROOT / "docs/images"
    (images / "films").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [(_scene(n, Path(folder)), [*FILM, *v.split()], images / f"films/{n}.mp4") for n, v in RUNS.items()]
        jobs += [(n, [*SMALL, *v.split()], images / f"films/{n}.mp4") for n, v in GALLERY.items()]
        for name, text in PICTURES.items():
            scene, *options = text.split()
            jobs.append((scene, options, images / f"{name}.png"))
        peg = ["--speed", "0.5", "--fps", "12", "--size", "320x240"]
        jobs.append(("peg-in-hole", peg, images / "render-peg.gif"))
        for scene, options, path in jobs:
            subprocess.run([stickslip, "render", scene, "-q", *options, "-o", path], check=True)
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    draw(ROOT / "target/debug/stickslip")
