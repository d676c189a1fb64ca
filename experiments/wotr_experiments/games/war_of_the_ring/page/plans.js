// What the dice can do: each plan with the dice that pay for it, and what it can be done to.
import { answer, payers } from "./controls.js";
import { counted, element } from "../elements.js";
import { figureWords } from "./figures.js";
import { glyph } from "./glyphs.js";
import { GROUP_ASKED, byEnd, endOf, facesOf } from "./paths.js";

const FEW = 7; // targets that are shown at once, such as all Companions; all that can be recruited, since that is done most
const WORDS = {
  "plan:move-armies": "Move armies", "plan:attack": "Attack", "plan:move-fellowship": "Move the Fellowship", "plan:hide-fellowship": "Hide the Fellowship",
  "plan:separate-companions": "Separate Companions", "plan:move-companions": "Move Companions", "plan:move-minions": "Move Nazgul and Minions",
  "plan:advance-nation": "Advance a nation", "plan:bring-character": "Bring a character", "plan:voice-regulars": "Regulars by the Voice of Saruman",
  "plan:voice-elites": "Elites by the Voice of Saruman", "plan:companion-advance": "Advance a nation by a Companion", "plan:draw-card": "Draw a card",
  "plan:play-card": "Play a card", "plan:recruit": "Recruit", "plan:buy-off": "Discard a card from the table", "plan:skip": "Discard the die without effect",
};
const ORDER = Object.keys(WORDS);
const ON_THE_MAP = { "plan:move-armies": "army", "plan:attack": "army", "plan:move-minions": "origin" };

export function plans(table) {
  const { choice } = table;
  const groups = Map.groupBy(choice.all.filter(({ plan, die }) => plan && (!choice.die || !die || die === choice.die)), ({ plan }) => plan);
  const order = [...groups.keys()].sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
  const dice = choice.faces.length > 1 ? [diceRow(table)] : [];
  return [...dice, element("div", { class: "plans" }, ...order.map((plan) => planRow(table, plan, groups.get(plan))))];
}

// A die to be used, if not the proposed ones: it shows what it can do.
function diceRow(table) {
  const { choice } = table;
  const row = payers(table, choice.all.filter(({ die }) => die));
  for (const button of row.querySelectorAll("button")) {
    if (!choice.die) button.setAttribute("aria-pressed", "false");
    button.removeAttribute("aria-hidden");
  }
  row.firstChild.textContent = choice.die ? "only with " : "any die, or ";
  if (choice.die) {
    const any = element("button", {}, "any die");
    any.addEventListener("click", () => {
      choice.chooseDie(choice.die);
      table.show();
    });
    row.append(any);
  }
  return row;
}

function planRow(table, plan, paths) {
  const { choice } = table;
  const ends = byEnd(paths);
  const face = facesOf(paths)[0];
  const die = face ? [element("span", { class: `die ${table.side}` }, glyph(face.replace("-", "_")))] : [];
  const open = choice.plan === plan;
  if (ends.length === 1 && ends[0].send.at(-1).name === plan) return directRow(table, ends[0], die);
  const words = WORDS[plan] ?? plan;
  const counts = plan in ON_THE_MAP ? counted(new Set(ends.map(({ from }) => from)).size, ON_THE_MAP[plan]).replace("armys", "armies") : String(ends.length);
  const inline = !(plan in ON_THE_MAP) && (ends.length <= FEW || plan === "plan:recruit");
  const head = answer(words, () => {
    choice.choosePlan(plan);
    table.show();
  }, { kind: "plan", before: die });
  head.dataset.plan = plan;
  head.dataset.face = face ?? "";
  head.append(element("span", { class: "count" }, counts));
  head.setAttribute("aria-expanded", open || inline);
  return element("div", { class: "plan-row" }, head, ...(open || inline ? targets(table, ends, words) : []));
}

function directRow(table, path, die) {
  const [what, which] = [directWords(table, path.plan), pathWords(table, path)];
  const made = answer(which === WORDS[path.plan] ? what : `${what}: ${which}`, () => table.choice.take(path), { kind: "plan", before: die });
  made.dataset.end = endOf(path);
  made.dataset.plan = path.plan;
  made.dataset.face = path.die ?? "";
  return element("div", { class: "plan-row" }, made);
}

export function directWords(table, plan) {
  if (plan !== "plan:move-fellowship") return WORDS[plan];
  const { roll } = table.state.picture.hunt;
  if (!roll) return "Move the Fellowship: a Hunt tile is drawn";
  if (!roll.dice) return "Move the Fellowship: no dice in the Hunt Box";
  const rerolls = roll.rerolls ? ` and re-rolls ${Math.min(roll.dice, roll.rerolls)}` : "";
  const dice = counted(roll.dice, "die").replace("dies", "dice");
  return `Move the Fellowship: the Hunt rolls ${dice}${rerolls}, ${roll.needed} or more succeeds: ${Math.round(100 * roll.chance)}% chance of a tile`;
}

// What a plan can be done to, as buttons; on the map too.
export function targets(table, ends, title = "Targets") {
  const armies = ends.filter(({ from }) => from);
  const groups = Map.groupBy(ends.filter(({ from }) => !from), ({ figure }) => figure);
  const origins = [...new Set(armies.map(({ from }) => from))].map((id) => {
    const made = answer(table.map.places.get(id).name, () => table.press(id), { kind: "place" });
    made.setAttribute("aria-label", [table.map.places.get(id).name, ...table.panels.contents(table.state.picture, id)].join("; "));
    return made;
  });
  const rows = [...groups].map(([figure, paths]) => element(
    "div", { class: "places", role: "group", "aria-label": figure ? figureWords(table, figure) : title },
    ...(figure ? [element("span", { class: "muted" }, figureWords(table, figure))] : []),
    ...paths.map((path) => pathButton(table, path, figure)), ...together(table, paths),
  ));
  return [...(origins.length ? [element("div", { class: "places", role: "group", "aria-label": title }, ...origins)] : []), ...rows];
}

// Companions go alone by their names, or several together.
function together(table, paths) {
  const [first, ...others] = paths.filter(({ character, asked }) => character && GROUP_ASKED.includes(asked));
  if (!others.length) return [];
  const made = answer("several together …", () => table.choice.together(first), { kind: "place" });
  made.dataset.together = first.plan;
  return [made];
}

// A button that takes a path, with the words of what it points at.
export function pathButton(table, path, grouped = null) {
  const made = answer(pathWords(table, path, grouped), () => table.choice.take(path), { kind: "place" });
  made.dataset.end = endOf(path);
  if (grouped) made.setAttribute("aria-label", `${figureWords(table, path.figure)} in ${table.map.places.get(path.to).name}`);
  return made;
}

function pathWords(table, { plan, figure, nation, card, character, verb, to, send }, grouped) {
  const place = to ? table.map.places.get(to).name : "";
  if (figure && place) return grouped ? place : `Recruit ${figureWords(table, figure)}`;
  if (figure) return figureWords(table, figure);
  if (nation) return table.map.nations.get(nation).name;
  if (card) return table.board.cards[card].name;
  if (character) return place ? `${table.panels.character(character)} in ${place}` : table.panels.character(character);
  if (verb === "character-deck") return "Character deck";
  if (verb === "strategy-deck") return "Strategy deck";
  return place || WORDS[plan] || send.at(-1).name;
}
