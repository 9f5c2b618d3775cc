// The few helpers that make elements.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/** An element: `on…` keys are listeners, `class` and `style` as in HTML, the rest properties. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2).toLowerCase(), value as EventListener);
    else if (key === "class") element.className = String(value);
    else if (key.startsWith("aria-") || key.startsWith("data-") || key === "style" || key === "for") {
      element.setAttribute(key, String(value));
    } else Object.assign(element, { [key]: value });
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

const ICONS: Record<string, string> = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  next: "M5 5.5v13l9-6.5zM15.5 5.5h2.8v13h-2.8z",
  previous: "M19 5.5v13L10 12zM5.7 5.5h2.8v13H5.7z",
  loop: "M17 2.5 21 6.5l-4 4V8H8a3.5 3.5 0 0 0-3.5 3.5v.5H2v-.5A6 6 0 0 1 8 5.5h9zM7 21.5 3 17.5l4-4V16h9a3.5 3.5 0 0 0 3.5-3.5V12H22v.5a6 6 0 0 1-6 6H7z",
  layers: "m12 2.5 10 5.2-10 5.2L2 7.7zM4.4 11.2 12 15.1l7.6-3.9L22 12.5 12 17.7 2 12.5zM4.4 16 12 19.9l7.6-3.9L22 17.2l-10 5.3-10-5.3z",
  plot: "M3 3h2v16h16v2H3zM7 15l4-6 3.5 3.5L20 5l1.6 1.2-6.8 9.2-3.5-3.4-2.6 4z",
  theme: "M12 3a9 9 0 1 0 0 18zm0-1.8a10.8 10.8 0 1 1 0 21.6 10.8 10.8 0 0 1 0-21.6",
  open: "M3 5h6.5l2 2.2H21V10h-2.4V9.4h-8l-2-2.2H5.4v9.6L7.6 11H23l-3 8H3z",
  help: "M12 1.8a10.2 10.2 0 1 1 0 20.4 10.2 10.2 0 0 1 0-20.4m0 2a8.2 8.2 0 1 0 0 16.4 8.2 8.2 0 0 0 0-16.4M11 16h2v2h-2zm1-10.2c2.2 0 3.9 1.5 3.9 3.5 0 1.4-.8 2.3-1.8 3-.8.6-1.1.9-1.1 1.7v.5h-2v-.7c0-1.6.8-2.4 1.8-3.1.8-.6 1.1-.9 1.1-1.4 0-.9-.8-1.5-1.9-1.5s-1.9.7-2 1.8H8c.1-2.2 1.800-3.800 4-3.800",
  home: "M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3zM9.500 9.500h5v5h-5z",
  close: "m6.4 5 5.600 5.600L17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400-5.600-5.600L6.400 19 5 17.600l5.600-5.600L5 6.400z",
  follow: "M11 1.500h2v3.100a7.500 7.500 0 0 1 6.400 6.400h3.100v2h-3.100a7.500 7.500 0 0 1-6.400 6.400v3.100h-2v-3.100a7.500 7.500 0 0 1-6.400-6.400H1.500v-2h3.100A7.500 7.500 0 0 1 11 4.600zm1 5a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11m0 3a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5",
  reset: "M12 4a8 8 0 1 1-7.700 5.800l2 .5A6 6 0 1 0 12 6v3.500L6.500 5 12 .5z",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name] ?? "");
  svg.append(path);
  return svg;
}

export function iconButton(name: string, title: string, onClick: () => void, className = ""): HTMLButtonElement {
  return h("button", { class: `icon-button ${className}`, title, "aria-label": title, onClick }, icon(name));
}

/** Replaces the icon of a button. */
export function setIcon(button: HTMLElement, name: string): void {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
}

export function download(name: string, data: Blob): void {
  const link = h("a", { href: URL.createObjectURL(data), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
