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

// The names of the choices of a part of a drawing.
export function namesOf({ dataset: { actions = "" } }) {
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

// Why the choices of a part are not possible: those reasons that name it before others, and two at most.
export function reasonsOf(part, why) {
  const names = namesOf(part);
  const all = why.filter(({ names: each }) => names.some((name) => each.includes(name))).map(({ text }) => text);
  const [title] = (part.dataset.tip ?? "").split("\n");
  const own = all.filter((text) => text.includes(title));
  return (own.length ? own : all).slice(0, 2);
}

// Choices in the order in which they are shown: those by which one does nothing more, then the others in groups with titles.
export function groupsOf(choices, { groups: titles, finishing }) {
  const block = ({ name }) => name.split(":")[0];
  const last = choices.filter((choice) => finishing.includes(block(choice)));
  const groups = Map.groupBy(choices.filter((choice) => !last.includes(choice)), block);
  const others = [...groups].map(([name, each]) => ({ title: groups.size > 1 ? titles[name] ?? "" : "", choices: each }));
  return [...(last.length ? [{ title: "", finishing: true, choices: last }] : []), ...others];
}

// What seats chose, in events: `{ number, seat, action }`.
export function deedsOf(told) {
  return told.flatMap(({ number, events }) => events.filter(({ kind }) => kind === "decided").map(({ seat, action }) => ({ number, seat, action })));
}
