// The surface of bodies: lit, with edges from the attribute `rim` and a highlight per instance.

import * as THREE from "three";
import type { Theme } from "./theme";

export interface BodyUniforms {
  edgeColor: { value: THREE.Color };
  edgeWidth: { value: number };
  highlightColor: { value: THREE.Color };
}

export function bodyUniforms(): BodyUniforms {
  return {
    edgeColor: { value: new THREE.Color() },
    edgeWidth: { value: 1.1 },
    highlightColor: { value: new THREE.Color("#ff8a1f") },
  };
}

const VERTEX_HEAD = `
attribute vec3 rim;
attribute float highlight;
varying vec3 vRim;
varying float vHighlight;
`;

const FRAGMENT_HEAD = `
uniform vec3 edgeColor;
uniform float edgeWidth;
uniform vec3 highlightColor;
varying vec3 vRim;
varying float vHighlight;
`;

const FRAGMENT_EDGE = `
{
  vec3 slope = max(fwidth(vRim), vec3(1e-6));
  // A slope as large as the number itself means that the edge is everywhere: far away, fade it.
  vec3 near = abs(vRim) / slope;
  float width = edgeWidth * (1.0 + 0.9 * vHighlight);
  float d = min(near.x, min(near.y, near.z));
  float fade = 1.0 - smoothstep(0.12, 0.4, max(slope.x, max(slope.y, slope.z)));
  float edge = (1.0 - smoothstep(width - 0.6, width + 0.6, d)) * mix(0.25, 0.72, fade);
  vec3 ink = mix(mix(diffuseColor.rgb * 0.28, edgeColor, 0.35), highlightColor, vHighlight);
  diffuseColor.rgb = mix(diffuseColor.rgb, highlightColor, 0.22 * vHighlight);
  diffuseColor.rgb = mix(diffuseColor.rgb, ink, max(edge, edge * vHighlight));
}
`;

/** `flat`: drawn without light, for 2D and ghosts. */
export function bodyMaterial(uniforms: BodyUniforms, flat: boolean): THREE.Material {
  const material = flat
    ? new THREE.MeshBasicMaterial({ side: THREE.DoubleSide })
    : new THREE.MeshLambertMaterial();
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = VERTEX_HEAD + shader.vertexShader.replace(
      "#include <begin_vertex>",
      "#include <begin_vertex>\nvRim = rim;\nvHighlight = highlight;",
    );
    shader.fragmentShader = FRAGMENT_HEAD + shader.fragmentShader.replace(
      "#include <color_fragment>",
      `#include <color_fragment>\n${FRAGMENT_EDGE}`,
    );
  };
  material.customProgramCacheKey = () => (flat ? "body-flat" : "body");
  return material;
}

export function applyTheme(uniforms: BodyUniforms, theme: Theme): void {
  uniforms.edgeColor.value.set(theme.edge);
}
