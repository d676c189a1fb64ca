// Which page this is: a table, the analysis board, tournaments, or the start.
import { element } from "./elements.js";
import { ask } from "./wire.js";

// The modules of a table, so that all are on their way at once and not each when another has told of it.
const OF_A_TABLE = [
  "answers", "battle", "cards", "choose", "controls", "figures", "gestures", "glyphs", "keys", "log", "map", "panels", "plans",
  "record", "seats", "settings", "sounds", "steps", "table", "ways",
];

const [, id] = location.pathname.match(/^\/table\/([^/]+)/) ?? [];
try {
  if (id) {
    const facts = Promise.all([ask(`/api/tables/${id}/board`), ask("/api/options")]);
    document.head.append(...OF_A_TABLE.map((name) => element("link", { rel: "modulepreload", href: `/static/${name}.js` })));
    const { openTable } = await import("./table.js");
    openTable(...(await facts), id, location.hash.slice(1));
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
