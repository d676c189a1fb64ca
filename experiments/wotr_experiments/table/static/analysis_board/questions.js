// Questions of the analysis board to the server: each holds the whole line, and a newer one may end it by its signal.
import { ask, underWay } from "../wire.js";

export function askStudy(what, body, signal) {
  return underWay(ask(`api/study/${what}`, body, { kind: what === "record" ? "text" : "json", signal }));
}
