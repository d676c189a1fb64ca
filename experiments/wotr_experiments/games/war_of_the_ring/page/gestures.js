// A gesture is a list of wishes: answers to small questions in their order, each with the kind of its question.
// The rules take forced answers themselves and chance may come between, so that it goes on only where it fits.

const ONE_BY_ONE = ["casualty"]; // the next question may look the same and be another one
const ENDS = ["verb:done", "verb:whole-army"];

export class Gesture {
  constructor(wishes, number) {
    this.wishes = wishes; // [{ name, decision }]
    this.start = number; // of the actions before it
    this.known = number; // up to which what was told has been read
  }

  // What to send to this question; empty if the gesture has no answer to it.
  names({ legal, question }) {
    const [first] = this.wishes;
    if (!first || first.decision !== question.decision || !legal.some(({ name }) => name === first.name)) return [];
    if (ONE_BY_ONE.includes(first.decision)) return [first.name];
    const end = this.wishes.findIndex(({ name }, place) => place > 0 && name === "verb:done");
    return this.wishes.slice(0, end < 0 ? undefined : end).map(({ name }) => name);
  }

  // Takes from the wishes what was played.
  hear(told, seat, number) {
    const played = told.filter(({ number: each, seat: whose, tone }) => each > this.known && whose === seat && tone === "choice");
    this.wishes.splice(0, new Set(played.map(({ number: each }) => each)).size);
    this.known = number;
  }

  // Whether all that matters of it is done.
  get over() {
    return this.wishes.every(({ name }) => ENDS.includes(name));
  }
}
