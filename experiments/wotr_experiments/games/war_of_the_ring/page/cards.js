// The own hand as cards with their texts, and what lies open.
import { dieName, dieOf } from "./controls.js";
import { element } from "../elements.js";
import { icon } from "./glyphs.js";
import { byEnd, facesOf } from "./paths.js";

export function handCards(table, position) {
  const { hand = null, given = [] } = position.hands[table.state.seat] ?? {};
  if (hand === null) return [];
  const cards = hand.map((id) => handCard(table, position, id, given.includes(id)));
  return [element("div", { class: "cards" }, ...(cards.length ? cards : [element("p", { class: "muted" }, "No cards in hand.")]))];
}

function handCard(table, position, id, given) {
  const card = table.board.cards[id];
  const paths = table.choice.paths.filter((path) => path.card === id);
  const lit = paths.length > 0;
  const made = element(
    "button", { class: `card ${card.side} ${card.deck} ${lit ? "lit" : ""} ${given ? "given" : ""}`, "data-card": id, "aria-label": `${card.name}, ${card.icon} card: ${card.text}` },
    element("span", { class: "title" }, icon(card.icon), element("b", {}, card.name)),
    element("span", { class: "text" }, card.text),
    element("span", { class: "combat" }, `In battle: ${card.combatName}`),
  );
  made.addEventListener("click", () => {
    if (lit) table.takePaths(paths);
  });
  return element("div", { class: "card-place" }, made, ...playButtons(table, card, paths));
}

// A card is played at once by a button for each die that pays; the tip shows its whole text, so that they need a pointer.
function playButtons(table, card, paths) {
  const [end, ...others] = byEnd(paths);
  if (end?.plan !== "plan:play-card" || others.length) return [];
  const faces = facesOf(paths);
  const buttons = (faces.length ? faces : [null]).map((face, place) => {
    const words = `Play ${card.name}${face ? ` with the ${dieName(face)} die` : ""}: the card is shown`;
    const made = element("button", { class: "play", "data-play": end.card, "data-pay": face ?? "", "aria-label": words, title: words }, ...(place ? [] : ["Play "]), ...(face ? [dieOf(table, face)] : []));
    made.addEventListener("click", () => table.choice.perform(paths.find(({ die }) => face === null || die === face)));
    return made;
  });
  return [element("div", { class: "plays" }, ...buttons)];
}

export function tableCards(table, position) {
  const parts = Object.entries(position.cards).flatMap(([side, { table: open, in_play: played, discard }]) => {
    const rows = [["on the table", open], ["in play", played]].filter(([, ids]) => ids.length);
    const shown = rows.map(([words, ids]) => element("div", { class: `row ${side}` }, element("span", { class: "side" }, `${table.panels.side(side)} ${words}`), table.panels.chips(ids)));
    const piles = discard.length ? [table.panels.details(`discards-${side}`, `${table.panels.side(side)}: ${discard.length} discarded`, [table.panels.chips(discard)])] : [];
    return [...shown, ...piles];
  });
  for (const [name, { face_down: known, face_down_size: size }] of Object.entries(position.hands)) {
    const words = `${position.seats[name].title}: ${size} discarded face down`;
    if (known?.length) parts.push(table.panels.details(`face-down-${name}`, words, [table.panels.chips(known)]));
    else if (size) parts.push(element("p", { class: "muted" }, words));
  }
  return parts.length ? [element("div", { class: "open-cards" }, ...parts)] : [];
}
