// Notices of the browser when the page is hidden and waits for its person; only after a click that asks for them.
import { element } from "./elements.js";
import { keepSetting, setting } from "./settings.js";

const ON = "on";

export class Notices {
  constructor(table) {
    this.table = table;
    this.fails = false; // whether this browser refuses to show one
    document.addEventListener("visibilitychange", () => document.hidden || this.notice?.close());
  }

  get on() {
    return "Notification" in window && Notification.permission === "granted" && setting("notices") === ON;
  }

  // Switches them on or off; the browser asks the person at the first click.
  button() {
    const made = element("button", { type: "button", class: "act" });
    const show = () => {
      made.disabled = !("Notification" in window) || Notification.permission === "denied" || this.fails;
      made.title = made.disabled ? "" : "When this page is hidden";
      made.textContent = made.disabled ? "This browser shows no notices of this page" : this.on ? "No notices of my turn" : "Notify me of my turn";
    };
    made.addEventListener("click", async () => {
      const on = this.on;
      if (!on) await Notification.requestPermission();
      keepSetting("notices", on ? "off" : ON);
      if (this.on) this.tell("Notices look like this");
      show();
    });
    show();
    return made;
  }

  hear(earlier, state) {
    const turn = state.legal.length > 0 && !earlier?.legal.length;
    const end = state.result !== null && earlier?.result === null;
    const offer = state.proposals.some(({ id, waits }) => waits.includes(state.seat) && !earlier?.proposals.some((each) => each.id === id));
    if (earlier === null || !document.hidden || !this.on || !(turn || end || offer)) return;
    this.tell(end ? "The game is over" : offer ? "An offer waits for your answer" : "It is your turn");
  }

  // Some browsers have notices but show none of a page, such as Chrome on Android.
  tell(body) {
    try {
      this.notice = new Notification(this.table.title, { body, tag: this.table.id });
      this.notice.addEventListener("click", () => window.focus());
    } catch {
      this.fails = true;
      keepSetting("notices", "off");
    }
  }
}
