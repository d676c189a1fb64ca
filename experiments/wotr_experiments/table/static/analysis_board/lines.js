// A tree of lines of play: the main line first, and others that leave it or each other after some actions.

export class Lines {
  constructor(actions = []) {
    this.all = [{ id: 0, parent: null, at: 0, actions: [...actions] }];
    this.last = 0;
  }

  get main() {
    return this.all[0];
  }

  length(line) {
    return line.at + line.actions.length;
  }

  // All actions of a line from the beginning.
  path(line) {
    if (line.parent === null) return line.actions;
    return [...this.path(line.parent).slice(0, line.at), ...line.actions];
  }

  // The line to which the action with this number (from 1) of a line belongs; number 0 is of the main line.
  owner(line, number) {
    let own = line;
    while (own.parent !== null && number <= own.at) own = own.parent;
    return own;
  }

  // How many actions two lines have in common.
  shared(one, other) {
    const [first, second] = [this.path(one), this.path(other)];
    let number = 0;
    while (number < first.length && first[number] === second[number]) number += 1;
    return number;
  }

  // The line in which an action follows after so many of a line: one that there is, the same grown longer, or a new one.
  play(line, number, action) {
    const known = [line, ...this.all].find((other) => this.path(other)[number] === action && this.shared(line, other) >= number);
    if (known) return known;
    if (number === this.length(line)) {
      line.actions.push(action);
      return line;
    }
    const made = { id: (this.last += 1), parent: this.owner(line, number), at: number, actions: [action] };
    this.all.push(made);
    return made;
  }

  // Makes a line the main one; every line has the same actions as before.
  promote(line) {
    while (line.parent !== null) this.changePlaces(line);
    const from = (each) => [each, ...this.all.filter(({ parent }) => parent === each).flatMap(from)];
    this.all = from(line);
  }

  // A line and the one that it leaves: what they share is now its own, and the other leaves it there.
  changePlaces(line) {
    const { parent, at } = line;
    const shared = at - parent.at;
    line.actions = [...parent.actions.slice(0, shared), ...line.actions];
    for (const other of this.all) if (other !== line && other.parent === parent && other.at <= at) other.parent = line;
    Object.assign(line, { parent: parent.parent, at: parent.at });
    if (line.parent === null) parent.id = this.last += 1; // it was the main line, which has no number
    Object.assign(parent, { parent: line, at, actions: parent.actions.slice(shared) });
  }

  // Takes a line away with all that leave it; the main line stays.
  remove(line) {
    const gone = new Set([line]);
    for (const other of this.all) if (gone.has(other.parent)) gone.add(other);
    this.all = this.all.filter((other) => other.parent === null || !gone.has(other));
  }

  toJSON() {
    return this.all.map(({ parent, at, actions }) => ({ parent: parent === null ? null : this.all.indexOf(parent), at, actions }));
  }

  static from(stored) {
    const lines = new Lines();
    lines.all = [];
    for (const { parent, at, actions } of stored) lines.all.push({ id: lines.all.length, parent: parent === null ? null : lines.all[parent], at, actions });
    lines.last = lines.all.length - 1;
    return lines;
  }
}
