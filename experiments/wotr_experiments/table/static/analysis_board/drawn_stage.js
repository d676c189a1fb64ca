// A game that the server draws on the analysis board: the drawing, on which one points, and its words.
import { Bubble, onlyAsked } from "../bubble.js";
import { Drawing, deedsOf, groupsOf, litAt, namesOf, reasonsOf, tipParts } from "../drawing.js";
import { element } from "../elements.js";
import { legendParts } from "../legend.js";
import { sinceOwn } from "../log.js";
import { framesOf, placesOf, tipsOf, traces } from "../marks.js";
import { Described } from "../voice.js";

let bubble = null; // one for all games that the page opens

export class Stage {
  name = "Position";
  look = "drawn";
  held = false;
  origin = "";
  opening = { name: "turn", at: "at the beginning of every turn" };
  marks = {};
  help = [["Esc", "all choices, after a click on a part of the drawing"]];

  constructor(study, board) {
    this.study = study;
    this.board = board;
    this.chosen = null; // the choices of the part that was pointed at: their names, what it tells, and why others are not possible
    this.drawing = new Drawing(study.mapPart, board.sizes);
    this.described = new Described("Position in words");
    this.part = element("div", { class: "stage", tabindex: "0" }, this.drawing.part, this.described.part);
    this.form = this.drawing.fitting;
    this.sections = { legend: element("section", { id: "legend", role: "tabpanel", "aria-label": "Legend" }, legendParts(board.legend)) };
    this.advised = new Set(); // names of the choices of bots
    bubble ??= new Bubble();
    this.drawing.part.addEventListener("click", (event) => this.press(event));
  }

  get tabs() {
    const legend = this.board.legend.length ? [["legend", "Legend", "k"]] : [];
    return [["play", "Play", "p"], ["log", "Log", "l"], ["bots", "Bots", "t"], ...legend];
  }

  get keys() {
    return { Escape: () => this.choose(null) };
  }

  // Asks for the form of drawings that fits the room.
  fit() {
    const { fitting } = this.drawing;
    if (fitting === this.form) return;
    this.form = fitting;
    this.study.load();
  }

  // Shows a position, and where the last seat chose something.
  show({ drawing, events }) {
    this.chosen = null;
    this.advised.clear();
    const isNew = this.drawing.show(drawing);
    if (isNew) this.described.show(tipsOf(this.drawing.svg));
    const deeds = lastDeeds(events);
    const places = deeds.flatMap(({ number, action }) => {
      const before = this.study.known(number - 1)?.drawing?.[this.drawing.form];
      return before ? placesOf(before, action) : [];
    });
    this.drawing.frame(traces(this.drawing.svg, places, deeds));
    this.light();
    if (isNew) this.fit();
  }

  light() {
    const legal = new Set(this.study.shown.legal.map(({ name }) => name));
    this.drawing.light(legal, this.chosen?.names ?? null);
  }

  // The head of the page.
  title() {
    return [element("b", {}, this.board.title)];
  }

  news(told) {
    return sinceOwn(told, null, (name) => this.study.titleOf(name)).join(". ");
  }

  seatTitle(title) {
    return `${title}:`;
  }

  // All choices, or those of the part that was pointed at.
  choices({ legal }, button) {
    const { chosen } = this;
    const shown = chosen === null ? legal : legal.filter(({ name }) => chosen.names.has(name));
    const parts = groupsOf(shown, this.board).flatMap(({ title, finishing, choices }) => {
      const made = choices.map(button);
      for (const each of made) each.classList.toggle("finishing", finishing === true);
      const list = element("div", { class: "answers choices", role: "group", "aria-label": title || "Choices" }, ...made);
      return [...(title ? [element("h2", { class: "group" }, title)] : []), list];
    });
    return chosen === null ? parts : [this.about(), ...parts, this.allButton()];
  }

  about() {
    const { tip, why } = this.chosen;
    return element("section", { class: "panel about" }, ...tipParts(tip, "h2"), ...why.map((text) => element("p", { class: "why-not" }, `${text}.`)));
  }

  allButton() {
    const made = element("button", { class: "answer all" }, "All choices");
    made.addEventListener("click", () => this.choose(null));
    return element("div", { class: "answers" }, made);
  }

  mark(name) {
    this.drawing.mark(name);
  }

  // Shows where the best choice of a bot is.
  advise(name) {
    if (this.advised.has(name)) return;
    this.advised.add(name);
    this.drawing.svg.append(...framesOf(this.drawing.svg, name, "best"));
  }

  // Pointing

  press(event) {
    const { shown } = this.study;
    const part = litAt(event);
    if (part) return this.point(part, event.pointerType === "mouse");
    const other = event.target.closest("[data-tip]");
    if (other) return bubble.say(this.words(other), { x: event.clientX, y: event.clientY });
    if (shown.legal.length) this.choose(null);
  }

  // A part of a single choice plays it: at once with a mouse, which has told what it is before; else when it is pointed
  // at again. Of other parts the choices alone are shown.
  point(part, told) {
    const { shown } = this.study;
    const names = new Set(namesOf(part));
    const again = this.chosen !== null && [...names].every((name) => this.chosen.names.has(name));
    const [only, ...others] = shown.legal.filter(({ name }) => names.has(name));
    if ((again || told) && !others.length) return this.study.playAction(only.id);
    this.choose({ names, tip: part.dataset.tip ?? "", why: reasonsOf(part, shown.why) });
  }

  choose(chosen) {
    this.chosen = chosen;
    this.study.openTab("play");
    this.study.showPlay();
    this.light();
  }

  // Why nothing came of a press; of what is never a choice, what it is; and what is asked.
  words(part) {
    const { question, why, legal } = this.study.shown;
    const reasons = reasonsOf(part, why);
    if (reasons.length) return `${reasons.join(". ")}.`;
    const is = part.dataset.tip.split("\n").filter(Boolean).join(". ");
    const told = is.endsWith(".") ? is : `${is}.`;
    return part.dataset.actions && legal.length ? onlyAsked(`${question.text}.`, true) : told;
  }

  // What is told of what is pointed at: the thing and words; null: nothing. Its choices are marked in the list.
  hover(target) {
    const thing = this.drawing.part.contains(target) ? target.closest("[data-tip], .lit") : null;
    const names = new Set(thing?.classList.contains("lit") ? namesOf(thing) : []);
    for (const button of this.study.playPart.querySelectorAll("[data-name]")) button.classList.toggle("marked", names.has(button.dataset.name));
    return thing?.dataset.tip ? { thing, words: tipParts(thing.dataset.tip, "h3") } : null;
  }
}

// What the last seat chose, of the latest events: `{ number, seat, action }`.
function lastDeeds(events) {
  const deeds = deedsOf(events);
  const first = deeds.findLastIndex(({ seat }) => seat !== deeds.at(-1).seat);
  return deeds.slice(first + 1);
}
