// Questions of the analysis board to the server: each holds the whole line, and a newer one may end it by its signal.
let asked = 0; // and not answered, and addresses that do not follow yet; the body tells programs that drive the page whether there are any

export async function askStudy(what, body, signal) {
  count(1);
  try {
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
    const answer = await fetch(`api/study/${what}`, sent).catch((error) => {
      throw error.name === "AbortError" ? error : new Error("The server does not answer.");
    });
    if (answer.ok) return await (what === "record" ? answer.text() : answer.json());
    const said = await answer.json().catch(() => ({}));
    throw new Error(said.error ?? `the server answers ${answer.status}`);
  } finally {
    count(-1);
  }
}

export function count(more) {
  asked += more;
  document.body.dataset.busy = asked > 0;
}
