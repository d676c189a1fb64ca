// What a screen reader says: each outcome, notice and hint once, and the position in words.
import { element } from "./elements.js";
import { CHOICES, sentences } from "./log.js";

const MOST = 30; // lines that are kept

export class Voice {
  constructor() {
    this.part = element("div", { class: "spoken", role: "log", "aria-label": "What happened" });
    this.notice = "";
  }

  say(words) {
    if (!words) return;
    this.part.append(element("p", {}, words));
    while (this.part.children.length > MOST) this.part.firstChild.remove();
  }

  // What is told since an earlier state, without the seat's own choices.
  tell(earlier, { number, told, seat }, titleOf) {
    if (number < earlier.number) return this.say("The last choice is taken back.");
    const news = told.filter((line) => line.number > earlier.number && !(CHOICES.includes(line.tone) && line.seat === seat));
    this.say(sentences(news, titleOf).join(". "));
  }

  // A notice, once as long as it is shown.
  note(words) {
    if (words !== this.notice) this.say(words);
    this.notice = words;
  }
}

// A hidden part of the page that lists lines, and is changed only if they are others.
export class Described {
  constructor(title) {
    this.list = element("ul", {});
    this.part = element("section", { class: "spoken", "aria-label": title }, element("h2", {}, title), this.list);
  }

  show(lines) {
    const text = lines.join("\n");
    if (text === this.text) return;
    this.text = text;
    this.list.replaceChildren(...lines.map((line) => element("li", {}, line)));
  }
}
