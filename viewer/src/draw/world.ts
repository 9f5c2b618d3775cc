// One recording as a picture: all layers of it at one frame.

import * as THREE from "three";
import type { Options } from "../options";
import type { Recording } from "../recording";
import { BodyLayer, poseOf } from "./bodies";
import { ContactLayer } from "./contacts";
import { Extents } from "./extent";
import { Ground } from "./ground";
import { HelperLayer } from "./helpers";
import { Lines } from "./marks";
import type { Theme } from "./theme";

/** What worlds side by side share. */
export interface Common {
  extents: Map<Recording, Extents>;
  /** What is lit. */
  bounds: THREE.Box3;
  /** Height of the grid where there is no half-space [m]. */
  ground: number;
}

export function common(recordings: Recording[]): Common {
  const extents = new Map(recordings.map((r) => [r, new Extents(r)]));
  const bounds = new THREE.Box3();
  extents.forEach((e) => bounds.union(e.motion()));
  const ground = Math.min(...[...extents.values()].map((e) => e.ground()));
  return { extents, bounds, ground: Number.isFinite(ground) ? ground : 0 };
}

export class World {
  readonly scene = new THREE.Scene();
  /** Drawn over the scene, with its own depth. */
  readonly over = new THREE.Scene();
  readonly extents: Extents;
  frame = -1;
  private bodies: BodyLayer;
  private ghost: BodyLayer;
  private contacts: ContactLayer;
  private helpers: HelperLayer;
  private grounds: { ground: Ground; body: number; part: THREE.Matrix4 }[] = [];
  private grid: Ground | null = null;
  private sun = new THREE.DirectionalLight();
  private sky = new THREE.HemisphereLight();
  private selected = -1;
  private spring = new Lines();

  /** `common`: what worlds side by side share, so that they stand on one ground. */
  constructor(readonly recording: Recording, private common: Common) {
    this.extents = common.extents.get(recording) ?? new Extents(recording);
    this.bodies = new BodyLayer(recording, false);
    this.ghost = new BodyLayer(recording, true);
    this.contacts = new ContactLayer(recording, this.extents.typical);
    this.helpers = new HelperLayer(recording, this.extents);
    this.scene.add(this.bodies.root, this.ghost.root, this.helpers.root, this.sky, this.sun, this.sun.target);
    this.over.add(this.contacts.root, this.helpers.over, this.spring.root);
    this.addGround();
    this.placeSun();
  }

  private addGround(): void {
    const { header } = this.recording;
    const { bounds, ground: height } = this.common;
    const size = Math.max(bounds.getSize(new THREE.Vector3()).length(), 1e-6);
    header.bodies.forEach((body, b) => {
      for (const part of body.parts) {
        if (header.shapes[part.shape].type !== "half-space" || body.visible === false) continue;
        const ground = new Ground(size, header.dimension, true);
        const [w, x, y, z] = part.orientation;
        const matrix = new THREE.Matrix4().compose(
          new THREE.Vector3(...part.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1),
        );
        ground.root.matrixAutoUpdate = false;
        this.grounds.push({ ground, body: b, part: matrix });
        this.scene.add(ground.root);
      }
    });
    if (header.dimension === 2 || this.grounds.length === 0) {
      this.grid = new Ground(size, header.dimension, false);
      const middle = bounds.getCenter(new THREE.Vector3());
      // The grid's lines stay on round numbers.
      this.grid.root.position.z = header.dimension === 3 ? height : 0;
      const fade = (this.grid.root.children[0] as THREE.Mesh).material as THREE.ShaderMaterial;
      fade.uniforms.middle.value.set(middle.x, middle.y);
      this.scene.add(this.grid.root);
    }
  }

  private placeSun(): void {
    const { bounds } = this.common;
    const middle = bounds.getCenter(new THREE.Vector3());
    const radius = bounds.getSize(new THREE.Vector3()).length() / 2;
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).add(new THREE.Vector3(-0.5, -1.0, 1.35).multiplyScalar(2 * radius));
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.25 * radius;
    camera.right = camera.top = 1.25 * radius;
    camera.near = 0.01 * radius;
    camera.far = 8 * radius;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.004 * radius;
    this.sun.shadow.radius = 3;
  }

  setTheme(theme: Theme): void {
    this.sky.color.set(theme.sky);
    this.sky.groundColor.set(theme.earth);
    this.sky.position.set(0, 0, 1);
    this.sky.intensity = theme.ambient;
    this.sun.intensity = theme.sun;
    [this.bodies, this.ghost, this.helpers].forEach((layer) => layer.setTheme(theme));
    [...this.grounds.map((g) => g.ground), this.grid].forEach((g) => g?.setTheme(theme));
  }

  setOptions(options: Options): void {
    this.sun.castShadow = options.shadows && this.recording.header.dimension === 3;
    this.bodies.setEdges(options.edges);
    this.bodies.setSeeThrough(options.seeThrough);
    this.ghost.root.visible = options.ghost;
    if (this.grid) this.grid.root.visible = options.grid;
  }

  /** `share`: how far the picture is from this frame to the next. */
  show(frame: number, share: number, options: Options, forceFactor: number): void {
    this.frame = frame;
    this.recording.between = { frame, share: options.smooth ? share : 0 };
    this.bodies.setFrame(frame);
    if (options.ghost) this.ghost.setFrame(Math.max(0, frame - 1));
    const matrix = new THREE.Matrix4();
    for (const { ground, body, part } of this.grounds) {
      ground.root.matrix.copy(poseOf(this.recording, frame, body, matrix)).multiply(part);
      ground.root.matrixWorldNeedsUpdate = true;
    }
    this.contacts.update(frame, options, forceFactor);
    this.helpers.update(frame, options, this.selected);
  }

  /** Distance of the lines of its ground [m]. */
  get cell(): number | null {
    return this.grounds[0]?.ground.cell ?? (this.grid?.root.visible ? this.grid.cell : null);
  }

  /** Length of the arrow of a force [m/N]. */
  get forceScale(): number {
    return this.contacts.forceScale;
  }

  /** The line from a held point of a body (in its frame) to where it is pulled, or none. */
  showSpring(held: { body: number; local: THREE.Vector3; target: THREE.Vector3 } | null): void {
    this.spring.begin();
    if (held) {
      const pose = poseOf(this.recording, this.frame, held.body, new THREE.Matrix4());
      this.spring.add(held.local.clone().applyMatrix4(pose), held.target, new THREE.Color("#ff8a1f"));
    }
    this.spring.end();
  }

  select(body: number): void {
    this.selected = body;
    this.bodies.select(body);
  }

  setHidden(hidden: Set<number>): void {
    this.bodies.setHidden(hidden);
    this.ghost.setHidden(hidden);
  }

  /** The body under a ray and where, or `null`. */
  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
    for (const hit of ray.intersectObjects(this.bodies.meshes, false)) {
      const bodies = hit.object.userData.bodies as number[];
      if (hit.instanceId !== undefined) return { body: bodies[hit.instanceId], point: hit.point };
    }
    return null;
  }

  position(body: number): THREE.Vector3 {
    return new THREE.Vector3().setFromMatrixPosition(poseOf(this.recording, this.frame, body, new THREE.Matrix4()));
  }

  dispose(): void {
    [this.bodies, this.ghost, this.contacts, this.helpers, this.spring].forEach((layer) => layer.dispose());
    this.sun.dispose();
  }
}
