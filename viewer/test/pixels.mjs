// Looks at screenshots. The browser itself decodes them.

/** Screenshot as { width, height, data }, RGBA. */
export async function picture(page) {
  const png = await page.screenshot();
  const [width, height, base64] = await page.evaluate(async (url) => {
    const image = await createImageBitmap(await (await fetch(url)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
    return [image.width, image.height, btoa(text)];
  }, `data:image/png;base64,${png.toString("base64")}`);
  return { width, height, data: Buffer.from(base64, "base64") };
}

export function pixel({ width, data }, [x, y]) {
  const i = 4 * (Math.round(y) * width + Math.round(x));
  return [data[i], data[i + 1], data[i + 2]];
}

/** Angle between two colors as directions, in degrees: the same paint in other light is close. */
export function hueAngle(a, b) {
  const centered = (c) => { const m = (c[0] + c[1] + c[2]) / 3; return c.map((v) => v - m); };
  const [u, v] = [centered(a), centered(b)];
  const dot = u.reduce((s, x, i) => s + x * v[i], 0);
  return (Math.acos(Math.min(1, dot / (Math.hypot(...u) * Math.hypot(...v) || 1))) * 180) / Math.PI;
}

export function saturation(c) {
  return Math.max(...c) - Math.min(...c);
}

/** How many pixels differ clearly, within a rectangle or everywhere. */
export function difference(a, b, rect = { x: 0, y: 0, width: a.width, height: a.height }) {
  let count = 0;
  for (let y = rect.y; y < rect.y + rect.height; y++) {
    for (let x = rect.x; x < rect.x + rect.width; x++) {
      const [p, q] = [pixel(a, [x, y]), pixel(b, [x, y])];
      if (Math.max(...p.map((v, i) => Math.abs(v - q[i]))) > 12) count += 1;
    }
  }
  return count;
}

export const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
