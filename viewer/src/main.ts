// Starts the page: shows what is in it, or connects to a live run.

import "./ui/style.css";
import * as THREE from "three";
import { App } from "./app";
import { decode, unpack } from "./format";
import { Recording } from "./recording";
import { h } from "./ui/dom";

async function recordingsInPage(): Promise<Recording[]> {
  const out: Recording[] = [];
  for (const element of document.querySelectorAll<HTMLScriptElement>('script[type="application/x-stickslip"]')) {
    const bytes = await unpack(element.textContent ?? "", element.dataset.encoding ?? "gzip");
    element.textContent = "";
    out.push(new Recording(decode(bytes)));
  }
  return out;
}

/** For tests and for the console of the browser. */
function expose(app: App): void {
  const world = (index: number) => app.stage.worlds[index];
  const find = (name: string, index: number): number =>
    world(index)?.recording.bodies.findIndex((b) => b.name === name) ?? -1;
  Object.assign(window, {
    stickslip: {
      app,
      ready: false,
      error: null as string | null,
      get state() {
        const { player } = app;
        return {
          time: player.time, frame: player.frame, begin: player.begin, end: player.end,
          frames: player.recordings.map((r) => r.frames), shown: app.stage.worlds.map((w) => w.frame),
          playing: player.playing, speed: player.speed, loop: player.loop,
          options: { ...app.options }, theme: app.theme.name, following: app.followed >= 0,
          followed: player.recordings[0]?.bodies[app.followed]?.name ?? null,
          selected: player.recordings[0]?.bodies[app.selected]?.name ?? null,
          curves: app.plots.curves, log: app.plots.chart.log, plots: !app.plots.root.hidden,
          info: { ...app.stage.info },
        };
      },
      seek: (t: number) => app.player.seek(t),
      seekFrame: (k: number) => app.player.seekFrame(k),
      play: (on: boolean) => app.player.play(on),
      option: (name: string, on: boolean) => app.setOption(name, on),
      select: (name: string) => app.select(find(name, 0)),
      /** Where a body's centre is on the page. */
      locate: (name: string, index = 0) => {
        const body = find(name, index);
        return body < 0 ? null : app.stage.locate(index, world(index).position(body));
      },
      locatePoint: (point: [number, number, number], index = 0) => app.stage.locate(index, new THREE.Vector3(...point)),
      table: () => app.plots.table(),
      /** Draws `n` pictures one after the other; mean milliseconds of each. */
      measure: async (n: number): Promise<number> => {
        const begin = performance.now();
        for (let i = 0; i < n; i++) {
          app.player.seekFrame((app.player.frame + 1) % app.player.recordings[0].frames);
          app.stage.draw();
          // Reading back waits for the picture.
          const gl = app.stage.renderer.getContext();
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        }
        return (performance.now() - begin) / n;
      },
    },
  });
}

/** Without WebGL there is no picture: says so, and what helps. */
function cannotDraw(host: HTMLElement, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  host.replaceChildren(h("div", { class: "dead", role: "alert" },
    h("h1", {}, "This browser cannot draw the picture"), h("p", {}, reason),
    h("p", {}, "The page needs WebGL 2: allow hardware acceleration in the settings of the browser, or use another one. ",
      "Films and pictures without a browser: ", h("code", {}, "stickslip render"), ".")));
  Object.assign(window, { stickslip: { ready: true, error: reason } });
}

/** Defects of the page are shown, not only written to the console. */
function tellDefects(app: App): void {
  const tell = (reason: unknown): void =>
    app.alert.show("page", "The page has failed. Loading it again may help.", reason instanceof Error ? reason.message : String(reason));
  window.addEventListener("error", (event) => tell(event.error ?? event.message));
  window.addEventListener("unhandledrejection", (event) => tell(event.reason));
  app.stage.canvas.addEventListener("webglcontextlost", () => tell("The graphics card was taken away."));
  app.stage.canvas.addEventListener("webglcontextrestored", () => app.alert.clear("page"));
}

async function start(): Promise<void> {
  const host = document.getElementById("app");
  if (!host) return;
  let app: App;
  try {
    app = new App(host);
  } catch (error) {
    cannotDraw(host, error);
    return;
  }
  expose(app);
  tellDefects(app);
  const page = (window as unknown as { stickslip: { ready: boolean; error: string | null } }).stickslip;
  const live = document.documentElement.dataset.live;
  try {
    if (live) {
      app.say("Connecting…");
      app.connect(live);
    } else {
      const recordings = await recordingsInPage();
      if (recordings.length > 0) app.setRecordings(recordings);
      else app.say("No recording in this page. Drop an exported page here, or choose one with Open.");
    }
  } catch (error) {
    page.error = error instanceof Error ? error.message : String(error);
    app.say(page.error);
  }
  page.ready = true;
}

void start();
