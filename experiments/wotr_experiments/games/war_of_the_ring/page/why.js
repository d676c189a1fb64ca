// Why something on the table of War of the Ring cannot be chosen: facts of the position, each enough by the rules.
//
// Each function returns `[code, words]`, or null if no such fact is known.

const ARMIES = ["plan:move-armies", "plan:attack"];
const WITH_DIE = ["action-die", "action-plan"];
const FROM_ARMY = [...WITH_DIE, "army-origin", "attack-origin"];
const ANY_CARD = ["event", "will"];
const KINDS = ["Character", "Army", "Muster"];

// What a position tells about a side: asked is `{ board, picture, side, decision, paths }` with the paths of the question.
export class Asked {
  constructor({ board, picture, side, decision, paths }) {
    Object.assign(this, { board, picture, side, decision, paths });
    this.places = new Map(board.regions.map((region) => [region.id, region]));
    this.pathsFrom = Map.groupBy(paths, ({ from }) => from);
    this.plans = new Set(paths.map(({ plan }) => plan));
    this.nations = new Map(board.nations.map((nation) => [nation.id, nation]));
  }

  name(id) {
    return this.places.get(id).name;
  }

  armiesIn(id) {
    return this.picture.regions[id]?.armies ?? [];
  }

  // The nations of the units of the own army in a region.
  nationsIn(id) {
    const own = this.armiesIn(id).filter(({ side }) => side === this.side);
    return [...new Set(own.flatMap(({ figures }) => Object.entries(figures).filter(([, [regulars, elites]]) => regulars + elites).map(([nation]) => nation)))];
  }

  atPeace(nations) {
    return nations.filter((nation) => this.picture.politics[nation].steps_to_war > 0);
  }

  names(nations) {
    return nations.map((nation) => this.nations.get(nation).name).join(" and ");
  }

  // Why no gesture begins in a region.
  region(id) {
    if (!FROM_ARMY.includes(this.decision)) return null;
    const nations = this.nationsIn(id);
    if (!nations.length) return ["no-army", `No army of yours is in ${this.name(id)}`];
    const asked = ARMIES.filter((plan) => this.plans.has(plan));
    if (!asked.length && WITH_DIE.includes(this.decision)) return ["no-die", "No die that you can use here moves an army or attacks"];
    if (asked.length === 1 && asked[0] === "plan:attack" && this.atPeace(nations).length === nations.length) return ["peace", `${this.atWar(nations)}, so they cannot attack`];
    const besieged = this.armiesIn(id).some(({ side, garrison }) => garrison && side === this.side) && this.picture.regions[id].besieged;
    if (besieged && !this.plans.has("plan:attack")) return ["besieged", `The army in ${this.name(id)} is besieged and cannot move out`];
    return null;
  }

  atWar(nations) {
    return `${this.names(nations)} ${nations.length > 1 ? "are" : "is"} not at war`;
  }

  // Why what is in a region cannot go to another.
  goal(from, id) {
    const paths = this.pathsFrom.get(from) ?? [];
    const armies = paths.filter(({ plan }) => ARMIES.includes(plan));
    if (!armies.length || paths.some(({ plan }) => plan === "plan:move-minions")) return null;
    if (!this.places.get(from).neighbours.includes(id)) return ["far", `${this.name(id)} is not next to ${this.name(from)}`];
    const nations = this.nationsIn(from);
    const peace = this.atPeace(nations).length === nations.length;
    const enemy = this.armiesIn(id).some(({ side, garrison, figures }) => side !== this.side && !garrison && Object.values(figures).some(([regulars, elites]) => regulars + elites));
    if (enemy && peace) return ["peace", `${this.atWar(nations)}, so they cannot attack`];
    const { nation } = this.places.get(id);
    if (nation && peace && !nations.includes(nation)) return ["border", `${this.atWar(nations)}, so they cannot enter ${this.names([nation])}`];
    if (enemy && !armies.some(({ plan }) => plan === "plan:attack")) return ["enemy", `An enemy army is in ${this.name(id)}, and what you use here only moves armies`];
    return null;
  }

  // Why a card of the hand cannot be played.
  card(id) {
    if (this.decision !== "action-die") return null;
    const { name, icon, deck, text } = this.board.cards[id];
    const { unused } = this.picture.dice[this.side];
    const faces = Object.keys(unused).filter((face) => unused[face]);
    const pays = (face) => ANY_CARD.includes(face) || face === icon.toLowerCase() || (face === "army_muster" && deck === "strategy");
    const kind = KINDS.includes(icon) ? `, ${icon}${deck === "strategy" ? ", Army/Muster" : ""}` : "";
    if (!faces.some(pays)) return ["no-die", `${name} needs an Event, Will of the West${kind} die`];
    return text.startsWith("Condition:") ? ["condition", `${name} cannot be played now: read its condition`] : null;
  }

  // Why a nation cannot be advanced.
  nation(id) {
    const { side, name } = this.nations.get(id);
    const { steps_to_war: steps, active } = this.picture.politics[id];
    if (side !== this.side) return ["other-side", `${name}: a nation of the other side`];
    if (!steps) return ["at-war", `${name}: at war already`];
    if (steps === 1 && !active) return ["passive", `${name}: a passive nation cannot go to war`];
    if (WITH_DIE.includes(this.decision) && !this.paths.some(({ nation }) => nation)) return ["no-die", "No die that you can use here advances a nation"];
    return null;
  }
}
