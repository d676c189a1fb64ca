// Where the choices of a question lead: paths, each a line of choices with what it points at.

const PLAN_OF = {
  "army-origin": "plan:move-armies", "army-destination": "plan:move-armies", "attack-origin": "plan:attack", "attack-target": "plan:attack",
  "minion-to-move": "plan:move-minions", "minion-destination": "plan:move-minions", "recruit-figure": "plan:recruit", "recruit-region": "plan:recruit",
  "advance-nation": "plan:advance-nation", "bring-character": "plan:bring-character", "character-region": "plan:bring-character",
  "draw-deck": "plan:draw-card", "event-card": "plan:play-card",
};
const FROM_AN_ARMY = ["plan:move-armies", "plan:attack"];
const LEAST_VALUABLE = ["event", "muster", "army", "army-muster", "character", "will"];

const FIGURES_OF = { "plan:move-armies": "move-figures", "plan:attack": "attack-figures" };
const GROUP_OF = { "plan:separate-companions": "separate-group", "plan:move-companions": "companion-group" };

export const FIGURES_ASKED = ["move-figures", "attack-figures"];
export const GROUP_ASKED = ["separate-group", "companion-group"];

// All paths of a question, from its legal choices or from the choice tree of the server.
export function pathsOf({ question, picture, legal }, tree, names) {
  const found = [];
  const walk = (nodes, asked, before) => {
    for (const { id, forced = [], asked: next, choices } of nodes) {
      const steps = [...before, { name: names[id], decision: asked }, ...forced.map((each) => ({ name: names[each], forced: true }))];
      if (choices?.length) walk(choices, next, steps);
      else found.push(read(steps, next, question.decision, picture));
    }
  };
  walk(tree ?? legal, question.decision, []);
  return found;
}

function read(steps, asked, decision, picture) {
  const path = { send: steps.filter(({ forced }) => !forced), asked, die: null, plan: PLAN_OF[decision] ?? null, figure: null, nation: null, card: null, character: null, verb: null, from: null, to: null };
  const regions = [];
  for (const { name } of steps) {
    const [kind, id] = name.split(/:(.*)/);
    if (kind === "region") regions.push(id);
    else if (kind === "plan") path.plan = name;
    else if (kind === "face") path.die ??= id;
    else path[kind] = id;
  }
  place(path, regions, decision, picture);
  path.asked ??= path.to ? FIGURES_OF[path.plan] : path.character ? GROUP_OF[path.plan] : undefined;
  return path;
}

// From where to where: of an army, of a Nazgul, of a Minion who says himself where he is; or only where.
function place(path, regions, decision, picture) {
  const moves = FROM_AN_ARMY.includes(path.plan) || path.plan === "plan:move-minions";
  if (moves && path.character) regions.unshift(whereIs(path.character, picture));
  else if (moves && /-(destination|target)$/.test(decision)) regions.unshift(picture.about?.origin ?? null);
  [path.from, path.to] = moves ? [regions[0] ?? null, regions[1] ?? null] : [null, regions[0] ?? null];
}

function whereIs(who, { regions }) {
  return Object.keys(regions).find((id) => regions[id].characters.includes(who)) ?? null;
}

// The faces that pay for one of these paths, the least valuable first.
export function facesOf(paths) {
  const faces = new Set(paths.map(({ die }) => die).filter(Boolean));
  return LEAST_VALUABLE.filter((face) => faces.has(face));
}

// The path among some to the same end that costs least.
export function cheapest(paths) {
  const cost = ({ die }) => LEAST_VALUABLE.indexOf(die);
  return paths.reduce((best, path) => (cost(path) < cost(best) ? path : best));
}

// What all paths to the same end have in common, as a key.
export function endOf({ plan, figure, nation, card, character, verb, from, to }) {
  return [plan, figure, nation, card, character, verb, from, to].join(" ");
}

// The cheapest path to each end.
export function byEnd(paths) {
  const groups = Map.groupBy(paths, endOf);
  return [...groups.values()].map(cheapest);
}
