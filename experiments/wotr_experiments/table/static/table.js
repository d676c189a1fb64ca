// The table: the newest position as the seat sees it, what is asked, and the gestures that answer.
import { actPanel } from "./answers.js";
import { handCards, tableCards } from "./cards.js";
import { element } from "./elements.js";
import { Gesture, canBegin, payingDice } from "./gestures.js";
import { logEntries, newestLines } from "./log.js";
import { BattleMap } from "./map.js";
import { Panels } from "./panels.js";
import { backs, diceOf } from "./seats.js";
import { Wire, ask } from "./wire.js";

const LETTERS = "abcdefgijkmnopqrstvwxyz"; // h, l and u are the keys of hint, log and undo
const DIGITS = "1234567890";
const SIDES = ["free_peoples", "shadow"];
const HINT_BOT = "scripted";
const TABS = [["act", "Act"], ["hand", "Hand"], ["state", "State"], ["log", "Log"]];
const HELP = [
  ["a–z", "the lit places with that letter"], ["1–9, 0", "the answers in their order: dice, cards, words"],
  ["Enter", "the proposed answer"], ["Esc", "back: a chosen army, an open panel"], ["u", "undo"], ["h", `hint of the bot ${HINT_BOT}`],
  ["l", "log"], ["+ − 0", "zoom, with Shift for the whole map"], ["?", "this help"],
];

export async function openTable(id, token) {
  return new Table(await ask(`/api/tables/${id}/board`), id, token);
}

class Table {
  constructor(board, id, token) {
    this.board = board;
    this.numbers = new Map(board.actions.map((name, number) => [name, number]));
    this.state = null;
    this.told = [];
    this.from = null; // the region of the army that is chosen for a gesture
    this.goal = null; // where it is to go
    this.looking = null; // an earlier position that is shown
    this.gesture = null;
    this.hint = null;
    this.notice = "";
    this.map = new BattleMap(board, {
      select: (region) => this.press(region),
      lift: (region) => this.armies().has(region),
      drop: (from, to) => this.aim(from, to),
    });
    this.panels = new Panels(board, this.map);
    this.build();
    this.study = element("a", { id: "do-study", href: `/study?table=${id}#${token}`, hidden: "" }, "Study");
    document.querySelector(".tools").append(this.study);
    this.listen();
    this.wire = new Wire(id, token, { hear: (message) => this.hear(message), linked: (yes) => this.link(yes) });
  }

  build() {
    const part = (id, tag, attributes = {}, ...children) => (this[`${id}Part`] = element(tag, { id, ...attributes }, ...children));
    const button = (id, words, title, act) => {
      const made = (this[`${id}Button`] = element("button", { id: `do-${id}`, title }, words));
      made.addEventListener("click", act);
      return made;
    };
    document.body.className = "table";
    document.body.dataset.tab = "act";
    const head = element(
      "header", {},
      part("turn", "p"), element("div", { class: "asked" }, part("question", "h1", { "aria-live": "polite" }), part("news", "p", { "aria-live": "polite" })),
      element(
        "div", { class: "tools", role: "toolbar", "aria-label": "Table" },
        button("undo", "Undo", "Take the last gesture back (u)", () => this.undo()),
        button("hint", "Hint", `What the bot ${HINT_BOT} would do (h)`, () => this.askHint()),
        button("log", "Log", "What happened (l)", () => this.toggleLog()),
        button("help", "?", "Keys (?)", () => this.help.showModal()),
      ),
    );
    const tabs = element("nav", { class: "tabs", role: "tablist" }, ...TABS.map(([id, words]) => {
      const tab = element("button", { role: "tab", "data-tab": id, "aria-controls": id, "aria-selected": id === "act" }, words);
      tab.addEventListener("click", () => this.openTab(id));
      return tab;
    }));
    this.help = element(
      "dialog", { "aria-label": "Keys" }, element("h2", {}, "Keys"),
      element("dl", {}, ...HELP.flatMap(([key, words]) => [element("dt", {}, key), element("dd", {}, words)])),
      element("p", {}, "Drag an army to a neighbouring region, or click it and then the region, to move or attack."),
      element("form", { method: "dialog" }, element("button", {}, "Close")),
    );
    part("map", "main", { "aria-label": "Map" }, this.map.frame);
    document.body.append(
      head, this.mapPart,
      element("aside", {}, part("act", "section", { "aria-label": "Answers" }), part("state", "section", { "aria-label": "State" })),
      part("hand", "section", { "aria-label": "Hand" }), part("log", "section", { "aria-label": "Log" }), tabs,
      part("tip", "div", { role: "tooltip", hidden: "" }), this.help,
    );
  }

  openTab(id) {
    document.body.dataset.tab = id;
    for (const tab of document.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", tab.dataset.tab === id);
    if (id === "log") this.showLog();
  }

  toggleLog() {
    document.body.classList.toggle("logged");
    this.showLog();
  }

  // The wire

  link(yes) {
    document.body.classList.toggle("lost", !yes);
    if (!yes) this.questionPart.textContent = "The connection is lost; trying again …";
    else if (this.state) this.show();
  }

  hear(message) {
    const kinds = { state: this.hearState, look: this.hearLook, hint: this.hearHint, thinking: this.hearThinking, error: this.hearError };
    kinds[message.type]?.call(this, message);
  }

  hearState(state) {
    const earlier = this.state;
    this.changed = earlier === null ? [] : changedRegions(state.picture, earlier.picture);
    this.told = [...this.told.filter(({ number }) => number <= (state.after ?? 0)), ...state.told];
    this.state = state;
    this.thinking = null;
    if (earlier?.hash !== state.hash) [this.from, this.goal, this.hint, this.looking, this.notice] = [null, null, null, null, ""];
    this.show();
    if (earlier === null || this.changed.length) this.map.follow(state.picture.battle?.region ?? null);
    this.goOn();
  }

  hearLook(message) {
    this.looking = message;
    this.show();
  }

  hearHint(hint) {
    if (hint.hash !== this.state.hash) return;
    this.hint = hint;
    this.notice = "";
    this.show();
  }

  hearThinking({ seat }) {
    this.thinking = seat;
    this.showQuestion();
  }

  hearError({ code, text }) {
    this.gesture = null;
    if (this.state === null || code === "table") {
      this.questionPart.textContent = `This table cannot be opened: ${text}`;
    } else {
      this.notice = text;
      this.show();
    }
  }

  // Gestures

  // Whether this seat is asked and no earlier position is shown.
  get asked() {
    return this.state !== null && this.looking === null && this.state.legal.length > 0;
  }

  get side() {
    return this.state.picture.seats[this.state.seat]?.side ?? null;
  }

  perform(...names) {
    if (!this.asked) return;
    this.gesture = new Gesture(names, this.state.number);
    this.sendGesture();
  }

  sendGesture() {
    const names = this.gesture.names(this.state.legal);
    if (!names.length) return this.giveUp();
    const actions = names.map((name) => this.numbers.get(name));
    if (!this.wire.send({ type: "act", hash: this.state.hash, actions })) this.gesture = null;
  }

  // After a state: the rest of a gesture that forced answers have cut short.
  goOn() {
    const { gesture, state } = this;
    if (!gesture) return;
    gesture.hear(this.told, state.seat, (name) => this.words(name));
    const stopped = state.number === gesture.known;
    gesture.known = state.number;
    if (gesture.back) this.takeBack();
    else if (!gesture.wishes.length || !this.asked || stopped) this.gesture = null;
    else this.sendGesture();
  }

  // The rules have no such answer: what was played of the gesture is taken back, unless only figures are left.
  giveUp() {
    const { gesture } = this;
    if (gesture.wishes.length && gesture.figuresLeft) {
      this.gesture = null;
      return;
    }
    gesture.back = true;
    this.takeBack();
  }

  takeBack() {
    const { gesture, state } = this;
    if (state.number > gesture.start && state.undo === "free") {
      this.wire.send({ type: "undo", hash: state.hash });
      return;
    }
    this.gesture = null;
    this.notice = "The rules do not allow that now.";
    this.show();
  }

  // The object of an action's name in words, as sentences have it.
  words(name) {
    return this.map.places.get(name.replace("region:", ""))?.name ?? name;
  }

  undo() {
    if (this.state?.undo) this.wire.send({ type: "undo", hash: this.state.hash });
  }

  askHint() {
    if (!this.asked) return;
    this.notice = "Thinking about a hint …";
    this.wire.send({ type: "hint", hash: this.state.hash, bot: HINT_BOT });
    this.show();
  }

  look(number) {
    if (number === this.state.number) return this.endLook();
    this.wire.send({ type: "look", number });
  }

  endLook() {
    this.looking = null;
    this.show();
  }

  // The own armies that a gesture may begin with.
  armies() {
    if (!this.asked) return new Set();
    const { legal, picture } = this.state;
    const asked = legal.filter(({ words }) => /^(move|attack with) the army of /.test(words)).map(({ name }) => name.slice(7));
    if (asked.length) return new Set(asked);
    const regions = Object.keys(picture.regions).filter((id) => {
      const options = { led: this.isLed(id) };
      return this.unitsAt(id, this.side) > 0 && (canBegin("plan:move-armies", legal, options) || canBegin("plan:attack", legal, options));
    });
    return new Set(regions);
  }

  unitsAt(id, side) {
    const armies = this.state.picture.regions[id]?.armies ?? [];
    return armies.filter((army) => army.side === side).flatMap(({ figures }) => Object.values(figures)).reduce((sum, [regulars, elites]) => sum + regulars + elites, 0);
  }

  isLed(id) {
    const { armies, characters } = this.state.picture.regions[id];
    const own = armies.filter((army) => army.side === this.side);
    return own.some(({ figures }) => Object.values(figures).some(([, , leaders]) => leaders)) || characters.some((who) => this.board.characters[who].side === this.side);
  }

  // Where the chosen army may go as far as the map tells: the rules know more.
  goals(from) {
    const besieged = this.state.picture.regions[from].besieged;
    return [...this.map.places.get(from).neighbours, ...(besieged ? [from] : [])];
  }

  // What an army would do in a region: the plan, and the dice that can pay for it.
  planOf(from, to) {
    const foe = SIDES.find((side) => side !== this.side);
    const plan = this.unitsAt(to, foe) > 0 ? "plan:attack" : "plan:move-armies";
    return { plan, dice: payingDice(plan, this.state.legal, { led: this.isLed(from) }) };
  }

  press(region) {
    if (!this.asked) return this.inspect(region);
    const name = `region:${region}`;
    const legal = this.state.legal.find((each) => each.name === name);
    if (this.from !== null && this.goals(this.from).includes(region)) return this.aim(this.from, region);
    if (legal) return this.perform(name);
    if (this.armies().has(region) && this.from !== region) [this.from, this.goal] = [region, null];
    else [this.from, this.goal] = [null, null];
    this.inspect(region);
  }

  inspect(region) {
    this.selected = this.selected === region && this.from === null ? null : region;
    this.show();
  }

  aim(from, to) {
    if (!this.asked || !this.goals(from).includes(to)) return;
    [this.from, this.goal, this.selected] = [from, to, null];
    this.openTab("act");
    this.show();
  }

  moveFellowship() {
    const plan = "plan:move-fellowship";
    const [die] = payingDice(plan, this.state.legal);
    this.perform(...(die ? [`face:${die}`] : []), plan);
  }

  pressCard(id) {
    if (this.state.legal.some(({ name }) => name === `card:${id}`)) return this.perform(`card:${id}`);
    const plan = "plan:play-card";
    const [die] = payingDice(plan, this.state.legal, { icon: this.board.cards[id].icon });
    this.perform(...(die ? [`face:${die}`] : []), plan, `card:${id}`);
  }

  pressNation(id) {
    if (this.state.legal.some(({ name }) => name === `nation:${id}`)) return this.perform(`nation:${id}`);
    const plan = "plan:advance-nation";
    const [die] = payingDice(plan, this.state.legal);
    this.perform(...(die ? [`face:${die}`] : []), plan, `nation:${id}`);
  }

  // Showing

  show() {
    const { state } = this;
    if (!state) return;
    const position = (this.looking ?? state).picture;
    document.body.classList.toggle("looking", this.looking !== null);
    document.body.classList.toggle("asked", this.asked);
    document.body.dataset.hash = state.hash;
    this.showQuestion();
    this.map.draw(position, this.looking ? [] : this.changed, this.goal ?? this.from ?? this.selected ?? null);
    this.map.aim(this.from, this.goal);
    this.lightUp();
    this.actPart.replaceChildren(...actPanel(this, position));
    this.showState(position);
    this.handPart.replaceChildren(...handCards(this, position), ...tableCards(this, position));
    this.undoButton.disabled = !state.undo;
    this.undoButton.textContent = state.undo === "study" ? "Undo (noted)" : "Undo";
    this.hintButton.disabled = !this.asked;
    this.study.hidden = state.result === null && !state.study;
    this.showLog();
  }

  showQuestion() {
    const { state } = this;
    const { turn, phase, over } = state.picture;
    this.turnPart.replaceChildren(element("b", {}, `Turn ${turn}`), ` ${phase}`);
    document.title = `${this.asked ? "● " : ""}War of the Ring, turn ${turn}`;
    let words = "";
    if (this.looking) words = `Position after action ${this.looking.number}; Esc goes back`;
    else if (over) words = this.ending();
    else if (this.asked) words = sentence(state.question.text);
    else words = `${this.seatTitle(this.thinking ?? state.question?.seat)} ${this.thinking ? "is thinking" : "to decide"} …`;
    this.questionPart.textContent = words;
    this.newsPart.textContent = this.notice || newestLines(this.told);
  }

  ending() {
    const { winner, reason } = this.state.picture;
    const words = winner === "draw" ? "a draw" : `${this.panels.winners(this.state.picture)} won`;
    return `The game is over: ${words}, ${reason.replaceAll("_", " ")}.`;
  }

  seatTitle(name) {
    return this.state.seats.find((seat) => seat.name === name)?.title ?? "Somebody";
  }

  // The places that can be pressed, by id: what pressing does, and a letter if there are enough of them.
  litPlaces() {
    if (!this.asked) return [new Map(), "lit"];
    if (this.goal) return [new Map([[this.goal, { words: "the goal" }]]), "lit"];
    if (this.from) {
      return [new Map(this.goals(this.from).map((id) => [id, { words: this.planOf(this.from, id).plan === "plan:attack" ? "attack" : "move here" }])), "lit"];
    }
    const legal = this.state.legal.filter(({ name }) => name.startsWith("region:"));
    if (legal.length) return [new Map(legal.map(({ name, words }) => [name.slice(7), { words }])), "lit"];
    return [new Map([...this.armies()].map((id) => [id, { words: "move or attack with this army" }])), "ready"];
  }

  lightUp() {
    const [places, kind] = this.litPlaces();
    const order = this.board.regions.filter(({ id }) => places.has(id)).sort((one, other) => one.xy[0] - other.xy[0]);
    const lettered = order.length <= LETTERS.length ? order : [];
    this.letters = new Map(lettered.map(({ id }, place) => [LETTERS[place], id]));
    for (const [letter, id] of this.letters) places.get(id).letter = letter;
    this.places = places;
    this.map.light(places, kind);
  }

  showState(position) {
    const { panels } = this;
    const fellowship = panels.fellowship(position.fellowship, position.hunt);
    const politics = panels.politics(position.politics, position.victory_points);
    if (this.asked && this.side === "free_peoples" && canBegin("plan:move-fellowship", this.state.legal)) {
      const dice = position.dice.shadow.hunt_box;
      const words = `Move the Fellowship: the Hunt rolls ${Math.min(5, dice)}, a 6 hits${position.dice.free_peoples.hunt_box ? `, ${position.dice.free_peoples.hunt_box} added` : ""}`;
      const button = element("button", { class: "wide" }, words);
      button.addEventListener("click", () => this.moveFellowship());
      fellowship.append(button);
    }
    for (const row of politics.querySelectorAll("[data-nation]")) this.makeNation(row);
    this.statePart.replaceChildren(
      ...SIDES.map((side) => diceOf(this, position, side)),
      fellowship, politics, panels.hunt(position.hunt), ...backs(this, position),
    );
  }

  makeNation(row) {
    const id = row.dataset.nation;
    const { legal, picture } = this.state;
    const ours = this.asked && this.board.nations.find((nation) => nation.id === id).side === this.side;
    const named = legal.some(({ name, words }) => name === `nation:${id}` && !words.startsWith("reduce"));
    if (!named && !(ours && picture.politics[id].steps_to_war && canBegin("plan:advance-nation", legal))) return;
    row.classList.add("press");
    row.setAttribute("role", "button");
    row.setAttribute("tabindex", "0");
    row.setAttribute("aria-label", this.map.nations.get(id).name);
    row.addEventListener("click", () => this.pressNation(id));
  }

  showLog() {
    const open = document.body.classList.contains("logged") || document.body.dataset.tab === "log";
    if (open && this.state) {
      this.logPart.replaceChildren(...logEntries(this));
      this.logPart.scrollTop = this.logPart.scrollHeight;
    }
  }

  // Keys and tips

  listen() {
    document.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, (event) => this.tip(event));
    document.addEventListener("pointerdown", () => (this.tipPart.hidden = true));
    document.addEventListener("focusout", () => (this.tipPart.hidden = true));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || this.help.open || !this.state) return;
    if (event.target.closest("input, select, textarea")) return;
    const pressed = event.target.closest("button, summary, [role=button]");
    if (pressed && [" ", "Enter"].includes(event.key)) {
      if (pressed.matches("[role=button]")) pressed.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      return;
    }
    const keys = {
      Escape: () => this.back(), Enter: () => this.actPart.querySelector(".primary")?.click(), u: () => this.undo(), h: () => this.askHint(),
      l: () => this.toggleLog(), "?": () => this.help.showModal(), "+": () => this.map.zoomMiddle(1.4), "-": () => this.map.zoomMiddle(1 / 1.4), ")": () => this.map.fit(),
    };
    const region = this.letters?.get(event.key);
    const digit = DIGITS.indexOf(event.key);
    if (region) this.press(region);
    else if (digit >= 0) this.actPart.querySelector(`[data-digit="${DIGITS[digit]}"]`)?.click();
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  }

  back() {
    this.tipPart.hidden = true;
    if (this.looking) return this.endLook();
    if (this.from || this.selected) [this.from, this.goal, this.selected, this.hint] = [null, null, null, null];
    else if (document.body.classList.contains("logged")) this.toggleLog();
    this.hint = null;
    this.show();
  }

  tip({ target }) {
    const thing = target instanceof Element ? target.closest("[data-card], .cell, .contents") : null;
    const known = thing && this.state;
    this.tipPart.hidden = !known;
    if (!known) return;
    const { card, region } = thing.dataset;
    const position = (this.looking ?? this.state).picture;
    this.tipPart.replaceChildren(...(card ? this.panels.cardTip(card, thing.classList.contains("given")) : this.panels.placeTip(position, region)));
    const box = thing.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tipPart;
    const left = Math.max(6, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 6));
    const above = box.top - height - 8;
    this.tipPart.style.left = `${left}px`;
    this.tipPart.style.top = `${above > 6 ? above : Math.min(box.bottom + 8, innerHeight - height - 6)}px`;
  }
}

function changedRegions({ regions }, earlier) {
  const same = (id) => JSON.stringify(regions[id]) === JSON.stringify(earlier.regions[id]);
  return [...new Set([...Object.keys(regions), ...Object.keys(earlier.regions)])].filter((id) => !same(id));
}

// The question of a seat to its person: "Gondor to decide which die" is "Which die?"
function sentence(text) {
  const [, asked = text] = text.match(/ to decide (.*)\.$/) ?? [];
  return `${asked[0].toUpperCase()}${asked.slice(1)}?`;
}
