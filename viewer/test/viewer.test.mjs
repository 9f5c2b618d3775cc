// The exported page in a real browser: load, play, scrub, toggle, plot, side by side.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { encode, page as makePage } from "./container.mjs";
import { difference, hueAngle, picture, pixel, rgb, saturation } from "./pixels.mjs";
import { many, planar, shapes, stack } from "./scenes.mjs";

const SIZE = { width: 800, height: 520 };
const PALETTE = ["#4c7fe8", "#f0a03c", "#2fa886", "#e0607e", "#8a6fe0", "#58b8d8", "#c9b23a", "#d47ac0", "#6fa84a", "#e07a4a"];
let browser;
let folder;

before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "stickslip-viewer-"));
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Opens an export from a file, as a double-click does; fails on any error or network request. */
async function open(containers, { size = SIZE, scheme = "light", html = null } = {}) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.html`);
  writeFileSync(file, html ?? makePage(...containers));
  const page = await browser.newPage({ viewport: size, colorScheme: scheme });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (m) => m.type() === "error" && page.problems.push(m.text()));
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || page.problems.push(`asked for ${r.url()}`));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.stickslip?.ready);
  return page;
}

const state = (page) => page.evaluate(() => window.stickslip.state);
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.close();
}

async function at(page, time) {
  await page.evaluate((t) => window.stickslip.seek(t), time);
  await settle(page);
}

test("an export opens from a file, offline, and shows its bodies where they are", async () => {
  const page = await open([stack()]);
  assert.equal(await page.title(), "box-stack – Stickslip");
  const loaded = await state(page);
  assert.deepEqual(loaded.frames, [121]);
  assert.equal(loaded.end, 1.2);
  await at(page, 1.2);
  const shown = await picture(page);
  for (let i = 1; i <= 10; i++) {
    const place = await page.evaluate((name) => window.stickslip.locate(name), `box ${i}`);
    const color = pixel(shown, place);
    assert.ok(saturation(color) > 40, `box ${i} at ${place} is ${color}`);
    assert.ok(hueAngle(color, rgb(PALETTE[i % 10])) < 12, `box ${i} is ${color}`);
  }
  // Beside the stack there is only ground.
  const beside = await page.evaluate(() => window.stickslip.locatePoint([-1.5, 0, 3.5]));
  assert.ok(saturation(pixel(shown, beside)) < 25);
  await close(page);
});

test("a body is drawn at its position of each frame and no longer at the old one", async () => {
  const page = await open([stack()]);
  await at(page, 0);
  const above = await page.evaluate(() => window.stickslip.locate("box 10"));
  const first = await picture(page);
  await at(page, 1.2);
  const later = await picture(page);
  assert.ok(hueAngle(pixel(first, above), rgb(PALETTE[0])) < 12);
  assert.ok(saturation(pixel(later, above)) < 25, "the box has fallen, but is still drawn above");
  await close(page);
});

test("play, pause, loop, speed, single steps and the slider move the clock", async () => {
  const page = await open([stack()]);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stickslip.state.time > 0.15);
  await page.keyboard.press("Space");
  const paused = await state(page);
  assert.equal(paused.playing, false);
  await page.waitForTimeout(150);
  assert.equal((await state(page)).time, paused.time);

  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  assert.equal((await state(page)).frame, 3);
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowLeft");
  assert.equal((await state(page)).frame, 12);
  await page.getByLabel("One step on (→)").click();
  assert.equal((await state(page)).frame, 13);

  await page.locator(".transport .slider").evaluate((s) => { s.value = "0.6"; s.dispatchEvent(new Event("input")); });
  assert.equal((await state(page)).frame, 60);
  assert.equal(await page.locator(".count").textContent(), "step 60 of 120");

  await page.locator(".speed").selectOption("4");
  assert.equal((await state(page)).speed, 4);
  await page.keyboard.press("<");
  assert.equal((await state(page)).speed, 2);

  await page.keyboard.press("l");
  await at(page, 1.1);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !window.stickslip.state.playing);
  assert.equal((await state(page)).time, 1.2);
  await page.keyboard.press("l");
  await at(page, 1.1);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stickslip.state.time < 1.0);
  assert.equal((await state(page)).playing, true);
  await close(page);
});

test("every toggle changes the picture, and switching it back restores it", async () => {
  const scenes = { stack: [stack(), 0.35], shapes: [shapes(), 0.9] };
  const wanted = {
    stack: ["contactPoints", "contactNormals", "contactForces", "frictionCones", "boxes", "seeThrough", "edges", "names"],
    shapes: ["joints", "frames", "centers", "trails", "ghost", "grid", "shadows", "axes"],
  };
  for (const [name, [container, time]] of Object.entries(scenes)) {
    const page = await open([container], { size: { width: 480, height: 360 } });
    await at(page, time);
    for (const option of wanted[name]) {
      const plain = await picture(page);
      await page.evaluate((o) => window.stickslip.option(o, !window.stickslip.state.options[o]), option);
      await settle(page);
      const other = await picture(page);
      assert.ok(difference(plain, other) > 30, `${option} changes nothing`);
      await page.evaluate((o) => window.stickslip.option(o, !window.stickslip.state.options[o]), option);
      await settle(page);
      assert.equal(difference(plain, await picture(page)), 0, `${option} does not switch back`);
    }
    await close(page);
  }
});

test("every toggle has its key and its switch", async () => {
  const page = await open([stack()], { size: { width: 900, height: 600 } });
  const keys = {
    c: "contactPoints", n: "contactNormals", f: "contactForces", k: "frictionCones", e: "edges", x: "seeThrough", b: "boxes",
    g: "ghost", t: "trails", a: "names", j: "joints", o: "frames", m: "centers", i: "grid", s: "shadows",
    w: "axes", u: "smooth",
  };
  const before = (await state(page)).options;
  assert.deepEqual(Object.values(keys).sort(), Object.keys(before).sort(), "an option without a key");
  for (const [key, option] of Object.entries(keys)) {
    await page.keyboard.press(key);
    assert.equal((await state(page)).options[option], !before[option], `${key} does not switch ${option}`);
    await page.evaluate((o) => document.querySelector(`[data-option="${o}"]`).click(), option);
    assert.equal((await state(page)).options[option], before[option], `the switch of ${option} does nothing`);
  }
  await close(page);
});

test("contact marks are at the contact points, in the color of their kind", async () => {
  const page = await open([stack()]);
  await page.evaluate(() => window.stickslip.option("contactPoints", true));
  await at(page, 1.2);
  const shown = await picture(page);
  for (const [kind, color] of [[0, "#12b886"], [1, "#f59f00"], [2, "#d6409f"]]) {
    // The corner nearest to the camera; contact k of the stack has kind k.
    const place = await page.evaluate((k) => window.stickslip.locatePoint([0.25, -0.25, 0.5 * k]), kind);
    assert.ok(hueAngle(pixel(shown, place), rgb(color)) < 8, `kind ${kind}: ${pixel(shown, place)}`);
  }
  await close(page);
});

test("boxes of bodies in contact are red, those of others are not", async () => {
  const page = await open([stack()]);
  await page.evaluate(() => window.stickslip.option("boxes", true));
  const colors = async (time) => {
    await at(page, time);
    return page.evaluate(() => {
      const lines = window.stickslip.app.stage.worlds[0].helpers.boxes.root.geometry.getAttribute("color");
      const red = [];
      for (let i = 0; i < lines.count; i += 24) red.push(lines.getX(i) > 2 * lines.getZ(i));
      return red;
    });
  };
  assert.deepEqual(await colors(0), new Array(10).fill(false));
  assert.deepEqual(await colors(1.2), new Array(10).fill(true));
  await close(page);
});

test("a click selects a body, shows its state, and the view follows it", async () => {
  const page = await open([stack()]);
  await at(page, 0.1);
  const [x, y] = await page.evaluate(() => window.stickslip.locate("box 5"));
  await page.mouse.click(x, y);
  assert.equal((await state(page)).selected, "box 5");
  await page.locator(".inspector h2", { hasText: "box 5" }).waitFor();
  const numbers = await page.locator(".inspector .numbers").first().locator("b").allTextContents();
  // z = 0.25 + 4 * 0.5 + 0.75 - g t^2 / 2.
  assert.deepEqual(numbers, ["0.00000", "0.00000", (3 - 0.5 * 9.81 * 0.01).toFixed(5)]);
  await page.keyboard.press("v");
  const here = await page.evaluate(() => window.stickslip.locate("box 5"));
  await at(page, 0.3);
  const there = await page.evaluate(() => window.stickslip.locate("box 5"));
  assert.ok(Math.hypot(here[0] - there[0], here[1] - there[1]) < 1, `${here} against ${there}`);
  await page.keyboard.press("Escape");
  assert.equal((await state(page)).selected, null);
  await page.locator("[data-body='box 2']").click();
  assert.equal((await state(page)).selected, "box 2");
  await close(page);
});

test("drag turns the view, the right button moves it, the wheel zooms, r brings it back", async () => {
  const page = await open([stack()]);
  await settle(page);
  const camera = () => page.evaluate(() => window.stickslip.app.stage.camera.position.toArray());
  const home = await camera();
  await page.mouse.move(200, 300);
  await page.mouse.down();
  await page.mouse.move(300, 330, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  assert.notDeepEqual(await camera(), home);
  await page.keyboard.press("r");
  await page.waitForTimeout(300);
  const size = Math.hypot(...home);
  (await camera()).forEach((v, i) => assert.ok(Math.abs(v - home[i]) < 0.05 * size));
  const distance = () => page.evaluate(() => window.stickslip.app.stage.controls.getDistance());
  const aim = () => page.evaluate(() => window.stickslip.app.stage.controls.target.toArray());
  const middle = await aim();
  await page.mouse.move(200, 300);
  await page.mouse.down({ button: "right" });
  await page.mouse.move(260, 300, { steps: 4 });
  await page.mouse.up({ button: "right" });
  await page.waitForTimeout(100);
  const moved = Math.hypot(...(await aim()).map((v, i) => v - middle[i]));
  assert.ok(moved > 0.01 * size, `the right button moved the view by ${moved}`);
  await page.keyboard.press("r");
  await page.waitForTimeout(300);
  const far = await distance();
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(200);
  assert.ok((await distance()) < 0.95 * far);
  await close(page);
});

test("plots show the recorded numbers, tied to the slider, and can be saved", async () => {
  const page = await open([stack()]);
  await page.keyboard.press("p");
  await page.locator("[data-preset='Energy']").click();
  await at(page, 1.2);
  // At rest: m g times the sum of the heights 0.25 + 0.5 i.
  const rest = 9.81 * 25;
  assert.equal(await page.locator(".legend b").textContent(), rest.toPrecision(5));
  await page.locator("[data-preset='Joint error']").click();
  assert.equal((await state(page)).log, true);
  for (const on of [false, true]) {
    await page.locator("[data-action=log]").setChecked(on);
    assert.equal((await state(page)).log, on);
  }
  await page.locator(".quantity").selectOption("position.z");
  await page.locator(".plot-add .body").selectOption("box 1");
  await page.locator("[data-action=add]").click();
  assert.deepEqual((await state(page)).curves, [{ quantity: "joint_error", body: null }, { quantity: "position.z", body: "box 1" }]);
  const table = (await page.evaluate(() => window.stickslip.table())).trim().split("\n");
  assert.equal(table.length, 122);
  assert.equal(table[0], 'time,"Joint error","box 1: Position z"');
  const [t, error, z] = table[11].split(",").map(Number);
  assert.equal(t, 0.1);
  assert.ok(Math.abs(error - 10 ** -7.7) < 1e-15);
  assert.ok(Math.abs(z - (0.4 - 0.5 * 9.81 * 0.01)) < 1e-12);

  const chart = await page.locator(".chart").boundingBox();
  await page.mouse.click(chart.x + 64 + (chart.width - 80) / 2, chart.y + 40);
  assert.ok(Math.abs((await state(page)).time - 0.6) < 0.01, "a click in the chart seeks");

  for (const [action, name, least] of [["png", "plot.png", 3000], ["csv", "plot.csv", 2000]]) {
    const [saved] = await Promise.all([page.waitForEvent("download"), page.locator(`[data-action=${action}]`).click()]);
    assert.equal(saved.suggestedFilename(), name);
    const chunks = [];
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk);
    assert.ok(Buffer.concat(chunks).length > least);
  }
  await page.locator(".remove").first().click();
  assert.equal((await state(page)).curves.length, 1);
  await close(page);
});

test("two recordings run side by side, in sync", async () => {
  const page = await open([stack("PEG"), stack("Stewart-Trinkle", 0.5)]);
  await page.keyboard.press("h");
  await at(page, 0.8);
  assert.deepEqual((await state(page)).shown, [80, 80]);
  assert.deepEqual(await page.locator(".label").allTextContents(), ["PEG", "Stewart-Trinkle"]);
  const shown = await picture(page);
  const places = await page.evaluate(() => [0, 1].map((i) => window.stickslip.locate("box 7", i)));
  // Equal columns; the second recording has moved its box 7 by 0.5 * 0.8 * (7 mod 3) m in x.
  assert.ok(places[0][0] < SIZE.width / 2 && places[1][0] > SIZE.width / 2);
  for (const place of places) assert.ok(hueAngle(pixel(shown, place), rgb(PALETTE[7])) < 12);
  const unmoved = await page.evaluate(() => window.stickslip.locatePoint([0, 0, 3.25], 1));
  assert.ok(Math.hypot(unmoved[0] - places[1][0], unmoved[1] - places[1][1]) > 5);
  await page.keyboard.press("p");
  assert.equal(await page.locator(".legend .entry").count(), 2);
  await close(page);
});

test("another export opened in the page joins the first", async () => {
  const page = await open([stack("one")]);
  const file = join(folder, "other.html");
  writeFileSync(file, makePage(stack("two")));
  await page.locator("input[type=file]").setInputFiles(file);
  await page.waitForFunction(() => window.stickslip.state.frames.length === 2);
  assert.deepEqual(await page.locator(".label").allTextContents(), ["one", "two"]);
  await close(page);
});

test("a planar scene is drawn flat, seen straight on", async () => {
  const page = await open([planar()]);
  await at(page, 0.5);
  assert.ok(await page.evaluate(() => window.stickslip.app.stage.camera.isOrthographicCamera));
  const shown = await picture(page);
  const bodies = ["triangle", "pentagon", "hexagon", "disc", "left finger", "right finger", "part"];
  for (const [i, name] of bodies.entries()) {
    // A little off the centre, where the disc has its spoke.
    const [x, y] = await page.evaluate((n) => window.stickslip.locate(n), name);
    const color = pixel(shown, [x - 8, y - 3]);
    color.forEach((v, k) => assert.ok(Math.abs(v - rgb(PALETTE[i + 1])[k]) < 4, `${name} is ${color}`));
  }
  // Equal lengths along x and y are equal on the screen.
  const [o, x, y] = await page.evaluate(() => [[0, 0, 0], [1, 0, 0], [0, 1, 0]].map((p) => window.stickslip.locatePoint(p)));
  assert.ok(Math.abs(x[0] - o[0] - (o[1] - y[1])) < 1e-6);
  await close(page);
});

test("light and dark follow the system and the button", async () => {
  const page = await open([shapes()], { scheme: "dark" });
  await settle(page);
  assert.equal((await state(page)).theme, "dark");
  const corner = [12, 60];
  const dark = pixel(await picture(page), corner);
  await page.keyboard.press("d");
  await settle(page);
  const light = pixel(await picture(page), corner);
  assert.ok(Math.max(...dark) < 60 && Math.min(...light) > 200, `${dark} and ${light}`);
  await close(page);
});

test("a small screen shows everything without scrolling sideways", async () => {
  const page = await open([stack()], { size: { width: 360, height: 640 } });
  await page.keyboard.press("p");
  await settle(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  for (const label of ["Play or pause (space)", "Loop (l)", "Display (h)", "Plots (p)"]) {
    const box = await page.getByLabel(label).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 360 && box.y + box.height <= 640, label);
  }
  await page.getByLabel("Display (h)").click();
  assert.ok(await page.locator(".side").isVisible());
  await close(page);
});

test("a thousand bodies cost a handful of draw calls", async (t) => {
  const page = await open([many(1000)], { size: { width: 480, height: 320 } });
  await settle(page);
  const { info } = await state(page);
  const milliseconds = await page.evaluate(() => window.stickslip.measure(3));
  t.diagnostic(`1000 bodies: ${info.drawCalls} draw calls, ${info.triangles} triangles, ${milliseconds.toFixed(0)} ms a picture here`);
  // Two shapes, each also into the shadow map, two layers of ground.
  assert.ok(info.drawCalls <= 8, `${info.drawCalls} draw calls`);
  await close(page);
});

test("damaged data and newer versions are refused with a reason", async () => {
  const good = stack();
  const newer = Buffer.from(good);
  newer.writeUInt32LE(2, 8);
  const nonsense = encode({ scene: "x", dimension: 3, step: 1, shapes: [], bodies: [] }, {});
  const cases = [[newer, /version 2/], [good.subarray(0, good.length - 5000), /cut off/], [Buffer.from("hello there, world"), /no Stickslip/], [nonsense, /lacks time/]];
  for (const [bytes, reason] of cases) {
    const page = await open([bytes], { size: { width: 300, height: 200 } });
    assert.match(await page.locator(".message").textContent(), reason);
    await close(page);
  }
  const empty = await open([], { html: makePage() });
  assert.match(await empty.locator(".message").textContent(), /No recording/);
  await close(empty);
});
