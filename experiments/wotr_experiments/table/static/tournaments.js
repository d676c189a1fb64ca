// Folders of tournaments: the list, and of one its tables, ratings and games, each game a link to the analysis board.
import { element, pathHere, sentenceOf, shape } from "./elements.js";
import { ask, underWay } from "./wire.js";

const AGAIN = 15_000; // milliseconds until the games of a tournament that is being played are looked at again
const MARGIN = 0.06; // of the chart, beside the outermost interval
const STEP = 11; // pixels between the ratings of a bot

export async function openTournaments() {
  const [, id] = pathHere().match(/^tournaments\/(\d+)/) ?? [];
  const sheet = element("link", { rel: "stylesheet", href: new URL("study.css", import.meta.url).pathname });
  document.head.append(sheet);
  const page = element("div", { class: "start tournament" });
  document.body.append(page);
  if (id) await openOne(page, id);
  else await openList(page);
}

async function openList(page) {
  document.title = "Tournaments";
  const { tournaments } = await ask("api/tournaments");
  const lines = tournaments.map(({ id, game, ruleset, bots, games, total }) => element(
    "li", {}, element("a", { href: `tournaments/${id}` }, bots.join(", ")), element("span", {}, count(games, total)), element("span", { class: "muted" }, `${game}, ${ruleset}`),
  ));
  const none = element("p", { class: "muted" }, "This server shows no tournaments. Start it with --tournament FOLDER.");
  page.append(...links(), element("h1", {}, "Tournaments"), lines.length ? element("ul", { class: "tables" }, ...lines) : none);
}

async function openOne(page, id) {
  const tables = element("div", {});
  const list = element("tbody", {});
  const more = element("button", {}, "More games");
  const games = wide("Games", element("table", { class: "results games-table" }, element("thead", {}), list));
  const wrong = element("p", { class: "wrong", role: "alert" });
  page.append(...links(), tables, element("h2", {}, "Games"), games, more, wrong);
  let shown = 0;
  let adds = false;
  let heads = [];
  const show = async () => {
    const found = await ask(`api/tournaments/${id}`);
    document.title = `Tournament: ${found.bots.join(", ")}`;
    tables.replaceChildren(
      element("h1", {}, found.bots.join(" · ")), element("p", { class: "muted" }, `${found.game}, ${found.ruleset}; ${count(found.games, found.total)}`),
      element("h2", {}, "Bots"), resultTable(found),
      element("h2", {}, "Ratings"), ratingChart(found), element("p", { class: "muted" }, `Elo with intervals of 95 %; ${found.advantage}.`),
      ...(found.cross.length ? [element("h2", {}, "Cross table"), crossTable(found), element("p", { class: "muted" }, "Score of the row against the column over both sides.")] : []),
      element("h2", {}, "How games ended"), element("p", {}, Object.entries(found.ends).filter(([, number]) => number).map(([end, number]) => `${end}: ${number}`).join(", ") || "none yet"),
    );
    heads = ["game", "winner", "by", ...found.cells, "decisions"];
    games.querySelector("thead").replaceChildren(row("th", heads));
    more.hidden = found.games <= shown;
    return found;
  };
  const add = async () => {
    if (adds) return;
    adds = true;
    try {
      const { games: some, left } = await ask(`api/tournaments/${id}/games?after=${shown}`);
      shown += some.length;
      const rows = some.map((game) => gameRow(id, game));
      for (const made of rows) heads.forEach((head, place) => (made.children[place].dataset.head = head)); // a phone shows no heads
      list.append(...rows);
      more.hidden = left === 0;
    } finally {
      adds = false;
    }
  };
  const tell = (work) => work.then(() => (wrong.textContent = ""), (error) => (wrong.textContent = sentenceOf(error)));
  more.addEventListener("click", () => tell(underWay(add())));
  const { games: number, total } = await show();
  await add();
  if (total === null || number < total) setInterval(() => document.hidden || tell(show()), AGAIN);
}

function links() {
  return [element("p", { class: "links-row" }, element("a", { href: "./" }, "Tables"), element("a", { href: "study" }, "Analysis board"), element("a", { href: "tournaments" }, "Tournaments"))];
}

function count(games, total) {
  return total === null || games === total ? `${games} games` : `${games} of ${total} games so far`;
}

// A table that is scrolled by itself if it is wider than the page.
function wide(name, made) {
  return element("div", { class: "wide", role: "region", tabindex: "0", "aria-label": name }, made);
}

function row(tag, cells) {
  return element("tr", {}, ...cells.map((cell) => element(tag, {}, cell)));
}

function table(head, rows) {
  return wide("Results", element("table", { class: "results" }, element("thead", {}, row("th", head)), element("tbody", {}, ...rows)));
}

function share({ share: value, games, interval_95: [low, high] }) {
  return games ? `${percent(value)} (${percent(low)} to ${percent(high)})` : "–";
}

function percent(value) {
  return `${(100 * value).toFixed(1)} %`;
}

function resultTable({ results, teams }) {
  const rows = results.map(({ bot, wins, forfeits, ...of }) => {
    const lost = Object.values(forfeits).reduce((sum, number) => sum + number, 0);
    return row("td", [bot, share(wins), ...teams.map(({ name }) => share(of[`wins_as_${name}`])), lost]);
  });
  return table(["bot", "wins (95 %)", ...teams.map(({ title }) => `as ${title}`), "forfeits"], rows);
}

// A line by bot: its ratings over both sides and on each, with their intervals on one scale.
function ratingChart({ ratings, teams }) {
  const keys = ["both", ...teams.map(({ name }) => name)];
  const ends = ratings.flatMap((bot) => keys.flatMap((key) => bot[key].interval_95));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const room = MARGIN * (high - low || 1);
  const height = 7 + STEP * keys.length;
  const x = (elo) => `${((100 * (elo - low + room)) / (high - low + 2 * room)).toFixed(2)}%`;
  const ranked = [...ratings].sort((one, other) => other.both.elo - one.both.elo);
  const rows = ranked.map((bot) => {
    const marks = keys.flatMap((key, place) => {
      const { elo, interval_95: [from, to] } = bot[key];
      const y = 9 + STEP * place;
      const words = `${bot.bot}, ${place ? `as ${teams[place - 1].title}` : "both sides"}: ${elo.toFixed(0)} (${from.toFixed(0)} to ${to.toFixed(0)})`;
      return [shape("g", { class: place ? `team-${place - 1}` : "both" }, shape("title", {}, words), shape("line", { x1: x(from), x2: x(to), y1: y, y2: y }), shape("circle", { cx: x(elo), cy: y, r: place ? 3 : 4.5 }))];
    });
    const zero = shape("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height });
    return element("tr", {}, element("td", {}, bot.bot), element("td", {}, bot.both.elo.toFixed(0)), element("td", { class: "chart" }, shape("svg", { width: "100%", height }, zero, ...marks)));
  });
  const key = element("p", { class: "key" }, element("span", {}, "● both sides"), ...teams.map(({ title }, place) => element("span", { class: `side team-${place}` }, `● as ${title}`)));
  return element("div", {}, table(["bot", "Elo", `${low.toFixed(0)} to ${high.toFixed(0)}`], rows), key);
}

function crossTable({ bots, cross }) {
  const rows = bots.map((bot, place) => {
    const made = row("td", [bot, ...cross[place].map((score) => (score === null ? "–" : percent(score)))]);
    cross[place].forEach((score, column) => {
      if (score === null) return;
      const colour = score >= 0.5 ? "var(--free_peoples)" : "var(--shadow)";
      made.children[column + 1].style.background = `color-mix(in srgb, ${colour} ${Math.round(80 * Math.abs(score - 0.5))}%, transparent)`;
    });
    return made;
  });
  return table(["", ...bots], rows);
}

function gameRow(id, { pairing, number, players, winner, reason, cells, decisions }) {
  const words = players.map(({ bot, seat }) => `${bot} (${seat})`).join(" – ");
  const link = element("a", { href: `study?tournament=${id}&game=${pairing}.${number}` }, words, element("span", { class: "muted" }, ` #${number + 1}`));
  return row("td", [link, winner ?? "draw", reason, ...cells, decisions]);
}
