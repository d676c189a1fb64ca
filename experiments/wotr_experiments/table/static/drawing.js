// The drawing of a position: its form for the room there is, its parts that can be chosen, and their choices in groups.
import { element } from "./elements.js";
import { importDrawing } from "./marks.js";

const READABLE = 0.85; // the least scale of a drawing, whose smallest letters are 11 units high
const FORMS = ["wide", "square"]; // the largest first; else they are upright, and scroll

export class Drawing {
  // The room is the part of the page in which the drawing is shown; sizes are [width, height] by form.
  constructor(room, sizes) {
    this.room = room;
    this.sizes = { ...sizes }; // as they were last seen
    this.text = null; // of the drawing that is shown
    this.part = element("div", { class: "drawing" });
  }

  // The form that fits the room.
  get fitting() {
    return FORMS.find((form) => this.scaleOf(form) >= READABLE) ?? "upright";
  }

  // How large the whole of a drawing can be shown.
  scaleOf(form) {
    const [width, height] = this.sizes[form];
    const share = Number(getComputedStyle(document.body).getPropertyValue("--map-share")) / 100;
    const high = innerHeight * share || this.room.clientHeight;
    return Math.min(this.room.clientWidth / width, high / height);
  }

  // Shows a drawing, `{ form: text }`; whether it is another one.
  show(drawing) {
    const [[form, text]] = Object.entries(drawing);
    if (text === this.text) return false;
    [this.form, this.text] = [form, text];
    this.svg = importDrawing(text);
    const { width, height } = this.svg.viewBox.baseVal;
    this.sizes[form] = [width, height];
    this.part.dataset.form = form;
    this.part.replaceChildren(this.svg);
    return true;
  }

  // Lights the parts of legal choices; those of chosen ones stand out.
  light(legal, chosen) {
    for (const part of this.svg.querySelectorAll("[data-actions]")) {
      const names = namesOf(part).filter((name) => legal.has(name));
      part.classList.toggle("lit", names.length > 0);
      part.classList.toggle("chosen", chosen !== null && names.some((name) => chosen.has(name)));
    }
  }

  // Shows where a choice is; null: none.
  mark(name) {
    for (const part of this.svg.querySelectorAll("[data-actions]")) {
      part.classList.toggle("marked", name !== null && namesOf(part).includes(name));
    }
  }

  // Puts frames on the drawing, in place of those that there are.
  frame(frames) {
    for (const old of this.svg.querySelectorAll(".trace, .best")) old.remove();
    this.svg.append(...frames);
  }
}

// A part of a drawing that somebody pointed at.
export class Pointed {
  // `why` are the reasons of the position for what cannot be chosen.
  constructor(part, why) {
    this.isChoice = Boolean(part.dataset.actions); // at some time, if not now
    this.names = new Set(namesOf(part));
    this.tip = part.dataset.tip ?? "";
    const all = why.filter(({ names }) => names.some((name) => this.names.has(name))).map(({ text }) => text);
    const own = all.filter((text) => text.includes(this.tip.split("\n")[0]));
    this.reasons = (own.length ? own : all).slice(0, 2); // those that name it before others
  }

  choicesOf(legal) {
    return legal.filter(({ name }) => this.names.has(name));
  }

  // The choice that it plays: its only one, at once with a mouse, which has told what it is before; else when it is
  // pointed at again after `before`.
  plays(legal, told, before) {
    const [only, ...others] = this.choicesOf(legal);
    const again = before !== null && [...this.names].every((name) => before.names.has(name));
    return (again || told) && !others.length ? only : null;
  }

  // What it is and why others of its choices are not possible; its choices; and a button that shows all choices.
  around(choices, showAll) {
    const all = element("button", { class: "answer all" }, "All choices");
    all.addEventListener("click", showAll);
    const reasons = this.reasons.map((text) => element("p", { class: "why-not" }, `${text}.`));
    const about = this.tip ? [element("section", { class: "panel about" }, ...tipParts(this.tip, "h2"), ...reasons)] : [];
    return [...about, ...choices, element("div", { class: "answers" }, all)];
  }

  // Why nothing came of a press; of what is never a choice, what it is; and what is asked, if anything is.
  refusal(asked) {
    if (this.reasons.length) return `${this.reasons.join(". ")}.`;
    const is = this.isChoice && asked ? "" : this.tip.split("\n").filter(Boolean).join(". ").replace(/[^.]$/, "$&.");
    return `${is} ${asked}`.trim();
  }
}

// Marks the buttons of the choices of a part, if it is lit; null: of none.
export function markButtons(room, part) {
  const names = part?.classList.contains("lit") ? namesOf(part) : [];
  for (const button of room.querySelectorAll("[data-name]")) button.classList.toggle("marked", names.includes(button.dataset.name));
}

// The names of the choices of a part of a drawing.
function namesOf({ dataset: { actions = "" } }) {
  return actions.split(" ");
}

// The part that can be chosen where somebody clicked, also below one that only tells what it is.
export function litAt({ clientX, clientY }) {
  return document.elementsFromPoint(clientX, clientY).find((part) => part.matches("[data-actions].lit")) ?? null;
}

// What a part tells: a title, and a sentence below it.
export function tipParts(tip, head) {
  const [title, text = ""] = tip.split("\n");
  return [element(head, {}, title), ...(text ? [element("p", {}, text)] : [])];
}

// The buttons of choices in the order in which they are shown: of those by which one does nothing more, then of the
// others in groups with titles. button(choice, finishing) makes one.
export function choiceLists(choices, { groups: titles, finishing }, button) {
  const block = ({ name }) => name.split(":")[0];
  const list = (title, buttons) => [
    ...(title ? [element("h2", { class: "group" }, title)] : []),
    element("div", { class: "answers choices", role: "group", "aria-label": title || "Choices" }, ...buttons),
  ];
  const last = choices.filter((choice) => finishing.includes(block(choice)));
  const finish = last.map((choice) => button(choice, true));
  for (const each of finish) each.classList.add("finishing");
  const groups = Map.groupBy(choices.filter((choice) => !last.includes(choice)), block);
  const others = [...groups].flatMap(([name, each]) => list(groups.size > 1 ? titles[name] : "", each.map((choice) => button(choice, false))));
  return [...(last.length ? list("", finish) : []), ...others];
}

// What seats chose, in events: `{ number, seat, action }`.
export function deedsOf(told) {
  return told.flatMap(({ number, events }) => events.filter(({ kind }) => kind === "decided").map(({ seat, action }) => ({ number, seat, action })));
}
