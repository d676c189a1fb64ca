// The map: cells and paths once; the contents of a region again when they have changed. Zoom, pan, labels, marks.
import { element, shape, themed } from "../elements.js";

const MAX_LINE = 12;
const ON_MORDOR_TRACK = "gorgoroth";
const BADGE = 16; // from one character to the next
const MANY = 36; // lit regions beyond which they glow less
const MAX_ZOOM = 8; // pixels a unit of the map
const TEXT = 11; // the least height of writing in pixels, and that of the numbers of a plate in its own units
const LETTER_WIDTH = 0.58; // of a letter of the labels, as a share of its height
const RIGHT = 2; // the button of a mouse
const DRAG_DISTANCE = 5; // pixels between a click and a drag
const READABLE = 0.6; // the least scale at which the whole map can be read
const WHEEL_STEP = 0.0016;
const KEEP = 0.5; // the share of the map that stays in view

export class BattleMap {
  // Reports to: select(region), and if given drop(from, to, whether one stays: with Shift or the right button) for what may be dragged, lift(region).
  constructor(board, { select, lift = () => false, drop = () => {} }) {
    this.board = board;
    this.told = { select, lift, drop };
    this.places = new Map(board.regions.map((region) => [region.id, region]));
    this.nations = new Map(board.nations.map((nation) => [nation.id, nation]));
    this.sides = new Map(board.sides.map((side) => [side.id, side]));
    this.drawn = new Map();
    this.cells = new Map();
    this.layers = new Map();
    this.labels = new Map();
    this.spots = new Map(); // where each label is written, as text
    this.tags = new Map();
    this.pointers = new Map();
    this.room = { width: 0, height: 0 }; // of the frame, in pixels
    this.view = null; // { x, y, scale }: the corner of the map at the top left, and pixels a unit
    this.followed = null; // the region that was to be in view before there was one
    this.root = shape("svg", { role: "group", "aria-label": "Map of Middle-earth" });
    this.land();
    this.writing = this.layer("names"); // and all below it is told in words elsewhere
    for (const region of board.regions) this.label(region);
    this.battles = this.layer("marks");
    for (const region of board.regions) {
      const contents = this.layer("contents");
      contents.dataset.region = region.id;
      this.layers.set(region.id, contents);
    }
    this.rings = this.layer("marks");
    this.letters = this.layer("marks");
    this.ghosts = this.layer("marks");
    this.gesture = shape("path", { class: "gesture" });
    this.root.append(this.gesture);
    this.frame = element("div", { class: "map" }, this.root, this.buttons(), this.legend());
    this.listen();
    new ResizeObserver(([{ contentRect: { width, height } }]) => this.resize({ width, height })).observe(this.frame);
  }

  layer(name) {
    const group = shape("g", { class: name, ...(name === "cells" ? {} : { "aria-hidden": "true" }) });
    this.root.append(group);
    return group;
  }

  land() {
    const { board } = this;
    const sea = shape("polygon", { class: "sea", points: points(board.sea) });
    sea.style.fill = themed(board.colours.sea);
    sea.style.stroke = themed(board.colours.coast);
    this.root.append(sea);
    this.soil = this.layer("cells");
    this.soil.style.stroke = themed(board.colours.border);
    for (const region of board.regions) {
      const cell = shape("polygon", { class: "cell", points: points(region.cell), "data-region": region.id });
      cell.style.setProperty("--land", themed(region.colour));
      this.cells.set(region.id, cell);
      this.soil.append(cell);
    }
    const lines = board.regions.flatMap(({ id, xy, neighbours }) => neighbours.filter((other) => other > id).map((other) => `M${xy}L${this.places.get(other).xy}`));
    this.root.append(shape("path", { class: "path", d: lines.join("") }));
    this.root.style.setProperty("--path", themed(board.colours.path));
  }

  label(region) {
    const name = shape("text", { class: `name ${region.place ? "" : "minor"}` });
    name.append(...inLines(region.name).map((words) => shape("tspan", {}, words)));
    this.labels.set(region.id, name);
    this.writing.append(name);
  }

  buttons() {
    const zoom = (words, title, act) => {
      const button = element("button", { title, "aria-label": title }, words);
      button.addEventListener("click", act);
      return button;
    };
    return element(
      "div", { class: "zoom" },
      zoom("+", "Zoom in (+)", () => this.zoomMiddle(1.4)),
      zoom("−", "Zoom out (−)", () => this.zoomMiddle(1 / 1.4)),
      zoom("⤢", "The whole map (0)", () => this.fit()),
    );
  }

  // What the pieces mean.
  legend() {
    const sample = (draw) => shape("svg", { viewBox: "-21 -13 42 26", width: 42, height: 26, "aria-hidden": "true" }, draw);
    const army = (side, figures) => this.army(0, 0, { side, figures });
    const settlement = (place) => this.settlement({ place }, null);
    const entries = [
      [army("free_peoples", { gondor: [3, 1, 0] }), "Free Peoples: Regulars · Elites of Gondor"],
      [army("shadow", { sauron: [3, 1, 0] }), "Shadow: Regulars · Elites of Sauron"],
      [army("free_peoples", { gondor: [0, 0, 1] }), "Leader"],
      [army("shadow", { sauron: [0, 0, 1] }), "Nazgul"],
      [this.ring(0, 0, "3", false), "Fellowship and its progress; filled: revealed"],
      ...["stronghold", "city", "town", "fortification"].map((place) => [settlement(place), place]),
      [this.siege(9), "besieged"],
    ];
    const nations = this.board.nations.map(({ letter, name }) => `${letter} ${name.replace(/^The /, "")}`);
    return element(
      "details", { class: "legend" },
      element("summary", {}, "Legend"),
      ...entries.map(([draw, words]) => element("p", {}, sample(draw), words)),
      element("p", { class: "letters" }, nations.join(", ")),
    );
  }

  siege(r) {
    const { siege } = this.board;
    return shape("circle", { r, fill: "none", stroke: siege, "stroke-width": 2, "stroke-dasharray": "4 2.5" });
  }

  // Where something happens in a position: the region of its battle, or one that has changed, or null.
  scene(position, earlier) {
    if (position.battle) return position.battle.region;
    if (!earlier) return null;
    const { regions } = position;
    return this.board.regions.find(({ id }) => regions[id] !== earlier.regions[id])?.id ?? null;
  }

  // Draws a position; changed are the regions to mark, selected is one of them or null.
  draw(position, changed, selected) {
    this.wanted = [position, changed, selected];
    if (this.kept) position = this.kept;
    const first = !this.position;
    this.position = position;
    if (first && this.view && !this.moved) this.fit();
    for (const region of this.board.regions) {
      const contents = position.regions[region.id];
      if (!this.drawn.has(region.id) || this.drawn.get(region.id) !== contents) {
        this.layers.get(region.id).replaceChildren(...this.contents(region, contents));
        this.drawn.set(region.id, contents);
      }
      const { classList } = this.cells.get(region.id);
      classList.toggle("changed", changed.includes(region.id));
      classList.toggle("selected", region.id === selected);
    }
    this.battles.replaceChildren(...this.battle(position.battle));
    this.rings.replaceChildren(this.fellowship(position.fellowship));
    this.arrangeSoon();
  }

  // Keeps an earlier position on the map until it is released; what is drawn meanwhile waits.
  hold(position) {
    this.kept = { ...position, regions: { ...position.regions } };
  }

  // Draws these regions as they are in a later position.
  reveal(regions, position) {
    if (!this.kept) return;
    this.kept = { ...this.kept, regions: { ...this.kept.regions }, fellowship: position.fellowship };
    for (const id of regions) this.kept.regions[id] = position.regions[id];
    this.draw(...this.wanted);
  }

  letGo() {
    this.kept = null;
    this.ghosts.replaceChildren();
    if (this.wanted) this.draw(...this.wanted);
  }

  // A plate that slides from a region to another, and is gone.
  slide(origin, goal, army, milliseconds) {
    const places = [origin, goal].map((id) => this.places.get(id)?.xy);
    if (!this.view || places.includes(undefined)) return;
    const { scale } = this.view;
    const size = Math.max(1, Math.sqrt(scale)) / scale;
    const ghost = shape("g", {}, this.army(0, -15, army));
    this.ghosts.append(ghost);
    const at = ([x, y]) => ({ transform: `translate(${x}px, ${y}px) scale(${size})` });
    ghost.animate(places.map(at), { duration: milliseconds, easing: "ease-in-out", fill: "forwards" }).finished.then(() => ghost.remove(), () => ghost.remove());
  }

  // Lights regions up: those that may be pressed by id, each with its words, its kind (lit or ready) and a letter.
  light(places) {
    this.root.classList.toggle("many", places.size > MANY);
    for (const [id, cell] of this.cells) {
      const place = places.get(id);
      if (place && !cell.hasAttribute("role") && document.activeElement !== cell) this.soil.append(cell); // its outline above its neighbours
      cell.classList.toggle("lit", place?.kind === "lit");
      cell.classList.toggle("ready", place?.kind === "ready");
      if (place) {
        const label = `${this.places.get(id).name}: ${place.words}`;
        for (const [name, value] of Object.entries({ role: "button", tabindex: "0", "aria-label": label })) {
          cell.setAttribute(name, value);
        }
      } else {
        for (const name of ["role", "tabindex", "aria-label"]) cell.removeAttribute(name);
      }
    }
    this.tags = new Map([...places].filter(([, { letter }]) => letter).map(([id, { letter }]) => [id, letter]));
    this.letters.replaceChildren(...[...this.tags].map(([id, letter]) => {
      return shape("g", { "data-at": id }, shape("rect", { x: -4 - 3.6 * letter.length, y: -22.5, width: 8 + 7.2 * letter.length, height: 15, rx: 7.5 }), shape("text", { x: 0, y: -11.3 }, letter));
    }));
    this.arrangeSoon();
  }

  contents(region, contents) {
    if (!contents) return [region.place ? this.settlement(region, null) : this.dot()];
    const parts = contents.besieged ? [this.siege(12)] : [];
    parts.push(region.place ? this.settlement(region, contents.control) : this.dot());
    const armies = [...contents.armies].sort((one, other) => other.garrison - one.garrison);
    armies.forEach((army, place) => parts.push(this.army(0, -15 - 17 * place, army)));
    contents.characters.forEach((who, place) => {
      parts.push(this.badge(17 + BADGE * (place % 3), -1 + BADGE * Math.floor(place / 3), who));
    });
    return parts;
  }

  dot() {
    return shape("circle", { class: "dot", r: 1.8 });
  }

  settlement(region, control) {
    const r = this.board.radii[region.place];
    const look = { class: "settlement", fill: control ? this.sides.get(control).colour : "#5c5a54" };
    switch (this.board.shapes[region.place]) {
      case "square":
        return shape("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: 1, ...look });
      case "diamond":
        return shape("polygon", { points: `0,${-r} ${r},0 0,${r} ${-r},0`, ...look });
      case "triangle":
        return shape("polygon", { points: `0,${-r} ${r},${r} ${-r},${r}`, ...look });
      default:
        return shape("circle", { r, ...look });
    }
  }

  // The letter of the largest nation and Regulars · Elites on its colour, a stripe by nation, a dot for each
  // Leader or Nazgul.
  army(x, y, army) {
    const group = shape("g", { class: "army", transform: `translate(${x} ${y})` });
    const forces = Object.entries(army.figures).map(([nation, figures]) => [this.nations.get(nation), figures]);
    const total = [0, 1, 2].map((kind) => forces.reduce((sum, [, figures]) => sum + figures[kind], 0));
    const size = ([, figures]) => figures[0] + figures[1];
    const [main] = forces.reduce((best, force) => (size(force) > size(best) ? force : best));
    const free = army.side === "free_peoples";
    const units = total[0] + total[1];
    if (units) {
      const words = `${total[0]}·${total[1]}`;
      const half = words.length > 3 ? 19 : 17;
      group.append(shape("rect", { class: `plate ${army.side}`, x: -half, y: -7, width: 2 * half, height: 14, rx: free ? 6 : 1.5, fill: main.colour }));
      if (forces.length > 1) {
        let from = 4 - half;
        for (const force of forces) {
          const width = ((2 * half - 8) * size(force)) / units;
          group.append(shape("rect", { x: from, y: 4.6, width, height: 2.4, fill: force[0].colour, stroke: "#fff8", "stroke-width": 0.4 }));
          from += width;
        }
      }
      group.append(
        shape("text", { class: "letter", x: 6 - half, y: 3.4, fill: main.ink }, main.letter),
        shape("text", { x: 5, y: 3.9, fill: main.ink }, words),
      );
    }
    const leaders = total[2];
    for (let place = 0; place < leaders; place++) {
      const look = free ? "leader free_peoples" : "leader shadow";
      const cx = (place - (leaders - 1) / 2) * (units ? 5.8 : 8);
      group.append(shape("circle", { class: look, cx, cy: units ? -9.5 : 3, r: units ? 2.7 : 3.8 }));
    }
    return group;
  }

  badge(x, y, who) {
    const { side, letters } = this.board.characters[who];
    return shape(
      "g", { class: `badge ${side}`, transform: `translate(${x} ${y})` },
      shape("circle", { r: 7 }), shape("text", { y: 3 }, letters),
    );
  }

  fellowship({ region, mordor_step: step, progress, revealed }) {
    const group = shape("g", { "data-at": region ?? ON_MORDOR_TRACK });
    group.append(this.ring(-19, 0, step ? `M${step}` : String(progress), revealed));
    return group;
  }

  ring(x, y, words, revealed) {
    const colour = this.board.fellowship;
    return shape(
      "g", { class: "ring", transform: `translate(${x} ${y})` },
      shape("circle", { r: 8.5, fill: revealed ? colour : "#2a2410", stroke: colour, "stroke-width": 2.4 }),
      shape("text", { y: 3.6, fill: revealed ? "#201804" : colour }, words),
    );
  }

  battle(battle) {
    if (!battle) return [];
    const [x1, y1] = this.places.get(battle.origin).xy;
    const [x2, y2] = this.places.get(battle.region).xy;
    const look = { stroke: this.board.siege, "stroke-width": 3, fill: "none", opacity: 0.9 };
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

  // Zoom and pan

  resize(room) {
    this.room = room;
    if (this.view !== null && this.moved) return this.show(this.view);
    this.fit();
    this.follow(this.followed);
    this.followed = null;
  }

  // The whole map; where that would be too small to read, as much of it as fills the frame.
  fit() {
    const [width, height] = this.board.size;
    const { width: across, height: down } = this.room;
    if (!across || !down) return;
    const [whole, full] = [Math.min, Math.max].map((of) => of(across / width, down / height));
    const scale = whole < READABLE ? Math.max(full, 1.4 * READABLE) : whole;
    const middle = this.position?.battle?.region ?? this.position?.fellowship.region ?? ON_MORDOR_TRACK;
    const [x, y] = this.places.get(middle).xy;
    this.moved = false;
    this.show({ scale, x: x - across / 2 / scale, y: y - down / 2 / scale }, 1);
  }

  // Shows the map from a corner; a margin of the frame may stay empty only where the map is smaller.
  show({ x, y, scale }, keep = KEEP) {
    const [width, height] = this.board.size;
    const [across, down] = [this.room.width / scale, this.room.height / scale];
    const within = (from, frame, all) => {
      if (frame >= all) return (all - frame) / 2;
      const slack = (1 - keep) * frame * 0.5;
      return Math.max(-slack, Math.min(all - frame + slack, from));
    };
    const zoomed = this.view?.scale !== scale;
    this.view = { x: within(x, across, width), y: within(y, down, height), scale };
    this.root.setAttribute("viewBox", `${this.view.x} ${this.view.y} ${across} ${down}`);
    if (zoomed) this.arrangeSoon();
  }

  // Zooms by a factor around a place of the frame, in pixels.
  zoom(factor, left, top) {
    const { x, y, scale } = this.view;
    const least = Math.min(this.room.width / this.board.size[0], this.room.height / this.board.size[1]);
    const next = Math.max(least, Math.min(MAX_ZOOM, scale * factor));
    this.moved = true;
    this.show({ scale: next, x: x + left / scale - left / next, y: y + top / scale - top / next });
  }

  zoomMiddle(factor) {
    this.zoom(factor, this.room.width / 2, this.room.height / 2);
  }

  // Moves a region into view if it is not.
  follow(id) {
    if (!this.view) this.followed = id;
    if (!this.view || id === null) return;
    const { x, y, scale } = this.view;
    const [mx, my] = this.places.get(id).xy;
    const [across, down] = [this.room.width / scale, this.room.height / scale];
    const hidden = mx < x + across / 10 || mx > x + (across * 9) / 10 || my < y + down / 10 || my > y + (down * 9) / 10;
    if (hidden) this.show({ scale, x: mx - across / 2, y: my - down / 2 }, 1);
  }

  // Once for all that is changed together, before it is seen.
  arrangeSoon() {
    if (!this.waits) queueMicrotask(() => this.arrange());
    this.waits = true;
  }

  // Pieces and names at this zoom: pieces grow slower than the map, names are as many as have room.
  arrange() {
    this.waits = false;
    if (!this.view) return;
    const { scale } = this.view;
    const size = Math.max(1, Math.sqrt(scale)) / scale; // of a piece, in units of the map a unit of its own
    const place = (group, id, beside = 0) => {
      const [x, y] = this.places.get(id).xy;
      group.setAttribute("transform", `translate(${x + beside * size} ${y}) scale(${size.toFixed(4)})`);
    };
    const height = (TEXT * Math.max(1, scale ** 0.3)) / scale;
    if (this.arranged !== scale) {
      for (const [id, group] of this.layers) place(group, id);
      this.root.style.setProperty("--name", `${height}px`);
      this.arranged = scale;
    }
    for (const group of this.rings.children) place(group, group.dataset.at);
    const armed = (id) => this.position?.regions[id]?.armies.length;
    const beside = new Map([...this.tags.keys()].map((id) => [id, armed(id) ? 26 : 0])); // letters are to the right of armies
    for (const group of this.letters.children) place(group, group.dataset.at, beside.get(group.dataset.at));
    this.name(size, height, beside);
  }

  // Puts every name where it hides no piece and no other name, and if it can no letter, the more important first, or nowhere.
  name(size, height, beside) {
    const taken = [];
    for (const region of this.board.regions) taken.push(...this.occupied(region, size));
    const tags = [...beside].map(([id, right]) => {
      const [x, y] = this.places.get(id).xy;
      const middle = x + right * size;
      const half = (4.4 + 3.6 * this.tags.get(id).length) * size;
      return [middle - half, y - 23 * size, middle + half, y - 7 * size];
    });
    for (const region of [...this.board.regions].sort((one, other) => this.weight(other) - this.weight(one))) {
      const label = this.labels.get(region.id);
      const lines = [...label.children];
      const width = Math.max(...lines.map((line) => line.textContent.length)) * height * LETTER_WIDTH;
      const tall = lines.length * height;
      const [x, y] = region.xy;
      const low = (region.place ? 8 : 3) * size;
      const right = (region.place ? 10 : 5) * size + width / 2;
      const besides = (top) => [[x + right, top], [x - right, top]];
      const far = [y - 0.8 * tall, y - 0.2 * tall, y + low];
      const spots = [[x, y + low], ...besides(y - tall / 2), [x, y - low - tall], [x, y + low + 6 * size], ...far.flatMap(besides)];
      const most = this.board.size[0] - width / 2 - 2;
      const hides = ([cx, top], boxes) => {
        const box = [cx - width / 2, top, cx + width / 2, top + tall];
        return boxes.some((other) => overlap(box, other));
      };
      let lettered; // the first spot that hides letters alone
      let spot;
      for (const [cx, top] of spots) {
        const at = [Math.max(width / 2 + 2, Math.min(most, cx)), top];
        if (hides(at, taken)) continue;
        if (!hides(at, tags)) {
          spot = at;
          break;
        }
        lettered ??= at;
      }
      if (region.place) spot ??= lettered;
      label.classList.toggle("away", spot === undefined);
      if (!spot) continue;
      const [cx, top] = spot;
      taken.push([cx - width / 2, top, cx + width / 2, top + tall]);
      const written = `${spot} ${height}`;
      if (this.spots.get(region.id) === written) continue;
      this.spots.set(region.id, written);
      lines.forEach((line, number) => {
        line.setAttribute("x", cx);
        line.setAttribute("y", top + height * (number + 0.82));
      });
    }
  }

  weight({ id, place, points: worth }) {
    const contents = this.position?.regions[id];
    return 2 * worth + (place ? 2 : 0) + (contents?.armies.length ? 3 : 0) + (contents?.characters.length ? 1 : 0);
  }

  // The boxes of the pieces of a region.
  occupied({ id, place, xy: [x, y] }, size) {
    const box = (left, top, right, bottom) => [x + left * size, y + top * size, x + right * size, y + bottom * size];
    const contents = this.position?.regions[id];
    const boxes = place ? [box(-7, -7, 7, 7)] : [box(-2, -2, 2, 2)];
    contents?.armies.forEach((army, number) => boxes.push(box(-19, -27 - 17 * number, 19, -8 - 17 * number)));
    const badges = contents?.characters.length ?? 0;
    if (badges) boxes.push(box(9, -9, 10 + BADGE * Math.min(3, badges), -9 + BADGE * Math.ceil(badges / 3)));
    if ((this.position?.fellowship.region ?? ON_MORDOR_TRACK) === id) boxes.push(box(-28, -9, -10, 9));
    return boxes;
  }

  // Pointers

  listen() {
    const { root } = this;
    root.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * WHEEL_STEP), ...this.inFrame(event));
    }, { passive: false });
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    root.addEventListener("contextmenu", (event) => event.preventDefault()); // the right button drags
    for (const kind of ["pointerup", "pointercancel"]) root.addEventListener(kind, (event) => this.release(event));
    root.addEventListener("keydown", (event) => {
      const region = regionOf(event.target);
      if (region && ["Enter", " "].includes(event.key)) {
        event.preventDefault();
        event.stopPropagation();
        this.told.select(region);
      }
    });
  }

  inFrame({ clientX, clientY }) {
    const box = this.frame.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top];
  }

  press(event) {
    if (event.button > 0 && event.button !== RIGHT) return;
    this.pointers.set(event.pointerId, this.inFrame(event));
    if (this.pointers.size > 1) {
      this.held = null;
      this.gesture.removeAttribute("d");
      return;
    }
    const region = regionOf(event.target);
    const lifted = region !== null && this.told.lift(region);
    const right = event.button === RIGHT;
    if (right && !lifted) return;
    this.held = { region, lifted, right, from: this.inFrame(event), far: false };
  }

  move(event) {
    if (!this.pointers.has(event.pointerId)) return;
    const [left, top] = this.inFrame(event);
    const [lastLeft, lastTop] = this.pointers.get(event.pointerId);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    this.pointers.set(event.pointerId, [left, top]);
    if (others.length) {
      const [[, [x, y]]] = others;
      const before = Math.hypot(lastLeft - x, lastTop - y);
      if (before > 0) this.zoom(Math.hypot(left - x, top - y) / before, (left + x) / 2, (top + y) / 2);
      return;
    }
    if (!this.held) return;
    if (!this.held.far && Math.hypot(left - this.held.from[0], top - this.held.from[1]) > DRAG_DISTANCE) {
      this.held.far = true;
      this.root.setPointerCapture(event.pointerId);
    }
    if (!this.held.far) return;
    if (this.held.lifted) {
      this.point(this.held.region, left, top);
      return;
    }
    const { x, y, scale } = this.view;
    this.moved = true;
    this.show({ scale, x: x - (left - lastLeft) / scale, y: y - (top - lastTop) / scale });
  }

  // The line of an army that is to go somewhere; null: nowhere.
  aim(from, to) {
    if (to === null || from === null) return this.gesture.removeAttribute("d");
    const [[x1, y1], [x2, y2]] = [from, to].map((id) => this.places.get(id).xy);
    this.gesture.setAttribute("d", `M${x1} ${y1}L${x2} ${y2}`);
  }

  // The line of an army that is dragged.
  point(region, left, top) {
    const { x, y, scale } = this.view;
    const [fromX, fromY] = this.places.get(region).xy;
    this.gesture.setAttribute("d", `M${fromX} ${fromY}L${x + left / scale} ${y + top / scale}`);
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    const { held } = this;
    this.held = null;
    if (held?.lifted && held.far) this.gesture.removeAttribute("d");
    if (!held || event.type === "pointercancel") return;
    if (!held.far) {
      if (held.region && !held.right) this.told.select(held.region);
    } else if (held.lifted) {
      const target = regionOf(document.elementFromPoint(event.clientX, event.clientY));
      if (target && target !== held.region) this.told.drop(held.region, target, event.shiftKey || held.right);
    }
  }
}

function regionOf(target) {
  return target instanceof Element ? target.closest("[data-region]")?.dataset.region ?? null : null;
}

// Whether two boxes overlap, each [left, top, right, bottom].
function overlap(one, other) {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
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
