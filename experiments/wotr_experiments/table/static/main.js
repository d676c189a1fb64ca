// Which page this is: a table, the analysis board, tournaments, or the start.
import { capital, pathHere, showFailure } from "./elements.js";
import { Wire, ask } from "./wire.js";

const path = pathHere();
const [, id] = path.match(/^table\/([^/]+)/) ?? [];
if (path !== "study") addEventListener("pageshow", ({ persisted }) => persisted && location.reload()); // Back shows what is new
try {
  if (id) {
    const token = location.hash.slice(1);
    if (!token) throw new Error("the link is not complete: its part after # is missing, which opens a seat. Copy the whole link");
    const wire = new Wire(id, token);
    const board = await ask(`api/tables/${id}/board`);
    if (board.drawn) (await import("./drawn.js")).openDrawn(board, wire);
    else (await import("./war_of_the_ring/table.js")).openTable(board, wire);
  } else if (path === "study") {
    const { openStudy } = await import("./analysis_board/study.js");
    await openStudy();
  } else if (path.startsWith("tournaments")) {
    const { openTournaments } = await import("./tournaments.js");
    await openTournaments();
  } else {
    const { openStart } = await import("./start/start.js");
    await openStart();
  }
} catch (error) {
  showFailure("The page cannot be shown", [`${capital(error.message)}.`]);
}
