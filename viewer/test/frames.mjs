// Pictures of an exported page at equal times, for films: `node test/frames.mjs PAGE FOLDER COUNT WIDTH HEIGHT`.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { launch } from "./browser.mjs";

const [file, folder, count, width, height] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) }, colorScheme: "light" });
await page.goto(`file://${resolve(file)}`);
await page.waitForFunction(() => window.stickslip?.ready);
// The picture alone.
await page.addStyleTag({ content: ".bar, .transport, .side, .scales { display: none !important } .app { grid-template: 'view' 1fr / 1fr !important }" });
await page.waitForTimeout(200);
await page.evaluate(() => window.stickslip.app.home());
for (let k = 0; k < Number(count); k++) {
  await page.evaluate((share) => {
    const { begin, end } = window.stickslip.state;
    window.stickslip.seek(begin + share * (end - begin));
  }, k / (Number(count) - 1));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: join(folder, `${String(k).padStart(4, "0")}.png`) });
}
await browser.close();
