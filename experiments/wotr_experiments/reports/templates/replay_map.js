// The map: cells, paths and names once; the contents of a region again when they have changed.

const SVG = "http://www.w3.org/2000/svg";
const BADGES = {
  "gandalf-grey": "GG", strider: "St", boromir: "Bo", legolas: "Le", gimli: "Gi", meriadoc: "Me", peregrin: "Pe",
  "gandalf-white": "GW", aragorn: "Ar", gollum: "Go", "witch-king": "WK", "mouth-of-sauron": "MS", saruman: "Sa",
};
const MAX_LINE = 10;
const ON_MORDOR_TRACK = "gorgoroth";

class BattleMap {
  constructor(board, onSelect) {
    this.board = board;
    this.places = new Map(board.regions.map((region) => [region.id, region]));
    this.nations = new Map(board.nations.map((nation) => [nation.id, nation]));
    this.sides = new Map(board.sides.map((side) => [side.id, side]));
    this.drawn = new Map();
    this.cells = new Map();
    this.layers = {};
    const [width, height] = board.size;
    this.root = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Map of Middle-earth" });
    const { sea, coast } = board.colours;
    this.root.append(shape("polygon", { points: points(board.sea), fill: sea, stroke: coast, opacity: 0.7 }));
    for (const region of board.regions) this.root.append(this.cell(region, onSelect));
    for (const region of board.regions) {
      for (const other of region.neighbours.filter((id) => id > region.id)) {
        const [x1, y1] = region.xy;
        const [x2, y2] = this.places.get(other).xy;
        this.root.append(shape("line", { class: "path", x1, y1, x2, y2, stroke: board.colours.path }));
      }
    }
    for (const region of board.regions) this.root.append(this.name(region));
    this.root.append(this.legend());
    this.battles = shape("g", { class: "marks" });
    this.root.append(this.battles);
    for (const region of board.regions) {
      const layer = shape("g", { class: "contents", "data-region": region.id });
      this.layers[region.id] = layer;
      this.root.append(layer);
    }
    this.rings = shape("g", { class: "marks" });
    this.root.append(this.rings);
  }

  cell(region, onSelect) {
    const cell = shape("polygon", {
      class: "cell", points: points(region.cell), fill: region.colour, stroke: this.board.colours.border,
      "data-region": region.id,
    });
    cell.addEventListener("click", () => onSelect(region.id));
    this.cells.set(region.id, cell);
    return cell;
  }

  name(region) {
    const [x, y] = region.xy;
    const name = shape("text", { class: `name ${region.place ? "" : "minor"}` });
    inLines(region.name).forEach((words, place) => {
      const line = shape("tspan", { x, y: y + (region.place ? 15 : 9) + 7 * place });
      line.textContent = words;
      name.append(line);
    });
    return name;
  }

  // What the pieces mean, in the sea.
  legend() {
    const [x, bottom] = [24, this.board.size[1] - 14];
    const army = (side, figures) => (y) => this.army(x, y, { side, figures });
    const settlement = (place) => (y) => this.settlement({ place, xy: [x, y] }, null);
    const siege = (y) => shape("circle", { cx: x, cy: y, r: 7, ...this.siegeLook() });
    const entries = [
      [army("free_peoples", { gondor: [3, 1, 0] }), "Free Peoples: Regulars · Elites"],
      [army("shadow", { sauron: [3, 1, 0] }), "Shadow: Regulars · Elites"],
      [army("free_peoples", { gondor: [0, 0, 1] }), "Leader"],
      [army("shadow", { sauron: [0, 0, 1] }), "Nazgul"],
      [(y) => this.ring(x, y, "3", false), "Fellowship and its progress; filled: revealed"],
      ...["stronghold", "city", "town", "fortification"].map((place) => [settlement(place), place]),
      [siege, "besieged"],
    ];
    const group = shape("g", { class: "legend" });
    entries.forEach(([draw, words], place) => {
      const y = bottom - 17 * (entries.length - 1 - place);
      const text = shape("text", { x: x + 19, y: y + 3 });
      text.textContent = words;
      group.append(draw(y), text);
    });
    return group;
  }

  siegeLook() {
    return { fill: "none", stroke: this.board.colours.siege, "stroke-width": 2, "stroke-dasharray": "4 2.5" };
  }

  // Where something happens in a position: the region of its battle, or one that has changed, or null.
  scene(position, earlier) {
    if (position.battle) return position.battle.region;
    if (!earlier) return null;
    const { regions } = position;
    return this.board.regions.find(({ id }) => regions[id] !== earlier.regions[id])?.id ?? null;
  }

  // Draws a position; earlier is the one before, whose differences are marked.
  draw(position, earlier, selected) {
    for (const region of this.board.regions) {
      const contents = position.regions[region.id];
      if (!this.drawn.has(region.id) || this.drawn.get(region.id) !== contents) {
        this.layers[region.id].replaceChildren(...this.contents(region, contents));
        this.drawn.set(region.id, contents);
      }
      const changed = earlier !== null && earlier.regions[region.id] !== contents;
      const { classList } = this.cells.get(region.id);
      classList.toggle("changed", changed);
      classList.toggle("selected", region.id === selected);
    }
    this.battles.replaceChildren(...this.battle(position.battle));
    this.rings.replaceChildren(this.fellowship(position.fellowship));
  }

  contents(region, contents) {
    const [x, y] = region.xy;
    if (!contents) return region.place ? [this.settlement(region, null)] : [this.dot(region)];
    const parts = [];
    if (contents.besieged) {
      parts.push(shape("circle", { cx: x, cy: y, r: 12, ...this.siegeLook() }));
    }
    parts.push(region.place ? this.settlement(region, contents.control) : this.dot(region));
    const armies = [...contents.armies].sort((one, other) => other.garrison - one.garrison);
    armies.forEach((army, place) => parts.push(this.army(x, y - 15 - 16 * place, army)));
    contents.characters.forEach((who, place) => {
      parts.push(this.badge(x + 17 + 13 * (place % 3), y - 1 + 13 * Math.floor(place / 3), who));
    });
    return parts;
  }

  dot(region) {
    const [cx, cy] = region.xy;
    return shape("circle", { cx, cy, r: 1.8, fill: this.board.colours.path });
  }

  settlement(region, control) {
    const [x, y] = region.xy;
    const r = this.board.radii[region.place];
    const fill = control ? this.sides.get(control).colour : "#4a4a46";
    const look = { fill, stroke: "#e9e2cf", "stroke-width": 1.1 };
    switch (this.board.shapes[region.place]) {
      case "square":
        return shape("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 1, ...look });
      case "diamond":
        return shape("polygon", { points: `${x},${y - r} ${x + r},${y} ${x},${y + r} ${x - r},${y}`, ...look });
      case "triangle":
        return shape("polygon", { points: `${x},${y - r} ${x + r},${y + r} ${x - r},${y + r}`, ...look });
      default:
        return shape("circle", { cx: x, cy: y, r, ...look });
    }
  }

  // Regulars · Elites on the colour of the largest nation, a stripe by nation, a dot for each Leader or Nazgul.
  army(x, y, army) {
    const group = shape("g", { class: "army" });
    const forces = Object.entries(army.figures).map(([nation, figures]) => [this.nations.get(nation), figures]);
    const total = [0, 1, 2].map((kind) => forces.reduce((sum, [, figures]) => sum + figures[kind], 0));
    const size = ([, figures]) => figures[0] + figures[1];
    const [main] = forces.reduce((best, force) => (size(force) > size(best) ? force : best));
    const free = army.side === "free_peoples";
    const units = total[0] + total[1];
    if (units) {
      group.append(shape("rect", {
        x: x - 13, y: y - 7, width: 26, height: 14, rx: free ? 6 : 1.5, fill: main.colour,
        stroke: free ? "#e8eefb" : "#0b0708", "stroke-width": 1.2,
      }));
      if (forces.length > 1) {
        let from = x - 10;
        for (const force of forces) {
          const width = (20 * size(force)) / units;
          group.append(shape("rect", { x: from, y: y + 4, width, height: 2.2, fill: force[0].colour, stroke: "#fff8", "stroke-width": 0.4 }));
          from += width;
        }
      }
      const words = shape("text", { x, y: y + 3.2, fill: main.ink });
      words.textContent = `${total[0]}·${total[1]}`;
      group.append(words);
    }
    const leaders = total[2];
    for (let place = 0; place < leaders; place++) {
      group.append(shape("circle", {
        cx: x + (place - (leaders - 1) / 2) * (units ? 5.4 : 8), cy: units ? y - 9 : y + 3, r: units ? 2.5 : 3.8,
        fill: free ? "#fff" : "#120a12", stroke: free ? "#10131a" : "#ff8f87", "stroke-width": 0.8,
      }));
    }
    return group;
  }

  badge(cx, cy, who) {
    const group = shape("g", { class: "badge" });
    const free = this.board.characters[who].side === "free_peoples";
    group.append(shape("circle", { cx, cy, r: 6.4, fill: free ? "#cfdcf5" : "#f0a8a2", stroke: "#10131a", "stroke-width": 1 }));
    const words = shape("text", { x: cx, y: cy + 2.7 });
    words.textContent = BADGES[who] ?? who.slice(0, 2);
    group.append(words);
    return group;
  }

  fellowship(fellowship) {
    const [x, y] = this.places.get(fellowship.region ?? ON_MORDOR_TRACK).xy;
    const words = fellowship.mordor_step ? `M${fellowship.mordor_step}` : String(fellowship.progress);
    return this.ring(x - 18, y, words, fellowship.revealed);
  }

  ring(cx, cy, words, revealed) {
    const colour = this.board.colours.fellowship;
    const group = shape("g", { class: "ring" });
    group.append(shape("circle", { cx, cy, r: 8, fill: revealed ? colour : "#2a2410", stroke: colour, "stroke-width": 2.4 }));
    const text = shape("text", { x: cx, y: cy + 3 });
    text.textContent = words;
    if (!revealed) text.style.fill = colour;
    group.append(text);
    return group;
  }

  battle(battle) {
    if (!battle) return [];
    const [x1, y1] = this.places.get(battle.origin).xy;
    const [x2, y2] = this.places.get(battle.region).xy;
    const look = { stroke: this.board.colours.siege, "stroke-width": 3, fill: "none", opacity: 0.9 };
    const parts = [shape("circle", { cx: x2, cy: y2, r: 19, ...look })];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length > 0) {
      const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
      const [tx, ty] = [x2 - 20 * dx, y2 - 20 * dy];
      parts.push(shape("path", {
        d: `M${x1} ${y1}L${tx} ${ty}M${tx - 8 * dx - 5 * dy} ${ty - 8 * dy + 5 * dx}L${tx} ${ty}L${tx - 8 * dx + 5 * dy} ${ty - 8 * dy - 5 * dx}`,
        ...look,
      }));
    }
    return parts;
  }
}

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// A long name in two lines, cut at the blank nearest to its middle.
function inLines(name) {
  if (name.length <= MAX_LINE || !name.includes(" ")) return [name];
  const blanks = [...name].flatMap((letter, place) => (letter === " " ? [place] : []));
  const off = (place) => Math.abs(place - name.length / 2);
  const cut = blanks.reduce((best, place) => (off(place) < off(best) ? place : best));
  return [name.slice(0, cut), name.slice(cut + 1)];
}

function points(polygon) {
  return polygon.map((corner) => corner.join(",")).join(" ");
}
