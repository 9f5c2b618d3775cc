// The playground in the browser: choose, edit, run, share; where `make playground` has built it.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";

const file = process.env.PLAYGROUND ?? fileURLToPath(new URL("../../out/playground/index.html", import.meta.url));
const skip = existsSync(file) ? false : `no playground at ${file}: \`make playground\` builds it`;
let browser;
before(async () => { if (!skip) browser = await launch(); });
after(async () => { await browser?.close(); });

async function open(hash = "") {
  const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("request", (r) => /^(file|data|blob|about):/.test(r.url()) || page.problems.push(`asked for ${r.url()}`));
  await page.goto(`file://${file}${hash}`);
  await page.waitForFunction(() => window.playground?.ready);
  return page;
}
const frame = async (page) => {
  const inner = page.frames().find((f) => f !== page.mainFrame());
  await inner.waitForFunction(() => window.stickslip?.ready);
  return inner;
};

test("a scene runs in the page, and is shown by the viewer", { skip }, async () => {
  const page = await open();
  await page.getByLabel("Scene", { exact: true }).selectOption("hello-world");
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("iframe").waitFor();
  const inner = await frame(page);
  const { frames, end } = await inner.evaluate(() => window.stickslip.state);
  assert.ok(frames[0] > 50 && end > 0.5, `${frames} frames to ${end} s`);
  // The cube of a metre ends on the floor.
  const z = await inner.evaluate(() => {
    window.stickslip.seek(window.stickslip.state.end);
    const world = window.stickslip.app.stage.worlds[0];
    return world.position(world.recording.bodies.findIndex((b) => b.name === "cube")).z;
  });
  assert.ok(Math.abs(z - 0.5) < 1e-5, `${z}`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("mistakes are told at their line while one types", { skip }, async () => {
  const page = await open();
  await page.getByLabel("The scene, as TOML").fill('[simulation]\nstpe = 0.1\n[[body]]\nshape = { type = "sphere", radius = 1 }\n');
  await page.locator(".errors button").first().waitFor();
  assert.match(await page.locator(".errors button").first().textContent(), /line 2: .*did you mean `step`/);
  assert.deepEqual(await page.locator(".lines .bad").allTextContents(), ["2"]);
  await page.close();
});

test("a live run goes on and bodies are pulled with the mouse", { skip }, async () => {
  const page = await open();
  await page.getByLabel("Scene", { exact: true }).selectOption("hello-world");
  await page.getByRole("button", { name: "Live" }).click();
  const inner = await frame(page);
  const height = (limit, over) => inner.waitForFunction(([z, up]) => {
    const world = window.stickslip.app.stage.worlds[0];
    if (!world || world.frame < 5) return false;
    const at = world.position(world.recording.bodies.findIndex((b) => b.name === "cube")).z;
    return up ? at > z : at < z;
  }, [limit, over]);
  await height(0.501, false);
  const [x, y] = await inner.evaluate(() => window.stickslip.locate("cube"));
  const box = await page.locator("iframe").boundingBox();
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + x, box.y + y - 160, { steps: 4 });
  await height(0.55, true);
  await page.mouse.up();
  await height(0.501, false);
  // At a hundredth of the pace of time a second is one step.
  await inner.getByLabel("Speed", { exact: true }).selectOption("0.01");
  await inner.waitForFunction(() => window.stickslip.app.livePanel.status.speed === 0.01);
  // Frames that came before are put in with the next picture.
  await inner.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const begin = await inner.evaluate(() => window.stickslip.state.end);
  await page.waitForTimeout(1500);
  assert.ok((await inner.evaluate(() => window.stickslip.state.end)) < begin + 0.1, "the speed is not obeyed");
  await page.keyboard.press("Space");
  await inner.waitForFunction(() => document.querySelector(".live .state").textContent === "paused");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a link holds the scene", { skip }, async () => {
  const page = await open();
  const text = '# Größe: a ball\n[[body]]\nshape = { type = "sphere", radius = 0.25 }\n';
  await page.getByLabel("The scene, as TOML").fill(text);
  await page.getByRole("button", { name: "Copy a link" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#scene="));
  const hash = await page.evaluate(() => location.hash);
  await page.close();
  const other = await open(hash);
  assert.equal(await other.getByLabel("The scene, as TOML").inputValue(), text);
  await other.close();
});
