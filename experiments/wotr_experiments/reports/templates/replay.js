// The replay of a game: positions from differences, whose eyes, the log and the controls. A Stage shows the positions.

const REMOVED = "-";
const CHOICES = ["choice", "forced"];
const board = JSON.parse(document.getElementById("board").textContent);
const game = JSON.parse(document.getElementById("game").textContent);
const positions = allPositions(game);
const last = positions.length - 1;
const page = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));
const stage = new Stage(board, game, page, () => go(at));

let at = 0;
let eyes = game.viewer; // a seat, or null for all
let turns = []; // the heading of the log at each position that has one
let playing = null;
let lines = []; // by position: what the log says of the step that led there
let marked; // the position that is lit, and up to which the log is bright

page.title.textContent = page.title.title = document.title;
page.rules.title = `${game.game}, ${game.ruleset}`;
page.rules.append(element("span", { class: "game" }, `${game.game}, `), game.ruleset);
page.slider.max = last;
makeEyes();
writeLog();
drawCurves();
listen();
go(Number(location.hash.slice(1)) || 0);

function allPositions({ first, steps }) {
  const made = [first];
  for (const [, , difference] of steps) made.push(applyDifference(made[made.length - 1], difference));
  return made;
}

function applyDifference(old, changed) {
  const made = { ...old };
  for (const key of changed[REMOVED] ?? []) delete made[key];
  for (const [key, value] of Object.entries(changed)) {
    if (key !== REMOVED) made[key] = isObject(value) && isObject(old[key]) ? applyDifference(old[key], value) : value;
  }
  return made;
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

// The lines of a step that these eyes may see.
function told([, lines]) {
  const bit = 1 << (eyes ?? game.seats.length);
  return lines
    .filter((line) => game.viewer !== null || line[3] & bit)
    .map(([tone, seat, text, , opens, ...marks]) => ({ tone: game.tones[tone], seat, text: game.words[text], opens, marks }));
}

// What was chosen in a step, or null if these eyes see nothing of it.
function said(step) {
  const [first] = told(step);
  return first && first.seat === step[0] && CHOICES.includes(first.tone) ? first.text : null;
}

function seatName(seat) {
  return game.seats[seat].name;
}

function sideOf(seat) {
  return game.seats[seat].side;
}

function go(number) {
  at = Math.max(0, Math.min(last, number));
  const position = stage.seen(positions[at], eyes);
  stage.draw(position, at ? positions[at - 1] : null);
  page.slider.value = at;
  page.count.value = `${at} / ${last}`;
  page.when.replaceChildren(element("b", {}, turns.findLast(({ number }) => number <= at)?.words ?? ""), ` ${stage.phase(position)}`);
  page.now.replaceChildren(...nowWords(position));
  showWritten();
  tellChance();
  markLog();
  if (at === last) stop();
}

// What players wrote before they chose here, as far as these eyes may know it.
function showWritten() {
  const answers = (game.answers[at] ?? []).filter(([seat]) => eyes === null || seat === eyes);
  const told = answers.map(([seat, text, failure]) => `${seatName(seat)} writes${failure && ` (${failure})`}:\n${text}`);
  page.written.hidden = !answers.length;
  page.written.textContent = told.join("\n\n");
}

// What bots think of the game: below the line what the first team has of it, and bars where much was lost.
function drawCurves() {
  const { curves } = game;
  if (!curves?.length) return;
  page.curve.hidden = false;
  const path = (points) => points.map(([number, chance]) => `${(1000 * number) / last},${100 - 100 * chance}`).join(" ");
  const whole = (points) => [[0, points[0][1]], ...points, [last, points.at(-1)[1]]];
  const [{ points, slips }, ...others] = curves;
  const [own, other] = [0, 1].map((team) => game.seats.find((seat) => seat.team === team).side);
  const area = `<rect width="1000" height="100" fill="var(--${other})" /><polygon points="0,100 ${path(whole(points))} 1000,100" fill="var(--${own})" />`;
  const lines = others.map((curve) => `<polyline points="${path(whole(curve.points))}" fill="none" stroke="var(--panel)" stroke-width="1.5" vector-effect="non-scaling-stroke" />`);
  const half = `<line x2="1000" y1="50" y2="50" stroke="var(--ground)" stroke-dasharray="4 4" vector-effect="non-scaling-stroke" />`;
  page.curve.innerHTML = `<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">${area}${half}${lines.join("")}</svg>`;
  for (const [number, , words] of slips) {
    const bar = element("button", { title: words, "aria-label": words, style: `left: ${(100 * number) / last}%` });
    bar.addEventListener("click", () => { stop(); go(number); });
    page.curve.append(bar);
  }
  page.chance = element("output", { "aria-label": `Winning chance: ${game.teams[0]}` });
  page.curve.append(page.chance);
}

// The chances here: numbers in the curve, and whose they are in the line above, where there is room.
function tellChance() {
  if (!page.chance) return;
  const found = game.curves.map(({ bot, points }) => {
    const [, chance] = points.findLast(([number]) => number <= at) ?? points[0];
    return [`${Math.round(100 * chance)} %`, bot];
  });
  page.chance.value = found.map(([chance]) => chance).join(" · ");
  page.now.prepend(element("span", { class: "chances" }, `${game.teams[0]} ${found.map(([chance, bot]) => `${chance} by ${bot}`).join(" · ")}`));
}

function nowWords(position) {
  const parts = [];
  const step = at ? game.steps[at - 1] : null;
  const words = step && said(step);
  if (words) {
    const name = element("b", { class: `side ${sideOf(step[0])}` }, seatName(step[0]));
    parts.push(name, `: ${words}`);
  }
  if (position.over) {
    parts.push(element("b", {}, ` ${stage.ending(position)}`));
  } else if (game.ended && at === last) {
    parts.push(element("b", {}, ` Over: ${game.ended}.`));
  } else {
    parts.push(element("span", { class: "muted" }, `${words ? " Next: " : ""}${stage.asked(position)}`));
  }
  return parts;
}

// The log: a heading for each turn, phase and action die, the choices of a seat in one line, and what came of them.
function writeLog() {
  lines = positions.map(() => []);
  turns = [];
  const entries = [];
  let phase = null;
  let acting = -1; // the seat whose action the latest heading names
  let choices = null; // the line to which the next choice of the same seat goes
  const add = (number, tag, attributes, ...children) => {
    const made = element(tag, { "data-at": number, ...attributes }, ...children);
    lines[number].push(made);
    return made;
  };
  const begin = (number, words) => {
    turns.push({ number, words });
    entries.push(element("li", { class: "turn", "data-at": number }, words));
    [phase, acting, choices] = [null, -1, null];
  };
  if (stage.heading(positions[0])) begin(0, stage.heading(positions[0]));
  game.steps.forEach((step, number) => {
    const before = stage.phase(positions[number]);
    for (const { tone, seat, text, opens, marks } of told(step)) {
      const owner = seat < 0 ? "" : sideOf(seat);
      const choice = CHOICES.includes(tone);
      if (tone === "turn") begin(number + 1, text);
      else if (opens) {
        entries.push(add(number + 1, "li", { class: `head ${owner} ${tone}` }, element("b", {}, seatName(seat)), ` ${text}`));
        [acting, choices] = [seat, null];
        phase = "actions";
      } else if (choice) {
        if (before && before !== phase && before !== "actions") {
          entries.push(element("li", { class: "head phase", "data-at": number }, before));
          [acting, choices] = [-1, null];
        }
        phase = before;
        if (choices?.seat !== seat) {
          const name = seat === acting ? [] : [element("b", {}, game.seats[seat].short)];
          choices = { seat, item: element("li", { class: `choices ${owner}` }, ...name) };
          entries.push(choices.item);
        }
        choices.item.append(add(number + 1, "span", forcedTitle(tone), text));
      } else {
        entries.push(add(number + 1, "li", { class: `${tone} ${owner}` }, ...stage.words(text, marks)));
        choices = null;
      }
    }
  });
  page.log.replaceChildren(...entries);
  marked = { at: null, from: last };
}

function forcedTitle(tone) {
  return tone === "forced" ? { class: tone, title: "The only legal choice: the rules took it" } : { class: tone };
}

function markLog() {
  for (const line of lines[marked.at] ?? []) line.classList.remove("current");
  for (let number = Math.min(at, marked.from); number <= Math.max(at, marked.from); number++) {
    for (const line of lines[number]) line.classList.toggle("later", number > at);
  }
  let number = at;
  while (number > 0 && !lines[number].length) number--;
  for (const line of lines[number]) line.classList.add("current");
  const [line] = lines[number];
  const top = line ? line.offsetTop - page.log.clientHeight / 2 : 0;
  page.log.scrollTop = Math.max(0, top);
  marked = { at: number, from: at };
}

function makeEyes() {
  const label = element("span", {}, "Seen by");
  const seat = game.seats[game.viewer];
  if (seat) {
    page.eyes.append(label, element("b", { class: `side ${seat.side}` }, stage.seatInWords(seat)));
    return;
  }
  if (game.viewer !== null || !game.views) {
    page.eyes.append(label, element("b", {}, game.eyes));
    return;
  }
  const all = game.seats.length === 2 ? "both" : "all";
  const order = [...game.seats.keys()].sort((one, other) => game.seats[one].team - game.seats[other].team);
  const choices = [...order.map((seat) => [seat, seatName(seat)]), [null, all]];
  page.eyes.append(label, ...choices.map(([value, words]) => {
    const button = element("button", { "data-eyes": value ?? "all" }, words);
    button.addEventListener("click", () => lookWith(value));
    return button;
  }));
  pressEyes();
}

function pressEyes() {
  for (const button of page.eyes.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", button.dataset.eyes === String(eyes ?? "all"));
  }
}

function lookWith(value) {
  eyes = value;
  pressEyes();
  writeLog();
  stage.rest();
  go(at);
}

function turnAfter() {
  return turns.find(({ number }) => number > at)?.number ?? last;
}

// The start of this turn, or of the one before if this is the start.
function turnBefore() {
  return turns.findLast(({ number }) => number < at)?.number ?? 0;
}

function play() {
  if (playing !== null) return stop();
  if (at === last) go(0);
  page.play.textContent = "Pause";
  tick();
}

function tick() {
  playing = setTimeout(() => {
    tick();
    go(at + 1);
  }, 1000 / Number(page.speed.value));
}

function stop() {
  clearTimeout(playing);
  playing = null;
  page.play.textContent = "Play";
}

function listen() {
  const jump = (number) => () => {
    stop();
    go(number());
  };
  const moves = {
    first: jump(() => 0), back: jump(() => at - 1), forward: jump(() => at + 1), last: jump(() => last),
    "previous-turn": jump(turnBefore), "next-turn": jump(turnAfter), play,
  };
  for (const [id, move] of Object.entries(moves)) page[id].addEventListener("click", move);
  page.slider.addEventListener("input", () => jump(() => Number(page.slider.value))());
  page.log.addEventListener("click", ({ target }) => {
    const line = target.closest("[data-at]");
    if (line) jump(() => Number(line.dataset.at))();
  });
  const keys = {
    Home: moves.first, End: moves.last, ArrowLeft: moves.back, ArrowRight: moves.forward,
    PageUp: moves["previous-turn"], PageDown: moves["next-turn"], " ": play,
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") stage.rest();
    const taken = event.target.closest("select, summary, dialog") || (event.key === " " && event.target.closest("button"));
    const move = keys[event.key];
    if (!move || taken || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    move();
  });
  offerLuck((number) => jump(() => number)());
}
