// The dialog of a table: its players, the own name, offers, resigning, chat, notices, reports.
import { capital, element, redraw } from "./elements.js";
import { nameInput, nameOf } from "./people.js";
import { reportButton } from "./report.js";
import { setting } from "./settings.js";

const PERSON = "person";
const OFF = "off";
const ABOUT = ["resign", "offer", "answer", "call", "say"]; // messages that this dialog sends
const MOST_OF_LINE = 300;

export class PeopleDialog {
  constructor(people) {
    this.people = people;
    this.resigning = false; // whether to resign is to be confirmed
    this.body = element("div", { class: "people-body" });
    this.lines = element("ol", { class: "chat-lines", "aria-label": "Chat", "aria-live": "polite" });
    this.name = this.nameForm();
    this.talk = this.chatForm();
    this.said = ""; // the line that was sent last, until it is heard
    this.wrong = element("p", { class: "wrong", role: "alert" });
    this.telling = element("section", { class: "telling" }, people.notices.button(), reportButton(people.table));
    this.dialog = element(
      "dialog", { class: "people", "aria-label": "Table" }, element("h2", {}, "Table"), this.body, this.name, this.lines, this.talk, this.wrong, this.telling,
      element("form", { method: "dialog" }, element("button", {}, "Close")),
    );
    this.dialog.addEventListener("close", () => (this.resigning = false));
    document.body.append(this.dialog);
  }

  get isOpen() {
    return this.dialog.open;
  }

  open() {
    const { notices, mine } = this.people;
    this.telling.firstChild.replaceWith(notices.button()); // the report stays as it was typed
    this.name.querySelector("input").value = mine?.called ?? setting("name");
    this.wrong.textContent = "";
    this.showLines(); // before they can be seen, so that they are not read out
    if (!this.isOpen) this.dialog.showModal();
    this.show();
    this.scroll();
  }

  scroll() {
    this.lines.scrollTop = this.lines.scrollHeight;
  }

  // A line of the chat that the others do not get comes back.
  giveBack() {
    const input = this.talk.querySelector("input");
    if (!input.value.startsWith(this.said)) input.value = `${this.said} ${input.value}`.trim();
    this.said = "";
  }

  // Why something that people do was refused; whether this is told here.
  hearError(about, text) {
    if (about === "say") this.giveBack();
    if (!this.isOpen || !ABOUT.includes(about)) return false;
    this.wrong.textContent = `${capital(text)}.`;
    return true;
  }

  send(message) {
    this.wrong.textContent = "";
    if (this.people.table.wire.send(message)) this.resigning = false;
    this.show();
  }

  show() {
    const { state, table: { wire } } = this.people;
    if (!wire.up) this.giveBack();
    if (!this.isOpen || !state) return;
    redraw(this.body, element("ul", { class: "players", "aria-label": "Players" }, ...state.seats.map((seat) => this.row(seat))), ...this.acts());
    this.name.hidden = state.seat === null;
    for (const form of [this.name, this.talk]) form.querySelector("button").disabled = !wire.up;
    this.lines.hidden = state.chat === OFF;
    this.talk.hidden = state.chat === OFF || state.seat === null;
    this.showLines();
    this.people.readAll();
  }

  // Draws only lines that are new or have changed, because a screen reader reads what is drawn.
  showLines() {
    const { chat } = this.people;
    const lines = chat.length ? chat.map((line) => this.line(line)) : [element("li", { class: "muted" }, "No messages yet.")];
    for (const [place, line] of lines.entries()) {
      const old = this.lines.children[place];
      if (!old) this.lines.append(line);
      else if (old.textContent !== line.textContent) old.replaceWith(line);
    }
  }

  row(seat) {
    const { state } = this.people;
    const { name, title, kind, here } = seat;
    const who = [name === state.seat ? "you" : "", kind === PERSON ? (here ? "here" : "away") : here ? "" : "stuck"].filter(Boolean).join(", ");
    return element("li", { class: here ? "here" : "" }, element("b", {}, title), element("span", {}, nameOf(seat)), element("span", { class: "muted" }, who));
  }

  line({ seat, text }) {
    const from = this.people.state.seats.find(({ name }) => name === seat);
    return element("li", {}, element("b", {}, `${from?.called ?? from?.title ?? seat}: `), text);
  }

  // The offers that wait for this seat, and what it may do itself.
  acts() {
    const { people, people: { state } } = this;
    if (!people.table.wire.up) return [element("p", { class: "muted", role: "status" }, "The connection is lost; nothing can be sent.")];
    if (state.seat === null || state.result) return [];
    const offered = state.proposals.some(({ kind }) => kind === "draw");
    const draw = people.act("Offer a draw", () => this.send({ type: "offer" }));
    draw.disabled = offered;
    if (offered) draw.title = "A draw has already been offered";
    if (!this.resigning) {
      const resign = this.confirming("Resign …", true);
      const leave = state.leave ? [people.act("Give the seat back", () => people.leave())] : [];
      return [element("p", { class: "acts" }, draw, resign, ...leave), ...people.proposals.map((each) => people.proposal(each))];
    }
    const partners = state.seats.filter(({ name, kind, team }) => kind === PERSON && name !== state.seat && team === people.mine.team);
    const words = partners.length ? "Resign? Your partners must agree." : "Resign? Your side loses, and the game is over.";
    return [element(
      "p", { class: "acts confirm", role: "alertdialog", "aria-label": words }, element("span", {}, words),
      people.act("Yes, resign", () => this.send({ type: "resign" }), "danger"), this.confirming("No", false),
    )];
  }

  // Asks whether to resign, or no longer; the focus goes from one of these buttons to the other.
  confirming(words, resigning) {
    const made = this.people.act(words, () => {
      this.resigning = resigning;
      this.show();
    });
    made.dataset.name = "resign";
    return made;
  }

  nameForm() {
    const input = nameInput("Your name");
    input.value = setting("name");
    const form = element("form", { class: "ask-name", "aria-label": "Your name" }, element("label", {}, element("span", { class: "muted" }, "Your name"), input), element("button", { class: "act" }, "Save"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.wrong.textContent = "";
      this.people.keepName(input.value);
    });
    return form;
  }

  chatForm() {
    const input = element("input", { "aria-label": "Say", maxlength: MOST_OF_LINE, placeholder: "Say something", autocomplete: "off" });
    const form = element("form", { class: "ask-name", "aria-label": "Chat" }, input, element("button", { class: "act" }, "Send"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.wrong.textContent = "";
      if (!input.value.trim() || !this.people.table.wire.send({ type: "say", text: input.value })) return;
      this.said = input.value;
      input.value = "";
    });
    return form;
  }
}
