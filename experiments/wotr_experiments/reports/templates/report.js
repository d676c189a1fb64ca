// A table that is wider than the page says so. Tables of three rows or more are sorted by a click on a head; the row of all games stays last.
"use strict";

const NONE = /^-?$/;

function numberIn(text) {
  const found = /^[+-]?[\d,]*\.?\d+/.exec(text);
  return found ? Number(found[0].replaceAll(",", "")) : null;
}

function sortBy(table, column, down) {
  const body = table.tBodies[0];
  const rows = [...body.rows].filter((row) => !row.classList.contains("all"));
  const textOf = (row) => row.cells[column]?.textContent.trim() ?? "";
  const told = rows.map(textOf).filter((text) => !NONE.test(text));
  const numeric = told.length > 0 && told.every((text) => numberIn(text) !== null);
  down ??= numeric;
  const compare = (a, b) => {
    const [first, second] = [textOf(a), textOf(b)];
    if (NONE.test(first) || NONE.test(second)) return NONE.test(first) - NONE.test(second);
    const order = numeric ? numberIn(first) - numberIn(second) : first.localeCompare(second);
    return down ? -order : order;
  };
  body.prepend(...rows.sort(compare));
  return down;
}

function makeSortable(table) {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  if ([...(table.tBodies[0]?.rows ?? [])].filter((row) => !row.classList.contains("all")).length < 3) return;
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const down = sortBy(table, column, before === null ? undefined : before === "ascending");
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}

document.querySelectorAll("table").forEach(makeSortable);

const wide = new ResizeObserver((changed) => {
  for (const { target } of changed) target.classList.toggle("more", target.scrollWidth > target.clientWidth);
});
document.querySelectorAll("div.wide").forEach((each) => wide.observe(each));
