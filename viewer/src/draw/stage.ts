// The canvas: one camera, and one world per recording, side by side.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { World } from "./world";
import type { Theme } from "./theme";

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
  /** Seconds that the last picture took, and its draw calls. */
  readonly info = { milliseconds: 0, drawCalls: 0, triangles: 0, pictures: 0 };
  private flat = false;
  private height = 1;
  private dirty = true;
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
      : new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
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
    this.fit();
  }

  setTheme(theme: Theme): void {
    this.renderer.setClearColor(theme.background);
    this.invalidate();
  }

  /** Looks at the whole scene from `direction`. */
  fit(direction = new THREE.Vector3(0.62, -1, 0.52)): void {
    const box = new THREE.Box3();
    this.worlds.forEach((w) => box.union(w.focus));
    if (box.isEmpty()) return;
    // Without damping one update ends what is left of the last drag.
    this.controls.enableDamping = false;
    this.controls.update();
    this.controls.enableDamping = true;
    const middle = box.getCenter(new THREE.Vector3());
    const size = box.getSize(new THREE.Vector3());
    const aspect = this.viewAspect();
    this.controls.target.copy(middle);
    if (this.camera instanceof THREE.OrthographicCamera) {
      this.height = 1.22 * Math.max(size.y, size.x / aspect, 1e-6);
      this.camera.zoom = 1;
      this.camera.position.set(middle.x, middle.y, 100);
      this.controls.target.z = 0;
    } else {
      const radius = Math.max(size.length() / 2, 1e-6);
      const half = THREE.MathUtils.degToRad(this.camera.fov / 2);
      const narrow = Math.min(half, Math.atan(Math.tan(half) * aspect));
      const distance = (1.02 * radius) / Math.sin(narrow);
      this.camera.position.copy(middle).addScaledVector(direction.clone().normalize(), distance);
      this.camera.near = distance / 500;
      this.camera.far = distance * 40;
    }
    this.resize();
    this.controls.update();
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
    this.controls.update();
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
