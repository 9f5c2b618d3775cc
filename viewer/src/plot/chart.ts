// A line chart on a 2D canvas: linear or log axis, cursor, zoom in time.

export interface Line {
  label: string;
  color: string;
  dash: number[];
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

const MARGIN = { left: 64, right: 16, top: 12, bottom: 30 };

export class Chart {
  lines: Line[] = [];
  log = false;
  unit = "";
  cursor = 0;
  /** Part of the time shown; `null` is all of it. */
  zoom: Axis | null = null;
  private x: Axis = { from: 0, to: 1 };
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
    const inner = this.width - MARGIN.left - MARGIN.right;
    return this.x.from + ((x - MARGIN.left) / inner) * (this.x.to - this.x.from);
  }

  private paint(pen: CanvasRenderingContext2D, style: ChartStyle): void {
    pen.fillStyle = style.background;
    pen.fillRect(0, 0, this.width, this.height);
    this.x = this.zoom ?? this.timeSpan();
    const y = this.valueSpan();
    const [w, h] = [this.width - MARGIN.left - MARGIN.right, this.height - MARGIN.top - MARGIN.bottom];
    const px = (t: number): number => MARGIN.left + ((t - this.x.from) / (this.x.to - this.x.from)) * w;
    const py = (v: number): number => {
      const u = this.log ? Math.log10(v) : v;
      return MARGIN.top + (1 - (u - y.from) / (y.to - y.from)) * h;
    };
    this.paintAxes(pen, style, y, px, (u) => MARGIN.top + (1 - (u - y.from) / (y.to - y.from)) * h);
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, MARGIN.top, w, h);
    pen.clip();
    this.lines.forEach((line) => this.paintLine(pen, line, px, py));
    pen.restore();
    this.paintCursor(pen, style, px, py, h);
    if (this.lines.length === 0) {
      pen.fillStyle = style.faint;
      pen.textAlign = "center";
      pen.fillText("Choose a quantity to plot", this.width / 2, this.height / 2);
    }
  }

  private timeSpan(): Axis {
    const times = this.lines.filter((l) => l.time.length > 0);
    if (times.length === 0) return { from: 0, to: 1 };
    const from = Math.min(...times.map((l) => l.time[0]));
    const to = Math.max(...times.map((l) => l.time[l.time.length - 1]));
    return to > from ? { from, to } : { from, to: from + 1 };
  }

  private valueSpan(): Axis {
    let [low, high] = [Infinity, -Infinity];
    for (const line of this.lines) {
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

  private paintAxes(
    pen: CanvasRenderingContext2D, style: ChartStyle, y: Axis, px: (t: number) => number, pu: (u: number) => number,
  ): void {
    const [right, bottom] = [this.width - MARGIN.right, this.height - MARGIN.bottom];
    pen.font = style.font;
    pen.lineWidth = 1;
    pen.strokeStyle = style.grid;
    pen.fillStyle = style.text;
    const line = (x0: number, y0: number, x1: number, y1: number): void => {
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
    };
    const n = Math.max(2, Math.floor(this.width / 110));
    const xs = ticks(this.x.from, this.x.to, n);
    for (const t of xs.at) {
      line(px(t), MARGIN.top, px(t), bottom);
      pen.textAlign = "center";
      pen.fillText(format(t, xs.step), px(t), bottom + 16);
    }
    pen.textAlign = "right";
    pen.fillStyle = style.faint;
    pen.fillText("t [s]", right, bottom + 27);
    pen.fillStyle = style.text;
    const rows = Math.max(2, Math.floor(this.height / 48));
    const ys = this.log ? decades(y, rows) : ticks(y.from, y.to, rows);
    for (const u of ys.at) {
      line(MARGIN.left, pu(u), right, pu(u));
      pen.fillText(this.log ? power(u) : format(u, ys.step), MARGIN.left - 8, pu(u) + 4);
    }
    if (this.unit) {
      pen.save();
      pen.translate(12, (MARGIN.top + bottom) / 2);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "center";
      pen.fillStyle = style.faint;
      pen.fillText(`[${this.unit}]`, 0, 0);
      pen.restore();
    }
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
    pen: CanvasRenderingContext2D, style: ChartStyle, px: (t: number) => number, py: (v: number) => number, h: number,
  ): void {
    if (this.cursor < this.x.from || this.cursor > this.x.to || this.lines.length === 0) return;
    pen.strokeStyle = style.cursor;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(px(this.cursor), MARGIN.top);
    pen.lineTo(px(this.cursor), MARGIN.top + h);
    pen.stroke();
    for (const line of this.lines) {
      const v = valueAt(line, this.cursor);
      if (!Number.isFinite(v) || (this.log && v <= 0)) continue;
      pen.fillStyle = line.color;
      pen.strokeStyle = style.background;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(px(this.cursor), py(v), 4, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    }
  }
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
