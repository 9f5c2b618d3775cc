// All bodies of a recording: one instanced mesh per shape, whatever the number of bodies.

import * as THREE from "three";
import type { Recording } from "../recording";
import { geometryOf } from "./geometry";
import { applyTheme, bodyMaterial, bodyUniforms } from "./material";
import { PALETTE, type Theme } from "./theme";

interface Group {
  mesh: THREE.InstancedMesh;
  highlight: THREE.InstancedBufferAttribute;
  /** Body of each instance. */
  bodies: number[];
  /** Pose of the part in its body, `null` when it is the body's own frame. */
  parts: (THREE.Matrix4 | null)[];
}

const scratch = {
  matrix: new THREE.Matrix4(),
  position: new THREE.Vector3(),
  rotation: new THREE.Quaternion(),
  next: new THREE.Vector3(),
  turned: new THREE.Quaternion(),
  one: new THREE.Vector3(1, 1, 1),
};

/** Pose of a body in a frame, or between it and the next where the picture is. */
export function poseOf(recording: Recording, frame: number, body: number, out: THREE.Matrix4): THREE.Matrix4 {
  const x = recording.row("position", frame);
  const q = recording.row("orientation", frame);
  const [i, j] = [3 * body, 4 * body];
  scratch.position.set(x[i], x[i + 1], x[i + 2]);
  scratch.rotation.set(q[j + 1], q[j + 2], q[j + 3], q[j]);
  const { share } = recording.between;
  if (share > 0 && frame === recording.between.frame && frame + 1 < recording.frames) {
    const y = recording.row("position", frame + 1);
    const p = recording.row("orientation", frame + 1);
    scratch.position.lerp(scratch.next.set(y[i], y[i + 1], y[i + 2]), share);
    scratch.rotation.slerp(scratch.turned.set(p[j + 1], p[j + 2], p[j + 3], p[j]), share);
  }
  return out.compose(scratch.position, scratch.rotation, scratch.one);
}

export class BodyLayer {
  readonly root = new THREE.Group();
  private groups: Group[] = [];
  private uniforms = bodyUniforms();
  private materials: THREE.Material[] = [];
  private hidden = new Set<number>();
  private selected = -1;

  /** A ghost is see-through, casts nothing and leaves out what does not move. */
  constructor(private recording: Recording, private ghost: boolean) {
    const { header } = recording;
    header.shapes.forEach((shape, index) => {
      const bodies: number[] = [];
      const parts: (THREE.Matrix4 | null)[] = [];
      header.bodies.forEach((body, b) => {
        if (body.visible === false || (ghost && body.motion === "static")) return;
        for (const part of body.parts.filter((p) => p.shape === index)) {
          bodies.push(b);
          parts.push(partMatrix(part.position, part.orientation));
        }
      });
      const geometry = geometryOf(shape, header.dimension, bodies.length);
      if (geometry && bodies.length > 0) this.addGroup(geometry, bodies, parts);
    });
  }

  get meshes(): THREE.InstancedMesh[] {
    return this.groups.map((g) => g.mesh);
  }

  private addGroup(geometry: THREE.BufferGeometry, bodies: number[], parts: Group["parts"]): void {
    const flat = this.recording.header.dimension === 2 || this.ghost;
    const material = bodyMaterial(this.uniforms, flat);
    // Pushed back a little: a body that hardly moved must not flicker against its ghost.
    const behind = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 };
    if (this.ghost) Object.assign(material, { transparent: true, opacity: 0.28, depthWrite: false, ...behind });
    const mesh = new THREE.InstancedMesh(geometry, material, bodies.length);
    const highlight = new THREE.InstancedBufferAttribute(new Float32Array(bodies.length), 1);
    geometry.setAttribute("highlight", highlight);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = !flat;
    mesh.userData.bodies = bodies;
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.materials.push(material);
    this.groups.push({ mesh, highlight, bodies, parts });
    this.root.add(mesh);
  }

  setTheme(theme: Theme): void {
    applyTheme(this.uniforms, theme);
    const color = new THREE.Color();
    for (const { mesh, bodies } of this.groups) {
      bodies.forEach((b, i) => mesh.setColorAt(i, bodyColor(this.recording, b, theme, color)));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  setFrame(frame: number): void {
    const flat = this.recording.header.dimension === 2;
    for (const group of this.groups) {
      group.bodies.forEach((body, i) => {
        const matrix = poseOf(this.recording, frame, body, scratch.matrix);
        const part = group.parts[i];
        if (part) matrix.multiply(part);
        // In the plane what does not move lies behind what does.
        if (flat) matrix.elements[14] += this.recording.bodies[body].motion === "static" ? -0.02 : 0;
        if (this.hidden.has(body)) matrix.makeScale(0, 0, 0);
        group.mesh.setMatrixAt(i, matrix);
      });
      group.mesh.instanceMatrix.needsUpdate = true;
      group.mesh.boundingSphere = null;
    }
  }

  select(body: number): void {
    this.selected = body;
    for (const { highlight, bodies } of this.groups) {
      bodies.forEach((b, i) => highlight.setX(i, b === this.selected ? 1 : 0));
      highlight.needsUpdate = true;
    }
  }

  setHidden(hidden: Set<number>): void {
    this.hidden = hidden;
  }

  setSeeThrough(on: boolean): void {
    if (this.ghost) return;
    for (const material of this.materials) {
      material.transparent = on;
      material.opacity = on ? 0.38 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  setEdges(on: boolean): void {
    this.uniforms.edgeWidth.value = on ? 1.1 : -2;
  }

  dispose(): void {
    for (const { mesh } of this.groups) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.materials.forEach((m) => m.dispose());
  }
}

function partMatrix(p: number[], q: number[]): THREE.Matrix4 | null {
  if (p.every((x) => x === 0) && q[0] === 1) return null;
  const rotation = new THREE.Quaternion(q[1], q[2], q[3], q[0]);
  return new THREE.Matrix4().compose(new THREE.Vector3(p[0], p[1], p[2]), rotation, scratch.one);
}

/** Its own color, or one by its place among the bodies that move; what is fixed is gray. */
export function bodyColor(recording: Recording, b: number, theme: Theme, out: THREE.Color): THREE.Color {
  const body = recording.bodies[b];
  if (body.color) {
    return out.setRGB(body.color[0], body.color[1], body.color[2], THREE.SRGBColorSpace);
  }
  return out.set(body.motion === "static" ? theme.fixed : PALETTE[b % PALETTE.length]);
}
