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

  private around(frame: number): THREE.Box3 {
    const [all, one] = [new THREE.Box3(), new THREE.Box3()];
    this.recording.bodies.forEach((body, b) => {
      if (body.visible !== false) all.union(this.box(frame, b, one));
    });
    return all;
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

  /** Box of the scene over time, up to `most` times as large as at the start: bodies that roll or
   * fly far away do not count. */
  scene(most: number): THREE.Box3 {
    const first = this.around(0);
    if (first.isEmpty()) first.expandByPoint(new THREE.Vector3()).expandByScalar(1);
    this.addGround(first);
    const limit = most * first.getSize(new THREE.Vector3()).length();
    const total = first.clone();
    const samples = Math.min(16, this.recording.frames - 1);
    for (let k = 1; k <= samples; k++) {
      const later = this.around(Math.round((k * (this.recording.frames - 1)) / samples));
      const grown = total.clone().union(later);
      if (grown.getSize(new THREE.Vector3()).length() < limit) total.copy(grown);
    }
    return total;
  }
}
