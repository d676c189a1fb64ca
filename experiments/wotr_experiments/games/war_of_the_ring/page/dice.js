// Own dice: what was rolled and drawn on people's own table is entered here, or left to the computer.
import { answer } from "./controls.js";
import { capital, element } from "../elements.js";
import { CHOICES } from "../log.js";

// What is waited for: the outcomes one after the other, sent when they are all there.
export function diceCard(table) {
  const { dice } = table.state;
  const entered = enteredOf(table);
  const names = new Map(dice.possible.map(({ value, words }) => [value, words]));
  const enter = (value) => {
    entered.push(value);
    if (entered.length === dice.number) send(table, entered.splice(0));
    table.show();
  };
  const shown = [...new Map(dice.possible.map(({ value, words }) => [words, value])).entries()];
  const buttons = shown.map(([words, value]) => {
    const made = answer(words, () => enter(value), { kind: `outcome ${/^\d$/.test(words) ? "pips-die" : ""}` });
    made.dataset.outcome = value;
    return made;
  });
  const rolled = element("ol", { class: "entered", "aria-label": "Entered so far" }, ...Array.from({ length: dice.number }, (_, place) => {
    return element("li", {}, place < entered.length ? names.get(entered[place]) : "·");
  }));
  const back = element("button", { "data-name": "dice-back" }, "Remove the last one");
  back.disabled = !entered.length;
  back.addEventListener("click", () => {
    entered.pop();
    table.show();
  });
  const computer = element("button", { "data-name": "dice-computer" }, dice.number > 1 ? "The computer rolls them all" : "The computer decides");
  computer.addEventListener("click", () => send(table, null));
  return element(
    "div", { class: "card-form dice-card" },
    element("h2", {}, capital(dice.text)), ...whatFor(table), ...(dice.number > 1 ? [rolled] : []),
    element("div", { class: "answers" }, ...buttons), element("div", { class: "answers" }, back, computer),
  );
}

// The choices that lead to these dice: those since the seat's last die, and the one that waits.
function whatFor(table) {
  const { told, state: { dice: { seat, choice }, picture } } = table;
  const last = told.findLastIndex(({ opens, tone, seat: whose }) => opens || tone === "turn" || (CHOICES.includes(tone) && whose !== seat));
  const before = told.slice(Math.max(0, last)).filter(({ tone, seat: whose }) => CHOICES.includes(tone) && whose === seat);
  const words = [...before.map(({ text }) => text), ...(choice ? [choice] : [])];
  if (!words.length) return [];
  return [element("p", { class: `what-for ${picture.seats[seat].side}` }, element("b", { class: "side" }, table.seatTitle(seat)), `: ${words.join(" · ")}`)];
}

// What has been entered for the present question.
function enteredOf(table) {
  if (table.entered?.hash !== table.state.hash) table.entered = { hash: table.state.hash, values: [] };
  return table.entered.values;
}

function send(table, outcomes) {
  table.sendOnce({ type: "dice", outcomes });
}
