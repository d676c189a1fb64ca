// The luck of a game that is over: a sentence, its largest strokes with links to their steps, and a table.
import { element } from "./elements.js";

// Fills a part of the page: ask() gets the answer of the server, goTo(number) shows the position after so many actions, more: elements below the sentence.
export async function showLuck(part, ask, goTo, ...more) {
  const tell = (...parts) => part.replaceChildren(element("h2", {}, "Luck"), ...parts);
  tell(element("p", { class: "muted", role: "status" }, "Measuring luck …"));
  try {
    const { why, told, taken_back: takenBack } = await ask();
    tell(...(why ? [element("p", { class: "muted" }, why), ...more] : luckParts(told, takenBack, goTo, more)));
  } catch (error) {
    const again = element("button", { type: "button" }, "Try again");
    again.addEventListener("click", () => showLuck(part, ask, goTo, ...more));
    tell(element("p", { class: "muted" }, `Luck is not measured: ${error.message}. `, again), ...more);
  }
}

function luckParts({ sentence, method, heads, rows, strokes, caution }, takenBack, goTo, more) {
  return [
    element("p", { class: "sum" }, sentence), ...(takenBack ? [element("p", {}, takenBack)] : []), ...more,
    ...(strokes.length ? [strokesOf(strokes, caution, goTo)] : []),
    element(
      "details", {}, element("summary", {}, "By turn and source, in points"),
      element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Luck by turn and source" }, tableOf(heads, rows)), element("p", { class: "muted" }, method),
    ),
  ];
}

function strokesOf(strokes, caution, goTo) {
  const lines = strokes.map(({ number, head, text }) => {
    const made = element("button", { type: "button", "data-at": number, title: text }, element("b", {}, head), " ", element("span", {}, text));
    made.addEventListener("click", () => goTo(number));
    return element("li", {}, made);
  });
  return element("details", { open: "" }, element("summary", {}, "Largest strokes"), element("ul", {}, ...lines), element("p", { class: "muted" }, caution));
}

function tableOf(heads, rows) {
  const head = element("tr", {}, ...["turn", ...heads].map((words) => element("th", { scope: "col" }, words)));
  const body = rows.map(({ name, points }) => element("tr", {}, element("th", { scope: "row" }, name), ...points.map((each) => element("td", {}, each))));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}
