// A bot for War of the Ring in JavaScript, without packages: stdio:node docs/protocol/weighing_bot.js
// It weighs the names of actions by its seat, and draws one by its weight.
const readline = require("node:readline");

const WEIGHTS = [
  { "plan:move-fellowship": 20, "plan:attack": 20, "verb:continue": 20, "verb:whole-army": 20, "plan:skip": 0.1 },
  { "plan:attack": 20, "verb:continue": 20, "verb:whole-army": 20, "plan:move-armies": 4, "plan:skip": 0.1 },
];
const REGIONS = { "minas-tirith": 20, "helms-deep": 10, lorien: 10, rivendell: 10, "dol-amroth": 5, dale: 5, erebor: 5 };

let state = 1;
function random() { // mulberry32
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function weight(name, shadow) {
  const region = name.startsWith("region:") && shadow ? REGIONS[name.slice(7)] : undefined;
  return region ?? WEIGHTS[shadow ? 1 : 0][name] ?? 1;
}

function choose(decision) {
  const weights = decision.legal.map((name) => weight(name, decision.seat % 2 === 1));
  let left = random() * weights.reduce((sum, each) => sum + each, 0);
  const place = weights.findIndex((each) => (left -= each) < 0);
  return decision.legal[place < 0 ? 0 : place];
}

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    state = message.seed | 0;
    say({ type: "ready", version: 1, name: "weighing", batch: true, wants: [] });
  } else if (message.type === "decide") {
    say({ type: "actions", id: message.id, actions: message.decisions.map(choose) });
  } else if (message.type === "end") {
    process.exit(0);
  }
});
