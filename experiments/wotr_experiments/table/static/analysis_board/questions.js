// Questions of the analysis board to the server: each holds the whole line, and a newer one may end it by its signal.
import { underWay } from "../wire.js";

export function askStudy(what, body, signal) {
  return underWay(answerTo(what, body, signal));
}

async function answerTo(what, body, signal) {
  const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  const answer = await reach(fetch(`api/study/${what}`, sent));
  if (answer.ok) return what === "record" ? answer.text() : answer.json();
  const said = await answer.json().catch(() => ({}));
  throw new Error(said.error ?? `the server answers ${answer.status}`);
}

// The answer of the server, whatever it is, unless the request is ended.
export function reach(answer) {
  return answer.catch((error) => {
    throw error.name === "AbortError" ? error : new Error("The server does not answer.");
  });
}
