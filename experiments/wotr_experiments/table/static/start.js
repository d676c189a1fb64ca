// The start page: a new table, the links of its seats, the tables there are, and joining by a link.
import { counted, element } from "./elements.js";
import { ask } from "./wire.js";

const GAME = "war-of-the-ring";
const PERSON = "person";
const PUBLIC = "public";
const MOST_LINKS = 8;

export async function openStart() {
  const { games } = await ask("/api/options");
  const game = games[GAME];
  const links = element("section", { class: "links", "aria-live": "polite" });
  const list = element("ul", { class: "tables" });
  document.body.append(element(
    "div", { class: "start" },
    element("h1", {}, game.title), element("p", { class: "muted" }, "Play in the browser against bots or against each other."),
    element("p", {}, element("a", { href: "/study" }, "Analysis board"), " · ", element("a", { href: "/tournaments" }, "Tournaments")),
    newTable(game, links, list), links,
    element("h2", {}, "Join by a link"), joinForm(),
    element("h2", {}, "Tables"), list,
  ));
  await showTables(list);
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

function newTable(game, links, list) {
  const ruleset = select(game.rulesets.map(({ name, title }) => [name, title]), game.rulesets[0].name);
  const counts = Object.keys(game.players);
  const players = select(counts.map((count) => [count, counted(Number(count), "player")]), "2");
  const seed = element("input", { inputmode: "numeric", pattern: "[0-9]*", placeholder: "by chance" });
  const limit = element("input", { inputmode: "numeric", pattern: "[0-9]*", placeholder: "none" });
  const study = element("input", { type: "checkbox" });
  const ownDice = element("input", { type: "checkbox", "aria-label": "Own dice" });
  const pace = element("input", { inputmode: "decimal", value: "2" });
  const paced = field("Pace", element("span", {}, pace, " seconds from one seat to the next, while somebody looks on"));
  pace.setAttribute("aria-label", "Pace in seconds");
  const seats = element("fieldset", {});
  const watch = new WatchLinks();
  const people = () => [...seats.querySelectorAll("select")].some(({ value }) => value === PERSON);
  const showSeats = () => {
    const shown = game.players[players.value] ?? game.rulesets.find(({ name }) => name === ruleset.value).seats;
    const usual = game.bots.find((bot) => bot.name === "scripted") ?? game.bots[0];
    seats.replaceChildren(
      element("legend", {}, "Who plays"),
      ...shown.map(({ name, title }, place) => seatField(game.bots, name, title, place === 0 ? PERSON : usual.name)),
    );
    watch.seats = shown;
    paced.hidden = people();
  };
  seats.addEventListener("change", () => (paced.hidden = people()));
  players.addEventListener("change", showSeats);
  showSeats();
  const wrong = element("p", { class: "wrong", role: "alert" });
  const form = element(
    "form", { "aria-label": "New table" }, field("Rules", ruleset), field("Players", players), seats, field("Turns at most", limit), field("Seed", seed),
    field("Study game", element("span", {}, study, " undo anything; the record says so")), field("Own dice", element("span", {}, ownDice, " you roll and draw, and enter it; there is no record")),
    watch.fields, paced, element("button", { class: "go" }, "Open the table"), wrong,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    wrong.textContent = "";
    const changes = [players.value === "2" ? "" : `players=${players.value}`, limit.value && `max_turns=${limit.value}`].filter(Boolean);
    const spec = changes.length ? `${ruleset.value}:${changes.join(",")}` : ruleset.value;
    const chosen = Object.fromEntries([...seats.querySelectorAll("select")].map((who) => [who.name, specOf(who)]));
    const wish = { ruleset: spec, seats: chosen, seed: seed.value ? Number(seed.value) : null, study: study.checked, own_dice: ownDice.checked, watch: watch.wishes };
    if (!people()) wish.pace = Number(pace.value) || 0;
    try {
      const opened = await ask("/api/tables", wish);
      showLinks(links, opened);
      await showTables(list);
    } catch (error) {
      wrong.textContent = error.message;
    }
  });
  return form;
}

// Who plays a seat: a person, or a bot with its parameters.
function seatField(bots, name, title, chosen) {
  const who = select([[PERSON, "A person"], ...bots.map((bot) => [bot.name, `${bot.name}: ${short(bot.summary)}`])], chosen);
  who.name = name;
  const parameters = element("input", { class: "parameters", "aria-label": `Parameters of the bot of ${title}`, maxlength: 200 });
  const show = () => {
    const bot = bots.find((each) => each.name === who.value);
    parameters.hidden = !bot?.parameters.length;
    parameters.value = "";
    parameters.placeholder = (bot?.parameters ?? []).map(({ name: key, default: value }) => `${key}=${value ?? "…"}`).join(",");
    parameters.title = parameters.placeholder;
  };
  who.addEventListener("change", show);
  show();
  const made = field(title, who);
  made.append(parameters);
  return made;
}

function specOf(who) {
  const parameters = who.parentElement.querySelector(".parameters").value.trim();
  return who.value !== PERSON && parameters ? `${who.value}:${parameters}` : who.value;
}

// The links for those who look on: what each shows, and how far behind it is.
class WatchLinks {
  constructor() {
    this.rows = element("div", { class: "rows" });
    const add = element("button", { type: "button" }, "Another link");
    add.addEventListener("click", () => this.add());
    this.fields = element("fieldset", {}, element("legend", {}, "Looking on"), this.rows, add);
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
    const away = element("button", { type: "button", "aria-label": "Without this link" }, "×");
    const row = element("p", { class: "row" }, view, delay, element("span", { class: "muted" }, "actions behind"), away);
    away.addEventListener("click", () => row.remove());
    this.rows.append(row);
    this.fill(view);
  }

  get wishes() {
    return [...this.rows.children].map((row) => ({ view: row.querySelector("select").value, delay: Number(row.querySelector("input").value) || 0 }));
  }
}

function short(summary) {
  return summary.length > 60 ? `${summary.slice(0, 58)}…` : summary;
}

function showLinks(links, { table, tokens, links: looks }) {
  const line = (words, token) => {
    const url = new URL(`/table/${table}#${token}`, location.href).href;
    const copy = element("button", { type: "button" }, "Copy");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(url);
      copy.textContent = "Copied";
    });
    return element("p", {}, element("a", { href: url }, words), element("code", {}, url), copy);
  };
  links.replaceChildren(
    element("h2", {}, "The table is open"), element("p", { class: "muted" }, "Sit down yourself, and send the others their links. A link is its seat: keep it to come back."),
    ...Object.entries(tokens).map(([seat, token]) => line(`Sit down as ${seat.replaceAll("_", " ")}`, token)),
    ...looks.map(({ view, delay, token }) => line(`Look on${view === PUBLIC ? "" : ` with the hand of ${view.replaceAll("_", " ")}`}${delay ? `, ${counted(delay, "action")} behind` : ""}`, token)),
  );
  links.querySelector("a")?.focus();
}

function joinForm() {
  const link = element("input", { "aria-label": "Link", placeholder: "https://…/table/…#…" });
  const form = element("form", { "aria-label": "Join" }, field("Link", link), element("button", {}, "Sit down"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [, path] = link.value.match(/(\/table\/[^/#\s]+#\S+)/) ?? [];
    if (path) location.assign(path);
  });
  return form;
}

async function showTables(list, after = null) {
  const { tables, next } = await ask(`/api/tables${after === null ? "" : `?after=${encodeURIComponent(after)}`}`);
  const lines = tables.map(({ id, ruleset, turn, over, study, seats }) => {
    const who = seats.map(({ title, kind }) => `${title}: ${kind}`).join(", ");
    return element("li", {}, element("b", {}, id), `${ruleset}, ${over ? "over in" : ""} turn ${turn}${study ? ", study" : ""}`, element("span", { class: "muted" }, who));
  });
  if (after === null) list.replaceChildren(...(lines.length ? lines : [element("li", {}, "None yet.")]));
  else list.append(...lines);
  if (next === null) return;
  const more = element("button", { type: "button" }, "More tables");
  more.addEventListener("click", async () => {
    more.remove();
    await showTables(list, next);
  });
  list.append(more);
}
