// After the end: the record to keep, and the game once more position by position.
import { answer } from "./controls.js";
import { element } from "../elements.js";
import { MAX_CORRUPTION, SIDES, TO_WIN } from "./panels.js";
import { reviewSteps } from "../review.js";
import { download } from "../wire.js";

export function afterwards(table) {
  const { number, own_dice: ownDice, result: { winner }, picture: { turn, victory_points: points, fellowship } } = table.state;
  const score = SIDES.map((side) => `${table.panels.side(side)} ${points[side]} of ${TO_WIN[side]}`).join(", ");
  return [element(
    "section", { class: `card-form ending ${winner}`, "aria-label": "The end" },
    element("h2", { class: "side" }, table.ending()),
    element("p", { class: "muted" }, `Turn ${turn}. Victory points: ${score}. Corruption ${fellowship.corruption} of ${MAX_CORRUPTION}.`),
    element("div", { class: "answers" }, ...table.people.again(answer), answer("Review from the start", () => table.look(0)), ...(ownDice ? [] : [answer("Download the record", () => download(table).catch((error) => table.fail(error)))])),
    reviewSteps(table, number),
  ), table.luck()];
}
