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

export class Live {
  private socket: WebSocket;
  /** Messages since the last picture; applied at once, so that a slow page cannot starve. */
  private waiting: Container[] = [];

  constructor(path: string, private events: LiveEvents) {
    const url = new URL(path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("message", (event) => this.receive(event.data));
    this.socket.addEventListener("close", () => events.closed());
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
