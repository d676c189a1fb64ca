// After the end: the record to keep, and the game once more position by position.
import { answer } from "./controls.js";
import { element } from "./elements.js";

export function afterwards(table) {
  const { number, own_dice: ownDice } = table.state;
  const slider = element("input", { type: "range", min: 0, max: number, value: number, "aria-label": "Position after so many actions" });
  slider.addEventListener("change", () => table.look(Number(slider.value)));
  return [
    element("p", {}, table.ending()),
    element("div", { class: "answers" }, ...(ownDice ? [] : [answer("Download the record", () => download(table))]), answer("Review from the start", () => table.look(0))),
    element("label", { class: "review" }, "Look at any position", slider),
  ];
}

async function download({ id, token }) {
  const found = await fetch(`/api/tables/${id}/record`, { headers: { Authorization: `Bearer ${token}` } });
  if (!found.ok) return;
  const url = URL.createObjectURL(await found.blob());
  const link = element("a", { href: url, download: `${id}.jsonl` });
  link.click();
  URL.revokeObjectURL(url);
}
