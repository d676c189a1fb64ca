// What each person sets for himself, kept in this browser.
import { element } from "./elements.js";

const SPEEDS = [["off", "off"], ["slow", "slow"], ["normal", "normal"], ["fast", "fast"]];
const USUAL = { speed: "normal", sounds: "off", bot: "scripted", name: "", notices: "off" };

export function setting(name) {
  try {
    return localStorage.getItem(`wotr.${name}`) ?? USUAL[name];
  } catch {
    return USUAL[name];
  }
}

export function keepSetting(name, value) {
  try {
    localStorage.setItem(`wotr.${name}`, value);
  } catch {
    USUAL[name] = value; // where a browser keeps nothing, until the page is left
  }
}

// The bots of a game that can be asked, as complete specs.
export function specsOf({ bots }) {
  return bots.flatMap(({ specs }) => specs);
}

// The dialog, for a game as the server tells of it.
export function settingsDialog({ bots }, moves = true) {
  const field = (words, name, choices) => {
    const select = element("select", { "aria-label": words }, ...choices.map(([value, shown]) => element("option", { value }, shown)));
    select.value = setting(name);
    if (!select.value) select.selectedIndex = 0;
    select.addEventListener("change", () => keepSetting(name, select.value));
    return element("label", {}, element("span", {}, words), select);
  };
  const speed = field("Moving pictures", "speed", SPEEDS);
  const sounds = field("Sounds", "sounds", [["off", "off"], ["on", "on"]]);
  const hints = field("Bot that gives hints", "bot", bots.flatMap(({ specs, summary }) => specs.map((spec) => [spec, `${spec}: ${summary.slice(0, 60)}`])));
  return element(
    "dialog", { "aria-label": "Settings", class: "settings" }, element("h2", {}, "Settings"), ...(moves ? [speed] : []), sounds, hints,
    element("form", { method: "dialog" }, element("button", {}, "Close")),
  );
}
