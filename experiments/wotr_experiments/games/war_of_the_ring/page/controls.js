// The controls of which the cards of the answering panel are made.
import { element } from "../elements.js";
import { counter } from "./figures.js";
import { glyph } from "./glyphs.js";
import { FACES } from "./panels.js";
import { facesOf } from "./paths.js";

export function answer(words, act, { primary = false, kind = "", before = [] } = {}) {
  const made = element("button", { class: `answer ${primary ? "primary" : ""} ${kind}` }, ...before, element("span", {}, words));
  made.addEventListener("click", act);
  return made;
}

export function steppers(table, rows, changed = () => {}) {
  if (rows.length < 2 && (rows[0]?.most ?? 0) < 2) return [];
  return rows.map((row) => counter(row, changed));
}

// A button for each die that could pay for the same end, the proposed one first: it says what it does, and does it.
export function confirms(table, paths, words, act = (path) => table.choice.perform(path)) {
  const faces = facesOf(paths);
  const proposed = faces.includes(table.choice.die) ? table.choice.die : faces[0];
  const order = faces.length ? [proposed, ...faces.filter((face) => face !== proposed)] : [null];
  return order.map((face, place) => {
    const path = paths.find(({ die }) => die === face) ?? paths[0];
    const made = answer(place ? `with the ${dieName(face)} die` : words, () => act(path), { primary: !place, before: face ? [dieOf(table, face)] : [] });
    made.dataset.pay = face ?? "";
    return made;
  });
}

export function dieOf(table, face) {
  return element("span", { class: `die ${table.side}` }, glyph(face.replace("-", "_")));
}

export function dieName(face) {
  return FACES[face.replace("-", "_")][1];
}

// The dice that could pay, the proposed one pressed.
export function payers(table, paths) {
  const faces = facesOf(paths);
  if (!faces.length) return element("p", { hidden: "" });
  const proposed = faces.includes(table.choice.die) ? table.choice.die : faces[0];
  return element("p", { class: "payers", role: "group", "aria-label": "Paid with" }, "with ", ...faces.map((face) => {
    const name = dieName(face);
    const button = element("button", { class: `die ${table.side}`, "data-face": face, "aria-pressed": face === proposed, "aria-label": `pay with the ${name} die`, title: `${name} die` }, glyph(face.replace("-", "_")));
    button.addEventListener("click", () => {
      if (face !== proposed) table.choice.chooseDie(face);
      table.show();
    });
    return button;
  }));
}

