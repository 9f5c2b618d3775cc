"""A simulator as a scene file."""

from __future__ import annotations

import math
import os
import tomllib
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .body import Body, Shape
from .errors import ModelError
from .force import Force
from .joint import Joint

if TYPE_CHECKING:
    from .simulator import Simulator

#: Keys of each shape, in the order of its numbers.
_KEYS: dict[str, tuple[str, ...]] = {
    "box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "height", "sides"),
    "cone": ("radius", "height", "sides"), "capsule": ("radius", "height"),
    "tube": ("inner_radius", "outer_radius", "height"), "bored_box": ("size", "radius"), "plane": ("normal",),
    "half_plane": ("normal",), "tetrahedron": ("size",), "octahedron": ("size",),
    "dodecahedron": ("size",), "icosahedron": ("size",), "convex": ("points",),
    "polygon": ("points",), "rectangle": ("size",), "regular": ("sides", "radius"),
    "disc": ("radius",),
}  # fmt: skip


#: Keywords of a body that are keys of the scene file as they are.
_SAME = (
    "mass", "density", "friction", "restitution", "rolling_friction", "torsional_friction",
    "collides", "visible",
)  # fmt: skip


class Writer:
    """Writes the scene of a simulator; meshes go to files beside it."""

    def __init__(self, sim: Simulator, path: str) -> None:
        self.sim, self.path = sim, path
        self.flat = sim.dimension == 2
        self.meshes = 0

    def text(self) -> str:
        """The scene as TOML."""
        sim = self.sim
        scene = self._loaded()
        if sim.description:
            scene = {"description": sim.description, **scene}
        scene["simulation"] = self._simulation()
        if sim.camera is not None:
            points = {key: self._vector(sim.camera[key]) for key in ("position", "target") if key in sim.camera}
            scene["camera"] = {**sim.camera, **points}
        if sim.settings["solver_options"]:
            scene["solver"] = dict(sim.settings["solver_options"])
        bodies = [self._body(sim._start(k, body)) for k, body in enumerate(sim._bodies)]
        scene.setdefault("body", []).extend(bodies)
        scene.setdefault("joint", []).extend(self._joint(joint) for joint in sim._joints)
        if sim._forces:
            scene.setdefault("force", []).extend(self._force(force) for force in sim._forces)
        for entry in sim._order:
            if isinstance(entry, tuple):
                scene.setdefault("import", []).extend(tomllib.loads(entry[0][2])["import"])
        self._motors(scene)
        self._moved(scene)
        for a, b, values in sim._pairs:
            scene.setdefault("pair", []).append({"bodies": [a, b], **values})
        self._ignored(scene)
        return _dump(scene)

    def _loaded(self) -> dict[str, Any]:
        """The scene file that was loaded, with its changes and with absolute paths."""
        if self.sim._scene is None:
            return {}
        (_, _, text, folder), changes = self.sim._scene
        if changes or self.sim._changes:
            raise ModelError(
                "a scene that was loaded and then changed cannot be written: change its file"
            )
        scene = tomllib.loads(text)
        if folder is not None:
            for table in [b.get("shape", {}) for b in scene.get("body", [])] + scene.get("import", []):
                if "file" in table:
                    table["file"] = os.path.abspath(os.path.join(folder, table["file"]))
        return scene

    def _simulation(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in self.sim.settings.items():
            if key in ("detector", "formulation", "solver") and not isinstance(value, str):
                raise ModelError(f"the {key} is written in Python, which a scene file cannot hold")
            if key == "solver_options" or value is None:
                continue
            out[key] = value
        return out

    def _vector(self, value: Any) -> list[float]:
        return [float(x) for x in value][: 2 if self.flat else 3]

    def _turn(self, fields: Mapping[str, Any]) -> Any:
        if self.flat:
            return float(fields.get("angle", 0.0))
        return {"quaternion": [float(x) for x in fields["orientation"]]}

    def _body(self, body: Body) -> dict[str, Any]:
        fields = body.fields
        out: dict[str, Any] = {"name": body.name, "shape": self._shape(body.shape)}
        for key in ("position", "velocity", "force"):
            if key in fields:
                out[key] = self._vector(fields[key])
        for key in ("angular_velocity", "torque"):
            if key in fields:
                out[key] = float(fields[key][2]) if self.flat else self._vector(fields[key])
        out["orientation"] = self._turn(fields)
        for key in _SAME:
            if key in fields:
                out[key] = fields[key]
        if "inertia" in fields:
            rows = np.asarray(fields["inertia"])
            out["inertia"] = float(rows[2, 2]) if self.flat else rows.tolist()
        if "color" in fields:
            out["color"] = "#" + "".join(f"{round(255 * x):02x}" for x in fields["color"])
        if fields.get("motion") in ("static", "kinematic"):
            out[fields["motion"]] = True
        if fields.get("ignore"):
            out["ignore"] = list(fields["ignore"])
        return out

    def _shape(self, shape: Shape) -> dict[str, Any]:
        kind, numbers = shape.kind, shape.numbers
        if kind == "mesh":
            return self._mesh(*numbers)
        if kind == "heightfield":
            heights, columns, size = numbers
            rows = [heights[k : k + columns] for k in range(0, len(heights), columns)]
            return {"type": kind, "heights": rows, "size": list(size)}
        if kind == "compound":
            return {"type": kind, "parts": [self._part(*part) for part in numbers]}
        out: dict[str, Any] = {"type": kind.replace("_", "-")}
        for key, value in zip(_KEYS[kind], numbers):
            if key == "points":
                value = [self._vector(row) for row in value]
            elif isinstance(value, (tuple, list)):
                value = self._vector(value)
            out[key] = value
        return out

    def _part(self, position: Any, turn: Any, shape: Shape) -> dict[str, Any]:
        # A part is placed by its own frame here, and by its centre of mass in Python.
        w, *xyz = (float(x) for x in turn)
        center = np.asarray(shape.solid.center, dtype=float)
        u = np.array(xyz)
        turned = center + 2.0 * np.cross(u, np.cross(u, center) + w * center)
        out = {**self._shape(shape), "position": self._vector(np.asarray(position) - turned)}
        angle = 2.0 * math.atan2(xyz[2], w)
        out["orientation"] = angle if self.flat else {"quaternion": [w, *xyz]}
        return out

    def _mesh(self, vertices: Any, triangles: Any, how: str) -> dict[str, Any]:
        self.meshes += 1
        file = f"{os.path.splitext(self.path)[0]}-mesh-{self.meshes}.obj"
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in vertices)
            out.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles)
        shape = {"type": "mesh", "file": os.path.basename(file)}
        return {**shape, "decompose": True} if how == "decompose" else shape

    def _joint(self, joint: Joint) -> dict[str, Any]:
        fields = joint.fields
        out: dict[str, Any] = {"name": fields["name"], "type": joint.kind}
        if joint.kind == "gear":
            out["joints"], out["ratio"] = list(fields["joints"]), fields["ratio"]
        else:
            out["bodies"] = list(fields["bodies"])
            out["anchor"] = self._vector(fields.get("anchor", (0.0, 0.0, 0.0)))
        for key in ("axis", "axis2", "anchor_b"):
            if key in fields and joint.kind != "gear":
                out[key] = self._vector(fields[key])
        for key in ("limits", "start", "friction", "damping", "armature", "collide_jointed"):
            if key in fields:
                out[key] = fields[key]
        if "freedoms" in fields:
            names = ("x", "y", "z", "rx", "ry", "rz")
            out["dof"] = {name: _freedom(f) for name, f in zip(names, fields["freedoms"])}
        motor = self.sim.joint(fields["name"]).motor
        if "path" in fields:
            points, smooth = fields["path"]
            motor = dict(motor or {})
            key = "target_position" if "target_position" in motor else "target_velocity"
            motor[key] = [list(p) for p in points]  # type: ignore[assignment]
            motor["blend"] = "smooth" if smooth else "linear"  # type: ignore[assignment]
        if motor is not None:
            out["motor"] = _plain(motor)
        return out

    def _force(self, force: Force) -> dict[str, Any]:
        fields = force.fields
        if force.kind == "function":
            raise ModelError(f"the force {force.name!r} is a function, which a scene file cannot hold")
        out: dict[str, Any] = {"name": fields["name"], "type": force.kind}
        if force.kind == "gravity-compensation":
            return {**out, "body": fields["bodies"][1], "part": fields["part"]}
        for key in ("anchor", "anchor_b"):
            if key in fields and not (key == "anchor_b" and force.kind == "bushing"):
                out[key] = self._vector(fields[key])
        for key in ("bodies", "joint", "rest_length", "position"):
            if key in fields:
                out[key] = fields[key]
        for key in ("stiffness", "damping"):
            x, y, _, _, _, turn = six = fields[key]
            bushing = [x, y, turn] if self.flat else list(six)
            out[key] = bushing if force.kind == "bushing" else x
        return out

    def _motors(self, scene: dict[str, Any]) -> None:
        """Motors of joints that a scene or robots brought, as they are now."""
        sim = self.sim
        own = {joint.fields["name"] for joint in sim._joints}
        loaded = sim._loaded[1]
        tables = scene.get("joint", [])[: len(scene.get("joint", [])) - len(own)]
        # Those of the file come after those of its robots.
        by_place = {loaded - len(tables) + k: table for k, table in enumerate(tables)}
        for k, handle in enumerate(sim.joints):
            known = sim._motors[k] if k < loaded else None
            if handle.name in own or sim._engine.motor(k) == known:
                continue
            motor = handle.motor
            others = [m for m in scene.get("motor", []) if m.get("joint") != handle.name]
            if (table := by_place.get(k)) is not None:
                table.pop("motor", None)
                table.update({} if motor is None else {"motor": _plain(motor)})
            else:
                # One that does nothing takes the place of the file's.
                motor = motor or {"target_position": 0.0, "stiffness": 0.0}
                others.append({"joint": handle.name, **motor, "max_force": motor.get("max_force", math.inf)})
            scene["motor"] = others
        if not scene.get("motor", True):
            del scene["motor"]

    def _moved(self, scene: dict[str, Any]) -> None:
        """Joints of robots that were put elsewhere before the first step, as positions at the start."""
        sim = self.sim
        if sim.steps:
            return
        start = sim.clone()
        start.reset()
        own = {joint.fields["name"] for joint in sim._joints}
        imports, left, names = scene.get("import", []), [], {joint.name for joint in sim.joints}
        for joint, before in zip(sim.joints, start.joints):
            now, then = joint.position, before.position
            # A joint that follows another goes where that takes it.
            if len(now) == 0 or np.abs(now - then).max() <= 1e-12 or f"{joint.name}-mimic" in names:
                continue
            fits = [table for table in imports if joint.name.startswith(table.get("prefix", ""))]
            longest = max((len(table.get("prefix", "")) for table in fits), default=0)
            fits = [table for table in fits if len(table.get("prefix", "")) == longest]
            if joint.name in own or len(now) != 1 or len(fits) != 1:
                left.append(joint.name)
                continue
            place = {joint.name[longest:]: float(now[0])}
            fits[0]["positions"] = {**fits[0].get("positions", {}), **place}
        if left:
            shown = ", ".join(left[:4]) + (f" and {len(left) - 4} more" if len(left) > 4 else "")
            what = f"joints that were moved before the first step ({shown}) are where they were made in {self.path}"
            warnings.warn(what, stacklevel=5)

    def _ignored(self, scene: dict[str, Any]) -> None:
        by_name = {body.get("name"): body for body in scene.get("body", [])}
        for a, b in self.sim._ignored:
            body = by_name.get(a) or by_name.get(b)
            if body is None:
                raise ModelError(f"{a!r} and {b!r} ignore each other, but neither is a [[body]]")
            body.setdefault("ignore", []).append(b if body is by_name.get(a) else a)


def _plain(motor: Mapping[str, Any]) -> dict[str, Any]:
    """A motor without a limit that is none."""
    return {k: v for k, v in motor.items() if not (k == "max_force" and v == math.inf)}


def _freedom(limits: tuple[float, float]) -> Any:
    low, high = limits
    if low == high == 0.0:
        return "locked"
    return "free" if math.isinf(low) and math.isinf(high) else [low, high]


def _dump(scene: Mapping[str, Any]) -> str:
    from .simulator import toml_text

    lines: list[str] = []
    plain = {key: value for key, value in scene.items() if isinstance(value, str)}
    lines.extend(f"{key} = {toml_text(value)}" for key, value in plain.items())
    if plain:
        lines.append("")
    for key, value in scene.items():
        if key in plain:
            continue
        for table in value if isinstance(value, list) else [value]:
            lines.append(f"[[{key}]]" if isinstance(value, list) else f"[{key}]")
            lines.extend(f"{name} = {toml_text(item)}" for name, item in table.items())
            lines.append("")
    return "\n".join(lines)
