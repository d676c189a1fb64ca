// What is being chosen before anything is sent: a die, what to do with it, an army and who goes; and what is lit.
import { FIGURES_ASKED, GROUP_ASKED, byEnd, endOf, facesOf, pathsOf } from "./paths.js";
import { armyRows, chosenFigures, isUnit } from "./figures.js";

const WITH_DIE = ["action-die", "action-plan"];
const GOALS_ASKED = ["army-destination", "attack-target"];
const AT_ONCE = ["plan:move-armies", "plan:move-minions"];

export class Choice {
  constructor(table) {
    this.table = table;
    this.state = null;
    this.clear();
  }

  // A question: what was chosen stays only if it is the same.
  ask(state) {
    const same = this.state?.hash === state.hash;
    this.state = state;
    if (same) return;
    this.clear();
    this.all = state.legal.length ? pathsOf(state, null, this.table.board.actions) : [];
    this.known = false;
    const { about } = state.picture;
    if (GOALS_ASKED.includes(state.question?.decision) && this.begins(about?.origin)) this.lift(about.origin);
  }

  // The choice tree of the server: the paths to their ends. Returns whether it is of the question that is asked.
  learn({ hash, choices }) {
    if (hash !== this.state?.hash || !this.state.legal.length) return false;
    this.all = pathsOf(this.state, choices, this.table.board.actions);
    this.known = true;
    return true;
  }

  clear() {
    Object.assign(this, { from: null, plan: null, die: null, form: null, rows: [], shown: null });
  }

  // One step back; whether there was one.
  back() {
    const had = this.form ?? this.from ?? this.plan ?? this.die;
    if (this.form) this.form = null;
    else if (this.from) this.from = null;
    else [this.plan, this.die] = [null, null];
    return had !== null;
  }

  // The paths that the chosen die and plan leave.
  get paths() {
    if (!this.table.asked) return [];
    return this.all.filter(({ die, plan }) => (!this.die || !die || die === this.die) && (!this.plan || plan === this.plan));
  }

  get byEnd() {
    return byEnd(this.paths);
  }

  get faces() {
    return facesOf(this.all);
  }

  pathsFrom(id) {
    return this.paths.filter(({ from }) => from === id);
  }

  pathsTo(id) {
    return this.paths.filter(({ from, to }) => from === null && to === id);
  }

  // Whether a region is where a gesture can begin.
  begins(id) {
    return this.paths.some(({ from }) => from === id);
  }

  choosePlan(plan) {
    [this.plan, this.from, this.form] = [this.plan === plan ? null : plan, null, null];
  }

  chooseDie(die) {
    this.die = this.die === die ? null : die;
    if (this.form?.path) this.form.path = this.paths.filter((path) => endOf(path) === endOf(this.form.path)).at(0) ?? this.form.path;
  }

  // A region was pressed: whether anything came of it.
  press(id) {
    if (this.from && this.form === null && this.aim(this.from, id)) return true;
    const here = byEnd(this.pathsTo(id));
    if (here.length === 1 && !this.begins(id) && (this.plan || !this.all.some(({ plan }) => plan !== here[0].plan))) {
      this.take(here[0]);
      return true;
    }
    if (!this.begins(id) && !here.length) {
      const had = this.from !== null;
      [this.from, this.form] = [null, null];
      return had;
    }
    if (this.from === id) [this.from, this.form] = [null, null];
    else this.lift(id);
    return true;
  }

  lift(id) {
    [this.from, this.form] = [id, null];
    this.rows = this.paths.some(({ from, asked }) => from === id && FIGURES_ASKED.includes(asked)) ? armyRows(this.table, id) : [];
    const attacks = byEnd(this.pathsFrom(id));
    if (attacks.length === 1 && attacks[0].plan === "plan:attack" && !this.pathsTo(id).length) this.take(attacks[0]);
  }

  // From a region to another: moves at once; an attack, or several who could go, opens a form. Whether it can be.
  aim(from, to) {
    const ends = byEnd(this.paths.filter((path) => path.from === from && path.to === to));
    const armies = ends.filter(({ plan }) => plan !== "plan:move-minions");
    const possible = armies.length ? armies : ends;
    if (!possible.length) return false;
    if (possible.length === 1) this.take(possible[0]);
    else this.form = { paths: possible };
    return true;
  }

  // A drag; with Shift one Regular stays behind.
  drop(from, to, shift = false) {
    if (this.from !== from) this.lift(from);
    this.form = null;
    if (shift) leaveOne(this.rows);
    return this.aim(from, to);
  }

  // Takes a path: at once if it can be taken back, else with a form that says what it does.
  take(path) {
    if (path.plan === "plan:attack") this.form = { path };
    else if (path.plan === "plan:play-card") this.form = { path };
    else this.perform(path);
    this.table.show();
  }

  perform(path) {
    const figures = FIGURES_ASKED.includes(path.asked) ? chosenFigures(this.rows).map((name) => ({ name, decision: path.asked })) : [];
    const alone = path.character && GROUP_ASKED.includes(path.asked) ? [{ name: "verb:done", decision: path.asked }] : [];
    this.table.perform([...path.send, ...figures, ...alone]);
  }

  // Takes a path of a Companion as far as to who goes, so that others go with him.
  together({ send }) {
    this.table.perform(send.slice(0, -1));
  }

  // The places that can be pressed, by id: what pressing does, and how brightly they are lit.
  lit() {
    const places = new Map();
    const words = ({ plan }) => ({ "plan:attack": "attack", "plan:move-minions": "a Nazgul or Minion flies here" })[plan] ?? "move here";
    if (this.form?.path?.to) return new Map([[this.form.path.to, { words: "the goal", kind: "lit" }]]);
    if (this.from) {
      const flying = this.pathsFrom(this.from).every(({ plan }) => plan === "plan:move-minions");
      for (const path of this.pathsFrom(this.from)) {
        const kind = flying || path.plan !== "plan:move-minions" ? "lit" : "ready";
        if (path.to && (kind === "lit" || !places.has(path.to))) places.set(path.to, { words: words(path), kind });
      }
      return places;
    }
    const open = WITH_DIE.includes(this.state?.question?.decision) && !this.plan;
    for (const { from, to, plan } of this.paths) {
      const id = from ?? to;
      if (!id || places.has(id)) continue;
      const does = from ? (AT_ONCE.includes(plan) || open ? "choose who goes from here" : "attack from here") : this.legalWords(id);
      places.set(id, { words: does, kind: open ? "ready" : "lit" });
    }
    return places;
  }

  legalWords(id) {
    return this.state.legal.find(({ name }) => name === `region:${id}`)?.words ?? "see what can be done here";
  }
}

function leaveOne(rows) {
  const units = rows.filter(isUnit).reduce((sum, { value }) => sum + value, 0);
  const regulars = rows.filter(({ name, value }) => name.endsWith("-regular") && value);
  if (units > 1 && regulars.length) regulars.reduce((most, row) => (row.value > most.value ? row : most)).value -= 1;
}
