// The keyboard.

import { Vector3 } from "three";
import type { App } from "../app";
import { TOGGLES } from "../options";

export function listenToKeys(app: App): void {
  const actions: Record<string, (event: KeyboardEvent) => void> = {
    " ": () => app.playOrPause(),
    ArrowLeft: (e) => app.player.stepBy(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => app.player.stepBy(e.shiftKey ? 10 : 1),
    Home: () => app.player.seek(app.player.begin),
    End: () => app.player.seek(app.player.end),
    "<": () => app.player.faster(-1),
    ",": () => app.player.faster(-1),
    ">": () => app.player.faster(1),
    ".": () => app.player.faster(1),
    l: () => {
      app.player.loop = !app.player.loop;
      app.player.changed();
    },
    p: () => app.togglePlots(),
    d: () => app.toggleTheme(),
    r: () => app.home(),
    v: () => app.toggleFollow(),
    h: () => app.toggleSide(),
    1: () => app.stage.fit(new Vector3(0, -1, 0.001)),
    2: () => app.stage.fit(new Vector3(1, 0, 0.001)),
    3: () => app.stage.fit(new Vector3(0, -0.001, 1)),
    "?": () => app.help.showModal(),
    Escape: () => app.select(-1),
  };
  for (const toggle of TOGGLES) {
    actions[toggle.shortcut] = () => app.setOption(toggle.key, !app.options[toggle.key]);
  }
  window.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
    // A slider of a setting has its own use for arrows.
    if (target.matches("input.control") && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (typing || event.ctrlKey || event.metaKey || event.altKey || app.help.open) return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    // A focused button or slider must not act a second time.
    event.preventDefault();
    action(event);
  });
}
