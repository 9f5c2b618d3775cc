// The smallest WebSocket server that the live test needs (RFC 6455, no fragments in, no masks out).

import { createHash } from "node:crypto";
import { createServer } from "node:http";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

function frame(opcode, payload) {
  const n = payload.length;
  const head = n < 126 ? Buffer.from([0x80 | opcode, n]) : n < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  if (n >= 126) {
    head[0] = 0x80 | opcode;
    head[1] = n < 65536 ? 126 : 127;
    if (n < 65536) head.writeUInt16BE(n, 2);
    else head.writeBigUInt64BE(BigInt(n), 2);
  }
  return Buffer.concat([head, payload]);
}

/** Serves `html` and one socket; `onText` gets each command; `refuse`, if given, is what a plain request is told. */
export function serve(html, onText, port = 0, refuse = null) {
  const sockets = new Set();
  const server = createServer((request, response) => {
    if (refuse && request.url.startsWith("/ws")) {
      response.statusCode = 403;
      response.end(refuse);
      return;
    }
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(html);
  });
  server.on("upgrade", (request, socket) => {
    if (refuse) {
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    sockets.add(socket);
    const key = createHash("sha1").update(request.headers["sec-websocket-key"] + GUID).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`);
    const client = {
      binary: (data) => socket.write(frame(2, data)),
      text: (object) => socket.write(frame(1, Buffer.from(JSON.stringify(object)))),
    };
    let pending = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      pending = Buffer.concat([pending, data]);
      for (;;) {
        if (pending.length < 6) return;
        const short = pending[1] & 127;
        const start = short < 126 ? 2 : 4;
        const length = short < 126 ? short : pending.readUInt16BE(2);
        if (pending.length < start + 4 + length) return;
        const mask = pending.subarray(start, start + 4);
        const body = Buffer.from(pending.subarray(start + 4, start + 4 + length).map((b, i) => b ^ mask[i % 4]));
        const opcode = pending[0] & 15;
        pending = pending.subarray(start + 4 + length);
        if (opcode === 1) onText(JSON.parse(body.toString()), client);
      }
    });
    onText({ command: "hello" }, client);
  });
  return new Promise((done) => server.listen(port, "127.0.0.1", () => done({
    url: `http://127.0.0.1:${server.address().port}/`,
    port: server.address().port,
    close: () => new Promise((ended) => {
      sockets.forEach((socket) => socket.destroy());
      server.closeAllConnections();
      server.close(ended);
    }),
  })));
}
