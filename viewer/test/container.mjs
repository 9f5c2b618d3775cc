// Writes the container of FORMAT.md, independently of the page's reader, and puts it in a page.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../dist/index.html", import.meta.url));
const TYPES = new Map([[Float32Array, "f32"], [Float64Array, "f64"], [Uint32Array, "u32"], [Uint8Array, "u8"]]);

/** `arrays`: name -> [typed array, shape]. */
export function encode(header, arrays) {
  const infos = {};
  let size = 0;
  for (const [name, [data, shape]] of Object.entries(arrays)) {
    infos[name] = { type: TYPES.get(data.constructor), offset: size, shape };
    size += Math.ceil(data.byteLength / 8) * 8;
  }
  let text = Buffer.from(JSON.stringify({ format: "stickslip-replay", version: 1, ...header, arrays: infos }));
  const padding = (8 - (text.length % 8)) % 8;
  text = Buffer.concat([text, Buffer.alloc(padding, " ")]);
  const head = Buffer.alloc(16);
  head.write("STICKSLP", "ascii");
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(text.length, 12);
  const body = Buffer.alloc(size);
  for (const [name, [data]] of Object.entries(arrays)) {
    Buffer.from(data.buffer, data.byteOffset, data.byteLength).copy(body, infos[name].offset);
  }
  return Buffer.concat([head, text, body]);
}

/** The exported page with these containers. */
export function page(...containers) {
  const elements = containers.map((bytes) =>
    `<script type="application/x-stickslip" data-encoding="gzip">${gzipSync(bytes).toString("base64")}</script>`);
  return readFileSync(PAGE, "utf8").replace("<!--stickslip:data-->", () => elements.join("\n"));
}
