// The panel that answers: what the dice can do, a card for an army, a card or losses, and buttons with words elsewhere.
import { attackCard, battlePanel, battleWords, oddsOf, rollWords } from "./battle.js";
import { valueWords } from "../base.js";
import { answer, confirms, payers, steppers } from "./controls.js";
import { diceCard } from "./dice.js";
import { capital, counted, element } from "../elements.js";
import { armyRows, chosenFigures, counter, figureRows, figureWords, isUnit, rowsOf } from "./figures.js";
import { glyph } from "./glyphs.js";
import { pathButton, plans, targets } from "./plans.js";
import { reviewSteps } from "../review.js";
import { GROUP_ASKED, endOf } from "./paths.js";

const DIGITS = "1234567890";
const FULL_ARMY = 5; // units that fight: those beyond are lost first
const PROPOSED = ["verb:whole-army", "verb:done", "verb:continue"];
const LAST = ["plan:skip", "verb:pass"];
const PAIRED = 4; // rows of single figures beyond which they stand in pairs
const PICKED = ["move-figures", "attack-figures", "advance-figures", "stay-behind", "separate-group", "companion-group"];
const NOBODY_AT_FIRST = ["stay-behind", ...GROUP_ASKED];
const GO = {
  "move-figures": "Move these", "attack-figures": "Attack with these", "advance-figures": "These advance", "stay-behind": "These stay behind",
  "separate-group": "These leave the Fellowship", "companion-group": "These go together",
};
const POINTED = ["action-die", "action-plan", "army-origin", "attack-origin", "recruit-figure", "minion-to-move", "bring-character"];

export function actPanel(table, position) {
  const parts = table.hint && table.asked ? [hintPanel(table)] : [];
  if (!table.choice.from && !table.choice.form) parts.push(...table.since.panel()); // a begun gesture needs the room
  if (table.looking) parts.push(reviewSteps(table, table.looking.number), answer("Back to the game", () => table.endLook(), { primary: true }), ...(table.state.result ? [table.luck()] : []));
  else if (table.state.dice) parts.push(diceCard(table));
  else if (table.asked) parts.push(...question(table));
  else if (table.state.result) parts.push(...table.afterwards());
  else parts.push(element("p", { class: "muted" }, "Another seat decides. You can click a region or open the log."));
  if (position.battle) parts.push(battlePanel(table, position));
  const shown = table.choice.from ?? table.selected;
  if (shown && !table.choice.form) parts.push(table.panels.place(position, shown));
  number(parts);
  return parts;
}

function number(parts) {
  const buttons = parts.flatMap((part) => (part.matches("button.answer") ? [part] : [...part.querySelectorAll("button.answer:not(.place, .hint *)")]));
  for (const [digit, button] of buttons.slice(0, DIGITS.length).entries()) {
    button.dataset.digit = DIGITS[digit];
    button.prepend(element("kbd", { "aria-hidden": "true" }, DIGITS[digit]));
  }
}

function question(table) {
  const { choice } = table;
  const { decision } = table.state.question;
  if (choice.form?.paths) return [whoCard(table, choice.form.paths)];
  if (choice.form?.path?.plan === "plan:attack") return [attackCard(table, choice.form.path)];
  if (choice.form?.path?.plan === "plan:play-card") return [cardCard(table, choice.form.path)];
  if (choice.from) return [armyCard(table, choice.from)];
  if (decision === "casualty") return [lossCard(table)];
  if (PICKED.includes(decision)) return [figureCard(table, decision)];
  return POINTED.includes(decision) && choice.known ? pointing(table) : plain(table);
}

// What the dice can do, or with one plan chosen its targets.
function pointing(table) {
  const { decision } = table.state.question;
  const rest = table.choice.paths.filter(({ plan, send }) => !plan || /^verb:/.test(send[0].name));
  const others = [...new Map(rest.map((path) => [path.send.at(-1).name, path])).values()];
  const buttons = others.map((path) => {
    const { words } = table.state.legal.find(({ name }) => name === path.send[0].name);
    return named(path.send[0].name, answer(words, () => table.choice.perform(path), { primary: path.send[0].name === "verb:done" }));
  });
  const first = /^action-(die|plan)$/.test(decision) ? plans(table) : targets(table, table.choice.byEnd.filter((path) => !others.includes(path)));
  return [...first, ...(buttons.length ? [element("div", { class: "answers" }, ...buttons)] : [])];
}

// The legal choices as they are.
function plain(table) {
  const { legal } = table.state;
  const places = legal.filter(({ name }) => name.startsWith("region:"));
  const others = legal.filter(({ name }) => !name.startsWith("region:")).sort((one, other) => LAST.includes(one.name) - LAST.includes(other.name));
  const parts = [];
  if (others.length) {
    const proposed = PROPOSED.find((name) => others.some((each) => each.name === name)) ?? (others.length === 1 && !places.length ? others[0].name : null);
    parts.push(element("div", { class: "answers" }, ...others.flatMap((each) => {
      const guides = guideButtons(table, each);
      return guides.length ? guides : named(each.name, answer(each.words, () => table.choose(each.name), { primary: each.name === proposed, before: picture(each.name, table.side) }));
    })));
  }
  if (places.length) parts.push(placeList(table, places));
  return parts;
}

// Where a Guide is chosen right after a choice that reveals nothing: a button for each of them, the present one first.
function guideButtons(table, { name, words }) {
  if (table.state.question.decision !== "declare-fellowship") return [];
  const present = ({ character }) => character === table.state.picture.fellowship.guide;
  const paths = table.choice.all.filter(({ send, character }) => character && send[0].name === name);
  if (paths.length < 2) return [];
  return paths.sort((one, other) => present(other) - present(one)).map((path) => {
    const made = named(name, answer(`${words}; ${table.panels.character(path.character)} ${present(path) ? "stays the Guide" : "becomes the Guide"}`, () => table.choice.perform(path)));
    made.dataset.guide = path.character;
    return made;
  });
}

function withEnd(path, made) {
  made.dataset.end = endOf(path);
  return made;
}

function named(name, made) {
  made.dataset.name = name;
  return made;
}

function picture(name, side) {
  if (!name.startsWith("face:")) return [];
  return [element("span", { class: `die ${side}` }, glyph(name.slice(5).replace("-", "_")))];
}

function placeList(table, places) {
  const letters = new Map([...table.letters].map(([letter, id]) => [id, letter]));
  return element("div", { class: "places", role: "group", "aria-label": "Places" }, ...places.map(({ name, words }) => {
    const id = name.slice(7);
    const made = answer(table.map.places.get(id).name, () => table.press(id), { kind: "place", before: letters.has(id) ? [element("kbd", { "aria-hidden": "true" }, letters.get(id))] : [] });
    made.title = words;
    made.setAttribute("aria-label", words);
    return made;
  }));
}

// An army that was chosen: who goes, where it may attack on the spot, and what else can be done in its region.
function armyCard(table, id) {
  const { choice } = table;
  const here = choice.pathsFrom(id);
  const flying = here.every(({ plan }) => plan === "plan:move-minions");
  const all = choice.all.filter(({ from }) => from === id);
  const isAssault = ({ plan, to }) => plan === "plan:attack" && to === id;
  const assault = here.filter(isAssault);
  const others = choice.byEnd.filter(({ from, to }) => from === null && to === id);
  const words = flying ? "Click its destination." : "Click the destination or drag the army there; it moves at once. A drag with the right button, or with Shift, leaves one Regular behind.";
  const odds = assault.length ? [oddsOf(table, id, id, choice.rows)] : [];
  const changed = () => odds[0]?.replaceWith(odds[0] = oddsOf(table, id, id, choice.rows));
  const buttons = assault.length ? confirms(table, all.filter(isAssault), `${battleWords(table, id)}: ${rollWords(table)}`) : [];
  return element(
    "div", { class: "card-form", role: "form", "aria-label": "Army" },
    element("h2", {}, flying ? `From ${table.map.places.get(id).name}` : `The army of ${table.map.places.get(id).name}`),
    element("p", { class: "muted" }, words),
    ...steppers(table, flying ? [] : choice.rows, changed), payers(table, all.filter((path) => !isAssault(path))),
    element("div", { class: "answers" }, ...buttons, ...others.map((path) => pathButton(table, path)), answer("Another", () => table.back())), ...odds,
  );
}

// Who goes where several could.
function whoCard(table, paths) {
  const who = ({ plan, character }) => (plan === "plan:attack" ? "Attack" : plan === "plan:move-armies" ? "The army" : character ? table.panels.character(character) : "A Nazgul");
  return element(
    "div", { class: "card-form", role: "form", "aria-label": "Who goes" }, element("h2", {}, "Who goes?"),
    element("div", { class: "answers" }, ...paths.map((path) => withEnd(path, answer(who(path), () => table.choice.take(path))))),
  );
}

// A card that is to be played, with its text.
function cardCard(table, path) {
  const card = table.board.cards[path.card];
  const ends = table.choice.all.filter((each) => each.plan === path.plan && each.card === path.card);
  return element(
    "div", { class: "card-form", role: "form", "aria-label": "Play a card" }, element("h2", {}, card.name), element("p", {}, card.text),
    element("div", { class: "answers" }, ...confirms(table, ends, "Play it: the card is shown"), answer("Another", () => table.back())),
  );
}

// Who goes along, where the rules ask figure by figure.
function figureCard(table, decision) {
  const { legal, picture: { about } } = table.state;
  const { rows } = table.rowsFor(() => {
    const origin = about?.origin;
    const held = new Map((origin ? rowsHeld(table, origin) : []).map((row) => [row.name, row.most]));
    for (const row of rowsOf(table, [about.taken.figures], about.taken.characters)) {
      if (held.has(row.name)) held.set(row.name, held.get(row.name) - row.most);
    }
    return legal.filter(({ name }) => /^(figure|character):/.test(name)).map(({ name }) => {
      const most = Math.max(1, held.get(name) ?? 1);
      return { name, most, value: NOBODY_AT_FIRST.includes(decision) ? 0 : most, words: pieceWords(table, name) };
    });
  });
  const find = (verb) => legal.find(({ name }) => name === verb);
  const go = answer(GO[decision], () => table.perform(picked(rows, legal, decision)), { primary: true });
  const changed = () => (go.disabled = !rows.some(({ value }) => value));
  changed();
  const others = ["verb:done", "verb:decline"].filter(find).map((verb) => named(verb, answer(find(verb).words, () => table.choose(verb), { primary: NOBODY_AT_FIRST.includes(decision) && verb === "verb:done" })));
  if (others.length && NOBODY_AT_FIRST.includes(decision)) go.classList.remove("primary");
  return element(
    "div", { class: "card-form", role: "form", "aria-label": "Figures" }, ...aloneRow(table, rows, decision),
    element("div", { class: rows.length > PAIRED && rows.every(({ most }) => most === 1) ? "pairs" : "card-form" }, ...rows.map((row) => counter(row, changed))),
    element("div", { class: "answers" }, go, ...others),
  );
}

// One of several Companions goes by himself at a press of his name, as long as nobody goes with him.
function aloneRow(table, rows, decision) {
  const { taken } = table.state.picture.about;
  if (!GROUP_ASKED.includes(decision) || rows.length < 2 || taken.characters.length) return [];
  const buttons = rows.map(({ name, words }) => {
    const made = answer(words, () => table.perform([{ name, decision }, { name: "verb:done", decision }]), { kind: "place" });
    made.dataset.alone = name;
    return made;
  });
  return [element("div", { class: "places", role: "group", "aria-label": "Alone" }, element("span", { class: "muted" }, "Alone:"), ...buttons), element("p", { class: "muted" }, "Or together:")];
}

function rowsHeld(table, origin) {
  const { battle } = table.state.picture;
  const attacking = battle && battle.origin === origin && battle.attacker === table.side && table.state.question.decision === "advance-figures";
  return attacking ? rowsOf(table, [battle.party.figures], battle.party.characters) : armyRows(table, origin);
}

function picked(rows, legal, decision) {
  const names = chosenFigures(rows, legal.some(({ name }) => name === "verb:whole-army"));
  return names.map((name) => ({ name, decision }));
}

function pieceWords(table, name) {
  const [kind, id] = name.split(/:(.*)/);
  return kind === "character" ? table.panels.character(id) : figureWords(table, id);
}

// Losses with the cheapest preset: units beyond those that fight, then Elites reduced, then Regulars. One hit is one press.
function lossCard(table) {
  const { legal, picture: { about } } = table.state;
  const { hits } = about;
  const { rows } = table.rowsFor(() => cheapestLosses(table, legal, about));
  if (hits === 1) return oneLoss(table, rows);
  const sum = element("output", {});
  const go = answer("Take these losses", () => table.perform(rows.flatMap(({ name, value }) => Array(value).fill({ name, decision: "casualty" }))), { primary: true });
  const total = () => rows.reduce((sofar, { cost, value }) => sofar + cost * value, 0);
  const changed = (own = null) => {
    for (const row of rows.toReversed().filter((each) => own !== null && each !== own)) {
      while (total() > hits && row.value) row.value -= 1;
      row.show();
    }
    const taken = total();
    sum.textContent = `${taken} of ${counted(hits, "hit")}`;
    go.disabled = taken === 0 || taken > hits;
  };
  const counters = rows.map((row) => counter(row, changed));
  changed();
  return element("div", { class: "card-form", role: "form", "aria-label": "Losses" }, element("h2", {}, "Losses"), element("p", {}, sum), ...counters, element("div", { class: "answers" }, go));
}

function oneLoss(table, rows) {
  const buttons = rows.map(({ name, words, value }) => named(name, answer(capital(words), () => table.choose(name), { primary: value > 0 })));
  return element("div", { class: "card-form", role: "form", "aria-label": "Losses" }, element("h2", {}, "Losses: one hit"), element("div", { class: "answers" }, ...buttons));
}

function cheapestLosses(table, legal, { origin, hits }) {
  const held = new Map(figureRows(table, origin, table.side).map((row) => [row.name, row.most]));
  let units = table.unitsAt(origin, table.side);
  const rows = legal.map(({ name, words }) => {
    const reduces = name.startsWith("nation:");
    const figure = reduces ? `figure:${name.slice(7)}-elite` : name;
    return { name, words, reduces, cost: isUnit({ name }) && name.endsWith("-elite") ? 2 : 1, most: Math.min(hits, held.get(figure) ?? hits), value: 0 };
  });
  for (let left = hits; left > 0;) {
    const free = rows.filter(({ cost, most, value }) => cost <= left && value < most);
    const removal = free.find(({ reduces }) => !reduces);
    const cheap = units > FULL_ARMY && removal ? removal : free.find(({ reduces }) => reduces) ?? removal;
    if (!cheap) break;
    cheap.value += 1;
    left -= cheap.cost;
    if (!cheap.reduces) units -= 1;
  }
  return rows;
}

function hintPanel(table) {
  const { actions, line, scale } = table.hint;
  const others = actions.slice(1, 5).map(({ words, value }) => {
    return element("li", {}, element("span", {}, words), element("span", { class: "muted" }, valueWords(value, scale)));
  });
  const go = answer("Do this", () => table.perform(line.map(({ name, decision }) => ({ name, decision }))), { kind: "advised" });
  const more = others.length ? [element("details", {}, element("summary", {}, "Other choices"), element("ul", {}, ...others))] : [];
  return element("section", { class: "panel hint", "aria-label": "Hint" }, ...table.hintHead(), element("div", { class: "answers" }, go), ...more);
}
