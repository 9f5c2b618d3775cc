"""Pictures and films: what is in them, and that they can be read."""

from __future__ import annotations

import math
import pickle
import struct

import numpy as np
import pytest

import stickslip as ss

SIDE = {"position": (10, 0, 0), "target": (0, 0, 0), "fov": 20}


def red_ball(**fields) -> tuple[ss.Simulator, ss.BodyHandle]:
    sim = ss.Simulator(gravity=(0, 0, 0))
    return sim, sim.add(ss.Body.sphere(1, name="ball", color=(1, 0, 0), **fields))


def red(picture: np.ndarray) -> np.ndarray:
    r, g, b = (picture[..., k].astype(int) for k in range(3))
    return (r > 1.5 * g) & (r > 1.5 * b)


def test_a_ball_is_a_disc_of_the_right_radius() -> None:
    sim, _ = red_ball()
    seen = red(sim.render(300, 200, camera=SIDE))
    # The silhouette of a ball of radius 1 at 10 m: the tangent cone, tan = 1 / sqrt(99).
    f = 100 / math.tan(math.radians(10))
    area = math.pi * (f / math.sqrt(99)) ** 2
    assert abs(seen.sum() / area - 1) < 0.02
    rows, columns = np.nonzero(seen)
    assert abs(rows.mean() - 99.5) < 0.5 and abs(columns.mean() - 149.5) < 0.5


def test_the_picture_follows_the_state() -> None:
    sim, _ = red_ball(velocity=(0, 1, 0))
    before = np.nonzero(red(sim.render(300, 200, camera=SIDE)))[1].mean()
    sim.run(1.0)
    after = np.nonzero(red(sim.render(300, 200, camera=SIDE)))[1].mean()
    # From +x, with z up, +y is to the right.
    f = 100 / math.tan(math.radians(10))
    assert after - before == pytest.approx(f / 10, rel=0.02)


def test_a_camera_that_follows_keeps_the_body_in_place() -> None:
    sim, ball = red_ball(velocity=(0, 3, 0))
    sim.add(ss.Body.box(1, 1, 1, position=(0, 40, 0), static=True, color=(0, 0, 1)))
    first = red(sim.render(160, 120, camera=ball))
    sim.run(1.0)
    assert (first == red(sim.render(160, 120, camera=ball))).mean() > 0.99


def test_films_have_as_many_frames_as_the_run_asks_for(tmp_path) -> None:
    sim, _ = red_ball(velocity=(1, 0, 0))
    log = sim.run(0.5)
    log.video(tmp_path / "ball.mp4", fps=20, width=64, height=48)
    data = (tmp_path / "ball.mp4").read_bytes()
    assert data[4:8] == b"ftyp"
    at = data.index(b"stsz")
    assert struct.unpack(">I", data[at + 12 : at + 16]) == (11,)
    log.video(tmp_path / "slow.mp4", fps=20, speed=0.5, width=64, height=48)
    data = (tmp_path / "slow.mp4").read_bytes()
    at = data.index(b"stsz")
    assert struct.unpack(">I", data[at + 12 : at + 16]) == (21,)


def test_a_recording_shows_forces(tmp_path) -> None:
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor"))
    sim.add(ss.Body.box(1, 1, 1, name="box", position=(0, 0, 0.5), color=(0.5, 0.5, 0.5)))
    path = tmp_path / "run.h5"
    log = sim.run(0.2, record=path)
    for forces in (False, True):
        ss.load(path).video(tmp_path / f"{forces}.png", width=160, height=120, forces=forces)
    plain, with_forces = ((tmp_path / f"{f}.png").read_bytes() for f in (False, True))
    assert plain[:8] == with_forces[:8] == b"\x89PNG\r\n\x1a\n" and plain != with_forces
    green = sim.render(160, 120, forces=True).astype(int)
    assert ((green[..., 1] > 1.5 * green[..., 0]).sum()) > 20
    with pytest.raises(ss.ModelError, match="record"):
        log.video(tmp_path / "x.gif", forces=True)


def test_what_cannot_be_drawn_is_said(tmp_path) -> None:
    sim, _ = red_ball()
    log = sim.run(0.1)
    with pytest.raises(ss.SettingsError, match="between 16 and"):
        sim.render(3, 10)
    with pytest.raises(ss.ModelError, match="a camera has no 'place'; it has: position"):
        sim.render(camera={"place": 1})
    with pytest.raises(ss.UnknownBodyError, match="ball"):
        sim.render(camera="cube")
    with pytest.raises(ss.FileError, match=r"\.png, \.gif or \.mp4"):
        log.video(tmp_path / "film.avi")
    with pytest.raises(ss.FileError):
        log.video(tmp_path / "nowhere" / "film.gif")
    with pytest.raises(ss.SettingsError, match="frames per second"):
        log.video(tmp_path / "film.gif", fps=0)
    with pytest.raises(ss.ModelError, match="record"):
        pickle.loads(pickle.dumps(log)).video(tmp_path / "film.gif")
