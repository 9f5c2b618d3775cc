// A number of a live run: a slider, and a box for any other value.

import { h } from "./dom";

export interface SliderRange {
  low: number;
  high: number;
  /** Equal ways are equal factors. */
  log?: boolean;
}

/** Milliseconds between two values that are sent while a slider moves. */
const PACE = 40;
/** Milliseconds after a change during which news of the old value are not shown. */
const HOLD = 500;

export class Slider {
  readonly root: HTMLElement;
  /** What holds, or what was asked for just now; `null`: no one number. */
  value: number | null = null;
  private range: HTMLInputElement;
  private box: HTMLInputElement;
  private touched = -Infinity;
  private timer = 0;

  constructor(label: string, name: string, private limits: SliderRange, private onChange: (value: number) => void) {
    this.range = h("input", { type: "range", class: "slider control", step: "any", "aria-label": `${name} slider`, onInput: () => this.slide() });
    this.box = h("input", { type: "number", class: "control", step: "any", "aria-label": name, onChange: () => this.type() });
    this.setRange(limits);
    this.root = h("label", { class: "field number" }, h("span", { title: label }, label), this.range, this.box);
  }

  private place(value: number): number {
    return this.limits.log ? Math.log10(value) : value;
  }

  setRange(limits: SliderRange): void {
    this.limits = limits;
    this.range.min = String(this.place(limits.low));
    this.range.max = String(this.place(limits.high));
  }

  private slide(): void {
    this.range.classList.remove("differ");
    const at = Number(this.range.value);
    const { low, high, log } = this.limits;
    // As many digits as one can aim at with a slider.
    const value = log ? Number((10 ** at).toPrecision(2)) : Number(at.toFixed(Math.max(0, 2 - Math.floor(Math.log10(high - low)))));
    this.value = value;
    this.box.value = String(value);
    this.paint();
    this.touched = performance.now();
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.onChange(Number(this.box.value));
    }, PACE);
  }

  private type(): void {
    const value = Number(this.box.value);
    if (this.box.value.trim() === "" || !Number.isFinite(value)) return;
    this.value = value;
    this.touched = performance.now();
    this.range.value = String(this.place(value));
    this.paint();
    this.onChange(value);
  }

  /** What holds; `null`: no one number. `force` shows it although somebody has just chosen another. */
  set(value: number | null, force = false): void {
    const busy = document.activeElement === this.box || performance.now() - this.touched < HOLD;
    if (busy && !force) return;
    this.value = value;
    this.box.placeholder = value === null ? "differ" : "";
    this.box.value = value === null ? "" : String(Number(value.toPrecision(6)));
    this.range.value = String(this.place(value ?? this.limits.low));
    this.range.classList.toggle("differ", value === null);
    this.paint();
  }

  private paint(): void {
    const [min, max] = [Number(this.range.min), Number(this.range.max)];
    this.range.style.setProperty("--share", `${(100 * (Number(this.range.value) - min)) / (max - min || 1)}%`);
  }
}
