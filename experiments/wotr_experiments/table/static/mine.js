// My games: the links of tables that were opened or joined in this browser, the newest first.
const KEPT = "wotr.games";
const MOST = 200;

// [{ table, game, ruleset, over, links: [{ token, seat, view, delay }] }], where seat is null for a link to look on.
export function myGames() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT));
    return Array.isArray(kept) ? kept.filter((each) => each?.table && Array.isArray(each.links)) : [];
  } catch {
    return []; // this browser keeps nothing
  }
}

// Keeps the links of a table beside those that are known of it.
export function keepGame(game) {
  const all = myGames();
  const before = all.find(({ table }) => table === game.table);
  const known = (before?.links ?? []).filter(({ token }) => !game.links.some((link) => link.token === token));
  store([{ ...before, ...game, links: [...game.links, ...known] }, ...all.filter((each) => each !== before)].slice(0, MOST));
}

// Forgets a table; what is returned takes that back.
export function forgetGame(table) {
  const all = myGames();
  const place = all.findIndex((each) => each.table === table);
  store(all.filter((each) => each.table !== table));
  return () => store(myGames().toSpliced(place, 0, ...all.slice(place, place + 1)));
}

// Forgets a link that leads nowhere any more.
export function forgetLink(table, gone) {
  const without = (each) => ({ ...each, links: each.links.filter(({ token }) => token !== gone) });
  store(myGames().map((each) => (each.table === table ? without(each) : each)).filter(({ links }) => links.length));
}

function store(games) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(games));
  } catch {
    return; // there is no room, or nothing is kept
  }
}

// The links of an answer to the opening of a table.
export function linksOf({ tokens, links }) {
  return [
    ...Object.entries(tokens).map(([seat, token]) => ({ token, seat, view: seat, delay: 0 })),
    ...links.map(({ view, delay, token }) => ({ token, seat: null, view, delay })),
  ];
}
