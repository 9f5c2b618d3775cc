// The plot panel: choose curves, read values, scrub, save.

import { PALETTE } from "../draw/theme";
import type { Player } from "../player";
import { download, h, iconButton } from "../ui/dom";
import { Chart, type ChartStyle, type Line, valueAt } from "./chart";
import { type Curve, PRESETS, type Quantity, quantities, values } from "./quantity";

const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export class PlotPanel {
  readonly root: HTMLElement;
  readonly chart: Chart;
  curves: Curve[] = [];
  private known: Quantity[] = [];
  private canvas = h("canvas", { class: "chart", "aria-label": "Plot" });
  private quantity = h("select", { class: "quantity", "aria-label": "Quantity" });
  private body = h("select", { class: "body", "aria-label": "Body" });
  private presets = h("div", { class: "presets" });
  private legend = h("div", { class: "legend" });
  private logBox = h("input", { type: "checkbox", "data-action": "log" });
  private stale = true;
  private frames = 0;

  constructor(private player: Player, onClose: () => void) {
    this.chart = new Chart(this.canvas);
    this.quantity.addEventListener("change", () => this.syncBody());
    this.logBox.addEventListener("change", () => this.setLog(this.logBox.checked));
    const button = (label: string, action: string, run: () => void): HTMLElement =>
      h("button", { class: "text-button", "data-action": action, onClick: run }, label);
    this.root = h("section", { class: "plots", "aria-label": "Plots" },
      h("div", { class: "plot-bar" },
        this.presets,
        h("div", { class: "plot-add" },
          this.quantity, this.body,
          button("Add", "add", () => this.addChosen()),
          button("Clear", "clear", () => this.setCurves([])),
          h("label", { class: "check" }, this.logBox, "log"),
          button("PNG", "png", () => this.savePicture()),
          button("CSV", "csv", () => this.saveTable()),
        ),
        iconButton("close", "Close (p)", onClose),
      ),
      this.legend,
      h("div", { class: "chart-box" }, this.canvas),
    );
    this.listen();
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    player.onChange(() => this.update());
  }

  /** New recordings: what can be plotted may have changed. */
  reset(): void {
    const first = this.player.recordings[0];
    if (!first) return;
    this.known = quantities(first);
    const groups = [...new Set(this.known.map((q) => q.group))];
    this.quantity.replaceChildren(...groups.map((group) => h("optgroup", { label: group },
      ...this.known.filter((q) => q.group === group).map((q) => h("option", { value: q.id }, q.label)))));
    const names = first.bodies.filter((b) => b.motion !== "static").map((b) => b.name);
    this.body.replaceChildren(...names.map((name) => h("option", { value: name }, name)));
    const has = (id: string): boolean => this.known.some((q) => q.id === id) && first.series(id).some(Number.isFinite);
    this.presets.replaceChildren(...PRESETS.filter((p) => p.curves.some(has)).map((preset) =>
      h("button", { class: "chip", "data-preset": preset.label, onClick: () => {
        this.setLog(preset.log);
        this.setCurves(preset.curves.filter(has).map((quantity) => ({ quantity, body: null })));
      } }, preset.label)));
    this.syncBody();
    const start = ["energy", "position.z", "position.y"].find((id) => this.known.some((q) => q.id === id));
    const needsBody = this.known.find((q) => q.id === start)?.body ?? false;
    this.setCurves(start ? [{ quantity: start, body: needsBody ? (names[0] ?? null) : null }] : []);
  }

  /** Puts the selected body into the chooser. */
  offerBody(name: string): void {
    if ([...this.body.options].some((o) => o.value === name)) this.body.value = name;
  }

  setLog(on: boolean): void {
    this.chart.log = this.logBox.checked = on;
    this.paint();
  }

  setCurves(curves: Curve[]): void {
    this.curves = curves;
    this.stale = true;
    this.update();
  }

  private syncBody(): void {
    const chosen = this.known.find((q) => q.id === this.quantity.value);
    this.body.disabled = !chosen?.body;
  }

  private addChosen(): void {
    const chosen = this.known.find((q) => q.id === this.quantity.value);
    if (!chosen) return;
    const curve = { quantity: chosen.id, body: chosen.body ? this.body.value : null };
    const same = (c: Curve): boolean => c.quantity === curve.quantity && c.body === curve.body;
    if (!this.curves.some(same)) this.setCurves([...this.curves, curve]);
  }

  private listen(): void {
    let dragging = false;
    const seek = (event: PointerEvent): void => this.player.seek(this.chart.timeAt(event.offsetX));
    this.canvas.addEventListener("pointerdown", (event) => {
      dragging = true;
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => dragging && seek(event));
    this.canvas.addEventListener("pointerup", () => (dragging = false));
    this.canvas.addEventListener("dblclick", () => {
      this.chart.zoom = null;
      this.paint();
    });
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const middle = this.chart.timeAt(event.offsetX);
      const now = this.chart.zoom ?? { from: this.player.begin, to: this.player.end };
      const factor = Math.exp(0.0015 * event.deltaY);
      const from = Math.max(this.player.begin, middle - (middle - now.from) * factor);
      const to = Math.min(this.player.end, middle + (now.to - middle) * factor);
      if (to > from) this.chart.zoom = { from, to };
      this.paint();
    }, { passive: false });
  }

  private rebuild(): void {
    this.stale = false;
    this.frames = this.player.recordings[0]?.frames ?? 0;
    const many = this.player.recordings.length > 1;
    const lines: Line[] = [];
    this.curves.forEach((curve, i) => {
      const quantity = this.known.find((q) => q.id === curve.quantity);
      const name = `${curve.body ? `${curve.body}: ` : ""}${quantity?.label ?? curve.quantity}`;
      this.player.recordings.forEach((recording, r) => {
        const time = Float64Array.from({ length: recording.frames }, (_, k) => recording.time(k));
        lines.push({
          label: many ? `${name} (${recording.label})` : name,
          // Side by side with one quantity: a color per recording; else a dash per recording.
          color: PALETTE[(many && this.curves.length === 1 ? r : i) % PALETTE.length],
          dash: many && this.curves.length > 1 ? DASHES[r % DASHES.length] : [],
          unit: quantity?.unit ?? "",
          time, value: values(recording, curve),
        });
      });
    });
    this.chart.lines = lines;
  }

  update(): void {
    if (!this.root.isConnected || this.root.hidden) {
      this.stale = true;
      return;
    }
    const grown = (this.player.recordings[0]?.frames ?? 0) !== this.frames;
    if (this.stale || grown) this.rebuild();
    this.chart.cursor = this.player.time;
    this.paint();
    this.paintLegend();
  }

  private paintLegend(): void {
    const perCurve = Math.max(1, this.player.recordings.length);
    this.legend.replaceChildren(...this.chart.lines.map((line, i) => {
      const value = valueAt(line, this.player.time);
      const text = Number.isFinite(value) ? shortNumber(value) : "–";
      return h("span", { class: "entry" },
        h("i", { style: `background:${line.color}` }),
        line.label, h("b", {}, text),
        h("button", { class: "remove", title: "Remove", "aria-label": `Remove ${line.label}`, onClick: () => {
          const at = Math.floor(i / perCurve);
          this.setCurves(this.curves.filter((_, k) => k !== at));
        } }, "×"));
    }));
  }

  paint(): void {
    if (this.root.isConnected && !this.root.hidden) this.chart.draw(chartStyle(this.root));
  }

  private savePicture(): void {
    this.chart.picture(chartStyle(this.root)).toBlob((blob) => blob && download("plot.png", blob));
  }

  /** One row per time; recordings with other steps get their own rows. */
  table(): string {
    const { lines } = this.chart;
    const quote = (s: string): string => `"${s.replaceAll('"', '""')}"`;
    const times = [...new Set(lines.flatMap((l) => Array.from(l.time)))].sort((a, b) => a - b);
    const rows = times.map((t) => [String(t), ...lines.map((line) => {
      const v = valueAt(line, t);
      return Number.isFinite(v) ? String(v) : "";
    })].join(","));
    return [["time", ...lines.map((l) => quote(l.label))].join(","), ...rows].join("\n") + "\n";
  }

  private saveTable(): void {
    download("plot.csv", new Blob([this.table()], { type: "text/csv" }));
  }
}

export function shortNumber(v: number): string {
  if (v === 0) return "0";
  const size = Math.abs(v);
  return size >= 1e5 || size < 1e-3 ? v.toExponential(3) : v.toPrecision(5);
}

function chartStyle(host: HTMLElement): ChartStyle {
  const css = getComputedStyle(host);
  const get = (name: string): string => css.getPropertyValue(name).trim();
  return {
    text: get("--text-2"), faint: get("--text-3"), grid: get("--line"), background: get("--panel"),
    cursor: get("--accent"), font: `11px ${css.fontFamily}`,
  };
}
