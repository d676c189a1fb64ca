// The table: the newest position as the seat sees it, what is asked, and the gestures that answer.
import { actPanel } from "./answers.js";
import { TablePage, homeLink } from "../base.js";
import { handCards, tableCards } from "./cards.js";
import { Bubble, onlyAsked } from "../bubble.js";
import { Choice } from "./choose.js";
import { capital, element, redraw } from "../elements.js";
import { Gesture } from "./gestures.js";
import { Keys, helpDialog, labels } from "./keys.js";
import { newestLines } from "../log.js";
import { BattleMap } from "./map.js";
import { Panels } from "./panels.js";
import { directWords } from "./plans.js";
import { afterwards } from "./record.js";
import { backs, diceOf, lookers } from "./dice_and_backs.js";
import { Sounds } from "../sounds.js";
import { Steps } from "./steps.js";
import { mayStudy, studyLink } from "../study_link.js";
import { Described } from "../voice.js";
import { byEnd } from "./paths.js";

const GAME = "war-of-the-ring";
const SIDES = ["free_peoples", "shadow"];
const GESTURES = ["act", "undo", "dice", null]; // messages without which a gesture does not go on
const TABS = [["act", "Act"], ["hand", "Hand"], ["state", "State"], ["log", "Log"]];

export function openTable(board, wire) {
  return new Table(board, wire);
}

class Table extends TablePage {
  constructor(board, wire) {
    super(board, wire);
    Object.assign(this, { game: GAME, moves: true });
    this.numbers = new Map(board.actions.map((name, number) => [name, number]));
    this.wished = null; // the position that the person wants to see
    this.selected = null; // a region that is only looked at
    this.gesture = null;
    this.acted = false; // whether the server has heard the last message of the gesture; what is played before is of another tab
    this.undoing = null; // the number to which a gesture of several messages is taken back
    this.compound = null;
    this.treeAsked = null; // the position whose choice tree this connection was asked for
    this.letters = new Map();
    this.form = {};
    this.odds = new Map();
    this.choice = new Choice(this);
    this.map = new BattleMap(board, {
      select: (region) => this.press(region),
      lift: (region) => this.asked && this.choice.begins(region),
      drop: (from, to, shift) => this.drop(from, to, shift),
    });
    this.panels = new Panels(board, this.map);
    this.bubble = new Bubble();
    this.sounds = new Sounds();
    this.steps = new Steps(this);
    this.described = new Described("Map in words");
    this.build();
    this.study = studyLink(this);
    document.querySelector(".tools").append(this.study);
    this.keys = new Keys(this);
    document.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (this.pressed = { x, y }));
    document.addEventListener("click", ({ target }) => this.pressIdle(target));
    this.listen();
  }

  build() {
    document.body.className = "table";
    document.body.dataset.tab = "act";
    this.help = helpDialog();
    const head = this.head(element("div", { class: "where" }, homeLink(), this.part("turn", "p")), "speed of moving pictures, sounds, the bot of hints");
    const tabs = element("nav", { class: "tabs", role: "tablist", "aria-label": "Parts" }, ...TABS.map(([id, words]) => {
      const tab = element("button", { role: "tab", "data-tab": id, "aria-controls": id, "aria-selected": id === "act" }, words);
      tab.addEventListener("click", () => this.openTab(id));
      return tab;
    }));
    this.part("map", "main", { "aria-label": "Map" }, this.map.frame);
    document.body.append(
      head,
      element("aside", {}, this.part("act", "section", { "aria-label": "Choices" }), this.part("state", "section", { "aria-label": "State", tabindex: "0" })),
      this.part("hand", "section", { "aria-label": "Hand" }), this.mapPart, this.described.part, this.part("log", "section", { "aria-label": "Log", tabindex: "0" }), tabs,
      this.part("tip", "div", { role: "tooltip", hidden: "" }), this.help,
    );
  }

  openTab(id) {
    document.body.dataset.tab = id;
    for (const tab of document.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", tab.dataset.tab === id);
    if (id === "log") this.showLog();
    this.reading &&= this.logShown;
  }

  // The wire

  link(yes) {
    if (!yes) {
      [this.gesture, this.undoing, this.treeAsked, this.wished] = [null, null, null, null]; // whether the server has heard it is seen later
      this.odds.clear();
    }
    super.link(yes);
    if (!yes && this.state) this.lightUp();
  }

  hearState(state) {
    const earlier = this.state;
    const changed = earlier?.hash !== state.hash;
    this.keep(state);
    if (changed) {
      this.changed = earlier === null ? [] : changedRegions(state.picture, earlier.picture);
      [this.hint, this.looking, this.wished, this.notice, this.treeAsked] = [null, null, null, "", null];
      this.odds.clear();
      this.sounds.tell(state, earlier);
      this.steps.show(earlier, state);
    }
    this.choice.ask(state);
    if (state.legal.length && !this.choice.known && this.treeAsked !== state.hash) {
      this.treeAsked = state.hash;
      this.wire.send({ type: "choice_tree", hash: state.hash });
    }
    this.goOn();
    this.show();
    if (changed && (earlier === null || this.changed.length)) this.map.follow(state.picture.battle?.region ?? null);
  }

  // After an action, it comes when the server has played or refused it.
  hearBeat() {
    this.acted = true;
    if (!this.gesture) return;
    this.goOn();
    this.showQuestion();
    this.showBusy();
  }

  hearChoiceTree(message) {
    if (!this.choice.learn(message)) return; // of a question that has been answered
    this.gate.close(); // with more answers
    this.show();
  }

  hearLook(message) {
    if (message.number !== this.wished) return; // the person has gone on
    this.wished = null;
    super.hearLook(message);
  }

  hearHint(hint) {
    if (hint.hash === this.state.hash) this.openTab("act");
    super.hearHint(hint);
  }

  hearOdds(found) {
    const key = oddsKey(found.hash, found.origin, found.target, found.figures ?? null);
    this.odds.get(key)?.forEach((tell) => tell(found));
    this.odds.set(key, found);
  }

  hearError(error) {
    if (GESTURES.includes(error.about)) [this.gesture, this.undoing] = [null, null];
    super.hearError(error);
  }

  // The odds of an attack, or without an origin of the battle under way; told when they are there.
  askOdds(origin, target, rows, tell) {
    const figures = rows.length ? Object.fromEntries(rows.map(({ name, value }) => [name, value])) : null;
    const { hash } = this.state;
    const key = oddsKey(hash, origin, target, figures);
    const known = this.odds.get(key);
    if (Array.isArray(known)) known.push(tell);
    else if (known) tell(known);
    else if (this.wire.send({ type: "odds", hash, origin, target, figures })) this.odds.set(key, [tell]);
  }

  get title() {
    return "War of the Ring";
  }

  // Gestures

  get side() {
    return this.state.picture.seats[this.state.seat]?.side ?? null;
  }

  // Answers the question by one legal choice.
  choose(name) {
    this.perform([{ name, decision: this.state.question.decision }]);
  }

  perform(wishes) {
    if (!this.asked || this.gesture || this.sent === this.state.hash) return;
    this.gesture = new Gesture(wishes, this.state.number);
    this.sendGesture();
  }

  sendGesture() {
    const actions = this.gesture.names(this.state).map((name) => this.numbers.get(name));
    this.acted = false;
    if (!actions.length || !this.sendOnce({ type: "act", actions })) this.gesture = null;
    else this.wire.beat();
    this.showBusy();
  }

  get busy() {
    return super.busy || this.gesture !== null || this.undoing !== null;
  }

  // After a state: the rest of a gesture that forced answers have cut short, or of an undo of several messages.
  goOn() {
    const { gesture, state } = this;
    if (this.undoing !== null) {
      if (state.number > this.undoing && state.undo === "free") this.sendOnce({ type: "undo" });
      else this.undoing = null;
    }
    if (state.dice) this.gesture = null; // nobody can choose on before they are known
    if (!this.gesture || !this.acted || state.number === gesture.known) return;
    const again = gesture.known > gesture.start;
    gesture.hear(this.told, state.seat, state.number);
    if (again) this.compound = { start: gesture.start, end: state.number };
    if (this.asked && gesture.names(state).length) return this.sendGesture();
    if (!gesture.over) this.notice = "The rest of this choice is no longer possible.";
    this.gesture = null;
  }

  undo() {
    const { state, compound } = this;
    if (!state?.undo) return super.undo();
    if (state.undo === "free" && compound?.end === state.number) this.undoing = compound.start;
    this.compound = null;
    super.undo();
  }

  look(number) {
    if (number === this.state.number) return this.endLook();
    this.wished = number;
    this.wire.send({ type: "look", number });
  }

  endLook() {
    [this.looking, this.wished] = [null, null];
    this.show();
  }

  press(region) {
    if (!this.gate.lets) return;
    if (this.steps.playing) this.steps.skip();
    const { from } = this.choice;
    if (this.asked && this.choice.press(region)) this.selected = null;
    else this.selected = this.selected === region ? null : region;
    if (this.asked && from && from !== region && !this.choice.from && !this.gesture) this.sayWhy((asked) => asked.goal(from, region));
    else if (this.selected) this.sayWhy((asked) => asked.region(region));
    if (this.choice.from || this.choice.form) this.openTab("act");
    this.show();
  }

  drop(from, to, shift) {
    if (!this.asked || !this.gate.lets) return;
    if (!this.choice.drop(from, to, shift)) this.sayWhy((asked) => asked.goal(from, to));
    this.openTab("act");
    this.show();
  }

  // Says why nothing came of a press by what the position tells: find gets it, and gives a reason or null.
  async sayWhy(find) {
    const { pressed } = this;
    if (!this.asked || !this.choice.known) return this.say(null);
    const { picture, question: { decision } } = this.state;
    const position = { board: this.board, picture, side: this.side, decision, paths: this.choice.paths };
    const { Asked } = await import("./why.js"); // few presses need it
    if (pressed === this.pressed) this.say(find(new Asked(position)));
  }

  // Says a reason `[code, words]`, or what is asked.
  say(reason) {
    if (this.looking || this.state.result || this.state.seat === null) return;
    this.tipPart.hidden = true;
    this.bubble.say(reason ? `${reason[1]}.` : onlyAsked(this.asks(), this.asked && this.choice.lit().size), this.pressed ?? { x: innerWidth / 2, y: innerHeight / 2 });
  }

  // A press on a die, a card or a nation that cannot be chosen.
  pressIdle(target) {
    const thing = target instanceof Element && this.state ? target.closest("span.die, .card:not(.lit), [data-nation]:not(.press)") : null;
    if (!thing || thing.closest(".map, .legend, dialog, #act")) return;
    const { card, nation } = thing.dataset;
    if (card) this.sayWhy((asked) => asked.card(card));
    else if (nation) this.sayWhy((asked) => asked.nation(nation));
    else this.say(thing.classList.contains("used") ? ["used", "This die has been used"] : this.isForeign(thing) ? ["foreign", "This is a die of the other side"] : null);
  }

  isForeign(die) {
    return this.side !== null && !die.closest(`.${this.side}`);
  }

  // Takes the one end that paths have, or shows those that they have.
  takePaths(paths) {
    const ends = byEnd(paths);
    if (ends.length === 1) this.choice.take(ends[0]);
    else if (ends.length) this.choice.choosePlan(ends[0].plan);
    this.openTab("act");
    this.show();
  }

  back() {
    this.tipPart.hidden = true;
    if (document.body.classList.contains("logged")) return this.toggleLog(); // it lies above all else
    if (this.looking || this.wished !== null) return this.endLook();
    if (!this.choice.back() && (this.selected || this.hint)) [this.selected, this.hint] = [null, null];
    this.show();
  }

  // The rows of steppers of the present question, made once.
  rowsFor(make) {
    if (this.form.hash !== this.state.hash) this.form = { hash: this.state.hash, rows: make() };
    return this.form;
  }

  unitsAt(id, side) {
    const armies = this.state.picture.regions[id]?.armies ?? [];
    return armies.filter((army) => army.side === side).flatMap(({ figures }) => Object.values(figures)).reduce((sum, [regulars, elites]) => sum + regulars + elites, 0);
  }

  // Showing

  show() {
    const { state } = this;
    if (!state) return;
    const position = (this.looking ?? state).picture;
    document.body.classList.toggle("looking", this.looking !== null);
    document.body.classList.toggle("asked", this.asked || (state.dice !== null && this.looking === null));
    this.showQuestion();
    const { from, form } = this.choice;
    this.map.draw(position, this.looking ? [] : this.changed, from ?? this.selected);
    this.described.show(this.panels.occupied(position));
    this.map.aim(form?.path?.from ?? null, form?.path?.to ?? null);
    this.lightUp();
    redraw(this.actPart, ...this.people.cards(), ...actPanel(this, position));
    this.showState(position);
    redraw(this.handPart, ...handCards(this, position), ...tableCards(this, position));
    this.showTools();
    this.study.hidden = !mayStudy(state);
    this.showLog();
    document.body.dataset.hash = state.hash;
    document.body.dataset.known = this.choice.known || !state.legal.length;
    this.showBusy();
  }

  showQuestion() {
    if (!this.wire.up) return; // it says that the connection is lost
    const { state } = this;
    const { turn, phase } = state.picture;
    this.turnPart.replaceChildren(element("b", {}, `Turn ${turn}`), ` ${phase}`);
    document.title = `${this.asked || state.dice ? "● " : ""}War of the Ring, turn ${turn}`;
    let words = this.asks();
    if (this.looking) words = `Position after action ${this.looking.number}; Esc goes back`;
    else if (state.result) words = this.ending();
    if (this.questionPart.textContent !== words) this.questionPart.textContent = words;
    this.showNews(newestLines(this.told));
  }

  // What is asked, and of whom.
  asks() {
    const { state } = this;
    if (state.dice) return `Roll: ${state.dice.text}`;
    if (this.asked) return sentence(state.question.text);
    return `${this.seatTitle(this.thinking ?? state.question?.seat)} ${this.thinking ? "is thinking" : "to decide"} …`;
  }

  ending() {
    const { picture: { over }, ending } = this.state;
    return over ? ending : `The game is over. ${ending}.`;
  }

  afterwards() {
    return afterwards(this);
  }

  lightUp() {
    const places = this.asked && this.wire.up ? this.choice.lit() : new Map();
    const order = this.board.regions.filter(({ id }) => places.has(id)).sort((one, other) => one.xy[0] - other.xy[0]);
    const names = labels(order.length);
    this.letters = new Map(order.map(({ id }, place) => [names[place], id]));
    for (const [letter, id] of this.letters) places.get(id).letter = letter;
    const { picture } = this.state;
    for (const [id, place] of places) place.words = [...this.panels.contents(picture, id), place.words].join("; ");
    this.map.light(places);
  }

  showState(position) {
    const { panels } = this;
    const fellowship = panels.fellowship(position.fellowship, position.hunt);
    const politics = panels.politics(position.politics, position.victory_points);
    const moving = this.choice.paths.filter(({ plan }) => plan === "plan:move-fellowship");
    if (moving.length) {
      const button = element("button", { class: "wide" }, directWords(this, "plan:move-fellowship"));
      button.addEventListener("click", () => this.takePaths(moving));
      fellowship.append(button);
    }
    for (const row of politics.querySelectorAll("[data-nation]")) this.makeNation(row);
    redraw(
      this.statePart, ...SIDES.map((side) => diceOf(this, position, side)),
      fellowship, politics, panels.hunt(position.hunt), ...backs(this, position), ...lookers(this),
    );
  }

  makeNation(row) {
    const id = row.dataset.nation;
    const paths = this.choice.paths.filter(({ nation, plan }) => nation === id && plan === "plan:advance-nation");
    if (!paths.length) return;
    row.classList.add("press");
    row.setAttribute("role", "button");
    row.setAttribute("tabindex", "0");
    row.setAttribute("aria-label", `advance ${this.map.nations.get(id).name}: ${this.panels.standing(this.state.picture.politics[id])}`);
    row.addEventListener("click", () => this.takePaths(paths));
  }

  get logShown() {
    return super.logShown || document.body.dataset.tab === "log";
  }
}

function oddsKey(...parts) {
  return JSON.stringify(parts);
}

function changedRegions({ regions }, earlier) {
  const same = (id) => JSON.stringify(regions[id]) === JSON.stringify(earlier.regions[id]);
  return [...new Set([...Object.keys(regions), ...Object.keys(earlier.regions)])].filter((id) => !same(id));
}

// The question of a seat to its person: "Gondor to decide which die: 2 left." is "Which die? (2 left)"
function sentence(text) {
  const [, asked = text] = text.match(/ to decide (.*)\.$/) ?? [];
  if (asked.startsWith("whether")) return `Decide ${asked}`;
  const [question, ...details] = asked.split(": ");
  const more = details.length ? ` (${details.join(": ")})` : "";
  return `${capital(question)}?${more}`;
}
