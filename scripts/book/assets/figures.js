// Figures that can be moved: `<div class="figure" data-figure="NAME">`.
"use strict";
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const make = (tag, attributes = {}, ...children) => {
    const e = ["svg", "g", "path", "polygon", "line", "circle", "text"].includes(tag) ? document.createElementNS(NS, tag) : document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children);
    return e;
  };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
  const add = (a, b) => [a[0] + b[0], a[1] + b[1]];
  const COLORS = ["#1f77d0", "#e08214", "#1b9e77", "#c2408f", "#7b61c9", "#b8860b", "#d6404a"];

  /** Outward normals of a convex polygon, counter-clockwise. */
  const normals = (points) => points.map((p, i) => {
    const q = points[(i + 1) % points.length];
    const d = [q[1] - p[1], p[0] - q[0]];
    const n = Math.hypot(...d);
    return [d[0] / n, d[1] / n];
  });
  const support = (points, d) => Math.max(...points.map((p) => dot(p, d)));

  /** Gap that each direction leaves between A and B: s = min over B of d.x - max over A of d.x, d from A to B. */
  const gaps = (A, B) => {
    const out = [];
    normals(A).forEach((d, k) => out.push({ name: `A${k + 1}`, d, s: -support(B, [-d[0], -d[1]]) - support(A, d), at: support(A, d) }));
    normals(B).forEach((n, k) => {
      const d = [-n[0], -n[1]];
      const low = -support(B, n);
      out.push({ name: `B${k + 1}`, d, s: low - support(A, d), at: low });
    });
    return out;
  };

  function separation(host) {
    const A = [[-1.4, -1.1], [1.0, -1.1], [1.0, 0.0], [-1.4, 0.0]];
    const SHAPE = [[-0.5, -0.38], [0.45, -0.5], [0.55, 0.3], [-0.2, 0.55]];
    let place = [1.25, 0.95];
    let motion = [-0.9, -0.75];
    let time = 0;
    const stages = [
      ["Fall beside", [1.75, 0.75], [-0.25, -1.1]], ["Land", [-0.3, 1.1], [0.35, -0.95]],
      ["Cut the corner", [1.75, 0.15], [-0.8, 1.0]], ["Hit the corner", [1.25, 0.95], [-0.9, -0.75]],
    ];
    const view = make("svg", { viewBox: "-2.1 -2 4.8 3.7", role: "img", "aria-label": "Two bodies, the motion of one of them over a step, and the line that parts them" });
    const plot = make("svg", { viewBox: "0 0 330 250", role: "img", "aria-label": "The gap that each direction leaves, over the step" });
    const said = make("p", { class: "said", "aria-live": "polite" });
    const slider = make("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, "aria-label": "Time in the step" });
    const buttons = make("div", { class: "steps" }, ...stages.map(([name, p, m]) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () => { place = p; motion = m; time = 0; slider.value = 0; draw(); });
      return button;
    }));
    host.replaceChildren(buttons, make("div", { class: "drawing" }, view, plot), make("label", {}, "t / h", slider), said);
    slider.addEventListener("input", () => { time = Number(slider.value); draw(); });
    const body = (t) => SHAPE.map((p) => add(p, add(place, [motion[0] * t, motion[1] * t])));

    /** The rules of the page: who parts the bodies at the end, else who fails last. */
    const choose = () => {
      const [start, end] = [gaps(A, body(0)), gaps(A, body(1))];
      const best = end.reduce((a, b) => (b.s > a.s ? b : a));
      if (best.s >= 0) return { k: end.indexOf(best), free: true };
      let now = start.indexOf(start.reduce((a, b) => (b.s > a.s ? b : a)));
      if (start[now].s < 0) return { k: now, free: false, fails: 0 };
      let t = 0;
      const value = (k, u) => start[k].s + u * (end[k].s - start[k].s);
      for (let round = 0; round < 12; round++) {
        const fall = start[now].s - end[now].s;
        const fails = fall > 0 ? start[now].s / fall : 1;
        const next = start.map((_, k) => k).filter((k) => k !== now && value(k, fails) > 1e-9).sort((a, b) => value(b, fails) - value(a, fails))[0];
        t = fails;
        if (next === undefined || fails >= 1) break;
        now = next;
      }
      return { k: now, free: false, fails: t };
    };
    const polygon = (points, attributes) => make("polygon", { points: points.map((p) => `${p[0]},${-p[1]}`).join(" "), ...attributes });
    const draw = () => {
      const B = body(time);
      const [here, chosen] = [gaps(A, B), choose()];
      const axis = here[chosen.k];
      const apart = Math.max(...here.map((g) => g.s));
      const along = [-axis.d[1], axis.d[0]];
      const middle = [axis.d[0] * axis.at, axis.d[1] * axis.at];
      const foot = add(middle, [along[0] * dot(along, B[0]), along[1] * dot(along, B[0])]);
      const ends = [-4, 4].map((u) => add(foot, [along[0] * u, along[1] * u]));
      const tip = add(place, motion);
      view.replaceChildren(
        polygon(A, { fill: "#b8c4d6", stroke: "#3c4658", "stroke-width": 0.02 }),
        polygon(body(1), { fill: "none", stroke: "#8a6a3a", "stroke-width": 0.02, "stroke-dasharray": "0.06 0.05" }),
        polygon(B, { fill: apart < -1e-9 ? "#f2a7a0" : "#e3b98f", stroke: "#5a4526", "stroke-width": 0.02, "fill-opacity": 0.92 }),
        make("line", { x1: ends[0][0], y1: -ends[0][1], x2: ends[1][0], y2: -ends[1][1], stroke: COLORS[chosen.k % 7], "stroke-width": 0.035 }),
        make("line", { x1: place[0], y1: -place[1], x2: tip[0], y2: -tip[1], stroke: "currentColor", "stroke-width": 0.025 }),
        make("circle", { cx: tip[0], cy: -tip[1], r: 0.09, fill: "currentColor", style: "cursor: grab", "data-handle": "motion" }),
        make("circle", { cx: place[0], cy: -place[1], r: 0.07, fill: "#fff", stroke: "currentColor", "stroke-width": 0.025, style: "cursor: grab", "data-handle": "place" }));
      drawPlot(here, chosen);
      const name = axis.name.startsWith("A") ? "a face of the lower body" : "a face of the moving body";
      said.textContent = chosen.free
        ? `At the end of the step direction ${axis.name} (${name}) still keeps the bodies ${gaps(A, body(1))[chosen.k].s.toFixed(2)} m apart: it is the axis, and nothing pushes.`
        : `No direction parts the bodies at the end. ${axis.name} (${name}) fails last, at t = ${chosen.fails.toFixed(2)} h: it is the axis, and the body is held on its line.`;
      buttons.querySelectorAll("button").forEach((b, k) => b.setAttribute("aria-pressed", String(stages[k][1] === place && stages[k][2] === motion)));
    };
    const drawPlot = (here, chosen) => {
      const [start, end] = [gaps(A, body(0)), gaps(A, body(1))];
      const [low, high] = [-2.0, 1.6];
      const px = (t) => 38 + 250 * t;
      const py = (s) => 225 - (210 * (Math.min(high, Math.max(low, s)) - low)) / (high - low);
      const items = [
        make("line", { x1: 38, y1: py(0), x2: 288, y2: py(0), stroke: "currentColor", "stroke-width": 1.2 }),
        make("line", { x1: 38, y1: 12, x2: 38, y2: 225, stroke: "currentColor", "stroke-width": 1 }),
        make("text", { x: 6, y: py(0) + 4 }, "0"), make("text", { x: 44, y: 20 }, "s [m]"), make("text", { x: 268, y: 244 }, "t = h"), make("text", { x: 30, y: 244 }, "0"),
      ];
      // Labels that would lie on each other are moved apart; lines below the drawing have none.
      const shown = start.map((_, k) => k).filter((k) => Math.max(start[k].s, end[k].s) > low);
      const labels = new Map();
      let free = -Infinity;
      for (const k of [...shown].sort((a, b) => py(end[a].s) - py(end[b].s))) {
        free = Math.max(free + 14, py(end[k].s) + 4);
        labels.set(k, free);
      }
      shown.forEach((k) => {
        const g = start[k];
        const on = k === chosen.k;
        items.push(make("line", { x1: px(0), y1: py(g.s), x2: px(1), y2: py(end[k].s), stroke: COLORS[k % 7], "stroke-width": on ? 3.5 : 1.3, "stroke-dasharray": k < 4 ? "none" : "6 4", opacity: on ? 1 : 0.65 }),
          make("text", { x: 293, y: labels.get(k), "font-weight": on ? "bold" : "normal" }, g.name));
      });
      items.push(make("line", { x1: px(time), y1: 12, x2: px(time), y2: 225, stroke: "currentColor", "stroke-width": 1, "stroke-dasharray": "3 3" }),
        make("circle", { cx: px(time), cy: py(here[chosen.k].s), r: 4, fill: COLORS[chosen.k % 7] }));
      plot.replaceChildren(...items);
    };
    const point = (event) => {
      const m = view.getScreenCTM();
      return [(event.clientX - m.e) / m.a, -(event.clientY - m.f) / m.d];
    };
    let held = null;
    view.addEventListener("pointerdown", (event) => {
      const p = point(event);
      const tip = add(place, motion);
      const near = (q) => Math.hypot(q[0] - p[0], q[1] - p[1]);
      held = near(tip) < 0.25 ? "motion" : near(place) < 0.6 ? "place" : null;
      if (held) view.setPointerCapture(event.pointerId);
    });
    view.addEventListener("pointermove", (event) => {
      if (!held) return;
      const p = point(event);
      if (held === "motion") motion = [p[0] - place[0], p[1] - place[1]];
      else place = p;
      draw();
    });
    view.addEventListener("pointerup", () => { held = null; });
    draw();
  }
  const FIGURES = { separation };
  document.querySelectorAll(".figure[data-figure]").forEach((host) => FIGURES[host.dataset.figure]?.(host));
})();
