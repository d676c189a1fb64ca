// Shows which action a network chooses in each position of positions.json, and the chance to win of the team that
// decides. The network runs in the browser. For files of other names: play.html?network=FILE&positions=FILE.
import * as ort from "./node_modules/onnxruntime-web/dist/ort.wasm.min.mjs";

const { searchParams } = new URL(document.location);

function best(logits, actions) {
  return Object.keys(actions).map(Number).reduce((one, other) => (logits[other] > logits[one] ? other : one));
}

// The value of a position to the first team, from -1 to 1: the mean of the values of the ends.
function valueOf(endLogits, endValues) {
  const top = Math.max(...endLogits);
  const weights = Array.from(endLogits, (each) => Math.exp(each - top));
  const sum = weights.reduce((one, other) => one + other);
  return weights.reduce((value, weight, end) => value + (weight / sum) * endValues[end], 0);
}

function show({ question, actions }, action, chance) {
  const row = document.querySelector("tbody").insertRow();
  Object.assign(row.dataset, { action, chance });
  for (const words of [question, actions[action], `${(100 * chance).toFixed(1)}%`]) row.insertCell().textContent = words;
}

async function main() {
  const network = await (await fetch(searchParams.get("network") ?? "network.onnx")).arrayBuffer();
  const played = await (await fetch(searchParams.get("positions") ?? "positions.json")).json();
  const session = await ort.InferenceSession.create(network);
  for (const position of played.positions) {
    const inputs = new ort.Tensor("int8", Int8Array.from(position.inputs), [1, position.inputs.length]);
    const { logits, end_logits: endLogits } = await session.run({ observations: inputs });
    const value = valueOf(endLogits.data, played.end_values);
    show(position, best(logits.data, position.actions), 0.5 + 0.5 * (position.team === 0 ? value : -value));
  }
  return `${played.positions.length} positions of ${played.game}`;
}

const status = document.querySelector("#status");
ort.env.wasm.numThreads = 1; // several threads need a server that isolates the page
main().then(
  (words) => Object.assign(status, { textContent: words }),
  (error) => Object.assign(status, { textContent: `This failed: ${error.message}` }),
).finally(() => Object.assign(document.body.dataset, { done: true }));
