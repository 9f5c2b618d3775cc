"""A simulator as a scene file."""

from __future__ import annotations

import math
import os
import tomllib
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
        for a, b, friction, restitution, mortar in sim._pairs:
            strength, opening = mortar or (None, None)
            values = {
                "friction": friction,
                "restitution": restitution,
                "tensile_strength": strength,
                "crack_opening": opening,
            }
            given = {key: value for key, value in values.items() if value is not None}
            scene.setdefault("pair", []).append({"bodies": [a, b], **given})
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
        for key in ("mass", "density", "friction", "restitution", "collides", "visible"):
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
        for key in ("limits", "start", "friction", "damping", "collide_jointed"):
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
        """Motors of joints that robots brought, as they are now."""
        own = {joint.fields["name"] for joint in self.sim._joints}
        loaded = self.sim._loaded[1]
        for handle in self.sim.joints[loaded:]:
            motor = handle.motor
            if handle.name not in own and motor is not None:
                scene.setdefault("motor", []).append({"joint": handle.name, **_plain(motor)})

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
