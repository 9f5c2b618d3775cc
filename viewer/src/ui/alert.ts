// What went wrong, over the picture, until it is over or read.

import { h, iconButton } from "./dom";

/** What it is about; a new one takes the place of the last of its kind. */
type Kind = "run" | "connection" | "page";

export class Alert {
  readonly root = h("div", { class: "alerts", role: "alert" });
  private shown = new Map<Kind, HTMLElement>();

  show(kind: Kind, title: string, text: string, action?: [string, () => void]): void {
    const element = h("section", { "data-alert": kind },
      h("header", {}, h("h2", {}, title), iconButton("close", "Dismiss", () => this.clear(kind))),
      h("p", {}, text),
      action && h("button", { class: "text-button", onClick: () => { this.clear(kind); action[1](); } }, action[0]));
    const last = this.shown.get(kind);
    // The same words are not read out again.
    if (last?.textContent === element.textContent) return;
    if (last) last.replaceWith(element);
    else this.root.append(element);
    this.shown.set(kind, element);
  }

  clear(kind: Kind): void {
    this.shown.get(kind)?.remove();
    this.shown.delete(kind);
  }
}
