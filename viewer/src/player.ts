// The clock of the replay: one time for all recordings.

import type { Recording } from "./recording";

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

export class Player {
  time = 0;
  playing = false;
  loop = true;
  speed = 1;
  /** Live: stay at the newest frame. */
  following = false;
  /** Live: how far behind it, at most, so that slow motion is smooth [s]. */
  lag = 0;
  /** What runs behind a live page. */
  live: { running(): boolean; toggle(): void; step(): void } | null = null;
  recordings: Recording[] = [];
  private listeners: (() => void)[] = [];

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    this.listeners.forEach((listener) => listener());
  }

  setRecordings(recordings: Recording[]): void {
    this.recordings = recordings;
    this.time = this.begin;
    this.changed();
  }

  get begin(): number {
    return this.recordings.length ? Math.min(...this.recordings.map((r) => r.time(0))) : 0;
  }

  get end(): number {
    return this.recordings.length ? Math.max(...this.recordings.map((r) => r.time(r.frames - 1))) : 0;
  }

  /** Frame of the first recording. */
  get frame(): number {
    return this.recordings[0]?.frameAt(this.time) ?? 0;
  }

  frameOf(index: number): number {
    return this.recordings[index]?.frameAt(this.time) ?? 0;
  }

  /** Whether time goes on: of the run where that is followed, else of its replay. */
  get moving(): boolean {
    return this.live && this.following ? this.live.running() : this.playing;
  }

  play(on = !this.playing): void {
    if (this.live && this.following) {
      this.live.toggle();
      return;
    }
    if (on && this.time >= this.end) this.time = this.begin;
    this.playing = on;
    this.changed();
  }

  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.begin, time));
    // Who goes to the end of what still grows wants to see what comes.
    this.following = this.live !== null && time >= this.end;
    this.changed();
  }

  seekFrame(frame: number): void {
    const first = this.recordings[0];
    if (first) this.seek(first.time(Math.min(first.frames - 1, Math.max(0, frame))));
  }

  /** Goes by whole frames of the recording with the finest steps. */
  stepBy(frames: number): void {
    this.playing = false;
    if (this.live && frames > 0 && this.time >= this.end) {
      this.live.step();
      return;
    }
    const finest = this.recordings.reduce((a, b) => (b.frames > a.frames ? b : a), this.recordings[0]);
    if (!finest) return;
    const to = Math.min(finest.frames - 1, Math.max(0, finest.frameAt(this.time) + frames));
    this.seek(finest.time(to));
  }

  faster(direction: number): void {
    const at = SPEEDS.findIndex((s) => s >= this.speed);
    const next = (at < 0 ? SPEEDS.length - 1 : at) + direction;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, next))];
    this.changed();
  }

  /** Lets `seconds` pass. */
  tick(seconds: number): void {
    if (this.following) {
      const { time, end } = this;
      this.time = Math.min(end, Math.max(time + seconds * this.speed, end - this.lag));
      if (this.lag === 0 || time > end) this.time = end;
      if (this.time !== time) this.changed();
      return;
    }
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time > this.end) {
      if (this.live) {
        this.time = this.end;
        this.playing = false;
        this.following = true;
      } else if (this.loop) {
        const span = this.end - this.begin;
        this.time = span > 0 ? this.begin + ((this.time - this.begin) % span) : this.begin;
      } else {
        this.time = this.end;
        this.playing = false;
      }
    }
    this.changed();
  }
}
