// Battles: the card of an attack before it is made, and the panel of one that is fought.
import { answer, confirms, steppers } from "./controls.js";
import { element } from "../elements.js";
import { forces, isUnit } from "./figures.js";
import { withDice } from "../log.js";
import { endOf } from "./paths.js";

const LINES = 6; // of a round, in the panel
const ROUND = /^Round \d+ of the battle/;
const WORTH_TELLING = /roll|hits|lost|combat|re-roll|loses|removes|reduces|withdraw|retreat/i;

export function battleWords(table, id) {
  const garrison = table.state.picture.regions[id].armies.some((army) => army.garrison && army.side === table.side);
  return garrison ? "Sortie against the besiegers" : "Assault the garrison";
}

// What is said of a choice that rolls dice before it is made.
export function rollWords(table) {
  return table.state.study ? "an undo is noted in the record" : "no undo after a roll or a card";
}

// An attack that cannot be taken back: both forces, who goes, and last the odds, which come later and move nothing.
export function attackCard(table, path) {
  const { choice } = table;
  const { from, to } = path;
  const [origin, target] = [from, to].map((id) => table.map.places.get(id).name);
  const foe = table.side === "shadow" ? "free_peoples" : "shadow";
  let odds = oddsOf(table, from, to, choice.rows);
  const go = confirms(table, choice.all.filter((each) => endOf(each) === endOf(path)), `Attack: ${rollWords(table)}`);
  const check = () => {
    for (const button of go) button.disabled = choice.rows.length > 0 && !choice.rows.some((row) => row.value && isUnit(row));
  };
  const changed = () => {
    check();
    odds.replaceWith((odds = oddsOf(table, from, to, choice.rows)));
  };
  check();
  const title = from === to ? `${battleWords(table, from)} of ${origin}` : `Attack ${target} from ${origin}`;
  return element(
    "div", { class: "card-form", role: "form", "aria-label": "Attack" }, element("h2", {}, title),
    element("p", { class: foe }, "Against ", element("b", { class: "side" }, forces(table, table.state.picture, to, foe))),
    ...steppers(table, choice.rows, changed), element("div", { class: "answers" }, ...go, answer("Another", () => table.back())), odds,
  );
}

// The odds of an attack by the chosen figures, told as soon as the server has them.
export function oddsOf(table, from, to, rows) {
  const odds = element("div", { class: "odds", "aria-live": "polite" });
  table.askOdds(from, to, rows, (found) => odds.replaceChildren(...oddsLines(table, found, table.side)));
  return odds;
}

// What the odds say, for who looks: the whole battle, or this action of an assault and the whole siege; and the first round.
export function oddsLines(table, { win, siege, attacker, defender, withdraws }, side) {
  if (win === null) return [];
  const chance = (value, words) => {
    const bar = element("meter", { min: 0, max: 1, value, "aria-label": "chance of the attacker" });
    return element("p", { class: "win" }, bar, element("b", {}, `${Math.round(100 * value)}%`), ` ${words}`);
  };
  const round = ({ dice, needed, hits, leadership }) => `${dice} dice, ${needed}+ hits, ${leadership} re-rolled: ${hits.toFixed(1)} hits`;
  const lines = [["attacker", attacker], ["defender", defender]].map(([who, force]) => element("p", {}, element("span", { class: "label" }, who), " ", round(force)));
  if (siege !== null) {
    const both = [chance(win, "to destroy the garrison in this action"), chance(siege, "if the siege continues with further actions")];
    return [...both, ...lines, element("p", {}, "without Combat cards")];
  }
  const if_ = withdraws ? "in the open; the defender may withdraw into the Stronghold" : "if the battle is fought to the end without Combat cards";
  return [chance(win, `${side ? "to win" : "for the attacker"} ${if_}`), ...lines];
}

// A battle that is fought: both forces, what was rolled with what was needed, cards, losses, and the odds from here on.
export function battlePanel(table, position) {
  const { battle } = position;
  const made = table.panels.battle(position);
  made.classList.add("battle");
  const attacker = battle.attacker;
  const defender = attacker === "shadow" ? "free_peoples" : "shadow";
  const { figures, characters } = battle.party;
  const party = [table.panels.figures(figures), ...characters.map((who) => table.panels.character(who))].filter(Boolean).join(", ") || "nobody left";
  const line = (side, words) => element("p", { class: side }, element("b", { class: "side" }, table.panels.side(side)), `: ${words}`);
  made.append(line(attacker, party), line(defender, forces(table, position, battle.region, defender)));
  const round = table.told.findLastIndex(({ text }) => ROUND.test(text));
  const told = table.told.slice(round + 1).filter(({ tone, text }) => !["text", "turn"].includes(tone) && WORTH_TELLING.test(text)).slice(-LINES);
  made.append(element("ul", { class: "rolls" }, ...told.map(({ text }) => element("li", {}, ...withDice(text)))));
  if (!table.looking) {
    const odds = element("div", { class: "odds" });
    table.askOdds(null, null, [], (found) => odds.replaceChildren(...oddsLines(table, found, null)));
    made.append(odds);
  }
  return made;
}
