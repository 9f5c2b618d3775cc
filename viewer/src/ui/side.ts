// The side panel: what to show, which bodies there are, and the state of the selected one.

import type { App } from "../app";
import { KIND_COLORS } from "../draw/theme";
import { TOGGLES } from "../options";
import { shortNumber } from "../plot/panel";
import { KINDS } from "../recording";
import { h, iconButton } from "./dom";

/** Bodies listed at most; the search finds the others. */
const LIST_LIMIT = 200;

export class SidePanel {
  readonly root: HTMLElement;
  private inspector = h("div", { class: "inspector" });
  private list = h("ul", { class: "bodies" });
  private search = h("input", { type: "search", class: "search", placeholder: "Find a body", "aria-label": "Find a body" });
  private boxes = new Map<string, HTMLInputElement>();
  private legend = h("div", { class: "kinds" });

  constructor(private app: App) {
    this.search.addEventListener("input", () => this.fillList());
    const groups = ["Contacts", "Bodies", "Helpers"] as const;
    this.root = h("aside", { class: "side", "aria-label": "Display" },
      this.inspector,
      ...groups.map((group) => h("details", { open: group !== "Helpers" },
        h("summary", {}, group === "Bodies" ? "Appearance" : group),
        h("div", { class: "toggles" }, ...TOGGLES.filter((t) => t.group === group).map((t) => this.toggle(t.key, t.label, t.shortcut))),
        group === "Contacts" && this.legend,
        group === "Contacts" && this.forceSlider(),
      )),
      h("details", { open: true }, h("summary", {}, "Bodies"), this.search, this.list),
    );
    this.legend.append(...KINDS.map((kind, i) =>
      h("span", {}, h("i", { style: `background:${KIND_COLORS[i]}` }), kind)));
  }

  private toggle(key: string, label: string, shortcut: string): HTMLElement {
    const box = h("input", { type: "checkbox", "data-option": key, onChange: () => this.app.setOption(key, box.checked) });
    this.boxes.set(key, box);
    return h("label", { class: "toggle" }, box, h("span", { class: "switch" }), h("span", { class: "name" }, label), h("kbd", {}, shortcut));
  }

  private forceSlider(): HTMLElement {
    const slider = h("input", {
      type: "range", class: "slider small", min: "-1.5", max: "1.5", step: "0.05", value: "0", "aria-label": "Length of force arrows",
      onInput: () => {
        slider.style.setProperty("--share", `${(100 * (Number(slider.value) + 1.5)) / 3}%`);
        this.app.setForceFactor(10 ** Number(slider.value));
      },
    });
    return h("label", { class: "scale" }, "Force arrows", slider);
  }

  /** After other recordings or another selection. */
  fillList(): void {
    const recording = this.app.player.recordings[0];
    const wanted = this.search.value.toLowerCase();
    const found = (recording?.bodies ?? []).map((body, i) => ({ body, i }))
      .filter(({ body }) => body.name.toLowerCase().includes(wanted));
    this.list.replaceChildren(...found.slice(0, LIST_LIMIT).map(({ body, i }) =>
      h("li", {}, h("button", {
        class: i === this.app.selected ? "row on" : "row", "data-body": body.name,
        onClick: () => this.app.select(i === this.app.selected ? -1 : i),
      }, h("i", { style: `background:${this.app.colorOf(i)}` }), h("span", {}, body.name),
      body.motion !== "dynamic" && h("em", {}, body.motion)))));
    if (found.length > LIST_LIMIT) this.list.append(h("li", { class: "more" }, `and ${found.length - LIST_LIMIT} more`));
    this.search.hidden = (recording?.bodies.length ?? 0) < 8;
  }

  update(): void {
    for (const [key, box] of this.boxes) box.checked = this.app.options[key as keyof typeof this.app.options];
    this.inspect();
  }

  private inspect(): void {
    const { selected, player } = this.app;
    const recording = player.recordings[0];
    const body = recording?.bodies[selected];
    this.inspector.hidden = !body;
    if (!recording || !body) return;
    const planar = recording.header.dimension === 2;
    const frame = player.frame;
    const row = (label: string, unit: string, numbers: string[]): HTMLElement =>
      h("div", { class: "quantity-row" },
        h("span", { class: "what" }, label, unit && h("em", {}, unit)),
        h("span", { class: "numbers" }, ...numbers.map((n) => h("b", {}, n))));
    const vector = (name: string, width = 3): string[] => {
      const v = recording.vector(name, frame, selected, width);
      const shown = planar && width === 3 ? (name === "angular_velocity" ? v.slice(2) : v.slice(0, 2)) : v;
      return shown.map(fixed);
    };
    const touching = recording.contacts(frame).filter((c) => c.pair.includes(selected));
    const force = Math.hypot(...[0, 1, 2].map((k) =>
      touching.reduce((sum, c) => sum + (c.pair[1] === selected ? 1 : -1) * c.force[k], 0)));
    this.inspector.replaceChildren(
      h("header", {}, h("i", { style: `background:${this.app.colorOf(selected)}` }), h("h2", {}, body.name),
        h("em", {}, body.motion),
        iconButton("follow", "Follow (v)", () => this.app.toggleFollow(), this.app.followed === selected ? "on" : ""),
        iconButton("close", "Deselect (esc)", () => this.app.select(-1))),
      row("position", "m", vector("position")),
      row("velocity", "m/s", vector("velocity")),
      planar
        ? row("angle", "rad", [fixed(planarAngle(recording.vector("orientation", frame, selected, 4)))])
        : row("orientation", "w x y z", vector("orientation", 4)),
      row("angular velocity", "rad/s", vector("angular_velocity")),
      h("div", { class: "facts" },
        h("span", {}, h("em", {}, "mass"), body.mass !== undefined && Number.isFinite(body.mass) ? `${shortNumber(body.mass)} kg` : "–"),
        h("span", {}, h("em", {}, "contacts"), String(touching.length)),
        h("span", {}, h("em", {}, "force"), `${shortNumber(force)} N`)));
  }
}

function fixed(v: number): string {
  return (Math.abs(v) < 5e-6 ? 0 : v).toFixed(5);
}

function planarAngle([w, , , z]: number[]): number {
  return 2 * Math.atan2(z, w);
}
