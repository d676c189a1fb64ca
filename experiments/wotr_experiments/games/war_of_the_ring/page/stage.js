// War of the Ring on the analysis board: the map, the panels of its state, and positions set up by hand.
import { element } from "../elements.js";
import { newestLines } from "../log.js";
import { Editor } from "./edit.js";
import { BattleMap } from "./map.js";
import { Panels } from "./panels.js";

const MANY = 12; // regions that differ between positions far apart, of which none is marked
const MARKS = { battle: ["✕", "a battle begins"], reveal: ["◉", "the Fellowship is revealed"], capture: ["⚑", "a Settlement changes hands"] };

export class Stage {
  name = "Map";
  look = "mapped";
  form = null; // the map has its own size
  opening = { name: "die", at: "at every action die" };
  marks = MARKS;
  help = [["+ − )", "zoom, the whole map"]];

  constructor(study, board) {
    this.study = study;
    this.board = board;
    this.selected = null;
    this.marked = null; // the name of a choice that is pointed at
    this.advised = new Set(); // names of the choices of bots
    this.map = new BattleMap(board, { select: (region) => this.press(region) });
    this.part = this.map.frame;
    this.panels = new Panels(board, this.map);
    const section = (id, words) => element("section", { id, role: "tabpanel", "aria-label": words });
    this.sections = { panels: section("panels", "State"), edit: section("edit", "Set up") };
    this.editor = new Editor(this);
  }

  get tabs() {
    return [["play", "Play", "p"], ["panels", "State", "s"], ["log", "Log", "l"], ["bots", "Bots", "t"], ["edit", "Set up", "u"]];
  }

  get keys() {
    return { "+": () => this.map.zoomMiddle(1.4), "-": () => this.map.zoomMiddle(1 / 1.4), ")": () => this.map.fit() };
  }

  // Whether a position is being set up, so that the board shows no other.
  get held() {
    return this.editor.editing;
  }

  // Where the game comes from, if it is not from a record.
  get origin() {
    return this.study.start.position ? "a position set up by hand" : "";
  }

  fit() {}

  // Shows a position, and where it differs from the one that was shown earlier.
  show({ picture }, earlier) {
    const changed = earlier ? changedRegions(picture, earlier.picture) : [];
    const few = changed.length < MANY ? changed : [];
    this.marked = null;
    this.advised.clear();
    this.map.draw(picture, few, this.selected);
    this.light();
    this.map.follow(picture.battle?.region ?? few[0] ?? null);
    this.showPanels(picture, this.selected);
  }

  showPanels(picture, region) {
    this.sections.panels.replaceChildren(...this.panels.all(picture, region));
  }

  // The head of the page.
  title({ picture: { turn, phase } }) {
    return [element("b", {}, `Turn ${turn}`), ` ${phase}`];
  }

  news(told) {
    return newestLines(told);
  }

  seatTitle(title) {
    return title;
  }

  choices({ legal }, button) {
    return [element("div", { class: "answers", role: "group", "aria-label": "Choices" }, ...legal.map(button))];
  }

  // Shows where a choice is; null: none.
  mark(name) {
    this.marked = name;
    this.light();
  }

  // Shows where the best choice of a bot is.
  advise(name) {
    this.advised.add(name);
    this.light();
  }

  light() {
    const regions = this.study.shown.legal.filter(({ name }) => name.startsWith("region:"));
    const kind = (name) => (name === this.marked || this.advised.has(name) ? "lit" : "ready");
    this.map.light(new Map(regions.map(({ name, words }) => [name.slice("region:".length), { words, kind: kind(name) }])));
  }

  // The position that is being set up.
  preview(picture, region) {
    this.map.draw(picture, [], region);
    this.showPanels(picture, region);
  }

  press(region) {
    if (this.held) return this.editor.pick(region);
    const { study } = this;
    const legal = study.shown?.legal.find(({ name }) => name === `region:${region}`);
    if (legal) return study.playAction(legal.id);
    this.selected = this.selected === region ? null : region;
    if (this.selected && document.body.dataset.tab !== "panels") study.openTab("panels");
    study.show(null);
  }

  // What is told of what is pointed at: the thing and words; null: nothing.
  hover(target) {
    const thing = target.closest("[data-card], .cell, .contents");
    if (!thing) return null;
    const { card, region } = thing.dataset;
    const words = card ? this.panels.cardTip(card, thing.classList.contains("given")) : this.panels.placeTip(this.study.shown.picture, region);
    return { thing, words };
  }
}

function changedRegions({ regions }, { regions: earlier }) {
  const same = (id) => JSON.stringify(regions[id]) === JSON.stringify(earlier[id]);
  return [...new Set([...Object.keys(regions), ...Object.keys(earlier)])].filter((id) => !same(id));
}
