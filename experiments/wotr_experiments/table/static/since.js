// What happened since the last choice of a seat: what came of that choice, and what others did.
import { element } from "./elements.js";
import { CHOICES, NEWS, withDice } from "./log.js";

const MOST = 9; // lines of a list
const OUTCOMES = ["rolled", "tile_drawn", "companion_drawn", "figures_lost", "elites_reduced", "battle_ended", "hunt_damage", "corruption_changed", "region_taken", "drew", "scored"];

export class Since {
  constructor(table) {
    this.table = table;
    this.away = false; // whether the person may not have seen what happened
    this.lost = false; // whether the connection was lost in the meantime
    this.outcomes = new Map(); // by number of an action, its events that the panel tells
  }

  // A state: the page is new, was hidden, was not connected, or has seen it happen.
  hear(earlier, { after, events, told, seat }) {
    const before = [...this.outcomes].filter(([number]) => number <= (after ?? 0));
    this.outcomes = new Map([...before, ...events.map(({ number, events: each }) => [number, each])]);
    if (earlier === null || document.hidden || this.lost) this.away = true;
    else if (told.some((line) => isOwn(line, seat))) this.away = false;
    this.lost = false;
  }

  // The last choice of the seat, as a place among what was told; -1: it has not chosen yet.
  get last() {
    return this.table.told.findLastIndex((line) => isOwn(line, this.table.state.seat));
  }

  // What happened, one entry for a line of choices: `{ who, side, choices, news }`.
  get entries() {
    const { told, state } = this.table;
    const since = told.slice(this.last + 1).filter(({ tone }) => tone !== "text");
    const entries = [];
    for (const { tone, seat, text, opens } of since) {
      const chosen = CHOICES.includes(tone);
      const current = entries.at(-1);
      if (tone === "turn") entries.push({ seat: null, choices: [], news: [text] });
      else if (chosen && (current?.seat !== seat || (opens && current.news.length))) entries.push({ seat, choices: [text], news: [] });
      else if (!current) entries.push({ seat: state.seat, choices: [], news: [text] });
      else (chosen ? current.choices : current.news).push(text);
    }
    return entries;
  }

  // The panel: all of it for somebody who was away, otherwise what chance and the rules made of the own choice.
  panel() {
    const { state, looking } = this.table;
    if (state.seat === null || state.result || looking) return [];
    const told = this.away || matchMedia("(prefers-reduced-motion: reduce)").matches; // otherwise captions tell what others do
    return told ? this.list() : this.outcome();
  }

  list() {
    const { entries } = this;
    if (!entries.length) return [];
    const shown = entries.slice(-MOST).map((entry) => this.line(entry));
    const more = entries.length - shown.length;
    if (more) shown.unshift(element("li", { class: "muted" }, `${more} more before: see the log`));
    return [this.made(this.last < 0 ? "Before your first choice" : this.away ? "While you were away: since your last choice" : "Since your last choice", shown)];
  }

  outcome() {
    const { told, state } = this.table;
    const { last } = this;
    if (last < 0 || state.picture?.battle) return []; // the panel of the battle tells it
    const own = told[last].number;
    const since = told.filter(({ number, tone }, place) => place > last && NEWS.includes(tone) && this.tells(number, own));
    const drawn = [...this.outcomes].filter(([number]) => number > own).flatMap(([, events]) => this.drawn(events));
    const lines = [...since.map(({ text }) => element("li", {}, ...withDice(text))), ...drawn].slice(-MOST);
    return lines.length ? [this.made("Result", lines)] : [];
  }

  // Whether the panel tells an action: the own one if it has an outcome, another one if it ended a battle.
  tells(number, own) {
    const events = this.outcomes.get(number) ?? [];
    if (number > own) return events.some(({ kind }) => kind === "battle_ended");
    return events.some((event) => OUTCOMES.includes(event.kind) || isDrawn(event));
  }

  // The cards that the seat drew after its choice.
  drawn(events) {
    const { board, state } = this.table;
    const own = board.seats?.indexOf(state.seat) ?? Object.keys(state.picture.seats).indexOf(state.seat);
    const names = events.filter((event) => isDrawn(event) && event.seat === own && event.card).map(({ card }) => board.cards[card].name);
    return names.length ? [element("li", {}, `You draw ${names.join(", ")}`)] : [];
  }

  line({ seat, choices, news }) {
    const { table } = this;
    const side = table.state.picture?.seats[seat]?.side ?? "";
    const own = seat === table.state.seat;
    const who = seat && !own ? [element("b", { class: "side" }, `${table.nameOfSeat(seat)}: `), choices.join(" · ")] : [];
    const rest = news.flatMap((text, place) => [place || who.length ? "; " : "", ...withDice(text)]);
    return element("li", { class: side }, ...who, ...rest);
  }

  made(title, lines) {
    const shut = element("button", { class: "away", "aria-label": `Hide: ${title}` }, "×");
    shut.addEventListener("click", () => {
      this.away = false;
      this.outcomes.clear();
      this.table.show();
    });
    return element("section", { class: "panel since", "aria-label": title }, shut, element("h2", {}, title), element("ul", { tabindex: "0" }, ...lines));
  }
}

function isOwn({ tone, seat: whose }, seat) {
  return tone === "choice" && whose === seat;
}

function isDrawn({ kind, origin, destination }) {
  return kind === "card_moved" && origin === "deck" && destination === "hand";
}
