// People at a table besides their play: names, clocks, offers, resigning, chat, and the next game.
import { element } from "./elements.js";
import { linkOf } from "./links.js";
import { forgetLink } from "./mine.js";
import { Notices } from "./notices.js";
import { keepSetting, setting } from "./settings.js";
import { Failure, againAt, leaveSeat, underWay } from "./wire.js";

const PERSON = "person";
const MOST_OF_NAME = 24;
const TICK = 250; // milliseconds between two looks at the clocks
const SHORT = 30; // seconds below which a clock warns
const ASKED = { draw: "a draw", resign: "to resign" };

export class People {
  constructor(table) {
    this.table = table;
    this.state = null;
    this.chat = [];
    this.repeats = false; // whether the next lines may be known
    this.read = lastRead(table.token); // the line up to which the chat was read
    this.notices = new Notices(table);
    this.named = false; // whether the kept name was sent, or no name is wanted
    this.warned = false; // that the own time is short
    this.dialog = null; // made when it is opened first
    this.button = table.tool("people", "Table", "Players, draw, resign", () => this.open());
    this.clocks = element("div", { class: "clocks", role: "timer", "aria-label": "Clocks", hidden: "" });
    setInterval(() => this.tick(), TICK);
  }

  // The newest position.
  hear(state) {
    this.notices.hear(this.state, state);
    this.state = state;
    this.heard = performance.now();
    const kept = setting("name");
    if (!this.named && this.mine && !this.mine.called && kept) this.call(kept);
    this.show();
  }

  hearChat({ lines }) {
    const fresh = lines.slice(this.repeats ? knownOf(lines, this.chat) : 0);
    if (this.dialog && fresh.some(({ seat }) => seat === this.state?.seat)) this.dialog.said = "";
    this.chat.push(...fresh);
    this.repeats = false;
    this.show();
    this.dialog?.scroll();
  }

  // A new connection sends the chat again.
  forget() {
    this.repeats = true;
  }

  // How many lines of others were not read.
  get unread() {
    if (!this.mine) return 0;
    return this.chat.slice(placeOf(this.chat, this.read) + 1).filter(({ seat }) => seat !== this.state.seat).length;
  }

  // All lines are read.
  readAll() {
    this.read = textOf(this.chat.at(-1));
    keepRead(this.table.token, this.read);
  }

  get mine() {
    return this.state?.seats.find(({ name }) => name === this.state.seat) ?? null;
  }

  get others() {
    return this.state.seats.filter(({ name, kind }) => kind === PERSON && name !== this.state.seat);
  }

  call(name) {
    this.named = this.table.wire.send({ type: "call", name });
  }

  async open() {
    const found = await underWay(import("./people_dialog.js")).catch(() => null);
    if (found === null) return this.table.fail(new Failure());
    const { PeopleDialog } = found;
    this.dialog ??= new PeopleDialog(this);
    this.dialog.open();
    this.show();
  }

  // Whether people ended the game, not the rules.
  get ended() {
    return this.state.result !== null && this.state.deeds.at(-1)?.text === this.state.ending;
  }

  // The last offer or answer, until somebody plays on.
  get news() {
    const last = this.state.deeds.at(-1);
    return last && !this.state.result && last.number === this.state.number ? last.text : "";
  }

  // Gives the seat back, so that somebody else may take it.
  async leave() {
    const { id, token, wire } = this.table;
    wire.over = true; // the server closes the connection
    try {
      await leaveSeat(this.table);
      forgetLink(id, token);
      location.assign("./");
    } catch (error) {
      wire.over = false;
      if (wire.socket === null) wire.connect();
      this.table.notice = error.message;
      this.table.show();
    }
  }

  // Showing

  show() {
    const { state } = this;
    if (!state) return;
    this.dialog?.show();
    const waiting = this.proposals.length + this.unread;
    this.button.replaceChildren(element("span", {}, "Table"), ...(waiting ? [element("i", { class: "count" }, waiting)] : []));
    this.button.setAttribute("aria-label", waiting ? `Table, ${waiting} new` : "Table");
    this.button.classList.toggle("news", waiting > 0);
    this.showClocks();
  }

  act(words, act, kind = "") {
    const made = element("button", { type: "button", class: `act ${kind}` }, words);
    made.addEventListener("click", act);
    return made;
  }

  // The offers that this seat answers, or may withdraw.
  get proposals() {
    const { proposals, seat } = this.state;
    return proposals.filter(({ seat: who, waits }) => seat !== null && (who === seat || waits.includes(seat)));
  }

  proposal({ id, kind, seat, waits }) {
    const answer = (agree) => () => this.table.wire.send({ type: "answer", proposal: id, agree });
    const own = seat === this.state.seat;
    const others = waits.map((name) => this.titleOf(name)).join(", ");
    const words = own ? `You offer ${ASKED[kind]}; waiting for ${others}.` : `${this.titleOf(seat)} offers ${ASKED[kind]}.`;
    const buttons = own ? [this.act("Withdraw", answer(false))] : [this.act("Accept", answer(true), "go"), this.act("Decline", answer(false))];
    return element("p", { class: "offer", role: "status" }, element("span", {}, words), ...buttons);
  }

  titleOf(name) {
    const seat = this.state.seats.find((each) => each.name === name);
    return seat.called ? `${seat.called} (${seat.title})` : seat.title;
  }

  // What stands above the answers: offers, a name that is missing, and the next game.
  cards() {
    const { state } = this;
    if (!state) return [];
    const cards = this.proposals.map((each) => this.proposal(each));
    if (!this.named && this.mine && !this.mine.called && this.others.length && !state.result) cards.push(this.askName());
    return cards;
  }

  // One line that asks for a name, until it is given or refused.
  askName() {
    if (this.asking) return this.asking;
    const input = nameInput("Your name for the others");
    const away = this.act("×", () => {
      this.named = true;
      this.table.show();
    });
    away.setAttribute("aria-label", "Without a name");
    this.asking = element("form", { class: "ask-name", "aria-label": "Name" }, input, element("button", { class: "act" }, "OK"), away);
    this.asking.addEventListener("submit", (event) => {
      event.preventDefault();
      this.keepName(input.value);
      this.table.show();
    });
    return this.asking;
  }

  keepName(name) {
    keepSetting("name", name.trim());
    this.call(name);
  }

  // Clocks

  left(name) {
    const { clock } = this.state;
    const since = clock.runs === name ? (performance.now() - this.heard) / 1000 : 0;
    return Math.max(0, clock.left[name] - since);
  }

  showClocks() {
    const { state } = this;
    this.clocks.hidden = !state.clock;
    if (!state.clock) return;
    this.clocks.replaceChildren(...state.seats.map(({ name, title }) => {
      const runs = state.clock.runs === name;
      const words = runs ? [element("span", { class: "spoken" }, " is to decide")] : [];
      return element("span", { class: `clock ${runs ? "runs" : ""}`, "data-seat": name, title: runs ? `${title} is to decide` : title }, element("span", {}, title, ...words), element("b", {}));
    }));
    this.tick();
  }

  tick() {
    if (!this.state?.clock) return;
    for (const chip of this.clocks.children) {
      const left = this.left(chip.dataset.seat);
      const words = clockWords(left);
      if (chip.lastChild.textContent !== words) chip.lastChild.textContent = words;
      const short = left < SHORT && chip.classList.contains("runs");
      chip.classList.toggle("short", short);
      if (chip.dataset.seat !== this.state.seat) continue;
      if (short && !this.warned) this.table.voice.say(`You have less than ${SHORT} seconds left.`);
      this.warned = left < SHORT && (short || this.warned);
    }
  }

  // After the end

  // Buttons for the next game, or the way to it if somebody has opened it.
  again(button) {
    const { rematch, seat, seats } = this.state;
    if (rematch) return [button(seat === null ? "Watch the next game" : "Join the next game", () => this.follow(false), { primary: true })];
    if (seat === null || seats.every(({ kind }) => kind !== PERSON)) return [];
    return [
      button("Play again", () => this.follow(false), { primary: true }),
      ...(seats.length > 1 ? [button("Play again, sides swapped", () => this.follow(true))] : []),
    ];
  }

  async follow(swap) {
    if (this.following) return;
    this.following = true;
    try {
      const { table, token } = await againAt(this.table, swap);
      location.assign(linkOf(table, token));
    } catch (error) {
      this.following = false;
      this.table.notice = error.message;
      this.table.show();
    }
  }
}

// Lines of the chat as text; two lines may have the same.
function textOf(line) {
  return JSON.stringify(line ?? null);
}

// How many of the first lines end the chat already.
function knownOf(lines, chat) {
  let number = Math.min(lines.length, chat.length);
  while (textOf(lines.slice(0, number)) !== textOf(chat.slice(chat.length - number))) number -= 1;
  return number;
}

// The place of a line in the chat; -1: it is not there.
function placeOf(lines, text) {
  return lines.findLastIndex((line) => textOf(line) === text);
}

// The line up to which the chat of a link was read in this tab of the browser.
function lastRead(token) {
  try {
    return sessionStorage.getItem(`wotr.read.${token}`);
  } catch {
    return null; // this browser keeps nothing
  }
}

function keepRead(token, text) {
  try {
    sessionStorage.setItem(`wotr.read.${token}`, text);
  } catch {
    return; // there is no room, or nothing is kept
  }
}

// Who plays a seat, as the others read it.
export function nameOf({ kind, called }) {
  return called ?? (kind === PERSON ? "a person" : kind);
}

export function nameInput(words) {
  return element("input", { "aria-label": words, placeholder: words, maxlength: MOST_OF_NAME, autocomplete: "nickname" });
}

// Minutes and seconds, below ten seconds with a tenth.
function clockWords(seconds) {
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
