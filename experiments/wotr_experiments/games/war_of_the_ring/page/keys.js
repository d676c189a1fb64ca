// Keys and tips: everything on the table can be done without a pointer.
import { keysDialog } from "../base.js";
import { placeTip, pressByKey } from "../elements.js";
import { reviewKey } from "../review.js";

const DIGITS = "1234567890";
const LETTERS = "abcdefgijkmnopqrstvwxyz"; // h, l and u are the keys of hint, log and undo
export const HELP = [
  ["a–z", "the highlighted place with that letter or those two letters"], ["1–9, 0", "the answers in their order: dice, cards, words"],
  ["Enter", "the proposed answer"], ["Esc", "back: an open card, a chosen army; skips moving pictures"], ["u", "undo"], ["h", "hint"],
  ["← → Home End", "the position before and after, the first and the last, while you look at earlier ones"], ["l", "log"], ["+ − 0", "zoom, with Shift for the whole map"], ["?", "this help"],
];

// A label for each of so many places: one letter, or two if letters do not suffice.
export function labels(count) {
  const all = [...LETTERS];
  if (count <= all.length) return all.slice(0, count);
  return all.flatMap((one) => all.map((other) => one + other)).slice(0, count);
}

export class Keys {
  constructor(table) {
    this.table = table;
    this.first = ""; // of two letters
    document.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, (event) => this.tip(event));
    for (const kind of ["pointerdown", "focusout"]) document.addEventListener(kind, () => (table.tipPart.hidden = true));
  }

  key(event) {
    const { table } = this;
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") || !table.state) return;
    if (event.target.closest("input, select, textarea")) return;
    if (table.steps.playing) {
      table.steps.skip();
      if (event.key === "Escape") return event.preventDefault();
    }
    const pressed = event.target.closest("button, summary, [role=button]");
    if (pressed && [" ", "Enter"].includes(event.key)) {
      if (pressed.matches("[role=button]")) pressed.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const shown = table.looking?.number ?? (table.state.result ? table.state.number : null);
    const to = shown === null ? null : reviewKey(event.key, shown, table.state.number);
    if (to !== null) {
      table.look(to);
      event.preventDefault();
    } else if (this.answer(event.key)) event.preventDefault();
  }

  // Whether a key means something.
  answer(key) {
    const { table } = this;
    const keys = {
      Escape: () => table.back(), Enter: () => table.actPart.querySelector(".primary:enabled")?.click(), u: () => table.undo(), h: () => table.askHint(),
      l: () => table.toggleLog(), "?": () => table.help.showModal(), "+": () => table.map.zoomMiddle(1.4), "-": () => table.map.zoomMiddle(1 / 1.4), ")": () => table.map.fit(),
    };
    const typed = this.first + key;
    const region = table.letters.get(typed) ?? table.letters.get(key);
    const begins = [...table.letters.keys()].some((label) => label.length > 1 && label[0] === key);
    this.first = !region && begins ? key : "";
    if (region) table.press(region);
    else if (DIGITS.includes(key)) pressByKey(table.actPart.querySelector(`[data-digit="${key}"]`));
    else if (keys[key]) keys[key]();
    else return begins;
    return true;
  }

  tip({ target }) {
    const { table } = this;
    const thing = target instanceof Element ? target.closest("[data-card], [data-play], .cell, .contents") : null;
    const known = thing && table.state;
    table.tipPart.hidden = !known;
    if (!known) return;
    const { play, card = play, region } = thing.dataset;
    const position = (table.looking ?? table.state).picture;
    table.tipPart.replaceChildren(...(card ? table.panels.cardTip(card, thing.classList.contains("given")) : table.panels.placeTip(position, region)));
    placeTip(table.tipPart, thing);
  }
}

export function helpDialog() {
  return keysDialog(HELP, "Drag an army to its destination, or click the army and then the destination: it moves at once. A drag with the right button, or with Shift, leaves one Regular behind. An attack asks for confirmation.");
}
