// A line at the place that was pressed, which says why nothing came of it; it goes away with the next press.
import { element } from "./elements.js";

const AWAY = 14; // pixels from the pointer

export class Bubble {
  constructor() {
    this.part = element("p", { class: "why", role: "status" });
    document.body.append(this.part);
    for (const kind of ["pointerdown", "keydown", "wheel"]) document.addEventListener(kind, () => this.hide(), { capture: true, passive: true });
  }

  hide() {
    if (this.part.textContent) this.part.textContent = "";
  }

  // Beside a place of the page, in pixels, and within the page.
  say(words, { x, y }) {
    this.part.textContent = words;
    const { offsetWidth: width, offsetHeight: height } = this.part;
    const top = y + AWAY + height < innerHeight ? y + AWAY : y - AWAY - height;
    this.part.style.left = `${Math.max(6, Math.min(innerWidth - width - 6, x - width / 2))}px`;
    this.part.style.top = `${Math.max(6, top)}px`;
  }
}

// What is asked, where no more is known.
export function onlyAsked(question, places) {
  return `This cannot be chosen now. ${question}${places ? " What glows can be chosen." : ""}`;
}
