// The panel that answers: a card for an army or for losses where steppers are better, buttons with words elsewhere.
import { counted, element } from "./elements.js";
import { glyph } from "./glyphs.js";
import { withDice } from "./log.js";

const DIGITS = "1234567890";
const KINDS = ["regular", "elite", "leader"];
const RECENT = 24; // sentences in which a round of battle is found
const ROLLS = 4; // of them in its panel
const FULL_ARMY = 5; // units that fight: those beyond are lost first
const PROPOSED = ["verb:whole-army", "verb:done", "verb:continue"];
const LAST = ["plan:skip", "verb:pass"];
const FACE_IDS = { "army-muster": "army_muster" };

export function actPanel(table, position) {
  const parts = [];
  if (position.battle) parts.push(battlePanel(table, position));
  if (table.looking) {
    parts.push(answer("Back to the game", () => table.endLook(), { primary: true }));
  } else if (table.goal) parts.push(armyCard(table));
  else if (table.asked) parts.push(...question(table));
  else parts.push(element("p", { class: "muted" }, position.over ? table.ending() : "Others decide. Look around: click a region, open the log."));
  if (table.hint) parts.push(hintPanel(table));
  if (table.selected && !table.goal) parts.push(table.panels.place(position, table.selected));
  let digit = 0;
  for (const part of parts) {
    for (const button of part.matches("button.answer") ? [part] : part.querySelectorAll("button.answer:not(.place)")) {
      if (digit === DIGITS.length) break;
      button.dataset.digit = DIGITS[digit];
      button.prepend(element("kbd", {}, DIGITS[digit++]));
    }
  }
  return parts;
}

function answer(words, act, { primary = false, kind = "", before = [] } = {}) {
  const made = element("button", { class: `answer ${primary ? "primary" : ""} ${kind}` }, ...before, element("span", {}, words));
  made.addEventListener("click", act);
  return made;
}

function question(table) {
  const { legal, question: { text } } = table.state;
  if (/decide which casualty /.test(text)) return [lossCard(table)];
  const places = legal.filter(({ name }) => name.startsWith("region:"));
  const others = legal.filter(({ name }) => !name.startsWith("region:")).sort((one, other) => LAST.includes(one.name) - LAST.includes(other.name));
  const parts = [];
  if (table.from) parts.push(element("p", {}, `The army of ${table.map.places.get(table.from).name}: click or drag to the region where it shall go. Esc: another one.`));
  else if (table.armies().size && !places.length) parts.push(element("p", { class: "muted" }, "Drag an army to a neighbour, click a card, a nation or the Fellowship, or choose:"));
  if (figuresAsked(legal)) parts.push(figureCard(table));
  else if (others.length) {
    const proposed = PROPOSED.find((name) => others.some((each) => each.name === name)) ?? (others.length === 1 && !places.length ? others[0].name : null);
    parts.push(element("div", { class: "answers" }, ...others.map((each) => {
      return answer(each.words, () => table.perform(each.name), { primary: each.name === proposed, before: picture(each.name, table.side) });
    })));
  }
  if (places.length) parts.push(placeList(table, places));
  return parts;
}

function picture(name, side) {
  if (!name.startsWith("face:")) return [];
  const face = name.slice(5);
  return [element("span", { class: `die ${side}` }, glyph(FACE_IDS[face] ?? face))];
}

function placeList(table, places) {
  const letters = new Map([...table.letters].map(([letter, id]) => [id, letter]));
  return element("div", { class: "places", role: "group", "aria-label": "Places" }, ...places.map(({ name, words }) => {
    const made = answer(table.map.places.get(name.slice(7)).name, () => table.perform(name), { kind: "place", before: letters.has(name.slice(7)) ? [element("kbd", {}, letters.get(name.slice(7)))] : [] });
    made.title = words;
    made.setAttribute("aria-label", words);
    return made;
  }));
}

// Steppers

function stepper(row, changed) {
  const number = element("output", { "aria-live": "polite" }, row.value);
  const step = (by, words) => {
    const button = element("button", { "aria-label": `${words} ${row.words}` }, by > 0 ? "+" : "−");
    button.addEventListener("click", () => {
      row.value = Math.max(0, Math.min(row.most, row.value + by));
      number.textContent = row.value;
      changed();
    });
    return button;
  };
  return element("div", { class: "stepper" }, element("span", {}, row.words), step(-1, "fewer"), number, element("span", { class: "muted" }, `of ${row.most}`), step(1, "more"));
}

// The figures of a side in a region that an army may take along, as rows of steppers.
function figureRows(table, id, side) {
  const { armies, characters } = table.state.picture.regions[id] ?? { armies: [], characters: [] };
  const rows = armies.filter((army) => army.side === side).flatMap(({ figures }) => {
    return Object.entries(figures).flatMap(([nation, counts]) => counts.map((most, kind) => {
      const name = nation === "sauron" && kind === 2 ? "nazgul" : KINDS[kind];
      return { name: `figure:${nation}-${name}`, most, value: most, words: `${name[0].toUpperCase()}${name.slice(1)} of ${table.map.nations.get(nation).name}` };
    }));
  });
  const own = characters.filter((who) => table.board.characters[who].side === side);
  const companions = own.map((who) => ({ name: `character:${who}`, most: 1, value: 1, words: table.board.characters[who].name }));
  return [...rows.filter(({ most }) => most), ...companions];
}

function chosen(rows) {
  if (rows.every(({ value, most }) => value === most)) return ["verb:whole-army"];
  return [...rows.flatMap(({ name, value }) => Array(value).fill(name)), "verb:done"];
}

// A move or an attack by gesture: who goes, and which die pays.
function armyCard(table) {
  const { from, goal } = table;
  const { plan, dice } = table.planOf(from, goal);
  const [origin, target] = [from, goal].map((id) => table.map.places.get(id).name);
  const attack = plan === "plan:attack";
  const rows = figureRows(table, from, table.side);
  let [die] = dice;
  const go = answer(attack ? "Attack" : "Move", () => {
    const [source, figures] = [`region:${from}`, chosen(rows)];
    table.perform(...(die ? [`face:${die}`] : []), plan, source, `region:${goal}`, ...figures);
  }, { primary: true });
  const changed = () => (go.disabled = !rows.some(({ name, value }) => value && /-(regular|elite)$/.test(name)));
  const payers = dice.map((face) => {
    const button = element("button", { class: `die ${table.side}`, "aria-pressed": face === die, "aria-label": `pay with ${face}`, title: face }, glyph(FACE_IDS[face] ?? face));
    button.addEventListener("click", () => {
      die = face;
      for (const other of payers) other.setAttribute("aria-pressed", other === button);
    });
    return button;
  });
  const cancel = answer("Another", () => table.back());
  const foe = table.side === "shadow" ? "free_peoples" : "shadow";
  return element(
    "div", { class: "card-form", role: "form", "aria-label": "Army" },
    element("h2", {}, attack ? `Attack ${target} from ${origin}` : `Move from ${origin} to ${target}`),
    ...(attack ? [element("p", { class: foe }, "Against ", element("b", { class: "side" }, forces(table, goal, foe)))] : []),
    ...(rows.length > 1 || rows[0]?.most > 1 ? rows.map((row) => stepper(row, changed)) : []),
    ...(payers.length ? [element("p", { class: "payers" }, "with ", ...payers)] : []),
    element("div", { class: "answers" }, go, cancel),
  );
}

function forces(table, id, side) {
  const { armies, characters } = table.state.picture.regions[id] ?? { armies: [], characters: [] };
  const figures = armies.filter((army) => army.side === side).map((army) => table.panels.figures(army.figures));
  const names = characters.filter((who) => table.board.characters[who].side === side).map((who) => table.board.characters[who].name);
  return [...figures, ...names].join(", ") || "nobody";
}

function figuresAsked(legal) {
  const figures = legal.filter(({ name }) => /^(figure|character):/.test(name));
  return figures.length > 0 && legal.some(({ name }) => ["verb:whole-army", "verb:done"].includes(name)) && figures.some(({ name }) => name.startsWith("figure:"));
}

// Who goes along, where the rules ask figure by figure.
function figureCard(table) {
  const { legal, question: { text } } = table.state;
  const [origin] = placesIn(text.split("; ")[0], table.board.regions);
  const held = new Map(figureRows(table, origin, table.side).map((row) => [row.name, row.most]));
  const staying = / stays behind /.test(text);
  const rows = legal.filter(({ name }) => /^(figure|character):/.test(name)).map(({ name, words }) => {
    const most = held.get(name) ?? 1;
    return { name, most, value: staying ? 0 : most, words };
  });
  const whole = legal.find(({ name }) => name === "verb:whole-army");
  const done = legal.find(({ name }) => name === "verb:done");
  const all = () => rows.every(({ value, most }) => value === most);
  const go = answer("Go", () => {
    if (whole && all()) table.perform("verb:whole-army");
    else table.perform(...rows.flatMap(({ name, value }) => Array(value).fill(name)), "verb:done");
  }, { primary: true });
  const stay = done ? [answer(done.words, () => table.perform("verb:done"))] : [];
  return element("div", { class: "card-form", role: "form", "aria-label": "Figures" }, ...rows.map((row) => stepper(row, () => {})), element("div", { class: "answers" }, go, ...stay));
}

// Losses with the cheapest preset: units beyond those that fight, then Elites reduced, then Regulars.
function lossCard(table) {
  const { legal, question: { text } } = table.state;
  const hits = Number(text.match(/: (\d+) hit/)?.[1] ?? 1);
  const [region] = placesIn(text, table.board.regions);
  const held = new Map(figureRows(table, region, table.side).map((row) => [row.name, row.most]));
  let units = table.unitsAt(region, table.side);
  const rows = legal.map(({ name, words }) => {
    const reduces = name.startsWith("nation:");
    const figure = reduces ? `figure:${name.slice(7)}-elite` : name;
    return { name, words, reduces, cost: /-elite$/.test(name) ? 2 : 1, most: Math.min(hits, held.get(figure) ?? hits), value: 0 };
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
  const sum = element("output", {});
  const go = answer("Take these losses", () => table.perform(...rows.flatMap(({ name, value }) => Array(value).fill(name))), { primary: true });
  const changed = () => {
    const taken = rows.reduce((total, { cost, value }) => total + cost * value, 0);
    sum.textContent = `${taken} of ${counted(hits, "hit")}`;
    go.disabled = taken === 0 || taken > hits;
  };
  changed();
  return element("div", { class: "card-form", role: "form", "aria-label": "Losses" }, element("p", {}, sum), ...rows.map((row) => stepper(row, changed)), element("div", { class: "answers" }, go));
}

// Battles and hints

function battlePanel(table, position) {
  const { battle } = position;
  const made = table.panels.battle(position);
  const attacker = battle.attacker;
  const defender = attacker === "shadow" ? "free_peoples" : "shadow";
  const line = (side, id) => element("p", { class: side }, element("b", { class: "side" }, table.panels.side(side)), `: ${forces(table, id, side)}`);
  made.append(line(attacker, battle.origin), line(defender, battle.region));
  const rolls = table.told.slice(-RECENT).filter(({ tone, text }) => tone !== "text" && /roll|hits|lost/i.test(text)).slice(-ROLLS);
  made.append(element("ul", { class: "rolls" }, ...rolls.map(({ text }) => element("li", {}, ...withDice(text)))));
  return made;
}

function hintPanel(table) {
  const { hint } = table;
  const lines = hint.actions.slice(0, 5).map(({ id, words, value }) => {
    const shown = value === null || value === undefined ? "" : ` (${Number(value).toFixed(2)})`;
    return answer(`${words}${shown}`, () => table.perform(table.board.actions[id]));
  });
  return element("section", { class: "panel" }, element("h2", {}, `Hint: ${hint.scale}`), element("div", { class: "answers" }, ...lines));
}

// The regions that a text names, in their order, the longest name at each place.
export function placesIn(text, regions) {
  const found = regions.map(({ id, name }) => ({ id, name, at: text.indexOf(name) })).filter(({ at }) => at >= 0);
  const inside = (one) => found.some((other) => other.name.length > one.name.length && other.name.includes(one.name) && text.split(one.name).length === text.split(other.name).length);
  return found.filter((one) => !inside(one)).sort((one, other) => one.at - other.at).map(({ id }) => id);
}
