// The stage of War of the Ring: the map, the panels, and tips for places and cards.

class Stage {
  // parts: the elements of the page by id; changed: called when a region is selected.
  constructor(board, game, parts, changed) {
    Object.assign(this, { board, game, parts, selected: null });
    this.map = new BattleMap(board, { select: (region) => { this.select(region); changed(); } });
    this.panels = new Panels(board, this.map);
    parts.map.append(this.map.frame);
    for (const kind of ["pointerover", "focusin", "click"]) document.addEventListener(kind, (event) => this.showTip(event));
    document.addEventListener("focusout", () => this.rest());
  }

  select(region) {
    this.selected = this.selected === region ? null : region;
  }

  // The position without the hands of the seats that the reader does not look with.
  seen(position, eyes) {
    if (eyes === null || eyes === this.game.viewer) return position;
    const { seats } = this.game;
    const own = seats[eyes];
    const hands = Object.fromEntries(seats.map(({ id, side }) => {
      if (id === own.id) return [id, position.hands[id]];
      const given = side === own.side ? position.hands[id].given : [];
      return [id, { ...position.hands[id], hand: null, face_down: null, offered: null, given }];
    }));
    return { ...position, hands, decision: position.deciding === own.id ? position.decision : "" };
  }

  draw(position, earlier) {
    this.position = position;
    this.map.draw(position, earlier ? this.changedRegions(position, earlier) : [], this.selected);
    this.map.follow(this.map.scene(position, earlier));
    this.parts.panels.replaceChildren(...this.panels.all(position, this.selected));
  }

  changedRegions({ regions }, earlier) {
    return this.board.regions.map(({ id }) => id).filter((id) => regions[id] !== earlier.regions[id]);
  }

  heading({ turn }) {
    return `Turn ${turn}`;
  }

  // Choices in these phases stand under their names in the log; in the actions, under the dice.
  phase({ phase }) {
    return phase;
  }

  asked(position) {
    return position.decision || `${position.seats[position.deciding].title} to decide.`;
  }

  ending({ winner, reason, ...position }) {
    const won = winner === "draw" ? "a draw" : `${this.panels.winners(position)} won`;
    return `Over: ${won}, ${reason.replaceAll("_", " ")}.`;
  }

  seatInWords({ name, side }) {
    return this.panels.seat(name, side);
  }

  // The text of a line; its dice become dice, a card that it shows explains itself.
  words(text, [card, needed, dice]) {
    if (card) return [element("span", { "data-card": card, tabindex: "0" }, text)];
    if (!dice) return [text];
    const written = dice.join(" ");
    const place = text.indexOf(written);
    const shown = dice.map((value) => element("i", { class: needed && value >= needed ? "pip hit" : "pip" }, value));
    return [text.slice(0, place), element("span", { class: "roll" }, ...shown), text.slice(place + written.length)];
  }

  showTip({ target }) {
    const thing = target instanceof Element ? target.closest("[data-card], .cell, .contents") : null;
    if (!thing) return this.rest();
    const { card, region } = thing.dataset;
    const { tip } = this.parts;
    tip.replaceChildren(...(card ? this.panels.cardTip(card, thing.classList.contains("given")) : this.panels.placeTip(this.position, region)));
    tip.hidden = false;
    placeTip(tip, thing);
  }

  // Ends what hangs over the page.
  rest() {
    this.parts.tip.hidden = true;
  }
}
