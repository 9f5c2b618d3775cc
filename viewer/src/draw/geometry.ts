// Shapes as triangles. The attribute `rim` makes the edges: a fragment is on an edge where one
// of its three numbers crosses zero, so edges cost no draw call and never flicker.

import * as THREE from "three";
import type { Shape, Vec3 } from "../format";

/** Collects triangles with one `rim` triple per corner. */
class Builder {
  private positions: number[] = [];
  private normals: number[] = [];
  private rims: number[] = [];

  triangle(points: Vec3[], normals: Vec3[], rims: Vec3[]): void {
    for (let i = 0; i < 3; i++) {
      this.positions.push(...points[i]);
      this.normals.push(...normals[i]);
      this.rims.push(...rims[i]);
    }
  }

  /** A flat convex face as a fan; its border is drawn, the inner diagonals are not. */
  face(points: Vec3[]): void {
    const n = normalOf(points);
    for (let i = 1; i + 1 < points.length; i++) {
      const [first, last] = [i === 1, i + 2 === points.length];
      // The number opposite a side is its distance from that side; 1 everywhere hides it.
      const show = [true, last, first];
      const rims = [0, 1, 2].map((corner) =>
        show.map((shown, side) => (!shown || side === corner ? 1 : 0)),
      ) as Vec3[];
      this.triangle([points[0], points[i], points[i + 1]], [n, n, n], rims);
    }
  }

  build(): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(this.positions, 3));
    geometry.setAttribute("normal", new THREE.Float32BufferAttribute(this.normals, 3));
    geometry.setAttribute("rim", new THREE.Float32BufferAttribute(this.rims, 3));
    geometry.computeBoundingBox();
    geometry.computeBoundingSphere();
    return geometry;
  }
}

function normalOf(p: Vec3[]): Vec3 {
  // Newell's sum does not mind collinear corners.
  const n = new THREE.Vector3();
  p.forEach((a, i) => {
    const b = p[(i + 1) % p.length];
    n.x += (a[1] - b[1]) * (a[2] + b[2]);
    n.y += (a[2] - b[2]) * (a[0] + b[0]);
    n.z += (a[0] - b[0]) * (a[1] + b[1]);
  });
  return n.normalize().toArray() as Vec3;
}

/** A surface of revolution about z through the points (radius, z) of a profile. */
function revolve(
  profile: [number, number][],
  normalAt: (k: number, end: boolean) => [number, number],
  rimAt: (point: Vec3, k: number, end: boolean) => Vec3,
  sides: number,
): THREE.BufferGeometry {
  const builder = new Builder();
  const around = (r: number, z: number, i: number): Vec3 => {
    const angle = (2 * Math.PI * (i % sides)) / sides;
    return [r * Math.cos(angle), r * Math.sin(angle), z];
  };
  for (let k = 0; k + 1 < profile.length; k++) {
    const [[ra, za], [rb, zb]] = [profile[k], profile[k + 1]];
    const [na, nb] = [normalAt(k, false), normalAt(k, true)];
    for (let i = 0; i < sides; i++) {
      const [a, b] = [around(ra, za, i), around(ra, za, i + 1)];
      const [c, d] = [around(rb, zb, i + 1), around(rb, zb, i)];
      const n = (m: [number, number], j: number): Vec3 => around(m[0], m[1], j);
      const rim = [rimAt(a, k, false), rimAt(b, k, false), rimAt(c, k, true), rimAt(d, k, true)];
      const normals = [n(na, i), n(na, i + 1), n(nb, i + 1), n(nb, i)];
      const corners = [a, b, c, d];
      const pick = (index: number[]): [Vec3[], Vec3[], Vec3[]] => [
        index.map((j) => corners[j]),
        index.map((j) => normals[j]),
        index.map((j) => rim[j]),
      ];
      if (ra > 0) builder.triangle(...pick([0, 1, 2]));
      if (rb > 0) builder.triangle(...pick([0, 2, 3]));
    }
  }
  return builder.build();
}

function ball(radius: number, sides: number): THREE.BufferGeometry {
  const n = sides / 2;
  const profile = Array.from({ length: n + 1 }, (_, k): [number, number] => {
    const angle = -Math.PI / 2 + (Math.PI * k) / n;
    const r = k === 0 || k === n ? 0 : radius * Math.cos(angle);
    return [r, radius * Math.sin(angle)];
  });
  const normal = (k: number, end: boolean): [number, number] => {
    const angle = -Math.PI / 2 + (Math.PI * (k + (end ? 1 : 0))) / n;
    return [Math.cos(angle), Math.sin(angle)];
  };
  // Three great circles let one see it turn.
  return revolve(profile, normal, (p) => p.map((x) => x / radius) as Vec3, sides);
}

function cylinder(half: number, radius: number, sides: number): THREE.BufferGeometry {
  const profile: [number, number][] = [[0, -half], [radius, -half], [radius, half], [0, half]];
  const normals: [number, number][] = [[0, -1], [1, 0], [0, 1]];
  return revolve(profile, (k) => normals[k], (p, k, end) => {
    const line = p[1] / radius;
    if (k === 1) return [end ? 1 : 0, end ? 0 : 1, line];
    return [(k === 0) === end ? 0 : 1, 1, line];
  }, sides);
}

function cone(half: number, radius: number, sides: number): THREE.BufferGeometry {
  const profile: [number, number][] = [[0, -half], [radius, -half], [0, half]];
  const slope = Math.hypot(2 * half, radius);
  const normals: [number, number][] = [[0, -1], [(2 * half) / slope, radius / slope]];
  return revolve(profile, (k) => normals[k], (p, k, end) => [
    (k === 0) === end ? 0 : 1, 1, p[1] / radius,
  ], sides);
}

function capsule(half: number, radius: number, sides: number): THREE.BufferGeometry {
  const n = sides / 4;
  const profile: [number, number][] = [];
  const normals: [number, number][] = [];
  for (let k = 0; k <= 2 * n + 1; k++) {
    const upper = k > n;
    const angle = -Math.PI / 2 + (Math.PI * (upper ? k - 1 : k)) / (2 * n);
    const r = k === 0 || k === 2 * n + 1 ? 0 : radius * Math.cos(angle);
    profile.push([r, radius * Math.sin(angle) + (upper ? half : -half)]);
    normals.push([Math.cos(angle), Math.sin(angle)]);
  }
  return revolve(profile, (k, end) => normals[k + (end ? 1 : 0)], (p, k, end) => {
    // The seams where the caps meet the tube, and one line along it.
    const z = end ? profile[k + 1][1] : profile[k][1];
    return [(z - half) / radius || 0, (z + half) / radius || 0, p[1] / radius];
  }, sides);
}

function disc(radius: number): THREE.BufferGeometry {
  const builder = new Builder();
  const sides = 64;
  const at = (i: number): Vec3 => {
    const angle = (2 * Math.PI * (i % sides)) / sides;
    return [radius * Math.cos(angle), radius * Math.sin(angle), 0];
  };
  const up: Vec3 = [0, 0, 1];
  for (let i = 0; i < sides; i++) {
    const [a, b] = [at(i), at(i + 1)];
    // A spoke on the half x > 0 shows the angle.
    const spoke = (p: Vec3): number => (a[0] + b[0] > 0 ? p[1] / radius : 1);
    const rims: Vec3[] = [[1, 1, a[0] + b[0] > 0 ? 0 : 1], [0, 1, spoke(a)], [0, 1, spoke(b)]];
    builder.triangle([[0, 0, 0], a, b], [up, up, up], rims);
  }
  return builder.build();
}

function faces(loops: Vec3[][]): THREE.BufferGeometry {
  const builder = new Builder();
  for (const loop of loops) builder.face(loop);
  return builder.build();
}

/**
 * The triangles of a bounded shape; `null` for a half-space, which is drawn as ground. Where
 * there are many, curved ones get fewer triangles each.
 */
export function geometryOf(shape: Shape, dimension: 2 | 3, copies: number): THREE.BufferGeometry | null {
  const sides = copies > 150 ? 24 : 48;
  switch (shape.type) {
    case "polytope":
      return faces(shape.faces.map((face) => face.map((i) => shape.vertices[i])));
    case "mesh":
      return faces(shape.triangles.map((face) => face.map((i) => shape.vertices[i])));
    case "polygon":
      return faces([shape.vertices]);
    case "ball":
      return dimension === 2 ? disc(shape.radius) : ball(shape.radius, sides);
    case "capsule":
      return capsule(shape.half, shape.radius, sides);
    case "cylinder":
      return cylinder(shape.half, shape.radius, sides);
    case "cone":
      return cone(shape.half, shape.radius, sides);
    case "half-space":
      return null;
  }
}
