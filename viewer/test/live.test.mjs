// The page in live use: frames arrive over a socket, commands go back.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { encode, page as makePage } from "./container.mjs";
import { cuboid } from "./scenes.mjs";
import { serve } from "./socket.mjs";

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** A box that hangs over a floor, and moves along x by what it is told. */
class Fake {
  step = 0;
  x = 0;
  running = false;
  commands = [];
  /** Commands of all clients, and what the status says beside the usual. */
  more = {};
  settings = { h: 0.01, formulation: "peg", solver: "auto" };
  controls = { steps: [1e-7, 1], gravity: [0, 0, -9.81], friction: 0.5, restitution: null,
    motors: [{ joint: 4, name: "hip", target: 0.25, unit: "rad", range: [-1, 1] }] };

  container(message, steps) {
    const n = steps.length;
    const position = new Float64Array(6 * n);
    const orientation = new Float64Array(8 * n);
    steps.forEach((_, k) => {
      position.set([0, 0, 0, this.x, 0, 1], 6 * k);
      orientation.set([1, 0, 0, 0, 1, 0, 0, 0], 8 * k);
    });
    const part = (shape) => [{ shape, position: [0, 0, 0], orientation: [1, 0, 0, 0] }];
    const scene = {
      scene: "live", dimension: 3, step: 0.01, formulation: "peg", solver: "auto",
      shapes: [{ type: "half-space" }, cuboid(1, 1, 1)],
      bodies: [{ name: "floor", motion: "static", parts: part(0) }, { name: "box", motion: "dynamic", mass: 1, parts: part(1) }],
      series: [{ name: "time.solve", label: "Solve", unit: "s" }, { name: "energy", label: "Energy", unit: "J" }, { name: "penetration", label: "Penetration", unit: "m" }],
    };
    return encode({ message, ...(message === "scene" ? scene : {}) }, {
      time: [Float64Array.from(steps, (s) => 0.01 * s), [n]], step: [Uint32Array.from(steps), [n]],
      position: [position, [n, 2, 3]], orientation: [orientation, [n, 2, 4]],
      contact_start: [new Uint32Array(n + 1), [n + 1]],
      "series/time.solve": [new Float64Array(n).fill(0.002), [n]],
      "series/energy": [Float64Array.from(steps, (s) => 6.7 + s), [n]],
      "series/penetration": [Float64Array.from(steps, (s) => 1.25e-6 * s), [n]],
    });
  }

  status() {
    return { type: "status", running: this.running, step: this.step, time: 0.01 * this.step, ...this.settings,
      formulations: ["peg", "stewart-trinkle"], solvers: ["auto", "lemke"], speed: 1, controls: this.controls, error: null, errors: 0, ...this.more };
  }

  answer(command, client) {
    this.commands.push(command);
    if (command.command === "hello" || command.command === "reset") {
      Object.assign(this, { step: 0, x: 0, running: false });
      client.binary(this.container("scene", [0]));
    } else if (command.command === "step") {
      this.step += 1;
      client.binary(this.container("frames", [this.step]));
    } else if (command.command === "play") {
      this.running = true;
      const steps = [1, 2, 3].map((k) => this.step + k);
      this.step += 3;
      client.binary(this.container("frames", steps));
    } else if (command.command === "pause") {
      this.running = false;
    } else if (command.command === "drag") {
      this.x = command.target[0] - command.point[0];
      this.step += 1;
      client.binary(this.container("frames", [this.step]));
    }
    client.text(this.status());
  }
}

test("a live run is shown, stepped, reset, changed and pulled with the mouse", async (t) => {
  const fake = new Fake();
  const server = await serve(live(), (command, client) => fake.answer(command, client));
  t.after(() => server.close());
  const page = await browser.newPage({ viewport: { width: 900, height: 560 } });
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(server.url);
  const frames = (n) => page.waitForFunction((k) => window.stickslip?.state.frames[0] === k, n);
  await frames(1);
  await page.getByLabel("One step", { exact: true }).click();
  await frames(2);
  await page.getByLabel("Run or pause").click();
  await frames(5);
  assert.equal((await page.evaluate(() => window.stickslip.state)).frame, 4, "the newest frame is shown");
  await page.locator(".live .times .kinds span", { hasText: "solve 2.0 ms" }).waitFor();
  await page.waitForFunction(() => document.querySelector(".live .state").textContent === "running");

  await page.getByLabel("Formulation").selectOption("stewart-trinkle");
  await page.getByLabel("Solver").selectOption("lemke");
  await page.getByLabel("Step size", { exact: true }).fill("0.005");
  await page.keyboard.press("Enter");
  const settings = () => fake.commands.filter((c) => c.command === "settings");
  await page.waitForFunction(() => true);
  for (let i = 0; i < 50 && settings().length < 3; i++) await page.waitForTimeout(20);
  assert.deepEqual(settings(), [
    { command: "settings", formulation: "stewart-trinkle" }, { command: "settings", solver: "lemke" }, { command: "settings", step: 0.005 }]);

  const camera = await page.evaluate(() => window.stickslip.app.stage.camera.position.toArray());
  const [x, y] = await page.evaluate(() => window.stickslip.locate("box"));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 3 });
  await page.mouse.up();
  for (let i = 0; i < 50 && !fake.commands.some((c) => c.command === "release"); i++) await page.waitForTimeout(20);
  const drags = fake.commands.filter((c) => c.command === "drag");
  assert.ok(drags.length >= 1 && drags.every((d) => d.body === 1));
  assert.ok(fake.x > 0.1, "the box was pulled to the right");
  assert.ok(fake.commands.some((c) => c.command === "release"));
  assert.deepEqual(await page.evaluate(() => window.stickslip.app.stage.camera.position.toArray()), camera, "pulling turns the view");
  await page.waitForFunction((wanted) => {
    const world = window.stickslip.app.stage.worlds[0];
    return Math.abs(world.position(1).x - wanted) < 1e-9;
  }, fake.x);

  await page.getByLabel("Start again").click();
  await frames(1);
  assert.deepEqual(problems, []);
  await page.close();
});

const live = () => makePage().replace('<html lang="en">', '<html lang="en" data-live="/ws">');

/** A page on a fake run with `steps` steps done; `until` waits for a command. */
async function open(t, fake, steps = 0) {
  const server = await serve(live(), (command, client) => { fake.client = client; fake.answer(command, client); });
  const page = await browser.newPage({ viewport: { width: 1000, height: 760 } });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  t.after(async () => { await page.close(); await server.close(); });
  await page.goto(server.url);
  await page.waitForFunction(() => window.stickslip?.state.frames[0] === 1);
  for (let k = 0; k < steps; k++) fake.answer({ command: "step" }, fake.client);
  await page.waitForFunction((n) => window.stickslip.state.frames[0] === n, steps + 1);
  fake.commands.length = 0;
  const until = async (what) => {
    for (let i = 0; i < 250; i++) {
      const found = fake.commands.find((c) => JSON.stringify(c) === JSON.stringify(what));
      if (found) return;
      await page.waitForTimeout(20);
    }
    assert.fail(`${JSON.stringify(what)} did not come, but ${JSON.stringify(fake.commands)}`);
  };
  return { page, server, until };
}

test("sliders and boxes change step, gravity, friction, restitution and the aims of motors", async (t) => {
  const fake = new Fake();
  const { page, until } = await open(t, fake);
  const box = (name) => page.getByRole("spinbutton", { name, exact: true });
  const slider = (name) => page.getByRole("slider", { name: `${name} slider`, exact: true });
  assert.equal(await box("Gravity z").inputValue(), "-9.81");
  assert.equal(await box("Friction").inputValue(), "0.5");
  // Contacts differ: there is no one number.
  assert.equal(await box("Restitution").inputValue(), "");
  assert.equal(await box("Restitution").getAttribute("placeholder"), "differ");
  await box("Gravity x").fill("3.5");
  await page.keyboard.press("Enter");
  await until({ command: "settings", gravity: [3.5, 0, -9.81] });
  // Before the server has said that it knows, the next one does not undo it.
  await box("Gravity z").fill("-1.5");
  await page.keyboard.press("Enter");
  await until({ command: "settings", gravity: [3.5, 0, -1.5] });
  await slider("Friction").fill("0.9");
  await until({ command: "settings", friction: 0.9 });
  await slider("Restitution").fill("0.4");
  await until({ command: "settings", restitution: 0.4 });
  // Equal ways on the slider of the step are equal factors.
  await slider("Step size").fill("-3");
  await until({ command: "settings", step: 0.001 });
  await slider("Motor hip").fill("-0.5");
  await until({ command: "motor", joint: 4, target: -0.5 });
  // The keyboard moves a slider, and does not step the run.
  await slider("Friction").focus();
  fake.commands.length = 0;
  await page.keyboard.press("ArrowLeft");
  for (let i = 0; i < 100 && fake.commands.length === 0; i++) await page.waitForTimeout(20);
  assert.ok(fake.commands.length > 0 && fake.commands.every((c) => c.friction < 0.9), JSON.stringify(fake.commands));
  await page.getByRole("button", { name: "As in the scene" }).click();
  await until({ command: "restore" });
  assert.deepEqual(page.problems, []);
});

test("history stays when a setting changes, and one can go back to it", async (t) => {
  const fake = new Fake();
  const { page } = await open(t, fake, 5);
  fake.settings = { h: 0.002, formulation: "stewart-trinkle", solver: "lemke" };
  fake.client.text(fake.status());
  await page.locator(".badge", { hasText: "h = 0.002 s" }).waitFor();
  await page.locator(".badge", { hasText: "stewart-trinkle" }).waitFor();
  assert.equal((await page.evaluate(() => window.stickslip.state)).frames[0], 6);
  await page.getByLabel("Time", { exact: true }).fill("0.02");
  assert.equal((await page.evaluate(() => window.stickslip.state)).frame, 2);
  assert.equal(await page.locator("[data-reading=energy] b").textContent(), "8.70 J");
  fake.answer({ command: "step" }, fake.client);
  await page.waitForFunction(() => window.stickslip.state.frames[0] === 7);
  assert.equal((await page.evaluate(() => window.stickslip.state)).frame, 2, "who looks at the past is left there");
  await page.locator("canvas").first().click({ position: { x: 5, y: 300 } });
  await page.keyboard.press("End");
  fake.answer({ command: "step" }, fake.client);
  await page.waitForFunction(() => window.stickslip.state.frame === 7);
  assert.deepEqual(page.problems, []);
});

test("the speed menu is obeyed, and slow motion moves between steps", async (t) => {
  const fake = new Fake();
  const { page, until } = await open(t, fake, 3);
  await page.getByLabel("Speed", { exact: true }).selectOption("0.01");
  await until({ command: "speed", speed: 0.01 });
  Object.assign(fake, { running: true, more: { speed: 0.01 } });
  fake.client.text(fake.status());
  await page.waitForFunction(() => window.stickslip.app.player.lag === 0.01);
  await page.evaluate(() => {
    window.times = [];
    window.stickslip.app.player.onChange(() => window.times.push(window.stickslip.state.time));
  });
  fake.answer({ command: "step" }, fake.client);
  await page.waitForFunction(() => window.times.filter((x) => x > 0.0301 && x < 0.0399).length > 2);
  // Another client chose another speed.
  fake.more = { speed: 4 };
  fake.client.text(fake.status());
  await page.waitForFunction(() => window.stickslip.state.speed === 4 && document.querySelector(".speed").value === "4");
  assert.deepEqual(fake.commands.filter((c) => c.command === "speed"), [{ command: "speed", speed: 0.01 }]);
  assert.deepEqual(page.problems, []);
});

test("real-time factor, failed solves, spurious contacts, depth and energy are shown", async (t) => {
  const fake = new Fake();
  const { page } = await open(t, fake, 2);
  const reading = (name) => page.locator(`[data-reading="${name}"] b`);
  assert.equal(await reading("spurious contacts").textContent(), "–");
  fake.more = { rate: 0.982, failed: 3, traps: 1 };
  fake.client.text(fake.status());
  await reading("real time").filter({ hasText: "0.982×" }).waitFor();
  assert.equal(await reading("failed solves").textContent(), "3");
  assert.equal(await reading("spurious contacts").textContent(), "1");
  assert.equal(await reading("depth").textContent(), "2.50 µm");
  assert.equal(await reading("energy").textContent(), "8.70 J");
  assert.match(await reading("spurious contacts").getAttribute("class"), /bad/);
});

test("a lost connection is made again, with the view and the history as they were", async (t) => {
  const fake = new Fake();
  const { page, server } = await open(t, fake, 4);
  await page.evaluate(() => { window.stickslip.select("box"); window.stickslip.app.stage.shift({ x: 1, y: 0, z: 0 }); });
  const camera = () => page.evaluate(() => window.stickslip.app.stage.camera.position.toArray());
  const before = await camera();
  await server.close();
  await page.locator("[data-alert=connection]", { hasText: "Trying again" }).waitFor();
  assert.equal(await page.locator(".live .state").textContent(), "disconnected");
  // Meanwhile there is a server that does not know this page: its words are shown.
  const other = await serve(live(), () => {}, server.port, "use the whole address that was printed, with its token\n");
  await page.locator("[data-alert=connection]", { hasText: "use the whole address" }).waitFor();
  await other.close();
  const answer = (command, client) => (command.command === "hello" ? (client.binary(fake.container("scene", [0, 1, 2, 3, 4, 5, 6])), client.text(fake.status())) : fake.answer(command, client));
  const again = await serve(live(), answer, server.port);
  t.after(() => again.close());
  await page.waitForFunction(() => window.stickslip.state.frames[0] === 7);
  await page.locator("[data-alert=connection]").waitFor({ state: "detached" });
  assert.equal(await page.locator(".live .state").textContent(), "paused");
  (await camera()).forEach((x, i) => assert.ok(Math.abs(x - before[i]) < 1e-9));
  assert.equal(await page.evaluate(() => window.stickslip.state.selected), "box");
  await page.getByLabel("One step", { exact: true }).click();
  await page.waitForFunction(() => window.stickslip.state.frames[0] === 8);
  assert.deepEqual(page.problems, []);
});

test("hard errors can be read, and the page lives on", async (t) => {
  const fake = new Fake();
  const { page, until } = await open(t, fake, 2);
  const reason = 'step 3 failed while in stage integrate: body "box" moves with 1.2e9 m/s';
  fake.more = { error: reason, errors: 1 };
  fake.client.text(fake.status());
  const alert = page.locator("[data-alert=run]");
  await alert.filter({ hasText: reason }).waitFor();
  assert.match(await alert.locator("h2").textContent(), /has stopped/);
  const seen = await alert.boundingBox();
  assert.ok(seen.width > 300 && seen.y > 0, "it can be seen");
  // The status comes again and again; what was dismissed stays away, what is new is shown.
  await alert.getByLabel("Dismiss").click();
  fake.client.text(fake.status());
  await page.waitForTimeout(100);
  assert.equal(await alert.count(), 0);
  fake.more = { error: reason, errors: 2 };
  fake.client.text(fake.status());
  await alert.waitFor();
  fake.more = {};
  await alert.getByRole("button", { name: "Start again" }).click();
  await until({ command: "reset" });
  await alert.waitFor({ state: "detached" });
  // A damaged message is told, and the next one is shown.
  fake.client.binary(Buffer.from("nonsense, nonsense"));
  await page.locator("[data-alert=page]", { hasText: "no Stickslip recording" }).waitFor();
  fake.answer({ command: "step" }, fake.client);
  await page.waitForFunction(() => window.stickslip.state.frames[0] === 2);
  assert.deepEqual(page.problems, []);
});

test("a browser that cannot draw says so", async (t) => {
  const server = await serve(live(), () => {});
  const page = await browser.newPage();
  t.after(async () => { await page.close(); await server.close(); });
  await page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.startsWith("webgl") ? null : original.call(this, kind, ...more); };
  });
  await page.goto(server.url);
  await page.locator(".dead", { hasText: "WebGL" }).waitFor();
  assert.match(await page.locator(".dead").textContent(), /stickslip render/);
});
