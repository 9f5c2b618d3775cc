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
      series: [{ name: "time.solve", label: "Solve", unit: "s" }],
    };
    return encode({ message, ...(message === "scene" ? scene : {}) }, {
      time: [Float64Array.from(steps, (s) => 0.01 * s), [n]], step: [Uint32Array.from(steps), [n]],
      position: [position, [n, 2, 3]], orientation: [orientation, [n, 2, 4]],
      contact_start: [new Uint32Array(n + 1), [n + 1]],
      "series/time.solve": [new Float64Array(n).fill(0.002), [n]],
    });
  }

  status() {
    return { type: "status", running: this.running, step: this.step, time: 0.01 * this.step, h: 0.01, formulation: "peg", solver: "auto",
      formulations: ["peg", "stewart-trinkle"], solvers: ["auto", "lemke"], error: null };
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

test("a live run is shown, stepped, reset, changed and pulled with the mouse", async () => {
  const fake = new Fake();
  const html = makePage().replace('<html lang="en">', '<html lang="en" data-live="/ws">');
  const server = await serve(html, (command, client) => fake.answer(command, client));
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
  await page.getByLabel("Step size").fill("0.005");
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
  // The controls keep the camera in polar coordinates: to and fro costs the last bits.
  const later = await page.evaluate(() => window.stickslip.app.stage.camera.position.toArray());
  later.forEach((v, i) => assert.ok(Math.abs(v - camera[i]) < 1e-12 * Math.hypot(...camera), "pulling turns the view"));
  await page.waitForFunction((wanted) => {
    const world = window.stickslip.app.stage.worlds[0];
    return Math.abs(world.position(1).x - wanted) < 1e-9;
  }, fake.x);

  await page.getByLabel("Start again").click();
  await frames(1);
  assert.deepEqual(problems, []);
  await page.close();
  server.close();
});
