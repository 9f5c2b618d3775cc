// What is shown. One list makes the panel, the keys and the help page.

export interface Toggle {
  key: OptionName;
  label: string;
  shortcut: string;
  group: "Bodies" | "Contacts" | "Helpers";
}

export interface Options {
  edges: boolean;
  shadows: boolean;
  grid: boolean;
  seeThrough: boolean;
  contactPoints: boolean;
  contactNormals: boolean;
  contactForces: boolean;
  frictionCones: boolean;
  boxes: boolean;
  joints: boolean;
  frames: boolean;
  centers: boolean;
  trails: boolean;
  ghost: boolean;
  names: boolean;
  axes: boolean;
  smooth: boolean;
}

export type OptionName = keyof Options;

export const DEFAULTS: Options = {
  edges: true,
  shadows: true,
  grid: true,
  seeThrough: false,
  contactPoints: false,
  contactNormals: false,
  contactForces: false,
  frictionCones: false,
  boxes: false,
  joints: false,
  frames: false,
  centers: false,
  trails: false,
  ghost: false,
  names: false,
  axes: true,
  smooth: true,
};

export const TOGGLES: Toggle[] = [
  { key: "contactPoints", label: "Points", shortcut: "c", group: "Contacts" },
  { key: "contactNormals", label: "Normals", shortcut: "n", group: "Contacts" },
  { key: "contactForces", label: "Forces", shortcut: "f", group: "Contacts" },
  { key: "frictionCones", label: "Friction cones", shortcut: "k", group: "Contacts" },
  { key: "edges", label: "Edges", shortcut: "e", group: "Bodies" },
  { key: "seeThrough", label: "See-through", shortcut: "x", group: "Bodies" },
  { key: "boxes", label: "Bounding boxes", shortcut: "b", group: "Bodies" },
  { key: "ghost", label: "Previous step", shortcut: "g", group: "Bodies" },
  { key: "trails", label: "Trails", shortcut: "t", group: "Bodies" },
  { key: "names", label: "Names", shortcut: "a", group: "Bodies" },
  { key: "joints", label: "Joints", shortcut: "j", group: "Helpers" },
  { key: "frames", label: "Body frames", shortcut: "o", group: "Helpers" },
  { key: "centers", label: "Centres of mass", shortcut: "m", group: "Helpers" },
  { key: "grid", label: "Grid", shortcut: "i", group: "Helpers" },
  { key: "axes", label: "Axes and scales", shortcut: "w", group: "Helpers" },
  { key: "smooth", label: "Between steps", shortcut: "u", group: "Helpers" },
  { key: "shadows", label: "Shadows", shortcut: "s", group: "Helpers" },
];
