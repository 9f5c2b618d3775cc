// The canvas: one camera, and one world per recording, side by side.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Camera, Vec3 } from "../format";
import type { Theme } from "./theme";
import type { World } from "./world";

/** Vertical field of view [degrees], and where the camera is seen from the middle. */
const FOV = 38;
const DIRECTION = new THREE.Vector3(0.62, -1, 0.52);
/** Share of the picture that the motion may fill. */
const FILL = 0.86;

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly canvas: HTMLCanvasElement;
  camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  controls: OrbitControls;
  worlds: World[] = [];
  /** Frames still come in: a fitted view shows where the bodies are now. */
  live = false;
  /** Seconds that the last picture took, and its draw calls. */
  readonly info = { milliseconds: 0, drawCalls: 0, triangles: 0, pictures: 0 };
  private flat = false;
  private height = 1;
  private dirty = true;
  /** The user turns the view, or it still glides. */
  private gliding = false;
  private grasped = false;
  private size = new THREE.Vector2(1, 1);

  constructor(private host: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: false });
    this.renderer.autoClear = false;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.info.autoReset = false;
    this.canvas = this.renderer.domElement;
    this.canvas.setAttribute("aria-label", "3D view");
    host.appendChild(this.canvas);
    [this.camera, this.controls] = this.makeCamera(false);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  private makeCamera(flat: boolean): [typeof this.camera, OrbitControls] {
    const camera = flat
      ? new THREE.OrthographicCamera(-1, 1, 1, -1, -1000, 1000)
      : new THREE.PerspectiveCamera(FOV, 1, 0.01, 1000);
    camera.up.set(0, flat ? 1 : 0, flat ? 0 : 1);
    const controls = new OrbitControls(camera, this.canvas);
    controls.enableDamping = true;
    controls.dampingFactor = 0.15;
    controls.zoomToCursor = true;
    controls.enableRotate = !flat;
    if (flat) {
      controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      controls.touches.ONE = THREE.TOUCH.PAN;
      controls.touches.TWO = THREE.TOUCH.DOLLY_PAN;
    }
    controls.addEventListener("change", () => this.invalidate());
    controls.addEventListener("start", () => (this.gliding = this.grasped = true));
    controls.addEventListener("end", () => (this.grasped = false));
    return [camera, controls];
  }

  setWorlds(worlds: World[]): void {
    this.worlds = worlds;
    const flat = worlds.length > 0 && worlds.every((w) => w.recording.header.dimension === 2);
    if (flat !== this.flat) {
      this.controls.dispose();
      [this.camera, this.controls] = this.makeCamera(flat);
      this.flat = flat;
    }
    this.resize();
    this.home();
  }

  setTheme(theme: Theme): void {
    this.renderer.setClearColor(theme.background);
    this.invalidate();
  }

  /** The view that the scene asks for, else one of the whole motion. */
  home(): void {
    const asked = this.worlds[0]?.recording.header.camera;
    this.fit();
    if (asked) this.look(asked);
    if (!this.anySeen()) this.fit();
  }

  /** Looks from `direction` at the whole motion; live, at where the bodies are now. */
  fit(direction = DIRECTION): void {
    const points = this.worlds.flatMap((w) => w.extents.silhouette(...this.span(w)));
    if (points.length === 0) return;
    this.endDrag();
    const box = new THREE.Box3().setFromPoints(points);
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const aspect = this.viewAspect();
    this.controls.target.copy(middle);
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.setHeight(1.22 * Math.max(size.y, size.x / aspect, 1e-6));
    } else {
      this.camera.fov = FOV;
      const d = direction.clone().normalize();
      const [shift, distance] = hold(points, middle, d, this.camera.fov, aspect);
      this.controls.target.add(shift);
      this.camera.position.copy(this.controls.target).addScaledVector(d, distance);
    }
    this.settle();
  }

  private span(world: World): [number, number] {
    const last = world.recording.frames - 1;
    return this.live ? [Math.max(0, world.frame), Math.max(0, world.frame)] : [0, last];
  }

  /** Takes the view of a scene file; what it leaves open stays as it is. */
  private look(asked: Camera): void {
    const world = this.worlds[0];
    this.endDrag();
    const body = world.recording.bodies.findIndex((b) => b.name === asked.follow);
    const now = body < 0 ? null : world.position(body);
    // Given for the start; the body may have moved since.
    const moved = now ? now.clone().sub(new THREE.Vector3(...(world.recording.vector("position", 0, body) as Vec3))) : new THREE.Vector3();
    const target = asked.target ? new THREE.Vector3(...asked.target).add(moved) : (now ?? this.controls.target.clone());
    if (this.camera instanceof THREE.OrthographicCamera) {
      if (asked.height) this.setHeight(asked.height);
      this.controls.target.copy(target);
    } else {
      const d = this.camera.position.clone().sub(this.controls.target);
      if (asked.fov) this.camera.fov = asked.fov;
      if (asked.follow && !asked.position) d.setLength(Math.min(d.length(), 14 * world.extents.typical));
      this.controls.target.copy(target);
      if (asked.position) this.camera.position.set(...asked.position).add(moved);
      else this.camera.position.copy(target).add(d);
    }
    this.settle();
  }

  /** Whether a body that moves is in the picture now. */
  private anySeen(): boolean {
    return this.worlds.some((world, i) => {
      const r = this.rects()[i];
      const host = this.canvas.getBoundingClientRect();
      const moving = world.recording.bodies.flatMap((b, k) => (b.motion !== "static" && b.visible !== false ? [k] : []));
      return moving.length === 0 || moving.some((b) => {
        const at = this.locate(i, world.position(b));
        if (!at) return false;
        const [x, y] = [at[0] - host.left - r.x, at[1] - host.top - r.y];
        return x >= 0 && x <= r.width && y >= 0 && y <= r.height;
      });
    });
  }

  /** Without damping one update ends what is left of the last drag. */
  private endDrag(): void {
    this.controls.enableDamping = false;
    this.controls.update();
    this.controls.enableDamping = true;
  }

  /** Takes the camera as it is; what is returned brings it back. */
  remember(): () => void {
    const { camera, controls, height } = this;
    const [position, target, zoom] = [camera.position.clone(), controls.target.clone(), camera.zoom];
    return () => {
      this.camera.position.copy(position);
      this.controls.target.copy(target);
      this.setHeight(height);
      this.camera.zoom = zoom;
      this.settle();
    };
  }

  private setHeight(height: number): void {
    this.height = height;
    this.camera.zoom = 1;
  }

  private settle(): void {
    const { target } = this.controls;
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.camera.position.set(target.x, target.y, 100);
      target.z = 0;
    } else {
      const distance = this.camera.position.distanceTo(target);
      this.camera.near = distance / 500;
      this.camera.far = distance * 40;
    }
    this.resize();
    this.controls.update();
  }

  /** Pixels of a metre in the middle of a view. */
  pixelsPerMetre(): number {
    const { height } = this.rects()[0];
    if (this.camera instanceof THREE.OrthographicCamera) return (height * this.camera.zoom) / this.height;
    const half = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    return height / (2 * half * this.camera.position.distanceTo(this.controls.target));
  }

  /** Moves the camera along with what it follows. */
  shift(by: THREE.Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.invalidate();
  }

  invalidate(): void {
    this.dirty = true;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.size.set(clientWidth, clientHeight);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight);
    this.invalidate();
  }

  /** The part of the canvas for each world, from its upper left corner in CSS pixels. */
  rects(): Rect[] {
    const n = Math.max(1, this.worlds.length);
    const wide = this.size.x >= this.size.y;
    const columns = n === 1 ? 1 : wide ? Math.min(n, n > 4 ? Math.ceil(Math.sqrt(n)) : n === 4 ? 2 : n) : 1;
    const rows = Math.ceil(n / columns);
    const [width, height] = [this.size.x / columns, this.size.y / rows];
    return Array.from({ length: n }, (_, i) => ({
      x: (i % columns) * width, y: Math.floor(i / columns) * height, width, height,
    }));
  }

  private viewAspect(): number {
    const { width, height } = this.rects()[0];
    return width / height;
  }

  private project(aspect: number): void {
    if (this.camera instanceof THREE.OrthographicCamera) {
      const [h, w] = [this.height / 2, (this.height / 2) * aspect];
      Object.assign(this.camera, { left: -w, right: w, top: h, bottom: -h });
    } else {
      this.camera.aspect = aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  /** Draws if anything changed; tells whether it did. */
  draw(): boolean {
    // The controls keep the camera in polar coordinates, and to and fro costs its last bits: they are asked
    // only while the view turns.
    if (this.gliding && !this.controls.update() && !this.grasped) this.gliding = false;
    if (!this.dirty) return false;
    this.dirty = false;
    const begin = performance.now();
    this.renderer.info.reset();
    this.renderer.setScissorTest(true);
    this.rects().forEach((r, i) => {
      const y = this.size.y - r.y - r.height;
      this.renderer.setViewport(r.x, y, r.width, r.height);
      this.renderer.setScissor(r.x, y, r.width, r.height);
      this.renderer.clear();
      const world = this.worlds[i];
      if (!world) return;
      this.project(r.width / r.height);
      this.renderer.render(world.scene, this.camera);
      this.renderer.clearDepth();
      this.renderer.render(world.over, this.camera);
    });
    this.info.milliseconds = performance.now() - begin;
    this.info.drawCalls = this.renderer.info.render.calls;
    this.info.triangles = this.renderer.info.render.triangles;
    this.info.pictures += 1;
    return true;
  }

  /** World and ray under a point of the page, in CSS pixels. */
  ray(clientX: number, clientY: number): { index: number; ray: THREE.Raycaster } | null {
    const host = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - host.left, clientY - host.top];
    const index = this.rects().findIndex((r) => x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height);
    const r = this.rects()[index];
    if (!r || !this.worlds[index]) return null;
    const ray = new THREE.Raycaster();
    this.project(r.width / r.height);
    const at = new THREE.Vector2((2 * (x - r.x)) / r.width - 1, 1 - (2 * (y - r.y)) / r.height);
    ray.setFromCamera(at, this.camera);
    return { index, ray };
  }

  /** Where a point of a world is on the page, in CSS pixels; `null` behind the camera. */
  locate(index: number, point: THREE.Vector3): [number, number] | null {
    const [r, host] = [this.rects()[index], this.canvas.getBoundingClientRect()];
    this.project(r.width / r.height);
    this.camera.updateMatrixWorld();
    const p = point.clone().project(this.camera);
    if (p.z > 1) return null;
    return [host.left + r.x + ((p.x + 1) / 2) * r.width, host.top + r.y + ((1 - p.y) / 2) * r.height];
  }
}

/** Shift of the target and distance from it along `d` such that all points are just in the picture. */
function hold(points: THREE.Vector3[], middle: THREE.Vector3, d: THREE.Vector3, fov: number, aspect: number): [THREE.Vector3, number] {
  const right = new THREE.Vector3(0, 0, 1).cross(d).normalize();
  const up = d.clone().cross(right);
  const tall = Math.tan(THREE.MathUtils.degToRad(fov / 2)) * FILL;
  const shift = new THREE.Vector3();
  let distance = 1e-6;
  for (const [axis, k] of [[right, tall * aspect], [up, tall]] as [THREE.Vector3, number][]) {
    let [high, low] = [-Infinity, Infinity];
    for (const p of points) {
      const q = p.clone().sub(middle);
      const [a, c] = [q.dot(axis), q.dot(d)];
      high = Math.max(high, a + c * k);
      low = Math.min(low, a - c * k);
      distance = Math.max(distance, 1.05 * c);
    }
    distance = Math.max(distance, (high - low) / (2 * k));
    shift.addScaledVector(axis, (high + low) / 2);
  }
  return [shift, distance];
}
