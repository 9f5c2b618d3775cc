// How large a scene is: for the camera, the light, and the size of marks.

import * as THREE from "three";
import type { Shape } from "../format";
import type { Recording } from "../recording";
import { poseOf } from "./bodies";

/** Corners whose hull holds the shape; none for a half-space. */
function corners(shape: Shape): THREE.Vector3[] {
  switch (shape.type) {
    case "polytope":
    case "polygon":
    case "mesh":
      return shape.vertices.map((v) => new THREE.Vector3(...v));
    case "half-space":
      return [];
    default: {
      const r = shape.radius;
      const z = shape.type === "ball" ? r : shape.half + (shape.type === "capsule" ? r : 0);
      const out: THREE.Vector3[] = [];
      for (const sx of [-r, r]) for (const sy of [-r, r]) for (const sz of [-z, z]) {
        out.push(new THREE.Vector3(sx, sy, sz));
      }
      return out;
    }
  }
}

/** Frames that are evaluated to find how far things move. */
const SAMPLES = 48;
/** A path that makes the scene so many times larger than it was is not shown whole. */
const FAR = 20;

export class Extents {
  /** Corners of each body in its own frame. */
  private points: THREE.Vector3[][];
  /** Half the diagonal of a typical moving body. */
  readonly typical: number;
  private matrix = new THREE.Matrix4();
  private point = new THREE.Vector3();

  constructor(private recording: Recording) {
    const { header } = recording;
    this.points = header.bodies.map((body) =>
      body.parts.flatMap((part) => {
        const [w, x, y, z] = part.orientation;
        const rotation = new THREE.Quaternion(x, y, z, w);
        const shift = new THREE.Vector3(...part.position);
        return corners(header.shapes[part.shape]).map((p) => p.applyQuaternion(rotation).add(shift));
      }),
    );
    const radius = (b: number): number => {
      const box = new THREE.Box3().setFromPoints(this.points[b]);
      return box.isEmpty() ? NaN : box.getSize(new THREE.Vector3()).length() / 2;
    };
    const all = header.bodies.map((_, b) => b).filter((b) => this.points[b].length > 0);
    const moving = all.filter((b) => header.bodies[b].motion !== "static");
    const sizes = (moving.length ? moving : all).map(radius).sort((a, b) => a - b);
    this.typical = sizes[Math.floor(sizes.length / 2)] || 0.5;
  }

  /** Axis-aligned box around a body in a frame; empty for a half-space. */
  box(frame: number, body: number, out: THREE.Box3): THREE.Box3 {
    out.makeEmpty();
    poseOf(this.recording, frame, body, this.matrix);
    for (const p of this.points[body]) out.expandByPoint(this.point.copy(p).applyMatrix4(this.matrix));
    return out;
  }

  private around(frame: number, bodies: number[], all = new THREE.Box3()): THREE.Box3 {
    const one = new THREE.Box3();
    for (const b of bodies) all.union(this.box(frame, b, one));
    return all;
  }

  private drawn(fixed: boolean): number[] {
    return this.recording.bodies.flatMap((body, b) =>
      (body.motion === "static") === fixed && body.visible !== false && this.points[b].length > 0 ? [b] : []);
  }

  /** Height at which the scene stands: the bottom of what is fixed, or of everything at the start.
   * Half-spaces have ground of their own. */
  ground(): number {
    const [fixed, moving] = [this.drawn(true), this.drawn(false)];
    const box = this.around(0, fixed.length > 0 ? fixed : moving);
    return box.isEmpty() ? 0 : box.min.z;
  }

  /** Adds the foot of the middle on every half-space that is near: what falls will land there. */
  private addGround(box: THREE.Box3): void {
    const { header } = this.recording;
    const middle = box.getCenter(new THREE.Vector3());
    const near = 2 * box.getSize(new THREE.Vector3()).length();
    const up = header.dimension === 2 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
    header.bodies.forEach((body, b) => {
      for (const part of body.parts) {
        if (header.shapes[part.shape].type !== "half-space" || body.visible === false) continue;
        const [w, x, y, z] = part.orientation;
        const pose = poseOf(this.recording, 0, b, this.matrix).multiply(new THREE.Matrix4().compose(
          new THREE.Vector3(...part.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1)));
        const normal = up.clone().transformDirection(pose);
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, this.point.setFromMatrixPosition(pose));
        const foot = plane.projectPoint(middle, new THREE.Vector3());
        if (foot.distanceTo(middle) < near) box.expandByPoint(foot);
      }
    });
  }

  /** What moves in these frames, with what is fixed around it. */
  motion(first = 0, last = this.recording.frames - 1): THREE.Box3 {
    const [fixed, moving] = [this.drawn(true), this.drawn(false)];
    const start = this.around(first, moving.length > 0 ? moving : fixed);
    if (start.isEmpty()) start.expandByPoint(new THREE.Vector3()).expandByScalar(1);
    const box = this.sweep(start.clone(), moving, first, last);
    const size = box.getSize(new THREE.Vector3()).length();
    // Of what is fixed as much as is near: a floor of many tiles is larger than what happens on it.
    const near = box.clone().expandByScalar(0.2 * size);
    for (const b of fixed) {
      const part = this.box(first, b, new THREE.Box3()).intersect(near);
      if (!part.isEmpty()) box.union(part);
    }
    this.addGround(box);
    return box;
  }

  /** The whole path, unless it leads far away: then where bodies are most of the time. */
  private sweep(box: THREE.Box3, moving: number[], first: number, last: number): THREE.Box3 {
    const samples = Math.min(SAMPLES, last - first);
    const frames = Array.from({ length: samples }, (_, k) => first + Math.round(((k + 1) * (last - first)) / samples));
    const limit = FAR * Math.max(box.getSize(new THREE.Vector3()).length(), 4 * this.typical);
    const whole = box.clone();
    for (const frame of frames) this.around(frame, moving, whole);
    if (whole.getSize(new THREE.Vector3()).length() <= limit) return whole;
    const places = moving.flatMap((b) => frames.map((k) => this.recording.vector("position", k, b)));
    const bound = (axis: number, share: number): number => {
      const sorted = places.map((p) => p[axis]).sort((a, b) => a - b);
      return sorted[Math.floor(share * (sorted.length - 1))];
    };
    const ends = [0.05, 0.95].map((share) => new THREE.Vector3(bound(0, share), bound(1, share), bound(2, share)));
    return box.union(new THREE.Box3(ends[0], ends[1]).expandByScalar(this.typical));
  }

  /** Corners of every box of a body at some times, for a view that just holds them. */
  silhouette(first = 0, last = this.recording.frames - 1): THREE.Vector3[] {
    const all = this.motion(first, last);
    const out: THREE.Vector3[] = [];
    const add = (box: THREE.Box3): void => {
      for (let i = 0; i < 8; i++) {
        out.push(new THREE.Vector3(
          i & 4 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 1 ? box.max.z : box.min.z));
      }
    };
    const [fixed, moving] = [this.drawn(true), this.drawn(false)];
    const samples = Math.max(1, Math.min(SAMPLES, last - first));
    const stride = Math.max(1, Math.ceil((moving.length * samples) / 4000));
    const one = new THREE.Box3();
    for (let k = 0; k <= samples; k += stride) {
      const frame = first + Math.round((k * (last - first)) / samples);
      for (const b of moving) if (all.intersectsBox(this.box(frame, b, one))) add(one.intersect(all));
    }
    for (const b of moving) if (all.intersectsBox(this.box(last, b, one))) add(one.intersect(all));
    for (const b of fixed) {
      this.box(first, b, one).intersect(all);
      if (!one.isEmpty()) add(one);
    }
    if (out.length === 0) add(all);
    return out;
  }
}
