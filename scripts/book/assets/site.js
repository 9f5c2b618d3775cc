// Light and dark, search, and the place in the table of contents. No network.
"use strict";
(() => {
  const root = document.documentElement;
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const apply = (name) => { root.dataset.theme = name; };
  apply(stored() ?? (wanted.matches ? "dark" : "light"));
  wanted.addEventListener("change", () => stored() || apply(wanted.matches ? "dark" : "light"));
  document.querySelector(".theme")?.addEventListener("click", () => {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    apply(next);
    try { localStorage.setItem("theme", next); } catch { /* from a file some browsers keep nothing */ }
  });

  // Search: every word must begin some word of a section; titles count most.
  const field = document.querySelector(".search input");
  const list = document.querySelector(".found");
  let at = -1;
  const words = (text) => text.toLowerCase().normalize("NFKD").match(/[\p{L}\p{N}]+/gu) ?? [];
  const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
  const score = (entry, wants) => {
    let sum = 0;
    for (const want of wants) {
      const inTitle = entry.titleWords.some((w) => w.startsWith(want)) ? (entry.titleWords.includes(want) ? 14 : 8) : 0;
      const count = entry.textWords.filter((w) => w.startsWith(want)).length;
      if (inTitle + count === 0) return 0;
      sum += inTitle + Math.min(5, count) + (entry.textWords.includes(want) ? 1 : 0);
    }
    return sum + (entry.anchor ? 0 : 1);
  };
  const excerpt = (text, want) => {
    const found = text.toLowerCase().indexOf(want);
    const from = Math.max(0, found - 40);
    return (from > 0 ? "…" : "") + text.slice(from, from + 130);
  };
  const search = (text) => {
    const entries = window.BOOK_INDEX ?? [];
    const wants = words(text);
    if (wants.length === 0) return [];
    for (const e of entries) {
      e.titleWords ??= words(`${e.page} ${e.title}`);
      e.textWords ??= words(e.text);
    }
    return entries.map((entry) => ({ entry, value: score(entry, wants) })).filter((f) => f.value > 0)
      .sort((a, b) => b.value - a.value).slice(0, 12).map(({ entry }) => ({ ...entry, excerpt: excerpt(entry.text, wants[0]) }));
  };
  window.bookSearch = search;
  const show = () => {
    const found = search(field.value);
    at = -1;
    list.hidden = field.value.trim() === "";
    list.innerHTML = found.length === 0 ? "<li><a>Nothing found</a></li>" : found.map((f) =>
      `<li><a href="${f.file}${f.anchor ? `#${f.anchor}` : ""}"><b>${escape(f.title === f.page ? f.page : `${f.page} › ${f.title}`)}</b><span>${escape(f.excerpt)}</span></a></li>`).join("");
  };
  field?.addEventListener("input", show);
  field?.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a[href]")];
    if (event.key === "Escape") { field.value = ""; show(); }
    if (event.key === "Enter" && links[Math.max(0, at)]) location.href = links[Math.max(0, at)].href;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      at = Math.max(0, Math.min(links.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      links.forEach((link, k) => link.classList.toggle("on", k === at));
    }
  });
  document.addEventListener("click", (event) => { if (list && !event.target.closest(".search")) list.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, textarea, select")) { event.preventDefault(); field?.focus(); }
  });

  // The section that is being read.
  const links = new Map([...document.querySelectorAll(".toc a")].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
  if (links.size > 0) {
    const heads = [...document.querySelectorAll("main h2[id], main h3[id]")];
    const mark = () => {
      let here = heads[0];
      for (const head of heads) if (head.getBoundingClientRect().top < 120) here = head;
      links.forEach((a, id) => a.classList.toggle("here", here !== undefined && id === here.id));
    };
    addEventListener("scroll", mark, { passive: true });
    mark();
  }
  // A page that is wider than the screen scrolls where it is wide, by keyboard too.
  document.querySelectorAll("pre, table").forEach((e) => { if (e.scrollWidth > e.clientWidth) e.tabIndex = 0; });
})();
