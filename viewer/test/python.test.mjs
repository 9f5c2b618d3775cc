// The page that follows a loop in Python: pause, single step, mouse pull, and its end.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";

const PYTHON = process.env.STICKSLIP_PYTHON ?? new URL("../../.venv/bin/python", import.meta.url).pathname;

// A ball that floats; each line it prints is its place along x and the number of steps.
const LOOP = `
import stickslip as ss
sim = ss.Simulator(step=0.01, gravity=(0, 0, 0))
ball = sim.add(ss.Body.sphere(0.5, name="ball"))
with ss.viewer(sim, open=False) as view:
    print(view.url, flush=True)
    while view.is_running():
        sim.step()
        view.sync()
        print(*ball.position, sim.steps, flush=True)
print("end", flush=True)
`;

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

test("a loop in Python is shown, paused, stepped and pulled at", async (context) => {
  if (!existsSync(PYTHON)) return context.skip(`there is no ${PYTHON}: python/test.sh makes it`);
  const loop = spawn(PYTHON, ["-c", LOOP], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  loop.stdout.on("data", (data) => { text += data; });
  const until = async (what, holds) => {
    for (let i = 0; i < 1000; i++) {
      if (holds()) return;
      await new Promise((done) => setTimeout(done, 20));
    }
    assert.fail(`${what}: ${text.slice(-200)}`);
  };
  const lines = () => text.split("\n").slice(1, -1);
  const last = () => (lines().at(-1) ?? "0 0 0 0").split(" ").map(Number);
  const settled = async () => {
    for (let steps = -1; steps !== last()[3];) {
      steps = last()[3];
      await new Promise((done) => setTimeout(done, 200));
    }
    return last()[3];
  };
  try {
    await until("an address", () => text.includes("\n"));
    const page = await browser.newPage({ viewport: { width: 900, height: 560 } });
    await page.goto(text.split("\n")[0]);
    await page.waitForFunction(() => window.stickslip?.state.frames[0] > 5);

    await page.getByLabel("Run or pause").click();
    await page.waitForFunction(() => document.querySelector(".live .state").textContent === "paused");
    const held = await settled();
    await page.getByLabel("One step", { exact: true }).click();
    await until("one step", () => last()[3] === held + 1);
    assert.equal(await settled(), held + 1, "one press is one step");

    await page.getByLabel("Run or pause").click();
    await until("it goes on", () => last()[3] > held + 5);
    // The pace that the page chooses: 0.1 of the clock is ten steps a second at the most.
    await page.getByLabel("Speed", { exact: true }).selectOption("0.1");
    await page.waitForFunction(() => {
      const factor = parseFloat(document.querySelector('[data-reading="real time"] b').textContent);
      return factor > 0 && factor < 0.13;
    });
    await page.getByLabel("Speed", { exact: true }).selectOption("1");
    const [x, y] = await page.evaluate(() => window.stickslip.locate("ball"));
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y, { steps: 4 });
    await until("it is pulled", () => Math.hypot(...last().slice(0, 3)) > 0.1);
    await page.mouse.up();

    await page.close();
    await until("the loop ends with its page", () => text.endsWith("end\n"));
  } finally {
    loop.kill();
  }
});
