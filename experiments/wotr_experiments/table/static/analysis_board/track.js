// The track under the map: buttons, a slider with marks, and the curve of winning chances.
import { element, shape } from "../elements.js";

const EDGE = 9; // pixels from the end of the slider to the middle of its thumb there
const [WIDE, HIGH] = [1000, 100];

export class Track {
  constructor(go, step, stepOpening) {
    const button = (id, words, title, act) => {
      const made = (this[`${id}Button`] = element("button", { id: `go-${id}`, title, "aria-label": title }, words));
      made.addEventListener("click", act);
      return made;
    };
    this.go = go;
    this.length = 0;
    this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Position" });
    this.slider.addEventListener("input", () => go(Number(this.slider.value)));
    this.count = element("output", {});
    this.marks = element("div", { class: "marks-row" });
    this.line = shape("path", { class: "chance" });
    this.area = shape("path", { class: "area" });
    const middle = shape("line", { class: "even", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 });
    this.drawing = shape("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img" }, this.area, middle, this.line);
    this.worst = element("div", { class: "worst-row" });
    this.needle = element("i", { class: "needle" });
    this.label = element("span", { class: "scale" });
    this.curve = element("div", { class: "curve", hidden: "" }, this.drawing, this.worst, this.needle, this.label);
    this.curve.addEventListener("click", (event) => this.pick(event));
    this.frame = element(
      "footer", { class: "track" },
      element(
        "div", { class: "steps", role: "toolbar", "aria-label": "Steps" },
        button("first", "|‹", "First position (Home)", () => go(0)), button("before", "«", "", () => stepOpening(-1)),
        button("back", "‹", "Back (←)", () => step(-1)), button("on", "›", "On (→)", () => step(1)),
        button("next", "»", "", () => stepOpening(1)), button("last", "›|", "Last position (End)", () => go(this.length)), this.count,
      ),
      element("div", { class: "rail" }, this.marks, this.slider, this.curve),
    );
  }

  // The stage of the game: the signs and words of its marks, and what a line of choices begins with.
  set stage({ marks, opening: { name } }) {
    this.words = marks;
    for (const [button, words] of [[this.beforeButton, `The ${name} before (Shift ←)`], [this.nextButton, `The next ${name} (Shift →)`]]) {
      button.title = words;
      button.ariaLabel = words;
    }
  }

  // Marks of a line, after show has told its length.
  outline({ marks, turn }) {
    this.marks.hidden = marks.length === 0;
    this.marks.replaceChildren(...marks.map(({ number, kind }) => {
      if (kind === "turn") turn += 1;
      const [sign, words] = kind === "turn" ? [String(turn), `Turn ${turn}`] : this.words[kind];
      const made = element("button", { class: `mark ${kind}`, title: `${words}, position ${number}`, "aria-label": `${words}, position ${number}`, tabindex: "-1" }, sign);
      made.style.left = this.at(number);
      made.addEventListener("click", () => this.go(number));
      return made;
    }));
  }

  // The position of a line of so many actions.
  show(number, length) {
    if (length !== this.length) this.marks.replaceChildren();
    this.length = length;
    this.slider.max = length;
    this.slider.value = number;
    this.count.value = `${number} / ${this.length}`;
    this.needle.style.left = this.at(number);
  }

  at(number) {
    const share = this.length ? number / this.length : 0;
    return `calc(${EDGE}px + ${share} * (100% - ${2 * EDGE}px))`;
  }

  // The chances of a side: points by number, and decisions to mark; null hides the curve.
  draw(found, words = "") {
    this.curve.hidden = found === null;
    if (found === null) return;
    const { points, worst, look } = found;
    const x = (number) => (WIDE * number) / Math.max(1, this.length);
    const y = (chance) => HIGH * (1 - chance);
    const corners = points.map(({ number, chance }) => `${x(number).toFixed(1)} ${y(chance).toFixed(1)}`);
    const ends = points.length ? [x(points[0].number), x(points.at(-1).number)] : [0, 0];
    this.line.setAttribute("d", corners.length ? `M${corners.join("L")}` : "");
    this.area.setAttribute("d", corners.length ? `M${ends[0]} ${HIGH}L${corners.join("L")}L${ends[1]} ${HIGH}Z` : "");
    this.curve.className = `curve ${look}`;
    this.drawing.setAttribute("aria-label", words);
    this.label.textContent = words;
    this.worst.replaceChildren(...worst.map(({ number, chance, look: own, words: said }) => {
      const made = element("button", { class: `slip ${own}`, title: said, "aria-label": said });
      made.style.left = this.at(number);
      made.style.top = `${100 * (1 - chance)}%`;
      made.addEventListener("click", (event) => {
        event.stopPropagation();
        this.go(number);
      });
      return made;
    }));
  }

  pick({ clientX }) {
    const { left, width } = this.slider.getBoundingClientRect();
    this.go(Math.round((this.length * (clientX - left - EDGE)) / (width - 2 * EDGE)));
  }
}
