// What the pages of all tables share: the parts of the page, the connection, the log, settings, help, undo.
import { capital, element, sentenceOf, showFailure } from "./elements.js";
import { Gate } from "./gate.js";
import { logEntries, redrawLog } from "./log.js";
import { keepGame } from "./mine.js";
import { People } from "./people.js";
import { keepSetting, setting, settingsDialog, specsOf } from "./settings.js";
import { Since } from "./since.js";
import { choicesLink, mayStudy } from "./study_link.js";
import { Voice } from "./voice.js";
import { ask, luckOf, setBusy, underWay } from "./wire.js";

const SECOND = 1000; // milliseconds
const COPY = "Copy the whole link, with the part after #. If it is lost, look at the games of the browser in which you had it.";

const UNDO = { free: "Undo", study: "Undo: noted in the record" };
const QUIET = ["choice_tree", "odds", "look"]; // the page asks for these by itself
const NO_UNDO = "You cannot undo: new information was revealed since, or another seat decides";

export class TablePage {
  constructor(board, wire) {
    Object.assign(this, { board, wire, id: wire.table, token: wire.token });
    this.state = null;
    this.told = [];
    this.times = []; // how long seats thought, at a table with a clock
    this.looking = null; // an earlier position that is shown
    this.reading = false; // whether the log is read
    this.hint = null;
    this.notice = "";
    this.sent = null; // the position that was answered, until the server has heard it
    this.since = new Since(this);
    this.gate = new Gate(() => this.showBusy());
    this.people = new People(this);
    this.voice = new Voice();
  }

  // Hears the wire, when the page is built.
  listen() {
    this.wire.listen({ hear: (message) => this.hear(message), linked: (yes) => this.link(yes) });
  }

  // Building

  part(id, tag, attributes = {}, ...children) {
    return (this[`${id}Part`] = element(tag, { id, ...attributes }, ...children));
  }

  tool(id, words, title, act) {
    const made = (this[`${id}Button`] = element("button", { id: `do-${id}`, title }, words));
    made.addEventListener("click", act);
    return made;
  }

  // The head: what is before the question, and tools besides those that every table has.
  head(turn, settings, ...more) {
    const tools = element(
      "div", { class: "tools", role: "toolbar", "aria-label": "Table" },
      this.tool("undo", "Undo", "", () => this.undo()), this.tool("hint", "Hint", "What a bot would do (h)", () => this.askHint()),
      this.tool("log", "Log", "What happened (l)", () => this.toggleLog()), this.people.button, ...more,
      this.tool("settings", "⚙", `Settings: ${settings}`, () => this.openSettings()), this.tool("help", "?", "Keys (?)", () => this.help.showModal()),
    );
    this.settingsButton.setAttribute("aria-label", "Settings");
    this.helpButton.setAttribute("aria-label", "Keys");
    const asked = element("div", { class: "asked" }, this.part("question", "h1", { "aria-live": "polite" }), this.part("news", "p"));
    return element("header", {}, turn, asked, this.people.clocks, tools, this.voice.part);
  }

  // The wire

  // What cannot be sent is disabled while there is no connection; what is known can still be looked at.
  link(yes) {
    if (this.wire.over) return;
    this.sent = null;
    clearInterval(this.counting);
    document.body.classList.toggle("lost", !yes);
    for (const part of [this.actPart, this.statePart, this.handPart]) part?.toggleAttribute("inert", !yes);
    if (yes) {
      this.notice = ""; // such as of a hint that is lost with the old connection
      return void (this.state && this.show());
    }
    this.people.show();
    this.people.forget();
    this.since.lost = true;
    for (const button of [this.undoButton, this.hintButton]) button.disabled = true;
    this.showLog();
    this.questionPart.textContent = "The connection is lost";
    this.newsPart.replaceChildren(element("span", {}), " ", this.tool("retry", "Try now", "Connect at once", () => this.wire.retry()));
    this.counting = setInterval(() => this.countDown(), SECOND / 2);
    this.countDown();
  }

  countDown() {
    const { due, refused } = this.wire;
    const left = due === null ? 0 : Math.ceil((due - Date.now()) / SECOND);
    const words = left > 0 ? `Trying again in ${left} s.` : "Trying again now …";
    this.newsPart.querySelector("span")?.replaceChildren(refused ? `${capital(refused)}. ${words}` : words);
    this.retryButton.hidden = left <= 0;
  }

  // Messages go to what is named after them: `hearChoiceTree` hears a `choice_tree`.
  hear(message) {
    this[`hear${message.type.split("_").map(capital).join("")}`]?.(message);
  }

  // What was told, and data that came with it, after those that were taken back are forgotten.
  keep(state) {
    const kept = ({ number }) => number <= (state.after ?? 0) && !(number === 0 && state.told[0]?.number === 0);
    this.since.hear(this.state, state);
    this.told = [...this.told.filter(kept), ...state.told];
    this.times = [...this.times.filter(kept), ...state.times];
    if (this.state === null || Boolean(this.state.result) !== Boolean(state.result)) this.keepLink(state);
    if (this.state?.hash !== state.hash) this.gate.close();
    if (this.state) this.voice.tell(this.state, state, (name) => this.nameOfSeat(name));
    this.state = state;
    this.thinking = null;
    this.people.hear(state);
  }

  hearChat(message) {
    this.people.hearChat(message);
  }

  // So that the way back is not lost with the link.
  keepLink({ ruleset, seat, view, delay, result }) {
    keepGame({ table: this.id, game: this.title, ruleset, over: result !== null, links: [{ token: this.token, seat, view, delay }] });
  }

  get title() {
    return this.board.title;
  }

  hearLook(message) {
    this.looking = message;
    this.show();
  }

  hearHint(hint) {
    if (hint.hash !== this.state.hash) return;
    this.hint = hint;
    this.notice = "";
    this.gate.close(); // the answers below it move
    this.show();
    this.voice.say(this.actPart.querySelector(".hint .best")?.textContent);
    this.actPart.querySelector(".hint")?.scrollIntoView({ block: "nearest" });
  }

  // The head of a hint: which bot it is of, to be changed there, and what it would do, with its value in words.
  hintHead() {
    const { bot, line, actions: [best], scale } = this.hint;
    const asked = element("select", { "aria-label": "Bot that gives hints" }, ...specsOf(this.known).map((spec) => element("option", { value: spec }, spec)));
    asked.value = bot;
    asked.addEventListener("change", () => {
      keepSetting("bot", asked.value);
      this.askHint();
    });
    const value = valueWords(best.value, scale);
    const away = element("button", { class: "away", "aria-label": "Close the hint" }, "×");
    away.addEventListener("click", () => {
      this.hint = null;
      this.show();
    });
    return [
      away,
      element("h2", {}, "Hint of ", asked),
      element("p", { class: "best" }, element("b", {}, capital(line.map(({ words }) => words).join(" · "))), value ? ` (${value})` : ""),
    ];
  }

  hearThinking({ seat }) {
    this.thinking = seat;
    if (this.state) this.showQuestion();
  }

  hearError({ code, text, about }) {
    if (QUIET.includes(about) && this.state !== null) return;
    if (about !== "hint") this.sent = null;
    if (this.wire.over) return showFailure("This link does not open a table", [`${capital(text)}.`, COPY]);
    if (!this.wire.up) return; // it is told with the end of the connection
    if (this.people.dialog?.hearError(about, text)) return;
    this.notice = about === "hint" && code === "stale" ? "" : text;
    this.show();
  }

  // Gestures

  // Whether this seat is asked and no earlier position is shown.
  get asked() {
    return this.state !== null && this.looking === null && this.state.legal.length > 0;
  }

  async askHint() {
    if (!this.asked) return;
    const { hash } = this.state;
    this.notice = "Thinking about a hint …";
    this.show();
    const known = await this.options();
    if (!known) return;
    const specs = specsOf(known);
    const bot = [setting("bot"), "scripted", specs[0]].find((each) => specs.includes(each));
    if (!this.wire.send({ type: "hint", hash, bot })) this.notice = "";
  }

  // The bots of the game; null, and said, if the server does not tell them.
  async options() {
    try {
      return (this.known ??= (await underWay(ask("api/options"))).games[this.game]);
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  // Says why something was not done.
  fail(error) {
    this.notice = sentenceOf(error);
    this.show();
  }

  async openSettings() {
    const known = await this.options();
    if (!known) return;
    this.settings ??= settingsDialog(known, this.moves);
    if (!this.settings.isConnected) document.body.append(this.settings);
    if (!this.settings.open) this.settings.showModal();
  }

  // The luck of a game that is over, measured once; the part stays while the game is reviewed.
  luck() {
    const { hash } = this.state;
    if (this.measured !== hash) {
      this.measured = hash;
      this.part("luck", "section", { class: "panel", "aria-label": "Luck" });
      const more = mayStudy(this.state) ? [choicesLink(this)] : [];
      import("./luck.js").then(({ showLuck }) => showLuck(this.luckPart, () => luckOf(this), (number) => this.look(number), ...more), () => (this.measured = null));
    }
    return this.luckPart;
  }

  toggleLog() {
    document.body.classList.toggle("logged");
    this.showLog();
  }

  // Sends what changes the position, once for each position; whether it is on its way.
  sendOnce(message) {
    const { hash } = this.state;
    if (this.sent === hash || !this.wire.send({ ...message, hash })) return false;
    this.sent = hash;
    return true;
  }

  // Says why, where there is no undo.
  undo() {
    if (!this.state) return;
    if (this.state.undo) return void this.sendOnce({ type: "undo" });
    this.notice = NO_UNDO;
    this.showQuestion();
  }

  // Showing

  // The line below the question. Notices are spoken here; what happens is spoken when it is heard.
  showNews(words) {
    const said = this.notice || this.people.news;
    this.voice.note(said);
    if (this.newsPart.textContent !== (said || words)) this.newsPart.textContent = said || words;
  }

  // Whether it waits for the server, or draws.
  get busy() {
    return !this.gate.painted || (this.state !== null && this.sent === this.state.hash);
  }

  showBusy() {
    setBusy(this, this.busy);
  }

  showTools() {
    const { undo } = this.state;
    this.undoButton.disabled = !this.wire.up;
    this.undoButton.setAttribute("aria-disabled", String(!undo));
    this.undoButton.textContent = UNDO[undo] ?? "Undo";
    this.undoButton.title = undo ? "Take the last choice back (u)" : NO_UNDO;
    this.hintButton.disabled = !this.asked || !this.wire.up;
  }

  get logShown() {
    return document.body.classList.contains("logged");
  }

  showLog() {
    const readsOn = this.reading;
    this.reading = this.logShown && this.state !== null;
    if (!this.reading) return;
    const away = element("button", { class: "close", "aria-label": "Close the log" }, "×");
    away.addEventListener("click", () => this.toggleLog());
    const { told, times, state } = this;
    const entries = logEntries(told, {
      seatTitle: (name) => this.seatTitle(name), sideOf: (name) => state.picture?.seats[name]?.side ?? "",
      look: this.wire.up ? (number) => this.look(number) : null, deeds: state.deeds ?? [], times,
    });
    redrawLog(this.logPart, readsOn, away, ...entries);
  }

  nameOfSeat(name) {
    return this.state.seats.find((seat) => seat.name === name)?.title ?? "Somebody";
  }

  // Before what it chose, in the log.
  seatTitle(name) {
    return this.nameOfSeat(name);
  }
}

// The way home.
export function homeLink() {
  return element("a", { href: "./", class: "to-home", title: "All games and tables", "aria-label": "All games and tables" }, "⌂");
}

// The value of a choice in the words of its scale; empty if there is none.
export function valueWords(value, scale) {
  if (value === null || value === undefined) return "";
  const percent = `${Math.round(100 * value)}%`;
  if (/wins/.test(scale)) return `wins ${percent} of games`;
  return /plays it/.test(scale) ? `plays it ${percent} of the time` : `${scale}: ${Number(value).toFixed(2)}`;
}

// A dialog with keys and what they do, and more words.
export function keysDialog(keys, ...words) {
  return element(
    "dialog", { "aria-label": "Keys" }, element("h2", {}, "Keys"),
    element("dl", {}, ...keys.flatMap(([key, meaning]) => [element("dt", {}, key), element("dd", {}, meaning)])),
    ...words.map((each) => element("p", {}, each)), element("form", { method: "dialog" }, element("button", {}, "Close")),
  );
}
