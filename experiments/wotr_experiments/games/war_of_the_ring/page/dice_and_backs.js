// The dice of a side, and the backs of the cards that others hold.
import { counted, element } from "../elements.js";
import { glyph } from "./glyphs.js";
import { lookerLines } from "../links.js";
import { FACES } from "./panels.js";

export function diceOf(table, position, side) {
  const own = position.dice[side];
  const usable = new Set(table.asked && table.side === side ? table.choice.faces : []);
  const dice = Object.entries(own.unused).flatMap(([face, count]) => {
    const name = face.replace("_", "-");
    const words = FACES[face][1];
    return Array.from({ length: count }, () => {
      if (!usable.has(name)) return element("span", { class: "die", role: "img", "aria-label": words, title: words }, glyph(face));
      const made = element("button", { class: "die", "aria-label": `what the ${words} die can do`, title: `${words} die: what it can do`, "aria-pressed": table.choice.die === name }, glyph(face));
      made.addEventListener("click", () => {
        table.choice.chooseDie(name);
        table.openTab("act");
        table.show();
      });
      return made;
    });
  });
  const used = Array.from({ length: own.used }, () => element("span", { class: "die used", title: "used" }));
  const rings = element("span", { class: "rings", title: counted(own.rings, "Elven Ring") }, element("span", { "aria-hidden": "true" }, "◯".repeat(own.rings)), element("span", { class: "spoken" }, counted(own.rings, "Elven Ring")));
  const box = own.hunt_box ? [element("span", { class: "box", title: "dice in the Hunt Box" }, "Hunt Box ", element("b", {}, own.hunt_box))] : [];
  return element(
    "section", { class: `panel dice ${side}`, "aria-label": `Dice of the ${table.panels.side(side)}` },
    element("span", { class: "side label" }, table.panels.side(side)), element("span", { class: "chips" }, ...dice, ...used), ...box, rings,
  );
}

export function lookers(table) {
  const { seats } = table.state.picture;
  return lookerLines(table, (name) => table.panels.seat(seats[name].title, seats[name].side), () => [glyph("eye"), " "]);
}

export function backs(table, position) {
  return Object.entries(position.hands).filter(([name]) => position.hands[name].hand === null).map(([name, hand]) => {
    const { title, side } = position.seats[name];
    const cards = Object.entries(hand.hand_size).flatMap(([deck, count]) => Array.from({ length: count }, () => element("i", { class: `back ${deck}`, title: `${deck} card` }, deck[0].toUpperCase())));
    const words = Object.entries(hand.hand_size).map(([deck, count]) => `${count} ${deck}`).join(", ");
    const given = hand.given.length ? [table.panels.chips(hand.given)] : [];
    const committed = hand.committed ? [element("span", { class: "muted" }, "a combat card face down")] : [];
    const { kind, here, called } = table.state.seats.find((seat) => seat.name === name);
    const person = called ? `${called}, ${here ? "here" : "away"}` : here ? "here" : "away";
    const who = element("span", { class: "end muted" }, kind === "person" ? person : kind);
    return element("section", { class: `panel dice ${side}`, "aria-label": `Hand of ${title}: ${words}` }, element("span", { class: "side label" }, `${title} hand`), element("span", { class: "chips", "aria-hidden": "true" }, ...cards), ...given, ...committed, who);
  });
}
