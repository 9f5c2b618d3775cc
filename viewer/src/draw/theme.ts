// Colors that the 3D view needs; the page's own are in style.css.

export interface Theme {
  name: "light" | "dark";
  background: string;
  horizon: string;
  grid: string;
  ground: string;
  edge: string;
  fixed: string;
  sky: number;
  earth: number;
  ambient: number;
  sun: number;
  shadow: number;
}

export const LIGHT: Theme = {
  name: "light",
  background: "#eef1f6",
  horizon: "#f9fafc",
  grid: "#8e99ad",
  ground: "#e3e7ee",
  edge: "#141a26",
  fixed: "#b9c0cc",
  sky: 0xffffff,
  earth: 0xb8bfca,
  ambient: 1.9,
  sun: 1.75,
  shadow: 0.26,
};

export const DARK: Theme = {
  name: "dark",
  background: "#0e1117",
  horizon: "#171c26",
  grid: "#5d6880",
  ground: "#1a202b",
  edge: "#05070b",
  fixed: "#5c6677",
  sky: 0xdfe8ff,
  earth: 0x2a3140,
  ambient: 1.3,
  sun: 1.9,
  shadow: 0.5,
};

/** Told apart by people with any color vision; neighbours differ in lightness too. */
export const PALETTE = [
  "#4c7fe8", "#f0a03c", "#2fa886", "#e0607e", "#8a6fe0", "#58b8d8",
  "#c9b23a", "#d47ac0", "#6fa84a", "#e07a4a",
];

/** Unilateral, inter, cross, secondary. */
export const KIND_COLORS = ["#12b886", "#f59f00", "#d6409f", "#8b93a3"];
