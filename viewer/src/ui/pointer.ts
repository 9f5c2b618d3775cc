// The mouse on the picture: click selects; in a live run a drag pulls a body with a spring.

import * as THREE from "three";
import type { App } from "../app";
import { poseOf } from "../draw/bodies";

/** Movement below this is a click, in pixels. */
const CLICK = 4;

export class Pointer {
  private down: [number, number] | null = null;
  private grabbed: { body: number; local: THREE.Vector3; plane: THREE.Plane } | null = null;

  constructor(private app: App) {
    const { canvas } = app.stage;
    // Before the camera's own listeners, so that a grab does not turn the view.
    canvas.addEventListener("pointerdown", (e) => this.press(e), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.move(e), { capture: true });
    canvas.addEventListener("pointerup", (e) => this.release(e), { capture: true });
    canvas.addEventListener("pointercancel", (e) => this.release(e), { capture: true });
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.down = [event.clientX, event.clientY];
    if (!this.app.live) return;
    const found = this.app.stage.ray(event.clientX, event.clientY);
    if (!found) return;
    const world = this.app.stage.worlds[found.index];
    const hit = world.pick(found.ray);
    if (!hit || world.recording.bodies[hit.body].motion !== "dynamic") return;
    const inverse = poseOf(world.recording, world.frame, hit.body, new THREE.Matrix4()).invert();
    const view = this.app.stage.camera.getWorldDirection(new THREE.Vector3());
    this.grabbed = {
      body: hit.body,
      local: hit.point.clone().applyMatrix4(inverse),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(view, hit.point),
    };
    this.app.stage.controls.enabled = false;
    this.app.stage.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (!this.grabbed) return;
    const found = this.app.stage.ray(event.clientX, event.clientY);
    const target = found?.ray.ray.intersectPlane(this.grabbed.plane, new THREE.Vector3());
    if (!target) return;
    const { body, local } = this.grabbed;
    this.app.live?.send({ command: "drag", body, point: local.toArray(), target: target.toArray() });
  }

  private release(event: PointerEvent): void {
    if (this.grabbed) {
      this.grabbed = null;
      this.app.stage.controls.enabled = true;
      this.app.live?.send({ command: "release" });
    }
    if (!this.down) return;
    const moved = Math.hypot(event.clientX - this.down[0], event.clientY - this.down[1]);
    this.down = null;
    if (moved > CLICK || event.type !== "pointerup") return;
    const found = this.app.stage.ray(event.clientX, event.clientY);
    const hit = found && this.app.stage.worlds[found.index].pick(found.ray);
    this.app.select(hit ? hit.body : -1);
  }
}
