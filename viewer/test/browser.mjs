// Debian's Chromium, driven by playwright-core.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const CANDIDATES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function launch() {
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  if (!executablePath) {
    throw new Error("the browser tests need Chromium: `apt-get install chromium`, or set CHROMIUM to its path");
  }
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}
