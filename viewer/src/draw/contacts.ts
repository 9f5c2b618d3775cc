// Contact points, normals, forces and friction cones of one frame.

import * as THREE from "three";
import type { Options } from "../options";
import type { Recording } from "../recording";
import { Arrows, Marks } from "./marks";
import { KIND_COLORS } from "./theme";

export class ContactLayer {
  readonly root = new THREE.Group();
  private points: Marks;
  private normals = new Arrows();
  private forces = new Arrows();
  private cones: Marks;
  /** Metres per newton. */
  forceScale: number;

  constructor(private recording: Recording, private size: number) {
    this.points = new Marks(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial());
    const cone = new THREE.ConeGeometry(1, 1, 32, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
    this.cones = new Marks(cone, new THREE.MeshBasicMaterial({
      transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false,
    }));
    this.root.add(this.points.root, this.normals.root, this.forces.root, this.cones.root);
    this.forceScale = this.defaultScale();
  }

  /**
   * Large forces of the recording (nine in ten are smaller) get 1.6 times a body's radius; but a
   * tenth of the heaviest weight is the least that counts as large, lest rounding look like force.
   */
  private defaultScale(): number {
    const forces: number[] = [];
    const stride = Math.max(1, Math.floor(this.recording.frames / 200));
    for (let k = 0; k < this.recording.frames; k += stride) {
      for (const c of this.recording.contacts(k)) {
        const f = Math.hypot(...c.force);
        if (f > 0) forces.push(f);
      }
    }
    forces.sort((a, b) => a - b);
    const moving = this.recording.bodies.filter((b) => b.motion === "dynamic");
    const gravity = Math.hypot(...(this.recording.header.gravity ?? [0, 0, -9.81]));
    const weight = gravity * moving.reduce((most, b) => Math.max(most, b.mass ?? 0), 0);
    const large = forces[Math.floor(0.9 * forces.length)] ?? weight;
    return (1.6 * this.size) / Math.max(large, 0.1 * weight, 1e-12);
  }

  update(frame: number, options: Options, factor: number): void {
    const any = options.contactPoints || options.contactNormals || options.contactForces || options.frictionCones;
    const contacts = any ? this.recording.contacts(frame) : [];
    const [at, along] = [new THREE.Vector3(), new THREE.Vector3()];
    const parts = [this.points, this.normals, this.forces, this.cones];
    parts.forEach((part) => part.begin(contacts.length));
    for (const c of contacts) {
      const color = KIND_COLORS[c.kind] ?? KIND_COLORS[0];
      at.set(...c.point);
      along.set(...c.normal);
      const r = 0.065 * this.size;
      if (options.contactPoints) this.points.add(at, along, r, r, color);
      if (options.frictionCones && c.friction > 0 && c.kind !== 3) {
        const height = 0.55 * this.size;
        this.cones.add(at, along, height * c.friction, height, color);
      }
      if (options.contactNormals) this.normals.add(at, along.multiplyScalar(0.5 * this.size), 0.014 * this.size, color);
      along.set(...c.force).multiplyScalar(this.forceScale * factor);
      // Impacts are many times larger than weights: beyond a few radii only their logarithm counts.
      const [length, most] = [along.length(), 4 * this.size * Math.max(1, factor)];
      if (length > most) along.multiplyScalar((most * (1 + Math.log(length / most))) / length);
      if (options.contactForces) this.forces.add(at, along, 0.032 * this.size, color);
    }
    parts.forEach((part) => part.end());
  }

  dispose(): void {
    [this.points, this.normals, this.forces, this.cones].forEach((part) => part.dispose());
  }
}
