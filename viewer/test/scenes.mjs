// Synthetic recordings with known positions; no physics engine needed.

import { encode } from "./container.mjs";

export function cuboid(x, y, z) {
  const vertices = [];
  for (const i of [-1, 1]) for (const j of [-1, 1]) for (const k of [-1, 1]) vertices.push([(i * x) / 2, (j * y) / 2, (k * z) / 2]);
  const faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
  return { type: "polytope", vertices, faces };
}

const body = (name, shape, more = {}) => ({
  name, motion: "dynamic", mass: 1, color: null, visible: true,
  parts: [{ shape, position: [0, 0, 0], orientation: [1, 0, 0, 0] }], ...more,
});

/** Builds a recording from functions of frame and body. `contacts(k)` lists those of frame k. */
export function record(header, frames, pose, contacts = () => [], series = {}, type = Float32Array) {
  const n = header.bodies.length;
  const [x, q, v, w] = [3, 4, 3, 3].map((width) => new type(frames * n * width));
  const time = Float64Array.from({ length: frames }, (_, k) => k * header.step);
  const starts = new Uint32Array(frames + 1);
  const list = [];
  for (let k = 0; k < frames; k++) {
    for (let b = 0; b < n; b++) {
      const p = pose(k * header.step, b);
      x.set(p.position, 3 * (k * n + b));
      q.set(p.orientation ?? [1, 0, 0, 0], 4 * (k * n + b));
      v.set(p.velocity ?? [0, 0, 0], 3 * (k * n + b));
      w.set(p.spin ?? [0, 0, 0], 3 * (k * n + b));
    }
    list.push(...contacts(k));
    starts[k + 1] = list.length;
  }
  const flat = (get) => Float32Array.from(list.flatMap(get));
  const arrays = {
    time: [time, [frames]],
    step: [Uint32Array.from(time, (_, k) => k), [frames]],
    position: [x, [frames, n, 3]], orientation: [q, [frames, n, 4]],
    velocity: [v, [frames, n, 3]], angular_velocity: [w, [frames, n, 3]],
    contact_start: [starts, [frames + 1]],
    contact_point: [flat((c) => c.point), [list.length, 3]],
    contact_normal: [flat((c) => c.normal), [list.length, 3]],
    contact_force: [flat((c) => c.force), [list.length, 3]],
    contact_gap: [flat((c) => [c.gap ?? 0]), [list.length]],
    contact_friction: [flat((c) => [c.friction ?? 0.5]), [list.length]],
    contact_pair: [Uint32Array.from(list.flatMap((c) => c.pair)), [list.length, 2]],
    contact_kind: [Uint8Array.from(list, (c) => c.kind ?? 0), [list.length]],
  };
  for (const [name, f] of Object.entries(series)) arrays[`series/${name}`] = [Float64Array.from(time, f), [frames]];
  return encode(header, arrays);
}

const LABELS = {
  energy: ["Energy", "J"], joint_error: ["Joint error", "m"], contacts: ["Contacts", ""], residual: ["Residual", ""],
  penetration: ["Penetration", "m"], "momentum.x": ["Momentum x", "kg m/s"], "momentum.z": ["Momentum z", "kg m/s"],
  "time.detect": ["Detect", "s"], "time.solve": ["Solve", "s"],
};
const describe = (series) => Object.keys(series).map((name) => ({ name, label: LABELS[name][0], unit: LABELS[name][1] }));

const STEP = 0.01;
const base = (scene, dimension, more = {}) => ({
  scene, dimension, step: STEP, gravity: dimension === 3 ? [0, 0, -9.81] : [0, -9.81, 0],
  formulation: "peg", solver: "lemke", joints: [], ...more,
});

/** Ten unit boxes on a floor; each falls by 1 m per place in the stack, lowest first, and rests. */
export function stack(label = "PEG", shift = 0) {
  const bodies = [body("floor", 0, { motion: "static" })];
  for (let i = 0; i < 10; i++) bodies.push(body(`box ${i + 1}`, 1));
  const drop = (t, i) => Math.max(0, 0.15 * (i + 1) - 0.5 * 9.81 * t * t);
  const pose = (t, b) => {
    if (b === 0) return { position: [0, 0, 0] };
    const i = b - 1;
    const speed = drop(t, i) > 0 ? -9.81 * t : 0;
    return { position: [shift * (b % 3) * t, 0, 0.25 + 0.5 * i + drop(t, i)], velocity: [0, 0, speed], orientation: [1, 0, 0, 0] };
  };
  const contacts = (k) => {
    const out = [];
    for (let i = 0; i < 10; i++) {
      if (drop(k * STEP, i) > 0) continue;
      for (const x of [-0.25, 0.25]) for (const y of [-0.25, 0.25]) {
        const load = (9.81 * (10 - i)) / 4;
        out.push({ point: [x, y, 0.5 * i], normal: [0, 0, 1], force: [0.15 * load * Math.sign(x), 0, load], pair: [i, i + 1], kind: i % 4, gap: 0 });
      }
    }
    return out;
  };
  const height = (t) => { let s = 0; for (let i = 0; i < 10; i++) s += 0.25 + 0.5 * i + drop(t, i); return s; };
  const series = {
    energy: (t) => 9.81 * height(t),
    contacts: (_, k) => contacts(k).length,
    residual: (t) => 1e-12 * (1.5 + Math.sin(20 * t)),
    penetration: (t) => 1e-9 * Math.exp(-t),
    joint_error: (t) => 10 ** (-8 + 3 * t),
    "momentum.x": () => 0, "momentum.z": (t) => (t < 0.5 ? -98.1 * t : 0),
    "time.detect": (t) => 1e-4 * (1 + 0.3 * Math.sin(9 * t)), "time.solve": (t) => 5e-4 * (1 + 0.5 * Math.cos(5 * t)),
  };
  const header = base("box-stack", 3, {
    label, bodies, shapes: [{ type: "half-space" }, cuboid(0.5, 0.5, 0.5)], series: describe(series),
  });
  return record(header, 121, pose, contacts, series, Float64Array);
}

const turn = (axis, angle) => {
  const n = Math.hypot(...axis);
  return [Math.cos(angle / 2), ...axis.map((a) => (a / n) * Math.sin(angle / 2))];
};

/** One of every shape, turning over a platform; two pendulums with joints. */
export function shapes() {
  const golden = (1 + Math.sqrt(5)) / 2;
  const octa = { type: "polytope", vertices: [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]].map((v) => v.map((c) => 0.6 * c)),
    faces: [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]] };
  const list = [cuboid(8, 4, 0.4), cuboid(0.8, 0.8, 0.8), { type: "ball", radius: 0.45 }, { type: "cylinder", half: 0.4, radius: 0.4 },
    { type: "cone", half: 0.45, radius: 0.45 }, { type: "capsule", half: 0.35, radius: 0.25 }, octa, cuboid(0.12, 0.12, 1)];
  const bodies = [body("platform", 0, { motion: "static" })];
  ["box", "ball", "cylinder", "cone", "capsule", "octahedron"].forEach((name, i) => bodies.push(body(name, i + 1)));
  bodies.push(body("upper rod", 7), body("lower rod", 7));
  bodies.push({ ...body("dumbbell", 2), parts: [
    { shape: 2, position: [-0.6, 0, 0], orientation: [1, 0, 0, 0] }, { shape: 2, position: [0.6, 0, 0], orientation: [1, 0, 0, 0] },
    { shape: 7, position: [0, 0, 0], orientation: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] }] });
  const pose = (t, b) => {
    if (b === 0) return { position: [0, 0, -0.2] };
    if (b <= 6) return { position: [-3.2 + 1.25 * (b - 1), -0.8 + 0.3 * Math.sin(2 * t + b), 0.75 + 0.1 * Math.sin(3 * t + b)], orientation: turn([b, 1, golden], t + b) };
    const [a, c] = [0.7 * Math.sin(2 * t), 1.1 * Math.sin(2 * t + 0.6)];
    const hang = (angle) => [0.5 * Math.sin(angle), 0, -0.5 * Math.cos(angle)];
    const top = [1.5, 1.2, 2.6];
    const [u, l] = [hang(a), hang(c)];
    if (b === 7) return { position: top.map((p, i) => p + u[i]), orientation: turn([0, 1, 0], -a) };
    if (b === 8) return { position: top.map((p, i) => p + 2 * u[i] + l[i]), orientation: turn([0, 1, 0], -c) };
    return { position: [-1.6, 1.1, 1.1], orientation: turn([0, 0.3, 1], 1.5 * t) };
  };
  const joints = [
    { name: "hook", type: "revolute", bodies: [7, -1], anchors: [[0, 0, 0.5], [1.5, 1.2, 2.6]], axis: [0, 1, 0] },
    { name: "elbow", type: "revolute", bodies: [8, 7], anchors: [[0, 0, 0.5], [0, 0, -0.5]], axis: [0, 1, 0] }];
  const series = { joint_error: (t) => 1e-6 * (1 + t), energy: (t) => 10 + Math.sin(4 * t) };
  return record(base("shapes", 3, { shapes: list, bodies, joints, series: describe(series) }), 200, pose, () => [], series);
}

/** A planar scene: a disc rolls down, polygons rest, a gripper closes. */
export function planar() {
  const regular = (n, r) => ({ type: "polygon", vertices: Array.from({ length: n }, (_, i) => [r * Math.cos((2 * Math.PI * i) / n), r * Math.sin((2 * Math.PI * i) / n), 0]) });
  const box = (w, h) => ({ type: "polygon", vertices: [[-w / 2, -h / 2, 0], [w / 2, -h / 2, 0], [w / 2, h / 2, 0], [-w / 2, h / 2, 0]] });
  const list = [{ type: "half-space" }, regular(3, 0.4), regular(5, 0.45), regular(6, 0.4), { type: "ball", radius: 0.35 }, box(0.3, 1.4), box(0.7, 0.7)];
  const bodies = [body("floor", 0, { motion: "static" }), body("triangle", 1), body("pentagon", 2), body("hexagon", 3), body("disc", 4),
    body("left finger", 5, { motion: "kinematic" }), body("right finger", 5, { motion: "kinematic" }), body("part", 6)];
  const flat = (x, y, a = 0, v = [0, 0, 0]) => ({ position: [x, y, 0], orientation: [Math.cos(a / 2), 0, 0, Math.sin(a / 2)], velocity: v });
  const pose = (t, b) => [
    () => flat(0, 0), () => flat(-3, 0.2, Math.PI / 2), () => flat(-2, 0.36, Math.PI / 2), () => flat(-1, 0.4 * Math.sin(Math.PI / 3)),
    () => flat(3.2 - 1.2 * t, 0.35, (1.2 * t) / 0.35, [-1.2, 0, 0]), () => flat(0.35 + Math.min(0.25, 0.3 * t) - 0.3, 0.7), () => flat(1.65 - Math.min(0.25, 0.3 * t) + 0.1, 0.7), () => flat(0.88, 0.35),
  ][b]();
  const contacts = () => [-0.35, 0.35].map((x) => ({ point: [0.88 + x, 0, 0], normal: [0, 1, 0], force: [0, 4.9, 0], pair: [0, 7], kind: 0 }))
    .concat([{ point: [-1, 0, 0], normal: [0, 1, 0], force: [1.5, 9.8, 0], pair: [0, 3], kind: 1 }, { point: [0.53, 0.5, 0], normal: [1, 0, 0], force: [6, 0, 0], pair: [5, 7], kind: 2 }]);
  const series = { energy: (t) => 3 + 0.1 * Math.sin(t) };
  return record(base("grasp-2d", 2, { shapes: list, bodies, series: describe(series) }), 150, pose, contacts, series);
}

/** `n` boxes and balls in a slowly turning heap. */
export function many(n) {
  const bodies = [body("floor", 0, { motion: "static" })];
  for (let i = 0; i < n; i++) bodies.push(body(`body ${i}`, 1 + (i % 2)));
  const side = Math.ceil(Math.cbrt(n));
  const pose = (t, b) => {
    if (b === 0) return { position: [0, 0, 0] };
    const i = b - 1;
    const [x, y, z] = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
    const sway = 0.12 * Math.sin(3 * t + 0.7 * z);
    return { position: [x - side / 2 + sway, y - side / 2 + 0.2 * Math.cos(2 * t + z), 0.5 + z * 1.02], orientation: turn([x + 1, y, z], t + i) };
  };
  return record(base("heap", 3, { shapes: [{ type: "half-space" }, cuboid(0.7, 0.7, 0.7), { type: "ball", radius: 0.4 }], bodies }), 60, pose);
}
