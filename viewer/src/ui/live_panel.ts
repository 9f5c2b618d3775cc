// Controls of a live run.

import type { Live, Status } from "../live";
import type { Player } from "../player";
import { h, iconButton, setIcon } from "./dom";

const STAGES = ["detect", "formulate", "solve", "integrate", "stabilize"];
const STAGE_COLORS = ["#58b8d8", "#8a6fe0", "#4c7fe8", "#2fa886", "#f0a03c"];

export class LivePanel {
  readonly root: HTMLElement;
  status: Status | null = null;
  private run: HTMLButtonElement;
  private step = h("input", { type: "number", class: "number", min: "0", step: "any", "aria-label": "Step size" });
  private formulation = h("select", { "aria-label": "Formulation" });
  private solver = h("select", { "aria-label": "Solver" });
  private state = h("span", { class: "state" });
  private times = h("div", { class: "times" });

  constructor(private live: Live, private player: Player) {
    this.run = iconButton("play", "Run or pause", () => this.toggle(), "primary");
    this.step.addEventListener("change", () => {
      const step = Number(this.step.value);
      if (step > 0) live.send({ command: "settings", step });
    });
    this.formulation.addEventListener("change", () => live.send({ command: "settings", formulation: this.formulation.value }));
    this.solver.addEventListener("change", () => live.send({ command: "settings", solver: this.solver.value }));
    const field = (label: string, input: HTMLElement): HTMLElement => h("label", { class: "field" }, label, input);
    this.root = h("section", { class: "live" },
      h("div", { class: "buttons" }, this.run,
        iconButton("next", "One step", () => live.send({ command: "step" })),
        iconButton("reset", "Start again", () => live.send({ command: "reset" })),
        this.state),
      field("step [s]", this.step), field("formulation", this.formulation), field("solver", this.solver),
      this.times);
  }

  toggle(): void {
    this.live.send({ command: this.status?.running ? "pause" : "play" });
    if (!this.status?.running) this.player.following = true;
  }

  closed(): void {
    this.state.textContent = "disconnected";
    this.root.classList.add("closed");
  }

  update(status: Status): void {
    this.status = status;
    setIcon(this.run, status.running ? "pause" : "play");
    this.state.textContent = status.error ?? (status.running ? "running" : "paused");
    this.root.classList.toggle("failed", status.error !== null);
    if (document.activeElement !== this.step) this.step.value = String(status.h);
    fill(this.formulation, status.formulations, status.formulation);
    fill(this.solver, status.solvers, status.solver);
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

function fill(select: HTMLSelectElement, names: string[], chosen: string): void {
  const known = [...select.options].map((o) => o.value);
  if (known.join() !== names.join()) select.replaceChildren(...names.map((n) => h("option", { value: n }, n)));
  if (document.activeElement !== select) select.value = chosen;
}
