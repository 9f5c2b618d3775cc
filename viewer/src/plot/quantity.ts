// What can be plotted: scalar series of the run, and quantities of each body.

import type { Recording } from "../recording";

export interface Quantity {
  id: string;
  label: string;
  unit: string;
  group: string;
  /** Needs a body. */
  body: boolean;
}

export interface Curve {
  quantity: string;
  /** Name of the body, for quantities of bodies. */
  body: string | null;
}

const AXES = ["x", "y", "z"];

const VECTORS: [string, string, string, string][] = [
  ["position", "Position", "m", "position"],
  ["velocity", "Velocity", "m/s", "velocity"],
  ["acceleration", "Acceleration", "m/s²", "velocity"],
  ["angular_velocity", "Angular velocity", "rad/s", "angular_velocity"],
];

export function quantities(recording: Recording): Quantity[] {
  const out: Quantity[] = (recording.header.series ?? []).map((s) => ({
    id: s.name, label: s.label, unit: s.unit, group: "Run", body: false,
  }));
  const planar = recording.header.dimension === 2;
  for (const [id, label, unit, source] of VECTORS) {
    if (!recording.has(source)) continue;
    const turning = id === "angular_velocity";
    const axes = planar ? (turning ? ["z"] : ["x", "y"]) : AXES;
    for (const axis of axes) out.push({ id: `${id}.${axis}`, label: `${label} ${axis}`, unit, group: label, body: true });
    if (!planar || !turning) out.push({ id: `${id}.norm`, label: `|${label}|`, unit, group: label, body: true });
  }
  out.push({ id: "angle", label: "Angle of rotation", unit: "rad", group: "Orientation", body: true });
  out.push({ id: "contact_force.norm", label: "|Contact force|", unit: "N", group: "Contact", body: true });
  return out;
}

/** The values of a curve, one per frame; NaN where there are none. */
export function values(recording: Recording, curve: Curve): Float64Array {
  const out = new Float64Array(recording.frames).fill(NaN);
  if (curve.body === null) {
    const data = recording.series(curve.quantity);
    data.forEach((v, k) => (out[k] = v));
    return out;
  }
  const body = recording.bodies.findIndex((b) => b.name === curve.body);
  if (body < 0) return out;
  const [name, part] = curve.quantity.split(".");
  if (name === "angle") {
    for (let k = 0; k < out.length; k++) {
      const [w, x, y, z] = recording.vector("orientation", k, body, 4);
      out[k] = 2 * Math.atan2(Math.hypot(x, y, z), Math.abs(w));
    }
    return out;
  }
  if (name === "contact_force") return contactForce(recording, body, out);
  const source = name === "acceleration" ? "velocity" : name;
  const component = (k: number): number[] => recording.vector(source, k, body);
  const pick = (v: number[]): number => (part === "norm" ? Math.hypot(...v) : v[AXES.indexOf(part)]);
  for (let k = 0; k < out.length; k++) {
    if (name !== "acceleration") {
      out[k] = pick(component(k));
    } else if (k > 0) {
      const dt = recording.time(k) - recording.time(k - 1);
      const before = component(k - 1);
      out[k] = pick(component(k).map((v, i) => (v - before[i]) / dt));
    }
  }
  return out;
}

/** Size of the sum of the contact forces on a body. */
function contactForce(recording: Recording, body: number, out: Float64Array): Float64Array {
  for (let k = 0; k < out.length; k++) {
    const sum = [0, 0, 0];
    for (const c of recording.contacts(k)) {
      const sign = c.pair[1] === body ? 1 : c.pair[0] === body ? -1 : 0;
      c.force.forEach((f, i) => (sum[i] += sign * f));
    }
    out[k] = Math.hypot(...sum);
  }
  return out;
}

export interface Preset {
  label: string;
  curves: string[];
  log: boolean;
}

/** Groups of curves that belong together; those that a recording lacks are left out. */
export const PRESETS: Preset[] = [
  { label: "Energy", curves: ["energy"], log: false },
  { label: "Joint error", curves: ["joint_error"], log: true },
  { label: "Penetration", curves: ["penetration"], log: true },
  { label: "Residual", curves: ["residual"], log: true },
  { label: "Contacts", curves: ["contacts"], log: false },
  { label: "Momentum", curves: ["momentum.x", "momentum.y", "momentum.z"], log: false },
  { label: "Stage times", curves: ["time.detect", "time.formulate", "time.solve", "time.integrate", "time.stabilize"], log: true },
];
