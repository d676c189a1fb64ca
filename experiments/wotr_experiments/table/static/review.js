// Steps through the positions of a game: one action, one line of choices, or anywhere by a slider.
import { element } from "./elements.js";

// The controls at a position; table.look(number) shows another one.
export function reviewSteps(table, shown) {
  const last = table.state.number;
  const slider = element("input", { type: "range", min: 0, max: last, "aria-label": "Position by number of actions" });
  slider.value = shown;
  slider.addEventListener("change", () => table.look(Number(slider.value)));
  const lines = [0, ...table.told.filter(({ opens }) => opens).map(({ number }) => number - 1), last];
  const before = Math.max(0, ...lines.filter((number) => number < shown));
  const after = Math.min(last, ...lines.filter((number) => number > shown));
  const step = (words, name, to, possible) => {
    const made = element("button", { "aria-label": name, title: name, "data-name": name }, words);
    made.addEventListener("click", () => possible && table.look(to));
    made.setAttribute("aria-disabled", String(!possible));
    return made;
  };
  return element(
    "div", { class: "review", role: "group", "aria-label": "Review" },
    element("div", { class: "steps-row" },
      step("|‹", "To the start", 0, shown > 0), step("«", "A line of choices back", before, shown > 0), step("‹", "One action back", shown - 1, shown > 0),
      step("›", "One action on", shown + 1, shown < last), step("»", "A line of choices on", after, shown < last), step("›|", "To the end", last, shown < last),
      element("output", {}, `${shown} / ${last}`)),
    slider,
  );
}

// What the arrow keys do while a position is reviewed: where they lead; null: another key.
export function reviewKey(key, shown, last) {
  const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last }[key];
  return to === undefined ? null : Math.max(0, Math.min(last, to));
}
