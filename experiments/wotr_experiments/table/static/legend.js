// The legend of a game that the server draws: what is seen in the drawing, and what it means.
import { element } from "./elements.js";
import { importDrawing } from "./marks.js";

export function legendDialog({ title, legend }) {
  return element(
    "dialog", { "aria-label": "Legend", class: "wide-dialog" }, element("h2", {}, `${title}: legend`),
    element("p", { class: "muted" }, "You can also point at a part of the drawing to see what it is."),
    legendParts(legend), element("form", { method: "dialog" }, element("button", {}, "Close")),
  );
}

// The entries of a legend under its headings.
export function legendParts(legend) {
  return element("div", { class: "legend-parts" }, ...legend.map(({ title, entries }) => element(
    "section", {}, element("h3", {}, title),
    ...entries.map(({ name, text, drawing }) => element(
      "div", { class: "entry" }, element("span", { class: "looks" }, ...(drawing ? [importDrawing(drawing)] : [])),
      element("p", {}, element("b", {}, name), " ", text),
    )),
  )));
}
