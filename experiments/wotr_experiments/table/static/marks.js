// Marks on a drawing: what others did lately, and what a bot would do.
import { shape } from "./elements.js";

const PLACE = ["x", "y", "width", "height"];
const WIDER = 3; // pixels of the drawing around what is marked

const parsed = (text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
const words = (part, name) => (part.dataset[name] ?? "").split(" ");
const placeOf = (part) => PLACE.map((name) => Number(part.getAttribute(name)));

// The places in a drawing, given as text, at which a choice can be made.
export function placesOf(text, name) {
  return partsOf(parsed(text), name).map(placeOf);
}

export function importDrawing(text) {
  return document.importNode(parsed(text), true);
}

// What a drawing shows, in words: a sentence for each of its parts.
export function tipsOf(svg) {
  return [...svg.querySelectorAll("[data-tip]")].map(({ dataset: { tip } }) => tip.replace("\n", ". "));
}

// Frames around places of a drawing and around what came there by deeds.
//
// A place at which something else lies now is left out.
export function traces(svg, places, deeds) {
  const parts = [...svg.querySelectorAll("rect[x]")];
  const taken = new Set(parts.map((part) => placeOf(part).join()));
  const free = places.filter((place) => !taken.has(place.join()));
  const came = new Set(deeds.map(({ seat, action }) => `${seat}/${action}`));
  const found = parts.filter((part) => part.dataset.came && words(part, "came").some((each) => came.has(each)));
  return [...free.map((place) => frame(place, "trace gone")), ...found.map((part) => frame(placeOf(part), "trace"))];
}

// Frames around the places of a choice.
export function framesOf(svg, name, kind) {
  return partsOf(svg, name).map((part) => frame(placeOf(part), kind));
}

function partsOf(svg, name) {
  return [...svg.querySelectorAll("[data-actions]")].filter((part) => words(part, "actions").includes(name));
}

function frame([x, y, width, height], kind) {
  return shape("rect", { class: kind, x: x - WIDER, y: y - WIDER, width: width + 2 * WIDER, height: height + 2 * WIDER, rx: 8 });
}
