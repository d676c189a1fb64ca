// Notices of the browser when it is the own turn and the page is hidden; only after a click that asks for them.
import { element } from "./elements.js";
import { keepSetting, setting } from "./settings.js";

const ON = "on";

export class Notices {
  constructor(table) {
    this.table = table;
    document.addEventListener("visibilitychange", () => document.hidden || this.notice?.close());
  }

  get on() {
    return "Notification" in window && Notification.permission === "granted" && setting("notices") === ON;
  }

  // Switches them on or off; the browser asks the person at the first click.
  button() {
    const made = element("button", { type: "button", class: "act" });
    const show = () => (made.textContent = this.on ? "No notices of my turn" : "Notify me of my turn");
    made.disabled = !("Notification" in window) || Notification.permission === "denied";
    made.title = made.disabled ? "This browser does not allow notices of this page" : "When this page is hidden";
    made.addEventListener("click", async () => {
      const on = this.on;
      if (!on) await Notification.requestPermission();
      keepSetting("notices", on ? "off" : ON);
      show();
    });
    show();
    return made;
  }

  hear(earlier, state) {
    const turn = state.legal.length > 0 && !earlier?.legal.length;
    const end = state.result !== null && earlier !== null && earlier.result === null;
    if (earlier === null || !document.hidden || !this.on || !(turn || end)) return;
    this.notice = new Notification(this.table.title, { body: end ? "The game is over" : "It is your turn", tag: this.table.id });
    this.notice.addEventListener("click", () => window.focus());
  }
}
