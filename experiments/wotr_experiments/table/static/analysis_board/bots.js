// Bots about the position shown, side by side, and one bot about the whole line: its curve, and the worst decisions.
import { element, sentenceOf } from "../elements.js";
import { specsOf } from "../settings.js";
import { askStudy } from "./questions.js";

const USUAL = ["scripted", "expectation", "mcts:sims=400"];
const SHOWN = 5; // choices of a bot, and worst decisions
const TOGETHER = 8; // positions in one question
const SLIP = 0.02; // the least loss of chance that is marked

export class Advisers {
  constructor(study) {
    this.study = study;
    this.curve = null;
    const { bots } = study.games[study.start.game];
    const isOffered = (spec) => bots.some(({ name }) => name === spec.split(":")[0]);
    this.specs = USUAL.filter(isOffered);
    this.asked = new Set(this.specs.slice(0, 2));
    this.build(bots, isOffered);
  }

  build(bots, isOffered) {
    const { study } = this;
    this.chosen = element("div", { class: "specs" });
    this.more = element("input", { placeholder: "mcts:sims=2000", "aria-label": "Another bot", list: "advisers" });
    const offered = (id, specs) => element("datalist", { id }, ...specs.map((value) => element("option", { value })));
    const add = element("form", { class: "row" }, this.more, offered("advisers", specsOf({ bots })), element("button", {}, "Add"));
    add.addEventListener("submit", (event) => {
      event.preventDefault();
      const spec = this.more.value.trim();
      if (!spec) return;
      this.specs = [...new Set([...this.specs, spec])];
      this.asked.add(spec);
      this.more.value = "";
      this.showSpecs();
    });
    this.go = element("button", { class: "answer primary" }, element("kbd", {}, "b"), "Ask about this position");
    this.go.addEventListener("click", () => this.ask());
    this.answers = element("div", { class: "opinions", "aria-live": "polite" });
    const able = specsOf({ bots: bots.filter(({ chances }) => chances) });
    this.judge = element("input", { value: able.find((spec) => this.specs.includes(spec)) ?? able[0] ?? "", list: "judges", "aria-label": "Bot of the curve", title: `Bots whose values are winning chances: ${able.join(", ")}` });
    const judges = offered("judges", [...able, ...["mcts:sims=200", "mcts:sims=1000"].filter(isOffered)]);
    this.side = element("select", { "aria-label": "Chances of" }, ...study.teams.map(({ name, title }) => element("option", { value: name }, title)));
    this.side.addEventListener("change", () => this.draw());
    this.every = element("input", { type: "checkbox" });
    this.run = element("button", {}, "Draw the curve");
    this.run.addEventListener("click", () => (this.running ? this.stop() : this.review()));
    this.status = element("p", { class: "muted", role: "status" });
    this.slips = element("ol", { class: "slips" });
    this.luck = element("section", { id: "luck", class: "panel", "aria-label": "Luck" });
    this.showSpecs();
    this.parts = [
      element("h2", {}, "This position"), this.chosen, add, this.go, this.answers,
      element("h2", {}, "The whole line"),
      element("p", { class: "muted" }, `The winning chance ${study.stage.opening.at}, as one bot estimates it, and the most costly choices: those with a much lower value than the bot's own choice. Luck is not counted.`),
      element("div", { class: "row" }, this.judge, judges, this.side), element("label", {}, this.every, " every decision"), this.run, this.status, this.slips, this.luck,
    ];
  }

  showSpecs() {
    this.chosen.replaceChildren(...this.specs.map((spec) => {
      const box = element("input", { type: "checkbox" });
      box.checked = this.asked.has(spec);
      box.addEventListener("change", () => (box.checked ? this.asked.add(spec) : this.asked.delete(spec)));
      return element("label", {}, box, ` ${spec}`);
    }));
  }

  // The position shown

  // The page goes on: nobody waits for these answers any more.
  leave() {
    this.waiting?.abort();
    this.waiting = null;
    this.answers.replaceChildren();
  }

  ask() {
    this.leave();
    const { study } = this;
    study.openTab("bots");
    if (study.shown?.asks === null) return this.answers.replaceChildren(element("p", { class: "muted" }, "The game is over."));
    this.waiting = new AbortController();
    const { signal } = this.waiting;
    const body = { start: study.start, actions: study.path, numbers: [study.number] };
    for (const bot of this.specs.filter((spec) => this.asked.has(spec))) {
      const place = element("section", { class: "panel" }, element("h3", {}, bot), element("p", { class: "muted" }, "thinking …"));
      this.answers.append(place);
      askStudy("advice", { ...body, bot }, signal).then(
        (found) => place.replaceChildren(...this.opinion(found)),
        (error) => error.name !== "AbortError" && place.lastChild.replaceWith(element("p", { class: "wrong" }, sentenceOf(error))),
      );
    }
  }

  opinion({ bot, values, chances, answers: [answer] }) {
    const { actions, played } = answer;
    this.study.stage.advise(actions[0].name);
    const rows = actions.slice(0, SHOWN);
    if (played && !rows.some(({ id }) => id === played.id)) rows.push(played);
    return [
      element("h3", {}, bot), element("p", { class: "muted" }, values),
      element("div", { class: "ranking" }, ...rows.map(({ id, name, words, value }) => {
        const shown = value === null ? "–" : chances ? `${(100 * value).toFixed(0)} %` : value.toFixed(2);
        const made = element("button", { class: id === played?.id ? "played" : "", title: id === played?.id ? "the next action of this line" : "" }, element("span", {}, words), element("b", {}, shown));
        made.addEventListener("click", () => this.study.playAction(id));
        this.study.showsWhere(made, name);
        return made;
      })),
    ];
  }

  // The whole line

  stop() {
    this.running?.abort();
    this.running = null;
    this.run.textContent = "Draw the curve";
  }

  async review() {
    const { study } = this;
    this.running = new AbortController();
    this.run.textContent = "Stop";
    const { signal } = this.running;
    const outline = await study.findOutline();
    if (signal.aborted) return;
    if (!outline) return this.stop();
    const { line } = outline;
    const actions = study.path;
    const numbers = this.every.checked ? actions.map((_, number) => number) : outline.openings;
    this.curve = { line, length: actions.length, bot: this.judge.value.trim(), found: [] };
    try {
      for (let place = 0; place < numbers.length; place += TOGETHER) {
        this.status.textContent = `${place} of ${numbers.length} positions`;
        const body = { start: study.start, actions, numbers: numbers.slice(place, place + TOGETHER), bot: this.curve.bot };
        const { chances, values, answers } = await askStudy("advice", body, signal);
        if (!chances) throw new Error(`the values of ${this.curve.bot} are not winning chances (${values}), so there is no curve`);
        this.curve.found.push(...answers);
        this.draw();
      }
      this.status.textContent = `${numbers.length} positions`;
    } catch (error) {
      this.status.textContent = error.name === "AbortError" ? "stopped" : sentenceOf(error);
    }
    if (this.running?.signal === signal) this.stop();
  }

  // Offers to measure the luck of the line that is shown, once for each line.
  offerLuck() {
    const { study } = this;
    const { line } = study;
    const actions = study.path.join();
    if (this.measurable === actions) return;
    this.measurable = actions;
    const asked = { start: study.start, actions: study.path, players: study.players };
    const offer = element("button", { type: "button" }, "Measure the luck of this line");
    const goTo = (number) => (study.lines.all.includes(line) ? study.choose(line, number) : study.go(number));
    offer.addEventListener("click", async () => {
      const { showLuck } = await import("../luck.js");
      const part = element("div", {});
      if (offer.isConnected) this.luck.replaceChildren(part);
      showLuck(part, () => askStudy("luck", asked), goTo);
    });
    this.luck.replaceChildren(element("h2", {}, "Luck"), offer);
  }

  // Draws what there is of the line that is shown.
  draw() {
    const { study, curve } = this;
    this.offerLuck();
    if (!curve?.found.length) {
      this.slips.replaceChildren();
      return study.track.draw(null);
    }
    const most = curve.line === study.line ? curve.length : study.lines.shared(curve.line, study.line);
    const side = this.side.value;
    const two = study.teams.length === 2; // of three teams, the chances of one are not the rest of another's
    const found = curve.found.filter(({ number, team, actions }) => number <= most && actions.length && (two || team === side));
    const chance = (team, value) => (team === side ? value : 1 - value);
    const points = found.map(({ number, team, actions: [best] }) => ({ number, chance: chance(team, best.value) }));
    const worst = found.flatMap(({ number, team, seat, actions: [best], played }) => {
      const lost = played?.value === null || !played ? 0 : best.value - played.value;
      if (lost < SLIP) return [];
      const words = `${study.titleOf(seat)} after ${number}: ${played.words} (${percent(played.value)}) instead of ${best.words} (${percent(best.value)})`;
      return [{ number, look: study.lookOf(team), lost, words, chance: chance(team, best.value) }];
    }).sort((one, other) => other.lost - one.lost).slice(0, SHOWN);
    const last = points.at(-1);
    const { title } = study.teams.find(({ name }) => name === side);
    study.track.draw({ points, worst, look: study.lookOf(side) }, `${title} by ${curve.bot}${last ? `, last ${percent(last.chance)}` : ""}`);
    this.slips.replaceChildren(...worst.map(({ number, look, lost, words }) => {
      const made = element("button", { class: look }, element("b", {}, `−${percent(lost)}`), element("span", {}, words));
      made.addEventListener("click", () => study.go(number));
      return element("li", {}, made);
    }));
  }
}

function percent(value) {
  return `${(100 * value).toFixed(0)} %`;
}
