// Opening a game in the analysis board: a file, a text, a table that is over, a game of a tournament, an empty game.
import { counted, element, sentenceOf } from "../elements.js";
import { ask, withToken } from "../wire.js";
import { askStudy } from "./questions.js";

const LONGEST = 20_000_000; // characters of a file

// The table or the tournament's game that the address asks for, and the position at which it begins; null if it asks for none.
export async function readLink() {
  const query = new URLSearchParams(location.search);
  const fragment = location.hash.slice(1);
  if (query.has("table")) {
    const [id, token = fragment] = query.get("table").split("#");
    const { text, eyes } = await ask(`api/tables/${encodeURIComponent(id)}/study`, null, { headers: withToken(token) });
    history.replaceState(null, "", "study"); // so that nobody shares the token
    const opened = await openText(text);
    return [{ ...opened, eyes }, opened.number];
  }
  if (query.has("tournament")) {
    const [tournament, game] = [query.get("tournament"), query.get("game") ?? ""].map(encodeURIComponent);
    const opened = await openText(await ask(`api/tournaments/${tournament}/games/${game}`, null, { kind: "text" }));
    return [{ ...opened, source: `?tournament=${tournament}&game=${game}` }, 0];
  }
  return null;
}

// A text as JSON; null if it is none.
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// A record, as JSON or text, a position as text, or one that an older page saved.
async function openText(line) {
  const { position: start, actions = [] } = read(line) ?? {};
  if (typeof start !== "object") return askStudy("open", { record: line.trim() });
  const found = await askStudy("line", { start, actions, board: true });
  return { ...found, start, actions, players: [] };
}

// The body of the dialog, and what reads a text into it; chosen is the game that is offered first, begin gets what was opened.
export function openings(games, chosen, begin) {
  const wrong = element("p", { class: "wrong", role: "alert" });
  const found = element("ul", { class: "games" });
  const open = async (make) => {
    wrong.textContent = "";
    try {
      await begin(await make());
    } catch (error) {
      wrong.textContent = sentenceOf(error);
    }
  };
  const readText = (text) => {
    const between = text.trimStart().startsWith("[") ? /^(?=\[text )/m : "\n"; // games as text have many lines
    const lines = text.slice(0, LONGEST).split(between).filter((line) => line.trim());
    found.replaceChildren();
    if (lines.length === 0) wrong.textContent = "There is no record in it.";
    else if (lines.length === 1) open(() => openText(lines[0]));
    else found.replaceChildren(...lines.map((line, place) => pick(line, place, () => open(() => openText(line)))));
  };
  const file = element("input", { type: "file", accept: ".jsonl,.json,.ndjson,.txt", "aria-label": "File" });
  file.addEventListener("change", async () => file.files[0] && readText(await file.files[0].text()));
  const text = element("textarea", { rows: 3, "aria-label": "Record", placeholder: '{"format":2,"game":"war-of-the-ring", …} or [text 1] … or war-of-the-ring:4-…' });
  const paste = element("button", { type: "button" }, "Open the text");
  paste.addEventListener("click", () => readText(text.value));
  const shown = Object.entries(games).filter(([, game]) => game.shown);
  const names = select("Game", shown.map(([name, { title }]) => [name, title]), chosen ?? shown[0][0]);
  const rules = element("div", { class: "row" });
  const show = () => rules.replaceChildren(...emptyGame(names.value, games[names.value], (asked) => open(() => askStudy("open", asked))));
  names.addEventListener("change", show);
  show();
  const close = element("form", { method: "dialog" }, element("button", {}, "Close"));
  const body = element(
    "div", { class: "openings" },
    element("h2", {}, "Open a game"),
    element("section", {}, element("h3", {}, "A record or a position"), element("p", { class: "muted" }, "Choose a file, drop it anywhere on the page, or paste a game or a position."), file, text, paste, found),
    element("section", {}, element("h3", {}, "An empty game"), ...(shown.length > 1 ? [names] : []), rules),
    wrong, close,
  );
  return { body, read: readText };
}

// The fields of an empty game of these rules.
function emptyGame(name, { rulesets, players }, begin) {
  const seatsOf = (ruleset) => String(rulesets.find((each) => each.name === ruleset).seats.length);
  const ruleset = select("Rules", rulesets.map(({ name: value, title }) => [value, title]), rulesets[0].name);
  const counts = Object.keys(players);
  const number = select("Players", counts.map((count) => [count, counted(Number(count), "player")]), seatsOf(ruleset.value));
  const seed = element("input", { inputmode: "numeric", placeholder: "seed, or random", "aria-label": "Seed" });
  const start = element("button", { type: "button" }, "Begin");
  start.addEventListener("click", () => {
    const spec = number.value === seatsOf(ruleset.value) ? ruleset.value : `${ruleset.value}:players=${number.value}`;
    begin({ game: name, ruleset: spec, ...(seed.value ? { seed: seed.value } : {}) });
  });
  return [...(rulesets.length > 1 ? [ruleset] : []), ...(counts.length > 1 ? [number] : []), seed, start];
}

function select(words, choices, chosen) {
  const made = element("select", { "aria-label": words }, ...choices.map(([value, title]) => element("option", { value }, title)));
  made.value = chosen;
  return made;
}

// A game of a file with several: who played, how it ended.
function pick(line, place, act) {
  const { players, result, ended, actions } = read(line) ?? readTags(line);
  let words = `Game ${place + 1}: `;
  if (Array.isArray(actions)) {
    const ending = result ? `${String(result.reason).replaceAll("_", " ")} in turn ${result.turn}` : ended ? String(ended.reason).replaceAll("_", " ") : "not over";
    words += `${(players ?? []).filter(Boolean).join(" against ") || "unknown players"}, ${actions.length} actions, ${ending}`;
  } else words += "damaged";
  const made = element("button", { type: "button" }, words);
  made.addEventListener("click", act);
  return element("li", {}, made);
}

// What a game as text says of itself.
function readTags(text) {
  if (!text.trimStart().startsWith("[")) return {};
  const tag = (name) => read(text.match(new RegExp(`^\\[${name} (.*)\\]\\s*$`, "m"))?.[1] ?? "null");
  const moves = text.split("\n").filter((line) => /^ *\d/.test(line)).map((line) => line.split(";")[0].trim().split(/ +/).slice(2));
  return { players: tag("players"), result: tag("result"), ended: tag("ended"), actions: moves.flat() };
}
