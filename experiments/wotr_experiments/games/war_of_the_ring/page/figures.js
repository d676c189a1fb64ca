// Figures of armies as rows, of which so many are chosen, and the controls that choose them.
import { capital, element } from "../elements.js";

const KINDS = ["regular", "elite", "leader"];

// The figures of a side in a region, as rows with all of them chosen.
export function figureRows(table, id, side) {
  const { armies, characters } = table.state.picture.regions[id] ?? { armies: [], characters: [] };
  const figures = armies.filter((army) => army.side === side).map((army) => army.figures);
  return rowsOf(table, figures, characters.filter((who) => table.board.characters[who].side === side));
}

// Those that who is asked may take along from a region.
export function armyRows(table, id) {
  return figureRows(table, id, table.side);
}

// "Elite of Gondor" for "gondor-elite".
export function figureWords(table, figure) {
  const [nation, kind] = figure.split("-");
  return `${capital(kind)} of ${table.map.nations.get(nation).name}`;
}

export function rowsOf(table, armies, characters) {
  const kinds = armies.flatMap((figures) => Object.entries(figures).flatMap(([nation, counts]) => counts.map((most, kind) => {
    const name = nation === "sauron" && kind === 2 ? "nazgul" : KINDS[kind];
    const figure = `${nation}-${name}`;
    return { name: `figure:${figure}`, most, value: most, words: figureWords(table, figure) };
  })));
  const persons = characters.map((who) => ({ name: `character:${who}`, most: 1, value: 1, words: table.board.characters[who].name }));
  return [...kinds.filter(({ most }) => most), ...persons];
}

// The chosen figures as answers, the units first, for the rules may add one to a Leader; all of them by one.
export function chosenFigures(rows, whole = true) {
  if (whole && rows.every(({ value, most }) => value === most)) return ["verb:whole-army"];
  const order = [...rows.filter(isUnit), ...rows.filter((row) => !isUnit(row))];
  return [...order.flatMap(({ name, value }) => Array(value).fill(name)), "verb:done"];
}

export function isUnit({ name }) {
  return /-(regular|elite)$/.test(name);
}

// How many of a row: a number each to press, or arrow keys.
export function counter(row, changed) {
  const numbers = Array.from({ length: row.most + 1 }, (_, number) => {
    const button = element("button", { role: "radio", "aria-label": `${number} of ${row.most}, ${row.words}`, "data-count": number }, String(number));
    button.addEventListener("click", () => set(number));
    return button;
  });
  const show = () => {
    for (const [number, button] of numbers.entries()) {
      button.setAttribute("aria-checked", number === row.value);
      button.tabIndex = number === row.value ? 0 : -1;
    }
  };
  const set = (number) => {
    row.value = Math.max(0, Math.min(row.most, number));
    show();
    changed(row);
  };
  const control = element("span", { class: "numbers", role: "radiogroup", "aria-label": row.words }, ...numbers);
  control.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set(row.value + by);
    numbers[row.value].focus();
  });
  show();
  row.show = show; // for a card that changes it itself
  return element("div", { class: "stepper", "data-figure": row.name }, element("span", {}, row.words), control);
}

// The figures and characters of a side in a region, in words.
export function forces(table, picture, id, side) {
  const { armies, characters } = picture.regions[id] ?? { armies: [], characters: [] };
  const figures = armies.filter((army) => army.side === side).map((army) => table.panels.figures(army.figures));
  const names = characters.filter((who) => table.board.characters[who].side === side).map((who) => table.board.characters[who].name);
  return [...figures, ...names].join(", ") || "nobody";
}
