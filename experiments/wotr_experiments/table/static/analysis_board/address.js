// The address of the analysis board. Everything that it shows is in the fragment, which browsers do not send to servers.
import { readLink } from "./open.js";
import { askStudy } from "./questions.js";
import { Lines } from "./lines.js";
import { setBusy } from "../wire.js";

const PAUSE = 300; // milliseconds without a step, after which the address follows; browsers limit how often it may change
const PACKED = "deflate-raw";

export class Address {
  constructor(study) {
    this.study = study;
    this.waiting = null; // the timer until the address follows
    this.source = ""; // the part of the address that opens the game as it was, of a tournament
    this.packed = {}; // the game as it is in the address, and what it was made of
    this.turn = 0; // so that no address is written over another entry of the history
  }

  // The address follows when the page rests.
  follow() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.write(), PAUSE);
    setBusy(this, true);
  }

  async write() {
    const { turn } = this;
    clearTimeout(this.waiting);
    this.waiting = null;
    const address = await this.of();
    if (address && turn === this.turn) history.replaceState(null, "", address);
    setBusy(this, this.waiting !== null);
  }

  // The browser has gone to another entry of its history.
  leave() {
    clearTimeout(this.waiting);
    this.waiting = null;
    setBusy(this, false);
    this.turn += 1;
  }

  // The address of what is shown; null before a game is open.
  async of() {
    const { lines, line, number, eyes, knower } = this.study;
    if (!lines) return null;
    const given = lines.all.length === 1 && lines.main.actions.join() === this.study.given?.join();
    const source = given ? this.source : "";
    const game = source ? null : await this.game();
    if (line !== this.study.line || number !== this.study.number) return this.of(); // the page has gone on
    const { tab } = document.body.dataset;
    const place = { tab, step: number, line: lines.all.indexOf(line), ...(eyes === knower ? {} : { eyes: eyes ?? "" }), ...(game ? { game } : {}) };
    return `study${source}#${new URLSearchParams(place)}`;
  }

  async game() {
    const { start, players, lines, knower: eyes, ended } = this.study;
    const text = JSON.stringify({ start, players, lines, eyes, ended });
    if (this.packed.text !== text) this.packed = { text, game: await pack(text) };
    return this.packed.game;
  }
}

// What the address asks for: the game, and where in it; null if it asks for nothing.
export async function readAddress() {
  const asked = new URLSearchParams(location.search).get("tab"); // of a link from a table
  const linked = await readLink();
  const found = new URLSearchParams(location.hash.slice(1));
  const eyes = found.has("eyes") ? { look: found.get("eyes") || null } : {};
  const place = { tab: found.get("tab") ?? asked, line: whole(found.get("line")), number: whole(found.get("step")), ...eyes };
  if (linked) return [linked[0], found.has("step") ? place : { ...place, number: linked[1] }];
  if (!found.has("game")) return null;
  return openKept(await unpack(found.get("game")), place);
}

// A game that was kept: its start and its lines.
export async function openKept({ start, players, lines, eyes, ended }, place) {
  const all = Lines.from(lines);
  const shown = all.all[place.line] ?? all.main;
  const found = await askStudy("line", { start, actions: all.path(shown), board: true });
  return [{ ...found, start, players, eyes, ended }, { ...place, lines: all }];
}

function whole(text) {
  return Number.parseInt(text, 10) || 0;
}

async function pack(text) {
  const bytes = await through(new CompressionStream(PACKED), new TextEncoder().encode(text));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(game) {
  try {
    const bytes = Uint8Array.from(atob(game.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(new DecompressionStream(PACKED), bytes)));
  } catch {
    throw new Error("The address is damaged or not complete: its part after # holds the game. Copy the whole address");
  }
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
