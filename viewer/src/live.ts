// A live run behind a WebSocket: frames in, commands out. A lost connection is made again.

import { type Container, decode, type Vec3 } from "./format";

export interface MotorStatus {
  joint: number;
  name: string;
  target: number;
  unit: string;
  range: [number, number];
}

/** What may be changed; absent where a program of its own decides. */
export interface Controls {
  steps: [number, number];
  gravity: Vec3;
  /** Of all contacts; `null` where they differ. */
  friction: number | null;
  restitution: number | null;
  motors: MotorStatus[];
}

export interface Status {
  type: "status";
  running: boolean;
  step: number;
  time: number;
  h: number;
  formulation: string;
  solver: string;
  formulations: string[];
  solvers: string[];
  error: string | null;
  /** How many errors there were; a new one is shown although it says the same. */
  errors?: number;
  /** Seconds of the run in a second of the clock: asked for, and reached. */
  speed?: number | null;
  rate?: number | null;
  failed?: number;
  traps?: number | null;
  judge?: boolean;
  controls?: Controls;
}

export interface LiveEvents {
  scene(container: Container): void;
  frames(container: Container): void;
  status(status: Status): void;
  opened(): void;
  /** The connection is gone; `why` is what the server says, if anything. */
  lost(why: string): void;
  /** A message that cannot be understood. */
  broken(why: string): void;
}

/** What a socket is used for here. */
interface Channel {
  readonly readyState: number;
  send(text: string): void;
}

/** In a frame of another page that simulates: the same messages, without a server. */
class Parent implements Channel {
  readonly readyState = WebSocket.OPEN;

  constructor(receive: (data: string | ArrayBuffer) => void) {
    window.addEventListener("message", (event) => {
      if (event.source === window.parent) receive(event.data as string | ArrayBuffer);
    });
    this.send(JSON.stringify({ command: "ready" }));
  }

  send(text: string): void {
    // A page from disk has no origin that could be named.
    window.parent.postMessage(text, "*");
  }
}

/** Milliseconds before the first and, at most, before a later attempt to connect again. */
const WAIT = [250, 3000];

export class Live {
  private socket: Channel;
  private attempts = 0;
  /** Messages since the last picture; applied at once, so that a slow page cannot starve. */
  private waiting: Container[] = [];

  constructor(private path: string, private events: LiveEvents) {
    this.socket = path === "parent" ? new Parent((data) => this.receive(data)) : this.connect();
  }

  private connect(): WebSocket {
    const url = new URL(this.path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.attempts = 0;
      this.waiting = [];
      this.events.opened();
    });
    socket.addEventListener("message", (event) => this.receive(event.data));
    socket.addEventListener("close", () => void this.again());
    return socket;
  }

  private async again(): Promise<void> {
    this.events.lost(await this.refusal());
    setTimeout(() => (this.socket = this.connect()), Math.min(WAIT[1], WAIT[0] * 2 ** this.attempts));
    this.attempts += 1;
  }

  /** Why a server that is there does not let us in; empty where there is none. */
  private async refusal(): Promise<string> {
    try {
      const answer = await fetch(this.path);
      return [403, 503].includes(answer.status) ? (await answer.text()).trim() : "";
    } catch {
      return "";
    }
  }

  private receive(data: string | ArrayBuffer): void {
    this.guard(() => {
      if (typeof data === "string") this.events.status(JSON.parse(data) as Status);
      else this.waiting.push(decode(new Uint8Array(data)));
    });
  }

  /** Hands over what has come in; called once per picture. */
  flush(): void {
    const messages = this.waiting;
    this.waiting = [];
    for (const message of messages) {
      this.guard(() => {
        if (message.header.message === "frames") this.events.frames(message);
        else this.events.scene(message);
      });
    }
  }

  /** One message that cannot be shown must not end the page. */
  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.events.broken(error instanceof Error ? error.message : String(error));
    }
  }

  send(command: object): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}
