// A report to the person who runs the server: words, and what this page was sent.
import { element, sentenceOf } from "./elements.js";
import { reportTo } from "./wire.js";

const MOST = 2000; // characters

export function reportButton(table) {
  const made = element("button", { type: "button", class: "act" }, "Report a problem …");
  made.addEventListener("click", () => {
    const form = reportForm(table, made);
    made.replaceWith(form);
    form.querySelector("textarea").focus();
  });
  return made;
}

function reportForm(table, button) {
  const words = element("textarea", { "aria-label": "What is wrong?", placeholder: "What is wrong?", maxlength: MOST, rows: 3, required: "" });
  const said = element("p", { class: "muted", role: "status" }, "The person who runs this server gets your words, the position as you see it, and the log.");
  const keep = element("button", { type: "button", class: "act", hidden: "" }, "Save a copy");
  const back = element("button", { type: "button", class: "act" }, "Cancel");
  const send = element("button", { class: "act go" }, "Send");
  const form = element("form", { class: "report", "aria-label": "Report" }, words, said, element("p", { class: "acts" }, send, back, keep));
  back.addEventListener("click", () => {
    form.replaceWith(button);
    button.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      const copy = await reportTo(table, words.value);
      said.textContent = "It is sent. Thank you.";
      send.hidden = words.hidden = true;
      keep.hidden = false;
      back.textContent = "Done";
      keep.addEventListener("click", () => save(copy, `report-${table.id}.json`));
    } catch (error) {
      said.textContent = sentenceOf(error);
      send.disabled = false;
    }
  });
  return form;
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  element("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
