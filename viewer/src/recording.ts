// One recording: what is fixed, and numbers per frame that may still be growing.

import type { Body, Container, Header, Numbers, Vec3 } from "./format";

/** Rows of one array, which grows at its end. */
class Column {
  constructor(
    public data: Numbers,
    readonly width: number,
    public rows: number,
  ) {}

  append(more: Numbers): void {
    const used = this.rows * this.width;
    if (used + more.length > this.data.length) {
      const Type = this.data.constructor as new (n: number) => Numbers;
      const grown = new Type(Math.max(1024, 2 * (used + more.length)));
      grown.set(this.data.subarray(0, used));
      this.data = grown;
    }
    this.data.set(more, used);
    this.rows += more.length / this.width;
  }

  /** Forgets the first rows. */
  drop(rows: number): void {
    this.data.copyWithin(0, rows * this.width, this.rows * this.width);
    this.rows -= rows;
  }
}

export const KINDS = ["unilateral", "inter", "cross", "secondary"] as const;

export interface ContactView {
  point: Vec3;
  normal: Vec3;
  force: Vec3;
  kind: number;
  pair: [number, number];
  gap: number;
  friction: number;
}

/** Frames that a live session keeps; older ones are forgotten in blocks. */
const LIVE_LIMIT = 6000;

const PER_CONTACT: [string, number][] = [
  ["contact_point", 3],
  ["contact_normal", 3],
  ["contact_force", 3],
  ["contact_gap", 1],
  ["contact_friction", 1],
  ["contact_pair", 2],
  ["contact_kind", 1],
];

export class Recording {
  readonly header: Header;
  readonly bodies: Body[];
  private columns = new Map<string, Column>();
  /** Contacts before each frame and in total, absolute. */
  private contactStart: number[] = [0];

  /** Where the picture is: so far (0 to 1) from this frame to the next. */
  between = { frame: 0, share: 0 };

  /** What it is called beside others. */
  label: string;

  constructor({ header, arrays }: Container) {
    this.header = header;
    this.label = header.label ?? header.scene;
    this.bodies = header.bodies;
    const time = arrays.get("time");
    if (!time || !arrays.has("position") || !arrays.has("orientation")) {
      throw new Error("the recording lacks time, position or orientation");
    }
    const [frames, n] = [time.length, header.bodies.length];
    const add = (name: string, width: number, rows: number): void => {
      const data = arrays.get(name);
      if (!data) return;
      if (data.length !== rows * width) {
        throw new Error(`the array ${name} has ${data.length} numbers, not ${rows * width}`);
      }
      this.columns.set(name, new Column(data, width, rows));
    };
    add("time", 1, frames);
    add("step", 1, frames);
    add("position", 3 * n, frames);
    add("orientation", 4 * n, frames);
    add("velocity", 3 * n, frames);
    add("angular_velocity", 3 * n, frames);
    for (const s of header.series ?? []) add(`series/${s.name}`, 1, frames);
    const starts = arrays.get("contact_start");
    this.contactStart = starts ? Array.from(starts) : new Array<number>(frames + 1).fill(0);
    const contacts = this.contactStart[frames] ?? 0;
    for (const [name, width] of PER_CONTACT) add(name, width, contacts);
  }

  get frames(): number {
    return this.columns.get("time")?.rows ?? 0;
  }

  time(frame: number): number {
    return this.columns.get("time")?.data[frame] ?? 0;
  }

  /** Number of the step, as the simulator counts. */
  stepNumber(frame: number): number {
    return this.columns.get("step")?.data[frame] ?? frame;
  }

  /** The last frame at or before time `t`. */
  frameAt(t: number): number {
    const data = this.columns.get("time")?.data;
    let [low, high] = [0, this.frames - 1];
    if (!data || high < 0) return 0;
    // Sums of steps differ in the last bits from the times that ask for them.
    const slack = 1e-9 * (1 + Math.abs(t));
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (data[middle] <= t + slack) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** How far time `t` is from frame `k` to the next, 0 to 1. */
  shareAt(t: number, k: number): number {
    const [from, to] = [this.time(k), this.time(k + 1)];
    const share = k + 1 < this.frames && to > from ? (t - from) / (to - from) : 0;
    return share > 1e-6 && share < 1 ? share : 0;
  }

  /** Row of a per-frame array, without copying; empty where there is none. */
  row(name: string, frame: number): Numbers {
    const column = this.columns.get(name);
    if (!column || frame < 0 || frame >= column.rows) return new Float32Array(0);
    return column.data.subarray(frame * column.width, (frame + 1) * column.width) as Numbers;
  }

  has(name: string): boolean {
    return this.columns.has(name);
  }

  vector(name: string, frame: number, body: number, width = 3): number[] {
    const row = this.row(name, frame);
    return Array.from(row.subarray(width * body, width * (body + 1)));
  }

  /** A scalar per frame. */
  series(name: string): Numbers {
    const column = this.columns.get(`series/${name}`);
    return column ? (column.data.subarray(0, column.rows) as Numbers) : new Float64Array(0);
  }

  contactCount(frame: number): number {
    return (this.contactStart[frame + 1] ?? 0) - (this.contactStart[frame] ?? 0);
  }

  contact(frame: number, i: number): ContactView {
    const k = this.contactStart[frame] - this.contactStart[0] + i;
    const get = (name: string): Numbers => this.row(name, k);
    const vec = (name: string): Vec3 => {
      const r = get(name);
      return [r[0] ?? 0, r[1] ?? 0, r[2] ?? 0];
    };
    const pair = get("contact_pair");
    return {
      point: vec("contact_point"),
      normal: vec("contact_normal"),
      force: vec("contact_force"),
      kind: get("contact_kind")[0] ?? 0,
      pair: [pair[0] ?? 0, pair[1] ?? 0],
      gap: get("contact_gap")[0] ?? NaN,
      friction: get("contact_friction")[0] ?? NaN,
    };
  }

  contacts(frame: number): ContactView[] {
    return Array.from({ length: this.contactCount(frame) }, (_, i) => this.contact(frame, i));
  }

  /** Adds the frames of a live message. */
  append({ arrays }: Container): void {
    const starts = arrays.get("contact_start");
    const added = arrays.get("time")?.length ?? 0;
    const base = this.contactStart[this.contactStart.length - 1];
    for (let i = 1; i <= added; i++) this.contactStart.push(base + (starts?.[i] ?? 0));
    for (const [name, column] of this.columns) {
      const more = arrays.get(name);
      const perContact = name.startsWith("contact_");
      if (more) column.append(more);
      else if (!perContact) column.append(new Float64Array(added * column.width).fill(NaN));
    }
    for (const [name, width] of PER_CONTACT) {
      const more = arrays.get(name);
      if (more && !this.columns.has(name)) {
        this.columns.set(name, new Column(more.slice() as Numbers, width, more.length / width));
      }
    }
    if (this.frames > LIVE_LIMIT) this.forget(Math.floor(LIVE_LIMIT / 4));
  }

  private forget(frames: number): void {
    const contacts = this.contactStart[frames] - this.contactStart[0];
    this.contactStart.splice(0, frames);
    for (const [name, column] of this.columns) {
      column.drop(name.startsWith("contact_") ? contacts : frames);
    }
  }
}

/** Names recordings beside each other by what tells them apart. */
export function tellApart(recordings: Recording[]): void {
  const parts: ((r: Recording) => string)[] = [
    (r) => r.header.scene, (r) => r.header.formulation ?? "", (r) => r.header.solver ?? "", (r) => `h = ${r.header.step} s`,
  ];
  const different = parts.filter((part) => new Set(recordings.map(part)).size > 1);
  recordings.forEach((r, i) => {
    const found = different.map((part) => part(r)).filter((text) => text !== "").join(", ");
    r.label = r.header.label ?? (found || `${r.header.scene} ${i + 1}`);
  });
}
