// A gesture is a list of wishes, by the names of the actions, that are answers to small questions in their order.
// The rules take forced answers themselves, so a gesture goes on where the question is the one it has an answer to.

const DIE_ORDER = {
  "plan:move-armies": ["army", "army-muster", "character", "will"],
  "plan:attack": ["army", "army-muster", "character", "will"],
  "plan:advance-nation": ["muster", "army-muster", "will"],
  "plan:move-fellowship": ["character", "will"],
  "plan:play-card": ["event", "character", "army", "muster", "army-muster", "will"],
};
const ICON_DICE = { Character: ["character"], Army: ["army", "army-muster"], Muster: ["muster", "army-muster"] };
const ASKED_WITH_A_DIE = /^(face|plan):/;
const ABOUT_FIGURES = /^(figure|character|verb):/;

// The faces that can pay for a plan among those that may be used, the least valuable first.
export function payingDice(plan, legal, { icon = null, led = true } = {}) {
  const usable = legal.filter(({ name }) => name.startsWith("face:")).map(({ name }) => name.slice(5));
  const paying = (face) => {
    if (plan === "plan:play-card") return ["event", "will"].includes(face) || ICON_DICE[icon].includes(face);
    return face !== "character" || led;
  };
  return DIE_ORDER[plan].filter((face) => usable.includes(face) && paying(face));
}

// Whether a plan can begin now: with a die that may be chosen, or with the die that was chosen.
export function canBegin(plan, legal, options) {
  return legal.some(({ name }) => name === plan) || payingDice(plan, legal, options).length > 0;
}

export class Gesture {
  constructor(wishes, number) {
    this.wishes = wishes;
    this.start = number; // of the actions before it
    this.known = number; // up to which what was told has been read
  }

  // The rest as names to send, from the first answer to this question on; empty if it has none.
  names(legal) {
    const names = new Set(legal.map(({ name }) => name));
    while (this.wishes.length && !names.has(this.wishes[0]) && ASKED_WITH_A_DIE.test(this.wishes[0])) this.wishes.shift();
    return this.wishes.length && names.has(this.wishes[0]) ? this.wishes : [];
  }

  // Takes from the wishes what was played: the own choices, and those that the rules took.
  hear(told, seat, wordsOf) {
    for (const line of told.filter(({ number, seat: whose }) => number > this.known && whose === seat)) {
      if (line.tone === "choice") this.wishes.shift();
      if (line.tone === "forced" && this.wishes.length && fits(this.wishes[0], line.text, wordsOf)) this.wishes.shift();
    }
  }

  // Whether what is left only says which figures.
  get figuresLeft() {
    return this.wishes.every((name) => ABOUT_FIGURES.test(name));
  }
}

function fits(name, text, wordsOf) {
  if (name === "verb:done") return text.startsWith("done");
  if (ASKED_WITH_A_DIE.test(name)) return true;
  return name.startsWith("region:") ? text.includes(wordsOf(name)) : ABOUT_FIGURES.test(name);
}
