// Small pictures of the results of an action die, on the colour of a side.
import { element, shape } from "../elements.js";

const PATHS = {
  character: "M13.5 2.5l-1 3.5-5 5-1.6-1.6 5-5zM3.6 9.4l3 3M4.8 11.2l-2.4 2.4",
  army: "M4 14V2.5M4 3h8.5l-2.2 3 2.2 3H4",
  muster: "M8 2.2l5 1.8v4.2c0 3-2.2 4.9-5 5.8-2.8-.9-5-2.8-5-5.8V4z",
  army_muster: "M2.5 14V3M2.5 3.4h5l-1.3 2 1.3 2h-5M11 6.5l3 1v2.4c0 1.9-1.3 3.1-3 3.7-1.7-.6-3-1.8-3-3.7V7.5z",
  event: "M4.5 2h7v12h-7zM6.5 5h3M6.5 7.5h3M6.5 10h3",
  will: "M8 1.8l1.7 4.1 4.5.4-3.4 2.9 1 4.4L8 11.3l-3.8 2.3 1-4.4-3.4-2.9 4.5-.4z",
  eye: "M1.5 8c2-3.2 4.2-4.6 6.5-4.6S12.5 4.800 14.500 8c-2 3.200-4.200 4.600-6.500 4.600S3.500 11.200 1.500 8zM8 5v6",
};

export function glyph(face) {
  return shape("svg", { class: "glyph", viewBox: "0 0 16 16", "aria-hidden": "true" }, shape("path", { d: PATHS[face] }));
}

// The icon of a card: the die that plays it.
export function icon(name) {
  return element("span", { class: "icon", title: `${name} icon` }, glyph(name.toLowerCase()));
}
