// The links of a table that was opened here: what they are for, and where this browser keeps them.
import { counted, element } from "./elements.js";

const PUBLIC = "public";
const KEPT = "wotr.opened";

// Keeps the links, until another table is opened or the browser is closed.
export function keepLinks(opened) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(opened));
  } catch {
    return; // this browser keeps nothing
  }
}

export function keptLinks() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

export function linkOf(table, token) {
  return new URL(`/table/${table}#${token}`, location.href).href;
}

export function linkLines({ table, tokens, links: looks }) {
  const line = (words, token) => {
    const url = linkOf(table, token);
    const copy = element("button", { type: "button" }, "Copy");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(url);
      copy.textContent = "Copied";
    });
    return element("p", {}, element("a", { href: url }, words), element("code", {}, url), copy);
  };
  const named = (name) => name.replaceAll("_", " ");
  return [
    ...Object.entries(tokens).map(([seat, token]) => line(`Sit down as ${named(seat)}`, token)),
    ...looks.map(({ view, delay, token }) => line(`Look on${view === PUBLIC ? "" : ` with the hand of ${named(view)}`}${delay ? `, ${counted(delay, "action")} behind` : ""}`, token)),
  ];
}
