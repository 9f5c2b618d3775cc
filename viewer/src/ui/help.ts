// The page of keys.

import { TOGGLES } from "../options";
import { h, iconButton } from "./dom";

const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["← →", "one step back, one step on"],
  ["shift ← →", "ten steps"],
  ["home end", "first frame, last frame (live: what comes)"],
  ["< >", "slower, faster"],
  ["l", "loop"],
  ["p", "plots"],
  ["v", "centre the selected body and follow it"],
  ["r", "find the bodies again"],
  ["1 2 3", "look from the front, the side, above"],
  ["d", "light or dark"],
  ["h", "hide the panel"],
  ["esc", "deselect"],
];

export function helpDialog(): HTMLDialogElement {
  const row = ([key, what]: [string, string]): HTMLElement =>
    h("div", { class: "key" }, h("span", {}, ...key.split(" ").flatMap((k) => [h("kbd", {}, k), " "])), what);
  const dialog = h("dialog", { class: "help" },
    h("header", {}, h("h2", {}, "Keys"), iconButton("close", "Close", () => dialog.close())),
    h("div", { class: "columns" },
      h("div", {}, ...KEYS.map(row)),
      h("div", {}, ...TOGGLES.map((t) => row([t.shortcut, t.label.toLowerCase()]))),
    ),
    h("p", {}, "Drag turns the view, right drag (or two fingers) moves it, the wheel zooms. Click a body to see its state. ",
      "Drop another export onto the page to see both side by side."),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}
