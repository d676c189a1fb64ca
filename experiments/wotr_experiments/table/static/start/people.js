// The part of a new table about its people: the own name, clocks, chat.
import { element } from "../elements.js";
import { keepSetting, setting } from "../settings.js";

const CLOCKS = [["none", "no clock"], ["game", "for the game"], ["move", "for each move"]];
const CHATS = [["off", "off"], ["seats", "between the seats"], ["all", "spectators may read it"]];
const PERSON = "person";
const MINUTE = 60; // seconds

export class PeopleWishes {
  constructor() {
    this.name = element("input", { "aria-label": "Your name", maxlength: 24, autocomplete: "nickname", value: setting("name"), placeholder: "none" });
    this.clock = choices("Clock", CLOCKS);
    this.minutes = number("Minutes for the game", "60");
    this.increment = number("Seconds added after each move", "30");
    this.seconds = number("Seconds for each move", "120");
    this.chat = choices("Chat", CHATS);
    this.open = element("input", { type: "checkbox", "aria-label": "Anybody may join" });
    this.game = element("span", { class: "clock-of" }, this.minutes, " min, and ", this.increment, " s more after each move");
    this.move = element("span", { class: "clock-of" }, this.seconds, " s");
    this.fields = element(
      "fieldset", { class: "people" }, element("legend", {}, "People"), row("Your name", this.name),
      row("Clock", this.clock, this.game, this.move), row("Chat", this.chat),
      row("Public", element("label", {}, this.open, " anybody may take the other seats, from the list")),
    );
    this.name.addEventListener("change", () => keepSetting("name", this.name.value.trim()));
    this.clock.addEventListener("change", () => this.show());
    this.show();
  }

  show() {
    this.game.hidden = this.clock.value !== "game";
    this.move.hidden = this.clock.value !== "move";
  }

  // The fields of the request, for the players by seat; none of a table without people.
  wishesFor(players) {
    if (this.fields.hidden) return {};
    const [, ...others] = Object.keys(players).filter((seat) => players[seat] === PERSON);
    const clock = {
      none: null, game: { game: MINUTE * valueOf(this.minutes), increment: valueOf(this.increment) }, move: { move: valueOf(this.seconds) },
    }[this.clock.value];
    return { clock, chat: this.chat.value, lobby: this.open.checked ? others : [] };
  }
}

// The number in a field, also with a comma; 0 if there is none.
export function valueOf(input) {
  return Number(input.value.trim().replace(",", ".")) || 0;
}

function choices(words, all) {
  return element("select", { "aria-label": words }, ...all.map(([value, shown]) => element("option", { value }, shown)));
}

function number(words, value) {
  return element("input", { "aria-label": words, inputmode: "decimal", value, class: "delay" });
}

function row(words, ...parts) {
  return element("div", { class: "row" }, element("span", { class: "muted" }, words), ...parts);
}
