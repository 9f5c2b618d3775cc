// Controls of a live run.

import type { Controls, Live, Status } from "../live";
import type { Player } from "../player";
import { h, iconButton, setIcon } from "./dom";
import { Slider } from "./slider";

const STAGES = ["detect", "formulate", "solve", "integrate", "stabilize"];
const STAGE_COLORS = ["#58b8d8", "#8a6fe0", "#4c7fe8", "#2fa886", "#f0a03c"];
const READINGS = ["real time", "failed solves", "spurious contacts", "depth", "energy"] as const;

export class LivePanel {
  readonly root: HTMLElement;
  status: Status | null = null;
  private run: HTMLButtonElement;
  private formulation = h("select", { "aria-label": "Formulation" });
  private solver = h("select", { "aria-label": "Solver" });
  private judge = h("input", { type: "checkbox", "aria-label": "Measure depth and spurious contacts" });
  private state = h("span", { class: "state", role: "status" });
  private times = h("div", { class: "times" });
  private readings = new Map(READINGS.map((name) => [name, h("b", {}, "–")]));
  private step: Slider;
  private gravity: Slider[];
  private friction: Slider;
  private restitution: Slider;
  private settings: HTMLElement;
  private motors = h("details", { class: "motors", open: true, hidden: true }, h("summary", {}, "Motors"));
  private aims = new Map<number, Slider>();
  /** The speed that both sides know. */
  private speed: number;

  constructor(private live: Live, private player: Player) {
    const set = (settings: object): void => live.send({ command: "settings", ...settings });
    this.run = iconButton("play", "Run or pause", () => this.toggle(), "primary");
    this.step = new Slider("step [s]", "Step size", { low: 1e-4, high: 0.1, log: true }, (step) => set({ step }));
    this.friction = new Slider("friction", "Friction", { low: 0, high: 1.5 }, (friction) => set({ friction }));
    this.restitution = new Slider("restitution", "Restitution", { low: 0, high: 1 }, (restitution) => set({ restitution }));
    this.gravity = ["x", "y", "z"].map((axis) => new Slider(`gravity ${axis}`, `Gravity ${axis}`, { low: -20, high: 20 },
      () => set({ gravity: this.gravity.map((slider) => slider.value ?? 0) })));
    this.formulation.addEventListener("change", () => set({ formulation: this.formulation.value }));
    this.solver.addEventListener("change", () => set({ solver: this.solver.value }));
    this.judge.addEventListener("change", () => set({ judge: this.judge.checked }));
    const field = (label: string, input: HTMLElement): HTMLElement => h("label", { class: "field" }, label, input);
    this.settings = h("details", { class: "settings", open: true, hidden: true }, h("summary", {}, "Settings"),
      ...[this.step, ...this.gravity, this.friction, this.restitution].map((slider) => slider.root),
      field("formulation", this.formulation), field("solver", this.solver),
      field("depth and spurious contacts", this.judge),
      h("button", { class: "text-button", onClick: () => live.send({ command: "restore" }) }, "As in the scene"));
    this.root = h("section", { class: "live" },
      h("div", { class: "buttons" }, this.run,
        iconButton("next", "One step", () => this.oneStep()),
        iconButton("reset", "Start again", () => live.send({ command: "reset" })),
        this.state),
      h("div", { class: "readings" }, ...READINGS.map((name) => h("span", { "data-reading": name }, name, this.readings.get(name)))),
      this.settings, this.motors, this.times);
    this.speed = player.speed;
    player.live = { running: () => this.status?.running ?? false, toggle: () => this.toggle(), step: () => this.oneStep() };
    player.onChange(() => this.showFrame());
  }

  toggle(): void {
    this.live.send({ command: this.status?.running ? "pause" : "play" });
    if (!this.status?.running) this.player.following = true;
  }

  private oneStep(): void {
    this.player.following = true;
    this.live.send({ command: "step" });
  }

  opened(): void {
    this.root.classList.remove("closed");
    this.status = null;
  }

  closed(): void {
    this.state.textContent = "disconnected";
    this.root.classList.add("closed");
  }

  update(status: Status): void {
    const failed = status.error !== null && status.errors !== this.status?.errors;
    const before = this.status;
    this.status = status;
    setIcon(this.run, status.running ? "pause" : "play");
    this.state.textContent = status.running ? "running" : "paused";
    this.root.classList.toggle("failed", status.error !== null);
    fill(this.formulation, status.formulations, status.formulation, failed);
    fill(this.solver, status.solvers, status.solver, failed);
    this.settings.hidden = !status.controls;
    if (status.controls) this.showControls(status, status.controls, failed);
    this.read("real time", status.rate ? `${shortest(status.rate)}×` : "–");
    this.read("failed solves", status.failed === undefined ? "–" : String(status.failed), (status.failed ?? 0) > 0);
    this.read("spurious contacts", status.traps === undefined || status.traps === null ? "–" : String(status.traps), (status.traps ?? 0) > 0);
    // Somebody else may have chosen another speed.
    if (status.speed && status.speed !== before?.speed && status.speed !== this.speed) this.player.speed = this.speed = status.speed;
    // In slow motion the picture is one step late, and moves between the last two.
    this.player.lag = status.running && this.player.speed < 1 ? status.h : 0;
    this.player.changed();
  }

  private showControls(status: Status, controls: Controls, force: boolean): void {
    this.step.set(status.h, force);
    const most = Math.max(20, ...controls.gravity.map((g) => 1.5 * Math.abs(g)));
    const flat = this.player.recordings[0]?.header.dimension === 2;
    this.gravity.forEach((slider, i) => {
      slider.root.hidden = flat && i === 2;
      slider.setRange({ low: -most, high: most });
      slider.set(controls.gravity[i], force);
    });
    this.friction.set(controls.friction, force);
    this.restitution.set(controls.restitution, force);
    this.judge.checked = status.judge ?? false;
    const known = [...this.aims.keys()].join();
    if (controls.motors.map((m) => m.joint).join() !== known) {
      this.aims = new Map(controls.motors.map(({ joint, name, unit, range: [low, high] }) => {
        const send = (target: number): void => this.live.send({ command: "motor", joint, target });
        return [joint, new Slider(`${name} [${unit}]`, `Motor ${name}`, { low, high }, send)];
      }));
      this.motors.replaceChildren(h("summary", {}, "Motors"), ...[...this.aims.values()].map((slider) => slider.root));
      this.motors.hidden = this.aims.size === 0;
    }
    controls.motors.forEach((m) => this.aims.get(m.joint)?.set(m.target, force));
  }

  private read(name: (typeof READINGS)[number], text: string, bad = false): void {
    const element = this.readings.get(name);
    if (!element) return;
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle("bad", bad);
  }

  /** What belongs to the frame that is shown; and the speed, which the simulation obeys. */
  private showFrame(): void {
    const { player } = this;
    if (player.speed !== this.speed) {
      this.speed = player.speed;
      this.live.send({ command: "speed", speed: player.speed });
    }
    const recording = player.recordings[0];
    if (!recording) return;
    const at = (name: string): number => recording.series(name)[player.frame] ?? NaN;
    this.read("depth", withPrefix(at("penetration"), "m"));
    this.read("energy", withPrefix(at("energy"), "J"));
  }

  /** Bar of the stages of the newest step. */
  showTimes(): void {
    const recording = this.player.recordings[0];
    if (!recording) return;
    const last = STAGES.map((s) => recording.series(`time.${s}`)[recording.frames - 1] || 0);
    const total = last.reduce((a, b) => a + b, 0);
    if (!(total > 0)) return;
    this.times.replaceChildren(
      h("div", { class: "bar" }, ...last.map((t, i) => h("i", { style: `width:${(100 * t) / total}%;background:${STAGE_COLORS[i]}`, title: `${STAGES[i]} ${milliseconds(t)}` }))),
      h("div", { class: "kinds" }, ...last.map((t, i) => h("span", {}, h("i", { style: `background:${STAGE_COLORS[i]}` }), `${STAGES[i]} ${milliseconds(t)}`))));
  }
}

function milliseconds(t: number): string {
  return t < 1e-3 ? `${(1e6 * t).toFixed(0)} µs` : `${(1e3 * t).toFixed(1)} ms`;
}

/** Three digits, without powers of ten. */
function shortest(v: number): string {
  return v >= 100 ? v.toFixed(0) : v.toPrecision(3);
}

/** As people write it: 6.70 J, 1.20 µm; a dash for what is not known. */
export function withPrefix(v: number, unit: string): string {
  if (!Number.isFinite(v)) return "–";
  const size = Math.abs(v);
  if (size < 1e-15) return `0 ${unit}`;
  const prefixes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"], [1e-15, "f"]];
  const [factor, prefix] = prefixes.find(([f]) => size >= f * 0.9995) ?? [1e-15, "f"];
  return `${shortest(v / factor)} ${prefix}${unit}`;
}

/** The choices of a menu; `force` shows the one that holds although somebody has just chosen another. */
function fill(select: HTMLSelectElement, names: string[], chosen: string, force: boolean): void {
  const known = [...select.options].map((o) => o.value);
  if (known.join() !== names.join()) select.replaceChildren(...names.map((n) => h("option", { value: n }, n)));
  if (document.activeElement !== select || force) select.value = chosen;
}
