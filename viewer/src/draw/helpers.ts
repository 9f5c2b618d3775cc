// Boxes, joints, body frames, centres of mass, trails.

import * as THREE from "three";
import type { Options } from "../options";
import type { Recording } from "../recording";
import { poseOf } from "./bodies";
import type { Extents } from "./extent";
import { Arrows, Lines, Marks } from "./marks";
import type { Theme } from "./theme";
import { Trails } from "./trails";

const AXES: [THREE.Vector3, string][] = [
  [new THREE.Vector3(1, 0, 0), "#e5484d"],
  [new THREE.Vector3(0, 1, 0), "#30a46c"],
  [new THREE.Vector3(0, 0, 1), "#3e7bfa"],
];
const BOX_EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

export class HelperLayer {
  /** Hidden behind bodies as usual. */
  readonly root = new THREE.Group();
  /** Drawn over them. */
  readonly over = new THREE.Group();
  private boxes = new Lines();
  private trails: Trails;
  private axes = new Arrows();
  private centers: Marks;
  private pins: Marks;
  private joints = new Lines();
  private jointAxes = new Arrows();
  private theme: Theme | null = null;

  constructor(private recording: Recording, private extents: Extents) {
    const material = (): THREE.Material => new THREE.MeshBasicMaterial();
    this.centers = new Marks(new THREE.OctahedronGeometry(1), material());
    this.pins = new Marks(new THREE.SphereGeometry(1, 16, 12), material());
    this.trails = new Trails(recording);
    this.root.add(this.boxes.root, this.trails.root);
    this.over.add(this.axes.root, this.centers.root, this.pins.root, this.joints.root, this.jointAxes.root);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
  }

  update(frame: number, options: Options, selected: number): void {
    this.drawBoxes(options.boxes ? frame : -1);
    this.trails.update(options.trails ? frame : -1, selected, this.theme);
    this.drawFrames(frame, options);
    this.drawJoints(options.joints ? frame : -1);
  }

  private moving(): number[] {
    return this.recording.bodies.flatMap((b, i) => (b.motion !== "static" && b.visible !== false ? [i] : []));
  }

  private drawBoxes(frame: number): void {
    this.boxes.begin();
    if (frame >= 0) {
      const touching = new Set<number>();
      for (const c of this.recording.contacts(frame)) {
        const pushes = Math.hypot(...c.force) > 0 || c.gap <= 0;
        if (pushes) c.pair.forEach((b) => touching.add(b));
      }
      const [red, calm] = [new THREE.Color("#f03e3e"), new THREE.Color(this.theme?.grid)];
      const box = new THREE.Box3();
      this.recording.bodies.forEach((body, b) => {
        if (body.visible === false || this.extents.box(frame, b, box).isEmpty()) return;
        const corner = (i: number): THREE.Vector3 => new THREE.Vector3(
          i & 4 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 1 ? box.max.z : box.min.z,
        );
        const color = touching.has(b) ? red : calm;
        for (let k = 0; k < 24; k += 2) this.boxes.add(corner(BOX_EDGES[k]), corner(BOX_EDGES[k + 1]), color);
      });
    }
    this.boxes.end();
  }

  private drawFrames(frame: number, options: Options): void {
    const bodies = options.frames || options.centers ? this.moving() : [];
    const size = this.extents.typical;
    const [matrix, at, axis] = [new THREE.Matrix4(), new THREE.Vector3(), new THREE.Vector3()];
    this.axes.begin(3 * bodies.length);
    this.centers.begin(bodies.length);
    const planar = this.recording.header.dimension === 2;
    for (const b of bodies) {
      poseOf(this.recording, frame, b, matrix);
      at.setFromMatrixPosition(matrix);
      if (options.frames) {
        for (const [direction, color] of planar ? AXES.slice(0, 2) : AXES) {
          axis.copy(direction).transformDirection(matrix).multiplyScalar(0.85 * size);
          this.axes.add(at, axis, 0.022 * size, color);
        }
      }
      const r = 0.07 * size;
      if (options.centers) this.centers.add(at, AXES[1][0], r, r, "#ffd43b");
    }
    this.axes.end();
    this.centers.end();
  }

  private drawJoints(frame: number): void {
    const joints = frame >= 0 ? (this.recording.header.joints ?? []) : [];
    const size = this.extents.typical;
    const color = new THREE.Color("#ff7a1a");
    this.pins.begin(2 * joints.length);
    this.jointAxes.begin(joints.length);
    this.joints.begin();
    const matrix = new THREE.Matrix4();
    for (const joint of joints) {
      const ends = joint.anchors.map((anchor, side) => {
        const body = joint.bodies[side];
        const point = new THREE.Vector3(...anchor);
        return body < 0 ? point : point.applyMatrix4(poseOf(this.recording, frame, body, matrix));
      });
      ends.forEach((end) => this.pins.add(end, AXES[1][0], 0.07 * size, 0.07 * size, color));
      this.joints.add(ends[0], ends[1], color);
      for (const side of [0, 1]) {
        const body = joint.bodies[side];
        if (body < 0) continue;
        const middle = new THREE.Vector3().setFromMatrixPosition(poseOf(this.recording, frame, body, matrix));
        this.joints.add(middle, ends[side], color);
      }
      if (joint.axis && this.recording.header.dimension === 3) {
        const axis = new THREE.Vector3(...joint.axis);
        if (joint.bodies[0] >= 0) axis.transformDirection(poseOf(this.recording, frame, joint.bodies[0], matrix));
        axis.multiplyScalar(0.7 * size);
        this.jointAxes.add(ends[0], axis, 0.02 * size, color);
      }
    }
    this.pins.end();
    this.jointAxes.end();
    this.joints.end();
  }

  dispose(): void {
    [this.boxes, this.trails, this.axes, this.centers, this.pins, this.joints, this.jointAxes].forEach((p) => p.dispose());
  }
}
