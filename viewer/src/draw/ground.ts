// Ground: an antialiased grid that fades out, on every half-space or below the scene.

import * as THREE from "three";
import type { Theme } from "./theme";

const VERTEX = `
varying vec3 vWorld;
varying vec2 vPlane;
void main() {
  vPlane = position.xy;
  vec4 world = modelMatrix * vec4(position, 1.0);
  vWorld = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const FRAGMENT = `
uniform vec3 lineColor;
uniform vec3 fillColor;
uniform float fill;
uniform float cell;
uniform float reach;
uniform vec2 middle;
uniform float below;
varying vec2 vPlane;
float lines(vec2 p, float size, float width) {
  vec2 x = p / size;
  vec2 slope = max(fwidth(x), vec2(1e-6));
  vec2 d = abs(fract(x - 0.5) - 0.5) / slope;
  vec2 fade = 1.0 - smoothstep(0.25, 0.7, slope);
  vec2 on = (1.0 - smoothstep(width - 0.5, width + 0.5, d)) * fade;
  return max(on.x, on.y);
}
void main() {
  if (below > 0.5 && vPlane.y > 0.0) discard;
  float fine = 0.26 * lines(vPlane, cell, 0.6);
  float coarse = 0.52 * lines(vPlane, cell * 5.0, 0.8);
  float edge = below > 0.5 ? 1.0 - smoothstep(0.8, 1.6, -vPlane.y / fwidth(vPlane.y)) : 0.0;
  float far = 1.0 - smoothstep(0.35 * reach, reach, length(vPlane - middle));
  float line = max(max(fine, coarse) * (below > 0.5 ? 0.0 : 1.0), edge);
  gl_FragColor = vec4(mix(fillColor, lineColor, line), max(line, fill) * far);
  #include <colorspace_fragment>
}`;

/** A round number close to `x`: 1, 2 or 5 times a power of ten. */
export function roundNumber(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const lead = x / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

export class Ground {
  readonly root = new THREE.Group();
  private material: THREE.ShaderMaterial;
  private shadow: THREE.ShadowMaterial | null = null;

  /** Distance of its fine lines [m]; every fifth is stronger. */
  readonly cell: number;

  /** `solid`: a half-space, filled. In 2D a solid one is everything below its own x axis. */
  constructor(size: number, dimension: 2 | 3, solid: boolean) {
    this.cell = roundNumber(size / 12);
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        lineColor: { value: new THREE.Color() },
        fillColor: { value: new THREE.Color() },
        fill: { value: solid ? (dimension === 2 ? 1 : 0.85) : 0 },
        cell: { value: this.cell },
        reach: { value: size * (dimension === 2 ? 40 : 5) },
        middle: { value: new THREE.Vector2() },
        below: { value: dimension === 2 && solid ? 1 : 0 },
      },
    });
    const plane = new THREE.PlaneGeometry(size * 80, size * 80);
    const mesh = new THREE.Mesh(plane, this.material);
    mesh.renderOrder = -2;
    this.root.add(mesh);
    if (dimension === 3) {
      this.shadow = new THREE.ShadowMaterial({ depthWrite: false, color: "#0d1526" });
      const receiver = new THREE.Mesh(plane, this.shadow);
      receiver.receiveShadow = true;
      receiver.renderOrder = -1;
      this.root.add(receiver);
    } else {
      mesh.position.z = solid ? -0.5 : -1;
    }
  }

  setTheme(theme: Theme): void {
    const { lineColor, fillColor } = this.material.uniforms;
    lineColor.value.set(theme.grid);
    fillColor.value.set(theme.ground);
    if (this.shadow) this.shadow.opacity = theme.shadow;
  }

  dispose(): void {
    this.material.dispose();
    this.shadow?.dispose();
  }
}
