"""Engines behind one face: made from a scene, stepped, asked for the state of the moving bodies.

An engine that is not installed is left out with a note. Each has its defaults and, where its users
would do so, a second set of settings for accuracy.
"""

from __future__ import annotations

import importlib

import numpy as np

from runner import Rapier, Siconos
from scenarios import Body, Scene


class Stickslip:
    """Defaults; "accurate": smooth motion of order 8, joints closed at the end of the step, true cones.

    "50 substeps" is "accurate" with 50 steps of a fiftieth of the length for each step of the scene: what
    Rapier's iterations are. Only where the error is that of the scheme. "16 substeps" are the defaults
    with a sixteenth of the step and rotation_tolerance = 1e-7, in large piles: bodies turn less in a
    step, and the passes that choose contacts come to an end before they are cut short.
    """

    package = "stickslip"
    variants = ("default", "accurate", "50 substeps", "16 substeps")
    #: Where the other variants are of use.
    only = {"50 substeps": ("S6c",), "16 substeps": ("S10-100", "S10-500")}

    @classmethod
    def offers(cls, variant: str, scenario: str) -> bool:
        """Whether the variant is run on a scenario."""
        if variant == "accurate" and scenario in ("S10-100", "S10-500"):
            return False
        return scenario in cls.only.get(variant, (scenario,))

    def __init__(self, scene: Scene, variant: str) -> None:
        import stickslip as ss

        self.inner = int(variant.split()[0]) if variant.endswith("substeps") else 1
        settings = {"step": scene.step / self.inner, "gravity": scene.gravity, "threads": 1}
        # Drift must show; piles and timings (T) are about time.
        settings["sleep"] = scene.name.startswith(("S10", "T "))
        if variant in ("accurate", "50 substeps"):
            settings |= {"integrator": "gauss", "stabilization": "shake"}
            if any(b.friction for b in scene.bodies) and len(scene.bodies) < 10:
                settings["friction"] = "quadratic"
        if variant == "16 substeps":
            settings["rotation_tolerance"] = 1e-7
        self.sim = ss.Simulator(**settings)
        self.moving = []
        for body in scene.bodies:
            more = {
                "position": body.position, "orientation": body.quaternion, "friction": body.friction,
                "static": body.mass == 0,
                # Linkages pass through themselves, as in the other engines here.
                "collides": not scene.joints,
            }
            if body.mass > 0:
                more |= {"mass": body.mass, "inertia": body.inertia}
                more |= {"velocity": body.velocity, "angular_velocity": body.spin}
            if body.half is not None:
                made = ss.Body.box(*(2 * body.half), **more)
            elif body.triangles is not None:
                made = ss.Body.mesh(body.points, body.triangles, **more)
            else:
                made = ss.Body.convex(body.points, **more)
            handle = self.sim.add(made)
            if body.mass > 0:
                self.moving.append(handle)
        for joint in scene.joints:
            parent = "world" if joint.parent < 0 else self.moving[joint.parent]
            self.sim.add(ss.Joint.revolute(parent, self.moving[joint.child], anchor=joint.anchor, axis=joint.axis))

    def step(self) -> None:
        for _ in range(self.inner):
            self.sim.step()

    def state(self) -> np.ndarray:
        rows = [np.concatenate([b.position, b.orientation, b.velocity, b.angular_velocity]) for b in self.moving]
        return np.array(rows)


def _numbers(values) -> str:
    return " ".join(repr(float(v)) for v in np.ravel(values))


class MuJoCo:
    """XML in; accuracy by the elliptic cone, many iterations, stiff contacts, and RK4 without contact."""

    package = "mujoco"
    variants = ("default", "accurate")

    def __init__(self, scene: Scene, variant: str) -> None:
        import mujoco

        self.mujoco = mujoco
        mu = max(b.friction for b in scene.bodies)
        h = scene.step
        smooth = bool(scene.joints) or len(scene.bodies) == 1
        option, geom = "", ""
        if variant == "accurate":
            integrator = "RK4" if smooth else "implicitfast"
            option = f'cone="elliptic" impratio="{100 if mu else 1}" iterations="200" tolerance="1e-12" integrator="{integrator}" noslip_iterations="{10 if mu else 0}"'
            geom = f'solref="{2 * h} 1" solimp="0.95 0.999 0.0001 0.5 2"'
        assets, world, hinges, loops = [], [], {}, []
        for joint in scene.joints:
            # The first joint of a body hangs it into the tree, a second one closes a loop.
            if joint.child in hinges:
                loops.append(joint)
            else:
                hinges[joint.child] = joint
        placed: dict[int, Body] = {}
        moving = [b for b in scene.bodies if b.mass > 0]
        for k, body in enumerate(scene.bodies):
            if body.mass == 0:
                shape = self._shape(k, body, assets, bool(scene.joints))
                place = f'pos="{_numbers(body.position)}" quat="{_numbers(body.quaternion)}"'
                world.append(f"<body {place}>{shape}</body>")

        def tree(index: int, parent: Body | None) -> str:
            body = moving[index]
            placed[index] = body
            turn = self._matrix(body.quaternion)
            at, facing = body.position, np.array(body.quaternion, float)
            if parent is not None:
                outer = self._matrix(parent.quaternion)
                at = outer.T @ (at - parent.position)
                facing = np.zeros(4)
                mujoco.mju_mat2Quat(facing, (outer.T @ turn).ravel())
            joint = hinges.get(index)
            freedom = "<freejoint/>"
            if joint is not None:
                pivot, axis = turn.T @ (joint.anchor - body.position), turn.T @ np.array(joint.axis)
                freedom = f'<joint type="hinge" pos="{_numbers(pivot)}" axis="{_numbers(axis)}"/>'
            shape = self._shape(10_000 + index, body, assets, bool(scene.joints))
            inertial = f'<inertial pos="0 0 0" mass="{body.mass}" diaginertia="{_numbers(body.inertia)}"/>'
            inner = "".join(tree(j.child, body) for j in hinges.values() if j.parent == index)
            return f'<body name="b{index}" pos="{_numbers(at)}" quat="{_numbers(facing)}">{freedom}{inertial}{shape}{inner}</body>'

        for index in range(len(moving)):
            if index not in hinges or hinges[index].parent < 0:
                world.append(tree(index, None))
        equal = []
        for joint in loops:
            child = placed[joint.child]
            for along in (-0.5, 0.5):
                point = joint.anchor + along * np.array(joint.axis)
                at = self._matrix(child.quaternion).T @ (point - child.position)
                other = f'body2="b{joint.parent}"' if joint.parent >= 0 else ""
                equal.append(f'<connect body1="b{joint.child}" {other} anchor="{_numbers(at)}" {geom}/>')
        text = (
            f'<mujoco><option timestep="{h}" gravity="{_numbers(scene.gravity)}" {option}/>'
            '<compiler angle="radian" inertiafromgeom="false"/><size memory="500M"/>'
            f'<default><geom condim="{3 if mu else 1}" friction="{mu} 0 0" {geom}/></default>'
            f"<asset>{''.join(assets)}</asset><worldbody>{''.join(world)}</worldbody>"
            f"<equality>{''.join(equal)}</equality></mujoco>"
        )
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.ids = [self.model.body(f"b{k}").id for k in range(len(moving))]
        for k, ident in enumerate(self.ids):
            start = self.model.body_jntadr[ident]
            if self.model.jnt_type[start] == mujoco.mjtJoint.mjJNT_FREE:
                at = self.model.jnt_dofadr[start]
                body = placed[k]
                self.data.qvel[at : at + 3] = body.velocity
                self.data.qvel[at + 3 : at + 6] = self._matrix(body.quaternion).T @ np.array(body.spin)
        mujoco.mj_forward(self.model, self.data)

    @staticmethod
    def _shape(k: int, body: Body, assets: list[str], ghost: bool) -> str:
        off = 'contype="0" conaffinity="0"' if ghost else ""
        if body.half is not None:
            return f'<geom type="box" size="{_numbers(body.half)}" {off}/>'
        if body.triangles is not None:
            # Meshes collide as their hulls here: a flat height field has the same triangles.
            low, high = body.points.min(axis=0), body.points.max(axis=0)
            middle, size = (low + high) / 2, (high - low) / 2
            assets.append(f'<hfield name="h{k}" nrow="2" ncol="{len(body.points) // 2}" size="{size[0]} {size[1]} 1 1"/>')
            return f'<geom type="hfield" hfield="h{k}" pos="{_numbers(middle)}" {off}/>'
        assets.append(f'<mesh name="m{k}" vertex="{_numbers(body.points)}" inertia="convex"/>')
        return f'<geom type="mesh" mesh="m{k}" {off}/>'

    def _matrix(self, quaternion) -> np.ndarray:
        out = np.zeros(9)
        self.mujoco.mju_quat2Mat(out, np.array(quaternion, float))
        return out.reshape(3, 3)

    def step(self) -> None:
        self.mujoco.mj_step(self.model, self.data)

    def state(self) -> np.ndarray:
        m, d = self.model, self.data
        self.mujoco.mj_kinematics(m, d)
        self.mujoco.mj_comPos(m, d)
        self.mujoco.mj_comVel(m, d)
        out, six = np.zeros((len(self.ids), 13)), np.zeros(6)
        for k, ident in enumerate(self.ids):
            self.mujoco.mj_objectVelocity(m, d, self.mujoco.mjtObj.mjOBJ_BODY, ident, six, 0)
            out[k] = np.concatenate([d.xpos[ident], d.xquat[ident], six[3:], six[:3]])
        return out


class PyBullet:
    """Defaults, and Dantzig's solver with no damping and no margins."""

    package = "pybullet"
    variants = ("default", "dantzig")

    def __init__(self, scene: Scene, variant: str) -> None:
        import pybullet as p

        self.p, self.client = p, p.connect(p.DIRECT)
        c = {"physicsClientId": self.client}
        p.setGravity(*scene.gravity, **c)
        p.setTimeStep(scene.step, **c)
        if variant == "dantzig":
            p.setPhysicsEngineParameter(constraintSolverType=p.CONSTRAINT_SOLVER_LCP_DANTZIG, globalCFM=1e-8, numSolverIterations=200, contactERP=0.2, frictionERP=0.2, **c)
        self.moving: list[tuple[int, int]] = []
        if scene.joints:
            self._tree(scene, c)
            return
        for body in scene.bodies:
            if body.half is not None:
                shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=body.half.tolist(), **c)
            elif body.triangles is not None:
                shape = p.createCollisionShape(p.GEOM_MESH, vertices=body.points.tolist(), indices=body.triangles.ravel().tolist(), flags=p.GEOM_FORCE_CONCAVE_TRIMESH, **c)
            else:
                shape = p.createCollisionShape(p.GEOM_MESH, vertices=body.points.tolist(), **c)
            w, x, y, z = body.quaternion
            ident = p.createMultiBody(body.mass, shape, -1, body.position.tolist(), [x, y, z, w], **c)
            # Bullet multiplies the coefficients of two bodies: square roots give the pair's.
            p.changeDynamics(ident, -1, lateralFriction=body.friction**0.5, restitution=0.0, linearDamping=0.0, angularDamping=0.0, **c)
            if body.mass > 0:
                p.changeDynamics(ident, -1, localInertiaDiagonal=[float(v) for v in body.inertia], activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING, **c)
                p.resetBaseVelocity(ident, body.velocity, body.spin, **c)
                self.moving.append((ident, -1))

    def _tree(self, scene: Scene, c: dict[str, int]) -> None:
        """One body of links in joint coordinates; a second joint of a link closes a loop."""
        p, hinges, loops = self.p, {}, []
        for joint in scene.joints:
            if joint.child in hinges:
                loops.append(joint)
            else:
                hinges[joint.child] = joint
        order = sorted(hinges)
        bodies = [scene.bodies[k] for k in order]
        anchors = [hinges[k].anchor for k in order]
        parents = [0 if hinges[k].parent < 0 else 1 + order.index(hinges[k].parent) for k in order]
        # Link frames sit at the joints, along the axes of the world at the start.
        origin = [np.zeros(3), *anchors]
        ident = p.createMultiBody(
            0.0, -1, -1, [0, 0, 0], [0, 0, 0, 1],
            linkMasses=[b.mass for b in bodies],
            linkCollisionShapeIndices=[-1] * len(order),
            linkVisualShapeIndices=[-1] * len(order),
            linkPositions=[(a - origin[q]).tolist() for a, q in zip(anchors, parents)],
            linkOrientations=[[0, 0, 0, 1]] * len(order),
            linkInertialFramePositions=[(b.position - a).tolist() for b, a in zip(bodies, anchors)],
            linkInertialFrameOrientations=[[b.quaternion[i] for i in (1, 2, 3, 0)] for b in bodies],
            linkParentIndices=parents,
            linkJointTypes=[p.JOINT_REVOLUTE] * len(order),
            linkJointAxis=[list(hinges[k].axis) for k in order],
            **c,
        )
        for link, body in enumerate(bodies):
            p.changeDynamics(ident, link, localInertiaDiagonal=[float(v) for v in body.inertia], linearDamping=0.0, angularDamping=0.0, jointDamping=0.0, **c)
            p.setJointMotorControl2(ident, link, p.VELOCITY_CONTROL, force=0.0, **c)
            self.moving.append((ident, link))
        p.changeDynamics(ident, -1, linearDamping=0.0, angularDamping=0.0, activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING, **c)
        for joint in loops:
            link = order.index(joint.child)
            local = self._local(bodies[link], joint.anchor)
            made = p.createConstraint(ident, link, -1, -1, p.JOINT_POINT2POINT, [0, 0, 0], local, joint.anchor.tolist(), **c)
            p.changeConstraint(made, maxForce=1e9, **c)

    @staticmethod
    def _local(body: Body, point: np.ndarray) -> list[float]:
        from scipy.spatial.transform import Rotation

        w, x, y, z = body.quaternion
        return Rotation.from_quat([x, y, z, w]).inv().apply(point - body.position).tolist()

    def step(self) -> None:
        self.p.stepSimulation(physicsClientId=self.client)

    def state(self) -> np.ndarray:
        out = np.zeros((len(self.moving), 13))
        c = {"physicsClientId": self.client}
        for k, (ident, link) in enumerate(self.moving):
            if link < 0:
                position, (x, y, z, w) = self.p.getBasePositionAndOrientation(ident, **c)
                velocity, spin = self.p.getBaseVelocity(ident, **c)
            else:
                found = self.p.getLinkState(ident, link, 1, 1, **c)
                position, (x, y, z, w), velocity, spin = found[0], found[1], found[6], found[7]
            out[k] = np.concatenate([position, (w, x, y, z), velocity, spin])
        return out

    def close(self) -> None:
        self.p.disconnect(physicsClientId=self.client)


class Dart:
    """Defaults: boxed LCP with Dantzig's method."""

    package = "dartpy"
    variants = ("default",)

    def __init__(self, scene: Scene, variant: str) -> None:
        import dartpy as dart

        if scene.joints:
            raise NotImplementedError("joints are not translated")
        self.world = dart.simulation.World()
        self.world.setGravity(np.array(scene.gravity, float))
        self.world.setTimeStep(scene.step)
        self.moving = []
        for k, body in enumerate(scene.bodies):
            if body.half is None:
                raise NotImplementedError("hulls and meshes are not translated")
            skeleton = dart.dynamics.Skeleton(f"s{k}")
            _, node = skeleton.createFreeJointAndBodyNodePair()
            shape = node.createShapeNode(dart.dynamics.BoxShape(2 * body.half))
            shape.createVisualAspect()
            shape.createCollisionAspect()
            shape.createDynamicsAspect()
            shape.getDynamicsAspect().setFrictionCoeff(body.friction)
            shape.getDynamicsAspect().setRestitutionCoeff(0.0)
            frame = dart.math.Isometry3()
            frame.set_translation(body.position)
            frame.set_rotation(dart.math.quaternionToRotationMatrix(body.quaternion) if hasattr(dart.math, "quaternionToRotationMatrix") else _matrix(body.quaternion))
            skeleton.setPositions(dart.dynamics.FreeJoint.convertToPositions(frame))
            if body.mass > 0:
                node.setInertia(dart.dynamics.Inertia(body.mass, np.zeros(3), np.diag(body.inertia)))
                turn = _matrix(body.quaternion)
                skeleton.setVelocities(np.concatenate([turn.T @ np.array(body.spin), turn.T @ np.array(body.velocity)]))
                self.moving.append(node)
            else:
                skeleton.setMobile(False)
            self.world.addSkeleton(skeleton)

    def step(self) -> None:
        self.world.step()

    def state(self) -> np.ndarray:
        from scipy.spatial.transform import Rotation

        rows = []
        for node in self.moving:
            frame = node.getWorldTransform()
            x, y, z, w = Rotation.from_matrix(frame.rotation()).as_quat()
            rows.append(np.concatenate([frame.translation(), (w, x, y, z), node.getLinearVelocity(), node.getAngularVelocity()]))
        return np.array(rows)


class Drake:
    """Defaults, and hydroelastic contact with a modulus of 1e8 Pa and the SAP solver."""

    package = "drake"
    module = "pydrake"
    variants = ("default", "hydroelastic")

    def __init__(self, scene: Scene, variant: str) -> None:
        from pydrake import all as drake

        builder = drake.DiagramBuilder()
        config = drake.MultibodyPlantConfig(time_step=scene.step)
        soft = variant == "hydroelastic"
        if soft:
            config.discrete_contact_approximation = "sap"
            config.contact_model = "hydroelastic_with_fallback"
        plant, _ = drake.AddMultibodyPlant(config, builder)
        plant.mutable_gravity_field().set_gravity_vector(np.array(scene.gravity, float))
        self.moving, placed = [], []
        for k, body in enumerate(scene.bodies):
            if body.triangles is not None and not soft:
                raise NotImplementedError("meshes collide as their hulls")
            pose = drake.RigidTransform(drake.RotationMatrix(_matrix(body.quaternion)), body.position)
            shape = self._shape(drake, k, body)
            surface = drake.ProximityProperties()
            friction = drake.CoulombFriction(body.friction, body.friction)
            drake.AddContactMaterial(friction=friction, properties=surface)
            if soft:
                if body.triangles is not None:
                    drake.AddRigidHydroelasticProperties(surface)
                else:
                    size = body.half.max() if body.half is not None else np.abs(body.points).max()
                    drake.AddCompliantHydroelasticProperties(float(size), 1e8, surface)
            if body.mass == 0:
                plant.RegisterCollisionGeometry(plant.world_body(), pose, shape, f"g{k}", surface)
                continue
            unit = drake.UnitInertia(*(body.inertia / body.mass))
            made = plant.AddRigidBody(f"b{k}", drake.SpatialInertia(body.mass, np.zeros(3), unit))
            if not scene.joints:
                plant.RegisterCollisionGeometry(made, drake.RigidTransform(), shape, f"g{k}", surface)
            self.moving.append(made)
            placed.append((body, pose))
        if len(scene.joints) > 1:
            raise NotImplementedError("loops are not translated")
        for joint in scene.joints:
            pose = placed[joint.child][1]
            at = pose.inverse() @ drake.RigidTransform(joint.anchor)
            frame = plant.AddFrame(drake.FixedOffsetFrame("f", self.moving[joint.child], at))
            plant.AddJoint(drake.RevoluteJoint("j", plant.world_frame(), frame, np.array(joint.axis)))
        plant.Finalize()
        diagram = builder.Build()
        self.sim, self.plant, self.h, self.time = drake.Simulator(diagram), plant, scene.step, 0.0
        self.context = plant.GetMyMutableContextFromRoot(self.sim.get_mutable_context())
        if not scene.joints:
            for made, (body, pose) in zip(self.moving, placed):
                plant.SetFreeBodyPose(self.context, made, pose)
                twist = drake.SpatialVelocity(np.array(body.spin, float), np.array(body.velocity, float))
                plant.SetFreeBodySpatialVelocity(self.context, made, twist)
        self.sim.Initialize()

    @staticmethod
    def _shape(drake, k: int, body: Body):
        if body.half is not None:
            return drake.Box(*(2 * body.half))
        from scipy.spatial import ConvexHull

        triangles = body.triangles
        if triangles is None:
            hull = ConvexHull(body.points)
            triangles = [s if np.linalg.det(body.points[s]) > 0 else s[::-1] for s in hull.simplices]
        lines = ["v {:.17g} {:.17g} {:.17g}".format(*v) for v in body.points]
        lines += ["f {} {} {}".format(*(i + 1 for i in t)) for t in triangles]
        file = drake.MemoryFile("\n".join(lines) + "\n", ".obj", f"m{k}.obj")
        source = drake.MeshSource(drake.InMemoryMesh(mesh_file=file))
        return drake.Convex(source) if body.triangles is None else drake.Mesh(source)

    def step(self) -> None:
        self.time += self.h
        self.sim.AdvanceTo(self.time)

    def state(self) -> np.ndarray:
        rows = []
        for body in self.moving:
            pose = self.plant.EvalBodyPoseInWorld(self.context, body)
            twist = self.plant.EvalBodySpatialVelocityInWorld(self.context, body)
            turn = pose.rotation().ToQuaternion().wxyz()
            rows.append(np.concatenate([pose.translation(), turn, twist.translational(), twist.rotational()]))
        return np.array(rows)


def _matrix(quaternion) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    w, x, y, z = quaternion
    return Rotation.from_quat([x, y, z, w]).as_matrix()


#: In the order of the tables.
ENGINES = {
    "Stickslip": Stickslip, "MuJoCo": MuJoCo, "PyBullet": PyBullet, "Drake": Drake, "DART": Dart,
    "Rapier": Rapier, "Siconos": Siconos,
}


def version(engine) -> str | None:
    """The version of an engine, or None where it is not installed."""
    if hasattr(engine, "version"):
        return engine.version()
    try:
        module = importlib.import_module(getattr(engine, "module", engine.package))
    except ImportError:
        return None
    from importlib import metadata

    try:
        return metadata.version(engine.package)
    except metadata.PackageNotFoundError:
        return getattr(module, "__version__", "installed")
