// The analysis board: any game stepped through, branched, and thought about. The page holds the game; the server keeps nothing.
//
// What differs between games lies in the stage of the game, which shows positions and asks for their choices: `Stage` in
// `drawn_stage.js` for games that the server draws, and in `war_of_the_ring/stage.js`.
import { homeLink } from "../base.js";
import { copyText, element, placeTip, sentenceOf } from "../elements.js";
import { Lines } from "./lines.js";
import { logEntries } from "../log.js";
import { Address, openKept, readAddress } from "./address.js";
import { Advisers } from "./bots.js";
import { openings } from "./open.js";
import { askStudy } from "./questions.js";
import { Track } from "./track.js";
import { ask, underWay } from "../wire.js";

const STORED = "wotr-study";
const DIGITS = "1234567890";
const CACHED = 400; // positions
const SAVED = 60_000; // milliseconds after which a download has surely been read
const NEWS = 6; // actions of which the newest lines tell

export async function openStudy() {
  const sheet = element("link", { rel: "stylesheet", href: new URL("../study.css", import.meta.url).pathname });
  const styled = new Promise((resolve) => ["load", "error"].forEach((kind) => sheet.addEventListener(kind, resolve)));
  document.head.append(sheet);
  const { games } = await ask("api/options");
  await styled;
  const study = new Study(games);
  try {
    if (!(await study.openAddress())) await study.restore();
  } catch (error) {
    study.tell(sentenceOf(error));
  }
}

class Study {
  constructor(games) {
    this.games = games;
    this.stage = null;
    this.lines = null;
    this.number = 0;
    this.eyes = null;
    this.positions = new Map();
    this.address = new Address(this);
    this.build();
    this.listen();
  }

  // The page

  build() {
    const part = (id, tag, attributes = {}, ...children) => (this[`${id}Part`] = element(tag, { id, ...attributes }, ...children));
    const button = (id, words, title, act) => {
      const made = element("button", { id: `do-${id}`, title }, words);
      made.addEventListener("click", act);
      return made;
    };
    document.body.className = "study";
    document.body.dataset.tab = "play";
    document.title = "Analysis board";
    this.eyesPart = element("select", { "aria-label": "Seen by", title: "Whose view is shown (e)" });
    this.eyesPart.addEventListener("change", () => this.look(this.eyesPart.value || null));
    const head = element(
      "header", {},
      element("div", { class: "where" }, homeLink(), part("turn", "p")), element("div", { class: "asked" }, part("question", "h1", { "aria-live": "polite" }), part("news", "p", { "aria-live": "polite" })),
      element(
        "div", { class: "tools", role: "toolbar", "aria-label": "Study" }, this.eyesPart,
        button("open", "Open …", "Another game (o)", () => this.opening()), button("save", "Download", "The line as a record", () => this.save()),
        button("copy", "Copy", "The position as text, with the information of the chosen view", () => this.copy()), button("share", "Share", "Copies the address of this game, tab and step", () => this.share()),
        button("help", "?", "Keys (?)", () => this.help.showModal()),
      ),
    );
    const section = (id, words) => part(id, "section", { role: "tabpanel", "aria-label": words });
    this.sections = { play: section("play", "Play"), log: section("log", "Log"), bots: section("bots", "Bots") };
    this.keysPart = element("dl", {});
    this.help = element("dialog", { "aria-label": "Keys" }, element("h2", {}, "Keys"), this.keysPart, element("form", { method: "dialog" }, element("button", {}, "Close")));
    this.track = new Track((number) => this.go(number), (by) => this.step(by), (by) => this.stepOpening(by));
    this.opener = element("dialog", { "aria-label": "Open a game", class: "opener" });
    document.body.append(head, part("map", "main", {}), this.track.frame, part("side", "aside"), part("tip", "div", { role: "tooltip", hidden: "" }), this.help, this.opener);
    new ResizeObserver(() => this.stage?.fit()).observe(this.mapPart);
  }

  // Begins with an empty stage of a game.
  setStage(Stage, board) {
    document.body.className = "study";
    this.shown = null;
    this.stage = new Stage(this, board);
    document.body.classList.add(this.stage.look);
    const { stage } = this;
    this.mapPart.setAttribute("aria-label", stage.name);
    this.mapPart.replaceChildren(stage.part);
    this.track.stage = stage;
    const sections = { ...this.sections, ...stage.sections };
    const tabs = stage.tabs.map(([id, words]) => {
      const tab = element("button", { role: "tab", "data-tab": id, "aria-controls": id }, words);
      tab.addEventListener("click", () => this.openTab(id));
      return tab;
    });
    this.sidePart.replaceChildren(element("nav", { class: "tabs", role: "tablist" }, ...tabs), ...stage.tabs.map(([id]) => sections[id]));
    this.keysPart.replaceChildren(...this.keysInWords.flatMap(([key, words]) => [element("dt", {}, key), element("dd", {}, words)]));
  }

  get keysInWords() {
    const { tabs, opening, help } = this.stage;
    return [
      ["← →", "the position before, the next"], ["Shift ← →", `the ${opening.name} before, the next`], ["Home End", "the first position, the last"],
      ["↑ ↓", "the line before, the next"], ["1–9, 0", "play the choice with that number"], ["e", "the next view"], ["b, h", "ask the bots"],
      [tabs.map(([, , key]) => key).join(" "), tabs.map(([, words]) => words.toLowerCase()).join(", ")], ["o", "open another game"], ...help, ["?", "this help"],
    ];
  }

  openTab(id) {
    document.body.dataset.tab = id;
    for (const tab of this.sidePart.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", tab.dataset.tab === id);
    for (const section of this.sidePart.querySelectorAll("section[role=tabpanel]")) section.hidden = section.id !== id;
    if (id === "log") this.loadLog();
    this.address.follow();
  }

  tell(words, wrong = true) {
    this.newsPart.textContent = words;
    this.newsPart.classList.toggle("wrong", wrong);
    if (!this.lines) this.questionPart.textContent = "Open a game";
  }

  // Opening and keeping

  opening() {
    const { body, read } = openings(this.games, this.start?.game, (opened) => this.open(opened));
    this.opener.replaceChildren(body);
    if (!this.opener.open) this.opener.showModal();
    return read;
  }

  // Opens another game; "back" leads to the one before.
  async open(opened) {
    if (this.lines) {
      await this.address.write();
      history.pushState(null, "", "study");
    }
    await this.begin(opened);
  }

  // Opens what the address asks for; whether it asks for anything.
  async openAddress() {
    const { turn } = this.address;
    const found = await readAddress();
    if (found && turn === this.address.turn) await this.begin(...found); // unless the browser has gone to another entry meanwhile
    return found !== null;
  }

  // Shows a game from the answer of open, at a place; lines are those that were stored. If eyes are given, only this seat's knowledge is true.
  async begin(
    { start, actions, players, board, seats, teams, title, source = "", eyes = null, ended = null, ...outline },
    { lines = null, line = 0, number = 0, look = eyes, tab = null } = {},
  ) {
    const { turn } = this.address;
    const { Stage } = await underWay(import(board.drawn ? "./drawn_stage.js" : "../war_of_the_ring/stage.js"));
    if (turn !== this.address.turn) return; // the browser has gone to another entry meanwhile
    this.opener.close();
    Object.assign(this, { start, players, seats, teams, title, eyes: look, ended, knower: eyes });
    this.lines = lines ?? new Lines(actions);
    this.given = actions; // of the game as it was opened
    this.address.source = source;
    this.line = this.lines.all[line] ?? this.lines.main;
    this.outline = { ...outline, line: this.line };
    this.positions.clear();
    this.setStage(Stage, board);
    this.advisers?.leave();
    this.advisers?.stop();
    this.advisers = new Advisers(this);
    this.eyesPart.replaceChildren(
      element("option", { value: "" }, eyes === null ? "All open" : "All open, hidden cards at random"),
      ...seats.map((seat) => element("option", { value: seat.name }, `Seen by ${seat.title}${[null, seat.name].includes(eyes) ? "" : ", at random"}`)),
    );
    this.eyesPart.value = look ?? "";
    this.botsPart.replaceChildren(...this.advisers.parts);
    const ids = this.stage.tabs.map(([id]) => id);
    this.openTab([tab, document.body.dataset.tab].find((id) => ids.includes(id)) ?? "play");
    this.go(number);
    this.followLine();
  }

  async restore() {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "null");
    if (!stored) return this.opening();
    await this.begin(...(await openKept(stored, stored)));
  }

  keep() {
    const { start, players, lines, line, number, knower: eyes, ended } = this;
    try {
      localStorage.setItem(STORED, JSON.stringify({ start, players, lines, line: lines.all.indexOf(line), number, eyes, ended }));
    } catch {
      this.tell("This browser cannot store the study; download it.");
    }
    this.address.follow();
  }

  async share() {
    await this.address.write();
    if (await copyText(location.href, "The address of this game, tab and step")) this.tell("The address is copied.", false);
  }

  async save() {
    if (!this.lines) return;
    const line = { start: this.start, actions: this.path, players: this.players };
    try {
      const record = await askStudy("record", line);
      const url = URL.createObjectURL(new Blob([record], { type: "application/json" }));
      element("a", { href: url, download: "study.jsonl" }).click();
      setTimeout(() => URL.revokeObjectURL(url), SAVED);
    } catch (error) {
      this.tell(sentenceOf(error));
    }
  }

  // The position shown as a line of text, to paste it here or into a command.
  async copy() {
    if (!this.shown) return;
    try {
      const asked = { start: this.start, actions: this.path, number: this.number, eyes: this.eyes };
      const { text } = await askStudy("notation", asked);
      if (await copyText(text, "The position as text")) this.tell(`The position is copied: ${text.slice(0, 40)} …`, false);
    } catch (error) {
      this.tell(sentenceOf(error));
    }
  }

  // Lines

  get path() {
    return this.lines.path(this.line);
  }

  // The line in short; asked for when it has changed. Null if the server does not answer, or the page has gone on.
  async findOutline() {
    const { line } = this;
    const length = this.lines.length(line);
    if (this.outline?.line !== line || this.outline.number !== length) {
      const found = await askStudy("line", { start: this.start, actions: this.path }).catch((error) => this.tell(sentenceOf(error)));
      if (!found || this.line !== line || this.lines.length(line) !== length) return null;
      this.outline = { ...found, line };
    }
    return this.outline;
  }

  // Shows the line at the slider, with its curve and its log.
  async followLine() {
    if (!(await this.findOutline())) return;
    const length = this.lines.length(this.line);
    this.track.show(Math.min(this.number, length), length);
    this.track.outline(this.outline);
    this.advisers.draw();
    this.loadLog();
  }

  // Plays a choice of the position that is shown; while the page is on its way to another there is none.
  playAction(action) {
    if (this.shown?.place !== this.place) return;
    this.line = this.lines.play(this.line, this.number, action);
    this.go(this.number + 1);
    this.followLine();
  }

  choose(line, number = Math.min(this.lines.length(line), Math.max(line.at + 1, 1))) {
    this.line = line;
    this.go(number);
    this.followLine();
  }

  remove(line) {
    const number = Math.min(this.number, line.at);
    this.lines.remove(line);
    this.choose(this.lines.all.includes(this.line) ? this.line : line.parent, number);
  }

  promote(line) {
    this.lines.promote(line);
    this.choose(this.line, this.number);
  }

  step(by) {
    if (this.lines) this.go(this.number + by);
  }

  stepOpening(by) {
    const openings = this.outline?.line === this.line ? this.outline.openings : [];
    const next = by > 0 ? openings.find((number) => number > this.number) : openings.findLast((number) => number < this.number);
    this.go(next ?? (by > 0 ? this.lines.length(this.line) : 0));
  }

  // Positions

  async go(number) {
    if (!this.lines || this.stage.held) return;
    const length = this.lines.length(this.line);
    this.number = Math.max(0, Math.min(length, number));
    this.track.show(this.number, length);
    this.advisers.leave();
    await this.load();
  }

  look(eyes) {
    this.eyes = eyes;
    this.eyesPart.value = eyes ?? "";
    this.load();
    this.loadLog();
  }

  get place() {
    return this.placeOf(this.number);
  }

  placeOf(number) {
    return `${this.lines.owner(this.line, number).id}:${number}:${this.eyes}:${this.stage.form}`;
  }

  // A position of the line for the same eyes, if it is at hand.
  known(number) {
    return this.positions.get(this.placeOf(number));
  }

  // Fetches a position of the line, which then is at hand.
  async fetch(number, signal) {
    const { eyes, stage } = this;
    const place = this.placeOf(number);
    const body = { start: this.start, actions: this.path, number, eyes, after: Math.max(0, number - NEWS), ...(stage.form ? { form: stage.form } : {}) };
    const found = { ...(await askStudy("position", body, signal)), place };
    this.positions.set(place, found);
    if (this.positions.size > CACHED) this.positions.delete(this.positions.keys().next().value);
    return found;
  }

  // Fetches the position if it is not at hand, and shows it unless the page has gone on.
  async load() {
    const { line, number, place, stage } = this;
    if (!this.positions.has(place)) {
      for (const answers of this.playPart.querySelectorAll(".answers")) answers.inert = true;
      this.loading?.abort();
      this.loading = new AbortController();
      try {
        await this.fetch(number, this.loading.signal);
      } catch (error) {
        if (error.name === "AbortError") return;
        this.tell(sentenceOf(error));
        const again = element("button", { type: "button", class: "act" }, "Try again");
        again.addEventListener("click", () => this.load());
        return this.playPart.replaceChildren(again);
      }
    }
    if (line !== this.line || stage !== this.stage || place !== this.place) return;
    const earlier = this.shown;
    this.shown = this.positions.get(place);
    this.show(earlier);
    this.keep();
  }

  show(earlier) {
    const { shown, stage } = this;
    stage.show(shown, earlier);
    this.turnPart.replaceChildren(...stage.title(shown));
    this.questionPart.textContent = this.questionWords();
    this.newsPart.classList.remove("wrong");
    this.newsPart.textContent = stage.news(shown.told) || `${this.title}; ${this.about()}`;
    this.showPlay();
    this.markLog();
  }

  showPlay() {
    this.playPart.replaceChildren(...this.choices(), ...this.branches());
  }

  titleOf(name) {
    return this.seats.find((seat) => seat.name === name)?.title ?? "";
  }

  // The class of a team, by its place among those that play.
  lookOf(team) {
    return `team-${this.teams.findIndex(({ name }) => name === team)}`;
  }

  // Where the game comes from.
  about() {
    const knower = this.seats.find(({ name }) => name === this.knower);
    if (knower) return `what ${knower.title} knows of a game in play; hidden cards and later dice are drawn at random`;
    const end = this.ended ? `; ${this.ended}` : "";
    return (this.players.filter(Boolean).join(" against ") || this.stage.origin || "players unknown") + end;
  }

  questionWords() {
    return this.shown.question?.text ?? this.shown.ending;
  }

  // What may be played, as the stage arranges it; what follows in the line stands out.
  choices() {
    const { legal, asks } = this.shown;
    if (!legal.length) {
      const words = asks ? "This seat does not decide here. To add a line, choose “All open” or the deciding seat." : "The game is over.";
      return [element("p", { class: "muted" }, words)];
    }
    let place = 0;
    return this.stage.choices(this.shown, (choice) => this.choiceButton(choice, DIGITS[place++]));
  }

  choiceButton({ id, name, words }, digit) {
    const next = id === this.path[this.number];
    const key = digit ? [element("kbd", {}, digit)] : [];
    const made = element("button", { class: `answer ${next ? "primary" : ""}`, "data-action": id, "data-name": name }, ...key, element("span", {}, words));
    if (next) made.title = "the next action of this line";
    made.addEventListener("click", () => this.playAction(id));
    this.showsWhere(made, name);
    return made;
  }

  // A button of a choice shows where the choice is, when it is pointed at.
  showsWhere(button, name) {
    for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => this.stage.mark(name));
    for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => this.stage.mark(null));
  }

  branches() {
    const items = this.lines.all.map((line) => {
      const words = line.parent === null ? `Main line, ${line.actions.length} actions` : `Line ${line.id}, leaves ${line.parent.parent === null ? "the main line" : `line ${line.parent.id}`} after ${line.at}: ${line.actions.length} more`;
      const made = element("button", { class: "line", "aria-pressed": line === this.line }, words);
      made.addEventListener("click", () => this.choose(line));
      if (line.parent === null) return element("li", {}, made);
      const gone = element("button", { class: "gone", title: "Take this line away", "aria-label": `Take line ${line.id} away` }, "✕");
      gone.addEventListener("click", () => this.remove(line));
      const main = element("button", { class: "promote", title: "Make this the main line", "aria-label": `Make line ${line.id} the main line` }, "⇧");
      main.addEventListener("click", () => this.promote(line));
      return element("li", { class: `deep${Math.min(4, depth(line))}` }, made, main, gone);
    });
    return [element("h2", {}, "Lines"), element("ul", { class: "lines" }, ...items)];
  }

  // The log

  toldOf(line, number) {
    const owner = this.lines.owner(line, number);
    owner.told ??= {};
    owner.told[this.eyes ?? ""] ??= [];
    return owner.told[this.eyes ?? ""];
  }

  // Fetches what the log lacks, some actions at a time, while it is open.
  async loadLog() {
    this.telling?.abort(); // its answers would be taken for those of other eyes
    if (!this.lines || document.body.dataset.tab !== "log") return;
    const { signal } = (this.telling = new AbortController());
    const { start, line, path: actions, eyes } = this;
    const length = this.lines.length(line);
    this.logWaits = 0;
    try {
      for (let number = 1; number <= length; number++) {
        if (this.toldOf(line, number)[number]) continue;
        const found = await askStudy("told", { start, actions, after: number - 1, eyes }, signal);
        for (let each = number; each <= found.number; each++) this.toldOf(line, each)[each] = [];
        for (const sentence of found.told) this.toldOf(line, sentence.number)[sentence.number].push(sentence);
        number = found.number;
        if (performance.now() > this.logWaits) this.showLog(number);
      }
      this.showLog(length);
    } catch (error) {
      if (error.name !== "AbortError") this.tell(sentenceOf(error));
    }
  }

  // A long log is drawn again only when that takes little of the time until then.
  showLog(length) {
    const began = performance.now();
    const told = Array.from({ length }, (_, place) => this.toldOf(this.line, place + 1)[place + 1] ?? []).flat();
    const seatTitle = (name) => this.stage.seatTitle(this.titleOf(name));
    const sideOf = (name) => this.lookOf(this.seats.find((seat) => seat.name === name)?.team);
    const entries = logEntries(told, { seatTitle, sideOf, look: (number) => this.go(number) });
    for (const made of entries) made.open = false;
    this.logPart.replaceChildren(...entries);
    this.markLog();
    this.logWaits = performance.now() + 8 * (performance.now() - began);
  }

  // Marks in the log what led to the position.
  markLog() {
    const entries = [...this.logPart.querySelectorAll("details")];
    const now = entries.findLast(({ dataset }) => Number(dataset.number) <= this.number) ?? null;
    for (const made of entries) made.classList.toggle("now", made === now);
    if (now && document.body.dataset.tab === "log") {
      now.open = true;
      now.scrollIntoView({ block: "center" });
    }
  }

  // Keys and tips

  listen() {
    document.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, (event) => this.tip(event));
    for (const kind of ["pointerdown", "focusout"]) document.addEventListener(kind, () => (this.tipPart.hidden = true));
    addEventListener("popstate", () => {
      this.address.leave();
      this.openAddress().catch((error) => this.tell(sentenceOf(error)));
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", async (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) this.opening()(await file.text());
    });
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input:not([type=range]), select, textarea")) return;
    if (!this.lines && event.key !== "o") return;
    const tabs = (this.stage?.tabs ?? []).map(([id, , key]) => [key, () => this.openTab(id)]);
    const keys = {
      ArrowLeft: () => (event.shiftKey ? this.stepOpening(-1) : this.step(-1)), ArrowRight: () => (event.shiftKey ? this.stepOpening(1) : this.step(1)),
      Home: () => this.go(0), End: () => this.go(this.lines.length(this.line)), ArrowUp: () => this.otherLine(-1), ArrowDown: () => this.otherLine(1),
      e: () => this.otherEyes(), b: () => this.advisers.ask(), h: () => this.advisers.ask(), o: () => this.opening(), "?": () => this.help.showModal(),
      ...Object.fromEntries(tabs), ...this.stage?.keys,
    };
    const digit = DIGITS.indexOf(event.key);
    if (digit >= 0) this.playPart.querySelectorAll("[data-action]")[digit]?.click();
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  }

  otherLine(by) {
    const { all } = this.lines;
    const place = all.indexOf(this.line) + by;
    if (all[place]) this.choose(all[place]);
  }

  otherEyes() {
    const names = [null, ...this.seats.map(({ name }) => name)];
    this.look(names[(names.indexOf(this.eyes) + 1) % names.length]);
  }

  tip({ target }) {
    const found = target instanceof Element && this.shown ? this.stage.hover(target) : null;
    this.tipPart.hidden = !found;
    if (!found) return;
    this.tipPart.replaceChildren(...found.words);
    placeTip(this.tipPart, found.thing);
  }
}

function depth({ parent }) {
  return parent === null ? 0 : 1 + depth(parent);
}
