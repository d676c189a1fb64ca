// A game that the server draws on the analysis board: the drawing, on which one points, and its words.
import { Bubble, onlyAsked } from "../bubble.js";
import { Drawing, Pointed, choiceLists, deedsOf, litAt, markButtons, tipParts } from "../drawing.js";
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
    this.chosen = null; // what was pointed at
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
  show(shown) {
    this.chosen = null;
    this.advised.clear();
    const isNew = this.drawing.show(shown.drawing);
    if (isNew) this.described.show(tipsOf(this.drawing.svg));
    this.frameLast(shown);
    this.light();
    if (isNew) this.fit();
  }

  // Frames what the last seat chose; positions before its choices, where the parts still lie, are fetched if they are not at hand.
  async frameLast({ events }) {
    this.fetching?.abort();
    const { signal } = (this.fetching = new AbortController());
    const deeds = lastDeeds(events);
    const before = deeds.map(({ number }) => this.study.known(number - 1));
    this.frame(deeds, before);
    if (before.every(Boolean)) return;
    const fetched = await Promise.allSettled(deeds.map(({ number }, place) => before[place] ?? this.study.fetch(number - 1, signal)));
    if (!signal.aborted) this.frame(deeds, fetched.map(({ value }) => value));
  }

  // Frames choices, with the position before each as far as it is known, and the best choices of bots.
  frame(deeds, before) {
    const { svg, form } = this.drawing;
    const places = deeds.flatMap(({ action }, place) => {
      const drawn = before[place]?.drawing[form];
      return drawn ? placesOf(drawn, action) : [];
    });
    const best = [...this.advised].flatMap((name) => framesOf(svg, name, "best"));
    this.drawing.frame([...traces(svg, places, deeds), ...best]);
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
    const shown = choiceLists(chosen?.choicesOf(legal) ?? legal, this.board, button);
    return chosen?.around(shown, () => this.choose(null)) ?? shown;
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

  // A part of the drawing: its only choice is played, or its choices alone are shown; what cannot be chosen says why.
  press(event) {
    const { question, why, legal } = this.study.shown;
    const lit = litAt(event);
    const part = lit ?? event.target.closest("[data-tip]");
    if (!part) return legal.length ? this.choose(null) : null;
    const pointed = new Pointed(part, why);
    if (!lit) return bubble.say(pointed.refusal(legal.length ? onlyAsked(`${question.text}.`, true) : ""), { x: event.clientX, y: event.clientY });
    const only = pointed.plays(legal, event.pointerType === "mouse", this.chosen);
    return only ? this.study.playAction(only.id) : this.choose(pointed);
  }

  choose(chosen) {
    this.chosen = chosen;
    this.study.openTab("play");
    this.study.showPlay();
    this.light();
  }

  // What is told of what is pointed at: the thing and words; null: nothing. Its choices are marked in the list.
  hover(target) {
    const thing = this.drawing.part.contains(target) ? target.closest("[data-tip], .lit") : null;
    markButtons(this.study.playPart, thing);
    return thing?.dataset.tip ? { thing, words: tipParts(thing.dataset.tip, "h3") } : null;
  }
}

// What the last seat chose, of the latest events: `{ number, seat, action }`.
function lastDeeds(events) {
  const deeds = deedsOf(events);
  const first = deeds.findLastIndex(({ seat }) => seat !== deeds.at(-1).seat);
  return deeds.slice(first + 1);
}
