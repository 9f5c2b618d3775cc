// Instanced marks that are rebuilt every frame: arrows, points, cones, lines.

import * as THREE from "three";

const UP = new THREE.Vector3(0, 1, 0);
const scratch = {
  matrix: new THREE.Matrix4(),
  rotation: new THREE.Quaternion(),
  scale: new THREE.Vector3(),
  direction: new THREE.Vector3(),
  place: new THREE.Vector3(),
  color: new THREE.Color(),
};

/** Equal pieces of geometry, each with its place, direction, size and color. */
export class Marks {
  readonly root = new THREE.Group();
  private mesh: THREE.InstancedMesh | null = null;
  private count = 0;

  constructor(
    private geometry: THREE.BufferGeometry,
    private material: THREE.Material,
  ) {}

  begin(capacity: number): void {
    this.count = 0;
    if (!this.mesh || this.mesh.instanceMatrix.count < capacity) {
      this.mesh?.dispose();
      this.root.clear();
      this.mesh = new THREE.InstancedMesh(this.geometry, this.material, Math.max(16, 2 * capacity));
      this.mesh.frustumCulled = false;
      this.root.add(this.mesh);
    }
  }

  /** The geometry's y axis goes along `direction`. */
  add(at: THREE.Vector3, direction: THREE.Vector3, width: number, length: number, color: THREE.ColorRepresentation): void {
    if (!this.mesh || this.count >= this.mesh.instanceMatrix.count) return;
    scratch.rotation.setFromUnitVectors(UP, direction);
    scratch.scale.set(width, length, width);
    this.mesh.setMatrixAt(this.count, scratch.matrix.compose(at, scratch.rotation, scratch.scale));
    this.mesh.setColorAt(this.count, scratch.color.set(color));
    this.count += 1;
  }

  end(): void {
    if (!this.mesh) return;
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
    this.mesh?.dispose();
  }
}

/** Arrows with a head of fixed size, whatever their length. */
export class Arrows {
  readonly root = new THREE.Group();
  private shafts: Marks;
  private heads: Marks;

  constructor() {
    const material = (): THREE.Material => new THREE.MeshBasicMaterial();
    this.shafts = new Marks(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material());
    this.heads = new Marks(new THREE.ConeGeometry(1, 1, 16).translate(0, 0.5, 0), material());
    this.root.add(this.shafts.root, this.heads.root);
  }

  begin(capacity: number): void {
    this.shafts.begin(capacity);
    this.heads.begin(capacity);
  }

  add(from: THREE.Vector3, vector: THREE.Vector3, radius: number, color: THREE.ColorRepresentation): void {
    const length = vector.length();
    if (!(length > 0) || !Number.isFinite(length)) return;
    const direction = scratch.direction.copy(vector).divideScalar(length);
    const head = Math.min(5 * radius, 0.6 * length);
    this.shafts.add(from, direction, Math.min(radius, 0.3 * head), length - head, color);
    scratch.place.copy(from).addScaledVector(direction, length - head);
    this.heads.add(scratch.place, direction, 0.48 * head, head, color);
  }

  end(): void {
    this.shafts.end();
    this.heads.end();
  }

  dispose(): void {
    this.shafts.dispose();
    this.heads.dispose();
  }
}

/** Line segments with a color per end. */
export class Lines {
  readonly root: THREE.LineSegments;
  private positions: number[] = [];
  private colors: number[] = [];

  constructor(opacity = 1) {
    const material = new THREE.LineBasicMaterial({
      vertexColors: true, transparent: opacity < 1, opacity, depthWrite: opacity === 1,
    });
    this.root = new THREE.LineSegments(new THREE.BufferGeometry(), material);
    this.root.frustumCulled = false;
  }

  begin(): void {
    this.positions = [];
    this.colors = [];
  }

  add(a: THREE.Vector3, b: THREE.Vector3, colorA: THREE.Color, colorB = colorA): void {
    this.positions.push(a.x, a.y, a.z, b.x, b.y, b.z);
    this.colors.push(colorA.r, colorA.g, colorA.b, colorB.r, colorB.g, colorB.b);
  }

  end(): void {
    // A fresh geometry: attributes of another length cannot be updated in place.
    this.root.geometry.dispose();
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(this.positions, 3));
    geometry.setAttribute("color", new THREE.Float32BufferAttribute(this.colors, 3));
    this.root.geometry = geometry;
    this.root.visible = this.positions.length > 0;
  }

  dispose(): void {
    this.root.geometry.dispose();
    (this.root.material as THREE.Material).dispose();
  }
}
