// Everything together: recordings, clock, picture, panels.

import * as THREE from "three";
import { bodyColor } from "./draw/bodies";
import { Stage } from "./draw/stage";
import { DARK, LIGHT, type Theme } from "./draw/theme";
import { common, World } from "./draw/world";
import { decode, elementsOf, unpack } from "./format";
import { Live, type Status } from "./live";
import { DEFAULTS, type OptionName, type Options } from "./options";
import { Player } from "./player";
import { PlotPanel } from "./plot/panel";
import { Recording, tellApart } from "./recording";
import { h, iconButton } from "./ui/dom";
import { helpDialog } from "./ui/help";
import { Alert } from "./ui/alert";
import { listenToKeys } from "./ui/keys";
import { LivePanel } from "./ui/live_panel";
import { Pointer } from "./ui/pointer";
import { Scales } from "./ui/scales";
import { SidePanel } from "./ui/side";
import { Transport } from "./ui/transport";

export class App {
  readonly player = new Player();
  readonly stage: Stage;
  readonly side: SidePanel;
  readonly plots: PlotPanel;
  readonly help = helpDialog();
  options: Options = { ...DEFAULTS };
  selected = -1;
  /** The body that the camera moves with, or -1. */
  followed = -1;
  theme: Theme = LIGHT;
  live: Live | null = null;
  livePanel: LivePanel | null = null;
  /** What the mouse holds in a live run. */
  held: { body: number; local: THREE.Vector3; target: THREE.Vector3 } | null = null;
  private forceFactor = 1;
  private scales = new Scales();
  private labels = h("div", { class: "labels" });
  private names = h("div", { class: "names" });
  private title = h("div", { class: "title" });
  private message = h("div", { class: "message", hidden: true });
  readonly alert = new Alert();
  private root: HTMLElement;
  private lastPosition: THREE.Vector3 | null = null;
  private previous = performance.now();

  constructor(host: HTMLElement) {
    const view = h("main", { class: "view" });
    const transport = new Transport(this.player);
    this.plots = new PlotPanel(this.player, () => this.togglePlots());
    this.plots.root.hidden = true;
    this.side = new SidePanel(this);
    const file = h("input", { type: "file", accept: ".html", multiple: true, hidden: true, onChange: () => void this.openFiles(file.files) });
    const bar = h("header", { class: "bar" }, logo(), this.title,
      h("nav", {},
        iconButton("home", "Find the bodies again (r)", () => this.home()),
        iconButton("plot", "Plots (p)", () => this.togglePlots(), "plots-button"),
        iconButton("layers", "Display (h)", () => this.toggleSide(), "side-button"),
        iconButton("open", "Open another export", () => file.click(), "wide"),
        iconButton("theme", "Light or dark (d)", () => this.toggleTheme()),
        iconButton("help", "Keys (?)", () => this.help.showModal())));
    // The buttons that one reaches for first come first in the order of the tab key.
    this.root = h("div", { class: "app" }, transport.root, bar, view, this.plots.root, this.help, file);
    host.append(this.root);
    const stage = h("div", { class: "stage" });
    view.append(stage, this.side.root);
    this.stage = new Stage(stage);
    stage.append(this.names, this.labels, this.scales.root, this.message, this.alert.root);
    new Pointer(this);
    listenToKeys(this);
    this.listenToDrops();
    this.player.onChange(() => this.show());
    const wanted = matchMedia("(prefers-color-scheme: dark)");
    wanted.addEventListener("change", () => this.setTheme(wanted.matches ? DARK : LIGHT));
    this.setTheme(wanted.matches ? DARK : LIGHT);
    this.root.classList.toggle("side-closed", innerWidth < 760);
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.live?.flush();
    // A page in the background gets no pictures; time must not leap when it returns.
    this.player.tick(Math.min(0.25, (now - this.previous) / 1000));
    this.previous = now;
    if (this.stage.draw()) this.placeNames();
    requestAnimationFrame((next) => this.tick(next));
  }

  setRecordings(recordings: Recording[]): void {
    this.stage.worlds.forEach((w) => w.dispose());
    this.stage.worlds = [];
    tellApart(recordings);
    const shared = common(recordings);
    const worlds = recordings.map((r) => new World(r, shared));
    worlds.forEach((w) => {
      w.setTheme(this.theme);
      w.setOptions(this.options);
    });
    this.selected = this.followed = -1;
    this.player.setRecordings(recordings);
    this.place(worlds);
    this.stage.setWorlds(worlds);
    this.follow(this.asked());
    this.plots.reset();
    this.side.fillList();
    this.fillTitle();
    this.message.hidden = recordings.length > 0;
    this.show();
  }

  private fillTitle(): void {
    const { recordings } = this.player;
    const first = recordings[0]?.header;
    if (!first) return;
    document.title = `${first.scene} – Stickslip`;
    const badge = (text: string | undefined): HTMLElement | null => (text ? h("span", { class: "badge" }, text) : null);
    const alone = recordings.length === 1;
    const said = [...new Set(recordings.map((r) => r.header.description ?? ""))];
    const what = said.length === 1 ? said[0] : "";
    this.title.replaceChildren(h("div", { class: "heading" }, h("h1", {}, first.scene), ...[
      badge(alone ? first.formulation : undefined), badge(alone ? first.solver : undefined),
      badge(`h = ${first.step} s`), badge(`${first.bodies.length} ${first.bodies.length === 1 ? "body" : "bodies"}`),
      badge(first.dimension === 2 ? "2D" : undefined),
    ].filter((b) => b !== null)), ...(what ? [h("p", { class: "description", title: what }, what)] : []));
    this.labels.replaceChildren(...(alone ? [] : recordings.map((r) => h("div", { class: "label" }, r.label))));
  }

  /** Brings every world to the player's time. */
  show(): void {
    this.place(this.stage.worlds);
    this.stage.worlds[0]?.showSpring(this.held);
    this.moveAlong();
    this.side.update();
    this.stage.invalidate();
  }

  private place(worlds: World[]): void {
    worlds.forEach((world, i) => {
      const frame = this.player.frameOf(i);
      world.show(frame, world.recording.shareAt(this.player.time, frame), this.options, this.forceFactor);
    });
  }

  /** The body that the scene's camera follows, or -1. */
  private asked(): number {
    const recording = this.player.recordings[0];
    const name = recording?.header.camera?.follow;
    return name === undefined ? -1 : recording.bodies.findIndex((b) => b.name === name);
  }

  /** The view of the scene, with the bodies in it. */
  home(): void {
    this.stage.home();
    this.follow(this.asked());
  }

  /** Lets the camera move with a body from now on; -1 lets it rest. */
  follow(body: number): void {
    this.followed = body;
    this.lastPosition = body >= 0 ? (this.stage.worlds[0]?.position(body) ?? null) : null;
    this.show();
  }

  private moveAlong(): void {
    const world = this.stage.worlds[0];
    if (this.followed < 0 || !world) return;
    const now = world.position(this.followed);
    if (this.lastPosition) this.stage.shift(now.clone().sub(this.lastPosition));
    this.lastPosition = now;
  }

  /** Labels of the views, and of bodies when asked for. */
  private placeNames(): void {
    const host = this.stage.canvas.getBoundingClientRect();
    this.stage.rects().forEach((r, i) => {
      const label = this.labels.children[i] as HTMLElement | undefined;
      label?.setAttribute("style", `left:${r.x}px;top:${r.y}px;width:${r.width}px;height:${r.height}px`);
    });
    const first = this.stage.worlds[0];
    const forces = this.options.contactForces && first ? first.forceScale * this.forceFactor : null;
    this.scales.update(this.stage, this.options.axes && first !== undefined, first?.cell ?? null, forces);
    const shown: HTMLElement[] = [];
    if (this.options.names) {
      this.stage.worlds.forEach((world, i) => world.recording.bodies.slice(0, 150).forEach((body, b) => {
        if (body.visible === false || world.extents.box(world.frame, b, new THREE.Box3()).isEmpty()) return;
        const at = this.stage.locate(i, world.position(b));
        if (at) shown.push(h("span", { style: `left:${at[0] - host.left}px;top:${at[1] - host.top}px` }, body.name));
      }));
    }
    this.names.replaceChildren(...shown);
  }

  setOption(key: string, on: boolean): void {
    this.options[key as OptionName] = on;
    this.stage.worlds.forEach((w) => w.setOptions(this.options));
    this.show();
  }

  setForceFactor(factor: number): void {
    this.forceFactor = factor;
    this.show();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme.name;
    this.stage.setTheme(theme);
    this.stage.worlds.forEach((w) => w.setTheme(theme));
    this.show();
    this.side.fillList();
    this.plots.paint();
  }

  toggleTheme(): void {
    this.setTheme(this.theme === LIGHT ? DARK : LIGHT);
  }

  toggleSide(): void {
    this.root.classList.toggle("side-closed");
  }

  togglePlots(on: boolean = this.plots.root.hidden === true): void {
    this.plots.root.hidden = !on;
    this.root.classList.toggle("plots-open", on);
    this.plots.update();
  }

  /** Brings the selected body to the middle, at the distance there is, and keeps it there. */
  toggleFollow(): void {
    const body = this.selected >= 0 ? this.selected : this.asked();
    if (this.followed >= 0 || body < 0) {
      this.follow(-1);
      return;
    }
    const place = this.stage.worlds[0]?.position(body);
    if (place) this.stage.shift(place.clone().sub(this.stage.controls.target));
    this.follow(body);
  }

  playOrPause(): void {
    if (this.livePanel) this.livePanel.toggle();
    else this.player.play();
  }

  select(body: number): void {
    this.selected = body;
    if (body < 0 && this.followed !== this.asked()) this.followed = -1;
    this.stage.worlds.forEach((w) => w.select(body));
    const name = this.player.recordings[0]?.bodies[body]?.name;
    if (name) this.plots.offerBody(name);
    this.side.fillList();
    this.show();
  }

  colorOf(body: number): string {
    const recording = this.player.recordings[0];
    return recording ? `#${bodyColor(recording, body, this.theme, new THREE.Color()).getHexString()}` : "";
  }

  say(text: string): void {
    this.message.textContent = text;
    this.message.hidden = false;
  }

  /** Adds the recordings of exported pages to those shown. */
  async openFiles(files: Iterable<File> | FileList | null): Promise<void> {
    const found: Recording[] = [];
    try {
      for (const file of Array.from(files ?? [])) {
        const elements = elementsOf(await file.text());
        if (elements.length === 0) throw new Error(`${file.name} holds no recording`);
        for (const e of elements) found.push(new Recording(decode(await unpack(e.base64, e.encoding))));
      }
      if (found.length > 0) this.setRecordings([...this.player.recordings, ...found]);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
      setTimeout(() => (this.message.hidden = this.player.recordings.length > 0), 5000);
    }
  }

  private listenToDrops(): void {
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      void this.openFiles(event.dataTransfer?.files ?? null);
    });
  }

  connect(path: string): void {
    this.live = new Live(path, {
      scene: (container) => this.begin(new Recording(container)),
      frames: (container) => {
        this.player.recordings[0]?.append(container);
        this.livePanel?.showTimes();
        this.player.changed();
      },
      status: (status) => this.tell(status),
      opened: () => {
        this.alert.clear("connection");
        this.livePanel?.opened();
      },
      lost: (why) => {
        this.livePanel?.closed();
        const next = why || "It may have been stopped, or the machine is busy.";
        this.alert.show("connection", "No connection to the simulation. Trying again…", next);
      },
      broken: (why) => this.alert.show("page", "A message of the simulation cannot be shown.", why),
    });
    this.livePanel = new LivePanel(this.live, this.player);
    this.side.root.prepend(this.livePanel.root);
    this.root.classList.add("is-live");
  }

  /** A live run begins, again, or once more after the connection was lost: then the view stays. */
  private begin(recording: Recording): void {
    const last = this.player.recordings[0];
    const names = (r: Recording): string => JSON.stringify([r.header.dimension, r.bodies.map((b) => b.name)]);
    const same = last !== undefined && names(last) === names(recording);
    const { selected, followed } = this;
    const [view, curves, log] = [this.stage.remember(), this.plots.curves, this.plots.chart.log];
    const { time, following } = this.player;
    this.stage.live = true;
    this.setRecordings([recording]);
    this.player.following = true;
    this.livePanel?.showTimes();
    if (!same) return;
    this.select(selected);
    this.follow(followed);
    view();
    this.plots.setCurves(curves);
    this.plots.setLog(log);
    // Who looks at the past goes on looking at it, if it is still there.
    if (!following && time < this.player.end) this.player.seek(time);
  }

  private tell(status: Status): void {
    const errors = this.livePanel?.status?.errors;
    this.livePanel?.update(status);
    const header = this.player.recordings[0]?.header;
    if (header && (header.step !== status.h || header.formulation !== status.formulation || header.solver !== status.solver)) {
      Object.assign(header, { step: status.h, formulation: status.formulation, solver: status.solver });
      this.fillTitle();
    }
    if (status.error === null) this.alert.clear("run");
    else if (status.errors === undefined || status.errors !== errors) {
      const what = status.running ? "That was not done." : "The simulation has stopped.";
      this.alert.show("run", what, status.error, status.running ? undefined : ["Start again", () => this.live?.send({ command: "reset" })]);
    }
  }
}

function logo(): HTMLElement {
  const mark = h("div", { class: "logo", title: "Stickslip" });
  mark.innerHTML =
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 21 22 13v8z" class="slope"/>' +
    '<rect x="6.6" y="6.6" width="8.2" height="8.2" rx="1.1" transform="rotate(-21.8 10.7 10.700)" class="block"/></svg>';
  return mark;
}

