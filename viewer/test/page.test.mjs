// What the page shows without being asked: the whole motion, the scene's own view, words, axes, scales,
// ground, motion between steps, trails, joints on demand, an axis for each unit.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { page as makePage } from "./container.mjs";
import { difference, picture, pixel } from "./pixels.mjs";
import { cuboid, record, shapes, stack } from "./scenes.mjs";

const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL("../../target", import.meta.url));
const program = process.env.STICKSLIP ?? join(target, "debug", "stickslip");
const SIZE = { width: 800, height: 520 };
let browser;
let folder;

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "stickslip-page-"));
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

async function openFile(file, size = SIZE) {
  const page = await browser.newPage({ viewport: size, colorScheme: "light" });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.stickslip?.ready);
  return page;
}

async function open(containers, size = SIZE) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.html`);
  writeFileSync(file, makePage(...containers));
  return openFile(file, size);
}

const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const at = async (page, time) => {
  await page.evaluate((t) => window.stickslip.seek(t), time);
  await settle(page);
};
const close = async (page) => {
  assert.deepEqual(page.problems, []);
  await page.close();
};

/** A ball over a slab that floats; `x(t)` and `z(t)` are its path. */
function ball(more, x, z, frames = 101, step = 0.01) {
  const part = (shape) => [{ shape, position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
  const header = {
    scene: "ball", dimension: 3, step, gravity: [0, 0, -9.81], formulation: "peg", solver: "lemke", joints: [],
    shapes: [cuboid(2, 2, 0.2), { type: "ball", radius: 0.1 }],
    bodies: [
      { name: "slab", motion: "static", mass: 1, color: null, visible: true, parts: part(0) },
      { name: "ball", motion: "dynamic", mass: 1, color: [0.3, 0.5, 0.9], visible: true, parts: part(1) },
    ], ...more,
  };
  return record(header, frames, (t, b) => ({ position: b === 0 ? [0, 0, 0.5] : [x(t), 0, z(t)] }), () => [], {}, Float64Array);
}

/** Share of the times at which every moving body is in the picture, and pixels between two of its points. */
const inView = (page) => page.evaluate(() => {
  const { app, state } = window.stickslip;
  const canvas = app.stage.canvas.getBoundingClientRect();
  const moving = app.player.recordings[0].bodies.flatMap((b, i) => (b.motion === "static" ? [] : [i]));
  let inside = 0;
  for (let k = 0; k <= 20; k++) {
    app.player.seek(state.begin + (k / 20) * (state.end - state.begin));
    const world = app.stage.worlds[0];
    inside += moving.every((b) => {
      const p = app.stage.locate(0, world.position(b));
      return p && p[0] > canvas.left && p[0] < canvas.right && p[1] > canvas.top && p[1] < canvas.bottom;
    });
  }
  return inside / 21;
});

test("the first view holds the whole motion, large enough to see", async () => {
  for (const [scene, name, side] of [["sliding-block", "block", 0.5], ["differential-drive", "chassis", 0.3], ["seams", "cube", 0.5], ["ragdolls", "red torso", 0.5]]) {
    const file = join(folder, `${scene}.html`);
    const short = scene === "ragdolls" ? ["--duration", "0.6"] : [];
    execFileSync(program, ["run", scene, "-q", "--no-oracle", ...short, "--html", file]);
    const page = await openFile(file);
    assert.equal(await inView(page), 1, `${scene}: bodies leave the picture`);
    const pixels = await page.evaluate(([n, s]) => {
      const { app } = window.stickslip;
      const world = app.stage.worlds[0];
      const p = world.position(world.recording.bodies.findIndex((b) => b.name === n));
      const ends = [-s / 2, s / 2].map((z) => app.stage.locate(0, p.clone().setZ(p.z + z)));
      return Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
    }, [name, side]);
    assert.ok(pixels > 20, `${scene}: ${name} has ${pixels.toFixed(0)} pixels`);
    const said = await page.locator(".description").textContent();
    assert.match(said, /\w+ \w+/, `${scene} does not say what happens`);
    // The dolls fall down the steps towards +y; there the camera is.
    if (scene === "ragdolls") assert.ok((await page.evaluate(() => window.stickslip.app.stage.camera.position.y)) > 3);
    await close(page);
  }
});

test("a scene's camera is taken, and follows the body that it names", async () => {
  const camera = { position: [3, -4, 2], target: [0, 0, 1], fov: 50 };
  const view = (page) => page.evaluate(() => {
    const { stage } = window.stickslip.app;
    return [...stage.camera.position.toArray(), ...stage.controls.target.toArray(), stage.camera.fov];
  });
  const near = (a, b) => a.forEach((v, i) => assert.ok(Math.abs(v - b[i]) < 1e-9, `${a} is not ${b}`));
  let page = await open([ball({ camera }, (t) => t, () => 1)]);
  near(await view(page), [3, -4, 2, 0, 0, 1, 50]);
  await close(page);
  page = await open([ball({ camera: { ...camera, follow: "ball" } }, (t) => 2 * t, () => 1)]);
  assert.equal(await page.evaluate(() => window.stickslip.state.followed), "ball");
  await at(page, 0.5);
  near(await view(page), [4, -4, 2, 1, 0, 1, 50]);
  await close(page);
});

test("v brings the selected body to the middle at the same distance", async () => {
  const page = await open([stack()]);
  await at(page, 1.2);
  const distance = () => page.evaluate(() => window.stickslip.app.stage.controls.getDistance());
  const before = await distance();
  await page.evaluate(() => window.stickslip.select("box 9"));
  await page.keyboard.press("v");
  await settle(page);
  const canvas = await page.locator(".stage canvas").boundingBox();
  const [x, y] = await page.evaluate(() => window.stickslip.locate("box 9"));
  assert.ok(Math.hypot(x - canvas.x - canvas.width / 2, y - canvas.y - canvas.height / 2) < 1, `${x}, ${y}`);
  assert.ok(Math.abs((await distance()) - before) < 1e-9 * before);
  await close(page);
});

test("r finds the bodies again, in a live run where they are now", async () => {
  const page = await open([ball({}, (t) => 100 * t, () => 1)]);
  const seen = () => page.evaluate(() => {
    const box = window.stickslip.app.stage.canvas.getBoundingClientRect();
    const p = window.stickslip.locate("ball");
    return p !== null && p[0] > box.left && p[0] < box.right && p[1] > box.top && p[1] < box.bottom;
  });
  await page.evaluate(() => {
    window.stickslip.app.stage.live = true;
    window.stickslip.seek(1);
    window.stickslip.app.stage.controls.target.set(-500, 0, 0);
    window.stickslip.app.stage.camera.position.set(-500, -5, 2);
  });
  await settle(page);
  assert.equal(await seen(), false);
  await page.keyboard.press("r");
  await settle(page);
  assert.equal(await seen(), true);
  // A ball of 0.1 m is not a dot a hundred metres away.
  assert.ok((await page.evaluate(() => window.stickslip.app.stage.pixelsPerMetre())) > 20);
  await close(page);
});

test("axes, the scale of the grid and the scale of forces are written in the picture", async () => {
  const page = await open([stack()]);
  await settle(page);
  const texts = () => page.locator(".scales text").allTextContents();
  const first = await texts();
  for (const axis of ["x", "y", "z"]) assert.ok(first.includes(axis), `${first}`);
  const cell = await page.evaluate(() => window.stickslip.app.stage.worlds[0].cell);
  assert.ok(first.includes(`grid ${cell} m`), `${first}: lines every ${cell} m`);
  assert.ok(!first.some((t) => / k?N$/.test(t)));
  await page.keyboard.press("f");
  await settle(page);
  const force = (await texts()).find((t) => / N$/.test(t));
  // The arrow beside the number is as long as one of that force in the middle of the picture.
  const [wanted, found] = await page.evaluate((newtons) => {
    const { stage } = window.stickslip.app;
    const paths = [...document.querySelectorAll(".scales .stroke")].map((p) => p.getBBox().width);
    return [newtons * stage.worlds[0].forceScale * stage.pixelsPerMetre(), paths[paths.length - 1]];
  }, parseFloat(force));
  assert.ok(Math.abs(wanted - found) < 0.2, `${force}: ${wanted} and ${found} pixels`);
  await page.keyboard.press("w");
  await settle(page);
  assert.equal(await page.locator(".scales").isVisible(), false);
  await close(page);
});

test("the ground is where the scene has one, and views side by side share it", async () => {
  const fall = (speed) => ball({ label: `${speed}` }, () => 3, (t) => 1 - speed * t);
  const page = await open([fall(1), fall(6)]);
  const grounds = await page.evaluate(() => window.stickslip.app.stage.worlds.map((w) => [w.grid.root.position.z, w.grid.cell]));
  // The slab is 0.2 thick, its middle at 0.5: not where the ball has fallen to.
  grounds.forEach(([z]) => assert.ok(Math.abs(z - 0.4) < 1e-6, `${z}`));
  assert.deepEqual(grounds[0], grounds[1]);
  await close(page);
});

test("between two steps bodies are drawn between their places", async () => {
  const page = await open([ball({}, (t) => t, () => 1, 11, 0.1)]);
  const x = () => page.evaluate(() => window.stickslip.app.stage.worlds[0].position(1).x);
  await at(page, 0.325);
  assert.ok(Math.abs((await x()) - 0.325) < 1e-9, `${await x()}`);
  await page.keyboard.press("u");
  assert.ok(Math.abs((await x()) - 0.3) < 1e-9, "steps can be seen as they are");
  await close(page);
});

test("trails reach back to the start and stand out from light ground", async () => {
  const page = await open([ball({}, (t) => -2 + t, () => 1.2, 1001, 0.004)]);
  await at(page, 4);
  const plain = await picture(page);
  await page.keyboard.press("t");
  await settle(page);
  const shown = await picture(page);
  for (const x of [-1.95, -1, 0, 1]) {
    const place = await page.evaluate((p) => window.stickslip.locatePoint(p), [x, 0, 1.2]);
    const [a, b] = [pixel(plain, place), pixel(shown, place)];
    const contrast = Math.max(...a.map((v, i) => Math.abs(v - b[i])));
    assert.ok(contrast > 80, `at x = ${x}: ${a} and ${b}`);
  }
  await close(page);
});

test("joints are drawn on demand", async () => {
  const page = await open([shapes()]);
  await at(page, 0.5);
  const plain = await picture(page);
  assert.equal(await page.evaluate(() => window.stickslip.state.options.joints), false);
  await page.keyboard.press("j");
  await settle(page);
  assert.ok(difference(plain, await picture(page)) > 100);
  await close(page);
});

test("quantities of different units have axes of their own", async () => {
  const page = await open([stack()]);
  await page.keyboard.press("p");
  await page.evaluate(() => window.stickslip.app.plots.setCurves([
    { quantity: "energy", body: null }, { quantity: "position.z", body: "box 1" }, { quantity: "position.z", body: "box 2" }, { quantity: "contacts", body: null }]));
  await settle(page);
  const scales = await page.evaluate(() => window.stickslip.app.plots.chart.scales.map((s) => [s.unit, s.lines.length, s.from, s.to]));
  assert.deepEqual(scales.map((s) => s.slice(0, 2)), [["J", 1], ["m", 2], ["", 1]]);
  // Heights of a metre fill their axis although energies are hundreds of joules.
  assert.ok(scales[1][3] < 2 && scales[0][3] > 200, `${scales}`);
  await close(page);
});

test("play is among the first five things that the tab key reaches", async () => {
  const page = await open([stack()]);
  const reached = [];
  for (let k = 0; k < 5; k++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")));
  }
  assert.ok(reached.includes("Play or pause (space)"), `${reached}`);
  await close(page);
});
