// The stage of a game with drawings, or else with positions in words.

class Stage {
  constructor(_board, game, parts) {
    Object.assign(this, { game, parts });
  }

  seen(position) {
    return position;
  }

  draw(position) {
    this.parts.map.replaceChildren(position.shapes ? this.drawing(position) : this.text(position));
  }

  drawing({ decision, shapes, drawing: [width, height, ground] }) {
    const { elements, font } = this.game;
    const drawn = shape("svg", { viewBox: `0 0 ${width} ${height}`, "font-family": font, role: "img", "aria-label": decision });
    drawn.innerHTML = `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>${shapes.map((place) => elements[place]).join("")}`;
    return drawn;
  }

  text({ text }) {
    return element("pre", {}, text ?? "This view cannot show a position yet.");
  }

  heading() {
    return "";
  }

  phase() {
    return "";
  }

  asked({ decision }) {
    return decision;
  }

  ending({ decision }) {
    return decision;
  }

  seatInWords({ name }) {
    return name;
  }

  words(text) {
    return [text];
  }

  rest() {}
}
