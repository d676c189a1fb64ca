// One press, one answer: a press answers the question at which it began, and only once this question has been painted.
const PLACES = "#act, #map, #hand, #state, #do-undo";
const ANSWERS = /^([0-9a-gi-km-z ]|Enter)$/; // h and l answer nothing

export class Gate {
  // opened() is called when a question can be answered.
  constructor(opened) {
    this.opened = opened;
    this.question = 0; // counts what was shown
    this.began = 0; // the question at which the press began
    this.before = 0; // the same of the press before
    this.painted = true;
    const hear = (kind, act) => document.addEventListener(kind, act, { capture: true });
    hear("pointerdown", () => this.begin());
    hear("mousedown", ({ detail }) => detail > 1 && (this.began = this.before)); // of a double click: of its first
    hear("click", (event) => {
      if (event.detail === 0 && this.painted) this.began = this.question; // without a pointer
      this.filter(event, this.lets);
    });
    hear("keydown", (event) => {
      if (!event.repeat) this.begin();
      if (ANSWERS.test(event.key) && !document.querySelector("dialog[open]")) this.filter(event, this.lets);
    });
  }

  // Whether the press may answer the question that is shown.
  get lets() {
    return this.painted && this.began === this.question;
  }

  // Another question, or the same with other answers, is drawn.
  close() {
    const question = (this.question += 1);
    this.painted = false;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (question !== this.question) return;
      this.painted = true;
      this.opened();
    }));
  }

  begin() {
    this.before = this.began;
    this.began = this.painted ? this.question : null;
  }

  filter(event, lets) {
    const { target } = event;
    if (lets || !(target instanceof Element) || (event.type === "click" && !target.closest(PLACES)) || target.closest("input, select, textarea")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
