// World axes, the scale of lengths, of the grid and of force arrows, in a corner of the picture.

import { Vector3 } from "three";
import { roundNumber } from "../draw/ground";
import type { Stage } from "../draw/stage";

const COLORS = ["#e5484d", "#2b9a66", "#3e7bfa"];
const ARM = 22;
const NAMESPACE = "http://www.w3.org/2000/svg";

export class Scales {
  readonly root = document.createElementNS(NAMESPACE, "svg");
  private shown = "";

  constructor() {
    this.root.setAttribute("class", "scales");
    this.root.setAttribute("role", "img");
  }

  /** `forces`: metres of arrow per newton, or `null` where none are drawn. */
  update(stage: Stage, on: boolean, cell: number | null, forces: number | null): void {
    this.root.style.display = on ? "" : "none";
    if (!on) return;
    const perMetre = stage.pixelsPerMetre();
    if (!(perMetre > 0) || !Number.isFinite(perMetre)) return;
    const length = roundNumber(90 / perMetre);
    const rows = [bar(length * perMetre, withUnit(length, "m"), false)];
    if (cell) rows.push(text(`grid ${withUnit(cell, "m")}`));
    if (forces) {
      const force = roundNumber(70 / (perMetre * forces));
      rows.push(bar(force * forces * perMetre, withUnit(force, "N"), true));
    }
    const height = 20 * rows.length;
    const markup = axes(stage) + rows.map((row, k) => `<g transform="translate(78 ${62 - height + 20 * (k + 1)})">${row}</g>`).join("");
    if (markup === this.shown) return;
    this.shown = markup;
    this.root.innerHTML = markup;
    const said = [`scale ${withUnit(length, "m")}`, cell ? `grid ${withUnit(cell, "m")}` : "", forces ? "scale of forces" : ""];
    this.root.setAttribute("aria-label", `World axes, ${said.filter((t) => t).join(", ")}`);
  }
}

/** The axes of the world as the camera sees them, those in front drawn last. */
function axes(stage: Stage): string {
  stage.camera.updateMatrixWorld();
  const planar = "isOrthographicCamera" in stage.camera;
  const turn = stage.camera.quaternion.clone().invert();
  const arms = ["x", "y", "z"].slice(0, planar ? 2 : 3).map((name, i) => {
    const v = new Vector3().setComponent(i, 1).applyQuaternion(turn);
    return { name, color: COLORS[i], x: 34 + ARM * v.x, y: 38 - ARM * v.y, z: v.z, tx: 34 + 1.38 * ARM * v.x, ty: 38 - 1.38 * ARM * v.y };
  });
  arms.sort((a, b) => a.z - b.z);
  return arms.map((a) =>
    `<line x1="34" y1="38" x2="${a.x.toFixed(1)}" y2="${a.y.toFixed(1)}" stroke="${a.color}" stroke-width="2.5" stroke-linecap="round"/>` +
    `<text class="axis" x="${a.tx.toFixed(1)}" y="${(a.ty + 4).toFixed(1)}" fill="${a.color}">${a.name}</text>`).join("");
}

function bar(pixels: number, label: string, arrow: boolean): string {
  const end = pixels.toFixed(1);
  const ends = arrow ? `<path d="M${end} -4l-7 -4v8z" class="ink"/>` : `<path d="M0 -8v8M${end} -8v8" class="stroke"/>`;
  return `<path d="M0 -4h${end}" class="stroke"/>${ends}<text x="${(pixels + 7).toFixed(1)}" y="0">${label}</text>`;
}

function text(label: string): string {
  return `<text x="0" y="0">${label}</text>`;
}

/** A round number with a unit that fits it. */
export function withUnit(x: number, unit: string): string {
  const steps: [number, string][] = [[1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  const [size, prefix] = steps.find(([s]) => x >= 0.0999 * s && (s !== 1e3 || x >= s) && (s !== 1e6 || x >= s)) ?? steps[steps.length - 1];
  return `${Number((x / size).toPrecision(2))} ${prefix}${unit}`;
}
