// The start page: a new table, the links of its seats, the tables there are, and joining by a link.
import { counted, element } from "./elements.js";
import { ask } from "./wire.js";

const GAME = "war-of-the-ring";
const PERSON = "person";

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
  const seats = element("fieldset", {});
  const bots = [[PERSON, "A person"], ...game.bots.map(({ name, summary }) => [name, `${name}: ${short(summary)}`])];
  const showSeats = () => {
    const shown = game.players[players.value] ?? game.rulesets.find(({ name }) => name === ruleset.value).seats;
    seats.replaceChildren(element("legend", {}, "Who plays"), ...shown.map(({ name, title }, place) => {
      const usual = game.bots.find((bot) => bot.name === "scripted") ?? game.bots[0];
      const who = select(bots, place === 0 ? PERSON : usual.name);
      who.name = name;
      return field(title, who);
    }));
  };
  players.addEventListener("change", showSeats);
  showSeats();
  const wrong = element("p", { class: "wrong", role: "alert" });
  const form = element(
    "form", { "aria-label": "New table" }, field("Rules", ruleset), field("Players", players), seats, field("Turns at most", limit), field("Seed", seed),
    field("Study game", element("span", {}, study, " undo anything; the record says so")), element("button", { class: "go" }, "Open the table"), wrong,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    wrong.textContent = "";
    const changes = [players.value === "2" ? "" : `players=${players.value}`, limit.value && `max_turns=${limit.value}`].filter(Boolean);
    const spec = changes.length ? `${ruleset.value}:${changes.join(",")}` : ruleset.value;
    const chosen = Object.fromEntries([...seats.querySelectorAll("select")].map(({ name, value }) => [name, value]));
    try {
      const opened = await ask("/api/tables", { ruleset: spec, seats: chosen, seed: seed.value ? Number(seed.value) : null, study: study.checked });
      showLinks(links, opened);
      await showTables(list);
    } catch (error) {
      wrong.textContent = error.message;
    }
  });
  return form;
}

function short(summary) {
  return summary.length > 60 ? `${summary.slice(0, 58)}…` : summary;
}

function showLinks(links, { table, tokens, watch }) {
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
    ...Object.entries(tokens).map(([seat, token]) => line(`Sit down as ${seat.replaceAll("_", " ")}`, token)), line("Look on", watch),
  );
  links.querySelector("a").focus();
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

async function showTables(list) {
  const { tables } = await ask("/api/tables");
  const lines = tables.map(({ id, ruleset, turn, over, study, seats }) => {
    const who = seats.map(({ title, kind }) => `${title}: ${kind}`).join(", ");
    return element("li", {}, element("b", {}, id), `${ruleset}, ${over ? "over in" : ""} turn ${turn}${study ? ", study" : ""}`, element("span", { class: "muted" }, who));
  });
  list.replaceChildren(...(lines.length ? lines : [element("li", {}, "None yet.")]));
}
