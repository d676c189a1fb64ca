// The table of a game that the server draws: the drawing, on which one points, and the choices in words.
import { TablePage, keysDialog } from "./base.js";
import { Bubble, onlyAsked } from "./bubble.js";
import { Drawing, Pointed, choiceLists, deedsOf, litAt, markButtons, tipParts } from "./drawing.js";
import { element, placeTip, pressByKey, redraw } from "./elements.js";
import { legendDialog } from "./legend.js";
import { lookerLines } from "./links.js";
import { sinceOwn } from "./log.js";
import { framesOf, placesOf, tipsOf, traces } from "./marks.js";
import { nameOf } from "./people.js";
import { reviewKey, reviewSteps } from "./review.js";
import { Sounds } from "./sounds.js";
import { mayStudy, studyLink } from "./study_link.js";
import { Described } from "./voice.js";
import { download } from "./wire.js";

const DIGITS = "1234567890";
const PERSON = "person";
const ALL = "all";
const MOST_FRAMED = 6; // choices of others whose places the page asks for
const KEYS = [
  ["1–9, 0", "the choices in their order"], ["e", "the choice by which you do nothing more"], ["Enter", "the only choice left, or the focused one"],
  ["Esc", "closes the topmost dialog; shows all choices again; goes back to the newest position"], ["← →", "the position before and after, when the game is over"],
  ["u", "undo"], ["h", "hint"], ["l", "log"], ["k", "legend"], ["?", "this help"],
];
const POINTING = [
  "Point at a card, a place or a token, or tap it, to see what it is.",
  "Click a highlighted part to see only its choices. If it has only one choice, the click plays it; on a touch screen, a second tap plays it. Click elsewhere to see all choices again.",
];

export function openDrawn(board, wire) {
  return new DrawnTable(board, wire);
}

class DrawnTable extends TablePage {
  constructor(board, wire) {
    super(board, wire);
    Object.assign(this, { game: board.game, moves: false });
    this.deeds = []; // what seats chose, of those actions that are known as data
    this.places = new Map(); // where something was chosen in the drawing before it, by its number and the form of the drawing
    this.wished = null; // the position that the person wants to see
    this.chosen = null; // what was pointed at
    this.bubble = new Bubble();
    this.sounds = new Sounds();
    this.described = new Described("Position in words");
    this.build();
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.fit());
    this.fit();
    this.listen();
  }

  build() {
    document.title = this.board.title;
    document.body.className = "table drawn";
    this.help = keysDialog(KEYS, ...POINTING);
    this.legend = legendDialog(this.board);
    const home = element("a", { href: "./", class: "home", title: "All games and tables", "aria-label": `${this.board.title}: all games and tables` }, this.board.title);
    const legend = this.board.legend.length ? [this.tool("legend", "Legend", "What the drawing shows (k)", () => this.legend.showModal())] : [];
    document.body.append(
      this.head(this.part("turn", "p", {}, home), "sounds, the bot of hints", ...legend),
      element("aside", {}, this.part("act", "section", { "aria-label": "Choices" }), this.part("state", "section", { "aria-label": "Seats" })),
      this.part("map", "main", { "aria-label": "Position", tabindex: "0" }), this.described.part,
      this.part("log", "section", { "aria-label": "Log", tabindex: "0" }), this.part("tip", "div", { role: "tooltip", hidden: "" }), this.help, this.legend,
    );
    this.study = studyLink(this);
    document.querySelector(".tools").append(this.study);
    this.drawing = new Drawing(this.mapPart, this.board.sizes);
    this.mapPart.append(this.drawing.part);
    this.questionPart.textContent = "Connecting …";
    this.mapPart.addEventListener("click", (event) => {
      const part = litAt(event);
      const other = part ? null : event.target.closest("[data-tip]");
      this.point(part, event.pointerType === "mouse");
      if (other) this.sayWhy(other, event);
    });
    this.mapPart.addEventListener("pointerover", ({ target }) => this.hover(target.closest("[data-tip], .lit")));
    this.mapPart.addEventListener("pointerleave", () => this.hover(null));
  }

  // The wire

  hearState(state) {
    const earlier = this.state;
    const known = ({ number }) => number <= (state.after ?? 0);
    const news = deedsOf(state.events);
    this.keep(state);
    this.deeds = [...this.deeds.filter(known), ...news];
    for (const key of this.places.keys()) if (!known({ number: Number.parseInt(key) })) this.places.delete(key);
    for (const deed of news) if (deed.number === earlier?.number + 1) this.place(deed, earlier.drawing);
    if (earlier?.hash !== state.hash) {
      [this.hint, this.looking, this.wished, this.chosen, this.notice] = [null, null, null, null, ""];
      this.sounds.tell(state, earlier);
    }
    if (this.looking && !(this.wire.form in this.looking.drawing)) this.look(this.looking.number);
    this.show();
    if (earlier === null && state.number && !state.result) this.wire.send({ type: "look", number: state.number, after: Math.max(0, state.number - MOST_FRAMED) });
    this.askPlaces();
  }

  // Keeps where something was chosen, in the drawing of the position before.
  place({ number, action }, drawing) {
    const [[form, text]] = Object.entries(drawing);
    this.places.set(`${number} ${form}`, placesOf(text, action));
  }

  // Asks for the positions before choices of others whose places are not known: after a reload, and in another form of the drawing.
  askPlaces() {
    if (this.state.result) return;
    for (const { number } of this.lately.slice(-MOST_FRAMED)) {
      const key = `${number} ${this.wire.form}`;
      if (!this.places.has(key) && this.wire.send({ type: "look", number: number - 1 })) this.places.set(key, []);
    }
  }

  // A position that the person wants to see, or that the page needs to frame what others chose.
  hearLook(message) {
    const { number, view, drawing, events } = message;
    const first = this.deeds[0]?.number ?? Infinity;
    this.deeds.unshift(...deedsOf(events).filter((deed) => deed.number < first));
    if (view === this.state.view) for (const deed of this.deeds) if (deed.number === number + 1) this.place(deed, drawing);
    if (events.length) this.askPlaces();
    if (number !== this.wished) return this.draw((this.looking ?? this.state).drawing);
    [this.wished, this.chosen] = [null, null];
    super.hearLook(message);
  }

  link(yes) {
    super.link(yes);
    this.wished = null;
    if (yes) return;
    for (const [key, places] of this.places) if (!places.length) this.places.delete(key); // they may not have been answered
    if (this.state) this.draw((this.looking ?? this.state).drawing);
  }

  // What others chose since this seat's last choice; for who looks on, what the last seat chose.
  get lately() {
    const own = this.board.seats.indexOf(this.state.seat);
    const last = this.deeds.at(-1)?.seat;
    const first = this.deeds.findLastIndex(({ seat }) => (own < 0 ? seat !== last : seat === own));
    return this.deeds.slice(first + 1);
  }

  // Gestures

  // The choices that are shown: all, or those of the part that was pointed at.
  get choices() {
    const { legal } = this.state;
    return this.chosen?.choicesOf(legal) ?? legal;
  }

  // A part of the drawing: its only choice is played, or its choices alone are shown; null: all are shown.
  point(part, told = false) {
    if (!this.asked) return;
    if (part === null) {
      this.chosen = null;
      return this.show();
    }
    const pointed = new Pointed(part, this.state.why);
    const only = pointed.plays(this.state.legal, told, this.chosen);
    if (only) return this.play(only);
    this.chosen = pointed;
    this.tipPart.hidden = true;
    this.show();
    this.actPart.querySelector(".answer")?.focus({ preventScroll: true });
  }

  // Why nothing came of a press.
  sayWhy(part, { clientX: x, clientY: y }) {
    if (this.looking || this.state.result || this.state.seat === null) return;
    this.tipPart.hidden = true;
    this.bubble.say(new Pointed(part, this.state.why).refusal(onlyAsked(`${this.asks()}.`, this.asked)), { x, y });
  }

  asks() {
    const { state } = this;
    if (this.asked) return `Your turn: ${state.question.asked ?? state.question.text}`;
    return `${this.nameOfSeat(this.thinking ?? state.question?.seat)} ${this.thinking ? "is thinking" : "decides"}`;
  }

  // Tells what is pointed at, and marks its choices in the list.
  hover(part) {
    markButtons(this.actPart, part);
    const tip = part?.dataset.tip;
    this.tipPart.hidden = !tip;
    if (!tip) return;
    redraw(this.tipPart, ...tipParts(tip, "h3"));
    placeTip(this.tipPart, part);
  }

  play({ id }) {
    this.sendOnce({ type: "act", actions: [id] });
    this.showBusy();
  }

  // After the end with the eyes of all.
  look(number) {
    if (number >= this.state.number) {
      [this.looking, this.wished] = [null, null];
      return this.show();
    }
    this.wished = Math.max(0, number);
    this.wire.send({ type: "look", number: this.wished, ...(this.state.result ? { eyes: ALL } : {}) });
  }

  back() {
    if (!this.tipPart.hidden) this.tipPart.hidden = true;
    else if (this.logShown) this.toggleLog();
    else if (this.looking || this.wished !== null) [this.looking, this.wished] = [null, null];
    else if (this.chosen) this.chosen = null;
    else if (this.hint) this.hint = null;
    this.show();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]") || !this.state) return;
    if (event.target.closest("input, select, textarea")) return;
    if (event.target.closest("button, summary, a") && [" ", "Enter"].includes(event.key)) return;
    const shown = this.looking?.number ?? this.state.number;
    const keys = {
      Escape: () => this.back(), u: () => this.undo(), h: () => this.askHint(), l: () => this.toggleLog(), "?": () => this.help.showModal(), k: () => this.legend.showModal(),
      e: () => pressByKey(this.actPart.querySelector(".finishing")), Enter: () => this.asked && this.choices.length === 1 && this.play(this.choices[0]),
    };
    const to = this.state.result ? reviewKey(event.key, shown, this.state.number) : null;
    if (to !== null) this.look(to);
    else if (DIGITS.includes(event.key)) pressByKey(this.actPart.querySelector(`[data-digit="${event.key}"]`));
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  }

  // Showing

  // Before what it chose, in the log.
  seatTitle(name) {
    return `${this.nameOfSeat(name)}:`;
  }

  show() {
    const { state } = this;
    if (!state) return;
    document.body.classList.toggle("looking", this.looking !== null);
    document.body.classList.toggle("asked", this.asked);
    document.body.dataset.hash = state.hash;
    this.showBusy();
    this.showQuestion();
    this.draw((this.looking ?? state).drawing);
    redraw(this.actPart, ...this.people.cards(), ...this.act());
    redraw(this.statePart, ...this.seats(), ...lookerLines(this, (name) => this.nameOfSeat(name)));
    this.showTools();
    this.study.hidden = !mayStudy(state, this.board.positions);
    this.showLog();
  }

  showQuestion() {
    if (!this.wire.up) return; // it says that the connection is lost
    const { state, looking } = this;
    const title = (name) => this.nameOfSeat(name);
    let words = this.asked ? this.asks() : `${this.asks()} …`;
    if (looking) words = `The position after ${looking.number} of ${state.number} actions`;
    else if (state.result && this.people.ended) words = state.verdict ?? state.ending;
    else if (state.result) words = state.verdict ? `${state.verdict}. ${state.ending}` : state.ending;
    if (this.questionPart.textContent !== words) this.questionPart.textContent = words;
    document.title = `${this.asked ? "● " : ""}${this.board.title}`;
    const news = this.people.ended ? state.ending : sinceOwn(this.told.filter(({ text }) => text !== state.ending), state.seat, title).join(". ");
    this.showNews(news);
    this.newsPart.title = this.newsPart.textContent;
  }

  draw(drawing) {
    if (this.drawing.show(drawing)) {
      this.described.show(tipsOf(this.drawing.svg));
      this.tipPart.hidden = true;
      this.fit();
    }
    const { svg, form } = this.drawing;
    const legal = new Set(this.asked && this.wire.up ? this.state.legal.map(({ name }) => name) : []);
    this.drawing.light(legal, this.chosen?.names ?? null);
    if (this.looking) return this.drawing.frame([]);
    const { lately } = this;
    const places = lately.flatMap(({ number }) => this.places.get(`${number} ${form}`) ?? []);
    const best = this.hint ? framesOf(svg, this.nameOf(this.hint.actions[0]), "best") : [];
    this.drawing.frame([...traces(svg, places, lately), ...best]);
  }

  // Asks for the form of drawings that fits the window.
  fit() {
    this.wire.drawIn(this.drawing.fitting);
  }

  nameOf({ id }) {
    return this.state.legal.find((choice) => choice.id === id)?.name;
  }

  act() {
    const { state } = this;
    if (this.looking) return [reviewSteps(this, this.looking.number), this.wordsButton("Back to the newest position", () => this.look(state.number), "primary"), ...(state.result ? [this.luck()] : [])];
    if (state.result) return this.afterwards();
    if (!state.legal.length) return [...this.since.panel(), element("p", { class: "muted" }, state.seat === null ? "You are a spectator." : "It is not your turn.")];
    let place = 0;
    const shown = choiceLists(this.choices, this.board, (choice, finishing) => this.choiceButton(choice, finishing ? "e" : DIGITS[place++]));
    return [...this.hints(), ...(this.chosen?.around(shown, () => this.point(null)) ?? [...this.since.panel(), ...shown])];
  }

  choiceButton(choice, key) {
    const advised = this.hint?.actions.find(({ id }) => id === choice.id);
    const best = advised && advised === this.hint.actions[0];
    const made = this.wordsButton(choice.words, () => this.play(choice), `${this.choices.length === 1 ? "primary" : ""} ${best ? "advised" : ""}`);
    made.dataset.name = choice.name;
    if (key) {
      made.dataset.digit = key;
      made.prepend(element("kbd", {}, key));
    }
    if (advised) made.append(element("em", { class: "value" }, `${best ? "best " : ""}${this.value(advised)}`));
    for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => this.drawing.mark(choice.name));
    for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => this.drawing.mark(null));
    return made;
  }

  value({ value }) {
    if (value === null || value === undefined) return "";
    return /chance/.test(this.hint.scale) ? `${Math.round(100 * value)}%` : value.toFixed(2);
  }

  // Whose hint it is, and what it would do; values stand beside the choices.
  hints() {
    return this.hint ? [element("section", { class: "panel hint", "aria-label": "Hint" }, ...this.hintHead())] : [];
  }

  afterwards() {
    const { own_dice: ownDice } = this.state;
    const again = this.people.again((words, act, { primary = false } = {}) => this.wordsButton(words, act, primary ? "primary" : ""));
    const home = element("a", { class: "answer", href: "./" }, "Another game");
    const review = this.wordsButton("Review from the start", () => this.look(0));
    const record = ownDice ? [] : [this.wordsButton("Download the record", () => download(this).catch((error) => this.fail(error)))];
    return [
      element("section", { class: "card-form ending", "aria-label": "The end" }, element("div", { class: "answers" }, ...again, home, review, ...record)),
      reviewSteps(this, this.state.number), this.luck(),
    ];
  }

  seats() {
    const { seats, seat, question } = this.state;
    return seats.map(({ name, title, kind, here, called }) => {
      const state = kind === PERSON ? (here ? "here" : "away") : here ? "" : "stuck";
      const who = name === seat ? ["you", called] : [nameOf({ kind, called }), state];
      const decides = question?.seat === name;
      return element("p", { class: `row seat ${decides ? "decides" : ""}` }, element("b", {}, title), element("span", { class: "muted" }, who.filter(Boolean).join(", ")));
    });
  }

  wordsButton(words, act, kind = "") {
    const made = element("button", { class: `answer ${kind}` }, element("span", {}, words));
    made.addEventListener("click", act);
    return made;
  }
}
