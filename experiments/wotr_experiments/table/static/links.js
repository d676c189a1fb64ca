// The links of a table: what they are for, how they are copied, and what spectators see by them.
import { copyText, counted, element } from "./elements.js";
import { forgetGame, linksOf, myGames } from "./mine.js";

const PUBLIC = "public";
const ALL = "all";

export function linkOf(table, token) {
  return new URL(`table/${table}#${token}`, document.baseURI).href;
}

export function linkLines(opened) {
  return linksOf(opened).map((link) => {
    const url = linkOf(opened.table, link.token);
    return element("p", {}, element("a", { href: url }, wordsOf(link)), element("code", {}, url), copyButton(url));
  });
}

function wordsOf({ seat, view, delay }) {
  if (seat !== null) return `Sit down as ${named(seat)}`;
  return `Watch${view === PUBLIC ? "" : ` with the hand of ${named(view)}`}${delay ? `, ${counted(delay, "action")} behind` : ""}`;
}

function named(name) {
  return name.replaceAll("_", " ").replace(/\b\w/g, (letter) => letter.toUpperCase());
}

// By what links others can look on, and what this page itself sees if it is such a link. A sign may stand before a hand.
export function lookerLines({ state }, titleOf, sign = () => []) {
  const whose = (name) => (name === ALL ? "the hands of all" : `the hand of ${titleOf(name)}`);
  const shown = ({ view, delay }) => [
    view === PUBLIC ? "what everybody sees" : element("b", { class: "open-hand" }, ...sign(), whose(view)),
    delay && !state.result ? `, ${counted(delay, "action")} behind` : "",
  ];
  const line = (words, parts) => element("p", { class: "lookers" }, element("span", { class: "label" }, words), element("span", {}, ...parts));
  const groups = [...Map.groupBy(state.links, ({ view, delay }) => `${view} ${delay}`).values()];
  const others = groups.flatMap((same, place) => [place ? "; " : "", ...shown(same[0]), same.length > 1 ? ` (${counted(same.length, "link")})` : ""]);
  return [
    ...(state.seat === null ? [line("You see:", shown(state))] : []),
    ...(groups.length ? [line("Links for spectators:", others)] : []),
  ];
}

function copyButton(url, words = "Copy") {
  const copy = element("button", { type: "button" }, words);
  copy.addEventListener("click", async () => {
    if (await copyText(url, "The link")) copy.textContent = "Copied";
  });
  return copy;
}

// The games of this browser with all their links; tables are those that the server lists, by id.
export function myGamesList(tables) {
  return myGames().map(({ table, game, ruleset, over, links }) => {
    const listed = tables.get(table);
    const ended = listed?.over ?? over;
    const turn = listed?.turn ? `turn ${listed.turn}` : "";
    const words = [ruleset, ended ? `over${turn && ` in ${turn}`}` : turn].filter(Boolean).join(", ");
    const gone = element("button", { type: "button", class: "gone", "aria-label": `Forget the table ${table}`, title: "Remove it from this list; its links still work" }, "Forget");
    gone.addEventListener("click", () => {
      const takeBack = forgetGame(table);
      const before = [...line.childNodes];
      const undo = element("button", { type: "button", class: "gone" }, "Undo");
      undo.addEventListener("click", () => {
        takeBack();
        line.replaceChildren(...before);
        gone.focus();
      });
      line.replaceChildren(element("span", { class: "muted", role: "status" }, `${game}: forgotten`), undo);
      undo.focus();
    });
    const line = element(
      "li", { "data-table": table }, element("b", {}, game), element("span", { class: "muted" }, words),
      ...links.map((link) => element("span", { class: "mine-link" }, element("a", { href: linkOf(table, link.token) }, wordsOf(link)), copyButton(linkOf(table, link.token), "Copy link"))), gone,
    );
    return line;
  });
}
