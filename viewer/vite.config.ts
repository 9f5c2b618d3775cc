import { defineConfig, type Plugin } from "vite";

/** Puts all script and style text into the one page, so that it opens from a file. */
function inlineEverything(): Plugin {
  return {
    name: "inline-everything",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (!page || page.type !== "asset") throw new Error("the build made no index.html");
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") {
          // The text must not end the element that holds it.
          const code = part.code.replaceAll("</script", "<\\/script");
          html = html.replace(/\s*<script type="module"[^>]*><\/script>/, "");
          html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          const css = String(part.source);
          html = html.replace(/\s*<link rel="stylesheet"[^>]*>/, () => `\n<style>${css}</style>`);
          delete bundle[name];
        }
      }
      if (html.split("<!--stickslip:data-->").length !== 2) {
        throw new Error("the page must hold the data slot exactly once");
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [inlineEverything()],
  build: {
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 1_000_000,
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
  },
});
