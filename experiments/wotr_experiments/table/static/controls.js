// The controls of which the cards of the answering panel are made.
import { element } from "./elements.js";
import { counter } from "./figures.js";
import { glyph } from "./glyphs.js";
import { FACES } from "./panels.js";
import { facesOf } from "./ways.js";

export function answer(words, act, { primary = false, kind = "", before = [] } = {}) {
  const made = element("button", { class: `answer ${primary ? "primary" : ""} ${kind}` }, ...before, element("span", {}, words));
  made.addEventListener("click", act);
  return made;
}

export function steppers(table, rows, changed = () => {}) {
  if (rows.length < 2 && (rows[0]?.most ?? 0) < 2) return [];
  return rows.map((row) => counter(row, changed));
}

// The dice that could pay, the proposed one pressed.
export function payers(table, paths) {
  const faces = facesOf(paths);
  if (!faces.length) return element("p", { hidden: "" });
  const proposed = faces.includes(table.choice.die) ? table.choice.die : faces[0];
  return element("p", { class: "payers", role: "group", "aria-label": "Paid with" }, "with ", ...faces.map((face) => {
    const { 1: name } = FACES[face.replace("-", "_")];
    const button = element("button", { class: `die ${table.side}`, "data-face": face, "aria-pressed": face === proposed, "aria-label": `pay with the ${name} die`, title: `${name} die` }, glyph(face.replace("-", "_")));
    button.addEventListener("click", () => {
      if (face !== proposed) table.choice.chooseDie(face);
      table.show();
    });
    return button;
  }));
}

