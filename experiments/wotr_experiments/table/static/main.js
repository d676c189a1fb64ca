// Which page this is: a table, the analysis board, tournaments, or the start.
import { element } from "./elements.js";

const [, id] = location.pathname.match(/^\/table\/([^/]+)/) ?? [];
try {
  if (id) {
    const { openTable } = await import("./table.js");
    await openTable(id, location.hash.slice(1));
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
