// Which page this is: a table, the analysis board, tournaments, or the start.
import { element, pathHere, sentenceOf, showFailure } from "./elements.js";
import { Failure, Wire, ask } from "./wire.js";

const WAIT = 5000; // milliseconds between two attempts to load a page that failed
const TICK = 500;

const path = pathHere();
const [, id] = path.match(/^table\/([^/]+)/) ?? [];
if (id) addEventListener("hashchange", () => location.reload()); // the link of another seat, or the rest of a link
if (path !== "study") addEventListener("pageshow", ({ persisted }) => persisted && location.reload()); // Back shows what is new
try {
  if (id) {
    const token = location.hash.slice(1);
    if (!token) throw new Error("the link is not complete: its part after # is missing, which opens a seat. Copy the whole link");
    const wire = new Wire(id, token);
    const board = await ask(`api/tables/${id}/board`);
    if (board.drawn) (await load("./drawn.js")).openDrawn(board, wire);
    else (await load("./war_of_the_ring/table.js")).openTable(board, wire);
  } else if (path === "study") {
    const { openStudy } = await load("./analysis_board/study.js");
    await openStudy();
  } else if (path.startsWith("tournaments")) {
    const { openTournaments } = await load("./tournaments.js");
    await openTournaments();
  } else {
    const { openStart } = await load("./start/start.js");
    await openStart();
  }
} catch (error) {
  showFailure("The page cannot be shown", [sentenceOf(error)]);
  if (error.passing) tryAgain();
}

function load(module) {
  return import(module).catch((error) => {
    throw error instanceof TypeError ? new Failure() : error; // of a file that does not arrive
  });
}

// Loads the page again as soon as the server answers; a reload without an answer would end here for good.
function tryAgain() {
  let due = Date.now() + WAIT;
  const words = element("span", {});
  const now = element("button", { type: "button" }, "Try now");
  const attempt = async () => {
    due = null;
    show();
    const answers = await fetch(document.baseURI).then(({ ok }) => ok, () => false);
    if (answers) return location.reload();
    due = Date.now() + WAIT;
  };
  const show = () => {
    now.hidden = due === null;
    words.textContent = due === null ? "Trying again now …" : `Trying again in ${Math.max(0, Math.ceil((due - Date.now()) / 1000))} s. `;
    if (due !== null && due <= Date.now()) attempt();
  };
  now.addEventListener("click", attempt);
  document.body.append(element("div", { class: "failure" }, element("p", {}, words, now)));
  setInterval(show, TICK);
  show();
}
