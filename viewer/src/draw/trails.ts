// The paths of bodies, from the start of the run to the present frame.

import * as THREE from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import type { Recording } from "../recording";
import { bodyColor } from "./bodies";
import type { Theme } from "./theme";

/** Points of all paths together; long runs of many bodies are drawn in coarser pieces. */
const MOST = 60000;
const BODIES = 100;

export class Trails {
  readonly root = new THREE.Group();
  private material = new LineMaterial({ vertexColors: true, linewidth: 2.5 });
  private line: LineSegments2 | null = null;
  private tail: LineSegments2 | null = null;
  /** What the line was made for. */
  private made = "";
  private bodies: number[] = [];
  private stride = 1;
  private pieces = 0;

  constructor(private recording: Recording) {}

  /** `frame` below zero hides them. */
  update(frame: number, selected: number, theme: Theme | null): void {
    this.root.visible = frame > 0 && theme !== null;
    if (!this.root.visible || !theme) return;
    // While a run goes on, what has come since the line was made is in the tail.
    const key = `${selected} ${theme.name} ${this.recording.time(0)}`;
    if (key !== this.made || this.recording.frames > 1.25 * (this.pieces * this.stride) + 200) this.make(selected, theme);
    this.made = key;
    const whole = Math.min(this.pieces, Math.floor(frame / this.stride));
    if (this.line) {
      this.line.geometry.instanceCount = whole * this.bodies.length;
      this.line.visible = whole > 0;
    }
    const rest: number[] = [];
    for (let k = whole * this.stride; k < frame; k += this.stride) rest.push(k);
    this.replaceTail([...rest, frame], theme);
  }

  private make(selected: number, theme: Theme): void {
    const { recording } = this;
    const moving = recording.bodies.flatMap((b, i) => (b.motion !== "static" && b.visible !== false ? [i] : []));
    this.bodies = selected >= 0 ? [selected] : moving.slice(0, BODIES);
    this.stride = Math.max(1, Math.ceil((recording.frames * this.bodies.length) / MOST));
    this.pieces = Math.floor((recording.frames - 1) / this.stride);
    const frames = Array.from({ length: this.pieces + 1 }, (_, k) => k * this.stride);
    this.dropLine(this.line);
    this.line = this.lineOf(frames, theme);
  }

  private replaceTail(frames: number[], theme: Theme): void {
    this.dropLine(this.tail);
    this.tail = this.lineOf(frames, theme);
  }

  /** Segments in the order of time, those of all bodies together. */
  private lineOf(frames: number[], theme: Theme): LineSegments2 | null {
    const positions: number[] = [];
    const colors: number[] = [];
    const shades = this.bodies.map((b) => trailColor(this.recording, b, theme));
    for (let k = 1; k < frames.length; k++) {
      this.bodies.forEach((b, i) => {
        positions.push(...this.recording.vector("position", frames[k - 1], b), ...this.recording.vector("position", frames[k], b));
        const { r, g, b: blue } = shades[i];
        colors.push(r, g, blue, r, g, blue);
      });
    }
    if (positions.length === 0) return null;
    const geometry = new LineSegmentsGeometry().setPositions(positions).setColors(colors);
    const line = new LineSegments2(geometry, this.material);
    line.frustumCulled = false;
    this.root.add(line);
    return line;
  }

  private dropLine(line: LineSegments2 | null): void {
    if (!line) return;
    this.root.remove(line);
    line.geometry.dispose();
  }

  dispose(): void {
    this.dropLine(this.line);
    this.dropLine(this.tail);
    this.material.dispose();
  }
}

/** The color of the body, dark enough on light ground and light enough on dark ground. */
function trailColor(recording: Recording, b: number, theme: Theme): THREE.Color {
  const color = bodyColor(recording, b, theme, new THREE.Color());
  const level = { h: 0, s: 0, l: 0 };
  color.getHSL(level, THREE.SRGBColorSpace);
  const l = theme.name === "light" ? Math.min(level.l, 0.42) : Math.max(level.l, 0.62);
  return color.setHSL(level.h, Math.max(level.s, 0.35), l, THREE.SRGBColorSpace);
}
