"""Other engines on the robots of `robot_speed.py`: each function makes a robot and returns how to step and measure it."""

from __future__ import annotations

import logging
import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Case:
    """A robot and how it is held."""

    #: The file for Stickslip and PyBullet, and the text for MuJoCo and Drake, whose paths are found from anywhere.
    file: pathlib.Path
    text: str
    #: Step [s].
    h: float
    #: Stiffness of the motors [N m/rad]; damping is a tenth of it.
    gain: float = 0.0
    #: Height at which the base floats above a plane [m]; `None` where it is fixed.
    stands: float | None = None
    #: Start and aim of the joints by name.
    positions: dict[str, float] = field(default_factory=dict)
    collides: bool = True
    #: More keywords for `ss.load_robot`.
    options: dict[str, Any] = field(default_factory=dict)
    #: MuJoCo's integrator.
    rk4: bool = False


@dataclass
class Engine:
    """A robot in motion."""

    #: Makes so many steps.
    step: Callable[[int], Any]
    #: Its energy [J].
    energy: Callable[[], float] = lambda: float("nan")
    #: How far its joints part [m]; engines in joint coordinates do not know.
    parted: Callable[[], float] = lambda: float("nan")


def mujoco(case: Case) -> Engine:
    import mujoco as mj

    spec = mj.MjSpec.from_string(case.text)
    if case.stands is not None:
        spec.worldbody.first_body().add_freejoint()
        spec.worldbody.first_body().pos = [0, 0, case.stands]
        spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1])
    model = spec.compile()
    model.opt.timestep = case.h
    if case.rk4:
        model.opt.integrator = mj.mjtIntegrator.mjINT_RK4
    if not case.collides:
        model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT
    if case.gain:
        for k in range(model.njnt):
            if model.jnt_type[k] in (2, 3):
                model.jnt_stiffness[k] = case.gain
                model.dof_damping[model.jnt_dofadr[k]] = 0.1 * case.gain
    data = mj.MjData(model)
    for name, q in case.positions.items():
        if mj.mj_name2id(model, mj.mjtObj.mjOBJ_JOINT, name) >= 0:
            model.qpos_spring[model.joint(name).qposadr[0]] = data.joint(name).qpos[0] = q
    model.opt.enableflags |= 0 if case.gain else int(mj.mjtEnableBit.mjENBL_ENERGY)

    def steps(n: int) -> None:
        mj.mj_step(model, data, n)

    def energy() -> float:
        mj.mj_forward(model, data)
        return float(data.energy.sum())

    return Engine(steps, energy)


def pybullet(case: Case) -> Engine:
    import pybullet as pb

    client = pb.connect(pb.DIRECT)
    pb.resetSimulation(physicsClientId=client)
    pb.setTimeStep(case.h, physicsClientId=client)
    pb.setGravity(0, 0, -9.81, physicsClientId=client)
    if case.file.suffix == ".xml":
        robots = pb.loadMJCF(str(case.file), physicsClientId=client)
        links = sum(1 + pb.getNumJoints(robot, physicsClientId=client) for robot in robots)
        if links < case.text.count("<body"):
            raise ValueError(f"it reads {links} of {case.text.count('<body')} bodies")
    else:
        place = [0, 0, case.stands or 0.0]
        flags = pb.URDF_USE_SELF_COLLISION | pb.URDF_USE_INERTIA_FROM_FILE
        fixed = case.stands is None
        robots = [pb.loadURDF(str(case.file), place, useFixedBase=fixed, flags=flags, physicsClientId=client)]
    if case.stands is not None:
        import pybullet_data

        pb.loadURDF(str(pathlib.Path(pybullet_data.__path__[0], "plane.urdf")), physicsClientId=client)
    for robot in robots:
        n = pb.getNumJoints(robot, physicsClientId=client)
        for k in range(-1, n):
            pb.changeDynamics(robot, k, linearDamping=0.0, angularDamping=0.0, physicsClientId=client)
            if not case.collides:
                pb.setCollisionFilterGroupMask(robot, k, 0, 0, physicsClientId=client)
        for k in range(n):
            info = pb.getJointInfo(robot, k, physicsClientId=client)
            if info[2] == pb.JOINT_SPHERICAL:
                pb.setJointMotorControlMultiDof(
                    robot, k, pb.POSITION_CONTROL, targetPosition=[0, 0, 0, 1], force=[0, 0, 0], physicsClientId=client
                )
            if info[2] not in (pb.JOINT_REVOLUTE, pb.JOINT_PRISMATIC):
                continue
            q = case.positions.get(info[1].decode(), 0.0)
            pb.resetJointState(robot, k, q, physicsClientId=client)
            if case.gain:
                pb.setJointMotorControl2(robot, k, pb.POSITION_CONTROL, q, force=1e3, physicsClientId=client)
            else:
                pb.setJointMotorControl2(robot, k, pb.VELOCITY_CONTROL, force=0, physicsClientId=client)

    def steps(n: int) -> None:
        for _ in range(n):
            pb.stepSimulation(physicsClientId=client)

    def energy() -> float:
        total = 0.0
        for robot in robots:
            for k in range(pb.getNumJoints(robot, physicsClientId=client)):
                mass, _, inertia = pb.getDynamicsInfo(robot, k, physicsClientId=client)[:3]
                at = pb.getLinkState(robot, k, computeLinkVelocity=1, physicsClientId=client)
                place, turn, v, w = at[0], at[1], at[6], at[7]
                back = pb.invertTransform([0, 0, 0], turn)[1]
                spin = pb.rotateVector(back, w)
                total += 0.5 * mass * sum(x * x for x in v) + mass * 9.81 * place[2]
                total += 0.5 * sum(i * x * x for i, x in zip(inertia, spin))
        return total

    return Engine(steps, energy)


def drake(case: Case) -> Engine:
    from pydrake.all import (
        AddMultibodyPlantSceneGraph, CoulombFriction, DiagramBuilder, HalfSpace, MultibodyPlant, Parser,
        PdControllerGains, RigidTransform, Simulator,
    )  # fmt: skip

    builder = DiagramBuilder()
    if case.collides:
        plant, _ = AddMultibodyPlantSceneGraph(builder, case.h)
    else:
        plant = builder.AddSystem(MultibodyPlant(case.h))
    kind = "urdf" if case.file.suffix == ".urdf" else "xml"
    text = re.sub(r"<mujoco><compiler[^>]*/></mujoco>", "", case.text) if kind == "urdf" else case.text
    if not case.collides:
        text = re.sub(r"<collision.*?</collision>", "", text, flags=re.DOTALL)
    file = pathlib.Path(f"drake-{case.file.stem}.{kind}").absolute()
    file.write_text(text)
    logging.getLogger("drake").setLevel(logging.ERROR)
    (robot,) = Parser(plant).AddModels(str(file))
    root = plant.get_body(plant.GetBodyIndices(robot)[0])
    if case.stands is None and kind == "urdf":
        plant.WeldFrames(plant.world_frame(), root.body_frame())
    elif case.stands is not None:
        ground = (plant.world_body(), RigidTransform(), HalfSpace(), "ground", CoulombFriction(0.5, 0.5))
        plant.RegisterCollisionGeometry(*ground)
    driven = []
    for k in plant.GetJointIndices(robot):
        joint = plant.get_joint(k)
        if case.gain and joint.num_positions() == 1:
            actuator = plant.AddJointActuator(joint.name(), joint)
            actuator.set_controller_gains(PdControllerGains(p=case.gain, d=0.1 * case.gain))
            driven.append(joint.name())
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    aims = [case.positions.get(name, 0.0) for name in driven]
    q = plant.GetPositions(context)
    for k in plant.GetJointIndices(robot):
        joint = plant.get_joint(k)
        if joint.num_positions() == 1:
            q[joint.position_start()] = case.positions.get(joint.name(), 0.0)
    plant.SetPositions(context, q)
    if case.stands is not None:
        plant.SetFreeBodyPose(context, root, RigidTransform([0, 0, case.stands]))
    if driven:
        port = plant.get_desired_state_input_port(robot)
        port.FixValue(context, aims + [0.0] * len(aims))
    simulator.Initialize()

    def steps(n: int) -> None:
        simulator.AdvanceTo(simulator.get_context().get_time() + n * case.h)

    def energy() -> float:
        return float(plant.CalcKineticEnergy(context) + plant.CalcPotentialEnergy(context))

    return Engine(steps, energy)

