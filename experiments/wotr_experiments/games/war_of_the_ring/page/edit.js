// Setting up a position by hand: every change is tried by the server, which says in one line what cannot be.
import { askStudy } from "../analysis_board/questions.js";
import { element, sentenceOf } from "../elements.js";
import { FACES, SIDES } from "./panels.js";

const WAIT = 200; // milliseconds after a change before it is tried
const KINDS = ["Regulars", "Elites", "Leaders"];
const OFF_MAP = [["fellowship", "in the Fellowship"], ["aside", "aside"], ["eliminated", "eliminated"], ["replaced", "replaced"]];
const PILES = [["", "deck"], ["hand", "hand"], ["table", "table"], ["discard", "discarded"], ["face_down", "face down"]];
const ZONES = ["pool", "drawn", "removed", "aside", "waiting"];
const OF_SIDE = { free_peoples: ["character", "army", "muster", "army_muster", "event", "will"], shadow: ["character", "army", "muster", "army_muster", "event"] };
const NO_LEADERS = ["isengard", "southrons"];

export class Editor {
  constructor(stage) {
    this.stage = stage;
    this.study = stage.study;
    this.setup = null; // the position as data while it is changed
    this.region = null;
    this.open = new Set(["Region", "Fellowship"]);
    this.part = stage.sections.edit;
    this.showBegin();
  }

  get editing() {
    return this.setup !== null;
  }

  showBegin(wrong = "") {
    const begin = element("button", { class: "answer primary" }, "Change this position");
    begin.addEventListener("click", () => this.begin());
    this.part.replaceChildren(
      element("p", { class: "muted" }, "You can change a position of a two-player game where a player chooses an action die. The decks are reshuffled, and a new game starts from the position."),
      begin, element("p", { class: "wrong", role: "alert" }, wrong),
    );
  }

  async begin() {
    const { study } = this;
    try {
      const { start } = await askStudy("setup", { start: study.start, actions: study.path, number: study.number });
      this.start = start;
      this.setup = start.position;
      this.region ??= this.stage.selected;
      document.body.classList.add("editing");
      this.show();
      this.say("Click a region, or edit the fields below.");
    } catch (error) {
      this.showBegin(sentenceOf(error));
    }
  }

  // Ends it: the page goes on from the position, or shows again what it did before.
  leave() {
    this.setup = null;
    document.body.classList.remove("editing");
    this.showBegin();
  }

  cancel() {
    this.leave();
    this.study.load();
  }

  async finish() {
    const start = { ...this.start, position: this.setup };
    try {
      const found = await askStudy("line", { start, actions: [], board: true });
      this.leave();
      this.study.open({ ...found, start, actions: [], players: [] });
    } catch (error) {
      this.say(sentenceOf(error), true);
    }
  }

  pick(region) {
    this.region = region;
    this.open.add("Region");
    this.show();
    this.stage.map.draw(this.stage.map.position, [], region);
    this.part.querySelector("details")?.scrollIntoView({ block: "nearest" });
  }

  // A change is tried a moment later; the last answer that comes is shown.
  changed() {
    this.done.disabled = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.try(), WAIT);
  }

  async try() {
    this.trying?.abort();
    const { signal } = (this.trying = new AbortController());
    try {
      const start = { ...this.start, position: this.setup };
      const { why, picture } = await askStudy("check", { start }, signal);
      if (!this.editing) return;
      if (picture) this.stage.preview(picture, this.region);
      this.say(why ? sentenceOf({ message: why }) : "This position is valid.", why !== null);
      this.done.disabled = why !== null;
    } catch (error) {
      if (error.name !== "AbortError") this.say(sentenceOf(error), true);
    }
  }

  say(words, wrong = false) {
    this.verdict.textContent = words;
    this.verdict.classList.toggle("wrong", wrong);
  }

  // The form

  show() {
    const { stage, setup } = this;
    const { board } = stage;
    this.verdict = element("p", { class: "verdict", role: "status" });
    this.done = element("button", { class: "answer primary" }, "Play from here");
    this.done.addEventListener("click", () => this.finish());
    const back = element("button", { class: "answer" }, "Cancel");
    back.addEventListener("click", () => this.cancel());
    const places = board.regions.map(({ id, name }) => [id, name]);
    this.part.replaceChildren(
      element("div", { class: "edit-head" }, element("div", { class: "answers" }, this.done, back), this.verdict),
      this.block("Region", this.regionFields(places)),
      this.block("Turn", [
        this.number("Turn", setup, "turn", 1, 99), this.select("Next action", setup, "acting", SIDES.map((side) => [side, stage.panels.side(side)])),
        this.check("Messenger of the Dark Tower used", setup, "messenger_used"),
      ]),
      this.block("Fellowship", this.fellowshipFields(places)),
      this.block("Characters", Object.entries(board.characters).map(([id, { name }]) => this.select(name, setup.characters, id, [...OFF_MAP, ...places]))),
      this.block("Nations", board.nations.map((nation) => this.nationFields(nation))),
      ...SIDES.map((side) => this.block(`Dice of the ${stage.panels.side(side)}`, this.diceFields(side))),
      ...SIDES.map((side) => this.block(`Cards of the ${stage.panels.side(side)}`, this.cardFields(side))),
      this.block("Hunt tiles", Object.entries(board.tiles).map(([id, name]) => this.select(`${name} (${id})`, setup.tiles, id, ZONES.map((zone) => [zone, zone])))),
      this.block("Casualties of the Free Peoples", [this.figureTable(Object.keys(setup.casualties), setup.casualties, "out of the game")]),
    );
  }

  block(title, fields) {
    const made = element("details", { class: "block" }, element("summary", {}, title), ...fields);
    made.open = this.open.has(title);
    made.addEventListener("toggle", () => (made.open ? this.open.add(title) : this.open.delete(title)));
    return made;
  }

  regionFields(places) {
    const { setup, stage, region } = this;
    const which = element("select", { "aria-label": "Region" }, element("option", { value: "" }, "click one on the map"), ...places.map(([id, name]) => element("option", { value: id }, name)));
    which.value = region ?? "";
    which.addEventListener("change", () => which.value && this.pick(which.value));
    const fields = [labelled("Region", which)];
    if (!region) return fields;
    if (region in setup.control) fields.push(this.select("Controlled by", setup.control, region, SIDES.map((side) => [side, stage.panels.side(side)])));
    setup.regions[region] ??= {};
    fields.push(this.figureTable(stage.board.nations.map(({ id }) => id), setup.regions[region], `in ${stage.map.places.get(region).name}`));
    const there = Object.entries(setup.characters).filter(([, place]) => place === region).map(([id]) => stage.panels.character(id));
    if (there.length) fields.push(element("p", { class: "muted" }, there.join(", ")));
    return fields;
  }

  // Three numbers by nation: those of a place with nobody are left out of the data.
  figureTable(nations, holder, where) {
    const { map } = this.stage;
    const head = element("tr", {}, element("td", {}), ...KINDS.map((kind) => element("th", { scope: "col" }, kind)));
    return element("table", { class: "figures" }, head, ...nations.map((id) => {
      const nation = map.nations.get(id);
      const cells = KINDS.map((kind, place) => {
        if (place === 2 && NO_LEADERS.includes(id)) return element("td", {});
        const input = element("input", { type: "number", min: 0, max: 40, value: holder[id]?.[place] ?? 0, "aria-label": `${kind} of ${nation.name} ${where}` });
        input.addEventListener("input", () => {
          const counts = holder[id] ?? [0, 0, 0];
          counts[place] = Number(input.value);
          holder[id] = counts;
          this.changed();
        });
        return element("td", {}, input);
      });
      return element("tr", {}, element("th", { scope: "row" }, this.stage.panels.letter(nation), nation.name.replace(/^The /, "")), ...cells);
    }));
  }

  fellowshipFields(places) {
    const { fellowship } = this.setup;
    const { board, panels } = this.stage;
    const able = Object.entries(board.characters).filter(([, { side }]) => side === "free_peoples").map(([id]) => [id, panels.character(id)]);
    const known = able.some(([id]) => id === "gollum") ? able : [...able, ["gollum", panels.character("gollum")]];
    return [
      this.select("Where", fellowship, "region", [["", "Mordor Track"], ...places], (value) => value || null),
      this.number("Step in Mordor", fellowship, "mordor_step", 0, 5), this.number("Progress", fellowship, "progress", 0, 12),
      this.number("Corruption", fellowship, "corruption", 0, 11), this.select("Guide", fellowship, "guide", known), this.check("Revealed", fellowship, "revealed"),
      this.check("A move was tried in this turn", fellowship, "moved"), this.check("Hiding was tried in this turn", fellowship, "hidden"),
    ];
  }

  nationFields({ id, name }) {
    const politics = this.setup.politics[id];
    const made = this.number(`${name}: steps to war`, politics, "steps_to_war", 0, 3);
    made.append(this.check("active", politics, "active"));
    return made;
  }

  diceFields(side) {
    const own = this.setup.dice[side];
    return [
      ...OF_SIDE[side].map((face) => this.number(FACES[face][1], own.unused, face, 0, 10)),
      this.number("Used", own, "used", 0, 10), this.number("In the Hunt Box", own, "hunt_box", 0, 10), this.number("Elven Rings", own, "rings", 0, 3),
      this.check("A Ring was used in this turn", own, "ring_used"),
    ];
  }

  cardFields(side) {
    const piles = this.setup.cards[side];
    const where = (id) => Object.keys(piles).find((pile) => piles[pile].includes(id)) ?? "";
    return Object.entries(this.stage.board.cards).filter(([, card]) => card.side === side).map(([id, { name }]) => {
      const holder = { pile: where(id) };
      const made = this.select(name, holder, "pile", PILES, (pile) => {
        for (const key of Object.keys(piles)) piles[key] = piles[key].filter((other) => other !== id);
        if (pile) piles[pile].push(id);
        return pile;
      });
      made.querySelector("span").dataset.card = id;
      return made;
    });
  }

  number(words, holder, key, min, max) {
    const input = element("input", { type: "number", min, max, value: holder[key] ?? 0, "aria-label": words });
    input.addEventListener("input", () => {
      holder[key] = Number(input.value);
      this.changed();
    });
    return labelled(words, input);
  }

  check(words, holder, key) {
    const input = element("input", { type: "checkbox", "aria-label": words });
    input.checked = holder[key];
    input.addEventListener("change", () => {
      holder[key] = input.checked;
      this.changed();
    });
    return labelled(words, input);
  }

  select(words, holder, key, choices, read = (value) => value) {
    const input = element("select", { "aria-label": words }, ...choices.map(([value, title]) => element("option", { value }, title)));
    input.value = holder[key] ?? "";
    input.addEventListener("change", () => {
      holder[key] = read(input.value);
      this.changed();
    });
    return labelled(words, input);
  }
}

function labelled(words, input) {
  return element("label", { class: "field" }, element("span", {}, words), input);
}
