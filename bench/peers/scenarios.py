"""The scenarios S1 to S12: what is simulated, and how a trajectory is measured.

A scene is plain data that every engine gets. A measure looks at the trajectory alone (positions
and velocities of the moving bodies after each step), never at what an engine says about itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from geometry import overlap

G = 9.81


@dataclass
class Body:
    """A box (half sizes), a convex hull (points about its centre of mass), or a static mesh."""

    position: np.ndarray
    half: np.ndarray | None = None
    points: np.ndarray | None = None
    triangles: np.ndarray | None = None
    mass: float = 0.0
    inertia: np.ndarray | None = None
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    friction: float = 0.0


@dataclass
class Hinge:
    """A revolute joint; body -1 is the world, bodies count the moving ones."""

    parent: int
    child: int
    anchor: np.ndarray
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)


@dataclass
class Scene:
    """Bodies, joints, step, duration."""

    name: str
    bodies: list[Body]
    step: float
    duration: float
    gravity: tuple[float, float, float] = (0.0, 0.0, -G)
    joints: list[Hinge] = field(default_factory=list)
    #: The run ends once a body is so far from where it was [m].
    until: float | None = None
    #: Other engines take so many steps for each: contacts that push only once they overlap, with a force that grows
    #: with it, need steps in which a body falls by less than that.
    fine: int = 1


@dataclass
class Path:
    """States of the moving bodies after each step: [step, body, x y z, w x y z, v, omega]."""

    scene: Scene
    states: np.ndarray

    @property
    def end(self) -> np.ndarray:
        return self.states[-1]


@dataclass
class Scenario:
    """Scenes, the figure that counts, and what would be right."""

    name: str
    title: str
    right: str
    unit: str
    scenes: list[Scene]
    measure: Callable[[list[Path]], float]
    #: More columns of the table: name and figure.
    more: Callable[[list[Path]], dict[str, float]] | None = None
    #: Whether a run that is stopped for its time is measured as far as it came.
    partial: bool = False


def box(position, size, mass=0.0, **more) -> Body:
    """A box of these edges."""
    a, b, c = size
    inertia = mass / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    more.setdefault("inertia", inertia)
    return Body(np.array(position, float), half=np.array(size, float) / 2, mass=mass, **more)


def hull(points, position, mass=0.0, **more) -> Body:
    """The convex hull of points, recentred; inertia by summing tetrahedra."""
    points = np.array(points, float)
    shape = ConvexHull(points)
    middle = points.mean(axis=0)
    volume, centre, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for corners, plane in zip(shape.simplices, shape.equations):
        a, b, c = points[corners] - middle
        if np.cross(b - a, c - a) @ plane[:3] < 0:
            b, c = c, b
        part = a @ np.cross(b, c) / 6
        volume += part
        centre += part * (a + b + c) / 4
        total = a + b + c
        second += part / 20 * (sum(np.outer(p, p) for p in (a, b, c)) + np.outer(total, total))
    centre /= volume
    second -= volume * np.outer(centre, centre)
    inertia = (np.trace(second) * np.eye(3) - second) * mass / volume
    values, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    x, y, z, w = Rotation.from_matrix(axes).as_quat()
    local = (points[shape.vertices] - middle - centre) @ axes
    more.setdefault("inertia", values)
    at = np.array(position, float) + middle + centre
    return Body(at, points=local, mass=mass, quaternion=(w, x, y, z), **more)


def energy(path: Path, gravity: bool = True) -> np.ndarray:
    """Kinetic and potential energy after each step [J]."""
    bodies = [b for b in path.scene.bodies if b.mass > 0]
    total = np.zeros(len(path.states))
    for k, body in enumerate(bodies):
        state = path.states[:, k]
        turn = Rotation.from_quat(state[:, [4, 5, 6, 3]])
        omega = turn.inv().apply(state[:, 10:13])
        total += 0.5 * body.mass * (state[:, 7:10] ** 2).sum(axis=1)
        total += 0.5 * (body.inertia * omega**2).sum(axis=1)
        if gravity:
            total -= body.mass * state[:, :3] @ np.array(path.scene.gravity)
    return total


def joint_error(path: Path) -> float:
    """Largest distance of the two sides of a joint [m]."""
    moving = [b for b in path.scene.bodies if b.mass > 0]
    worst = 0.0
    for joint in path.scene.joints:
        sides = []
        for index in (joint.parent, joint.child):
            if index < 0:
                sides.append(np.tile(joint.anchor, (len(path.states), 1)))
                continue
            body = moving[index]
            w, x, y, z = body.quaternion
            local = Rotation.from_quat([x, y, z, w]).inv().apply(joint.anchor - body.position)
            state = path.states[:, index]
            turned = Rotation.from_quat(state[:, [4, 5, 6, 3]]).apply(local)
            sides.append(state[:, :3] + turned)
        worst = max(worst, float(np.linalg.norm(sides[0] - sides[1], axis=1).max()))
    return worst


def tilted(angle: float):
    """Quaternion, direction downhill and normal of a slope about y."""
    quaternion = (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)
    along = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    return quaternion, along, normal


def peg() -> Scenario:
    edges = (0.99, 0.99999, 1.00001, 1.01)
    scenes = []
    for edge in edges:
        walls = [box(p, (1, 1, 1)) for p in ((-1, 0, 0), (1, 0, 0), (0, 1, 0), (0, -1, 0))]
        scenes.append(Scene(f"S1-{edge}", [*walls, box((0, 0, 1.5), (edge,) * 3, 1.0)], 0.01, 1.0))

    def wrong(paths: list[Path]) -> float:
        count = 0
        for edge, path in zip(edges, paths):
            z, free = path.end[0, 2], 1.5 - G / 2
            right = abs(z - free) < 0.1 if edge < 1 else abs(z - 0.5 - edge / 2) < 0.01
            count += not right
        return count

    return Scenario("S1", "peg in hole, edges 0.99 to 1.01, h = 0.01 s", "0 of 4 wrong", "wrong of 4", scenes, wrong)


def stack(mu: float) -> Scenario:
    offsets = np.random.default_rng(1).uniform(-0.1, 0.1, (10, 2))
    bodies = [
        box((x, y, 1.25 * i), (1, 1, 1), 0.0 if i == 0 else 1.0, friction=mu)
        for i, (x, y) in enumerate(offsets)
    ]
    rest = np.array([[x, y, 1.0 * i] for i, (x, y) in enumerate(offsets)])[1:]

    def off(paths: list[Path]) -> float:
        return float(np.linalg.norm(paths[0].end[:, :3] - rest, axis=1).max())

    name = "S2" if mu == 0 else "S2b"
    title = f"ten staggered cubes dropped, friction {mu}, 10 s"
    return Scenario(name, title, "stand: 0", "m off", [Scene(name, bodies, 0.005, 10.0)], off)


def seams(mesh: bool = False) -> Scenario:
    def floor() -> list[Body]:
        if not mesh:
            return [box((i + 0.5, 0, -0.1), (1, 2, 0.2)) for i in range(40)]
        points = [(float(i), y, 0.0) for i in range(41) for y in (-1.0, 1.0)]
        triangles = [t for i in range(0, 80, 2) for t in ((i, i + 2, i + 3), (i, i + 3, i + 1))]
        return [Body(np.zeros(3), points=np.array(points), triangles=np.array(triangles))]

    cube = lambda x: box((x, 0, 0.25), (0.5,) * 3, 1.0, velocity=(3, 0, 0))
    name = "S3m" if mesh else "S3"
    scenes = [Scene(f"{name}-{x}", [*floor(), cube(x)], 0.01, 5.0) for x in (1.3, 1.3137)]

    def lost(paths: list[Path]) -> float:
        return max(float(np.linalg.norm(p.end[0, 7:10] - [3, 0, 0])) / 3 for p in paths)

    title = "cube at 3 m/s over a mesh of 80 triangles" if mesh else "cube at 3 m/s over 40 flush boxes"
    return Scenario(name, title, "nothing lost: 0", "share of speed lost", scenes, lost)


def crack() -> Scenario:
    angle = math.radians(20)
    q, along, normal = tilted(angle)
    bodies = [
        box(along * -2.0005 - normal * 0.1, (4, 2, 0.2), quaternion=q),
        box(along * 5.0005 - normal * 0.1, (10, 2, 0.2), quaternion=q),
        box(along * -1.5 + normal * 0.25, (0.5,) * 3, 1.0, quaternion=q),
    ]

    def off(paths: list[Path]) -> float:
        expected = along * (G * math.sin(angle) * 2.0)
        return float(np.linalg.norm(paths[0].end[0, 7:10] - expected)) / (G * math.sin(angle) * 2.0)

    return Scenario("S4", "cube down a ramp with a crack of 1 mm", "0", "share of speed off", [Scene("S4", bodies, 0.01, 2.0)], off)


def pendulum() -> list[Scenario]:
    rod = box((0.5, 0, 0), (1, 0.04, 0.04), 1.0, inertia=np.array([0.001, 1 / 12, 1 / 12]))
    scene = Scene("S5", [rod], 0.01, 60.0, joints=[Hinge(-1, 0, np.zeros(3))])

    def drift(paths: list[Path]) -> float:
        e = energy(paths[0])
        return 100 * float(np.abs(e - e[0]).max()) / (G * 0.5)

    angle = math.radians(60)
    d = np.array([math.sin(angle), 0, math.cos(angle)])
    turn = -math.pi / 2 + angle
    q = (math.cos(turn / 2), 0.0, math.sin(turn / 2), 0.0)
    inertia = np.array([0.001, 1 / 12, 1 / 12])
    x = np.array([1.0, 0, 0])
    bars = [
        box(d / 2, (1, 0.04, 0.04), 1.0, quaternion=q, inertia=inertia),
        box(d + x / 2, (1, 0.04, 0.04), 1.0, inertia=inertia),
        box(x + d / 2, (1, 0.04, 0.04), 1.0, quaternion=q, inertia=inertia),
    ]
    joints = [Hinge(-1, 0, np.zeros(3)), Hinge(0, 1, d), Hinge(1, 2, d + x), Hinge(-1, 2, x)]
    four = Scene("S5b", bars, 0.01, 20.0, joints=joints)

    def loop(paths: list[Path]) -> float:
        return joint_error(paths[0])

    return [
        Scenario("S5", "pendulum, 60 s: largest error of the energy", "0", "% of the swing", [scene], drift),
        Scenario("S5b", "four-bar linkage, 20 s: joint error", "0", "m", [four], loop),
    ]


def slopes() -> list[Scenario]:
    out = []
    for name, degrees, duration in (("S6a", -0.1, 10.0), ("S6b", 0.5, 5.0)):
        angle = math.atan(0.5) + math.radians(degrees)
        q, along, normal = tilted(angle)
        bodies = [
            box(-normal * 0.5, (40, 40, 1), quaternion=q, friction=0.5),
            box(normal * 0.25, (0.5,) * 3, 1.0, quaternion=q, friction=0.5),
        ]
        scene = Scene(name, bodies, 0.01, duration)
        rate = G * (math.sin(angle) - 0.5 * math.cos(angle))

        def stuck(paths, normal=normal):
            return float(np.linalg.norm(paths[0].end[0, :3] - normal * 0.25))

        def slid(paths, along=along, rate=rate):
            return abs(float(paths[0].end[0, 7:10] @ along) / (rate * 5.0) - 1)

        if name == "S6a":
            out.append(Scenario(name, "cube on a slope 0.1° below the cone, 10 s", "0", "m crept", [scene], stuck))
        else:
            out.append(Scenario(name, "cube on a slope 0.5° above the cone, 5 s", "0", "relative error of the speed", [scene], slid))
    for name, degrees in (("S6c", 0.0), ("S6d", 17.0)):
        w = math.radians(degrees)
        way = np.array([math.cos(w), math.sin(w), 0])
        bodies = [
            box((0, 0, -0.5), (40, 40, 1), friction=0.3),
            box((0, 0, 0.25), (0.5,) * 3, 1.0, friction=0.3, velocity=tuple(3 * way)),
        ]
        scene = Scene(name, bodies, 0.01, 2.0)

        def stop(paths, way=way):
            return abs(float(paths[0].end[0, :3] @ way) / (9 / (2 * 0.3 * G)) - 1)

        def aside(paths, way=way):
            x = paths[0].end[0, :3] * [1, 1, 0]
            return float(np.linalg.norm(x - way * (x @ way)))

        if name == "S6c":
            out.append(Scenario(name, "cube at 3 m/s, friction 0.3: stopping distance", "0 (1.529 m)", "relative error", [scene], stop))
        else:
            out.append(Scenario(name, "the same at 17° to the axes", "straight: 0", "m aside", [scene], aside))
    return out


def others() -> list[Scenario]:
    masses = [1.5, 1, 0.25, 0.12, 0.8]
    row = [box((1.5 * i, 0, 0), (1, 1, 1), m, velocity=(2.0 if i == 0 else 0.0, 0, 0)) for i, m in enumerate(masses)]
    common = 3 / sum(masses)
    heavy = [box((0, 0, -0.5), (10, 10, 1), friction=0.5)]
    heavy += [box((0, 0, 0.5 + i), (1, 1, 1), 10.0**i, friction=0.5) for i in range(5)]
    rest = np.array([[0, 0, 0.5 + i] for i in range(5)])
    spun = [box((0, 0, 0), (1, 2, 3), 6.0, spin=(0.01, 5.0, 0.01))]

    def speeds(paths):
        return float(np.abs(paths[0].end[:, 7] - common).max())

    def sunk(paths):
        return float(np.linalg.norm(paths[0].states[:, :, :3] - rest, axis=2).max())

    def gained(paths):
        e = energy(paths[0], gravity=False)
        return 100 * float(np.abs(e / e[0] - 1).max())

    return [
        Scenario("S7", "five inelastic cubes: off the common speed", "0", "m/s", [Scene("S7", row, 0.01, 4.0, gravity=(0, 0, 0))], speeds),
        Scenario("S8", "masses 1 to 10000, heavy on top, 5 s: largest motion", "0", "m", [Scene("S8", heavy, 0.01, 5.0)], sunk),
        Scenario("S9", "free spin about the middle axis, 60 s: energy", "0", "%", [Scene("S9", spun, 0.01, 60.0, gravity=(0, 0, 0))], gained),
    ]


def pile(n: int) -> Scenario:
    random = np.random.default_rng(1)
    slab = lambda position, size: box(position, size, friction=0.5)
    bodies = [slab((0, 0, -0.25), (4, 4, 0.5))]
    bodies += [slab((x, 0, 5), (0.5, 4, 11)) for x in (-1.75, 1.75)]
    bodies += [slab((0, y, 5), (3, 0.5, 11)) for y in (-1.75, 1.75)]
    for k in range(n):
        points = random.uniform(-0.25, 0.25, (10, 3))
        at = (0.55 * (k % 5 - 2), 0.55 * (k // 5 % 5 - 2), 0.35 + 0.55 * (k // 25))
        bodies.append(hull(points, at, 1000 * ConvexHull(points).volume, friction=0.5))

    def depths(paths):
        # A fifth of the steps, fewer of large piles: the check costs more than the steps.
        states = paths[0].states
        chosen = np.unique(np.linspace(1, len(states) - 1, 100 if n <= 100 else 50).astype(int))
        return [overlap(paths[0].scene, states[k])[0] for k in chosen]

    def deepest(paths):
        return max(depths(paths))

    def more(paths):
        x = paths[0].end[:, :3]
        inside = (np.abs(x[:, :2]) < 1.5).all(axis=1) & (x[:, 2] > 0)
        depth, shared = overlap(paths[0].scene, paths[0].end, volumes=True)
        out = {"depth at the end [m]": depth, "overlap at the end [l]": 1e3 * shared}
        return out | {"left the box": float((~inside).sum()), "simulated [s]": 0.01 * (len(paths[0].states) - 1)}

    name = f"S10-{n}"
    title = f"pile of {n} random hulls in a box, 5 s: depth through the run"
    return Scenario(name, title, "0", "deepest [m]", [Scene(name, bodies, 0.01, 5.0)], deepest, more, partial=True)


def triangles() -> Scenario:
    def corners(side):
        r = side / math.sqrt(3)
        turns = (0, 2 * math.pi / 3, 4 * math.pi / 3)
        return [[r * math.sin(t), y, r * math.cos(t)] for t in turns for y in (-0.25, 0.25)]

    height = 4.9 / math.sqrt(3) + 2.45 / (2 * math.sqrt(3)) + 0.5
    scenes = []
    for h in (0.001, 0.002, 0.004, 0.008, 0.016):
        bodies = [hull(corners(4.9), (0, 0, 0)), hull(corners(2.45), (0.6, 0, height), 1.0)]
        # Half a step upward makes the free fall of semi-implicit schemes exact.
        bodies[1].velocity = (0.0, 0.0, G * h / 2)
        scenes.append(Scene(f"S11-{h}", bodies, h, 1.6))

    def spread(paths):
        ends = [p.end[0, :3] for p in paths]
        return max(float(np.linalg.norm(a - b)) for a in ends for b in ends)

    return Scenario("S11", "triangle drop, h = 1 to 16 ms: spread of the ends", "0", "m", scenes, spread)


#: Thickness over radius at which an arch of 27 stones with friction 0.7 falls: the linear program of limit
#: analysis, as `stickslip stability` solves it.
CRITICAL = 0.1067209
#: A stone that is so far from where it was has fallen [m].
FALLEN = 0.1
#: By how much the arches of S12 are thicker or thinner.
LADDER = (1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 2.0)


def arch() -> Scenario:
    stones, mu, depth = 27, 0.7, 0.5

    def scene(off):
        t = CRITICAL * (1 + off)

        def corner(r, k):
            angle = math.pi * (1 - k / stones)
            return r * math.cos(angle), 0.0 if k in (0, stones) else r * math.sin(angle)

        bodies = [box((x, 0, -0.25), (1, 1, 0.5), friction=mu) for x in (-1.0, 1.0)]
        for k in range(stones):
            flat = [corner(r, j) for r in (1 - t / 2, 1 + t / 2) for j in (k, k + 1)]
            points = [(x, y, z) for x, z in flat for y in (-depth / 2, depth / 2)]
            bodies.append(hull(points, (0, 0, 0), 2400 * depth * t * math.pi / stones, friction=mu))
        # A mechanism grows as an exponential, 0.24 s more for each tenth of what is missing: 2 s are enough for 1e-5.
        return Scene(f"S12-{off}", bodies, 0.01, 2.0, until=FALLEN, fine=10)

    offs = sorted([-e for e in LADDER if e < 0.5] + list(LADDER))

    def falls(path):
        # Soft contacts may sink under the load as far as they like if they come to rest: an arch falls if a stone is
        # a tenth of the radius away, or if its motion has not ended and grows, over the last two fifths of a second.
        way = np.linalg.norm(path.states[:, :, :3] - path.states[0, :, :3], axis=2).max(axis=1)
        if way[-1] > FALLEN:
            return True
        n = min(round(0.2 / path.scene.step), (len(way) - 1) // 2)
        last, before = way[-1] - way[-1 - n], way[-1 - n] - way[-1 - 2 * n]
        return bool(last > 1e-4 and last > 1.2 * before)

    def sunk(paths):
        # How far the thickest arch, three times what it must be, is from where it was.
        states = paths[-1].states
        return {"moved at 3 times [m]": float(np.linalg.norm(states[-1, :, :3] - states[0, :, :3], axis=1).max())}

    def error(paths):
        # The least step of the ladder beyond which every thicker arch stands and every thinner one falls.
        wrong = [abs(off) for off, path in zip(offs, paths) if falls(path) != (off < 0)]
        worst = max(wrong, default=0.0)
        return min((e for e in LADDER if e > worst), default=math.inf)

    title = "arch of 27 stones: error of the critical thickness, relative, on a ladder from 1e-5 to 2"
    return Scenario("S12", title, f"{LADDER[0]:g} (the first step)", "", [scene(e) for e in offs], error, more=sunk, partial=True)


def every() -> list[Scenario]:
    """All scenarios in order."""
    return [
        peg(), stack(0.0), stack(0.5), seams(), seams(mesh=True), crack(), *pendulum(), *slopes(),
        *others(), triangles(), arch(), pile(20), pile(100), pile(500),
    ]
