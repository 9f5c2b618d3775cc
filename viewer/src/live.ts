// A live run behind a WebSocket: frames in, commands out.

import { type Container, decode } from "./format";

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
}

export interface LiveEvents {
  scene(container: Container): void;
  frames(container: Container): void;
  status(status: Status): void;
  closed(): void;
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

export class Live {
  private socket: Channel;
  /** Messages since the last picture; applied at once, so that a slow page cannot starve. */
  private waiting: Container[] = [];

  constructor(path: string, private events: LiveEvents) {
    if (path === "parent") {
      this.socket = new Parent((data) => this.receive(data));
      return;
    }
    const url = new URL(path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", (event) => this.receive(event.data));
    socket.addEventListener("close", () => events.closed());
    this.socket = socket;
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") this.events.status(JSON.parse(data) as Status);
    else this.waiting.push(decode(new Uint8Array(data)));
  }

  /** Hands over what has come in; called once per picture. */
  flush(): void {
    const messages = this.waiting;
    this.waiting = [];
    for (const message of messages) {
      if (message.header.message === "frames") this.events.frames(message);
      else this.events.scene(message);
    }
  }

  send(command: object): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}
