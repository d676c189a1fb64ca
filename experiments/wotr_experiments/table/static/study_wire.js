// Questions of the analysis board to the server: each holds the whole line, and a newer one may end it by its signal.
export async function askStudy(what, body, signal) {
  const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal };
  const answer = await fetch(`/api/study/${what}`, sent);
  if (what === "record" && answer.ok) return answer.text();
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error ?? `the server answers ${answer.status}`);
  return said;
}
