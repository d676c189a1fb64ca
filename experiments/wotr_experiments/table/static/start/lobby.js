// The tables that wait for people, at which anybody may sit down.
import { counted, element, redraw, sentenceOf } from "../elements.js";
import { linkOf } from "../links.js";
import { keepGame } from "../mine.js";
import { nameOf } from "../people.js";
import { ask, underWay } from "../wire.js";

const PERSON = "person";
const AGAIN = 10_000; // milliseconds between two looks at the list
let joins = false; // whether a seat is being taken

// The part of the start page; it is hidden while no table waits.
export function lobbyPart() {
  const wrong = element("p", { class: "wrong", role: "alert" });
  const list = element("ul", { class: "tables", "aria-label": "Tables that wait for people" });
  const part = element("section", { class: "lobby", hidden: "" }, element("h2", {}, "Waiting for people"), list, wrong);
  const show = async () => {
    if (document.hidden) return;
    const found = await ask("api/lobby").catch(() => null);
    if (found === null) return; // the list stays as it was
    redraw(list, ...found.tables.map((table) => line(table, wrong, show)));
    part.hidden = found.tables.length === 0;
  };
  setInterval(show, AGAIN);
  show();
  return part;
}

function line(table, wrong, show) {
  const { game, ruleset, clock, chat, study, seats, free, here } = table;
  const others = seats.filter(({ name, kind, called }) => !free.includes(name) && (kind !== PERSON || called)).map((seat) => `${seat.title}: ${nameOf(seat)}`);
  const about = [ruleset, clockOf(clock), chat === "off" ? "" : "with chat", study ? "study game" : "", here ? `${counted(here, "person")} here` : ""].filter(Boolean).join(", ");
  const buttons = free.map((name) => {
    const { title } = seats.find((seat) => seat.name === name);
    const made = element("button", { type: "button", "data-name": `${table.id}/${name}` }, `Sit down as ${title}`);
    made.addEventListener("click", () => sitDown(table, name, wrong, show));
    return made;
  });
  return element("li", {}, element("b", {}, game), element("span", {}, about), element("span", { class: "muted" }, others.join(", ")), ...buttons);
}

async function sitDown({ id, game, ruleset }, seat, wrong, show) {
  if (joins) return;
  joins = true;
  wrong.textContent = "";
  try {
    const { token } = await underWay(ask(`api/tables/${id}/join`, { seat }));
    keepGame({ table: id, game, ruleset, over: false, links: [{ token, seat, view: seat, delay: 0 }] });
    location.assign(linkOf(id, token));
  } catch (error) {
    wrong.textContent = sentenceOf(error);
    joins = false;
    show();
  }
}

function clockOf(clock) {
  if (!clock) return "no clock";
  return clock.move ? `${clock.move} s for each move` : `${Math.round(clock.game / 6) / 10} min${clock.increment ? ` and ${clock.increment} s a move` : ""}`;
}
