// Reads the container that FORMAT.md describes.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
export type Numbers = Float32Array | Float64Array | Uint32Array | Uint8Array;

export type Shape =
  | { type: "polytope"; vertices: Vec3[]; faces: number[][] }
  | { type: "polygon"; vertices: Vec3[] }
  | { type: "ball"; radius: number }
  | { type: "capsule" | "cylinder" | "cone"; half: number; radius: number }
  | { type: "half-space" }
  | { type: "mesh"; vertices: Vec3[]; triangles: number[][] };

export interface Part {
  shape: number;
  position: Vec3;
  orientation: Quat;
}

export interface Body {
  name: string;
  motion: "dynamic" | "kinematic" | "static";
  mass?: number;
  color?: Vec3 | null;
  visible?: boolean;
  parts: Part[];
}

export interface Joint {
  name: string;
  type: string;
  bodies: [number, number];
  anchors: [Vec3, Vec3];
  axis?: Vec3 | null;
}

export interface SeriesInfo {
  name: string;
  label: string;
  unit: string;
  group?: string;
}

interface ArrayInfo {
  type: "f32" | "f64" | "u32" | "u8";
  offset: number;
  shape: number[];
}

/** Where the picture is taken from; see FORMAT.md. */
export interface Camera {
  position?: Vec3;
  target?: Vec3;
  /** Degrees. */
  fov?: number;
  height?: number;
  follow?: string;
}

export interface Header {
  format: string;
  version: number;
  message?: "recording" | "scene" | "frames";
  scene: string;
  description?: string;
  camera?: Camera;
  label?: string;
  dimension: 2 | 3;
  step: number;
  gravity?: Vec3;
  formulation?: string;
  solver?: string;
  shapes: Shape[];
  bodies: Body[];
  joints?: Joint[];
  series?: SeriesInfo[];
  arrays: Record<string, ArrayInfo>;
}

export interface Container {
  header: Header;
  arrays: Map<string, Numbers>;
}

const MAGIC = "STICKSLP";
const VERSION = 1;
const TYPES = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, u8: Uint8Array } as const;

/** The header and views onto the arrays of one container. */
export function decode(bytes: Uint8Array): Container {
  const text = new TextDecoder();
  if (bytes.length < 16 || text.decode(bytes.subarray(0, 8)) !== MAGIC) {
    throw new Error("this is no Stickslip recording");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(8, true);
  if (version > VERSION) {
    throw new Error(`the recording has version ${version}, this viewer reads up to ${VERSION}`);
  }
  const start = 16 + view.getUint32(12, true);
  if (start > bytes.length) throw new Error("the recording is cut off in its header");
  const header = JSON.parse(text.decode(bytes.subarray(16, start))) as Header;
  // Typed arrays need aligned starts; a container may sit anywhere in a larger buffer.
  const aligned = (bytes.byteOffset + start) % 8 === 0;
  const data = aligned ? bytes.subarray(start) : bytes.slice(start);
  const arrays = new Map<string, Numbers>();
  for (const [name, info] of Object.entries(header.arrays)) {
    const count = info.shape.reduce((a, b) => a * b, 1);
    const Type = TYPES[info.type];
    if (!Type) continue;
    if (info.offset + count * Type.BYTES_PER_ELEMENT > data.byteLength) {
      throw new Error(`the recording is cut off in the array ${name}`);
    }
    arrays.set(name, new Type(data.buffer as ArrayBuffer, data.byteOffset + info.offset, count));
  }
  return { header, arrays };
}

/** Undoes base64 and the compression of one data element. */
export async function unpack(base64: string, encoding: string): Promise<Uint8Array> {
  const packed = fromBase64(base64);
  if (encoding === "none") return packed;
  if (encoding !== "gzip" && encoding !== "deflate") {
    throw new Error(`the data are encoded as ${encoding}; known are gzip, deflate and none`);
  }
  const stream = new Blob([packed as BlobPart]).stream();
  const plain = stream.pipeThrough(new DecompressionStream(encoding));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

function fromBase64(text: string): Uint8Array {
  const clean = text.trim();
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array }).fromBase64;
  if (native) return native.call(Uint8Array, clean);
  const raw = atob(clean);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** The data elements in the text of an exported page. */
export function elementsOf(html: string): { encoding: string; base64: string }[] {
  const pattern =
    /<script type="application\/x-stickslip" data-encoding="([a-z]+)">([^<]*)<\/script>/g;
  return [...html.matchAll(pattern)].map((m) => ({ encoding: m[1], base64: m[2] }));
}
