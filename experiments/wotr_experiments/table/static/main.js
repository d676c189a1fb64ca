// Which page this is: a table, the analysis board, tournaments, or the start.
import { element } from "./elements.js";
import { Wire, ask } from "./wire.js";

const [, id] = location.pathname.match(/^\/table\/([^/]+)/) ?? [];
try {
  if (id) {
    const wire = new Wire(id, location.hash.slice(1));
    const board = await ask(`/api/tables/${id}/board`);
    if (board.drawn) (await import("./drawn.js")).openDrawn(board, wire);
    else (await import("./table.js")).openTable(board, wire);
  } else if (location.pathname === "/study") {
    const { openStudy } = await import("./study.js");
    await openStudy();
  } else if (location.pathname.startsWith("/tournaments")) {
    const { openTournaments } = await import("./tournaments.js");
    await openTournaments();
  } else {
    const { openStart } = await import("./start.js");
    await openStart();
  }
} catch (error) {
  document.body.append(element("p", { class: "failure", role: "alert" }, `The page cannot be shown: ${error.message}`));
}
