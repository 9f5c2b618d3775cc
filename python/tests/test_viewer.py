"""A page that follows a loop, spoken to as a browser does."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import threading
import time
from urllib.parse import urlparse

import pytest

import stickslip as ss


class Page:
    """The page's side of the socket: takes status messages, sends commands (RFC 6455)."""

    def __init__(self, url: str) -> None:
        parts = urlparse(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        request = (
            f"GET /ws?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self.socket.sendall(request.encode())
        self.file = self.socket.makefile("rb")
        assert b"101" in self.file.readline()
        while self.file.readline() not in (b"\r\n", b""):
            pass

    def send(self, **command) -> None:
        data = json.dumps(command).encode()
        head = struct.pack(">BBH", 0x81, 0x80 | 126, len(data))
        self.socket.sendall(head + bytes(4) + data)

    def read(self) -> dict | bytes:
        first, length = self.file.read(2)
        if length == 126:
            (length,) = struct.unpack(">H", self.file.read(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.file.read(8))
        data = self.file.read(length)
        return json.loads(data) if first & 15 == 1 else data

    def status(self, wanted) -> dict:
        """The next status that is as wanted."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            message = self.read()
            if isinstance(message, dict) and wanted(message):
                return message
        raise AssertionError("no such status")

    def close(self) -> None:
        self.file.close()
        self.socket.close()


@pytest.fixture
def loop():
    """A loop of one's own in a thread, and its page."""
    sim = ss.Simulator(gravity=(0, 0, 0))
    ball = sim.add(ss.Body.sphere(1, name="ball"))
    view = ss.viewer(sim, open=False, speed=None)
    page = Page(view.url)
    ended = threading.Event()

    def run() -> None:
        while view.is_running() and not ended.is_set():
            sim.step()
            view.sync()
            time.sleep(0.001)

    thread = threading.Thread(target=run)
    thread.start()
    yield sim, ball, view, page, thread
    ended.set()
    try:
        page.send(command="play")
    except OSError:
        pass
    view.close()
    thread.join(timeout=20)
    assert not thread.is_alive()


def test_pause_and_single_steps_hold_the_loop(loop) -> None:
    sim, _, _, page, _ = loop
    page.status(lambda s: s["running"] and s["step"] > 3)
    page.send(command="pause")
    page.status(lambda s: not s["running"])
    time.sleep(0.1)
    held = sim.steps
    time.sleep(0.2)
    assert sim.steps == held
    page.send(command="step")
    page.status(lambda s: s["step"] == held + 1)
    time.sleep(0.1)
    assert sim.steps == held + 1
    page.send(command="play")
    page.status(lambda s: s["step"] > held + 5)


def test_the_mouse_pulls(loop) -> None:
    _, ball, _, page, _ = loop

    def place() -> float:
        """Where the ball is between two steps of the other thread."""
        while True:
            try:
                return float(ball.position[0])
            except ss.BusyError:
                time.sleep(0.001)

    page.send(command="drag", body=0, point=[0, 0, 0], target=[0.5, 0, 0])
    end = time.monotonic() + 20
    while abs(place() - 0.5) > 0.05 and time.monotonic() < end:
        time.sleep(0.02)
    assert place() == pytest.approx(0.5, abs=0.05)


def test_settings_are_the_programs(loop) -> None:
    _, _, _, page, _ = loop
    page.send(command="settings", step=0.5)
    assert "decides" in page.status(lambda s: s["error"])["error"]


def test_closing_the_page_ends_the_loop(loop) -> None:
    _, _, view, page, thread = loop
    page.status(lambda s: s["running"])
    page.close()
    thread.join(timeout=20)
    assert not thread.is_alive() and not view.is_running()


def test_going_back_and_more_bodies_start_the_page_over() -> None:
    sim = ss.Simulator(step=0.01)
    sim.add(ss.Body.sphere(1, name="ball"))
    start = sim.save()
    with ss.viewer(sim, open=False, speed=None) as view:
        page = Page(view.url)

        def scenes_until(step: int) -> int:
            """How often the page was given the scene until it shows that step."""
            count = 0
            while True:
                message = page.read()
                if isinstance(message, dict):
                    if message["step"] == step:
                        return count
                elif b'"message":"scene"' in message[:4000]:
                    count += 1

        sim.step(5)
        view.sync()
        assert scenes_until(5) == 1
        sim.restore(start)
        view.sync()
        assert scenes_until(0) == 1
        sim.add(ss.Body.sphere(1, name="more", position=(5, 0, 0)))
        sim.step(3)
        view.sync()
        assert scenes_until(3) == 1
        sim.step(3)
        view.sync()
        assert scenes_until(6) == 0
        page.close()


def test_pace_is_that_of_the_clock() -> None:
    sim = ss.Simulator(step=0.01)
    with ss.viewer(sim, open=False, speed=2.0) as view:
        begin = time.monotonic()
        for _ in range(40):
            sim.step()
            view.sync()
        # 0.4 s at twice the pace; never faster.
        assert time.monotonic() - begin > 0.19
    with pytest.raises(ss.SettingsError, match="speed"):
        ss.viewer(sim, open=False, speed=0)
