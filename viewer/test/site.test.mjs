// The built book from disk: no network, no sideways scroll on a phone, texts for pictures, search, dark.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";

const site = process.env.BOOK ?? fileURLToPath(new URL("../../out/book", import.meta.url));
const there = existsSync(join(site, "index.html"));
const skip = there ? false : `no book at ${site}: \`make book\` builds it`;
const files = there ? readdirSync(site).filter((name) => name.endsWith(".html")) : [];
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

async function open(name, width = 400, scheme = "light") {
  const page = await browser.newPage({ viewport: { width, height: 760 }, colorScheme: scheme });
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("request", (r) => /^(file|data|blob):/.test(r.url()) || page.problems.push(`asked for ${r.url()}`));
  // A film that is still loading when the page closes is aborted: on a busy machine that was told as missing.
  const missing = (r) => r.failure()?.errorText !== "net::ERR_ABORTED";
  page.on("requestfailed", (r) => missing(r) && page.problems.push(`${r.url()} is not there`));
  await page.goto(`file://${join(site, name)}`, { waitUntil: "domcontentloaded" });
  return page;
}

test("every page fits 400 pixels, asks nothing of the network, and says what its pictures show", { skip }, async () => {
  assert.ok(files.length > 25, `${files.length} pages`);
  const wrong = [];
  for (const name of files) {
    const page = await open(name);
    const { width, silent } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      silent: [...[...document.images].filter((i) => !i.alt.trim()), ...[...document.querySelectorAll("video")].filter((v) => !v.ariaLabel?.trim())].map((i) => i.src.slice(0, 80)),
    }));
    if (width > 400) wrong.push(`${name} is ${width} pixels wide`);
    wrong.push(...silent.map((src) => `${name}: no text for ${src}`), ...page.problems.map((p) => `${name}: ${p}`));
    await page.close();
  }
  assert.deepEqual(wrong, []);
});

test("every link and every file of the book is there", { skip }, () => {
  const wrong = [];
  for (const name of files) {
    const text = readFileSync(join(site, name), "utf8");
    for (const [, target] of text.matchAll(/(?:href|src)="([^"#]+)[^"]*"/g)) {
      if (/^(https?|data|mailto):/.test(target)) continue;
      if (!existsSync(resolve(dirname(join(site, name)), decodeURIComponent(target)))) wrong.push(`${name}: ${target}`);
    }
    assert.ok(!/<(script|link|img|iframe)[^>]+(src|href)="https?:/.test(text), `${name} takes something from the network`);
    assert.ok(!name.startsWith("notebook-") || !text.includes("&lt;view of"), `${name} prints a view instead of showing it`);
  }
  assert.deepEqual(wrong, []);
  // A page and a notebook of one name are two pages.
  assert.ok(files.includes("solvers.html") && files.includes("notebook-solvers.html"));
});

test("search, contents, formulas and dark mode work", { skip }, async () => {
  const page = await open("separation.html", 1300, "dark");
  const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok(Math.max(...(await color())) < 60);
  await page.getByLabel("Light or dark").click();
  assert.ok(Math.min(...(await color())) > 200);
  assert.ok((await page.locator("math").count()) >= 5, "formulas are formulas");
  assert.ok((await page.locator(".toc a").count()) >= 8);
  await page.keyboard.press("/");
  await page.keyboard.type("rotation tolerance");
  await page.locator(".found a[href]").first().waitFor();
  const found = await page.locator(".found a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
  assert.ok(found.some((f) => f.startsWith("separation.html#rotation")), `${found}`);
  const [first] = found;
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.href.endsWith(first));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the figure of separation shows the axis that the rules choose", { skip }, async () => {
  const page = await open("separation.html", 1000);
  const said = () => page.locator(".figure .said").textContent();
  // Down beside the block: its right side parts them all the time.
  await page.getByRole("button", { name: "Fall beside" }).click();
  assert.match(await said(), /A2 .*still keeps/);
  // Onto it: a face fails last, and the body is held there.
  await page.getByRole("button", { name: "Land" }).click();
  assert.match(await said(), /fails last/);
  // Up and over its corner: the side parts them first, the top at the end, and nothing pushes.
  await page.getByRole("button", { name: "Cut the corner" }).click();
  assert.match(await said(), /(A3|B1) .*still keeps/);
  await page.close();
});

test("the first page moves and leads to runs that play", { skip }, async () => {
  const page = await open("index.html", 1000);
  const films = page.locator("video.film");
  assert.ok((await films.count()) >= 4);
  await page.waitForFunction(() => document.querySelector("video.film").currentTime > 0.1);
  assert.deepEqual(await films.evaluateAll((all) => all.filter((v) => v.error || !v.muted || !v.getAttribute("aria-label")).map((v) => v.src)), []);
  const href = await page.locator(".hero a:has(video)").getAttribute("href");
  await page.close();
  const view = await open(href, 800);
  await view.waitForFunction(() => window.stickslip?.ready);
  for (let k = 0; k < 5; k++) {
    await view.keyboard.press("Tab");
    if ((await view.evaluate(() => document.activeElement?.getAttribute("aria-label"))) === "Play or pause (space)") break;
    assert.ok(k < 4, "play is not among the first five tab stops");
  }
  await view.close();
});
