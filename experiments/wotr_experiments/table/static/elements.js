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

export function counted(number, one) {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}

// A colour of a light page and of a dark one.
export function themed([light, dark]) {
  return `light-dark(${light}, ${dark})`;
}
