// Which page this is: a table, or the start.
import { element } from "./elements.js";

const [, id] = location.pathname.match(/^\/table\/([^/]+)/) ?? [];
try {
  if (id) {
    const { openTable } = await import("./table.js");
    await openTable(id, location.hash.slice(1));
  } else {
    const { openStart } = await import("./start.js");
    await openStart();
  }
} catch (error) {
  document.body.append(element("p", { class: "failure", role: "alert" }, `The page cannot be shown: ${error.message}`));
}
