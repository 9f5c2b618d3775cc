// A line chart on a 2D canvas: linear or log axes, one for each unit; cursor, zoom in time.

export interface Line {
  label: string;
  color: string;
  dash: number[];
  unit: string;
  time: Float64Array;
  value: Float64Array;
}

export interface ChartStyle {
  text: string;
  faint: string;
  grid: string;
  background: string;
  cursor: string;
  font: string;
}

interface Axis {
  from: number;
  to: number;
}

/** The values of one unit: a scale of their own, on the left or further and further right. */
export interface Scale extends Axis {
  unit: string;
  lines: Line[];
}

const MARGIN = { left: 64, right: 16, top: 12, bottom: 30 };
/** Room for the numbers of each further axis. */
const FURTHER = 62;

export class Chart {
  lines: Line[] = [];
  log = false;
  cursor = 0;
  /** Part of the time shown; `null` is all of it. */
  zoom: Axis | null = null;
  private x: Axis = { from: 0, to: 1 };
  /** The first is on the left. */
  scales: Scale[] = [];
  private width = 1;
  private height = 1;

  constructor(readonly canvas: HTMLCanvasElement) {}

  draw(style: ChartStyle, scale = window.devicePixelRatio): void {
    this.width = this.canvas.clientWidth || 600;
    this.height = this.canvas.clientHeight || 240;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.scale(scale, scale);
    this.paint(pen, style);
  }

  /** A picture of the chart, twice as fine as the screen. */
  picture(style: ChartStyle): HTMLCanvasElement {
    const copy = document.createElement("canvas");
    copy.width = this.width * 2;
    copy.height = this.height * 2;
    const pen = copy.getContext("2d");
    if (pen) {
      pen.scale(2, 2);
      this.paint(pen, style);
    }
    return copy;
  }

  timeAt(x: number): number {
    const inner = this.width - MARGIN.left - this.right();
    return this.x.from + ((x - MARGIN.left) / inner) * (this.x.to - this.x.from);
  }

  private paint(pen: CanvasRenderingContext2D, style: ChartStyle): void {
    pen.fillStyle = style.background;
    pen.fillRect(0, 0, this.width, this.height);
    this.x = this.zoom ?? this.timeSpan();
    this.scales = this.group();
    const [w, h] = [this.width - MARGIN.left - this.right(), this.height - MARGIN.top - MARGIN.bottom];
    const px = (t: number): number => MARGIN.left + ((t - this.x.from) / (this.x.to - this.x.from)) * w;
    const pu = (scale: Scale) => (u: number): number => MARGIN.top + (1 - (u - scale.from) / (scale.to - scale.from)) * h;
    const py = (scale: Scale) => (v: number): number => pu(scale)(this.log ? Math.log10(v) : v);
    this.paintTimes(pen, style, px);
    this.scales.forEach((scale, k) => this.paintAxis(pen, style, scale, k, pu(scale)));
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, MARGIN.top, w, h);
    pen.clip();
    this.scales.forEach((scale) => scale.lines.forEach((line) => this.paintLine(pen, line, px, py(scale))));
    pen.restore();
    this.paintCursor(pen, style, px, py, h);
    if (this.lines.length === 0) {
      pen.fillStyle = style.faint;
      pen.textAlign = "center";
      pen.fillText("Choose a quantity to plot", this.width / 2, this.height / 2);
    }
  }

  private right(): number {
    return MARGIN.right + FURTHER * Math.max(0, this.scales.length - 1);
  }

  /** Lines of one unit share a scale. */
  private group(): Scale[] {
    const units = [...new Set(this.lines.map((l) => l.unit))];
    if (units.length === 0) units.push("");
    return units.map((unit) => {
      const lines = this.lines.filter((l) => l.unit === unit);
      return { unit, lines, ...this.valueSpan(lines) };
    });
  }

  private timeSpan(): Axis {
    const times = this.lines.filter((l) => l.time.length > 0);
    if (times.length === 0) return { from: 0, to: 1 };
    const from = Math.min(...times.map((l) => l.time[0]));
    const to = Math.max(...times.map((l) => l.time[l.time.length - 1]));
    return to > from ? { from, to } : { from, to: from + 1 };
  }

  private valueSpan(lines: Line[]): Axis {
    let [low, high] = [Infinity, -Infinity];
    for (const line of lines) {
      line.value.forEach((v, k) => {
        if (!Number.isFinite(v) || (this.log && v <= 0)) return;
        if (line.time[k] < this.x.from || line.time[k] > this.x.to) return;
        const u = this.log ? Math.log10(v) : v;
        [low, high] = [Math.min(low, u), Math.max(high, u)];
      });
    }
    if (low > high) return this.log ? { from: -3, to: 0 } : { from: 0, to: 1 };
    // Round-off around a constant is not worth filling the chart with.
    const least = this.log ? 1 : Math.max(1e-12, 1e-9 * Math.max(Math.abs(low), Math.abs(high)));
    const pad = Math.max(0.08 * (high - low), high - low < least ? least / 2 : 0);
    return { from: low - pad, to: high + pad };
  }

  private paintTimes(pen: CanvasRenderingContext2D, style: ChartStyle, px: (t: number) => number): void {
    const [right, bottom] = [this.width - this.right(), this.height - MARGIN.bottom];
    pen.font = style.font;
    pen.fillStyle = style.text;
    const xs = ticks(this.x.from, this.x.to, Math.max(2, Math.floor((right - MARGIN.left) / 110)));
    for (const t of xs.at) {
      stroke(pen, style.grid, px(t), MARGIN.top, px(t), bottom);
      pen.textAlign = "center";
      pen.fillText(format(t, xs.step), px(t), bottom + 16);
    }
    pen.textAlign = "right";
    pen.fillStyle = style.faint;
    pen.fillText("t [s]", right, bottom + 27);
  }

  /** The `k`-th axis of values; one that belongs to a single line has its color. */
  private paintAxis(pen: CanvasRenderingContext2D, style: ChartStyle, scale: Scale, k: number, pu: (u: number) => number): void {
    const [right, bottom] = [this.width - this.right(), this.height - MARGIN.bottom];
    const x = k === 0 ? MARGIN.left : right + FURTHER * (k - 1);
    const colors = new Set(scale.lines.map((l) => l.color));
    const ink = this.scales.length > 1 && colors.size === 1 ? scale.lines[0].color : style.text;
    const rows = Math.max(2, Math.floor(this.height / 48));
    const ys = this.log ? decades(scale, rows) : ticks(scale.from, scale.to, rows);
    if (this.scales.length > 1) stroke(pen, ink, x, MARGIN.top, x, bottom);
    pen.textAlign = k === 0 ? "right" : "left";
    pen.fillStyle = ink;
    for (const u of ys.at) {
      if (k === 0) stroke(pen, style.grid, MARGIN.left, pu(u), right, pu(u));
      else stroke(pen, ink, x, pu(u), x + 4, pu(u));
      pen.fillText(this.log ? power(u) : format(u, ys.step), k === 0 ? x - 8 : x + 7, pu(u) + 4);
    }
    if (!scale.unit) return;
    pen.save();
    pen.translate(k === 0 ? 12 : x + FURTHER - 8, (MARGIN.top + bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillStyle = this.scales.length > 1 ? ink : style.faint;
    pen.fillText(`[${scale.unit}]`, 0, 0);
    pen.restore();
  }

  private paintLine(pen: CanvasRenderingContext2D, line: Line, px: (t: number) => number, py: (v: number) => number): void {
    pen.strokeStyle = line.color;
    pen.lineWidth = 1.75;
    pen.lineJoin = "round";
    pen.setLineDash(line.dash);
    pen.beginPath();
    let drawing = false;
    // At most a few points per pixel: of each column the extremes survive.
    const stride = Math.max(1, Math.floor(line.time.length / (8 * this.width)));
    for (let k = 0; k < line.time.length; k += stride) {
      const v = line.value[k];
      const good = Number.isFinite(v) && (!this.log || v > 0);
      if (good && drawing) pen.lineTo(px(line.time[k]), py(v));
      else if (good) pen.moveTo(px(line.time[k]), py(v));
      drawing = good;
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  private paintCursor(
    pen: CanvasRenderingContext2D, style: ChartStyle, px: (t: number) => number, py: (s: Scale) => (v: number) => number, h: number,
  ): void {
    if (this.cursor < this.x.from || this.cursor > this.x.to || this.lines.length === 0) return;
    pen.strokeStyle = style.cursor;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(px(this.cursor), MARGIN.top);
    pen.lineTo(px(this.cursor), MARGIN.top + h);
    pen.stroke();
    for (const [scale, line] of this.scales.flatMap((s) => s.lines.map((l): [Scale, Line] => [s, l]))) {
      const v = valueAt(line, this.cursor);
      if (!Number.isFinite(v) || (this.log && v <= 0)) continue;
      pen.fillStyle = line.color;
      pen.strokeStyle = style.background;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(px(this.cursor), py(scale)(v), 4, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
  }
}

function stroke(pen: CanvasRenderingContext2D, color: string, x0: number, y0: number, x1: number, y1: number): void {
  pen.strokeStyle = color;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

/** The value of the last frame at or before `t`. */
export function valueAt(line: Line, t: number): number {
  let [low, high] = [0, line.time.length - 1];
  const slack = 1e-9 * (1 + Math.abs(t));
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (line.time[middle] <= t + slack) low = middle;
    else high = middle - 1;
  }
  return line.value[low] ?? NaN;
}

function ticks(from: number, to: number, n: number): { at: number[]; step: number } {
  const raw = (to - from) / n;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 5, 10].find((m) => m * unit >= raw) ?? 10);
  const at: number[] = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) at.push(k * step);
  return { at, step };
}

function decades(y: Axis, n: number): { at: number[]; step: number } {
  const step = Math.max(1, Math.ceil((y.to - y.from) / n));
  const at: number[] = [];
  for (let u = Math.ceil(y.from / step) * step; u <= y.to; u += step) at.push(u);
  return { at, step };
}

function format(v: number, step: number): string {
  if (v === 0) return "0";
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (digits > 5 || Math.abs(v) >= 1e6) {
    const lead = Math.floor(Math.log10(Math.abs(v))) + Math.floor(-Math.log10(step) + 1);
    return v.toExponential(Math.min(8, Math.max(1, lead)));
  }
  return v.toFixed(digits);
}

const RAISED = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

function power(u: number): string {
  const n = Math.round(u);
  if (n === 0) return "1";
  const digits = [...String(Math.abs(n))].map((d) => RAISED[Number(d)]).join("");
  return `10${n < 0 ? "⁻" : ""}${digits}`;
}
