// Pictures of the page for people: `node test/shots.mjs FOLDER`.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { launch } from "./browser.mjs";
import { page as makePage } from "./container.mjs";
import { many, planar, shapes, stack } from "./scenes.mjs";

const folder = resolve(process.argv[2] ?? "shots");
const only = process.argv[3];
mkdirSync(folder, { recursive: true });
const browser = await launch();

async function shot(name, containers, size, scheme, act = async () => {}) {
  if (only && !name.includes(only)) return;
  const file = join(folder, `${name}.html`);
  writeFileSync(file, makePage(...containers));
  const page = await browser.newPage({ viewport: size, colorScheme: scheme });
  page.on("pageerror", (e) => console.error(name, e.message));
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && console.error(name, m.text()));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.stickslip?.ready);
  await act(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

const wide = { width: 1280, height: 800 };
await shot("stack", [stack()], wide, "light", (p) => p.evaluate(() => window.stickslip.seek(1.2)));
await shot("stack-dark-plots", [stack()], wide, "dark", async (p) => {
  await p.evaluate(() => { stickslip.seek(0.35); stickslip.option("contactForces", true); stickslip.option("contactPoints", true); stickslip.select("box 3"); });
  await p.keyboard.press("p");
});
await shot("contacts", [stack()], wide, "light", (p) => p.evaluate(() => {
  stickslip.seek(1.2);
  for (const o of ["contactForces", "contactPoints", "frictionCones", "seeThrough", "boxes"]) stickslip.option(o, true);
}));
await shot("shapes", [shapes()], wide, "light", (p) => p.evaluate(() => { stickslip.seek(0.9); stickslip.option("frames", true); stickslip.option("names", true); }));
await shot("shapes-dark", [shapes()], wide, "dark", (p) => p.evaluate(() => { stickslip.seek(1.4); stickslip.option("trails", true); stickslip.option("ghost", true); stickslip.select("ball"); }));
await shot("planar", [planar()], wide, "light", (p) => p.evaluate(() => { stickslip.seek(0.8); stickslip.option("contactForces", true); stickslip.option("contactPoints", true); }));
await shot("planar-dark", [planar()], wide, "dark", (p) => p.evaluate(() => { stickslip.seek(0.4); stickslip.select("disc"); }));
await shot("pair", [stack("PEG"), stack("Stewart-Trinkle", 0.5)], wide, "light", async (p) => {
  await p.evaluate(() => stickslip.seek(0.9));
  await p.keyboard.press("h");
  await p.keyboard.press("p");
});
await shot("many", [many(1000)], wide, "light", (p) => p.evaluate(() => stickslip.seek(0.3)));
await shot("small", [stack()], { width: 390, height: 780 }, "light", (p) => p.evaluate(() => stickslip.seek(0.3)));
await shot("small-panels", [stack()], { width: 390, height: 780 }, "dark", async (p) => {
  await p.keyboard.press("p");
  await p.keyboard.press("h");
});
/** The page of a live run, for the book. */
async function live(name, scene) {
  if (only && !name.includes(only)) return;
  const program = process.env.STICKSLIP ?? new URL("../../target/debug/stickslip", import.meta.url).pathname;
  const server = spawn(program, ["view", "--no-open", scene], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
  const page = await browser.newPage({ viewport: { width: 860, height: 600 }, colorScheme: "light" });
  await page.goto(url);
  await page.waitForFunction(() => window.stickslip?.state.frames[0] > 150);
  await page.screenshot({ path: join(folder, `${name}.jpg`), quality: 72 });
  await page.close();
  server.kill("SIGINT");
}
await live("live", "arm");
await shot("help", [stack()], wide, "light", (p) => p.keyboard.press("?"));
await browser.close();
