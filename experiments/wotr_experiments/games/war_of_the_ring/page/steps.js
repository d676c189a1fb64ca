// What others did since the last position, shown in turn: a sentence each, dice, and plates that slide.
import { element } from "../elements.js";
import { CHOICES, NEWS as CAME_OF_IT, withDice } from "../log.js";
import { setting } from "../settings.js";

const PAUSES = { slow: 2200, normal: 1100, fast: 450 }; // milliseconds for what one die did
const MOTION = 240;
const MOST = 12; // dice shown in turn: of more, the last
const NEWS = 3; // lines of what came of a die

export class Steps {
  constructor(table) {
    this.table = table;
    this.caption = element("p", { class: "caption", hidden: "", "aria-hidden": "true" });
    this.queue = [];
    this.timer = null;
  }

  get playing() {
    return this.timer !== null;
  }

  // Shows what led from a position to the next, unless it is all the seat's own doing.
  show(earlier, state) {
    this.skip();
    const pause = PAUSES[setting("speed")];
    if (!earlier || !pause || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.queue = stepsOf(state).slice(-MOST);
    if (!this.queue.length) return;
    this.pause = pause;
    this.table.map.frame.append(this.caption);
    this.table.map.hold(earlier.picture);
    this.next();
  }

  next() {
    const step = this.queue.shift();
    if (!step) return this.skip();
    const { map, state } = this.table;
    this.caption.hidden = false;
    this.caption.replaceChildren(...this.words(step));
    for (const { origin, destination, figures, side } of step.moves) map.slide(origin, destination, { side, figures }, MOTION);
    map.reveal(step.regions, state.picture);
    this.timer = setTimeout(() => this.next(), this.pause);
  }

  // Who used what, and what came of it; if nothing did, all that was chosen.
  words({ seat, choices, news }) {
    const side = this.table.state.picture.seats[seat]?.side ?? "";
    const chosen = news.length ? choices.slice(0, 1) : choices;
    const who = chosen.length ? [element("span", { class: side }, element("b", { class: "side" }, this.table.seatTitle(seat)), `: ${chosen.join(" · ")}`)] : [];
    return [...who, ...news.slice(0, NEWS).map((text) => element("span", { class: "news" }, ...withDice(text)))];
  }

  // The present position at once.
  skip() {
    if (!this.playing) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.queue = [];
    this.caption.hidden = true;
    this.table.map.letGo();
  }
}

// The foreign actions of a state by action die: what was told of them, who moved, and where something changed.
function stepsOf({ seat, told, events, picture }) {
  const steps = [];
  const byNumber = new Map(events.map(({ number, events: each }) => [number, each]));
  const lines = Map.groupBy(told, ({ number }) => number);
  for (const [number, said] of lines) {
    const own = said.some(({ tone, seat: whose }) => tone === "choice" && whose === seat);
    const step = own || said.some(({ opens }) => opens) || !steps.length ? { own, seat: said[0].seat, choices: [], news: [], moves: [], regions: [] } : steps.at(-1);
    if (step !== steps.at(-1)) steps.push(step);
    for (const { tone, text } of said) {
      if (CHOICES.includes(tone)) step.choices.push(text);
      else if (CAME_OF_IT.includes(tone)) step.news.push(text);
    }
    for (const event of byNumber.get(number) ?? []) addEvent(step, event, picture);
  }
  return steps.filter(({ own, choices, news }) => !own && choices.length + news.length);
}

function addEvent(step, event, picture) {
  const regions = [event.region, event.origin, event.destination].filter((id) => typeof id === "string" && id in picture.regions);
  step.regions.push(...regions);
  if (event.kind === "figures_moved") step.moves.push({ ...event, side: sideOf(event.figures) });
}

function sideOf(figures) {
  return Object.keys(figures).some((nation) => ["sauron", "isengard", "southrons"].includes(nation)) ? "shadow" : "free_peoples";
}
