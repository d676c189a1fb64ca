// People at a table besides their play: names, clocks, offers, resigning, chat, and the next game.
import { element, redraw } from "./elements.js";
import { linkOf } from "./links.js";
import { Notices } from "./notices.js";
import { reportButton } from "./report.js";
import { keepSetting, setting } from "./settings.js";
import { againAt } from "./wire.js";

const PERSON = "person";
const OFF = "off";
const MOST_OF_NAME = 24;
const MOST_OF_LINE = 300;
const TICK = 250; // milliseconds between two looks at the clocks
const SHORT = 30; // seconds below which a clock warns
const ASKED = { draw: "a draw", resign: "to resign" };

export class People {
  constructor(table) {
    this.table = table;
    this.state = null;
    this.chat = [];
    this.unread = 0;
    this.notices = new Notices(table);
    this.named = false; // whether the kept name was sent, or no name is wanted
    this.resigning = false; // whether to resign is to be confirmed
    this.button = table.tool("people", "Table", "Players, draw, resign", () => this.open());
    this.clocks = element("div", { class: "clocks", role: "timer", "aria-label": "Clocks", hidden: "" });
    this.body = element("div", { class: "people-body" });
    this.lines = element("ol", { class: "chat-lines", "aria-label": "Chat", "aria-live": "polite" });
    this.name = this.nameForm();
    this.talk = this.chatForm();
    this.telling = element("section", { class: "telling" });
    this.dialog = element(
      "dialog", { class: "people", "aria-label": "Table" }, element("h2", {}, "Table"), this.body, this.name, this.lines, this.talk, this.telling,
      element("form", { method: "dialog" }, element("button", {}, "Close")),
    );
    this.dialog.addEventListener("close", () => (this.resigning = false));
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
    const open = this.dialog.open;
    this.chat.push(...lines);
    if (!open && this.state?.seat !== null) this.unread += lines.filter(({ seat }) => seat !== this.state?.seat).length;
    this.show();
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  // A new connection sends the whole chat again.
  forget() {
    this.chat = [];
    this.unread = 0;
  }

  get mine() {
    return this.state?.seats.find(({ name }) => name === this.state.seat) ?? null;
  }

  get others() {
    return this.state.seats.filter(({ name, kind }) => kind === PERSON && name !== this.state.seat);
  }

  call(name) {
    this.named = true;
    this.table.wire.send({ type: "call", name });
  }

  open() {
    this.unread = 0;
    if (!this.dialog.isConnected) document.body.append(this.dialog);
    this.show();
    this.telling.replaceChildren(this.notices.button(), reportButton(this.table));
    if (!this.dialog.open) this.dialog.showModal();
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  send(message) {
    this.resigning = false;
    this.table.wire.send(message);
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

  // Showing

  show() {
    const { state } = this;
    if (!state) return;
    const waiting = this.proposals.length + this.unread;
    this.button.replaceChildren(element("span", {}, "Table"), ...(waiting ? [element("i", { class: "count" }, waiting)] : []));
    this.button.setAttribute("aria-label", waiting ? `Table, ${waiting} new` : "Table");
    this.button.classList.toggle("news", waiting > 0);
    this.showClocks();
    if (!this.dialog.open && this.dialog.isConnected) return;
    redraw(this.body, element("ul", { class: "players", "aria-label": "Players" }, ...state.seats.map((seat) => this.row(seat))), ...this.acts());
    this.name.hidden = state.seat === null;
    this.lines.hidden = this.talk.hidden = state.chat === OFF;
    this.talk.hidden ||= state.seat === null;
    this.lines.replaceChildren(...(this.chat.length ? this.chat.map((line) => this.line(line)) : [element("li", { class: "muted" }, "Nobody has said anything yet.")]));
  }

  row(seat) {
    const { name, title, kind, here } = seat;
    const who = [name === this.state.seat ? "you" : "", kind === PERSON ? (here ? "here" : "away") : here ? "" : "stuck"].filter(Boolean).join(", ");
    const time = this.state.clock ? [element("span", { class: "time" }, clockWords(this.left(name)))] : [];
    return element(
      "li", { class: here ? "here" : "" }, element("b", {}, title), element("span", {}, nameOf(seat)), element("span", { class: "muted" }, who), ...time,
    );
  }

  line({ seat, text }) {
    const from = this.state.seats.find(({ name }) => name === seat);
    return element("li", {}, element("b", {}, `${from?.called ?? from?.title ?? seat}: `), text);
  }

  // The offers that wait for this seat, and what it may do itself.
  acts() {
    const { state } = this;
    if (state.seat === null) return [];
    if (state.result) return [];
    const offered = state.proposals.some(({ kind }) => kind === "draw");
    const draw = this.act("Offer a draw", () => this.send({ type: "offer" }));
    draw.disabled = offered;
    if (offered) draw.title = "A draw is offered already";
    if (!this.resigning) {
      const resign = this.act("Resign …", () => {
        this.resigning = true;
        this.show();
      });
      return [element("p", { class: "acts" }, draw, resign), ...this.proposals.map((each) => this.proposal(each))];
    }
    const partners = state.seats.filter(({ name, kind, team }) => kind === PERSON && name !== state.seat && team === this.mine.team);
    const words = partners.length ? "Resign? Your partners must agree." : "Resign? Your side loses, and the game is over.";
    return [element(
      "p", { class: "acts confirm", role: "alertdialog", "aria-label": "Confirm" }, element("span", {}, words),
      this.act("Yes, resign", () => this.send({ type: "resign" }), "danger"), this.act("No", () => {
        this.resigning = false;
        this.show();
      }),
    )];
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
    const answer = (agree) => () => this.send({ type: "answer", proposal: id, agree });
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
    this.name.querySelector("input").value = name;
    this.call(name);
  }

  nameForm() {
    const input = nameInput("Your name");
    input.value = setting("name");
    const form = element("form", { class: "ask-name", "aria-label": "Your name" }, element("label", {}, element("span", { class: "muted" }, "Your name"), input), element("button", { class: "act" }, "Save"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.keepName(input.value);
    });
    return form;
  }

  chatForm() {
    const input = element("input", { "aria-label": "Say", maxlength: MOST_OF_LINE, placeholder: "Say something", autocomplete: "off" });
    const form = element("form", { class: "ask-name", "aria-label": "Chat" }, input, element("button", { class: "act" }, "Send"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim() && this.table.wire.send({ type: "say", text: input.value })) input.value = "";
    });
    return form;
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
      return element("span", { class: `clock ${runs ? "runs" : ""}`, "data-seat": name, title: runs ? `${title} is to decide` : title }, element("span", {}, title), element("b", {}));
    }));
    this.tick();
  }

  tick() {
    if (!this.state?.clock) return;
    for (const chip of this.clocks.children) {
      const left = this.left(chip.dataset.seat);
      const words = clockWords(left);
      if (chip.lastChild.textContent !== words) chip.lastChild.textContent = words;
      chip.classList.toggle("short", left < SHORT && chip.classList.contains("runs"));
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

// Who plays a seat, as the others read it.
export function nameOf({ kind, called }) {
  return called ?? (kind === PERSON ? "a person" : kind);
}

function nameInput(words) {
  return element("input", { "aria-label": words, placeholder: words, maxlength: MOST_OF_NAME, autocomplete: "nickname" });
}

// Minutes and seconds, below ten seconds with a tenth.
export function clockWords(seconds) {
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}
