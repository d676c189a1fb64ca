// The panels beside the map, and the words for places, cards and pieces in them.
import { counted, element } from "../elements.js";

export const FACES = {
  character: ["C", "Character"], army: ["A", "Army"], muster: ["M", "Muster"], army_muster: ["A/M", "Army/Muster"],
  event: ["E", "Event"], will: ["W", "Will of the West"], eye: ["👁", "Eye"],
};
const KINDS = ["Regular", "Elite", "Leader"];
export const SIDES = ["free_peoples", "shadow"];
export const TO_WIN = { free_peoples: 4, shadow: 10 };
export const MAX_CORRUPTION = 12;
export const MORDOR_STEPS = 6;
export const WAR_STEPS = 3;

export class Panels {
  constructor(board, map) {
    this.board = board;
    this.map = map;
    this.open = new Set();
  }

  // All panels of a position; hands that may not be seen are null in it.
  all(position, selected) {
    return [
      ...(selected ? [this.place(position, selected)] : []),
      ...(position.battle ? [this.battle(position)] : []),
      this.fellowship(position.fellowship, position.hunt),
      this.dice(position.dice),
      ...SIDES.flatMap((side) => this.cards(position, side)),
      this.politics(position.politics, position.victory_points),
      this.hunt(position.hunt),
    ];
  }

  place(position, id) {
    const region = this.map.places.get(id);
    return panel(region.name, { kind: "place" }, ...this.placeLines(position, id).map((line) => element("p", {}, line)));
  }

  placeLines(position, id) {
    const region = this.map.places.get(id);
    const kind = [region.nation && this.map.nations.get(region.nation).name, region.place].filter(Boolean).join(", ");
    const worth = region.points ? `, ${counted(region.points, "victory point")}` : "";
    return [(kind || "no nation") + worth, ...this.contents(position, id)];
  }

  // How far a nation is from war.
  standing({ steps_to_war: steps, active }) {
    return steps ? `${active ? "active" : "passive"}, ${counted(steps, "step")} to war` : "at war";
  }

  // What is in a region: who controls it, armies, characters, the Fellowship.
  contents(position, id) {
    const contents = position.regions[id];
    const lines = [];
    if (contents?.control) {
      lines.push(`controlled by the ${this.side(contents.control)}${contents.besieged ? ", besieged" : ""}`);
    }
    for (const army of contents?.armies ?? []) {
      const role = contents.besieged ? (army.garrison ? " garrison" : " besiegers") : "";
      lines.push(`${this.side(army.side)}${role}: ${this.figures(army.figures)}${army.mixed ? " (one army)" : ""}`);
    }
    if (contents?.characters.length) lines.push(contents.characters.map((who) => this.character(who)).join(", "));
    const { region: where, revealed, progress } = position.fellowship;
    if (where === id) lines.push(`the Fellowship, ${revealed ? "revealed" : "hidden"}, progress ${progress}`);
    return lines;
  }

  // The regions in which something is, in words.
  occupied(position) {
    return this.board.regions.flatMap(({ id, name }) => {
      const inside = this.contents(position, id);
      return inside.length ? [`${name}: ${inside.join("; ")}`] : [];
    });
  }

  battle({ battle }) {
    const target = this.map.places.get(battle.region).name;
    const words = {
      field: `attack ${target} from ${this.map.places.get(battle.origin).name}`,
      assault: `assault ${target}`,
      sortie: `sortie from ${target}`,
    }[battle.kind];
    return panel(
      "Battle", { kind: "alert", right: `round ${battle.round}` },
      element("p", { class: battle.attacker }, element("span", { class: "side" }, this.side(battle.attacker)), `: ${words}`),
      element("p", { class: "muted" }, `hits: Free Peoples ${battle.hits[0]}, Shadow ${battle.hits[1]}`),
      this.chips(battle.cards, true),
    );
  }

  fellowship(fellowship, hunt) {
    const where = fellowship.region ? this.map.places.get(fellowship.region).name : "Mordor Track";
    const company = fellowship.companions.filter((who) => who !== fellowship.guide);
    const named = (who, kind = "span") => element(kind, { title: this.board.characters[who].text }, this.character(who));
    const rows = [
      row("Corruption", pips(MAX_CORRUPTION, fellowship.corruption, "#b65fd0"), end(`${fellowship.corruption} of 12`)),
      row("Mordor", pips(MORDOR_STEPS, fellowship.mordor_step), end(fellowship.mordor_step ? `step ${fellowship.mordor_step}` : "not entered")),
      row("Company", element("span", { class: "long" }, named(fellowship.guide, "b"), " guides", ...company.flatMap((who) => [", ", named(who)]))),
    ];
    if (hunt.tile) rows.push(row("Hunt tile", element("b", {}, this.board.tiles[hunt.tile])));
    const state = fellowship.revealed ? "revealed" : "hidden";
    return panel(`Fellowship: ${where}`, { right: `${state}, progress ${fellowship.progress}` }, ...rows);
  }

  dice(dice) {
    const rows = SIDES.map((side) => {
      const own = dice[side];
      const unused = Object.entries(own.unused).flatMap(([face, count]) => Array(count).fill(face));
      const shown = unused.map((face) => {
        const die = element("span", { class: "die", title: FACES[face]?.[1] ?? face }, FACES[face]?.[0] ?? face);
        die.style.setProperty("--die", this.map.sides.get(side).colour);
        return die;
      });
      const rest = `${own.used}/${own.pool} used, ${counted(own.rings, "Ring")}`;
      const line = row(this.side(side), element("span", { class: "chips" }, ...shown), end(rest));
      line.classList.add(side);
      line.firstChild.classList.add("side");
      return line;
    });
    const box = `Hunt Box ${dice.shadow.hunt_box} + ${dice.free_peoples.hunt_box}`;
    return panel("Action dice", { right: box }, ...rows);
  }

  politics(politics, points) {
    const columns = SIDES.map((side) => {
      const nations = this.board.nations.filter((nation) => nation.side === side);
      return element("div", { class: side }, ...nations.map((nation) => {
        const { steps_to_war: steps } = politics[nation.id];
        const label = element("span", { class: "label" }, this.letter(nation), nation.name.replace(/^The /, ""));
        const [words, ...left] = this.standing(politics[nation.id]).split(/(?=, )/);
        const rest = element("span", { class: "spoken" }, ...left);
        return element("div", { class: "row", "data-nation": nation.id }, label, pips(WAR_STEPS, WAR_STEPS - steps, steps ? "" : this.board.siege), end(words), rest);
      }));
    });
    const score = SIDES.map((side) => `${this.side(side)} ${points[side]} of ${TO_WIN[side]}`).join(", ");
    return panel("Nations", { right: `points: ${score}` }, element("div", { class: "two" }, ...columns));
  }

  hunt(hunt) {
    const counts = new Map();
    for (const tile of hunt.pool) counts.set(this.board.tiles[tile], (counts.get(this.board.tiles[tile]) ?? 0) + 1);
    const pool = [...counts].map(([name, count]) => element("span", { class: "chip", role: "listitem" }, count > 1 ? `${count}× ${name}` : name));
    const names = (tiles) => tiles.map((tile) => this.board.tiles[tile]).join(", ");
    const rows = [element("div", { class: "chips", role: "list" }, ...pool)];
    if (hunt.waiting.length) rows.push(row("Waiting", element("span", { class: "long" }, names(hunt.waiting))));
    if (hunt.drawn.length) rows.push(row("Drawn", element("span", { class: "long" }, names(hunt.drawn))));
    return panel("Hunt Pool", { right: counted(hunt.pool.length, "tile") }, ...rows);
  }

  // The cards of a side: a panel for its player, or one for each of two and one for what they share.
  cards(position, side) {
    const cards = position.cards[side];
    const decks = `decks ${cards.deck_size.character} + ${cards.deck_size.strategy}`;
    const names = Object.keys(position.seats).filter((name) => position.seats[name].side === side);
    const played = cards.in_play.length ? [row("in play", this.chips(cards.in_play))] : [];
    const table = cards.table.length ? [row("on the table", this.chips(cards.table))] : [];
    if (names.length === 1) {
      const hand = position.hands[side];
      const discards = this.discards(side, cards.discard, hand);
      return [this.handPanel(position, side, decks, [...played, ...this.hand(hand), ...table, ...discards])];
    }
    const shared = [...played, ...table, ...this.discards(side, cards.discard)];
    return [
      ...names.map((name) => {
        const hand = position.hands[name];
        const parts = [...this.hand(hand), ...this.discards(name, [], hand)];
        return this.handPanel(position, name, this.role(position.seats[name]), parts);
      }),
      ...(shared.length ? [sidePanel(`shared-${side}`, side, `${this.side(side)} cards`, decks, shared)] : []),
    ];
  }

  handPanel(position, name, right, parts) {
    const { title, side } = position.seats[name];
    const { hand, hand_size: size } = position.hands[name];
    const number = hand ? hand.length : size.character + size.strategy;
    return sidePanel(`cards-${name}`, side, `${title} hand: ${number}`, right, parts);
  }

  // A hand, or how many cards of it are hidden; those that the partner has given are marked.
  hand({ hand, hand_size: size, given, offered, committed }) {
    const known = given.map((id) => this.board.cards[id].deck);
    const hidden = ["character", "strategy"]
      .map((back) => [size[back] - known.filter((deck) => deck === back).length, back])
      .filter(([number]) => number)
      .map(([number, back]) => element("span", { class: "chip hidden-cards" }, `${number} ${back}, hidden`));
    const shown = this.chips(hand ?? given);
    if (!hand) shown.prepend(...hidden);
    for (const chip of shown.querySelectorAll("[data-card]")) chip.classList.toggle("given", given.includes(chip.dataset.card));
    const parts = [shown];
    if (offered) parts.push(row("gives", this.chips([offered])));
    if (committed) parts.push(element("div", { class: "muted" }, "a combat card lies face down"));
    return parts;
  }

  // What is discarded face up, and by a hand face down.
  discards(name, discard, { face_down: known, face_down_size: size } = {}) {
    const shown = [];
    if (discard.length) shown.push(this.chips(discard));
    if (known?.length) shown.push(row("face down", this.chips(known)));
    if (!shown.length) return size ? [element("div", { class: "muted" }, `${size} discarded face down`)] : [];
    const words = [discard.length ? `${discard.length} discarded` : "", size ? `${size} face down` : ""];
    return [this.details(`discards-${name}`, words.filter(Boolean).join(", "), shown)];
  }

  // How a partner stands: who leads, who acts next, and by what they are compared.
  role({ side, leads, acts_next: next, places }) {
    const lost = side === "free_peoples";
    const words = [leads ? "leads" : "", next ? "acts next" : "", `${counted(lost ? -places : places, "place")} ${lost ? "lost" : "won"}`];
    return words.filter(Boolean).join(", ");
  }

  // Who has won: the seats of the side that have done best.
  winners({ seats }) {
    return Object.values(seats).filter(({ won }) => won).map(({ title, side }) => this.seat(title, side)).join(" and ");
  }

  // A seat in a sentence: who plays a whole side has an article.
  seat(title, side) {
    return title === this.side(side) ? `the ${title}` : title;
  }

  details(id, summary, parts) {
    const made = element("details", {}, element("summary", {}, summary), ...parts);
    made.open = this.open.has(id);
    made.addEventListener("toggle", () => (made.open ? this.open.add(id) : this.open.delete(id)));
    return made;
  }

  chips(ids, combat = false) {
    return element("span", { class: "chips" }, ...ids.map((id) => {
      const card = this.board.cards[id];
      const attributes = { class: `chip ${card.deck} ${card.side}`, "data-card": id, tabindex: "0" };
      return element("span", attributes, combat ? `${card.combatName} (${card.name})` : card.name);
    }));
  }

  cardTip(id, given) {
    const card = this.board.cards[id];
    return [
      element("h3", {}, card.name),
      element("div", { class: "muted" }, `${this.side(card.side)}, ${card.deck} deck, ${card.icon} icon`),
      ...(given ? [element("p", { class: "muted" }, "⇄ given by the partner, who knows that you have it")] : []),
      element("p", {}, card.text),
      element("p", {}, element("b", {}, `In battle, ${card.combatName}: `), card.combatText),
    ];
  }

  placeTip(position, id) {
    const [first, ...lines] = this.placeLines(position, id);
    const head = [element("h3", {}, this.map.places.get(id).name), element("div", { class: "muted" }, first)];
    return [...head, ...lines.map((line) => element("p", {}, line))];
  }

  figures(figures) {
    return Object.entries(figures).map(([id, counts]) => {
      const kinds = counts.map((count, kind) => {
        if (id === "sauron" && KINDS[kind] === "Leader") return count ? `${count} Nazgul` : "";
        return count ? counted(count, KINDS[kind]) : "";
      });
      return `${this.map.nations.get(id).name.replace(/^The /, "")} ${kinds.filter(Boolean).join(", ")}`;
    }).join("; ");
  }

  // The mark of a nation: its letter on its colour.
  letter({ letter, colour, ink }) {
    const made = element("i", { class: "letter", "aria-hidden": "true" }, letter);
    made.style.background = colour;
    made.style.color = ink;
    return made;
  }

  side(id) {
    return this.map.sides.get(id).name;
  }

  character(id) {
    return this.board.characters[id].name;
  }
}

export function panel(title, { kind = "", right = "" }, ...parts) {
  const head = element("h2", {}, title);
  if (right) head.append(" ", element("span", { class: "right" }, right));
  return element("section", { class: `panel ${kind}` }, head, ...parts);
}

function sidePanel(id, side, title, right, parts) {
  const made = panel(title, { right }, ...parts);
  made.id = id;
  made.classList.add(side);
  return made;
}

export function row(label, ...parts) {
  return element("div", { class: "row" }, element("span", { class: "label" }, label), ...parts);
}

export function end(words) {
  return element("span", { class: "end" }, words);
}

export function pips(number, on, colour = "") {
  const made = element("span", { class: "pips" }, ...Array.from({ length: number }, (_, place) => element("i", { class: place < on ? "on" : "" })));
  if (colour) made.style.setProperty("--pip", colour);
  return made;
}
