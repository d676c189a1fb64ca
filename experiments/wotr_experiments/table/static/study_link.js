// The links from a table to the analysis board.
import { element } from "./elements.js";

const WITHOUT_A_SEAT = ["public", "all"];

export function studyLink({ id, token }) {
  return element("a", { id: "do-study", href: `study?table=${id}#${token}`, hidden: "" }, "Study");
}

// In the panel of luck after the end of a game: bots judge its choices there.
export function choicesLink({ id, token }) {
  return element("p", { class: "muted" }, element("a", { href: `study?table=${id}&tab=bots#${token}` }, "Study costly choices"), " on the analysis board.");
}

// Whether the analysis board opens a table in this state for who sees it; positions: whether those of the game can be written.
export function mayStudy({ own_dice: ownDice, result, study, view }, positions = true) {
  return !ownDice && (result !== null || (study && positions && !WITHOUT_A_SEAT.includes(view)));
}
