// Play, pause, step, slider, speed, loop.

import { SPEEDS, type Player } from "../player";
import { h, iconButton, setIcon } from "./dom";

export class Transport {
  readonly root: HTMLElement;
  private play: HTMLButtonElement;
  private loop: HTMLButtonElement;
  private slider: HTMLInputElement;
  private speed: HTMLSelectElement;
  private clock: HTMLElement;
  private count: HTMLElement;

  constructor(private player: Player) {
    this.play = iconButton("play", "Play or pause (space)", () => player.play(), "primary");
    this.loop = iconButton("loop", "Loop (l)", () => {
      player.loop = !player.loop;
      player.changed();
    }, "loop");
    this.slider = h("input", {
      type: "range", class: "slider", step: "any", "aria-label": "Time",
      onInput: () => player.seek(Number(this.slider.value)),
    });
    this.speed = h("select", {
      class: "speed", title: "Speed (< and >)", "aria-label": "Speed",
      onChange: () => {
        player.speed = Number(this.speed.value);
        player.changed();
      },
    }, ...SPEEDS.map((s) => h("option", { value: String(s) }, `${s}×`)));
    this.clock = h("span", { class: "clock" });
    this.count = h("span", { class: "count" });
    this.root = h("footer", { class: "transport" },
      h("div", { class: "buttons" },
        iconButton("previous", "One step back (←)", () => player.stepBy(-1)),
        this.play,
        iconButton("next", "One step on (→)", () => player.stepBy(1)),
      ),
      this.slider,
      h("div", { class: "readout" }, this.clock, this.count),
      h("div", { class: "buttons end" }, this.speed, this.loop),
    );
    player.onChange(() => this.update());
    this.update();
  }

  update(): void {
    const { player } = this;
    const [begin, end] = [player.begin, player.end];
    setIcon(this.play, player.moving ? "pause" : "play");
    this.loop.classList.toggle("on", player.loop);
    this.slider.min = String(begin);
    this.slider.max = String(end);
    this.slider.value = String(player.time);
    const share = end > begin ? (100 * (player.time - begin)) / (end - begin) : 0;
    this.slider.style.setProperty("--share", `${share}%`);
    this.speed.value = String(player.speed);
    const digits = end < 1 ? 4 : end < 1000 ? 3 : 2;
    this.clock.textContent = `${player.time.toFixed(digits)} s`;
    const first = player.recordings[0];
    this.count.textContent = first ? `step ${first.stepNumber(player.frame)} of ${first.stepNumber(first.frames - 1)}` : "";
  }
}
