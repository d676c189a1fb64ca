// The log in words: an entry for each line of choices, with what came of it under it.
import { capital, element, redraw } from "./elements.js";

export const CHOICES = ["choice", "forced"];
export const NEWS = ["major", "deed", "effect"];

const NEAR = 8; // pixels from its end, within which a log stays at it

const ROLL = /^(.*: )((?:\d )*\d)( \((\d) or more\).*)$/;

// A sentence, its dice as faces, those that succeed bright.
export function withDice(text) {
  const [, before, dice, after, needed] = text.match(ROLL) ?? [];
  if (dice === undefined) return [text];
  const faces = dice.split(" ").map((value) => element("i", { class: value >= needed ? "pip hit" : "pip" }, value));
  return [before, element("span", { class: "roll" }, ...faces), after];
}

// The latest that happened, in a line.
export function newestLines(told) {
  return told.filter(({ tone }) => NEWS.includes(tone)).slice(-2).map(({ text }) => text).join(". ");
}

// What others chose since the last choice of a seat and what came of it, then what came of that choice: sentences.
export function sinceOwn(told, seat, titleOf) {
  const last = told.findLastIndex((line) => CHOICES.includes(line.tone) && (seat === null ? line.opens : line.seat === seat));
  const since = told.slice(seat === null ? Math.max(0, last) : last + 1);
  const first = since.findIndex(({ tone }) => CHOICES.includes(tone));
  const [own, others] = first < 0 ? [since, []] : [since.slice(0, first), since.slice(first)];
  return sentences([...others, ...own], titleOf);
}

// Choices and what came of them, as sentences; choices of a seat one after another are in one.
export function sentences(told, titleOf) {
  const parts = [];
  let chooser = null; // whose choices the last part has
  for (const { tone, seat: who, text } of told) {
    if (CHOICES.includes(tone)) {
      if (who === chooser) parts.push(`${parts.pop()}, ${text}`);
      else parts.push(`${titleOf(who)}: ${text}`);
      chooser = who;
    } else if (NEWS.includes(tone)) {
      parts.push(capital(text));
      chooser = null;
    }
  }
  return parts;
}

// The entries of the log; the page tells the titles and sides of seats, and shows positions, unless look is null. Deeds and times are those of a table.
export function logEntries(told, { seatTitle, sideOf, look, deeds = [], times = [] }) {
  const entries = [];
  let entry = null; // the open one: its seat, and where its lines go
  const begin = (line, kind = "") => {
    const { seat, text, number } = line;
    const head = element("summary", { class: sideOf(seat), "data-name": number });
    if (seat && CHOICES.includes(line.tone)) head.append(element("b", { class: "side" }, seatTitle(seat)), " ");
    head.append(text);
    const body = element("ul", {});
    const made = element("details", { class: kind, "data-number": number }, head, body, lookButton(look, number, head.textContent));
    entry = { seat, head, body, choices: null, told: false };
    entries.push(made);
  };
  const untold = [...deeds];
  const tellDeeds = (number) => {
    while (untold.length && untold[0].number < number) entries.push(element("p", { class: "deed" }, untold.shift().text));
  };
  for (const line of told) {
    const { tone, seat, text } = line;
    tellDeeds(line.number);
    if (tone === "text") continue;
    if (tone === "turn") {
      entries.push(element("h3", {}, text));
      entry = null;
    } else if (line.opens) begin(line);
    else if (CHOICES.includes(tone)) {
      if (entry === null) begin(line);
      else if (entry.seat !== seat || !entry.choices) {
        const name = entry.seat === seat ? [] : [element("b", { class: `side ${sideOf(seat)}` }, `${seatTitle(seat)} `)];
        entry.choices = element("li", { class: tone }, ...name, text);
        entry.body.append(entry.choices);
      } else entry.choices.append(` · ${text}`);
    } else {
      if (entry === null) begin(line, tone);
      else {
        entry.body.append(element("li", { class: tone }, ...withDice(text)));
        entry.choices = null;
        if (!entry.told) entry.head.append(element("span", { class: "outcome" }, text));
        entry.told = true;
      }
    }
  }
  tellDeeds(Infinity);
  const made = entries.filter(({ tagName }) => tagName === "DETAILS");
  for (const each of made.slice(-2)) each.open = true;
  tellTimes(made, times);
  return entries;
}

// Draws a log. For somebody who reads on, entries stay open or shut, and the place stays; at the end it follows what is new.
export function redrawLog(part, readsOn, ...children) {
  const { scrollTop, scrollHeight, clientHeight } = part;
  const within = readsOn && scrollTop + clientHeight < scrollHeight - NEAR;
  const open = new Map(readsOn ? [...part.querySelectorAll("details")].map((each) => [each.dataset.number, each.open]) : []);
  for (const each of children) if (open.has(each.dataset.number)) each.open = open.get(each.dataset.number);
  redraw(part, ...children);
  part.scrollTop = within ? scrollTop : part.scrollHeight;
}

// Beside each entry, how long its seat thought, if the table has a clock.
function tellTimes(entries, times) {
  for (const [place, { dataset, firstChild }] of entries.entries()) {
    const next = entries[place + 1]?.dataset.number ?? Infinity;
    const took = times.filter(({ number }) => number >= dataset.number && number < next).reduce((sum, { seconds }) => sum + seconds, 0);
    if (took) firstChild.append(element("small", { class: "took", title: "time to think" }, took < 60 ? ` ${Math.round(took)} s` : ` ${Math.floor(took / 60)} min ${Math.round(took % 60)} s`));
  }
}

function lookButton(look, number, words) {
  const button = element("button", { class: "look", "data-name": number, "aria-label": `Show the position then: ${words}` }, "show the position");
  button.disabled = look === null;
  button.addEventListener("click", () => look(number));
  return button;
}
