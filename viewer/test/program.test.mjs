// The program and the page together: exports of real runs, and a live session.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { validateBytes } from "gltf-validator";
import { launch } from "./browser.mjs";
import { difference, hueAngle, picture, pixel, rgb, saturation } from "./pixels.mjs";

const target = process.env.CARGO_TARGET_DIR ?? fileURLToPath(new URL("../../target", import.meta.url));
const program = process.env.STICKSLIP ?? join(target, "debug", "stickslip");
const folder = mkdtempSync(join(tmpdir(), "stickslip-program-"));
const file = (name) => join(folder, name);
const stickslip = (...args) => execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const freePort = () => new Promise((done) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

let browser;
before(async () => {
  assert.ok(existsSync(program), `${program} is missing: \`cargo build -p stickslip-cli\``);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function open(url, size = { width: 900, height: 700 }) {
  const page = await browser.newPage({ viewport: size, colorScheme: "light" });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(url);
  await page.waitForFunction(() => window.stickslip?.ready && window.stickslip.state.frames.length > 0);
  return page;
}

const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const locate = (page, name) => page.evaluate((n) => window.stickslip.locate(n), name);
const close = async (page) => {
  assert.deepEqual(page.problems, []);
  await page.close();
};

test("ten boxes stand where the run says they do", async () => {
  const run = JSON.parse(stickslip("run", "box-stack", "--json", "--duration", "0.5", "--record", file("a.h5"), "--html", file("a.html")));
  const boxes = Object.keys(run.bodies).filter((name) => name !== "floor");
  assert.equal(boxes.length, 10);
  const page = await open(`file://${file("a.html")}`);
  await page.evaluate(() => window.stickslip.seek(0));
  await drawn(page);
  const first = await picture(page);
  const before = await Promise.all(boxes.map((name) => locate(page, name)));
  await page.evaluate(() => window.stickslip.seek(window.stickslip.state.end));
  await drawn(page);
  const shown = await picture(page);
  const colors = await page.evaluate((names) => names.map((n) => {
    const { app } = window.stickslip;
    return app.colorOf(app.player.recordings[0].bodies.findIndex((b) => b.name === n));
  }), boxes);
  for (const [i, name] of boxes.entries()) {
    const wanted = await page.evaluate((p) => window.stickslip.locatePoint(p), run.bodies[name].position);
    const found = await locate(page, name);
    assert.ok(Math.hypot(found[0] - wanted[0], found[1] - wanted[1]) < 0.5, `${name} is not where the run ended`);
    const color = pixel(shown, found);
    assert.ok(hueAngle(color, rgb(colors[i])) < 12 || saturation(rgb(colors[i])) < 25, `${name} is ${color}, not ${colors[i]}`);
    assert.ok(Math.hypot(found[0] - before[i][0], found[1] - before[i][1]) < 0.5, `${name} did not stay at rest`);
  }
  const box = await page.locator(".stage canvas").boundingBox();
  const rect = Object.fromEntries(Object.entries(box).map(([k, v]) => [k, Math.round(v)]));
  assert.equal(difference(first, shown, rect), 0, "something moved");
  await close(page);
});

test("two formulations of one scene are exported side by side", async () => {
  stickslip("run", "peg-in-hole", "-q", "--record", file("exact.h5"));
  stickslip("run", "peg-in-hole", "-q", "--formulation", "stewart-trinkle", "--record", file("standard.h5"));
  stickslip("export", file("exact.h5"), file("standard.h5"), "--html", file("pair.html"));
  const page = await open(`file://${file("pair.html")}`);
  await page.evaluate(() => window.stickslip.seek(window.stickslip.state.end));
  const [exact, standard] = await page.evaluate(() => [0, 1].map((i) => {
    const world = window.stickslip.app.stage.worlds[i];
    return world.position(world.recording.bodies.findIndex((b) => b.name === "peg")).z;
  }));
  // The exact geometry lets the peg through; the standard model holds it up.
  assert.ok(exact < -2 && standard > 0.5, `${exact} and ${standard}`);
  const labels = await page.locator(".label").allTextContents();
  assert.equal(new Set(labels).size, 2, `${labels}`);
  await close(page);
});

test("animations are valid glTF: no error, no warning", async () => {
  for (const scene of ["box-stack", "grasp-2d", "arm", "cascading-polyhedra"]) {
    stickslip("run", scene, "-q", "--no-oracle", "--duration", "0.1", "--record", file("g.h5"));
    stickslip("export", file("g.h5"), "--gltf", file("g.glb"));
    const { issues, info } = await validateBytes(new Uint8Array(readFileSync(file("g.glb"))));
    assert.deepEqual([issues.numErrors, issues.numWarnings], [0, 0], `${scene}: ${JSON.stringify(issues.messages)}`);
    assert.equal(info.animationCount, 1);
  }
});

/** `stickslip view`, until the test is over, or until `stop`; its address. */
async function start(t, args, more = {}) {
  const server = spawn(program, ["view", "--no-open", ...args], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...more } });
  const ended = new Promise((done) => server.on("exit", done));
  const stop = () => { server.kill("SIGINT"); return ended; };
  t.after(stop);
  for await (const text of server.stdout) {
    const found = /http:\S+/.exec(text);
    if (found) return { url: found[0], stop };
  }
  throw new Error("the server did not start");
}
const serve = async (t, ...args) => (await start(t, args)).url;

test("a live run is watched, pulled, changed and started again", async (t) => {
  const page = await open(await serve(t, "hello-world"));
  const status = (text) => page.waitForFunction((s) => document.querySelector(".live .state").textContent === s, text);
  await page.waitForFunction(() => window.stickslip.state.frames[0] > 3);
  await page.getByLabel("Run or pause").click();
  await status("paused");
  // Frames that came before the status are put in with the next picture.
  await drawn(page);
  const held = await page.evaluate(() => window.stickslip.state.frames[0]);
  await page.getByLabel("One step", { exact: true }).click();
  await page.waitForFunction((n) => window.stickslip.state.frames[0] === n + 1, held);
  await page.locator(".live .times").filter({ hasText: /solve [\d.]+ (ms|µs)/ }).waitFor();

  const height = (z, up) => page.waitForFunction(([limit, over]) => {
    const world = window.stickslip.app.stage.worlds[0];
    const at = world.position(world.recording.bodies.findIndex((b) => b.name === "cube")).z;
    return over ? at > limit : at < limit;
  }, [z, up]);
  await page.getByLabel("Run or pause").click();
  await status("running");
  // It lands and rests at 0.5 m; then the spring lifts it.
  await height(0.501, false);
  const [x, y] = await locate(page, "cube");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 250, { steps: 5 });
  await height(0.55, true);
  await page.mouse.up();

  await page.getByLabel("Formulation").selectOption("stewart-trinkle");
  await page.locator(".badge", { hasText: "stewart-trinkle" }).waitFor();
  await page.getByLabel("Step size", { exact: true }).fill("0.005");
  await page.keyboard.press("Enter");
  await page.locator(".badge", { hasText: "h = 0.005 s" }).waitFor();
  await page.getByLabel("Run or pause").click();
  await status("paused");
  await page.getByLabel("Start again").click();
  await page.waitForFunction(() => window.stickslip.state.frames[0] === 1 && window.stickslip.state.begin === 0);
  await close(page);
});

/** Waits until a function of the body's world position holds. */
const reaches = (page, name, test) => page.waitForFunction(([body, source]) => {
  const world = window.stickslip.app.stage.worlds[0];
  return new Function("p", `return ${source}`)(world.position(world.recording.bodies.findIndex((b) => b.name === body)));
}, [name, test]);
const box = (page, name) => page.getByRole("spinbutton", { name, exact: true });
const change = async (page, name, value) => {
  await box(page, name).fill(String(value));
  await page.keyboard.press("Enter");
};

// The body slides, bounces and floats as the page says; what was shown stays, and the speed menu is obeyed.
test("gravity, friction, restitution and speed of a live run are changed, and its history stays", async (t) => {
  const scene = `description = "a box on a floor"
[simulation]
duration = 10
[[body]]
name = "floor"
shape = { type = "plane", normal = [0, 0, 1] }
[[body]]
name = "box"
shape = { type = "box", size = [1, 1, 0.5] }
position = [0, 0, 0.25]
`;
  writeFileSync(file("box.toml"), scene);
  const url = await serve(t, file("box.toml"));
  // The test makes a function from text, which the page itself may not.
  const page = await browser.newPage({ viewport: { width: 900, height: 800 }, bypassCSP: true });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(url);
  await page.waitForFunction(() => window.stickslip?.state.frames[0] > 20);
  assert.equal(await box(page, "Gravity z").inputValue(), "-9.81");
  const mu = Number(await box(page, "Friction").inputValue());
  // Leaning by less than friction holds moves nothing, by more it does.
  await change(page, "Gravity x", 9.81 * mu * 0.9);
  await page.waitForFunction((n) => window.stickslip.state.frames[0] > n + 10, await page.evaluate(() => window.stickslip.state.frames[0]));
  assert.ok(Math.abs(await page.evaluate(() => window.stickslip.app.stage.worlds[0].position(1).x)) < 1e-6);
  await change(page, "Friction", 0.1);
  await reaches(page, "box", "p.x > 0.3");
  await change(page, "Gravity z", 5);
  await reaches(page, "box", "p.z > 1");
  // Before it falls, and seen in the history: a slow picture may show none of its bounces.
  await change(page, "Restitution", 0.8);
  await change(page, "Gravity x", 0);
  const rising = await page.evaluate(() => window.stickslip.state.frames[0]);
  await change(page, "Gravity z", -9.81);
  await page.waitForFunction((first) => {
    const { recording } = window.stickslip.app.stage.worlds[0];
    const heights = Array.from({ length: recording.frames - first }, (_, k) => recording.vector("position", first + k, 1)[2]);
    const landing = heights.findIndex((z) => z < 0.3);
    return landing >= 0 && heights.slice(landing).some((z) => z > 0.5);
  }, rising);
  assert.equal((await page.evaluate(() => window.stickslip.state)).begin, 0);
  await page.evaluate(() => window.stickslip.seek(0.05));
  assert.ok(Math.abs(await page.evaluate(() => window.stickslip.app.stage.worlds[0].position(1).z) - 0.25) < 1e-6);
  await page.evaluate(() => window.stickslip.seek(window.stickslip.state.end));

  const rate = (low, high) => page.waitForFunction(([a, b]) => {
    const factor = parseFloat(document.querySelector('[data-reading="real time"] b').textContent);
    return factor > a && factor < b;
  }, [low, high]);
  await page.getByLabel("Speed", { exact: true }).selectOption("0.25");
  // Slower than the clock as asked, then faster; how much faster is the machine's affair.
  await rate(0, 0.3);
  await page.getByLabel("Speed", { exact: true }).selectOption("2");
  await rate(0.3, 2.4);
  const reading = (name) => page.locator(`[data-reading="${name}"] b`).textContent();
  assert.deepEqual([await reading("failed solves"), await reading("spurious contacts")], ["0", "0"]);
  assert.match(await reading("energy"), /^[\d.]+ k?J$/);
  assert.match(await reading("depth"), /^([\d.]+ [fpnµm]?m)$/);
  // What cannot be is refused in words, and changes nothing.
  await change(page, "Step size", 5);
  await page.locator("[data-alert=run]", { hasText: "a step of 5 s: it must be between" }).waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label="Step size"]').value === "0.01");
  await page.getByRole("button", { name: "As in the scene" }).click();
  await page.waitForFunction((was) => document.querySelector('[aria-label="Friction"]').value === was, String(mu));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a motor goes where its slider says", async (t) => {
  const page = await open(await serve(t, "arm"));
  const motors = page.locator(".motors input[type=number]");
  await motors.first().waitFor();
  const name = (await motors.first().getAttribute("aria-label")).replace("Motor ", "");
  const angle = () => page.evaluate((joint) => {
    const world = window.stickslip.app.stage.worlds[0];
    const { bodies: [, b] } = world.recording.header.joints.find((j) => j.name === joint);
    const [w, , , z] = world.recording.vector("orientation", world.frame, b, 4);
    return 2 * Math.atan2(z, w);
  }, name);
  const before = await angle();
  await change(page, `Motor ${name}`, before + 0.4);
  await page.waitForFunction(() => window.stickslip.state.frames[0] > 5);
  const frames = await page.evaluate(() => window.stickslip.state.frames[0]);
  await page.waitForFunction((n) => window.stickslip.state.frames[0] > n + 150, frames, { timeout: 60000 });
  const after = await angle();
  assert.ok(after - before > 0.2, `${name}: from ${before} to ${after}`);
  await close(page);
});

test("a page finds the server again that was started anew on its port", async (t) => {
  const runtime = mkdtempSync(join(tmpdir(), "stickslip-runtime-"));
  t.after(() => rmSync(runtime, { recursive: true }));
  const port = String(await freePort());
  const first = await start(t, ["hello-world", "--port", port], { XDG_RUNTIME_DIR: runtime });
  const page = await open(first.url);
  await page.waitForFunction(() => window.stickslip.state.frames[0] > 20);
  await first.stop();
  await page.locator("[data-alert=connection]").waitFor();
  const second = await start(t, ["hello-world", "--port", port], { XDG_RUNTIME_DIR: runtime });
  assert.equal(second.url, first.url);
  await page.locator("[data-alert=connection]").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector(".live .state").textContent === "running");
  await page.getByLabel("Run or pause").click();
  await page.waitForFunction(() => document.querySelector(".live .state").textContent === "paused");
  await close(page);
});

/** A scene of a thousand boxes and balls that land on a floor. */
function thousand() {
  const shapes = ['{ type = "box", size = [0.5, 0.4, 0.3] }', '{ type = "sphere", radius = 0.25 }'];
  const body = (k) => {
    const [x, y] = [k % 40, Math.floor(k / 40)];
    return `[[body]]\nname = "b${k}"\nshape = ${shapes[(x + y) % 2]}\nposition = [${0.9 * x}, ${0.9 * y}, ${0.26 + 0.01 * (k % 7)}]\n`;
  };
  const floor = '[simulation]\nduration = 0.1\n[[body]]\nname = "floor"\nshape = { type = "plane", normal = [0, 0, 1] }\n';
  return floor + Array.from({ length: 1000 }, (_, k) => body(k)).join("");
}

test("a thousand bodies in contact load and play", async (t) => {
  const size = { width: 640, height: 420 };
  writeFileSync(file("many.toml"), thousand());
  stickslip("run", file("many.toml"), "-q", "--no-oracle", "--html", file("many.html"));
  const page = await open(`file://${file("many.html")}`, size);
  const { info, frames } = await page.evaluate(() => window.stickslip.state);
  const milliseconds = await page.evaluate(() => window.stickslip.measure(3));
  t.diagnostic(`${frames[0]} frames; ${info.drawCalls} draw calls, ${info.triangles} triangles, ${milliseconds.toFixed(0)} ms a picture here`);
  assert.ok(info.drawCalls <= 10, `${info.drawCalls} draw calls`);
  await page.evaluate(() => { for (const o of ["contactPoints", "contactForces", "boxes", "ghost"]) window.stickslip.option(o, true); });
  await page.evaluate(() => window.stickslip.measure(1));
  const all = (await page.evaluate(() => window.stickslip.state)).info.drawCalls;
  assert.ok(all <= 20, `${all} draw calls with contacts, boxes and ghosts`);
  await page.evaluate(() => { window.stickslip.seek(0); window.stickslip.play(true); });
  await page.waitForFunction(() => window.stickslip.state.time > 0.02);
  await close(page);
});

test("names are text, and no script runs but the page's own", async (t) => {
  const name = "<img src=x onerror='window.hit = 1'><script>window.hit = 2</script>";
  writeFileSync(file("names.toml"), `[[body]]\nname = ${JSON.stringify(name)}\nshape = { type = "sphere", radius = 0.5 }\n`);
  const page = await open(await serve(t, file("names.toml")));
  await page.waitForFunction(() => window.stickslip.state.frames[0] > 1);
  assert.equal(await page.evaluate(() => window.stickslip.app.stage.worlds[0].recording.bodies[0].name), name);
  assert.equal(await page.locator("img").count(), 0);
  const hit = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hit = 3";
    document.body.append(script);
    return window.hit;
  });
  assert.equal(hit, undefined);
});
