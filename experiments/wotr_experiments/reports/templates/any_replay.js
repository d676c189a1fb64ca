const game = JSON.parse(document.getElementById("game").textContent);
const find = (id) => document.getElementById(id);
const last = game.frames.length - 1;
const SPEED = 700; // milliseconds a position
let at = 0;
let timer = 0;

function shownPosition([, shapes, text]) {
  if (shapes === null) {
    const words = document.createElement("pre");
    words.textContent = text === null ? "What lies there is not for these eyes yet." : game.words[text];
    return words;
  }
  const [width, height, ground, font] = game.size;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("font-family", font);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", find("now").textContent);
  svg.innerHTML = `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>`
    + shapes.map((place) => game.elements[place]).join("");
  return svg;
}

function line([tone, seat, words], number) {
  const part = document.createElement("p");
  part.className = tone;
  if (seat >= 0 && (tone === "choice" || tone === "forced")) {
    const name = document.createElement("b");
    name.textContent = game.seats[seat];
    name.style.setProperty("--side", `var(--seat-${seat % 5})`);
    part.append(`${number} `, name, " ");
  }
  part.append(game.words[words]);
  return part;
}

function writeLog() {
  game.steps.forEach(([, lines], number) => {
    const item = document.createElement("li");
    item.append(...lines.filter(([tone]) => tone !== "text").map((each) => line(each, number + 1)));
    item.addEventListener("click", () => { stop(); show(number + 1); });
    find("log").append(item);
  });
}

// What players wrote before they chose here.
function showWritten() {
  const answers = game.answers[at] ?? [];
  const told = answers.map(([seat, text, failure]) => `${game.seats[seat]} writes${failure && ` (${failure})`}:\n${text}`);
  find("written").hidden = !answers.length;
  find("written").textContent = told.join("\n\n");
}

function show(position) {
  at = Math.min(last, Math.max(0, position));
  const over = game.ended && at === last;
  find("now").textContent = over ? `Over: ${game.ended}.` : game.words[game.frames[at][0]];
  find("position").replaceChildren(shownPosition(game.frames[at]));
  showWritten();
  find("slider").value = at;
  find("count").textContent = `${at} / ${last}`;
  [...find("log").children].forEach((item, number) => {
    item.classList.toggle("later", number >= at);
    item.classList.toggle("current", number === at - 1);
  });
  const log = find("log");
  const current = log.children[at - 1];
  if (current) log.scrollTop = current.offsetTop - log.clientHeight / 2;
  else log.scrollTop = 0;
  history.replaceState(null, "", `#${at}`);
  if (at === last) stop();
}

function stop() {
  clearInterval(timer);
  timer = 0;
  find("play").textContent = "Play";
}

function play() {
  if (timer) return stop();
  if (at === last) show(0);
  find("play").textContent = "Pause";
  timer = setInterval(() => show(at + 1), SPEED);
}

const KEYS = {
  Home: () => show(0), ArrowLeft: () => show(at - 1), ArrowRight: () => show(at + 1), End: () => show(last),
};
find("rules").textContent = `${game.game}, ${game.rules}; seen: ${game.eyes}`;
find("slider").max = last;
find("slider").addEventListener("input", (event) => { stop(); show(Number(event.target.value)); });
find("first").addEventListener("click", () => { stop(); show(0); });
find("back").addEventListener("click", () => { stop(); show(at - 1); });
find("forward").addEventListener("click", () => { stop(); show(at + 1); });
find("last").addEventListener("click", () => { stop(); show(last); });
find("play").addEventListener("click", play);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog")) return;
  if (event.key in KEYS) {
    event.preventDefault();
    stop();
    KEYS[event.key]();
  } else if (event.key === " " && event.target.tagName !== "BUTTON") {
    event.preventDefault();
    play();
  }
});
offerLuck((number) => { stop(); show(number); });
writeLog();
show(Number(location.hash.slice(1)) || 0);
