// The start page: a new table, the links of its seats, the tables there are, and joining by a link.
import { counted, element, sentenceOf } from "../elements.js";
import { linkLines, linkOf, myGamesList } from "../links.js";
import { lobbyPart } from "./lobby.js";
import { keepGame, linksOf } from "../mine.js";
import { keepSetting, setting } from "../settings.js";
import { PeopleWishes, valueOf } from "./people.js";
import { ask, underWay } from "../wire.js";

const GAME = "war-of-the-ring";
const PERSON = "person";
const PUBLIC = "public";
const MOST_LINKS = 8;
const FEW = 4; // of my games that are shown at once

export async function openStart() {
  const { games } = await ask("api/options");
  const links = element("section", { class: "links", "aria-live": "polite" });
  const list = element("ul", { class: "tables", "aria-label": "Tables" });
  const mine = element("section", { class: "mine", "aria-label": "My games" });
  const refresh = () => showTables(list, mine);
  document.body.append(element(
    "div", { class: "start" },
    element("h1", {}, titleOf(games).replaceAll("-", "\u2011")), element("p", { class: "muted" }, "Play in the browser against bots or against each other."),
    element("p", {}, element("a", { href: "study" }, "Analysis board"), " · ", element("a", { href: "tournaments" }, "Tournaments")),
    mine, lobbyPart(), element("h2", {}, "New table"), newTableForm(games, links, refresh), links,
    element("h2", {}, "Join by a link"), joinForm(),
    element("h2", {}, "Tables"), list,
  ));
  document.title = titleOf(games);
  showMine(mine, []);
  await refresh();
}

// What the page offers: the games that have a page.
function titleOf(games) {
  const titles = Object.values(games).filter(({ shown }) => shown).map(({ title }) => title);
  return titles.length > 1 ? `${titles.slice(0, -1).join(", ")} and ${titles.at(-1)}` : titles[0];
}

function field(words, input) {
  if (input.matches("select, input")) input.setAttribute("aria-label", words);
  return element("label", {}, element("span", {}, words), input);
}

function select(choices, chosen) {
  const made = element("select", {}, ...choices.map(([value, words]) => element("option", { value }, words)));
  made.value = chosen;
  return made;
}

// The form of the game that is chosen, of those that have a page.
function newTableForm(games, links, refresh) {
  const shown = Object.entries(games).filter(([, game]) => game.shown);
  const chosen = select(shown.map(([name, game]) => [name, game.title]), GAME);
  const place = element("div", {});
  const show = () => place.replaceChildren(newTable(chosen.value, games[chosen.value], links, refresh));
  chosen.addEventListener("change", show);
  show();
  return element("div", {}, ...(shown.length > 1 ? [element("p", { class: "game" }, field("Game", chosen))] : []), place);
}

// What few tables need; the browser remembers whether it was open.
function moreOptions(...fields) {
  const part = element("details", { class: "more", ...(setting("more") === "open" ? { open: "" } : {}) }, element("summary", {}, "More options: clock, chat, spectators, seed"), ...fields);
  part.addEventListener("toggle", () => keepSetting("more", part.open ? "open" : "closed"));
  return part;
}

function newTable(name, game, links, refresh) {
  const ruleset = select(game.rulesets.map(({ name, title }) => [name, title]), game.rulesets[0].name);
  const counts = Object.keys(game.players);
  const seatsOf = () => game.rulesets.find((each) => each.name === ruleset.value).seats;
  const usual = () => String(seatsOf().length);
  const players = select(counts.map((count) => [count, counted(Number(count), "player")]), usual());
  const seed = element("input", { inputmode: "numeric", pattern: "[0-9]*", placeholder: "random" });
  const limit = element("input", { inputmode: "numeric", pattern: "[0-9]*", placeholder: "none" });
  const study = element("input", { type: "checkbox" });
  const ownDice = element("input", { type: "checkbox", "aria-label": "Own dice" });
  const pace = element("input", { inputmode: "decimal", value: "2" });
  const paced = field("Pace", element("span", {}, pace, " seconds between two seats while somebody watches"));
  pace.setAttribute("aria-label", "Pace in seconds");
  const seats = element("fieldset", {});
  const watch = new WatchLinks();
  const social = new PeopleWishes();
  const people = () => [...seats.querySelectorAll("select")].some(({ value }) => value === PERSON);
  const showSeats = () => {
    const shown = game.players[players.value] ?? seatsOf();
    const bot = game.bots.find((each) => each.name === "scripted") ?? game.bots[0];
    seats.replaceChildren(
      element("legend", {}, "Who plays"),
      ...shown.map(({ name, title }, place) => seatField(game.bots, name, title, place === 0 ? PERSON : bot.name)),
    );
    watch.seats = shown;
    showPeople();
  };
  const showPeople = () => {
    paced.hidden = people();
    social.fields.hidden = !people();
  };
  seats.addEventListener("change", showPeople);
  players.addEventListener("change", showSeats);
  ruleset.addEventListener("change", () => {
    if (game.rulesets.every(({ seats: { length } }) => length === game.rulesets[0].seats.length)) return; // another edition
    players.value = usual();
    showSeats();
  });
  showSeats();
  const wrong = element("p", { class: "wrong", role: "alert" });
  const waiting = element("p", { class: "muted waiting", "aria-live": "polite" });
  const go = element("button", { class: "go" }, "Open the table");
  go.addEventListener("click", (event) => event.detail > 1 && event.preventDefault()); // of a double click, one is enough
  const form = element(
    "form", { "aria-label": "New table" }, ...(game.rulesets.length > 1 ? [field("Rules", ruleset)] : []), ...(counts.length > 1 ? [field("Players", players)] : []), seats,
    paced, moreOptions(
      ...(game.turn_limit ? [field("Turns at most", limit)] : []), field("Seed", seed), field("Study game", element("span", {}, study, " undo anything; the record notes it")),
      ...(game.own_dice ? [field("Own dice", element("span", {}, ownDice, " you roll and draw, and enter it"))] : []),
      social.fields, watch.fields,
    ), go, waiting, wrong,
  );
  const open = async (wish) => {
    if (!(await ask("api/options")).games[name].ready) waiting.textContent = `The rules of ${game.title} are being compiled, once, about 20 s …`;
    const opened = await ask("api/tables", wish);
    const title = ruleset.selectedOptions[0].textContent;
    keepGame({ table: opened.table, game: game.title, ruleset: title, over: false, links: linksOf(opened) });
    const tokens = Object.values(opened.tokens);
    if (tokens.length === 1) {
      location.assign(linkOf(opened.table, tokens[0])); // nobody else is waited for
      return new Promise(() => {}); // nothing more is pressed here
    }
    go.textContent = "Open another table";
    showLinks(links, opened, "The table is open");
    await refresh();
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (go.disabled) return;
    wrong.textContent = "";
    const changes = [players.value === usual() ? "" : `players=${players.value}`, limit.value && `max_turns=${limit.value}`].filter(Boolean);
    const spec = changes.length ? `${ruleset.value}:${changes.join(",")}` : ruleset.value;
    const chosen = Object.fromEntries([...seats.querySelectorAll("select")].map((who) => [who.name, specOf(who)]));
    const wish = { game: name, ruleset: spec, seats: chosen, seed: seed.value.trim() || null, study: study.checked, own_dice: ownDice.checked, watch: watch.wishes, ...social.wishesFor(chosen) };
    if (!people()) wish.pace = valueOf(pace);
    go.disabled = true;
    await underWay(open(wish)).catch((error) => (wrong.textContent = sentenceOf(error)));
    waiting.textContent = "";
    go.disabled = false;
  });
  return form;
}

// Who plays a seat: a person, or a bot with its parameters.
function seatField(bots, name, title, chosen) {
  const who = select([[PERSON, "A person"], ...bots.flatMap(namesOf)], chosen);
  who.name = name;
  const parameters = element("input", { class: "parameters", "aria-label": `Parameters of the bot of ${title}`, maxlength: 200 });
  const summary = element("small", { class: "muted" });
  const show = () => {
    const bot = bots.find((each) => namesOf(each).some(([spec]) => spec === who.value));
    summary.textContent = bot?.summary ?? "";
    summary.hidden = !bot;
    parameters.hidden = !bot?.parameters.length;
    parameters.value = "";
    const given = who.value.includes(":"); // then what is required is in the spec
    parameters.placeholder = (bot?.parameters ?? []).filter(({ required }) => !(given && required)).map(({ name: key, default: value }) => `${key}=${value ?? "…"}`).join(",");
    parameters.title = parameters.placeholder;
  };
  who.addEventListener("change", show);
  show();
  const made = field(title, who);
  made.append(parameters, summary);
  return made;
}

// The specs of a bot to choose from; one that needs a network also for any other network.
function namesOf({ name, specs }) {
  return [...specs.map((spec) => [spec, spec]), ...(specs.includes(name) ? [] : [[name, `${name}: another network`]])];
}

function specOf(who) {
  const parameters = who.parentElement.querySelector(".parameters").value.trim();
  return who.value !== PERSON && parameters ? `${who.value}${who.value.includes(":") ? "," : ":"}${parameters}` : who.value;
}

// The links for those who look on: what each shows, and how far behind it is.
class WatchLinks {
  constructor() {
    this.rows = element("div", { class: "rows" });
    const add = element("button", { type: "button" }, "Another link");
    add.addEventListener("click", () => this.add());
    this.fields = element("fieldset", {}, element("legend", {}, "Links for spectators"), this.rows, add);
    this.known = [];
    this.add();
  }

  set seats(seats) {
    this.known = seats;
    for (const row of this.rows.children) this.fill(row.querySelector("select"));
  }

  fill(view) {
    const before = view.value;
    view.replaceChildren(...[[PUBLIC, "what everybody sees"], ...this.known.map(({ name, title }) => [name, `the hand of ${title}`])].map(([value, words]) => element("option", { value }, words)));
    view.value = [...view.options].some(({ value }) => value === before) ? before : PUBLIC;
  }

  add() {
    if (this.rows.children.length >= MOST_LINKS) return;
    const view = element("select", { "aria-label": "A link shows" });
    const delay = element("input", { inputmode: "numeric", pattern: "[0-9]*", value: "0", "aria-label": "Actions behind", class: "delay" });
    const away = element("button", { type: "button", "aria-label": "Remove this link" }, "×");
    const row = element("p", { class: "row" }, view, delay, element("span", { class: "muted" }, "actions behind"), away);
    away.addEventListener("click", () => row.remove());
    this.rows.append(row);
    this.fill(view);
  }

  get wishes() {
    return [...this.rows.children].map((row) => ({ view: row.querySelector("select").value, delay: valueOf(row.querySelector("input")) }));
  }
}

function showLinks(links, opened, head) {
  links.replaceChildren(
    element("h2", {}, head), element("p", { class: "muted" }, "Sit down, and send the other people their links. Whoever has the link of a seat can play it. Keep your link: it leads back to your seat."),
    ...linkLines(opened),
  );
  links.querySelector("a")?.focus({ preventScroll: true });
}

function joinForm() {
  const link = element("input", { "aria-label": "Link", placeholder: "https://…/table/…#…" });
  const wrong = element("p", { class: "wrong", role: "alert" });
  const form = element("form", { "aria-label": "Join" }, field("Link", link), element("button", {}, "Sit down"), wrong);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [, path] = link.value.match(/\/(table\/[^/#\s]+#\S+)/) ?? [];
    if (path) location.assign(path);
    else wrong.textContent = "This is not the link of a table. Copy the whole link, with the part after #.";
  });
  return form;
}

async function showTables(list, mine, after = null) {
  const { tables, next } = await ask(`api/tables${after === null ? "" : `?after=${encodeURIComponent(after)}`}`);
  const lines = tables.map(({ id, game, ruleset, turn, over, study, seats }) => {
    const who = seats.map(({ title, kind }) => `${title}: ${kind}`).join(", ");
    return element("li", {}, element("b", {}, id), `${game}, ${ruleset}, ${over ? "over in" : ""} turn ${turn}${study ? ", study" : ""}`, element("span", { class: "muted" }, who));
  });
  if (after === null) showMine(mine, tables);
  if (after === null) list.replaceChildren(...(lines.length ? lines : [element("li", {}, "None yet.")]));
  else list.append(...lines);
  if (next === null) return;
  const more = element("button", { type: "button" }, "More tables");
  more.addEventListener("click", async () => {
    more.disabled = true;
    await showTables(list, mine, next).then(() => more.remove(), () => (more.disabled = false));
  });
  list.append(more);
}

function showMine(part, tables) {
  const games = myGamesList(new Map(tables.map((each) => [each.id, each])));
  const [newest, older] = [games.slice(0, FEW), games.slice(FEW)];
  const list = (lines) => element("ul", { class: "tables" }, ...lines);
  const more = older.length ? [element("details", {}, element("summary", {}, counted(older.length, "older game")), list(older))] : [];
  part.replaceChildren(...(games.length ? [element("h2", {}, "My games"), list(newest), ...more] : []));
}
