// Elements of a page and of a drawing, made from names, attributes and children.

const SVG = "http://www.w3.org/2000/svg";

export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function shape(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The path of this page below that of the server.
export function pathHere() {
  return location.pathname.slice(new URL(document.baseURI).pathname.length);
}

export function counted(number, one) {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}

// A colour of a light page and of a dark one.
export function themed([light, dark]) {
  return `light-dark(${light}, ${dark})`;
}

// Replaces what is in a part of the page; the control that had the focus has it again if it is still there.
export function redraw(part, ...children) {
  const held = part.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  part.replaceChildren(...children);
  if (held === null) return;
  const controls = [...part.querySelectorAll("button, summary, select, input, [tabindex]")];
  const same = controls.find((control) => nameOf(control) === held);
  if (!same && !part.hasAttribute("tabindex")) part.setAttribute("tabindex", "-1");
  (same ?? part).focus({ preventScroll: true }); // the place stays, though its control is gone
}

// A button that a key presses has the focus then, so that a screen reader tells what it has opened.
export function pressByKey(button) {
  button?.focus({ preventScroll: true });
  button?.click();
}

// A page that says why there is no other, and leads home.
export function showFailure(title, why) {
  document.body.className = "";
  document.title = title;
  document.body.replaceChildren(element(
    "main", { class: "failure", role: "alert" }, element("h1", {}, title), ...why.map((words) => element("p", {}, words)),
    element("p", {}, element("a", { href: "./" }, "All games and tables")),
  ));
}

// Copies a text; whether it could. A browser gives no clipboard to an http address, so there the text is shown, to be copied.
export async function copyText(text, title) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    prompt(title, text);
    return false;
  }
}

export function capital(words) {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

// Why something was not done, as a sentence.
export function sentenceOf({ message }) {
  return `${capital(message)}.`;
}

// Puts a tip above a thing, or below it where there is no room.
export function placeTip(tip, thing) {
  const box = thing.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tip;
  const above = box.top - height - 8;
  tip.style.left = `${Math.max(6, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 6))}px`;
  tip.style.top = `${above > 6 ? above : Math.min(box.bottom + 8, innerHeight - height - 6)}px`;
}

function nameOf({ tagName, dataset, ariaLabel, textContent }) {
  return [tagName, dataset.plan ?? dataset.end ?? dataset.name ?? dataset.card ?? ariaLabel ?? textContent, dataset.count].join(" ");
}
